/// Which release this is.
package enum Version {
    /// As `countersign version`, `/metrics` and the page tell it.
    package static let text = "0.1.0"
}
