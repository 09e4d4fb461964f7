/// Why a message can't be read, with the status for the client.
package struct ParseError: Error, Equatable, Sendable {
    /// Which way the message went.
    package enum Message: UInt8, Sendable {
        case request, response
    }

    /// What is wrong, by a code that never changes its meaning.
    package enum Code: UInt8, Sendable, CaseIterable {
        case method, methodLength, target, targetLength, version, versionUnsupported, statusLine
        case bareLineFeed, bareCarriageReturn, nul, emptyLine, foldedField
        case fieldName, blankBeforeColon, fieldValue, fieldCount, headLength
        case contentLengthMalformed, contentLengthDiffers, contentLengthWithTransferEncoding
        case transferEncodingMalformed, transferEncodingUnsupported, transferEncodingInHTTP10
        case hostMissing, hostRepeated, hostMalformed, contentInConnect
        case chunkSize, chunkExtension, chunkEnd
    }

    /// Which way the message went.
    package let message: Message
    /// What is wrong.
    package let code: Code
    /// How many bytes in, counted from the start of the head, or of the body.
    package let offset: Int

    /// An error at `offset`.
    package init(_ message: Message, _ code: Code, offset: Int) {
        self.message = message
        self.code = code
        self.offset = offset
    }

    /// The status to answer with: 400, 414, 431, 501 or 505; 502 for any response.
    package var status: UInt16 {
        guard message == .request else { return 502 }
        return switch code {
        case .targetLength: 414
        case .headLength, .fieldCount: 431
        case .methodLength, .transferEncodingUnsupported: 501
        case .versionUnsupported: 505
        default: 400
        }
    }

    /// The error type of RFC 9209 s.2.3 that fits.
    package var proxyErrorType: ProxyErrorType {
        guard message == .response else { return .httpRequestError }
        return switch code {
        case .headLength, .fieldCount: .httpResponseHeaderSectionSize
        case .transferEncodingMalformed, .transferEncodingUnsupported, .transferEncodingInHTTP10, .chunkSize,
            .chunkExtension, .chunkEnd:
            .httpResponseTransferCoding
        default: .httpProtocolError
        }
    }

    /// The reason code, such as `request.content-length`.
    package var reason: String {
        switch message {
        case .request: "request.\(code.text)"
        case .response: "response.\(code.text)"
        }
    }
}

extension ParseError.Code {
    /// The code as it stands behind the dot of a reason.
    package var text: String {
        switch self {
        case .method: "method"
        case .methodLength: "method-length"
        case .target: "target"
        case .targetLength: "target-length"
        case .version: "version"
        case .versionUnsupported: "version-unsupported"
        case .statusLine: "status-line"
        case .bareLineFeed: "bare-lf"
        case .bareCarriageReturn: "bare-cr"
        case .nul: "nul"
        case .emptyLine: "empty-line"
        case .foldedField: "folded-field"
        case .fieldName: "field-name"
        case .blankBeforeColon: "blank-before-colon"
        case .fieldValue: "field-value"
        case .fieldCount: "field-count"
        case .headLength: "head-length"
        case .contentLengthMalformed: "content-length"
        case .contentLengthDiffers: "content-length-differs"
        case .contentLengthWithTransferEncoding: "content-length-with-transfer-encoding"
        case .transferEncodingMalformed: "transfer-encoding"
        case .transferEncodingUnsupported: "transfer-encoding-unsupported"
        case .transferEncodingInHTTP10: "transfer-encoding-in-http10"
        case .hostMissing: "host-missing"
        case .hostRepeated: "host-repeated"
        case .hostMalformed: "host"
        case .contentInConnect: "content-in-connect"
        case .chunkSize: "chunk-size"
        case .chunkExtension: "chunk-extension"
        case .chunkEnd: "chunk-end"
        }
    }
}

/// What came of an attempt to read a head.
package enum ParseOutcome: Equatable, Sendable {
    /// What is there is right so far, but not all; call again with the same bytes and more behind them.
    case needMore
    /// The head is read; the body begins behind `consumed` bytes.
    case head(consumed: Int)
    /// The message can't be read, and nothing behind it on that connection.
    case failed(ParseError)
}
