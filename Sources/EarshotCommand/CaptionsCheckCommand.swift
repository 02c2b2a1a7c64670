internal import EarshotCaptions
internal import EarshotClient

/// `earshot captions check`: all that is wrong in caption files, by line.
enum CaptionsCheckCommand {
  /// Checks each file; the status says whether cues were lost (7), or a file could not be read.
  static func run(
    files: [[UInt8]], options: CaptionOptions, wantsJSON: Bool, console: Console
  ) -> Int32 {
    var hasLostCues = false
    var unreadableCount = 0
    for file in files {
      if Interruption.isRequested { return Interruption.exitStatus }
      let name = Shown.bytes(file)
      do throws(CaptionError) {
        let track = try CaptionTrack(path: file, options: options)
        let faults = CaptionCheck().faults(in: track)
        if faults.contains(where: { $0.severity == .error }) { hasLostCues = true }
        if wantsJSON {
          console.print(json(file, track, faults).text)
        } else {
          for fault in faults { console.print(line(name, fault)) }
          console.note(summary(name, track, faults))
        }
      } catch {
        unreadableCount += 1
        let explanation = CaptionsText.explain(error, name: name)
        if wantsJSON {
          console.print(
            JSONText.object([
              .init("version", 1), .init("file", .string(Shown.lossless(file))),
              .init("explanation", QueryRecord.json(explanation)),
            ]).text)
        } else {
          console.note(Report.text(explanation))
        }
      }
    }
    if unreadableCount == files.count { return Outcome.error.exitStatus }
    return hasLostCues || unreadableCount > 0 ? Outcome.partial.exitStatus : 0
  }

  /// One fault as compilers write theirs, so that editors find the line.
  private static func line(_ name: String, _ fault: CaptionFault) -> String {
    "\(name):\(fault.line): \(fault.severity.rawValue): \(CaptionsText.describe(fault.kind))"
  }

  private static func summary(
    _ name: String, _ track: CaptionTrack, _ faults: [CaptionFault]
  ) -> String {
    let errors = faults.count { $0.severity == .error }
    let warnings = faults.count - errors
    let span = track.cues.first.map { ", \($0.start) to \(track.end)" } ?? ""
    return "\(name): \(track.format.rawValue), \(Shown.count(track.cues.count, "cue"))\(span), "
      + "\(Shown.count(errors, "error")), \(Shown.count(warnings, "warning"))."
  }

  private static func json(
    _ file: [UInt8], _ track: CaptionTrack, _ faults: [CaptionFault]
  ) -> JSONText {
    let listed = faults.map { fault in
      let code = CaptionsText.code(fault.kind)
      return JSONText.object([
        .init("line", .integer(fault.line)), .init("severity", .string(fault.severity.rawValue)),
        .init("kind", .string(code.word)), .init("value", .number(code.value, 3)),
        .init("text", .string(CaptionsText.describe(fault.kind))),
      ])
    }
    return .object([
      .init("version", 1), .init("file", .string(Shown.lossless(file))),
      .init("format", .string(track.format.rawValue)), .init("language", .text(track.language)),
      .init("cues", .integer(track.cues.count)),
      .init("end", .number(track.end.seconds, digits: 3)), .init("faults", .array(listed)),
    ])
  }
}
