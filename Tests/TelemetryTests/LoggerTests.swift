import Foundation
import Testing

@testable import Telemetry

@Suite struct LoggerTests {
    @Test("a line of text begins with time, level and message, and quotes only what needs it")
    func text() throws {
        let text = try logged { writer in
            let logger = Logger(writer, format: .text, level: .info)
            logger.warning(
                "credential withheld",
                LogField("credential", "login"),
                LogField("realm", "a b"),
                LogField("count", 3)
            )
        }
        #expect(
            text.dropFirst("2026-11-30T05:11:28.772Z".count)
                == " warning credential withheld credential=login realm=\"a b\" count=3\n"
        )
    }

    @Test("a line of JSON is one object")
    func json() throws {
        let text = try logged { writer in
            Logger(writer, format: .json, level: .debug).debug("it's \"so\"", LogField("count", -1))
        }
        let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["kind"] as? String == "debug")
        #expect(object["message"] as? String == "it's \"so\"")
        #expect(object["count"] as? Int == 0)
    }

    @Test("what is above the level isn't written")
    func levels() throws {
        let text = try logged { writer in
            let logger = Logger(writer, format: .text, level: .warning)
            logger.error("one")
            logger.warning("two")
            logger.info("three")
            logger.debug("four")
            #expect(logger.isEnabled(.error) && !logger.isEnabled(.info))
        }
        #expect(text.contains(" error one\n") && text.contains(" warning two\n"))
        #expect(!text.contains("three") && !text.contains("four"))
    }
}
