/// Certificates that OpenSSL made, and what it says of them; the keys are thrown away.
package enum ExampleCertificate {
    /// A self-signed one with a P-256 key, CN=pinned.example.
    package static let pem = """
        -----BEGIN CERTIFICATE-----
        MIIBxTCCAWygAwIBAgIUa6XuoqEiIc5SJjJHLXcqP/hmtc0wCgYIKoZIzj0EAwIw
        KzEQMA4GA1UECgwHRXhhbXBsZTEXMBUGA1UEAwwOcGlubmVkLmV4YW1wbGUwHhcN
        MjYxMTMwMDk1NTQ0WhcNMzYxMTI3MDk1NTQ0WjArMRAwDgYDVQQKDAdFeGFtcGxl
        MRcwFQYDVQQDDA5waW5uZWQuZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEH
        A0IABFIgbsfi+S5RZ5gz+BdUnnsp/Px8HM4v3NNm4T/vJpQvu1XdX6YJ1HBpO83t
        syzr4UGcXE7fLKLxZcCb0OyGVDmjbjBsMB0GA1UdDgQWBBQILPxXFWjj/WdlwfoX
        5nMJoZbF8zAfBgNVHSMEGDAWgBQILPxXFWjj/WdlwfoX5nMJoZbF8zAPBgNVHRMB
        Af8EBTADAQH/MBkGA1UdEQQSMBCCDnBpbm5lZC5leGFtcGxlMAoGCCqGSM49BAMC
        A0cAMEQCIHRZElxaNEEYK+1bMwVISpLEIt6OykMwZyan2SBs6ZRwAiBdFZvMOHj9
        6qKclnttpEuqx3hRvU5yZ38HKm3sw+fABA==
        -----END CERTIFICATE-----
        """
    /// Its SHA-256, by `openssl dgst`.
    package static let fingerprint = "94baf67042ad6269defb3740e2e827e71077b3bd2fda262fe1e162f5d5e08a26"
    /// Its pin, by `openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64`.
    package static let pin = "sha256/2bJYUSmgoHiC6vk1UGBFLDtMpnH6PESvnUy3UrUTrtI="

    /// A self-signed one with an RSA key, CN=rsa.example.
    package static let rsaPEM = """
        -----BEGIN CERTIFICATE-----
        MIIDDTCCAfWgAwIBAgIUEvK/OHCp9T4m2ol60kMYjibfcdIwDQYJKoZIhvcNAQEL
        BQAwFjEUMBIGA1UEAwwLcnNhLmV4YW1wbGUwHhcNMjYxMTMwMDk1NTQ0WhcNMzYx
        MTI3MDk1NTQ0WjAWMRQwEgYDVQQDDAtyc2EuZXhhbXBsZTCCASIwDQYJKoZIhvcN
        AQEBBQADggEPADCCAQoCggEBAKmOb968z/QgYcWM9P6Et8Mo4teaMZw2ZK3KLzFe
        odoOJJeTu0atQQmOorM2QIka3Q7sTvHXnoOk+ODFdTNrVCL71FSi0vrF5HaqXunV
        63SuDy5EK9Q6a2fSibRXrMzWHyI+/4sAgfRauHXy6eERG7ARBOmO5bUpNdpsbNjX
        TtvkVfO36ib9DwDilBi/xcOznm2AVKdwgtRxyNkH1HVT3b2kOtPMW97PQBghtOsz
        CcBccJttCsaqMvqlGfDeIsvNoEF5mxIVQW5lIF81q/qAGa+QXbjckJncE9J4t9Fz
        mq7IPCkVQlrpSUPZagv2AV5z+u4iJI+Do4VObmPN+jrim88CAwEAAaNTMFEwHQYD
        VR0OBBYEFBPqyQ4g6FXTkMUi/boSQeagLyvFMB8GA1UdIwQYMBaAFBPqyQ4g6FXT
        kMUi/boSQeagLyvFMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQADggEB
        AAEtfOAI0F4rrLjZfQ0LantJxta6ZNwAwzpk+GMml7UWYdKroDOlRX+Nt51ufGMs
        kVzfd0BifBIKJpiaeYTNZZIxUoPb3+Z+8+zYOSw7VX+hpsqQ2ExxizYUDoi0HgVY
        nnDPtiTJc1zrLK7mg7BZeQQ2nknOmiX0ZrY5ah0Da8ggODxUtkQBijJBOsiFYchF
        C6qpmmsseILrV8hXzq4/NSHAIjN4v2FP3TnKGp6CIgMvyzqAODb7wOJ8DPEMe2rt
        S89PCh2PcJoNmPWHfZK6FnqiDsZ2r5HxrsR/A62GOZf7unBSWW5q/OqvH8bmcIoK
        M3p375HP14U38fqclB7QL3o=
        -----END CERTIFICATE-----
        """
    /// Its pin, by the same commands.
    package static let rsaPin = "sha256/k1+Y4XYA0R9FbWcGzin//8uteZipdlVwGRt+Ljd7LZM="

    /// One of version 1, without extensions, with the key of the first.
    package static let version1PEM = """
        -----BEGIN CERTIFICATE-----
        MIIBEzCBuwIUFT/oqu+7IMZN4iB+bxPe2RrN0DowCgYIKoZIzj0EAwIwDTELMAkG
        A1UEAwwCdjEwHhcNMjYxMTMwMDk1NjU2WhcNMzYxMTI3MDk1NjU2WjANMQswCQYD
        VQQDDAJ2MTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFIgbsfi+S5RZ5gz+BdU
        nnsp/Px8HM4v3NNm4T/vJpQvu1XdX6YJ1HBpO83tsyzr4UGcXE7fLKLxZcCb0OyG
        VDkwCgYIKoZIzj0EAwIDRwAwRAIgVhCc7wvphLeWRoYAPYJD+2e7f8XsATFJtr4n
        Io59QlgCICi1If0vOBvxnEEIPhmtvDpVTXlWn01SBRXroGFG9Q4a
        -----END CERTIFICATE-----
        """
}
