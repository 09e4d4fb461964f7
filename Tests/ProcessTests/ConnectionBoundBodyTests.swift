import Support
import Testing

/// Bodies of requests that a handshake has to go before.
@Suite struct ConnectionBoundBodyTests {
    /// An origin, or a parent before an open one, that ends each connection behind an answer, so that each exchange needs a
    /// handshake; what is guarded, what is asked for, and the proxy.
    private struct Bed {
        let guarded: Acceptor
        let origin: Acceptor
        let proxy: RunningProxy

        init(_ status: Int, _ change: (inout Acceptor.Options) -> Void = { _ in }) throws {
            guarded = try Acceptor(["NTLM"]) {
                $0.proxy = status == 407
                $0.closes = .success
                change(&$0)
            }
            origin = status == 407 ? try Acceptor([]) : guarded
            proxy = try RunningProxy(
                status == 407 ? Bound.credentials + Bound.through(guarded) : Bound.rules(),
                workers: 1
            )
        }

        /// Posts that many zeros.
        func post(_ count: Int, method: String = "POST") throws -> HTTPResponse {
            let client = try proxy.connect(limit: .seconds(240))
            try client.send(
                "\(method) \(origin.url)/post HTTP/1.1\r\nHost: h\r\nContent-Length: \(count)\r\n\r\n"
            )
            let part = [UInt8](repeating: 0, count: min(1 << 20, count))
            for _ in 0..<(count == 0 ? 0 : count / part.count) { try client.send(part) }
            if count > 0, count % part.count > 0 { try client.send(Array(part.prefix(count % part.count))) }
            return try client.receive(to: method)
        }
    }

    @Test(
        "B-3 where a handshake is known to be needed, a body goes once, with the last leg",
        arguments: [401, 407],
        [0, 1, 1 << 20]
    )
    func once(_ status: Int, _ count: Int) throws {
        let bed = try Bed(status)
        #expect(try bed.proxy.get("\(bed.origin.url)/").status == 200)
        for (method, before) in [("POST", 3), ("PUT", 5)] {
            try bed.guarded.wait(for: before)
            let response = try bed.post(count, method: method)
            #expect(response.status == 200)
            #expect(response["X-Body"] == "\(count)")
            let legs = try bed.guarded.wait(for: before + 2).dropFirst(before)
            #expect(legs.map(\.leg) == ["first", "last"])
            // For a method that may not be repeated, only a HEAD of the same target goes ahead.
            let isHead = method == "POST" && count > 0
            #expect(legs.first?.method == (isHead ? "HEAD" : method))
            #expect(legs.first?.fields["content-length"] == (isHead ? nil : "0"))
            #expect(legs.map(\.body) == [0, count])
            #expect(legs.allSatisfy { $0.connection == legs.last?.connection })
        }
    }

    @Test(
        "B-3 2 GiB go once, with the last leg",
        .enabled(if: Deadline.isSoaking),
        .timeLimit(.minutes(10)),
        arguments: [401, 407]
    )
    func huge(_ status: Int) throws {
        let bed = try Bed(status)
        #expect(try bed.proxy.get("\(bed.origin.url)/").status == 200)
        let response = try bed.post(2 << 30)
        #expect(response.status == 200)
        #expect(response["X-Body"] == "\(2 << 30)")
        // It is told behind the response.
        try eventually("the body to be told once") {
            [bed.guarded, bed.origin].allSatisfy { $0.legs.bytes == 2 << 30 }
        }
    }

    @Test("B-3 a server that resets a connection on a body in an earlier leg gets none there", arguments: [401, 407])
    func resetting(_ status: Int) throws {
        let bed = try Bed(status) { $0.resetsBodies = true }
        #expect(try bed.proxy.get("\(bed.origin.url)/").status == 200)
        for _ in 0..<3 { #expect(try bed.post(100_000).status == 200) }
        #expect(bed.guarded.legs.allSatisfy { $0.status != 0 })
    }

    @Test(
        "B-3 a server that lets in what has no body gets the whole request on that connection, and no empty leg again"
    )
    func takesEmpty() throws {
        let bed = try Bed(401) {
            $0.takesEmpty = true
            $0.closes = nil
        }
        for _ in 0..<3 {
            let response = try bed.post(1000)
            #expect(response.status == 200 && response["X-Body"] == "1000")
            #expect(response["X-Identity"]?.hasSuffix("alice") == true)
        }
        #expect(bed.guarded.legs.count { $0.method == "HEAD" } <= 1)
    }

    @Test(
        "B-2 at first contact a server that ignores the expectation gets 1 MiB twice, one that heeds it once",
        arguments: [Acceptor.Expectation.ignore, .refuse]
    )
    func firstContact(_ mode: Acceptor.Expectation) throws {
        let bed = try Bed(401) { $0.expect = mode }
        let response = try bed.post(1 << 20)
        #expect(response.status == 200)
        #expect(response["X-Body"] == "\(1 << 20)")
        #expect(bed.guarded.legs.filter { $0.body > 0 && $0.body < 1 << 20 }.isEmpty)
        #expect(bed.guarded.legs.bytes == (mode == .ignore ? 2 : 1) << 20)
    }

    @Test("B-7 a challenge that comes while the body is still going is answered", arguments: [401, 407])
    func early(_ status: Int) throws {
        let bed = try Bed(status) {
            $0.early = true
            $0.expect = .always
        }
        let response = try bed.post(4 << 20)
        #expect(response.status == 200)
        #expect(response["X-Body"] == "\(4 << 20)")
    }

    @Test(
        "B-4 at first contact 2 GiB to a server that ignores the expectation are told as not kept",
        .enabled(if: Deadline.isSoaking),
        .timeLimit(.minutes(10))
    )
    func notKept() throws {
        let bed = try Bed(401) { $0.expect = .ignore }
        let response = try bed.post(2 << 30)
        #expect(response.status == 401)
        #expect(reason(of: response) == "body.not-kept")
    }
}
