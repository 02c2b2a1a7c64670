internal import EarshotConsent
internal import Foundation
internal import Glibc

/// `earshotd --lint FILE…`: checks files of purposes (P1 to P7) and explanations (E1 to E5).
///
/// A finding names the file, the rule and the word. What is refused at load fails; a missing
/// translation is told and does not (rule C12).
struct FileLint {
  /// What one file came to.
  struct Report: Sendable, Hashable {
    var lines: [String] = []
    var isRefused = false
  }

  /// Checks the bytes of a file; what they are is told by their keys.
  static func report(_ bytes: [UInt8], name: String) -> Report {
    let object = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
    let found = object?["texts"] != nil ? explanation(bytes) : purposes(bytes)
    return Report(lines: found.lines.map { "\(name): \($0)" }, isRefused: found.isRefused)
  }

  /// Checks the files, and those that are shipped where none is named; the process's status.
  static func run(_ paths: [String], say: (String) -> Void) -> Int32 {
    var isRefused = false
    var isClean = true
    for path in paths {
      guard let bytes = contents(of: path) else {
        say("\(path): can't be read: \(unsafe String(cString: strerror(errno))).")
        isRefused = true
        continue
      }
      let report = report(bytes, name: path)
      for line in report.lines { say(line) }
      isRefused = isRefused || report.isRefused
      isClean = isClean && report.lines.isEmpty
    }
    if paths.isEmpty {
      say("The shipped purposes keep every rule; they are checked at each start.")
    }
    if !paths.isEmpty, isClean, !isRefused { say("Every rule is kept.") }
    return isRefused ? 78 : 0
  }

  private static func contents(of path: String) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return try? SettingsReading.contents(of: descriptor, role: "file")
  }

  private static func purposes(_ bytes: [UInt8]) -> Report {
    do throws(PurposeError) {
      let findings = try PurposeList.lint(bytes, programNames: ["Earshot"])
      return Report(
        lines: findings.map { finding in
          let language = finding.language.map { " in \($0.rawValue)" } ?? ""
          return finding.isFatal
            ? "purpose \"\(finding.code)\"\(language) breaks \(finding.rule.rawValue) "
              + "with \"\(finding.word)\""
            : "purpose \"\(finding.code)\" has no text\(language), so English is shown "
              + "(\(finding.rule.rawValue))"
        }, isRefused: findings.contains(where: \.isFatal))
    } catch {
      return Report(lines: [Settings.text(error)], isRefused: true)
    }
  }

  private static func explanation(_ bytes: [UInt8]) -> Report {
    do throws(ExplanationError) {
      _ = try PromptExplanation(parsing: bytes)
      return Report()
    } catch {
      return Report(lines: lines(error), isRefused: true)
    }
  }

  private static func lines(_ error: ExplanationError) -> [String] {
    switch error {
    case .refused(let findings):
      findings.map {
        "explanation in \($0.language.rawValue) breaks \($0.rule.rawValue) with \"\($0.word)\""
      }
    case .tooLarge(let limit): ["it holds over \(limit) bytes"]
    case .malformed(let place):
      ["\"\(place)\" is missing, of another form, or nothing that an explanation may hold (E4)"]
    case .unreadableVersion(let found, let newest):
      ["its version \(found) is newer than \(newest), which this daemon reads"]
    }
  }
}
