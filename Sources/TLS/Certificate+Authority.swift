internal import COpenSSL

extension Certificate {
    /// Its subjectKeyIdentifier, which the leafs of an authority name [RFC 5280 s.4.2.1.2]; nil if it has none.
    package var subjectKeyIdentifier: [UInt8]? {
        guard let identifier = unsafe X509_get0_subject_key_id(raw) else { return nil }
        let count = Int(unsafe ASN1_STRING_length(identifier))
        return unsafe Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(identifier), count: count))
    }

    /// What it may issue for [RFC 5280 s.4.2.1.10], line by line as OpenSSL writes it; nil: for anything.
    package var nameConstraints: [String]? {
        let place = unsafe X509_get_ext_by_NID(raw, NID_name_constraints, -1)
        guard place >= 0, let target = try? MemoryBIO() else { return nil }
        guard unsafe X509V3_EXT_print(target.raw, X509_get_ext(raw, place), 0, 0) == 1 else { return [] }
        return String(decoding: target.bytes, as: UTF8.self).split(separator: "\n").map { line in
            String(line.drop { $0 == " " })
        }
    }
}
