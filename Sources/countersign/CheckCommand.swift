internal import Configuration

/// `countersign check`: tells what is wrong with a rule file.
///
/// - Parameters:
///   - path: the rule file.
///   - strict: warnings count as errors.
///   - readsSecrets: false leaves out whatever lies outside the rule file.
///   - out: takes each line of the report.
/// - Returns: the exit code: 0 without errors, 1 with one, 2 when the file can't be read.
func check(path: String, strict: Bool, readsSecrets: Bool, out: (String) -> Void) -> Int32 {
    let result = RuleFile.load(
        path: path,
        environment: EnvironmentSecrets(),
        readsSecrets: readsSecrets,
        materials: TLSMaterials()
    )
    let report = CheckReport(result, name: path, isStrict: strict)
    for line in report.lines { out(line) }
    return report.exitCode
}
