import Foundation

/// A client that speaks through a tunnel, over Python's TLS with its default verification, or in the clear.
package struct TunnelClient: Sendable {
    /// How one conversation went.
    package struct Outcome: Decodable, Sendable {
        /// The status of the response to the CONNECT.
        package let connect: Int
        /// The fields of that response in lower case.
        package let connectFields: [String: String]
        /// The version of TLS; nil where there is none.
        package let version: String?
        package let alpn: String?
        /// Why there is no TLS connection.
        package let failure: String?
        /// The leaf that the proxy showed, as DER in hexadecimal.
        package let leaf: String?
        package let replies: [Reply]
        /// What came before the end where no whole response did, in Latin-1.
        package let rest: String

        /// The certificate that the proxy showed, as bytes.
        package var certificate: [UInt8] {
            let digits = Array((leaf ?? "").utf8)
            return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
            }
        }
    }

    /// One response inside the tunnel.
    package struct Reply: Decodable, Sendable {
        package let status: Int
        /// In lower case; of several of one name the last.
        package let fields: [String: String]
        package let body: String
    }

    /// What the client does.
    package struct Plan: Encodable, Sendable {
        package var port: UInt16
        package var authority: String
        /// The authority that it trusts; nil: it speaks in the clear.
        package var anchors: String?
        /// The name that it asks for, in place of the tunnel's host.
        package var name: String?
        package var alpn: [String]?
        package var fields: [String] = []
        package var requests: [String]
        /// How long it waits before it says anything, in seconds.
        package var silence = 0.0
        /// How long it waits before its first request, in seconds.
        package var idle = 0.0
        /// How many such conversations it has at once.
        package var times = 1
    }

    /// Speaks to `authority` through the proxy at `port`, a request at a time.
    package static func speak(
        _ port: UInt16,
        to authority: String,
        trusting anchors: String?,
        _ requests: [String],
        change: (inout Plan) -> Void = { _ in }
    ) throws -> Outcome {
        guard let first = try speakAtOnce(port, to: authority, trusting: anchors, requests, change: change).first else {
            throw TestFailure("no outcome")
        }
        return first
    }

    /// The same in several conversations at once.
    package static func speakAtOnce(
        _ port: UInt16,
        to authority: String,
        trusting anchors: String?,
        _ requests: [String],
        change: (inout Plan) -> Void = { _ in }
    ) throws -> [Outcome] {
        var plan = Plan(port: port, authority: authority, anchors: anchors, requests: requests)
        change(&plan)
        let text = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)
        let process = try TestProcess("python3", ["-c", program, text])
        guard try process.waitForExit(within: .seconds(60)) == .status(0) else { throw TestFailure(process.errors) }
        return try JSONDecoder().decode([Outcome].self, from: Data(process.output.utf8))
    }

    private static let program = """
        import json, socket, ssl, sys, threading, time
        plan = json.loads(sys.argv[1])

        def head(s):
            data = b""
            while not data.endswith(b"\\r\\n\\r\\n"):
                byte = s.recv(1)
                if not byte:
                    return None, data
                data += byte
            lines = data.decode("latin-1").split("\\r\\n")
            fields = {l.split(":", 1)[0].lower(): l.split(":", 1)[1].strip() for l in lines[1:] if l}
            return (int(lines[0].split(" ")[1]), fields), data

        def conversation(out):
            s = socket.create_connection(("127.0.0.1", plan["port"]), timeout=20)
            lines = [f"CONNECT {plan['authority']} HTTP/1.1", f"Host: {plan['authority']}"] + plan["fields"]
            s.sendall(("\\r\\n".join(lines) + "\\r\\n\\r\\n").encode())
            answer, data = head(s)
            out.update(connect=answer[0] if answer else 0, connectFields=answer[1] if answer else {})
            if not answer or answer[0] != 200:
                return
            time.sleep(plan["silence"])
            if plan.get("anchors"):
                context = ssl.create_default_context(cafile=plan["anchors"])
                context.verify_flags |= ssl.VERIFY_X509_STRICT
                if plan.get("name"):
                    context.check_hostname = False
                if plan.get("alpn"):
                    context.set_alpn_protocols(plan["alpn"])
                host = plan.get("name") or plan["authority"].rsplit(":", 1)[0].strip("[]")
                try:
                    s = context.wrap_socket(s, server_hostname=host)
                except (ssl.SSLError, OSError) as error:
                    out["failure"] = str(error)
                    return
                out.update(version=s.version(), alpn=s.selected_alpn_protocol(), leaf=s.getpeercert(True).hex())
            time.sleep(plan["idle"])
            for request in plan["requests"]:
                s.sendall(request.encode("latin-1"))
                answer, data = head(s)
                if not answer:
                    out["rest"] = data.decode("latin-1")
                    return
                wanted, body = int(answer[1].get("content-length", 0)), b""
                while len(body) < wanted:
                    part = s.recv(65536)
                    if not part:
                        break
                    body += part
                out["replies"].append(dict(status=answer[0], fields=answer[1], body=body.decode("latin-1")))

        outcomes = [dict(connect=0, connectFields={}, replies=[], rest="") for _ in range(plan["times"])]
        threads = [threading.Thread(target=conversation, args=(out,)) for out in outcomes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(json.dumps(outcomes))
        """
}
