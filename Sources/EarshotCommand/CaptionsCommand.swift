internal import EarshotCaptions

/// `earshot captions`: shows cues in time, by hand or by what is heard, or checks files.
enum CaptionsCommand {
  /// Carries it out.
  static let run: CommandSpecification.Action = { (typed, console) throws(CommandError) in
    if typed.operands.first == Array("check".utf8) {
      let files = Array(typed.operands.dropFirst())
      guard !files.isEmpty else {
        throw .usage(.missingOperand(command: "captions check", placeholder: "FILE"))
      }
      Interruption.begin()
      return CaptionsCheckCommand.run(
        files: files, options: CaptionsPlan.options(typed), wantsJSON: typed.has("json"),
        console: console)
    }
    let plan = try CaptionsPlan(typed, language: console.language)
    Interruption.begin()
    var show = try CaptionsShow(plan, console: console)
    return try show.run()
  }
}
