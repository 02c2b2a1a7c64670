internal import EarshotClient

/// The faults that requests are answered with, each written once (rule A4).
extension ProblemDetails {
  private static func make(
    _ status: Int, _ reason: String, _ title: String, _ detail: String
  ) -> ProblemDetails {
    ProblemDetails(
      type: "urn:earshot:problem:" + reason, title: title, status: status, detail: detail,
      reason: reason)
  }

  static var unwritable: ProblemDetails {
    make(
      500, "unwritable", "The answer could not be written.",
      "The daemon has no form for its own answer. Nothing was changed. Please report it.")
  }

  static func malformed(_ what: String) -> ProblemDetails {
    make(
      400, "malformed", "The request is not understood.",
      "\(what) Nothing was done. Compare the request with Documentation/Wire.md.")
  }

  static func unprocessable(_ reason: String, _ what: String) -> ProblemDetails {
    make(
      422, reason, "The request asks for what cannot be.", "\(what) Nothing was done.")
  }

  static var forbidden: ProblemDetails {
    make(
      403, "agents-only", "Only listed agents may ask this.",
      "This program is not a listed agent, so it gets its own status and nothing else. "
        + "Use earshot, or ask the administrator to list the program.")
  }

  static var byCommand: ProblemDetails {
    make(
      403, "by-command", "Granting takes a person at a terminal.",
      "The decision was made by a command, which the administrator's file does not permit. "
        + "Nothing was recorded. Run the command on a terminal and answer there.")
  }

  static var stranger: ProblemDetails {
    make(
      403, "stranger", "This daemon does not serve this process.",
      "The daemon serves one requester or one person. Nothing was done. Start one of your own.")
  }

  static func notFound(_ what: String) -> ProblemDetails {
    make(
      404, "not-found", "There is nothing of that name.",
      "\(what) Nothing was changed. List what there is and choose from it.")
  }

  static func methodNotAllowed(_ allowed: String) -> ProblemDetails {
    make(
      405, "method-not-allowed", "This address does not take that method.",
      "It takes \(allowed). Nothing was done.")
  }

  static func conflict(_ reason: String, _ what: String) -> ProblemDetails {
    make(409, reason, "The state has changed meanwhile.", "\(what) Nothing was recorded.")
  }

  static func tooLarge(_ limit: Int) -> ProblemDetails {
    make(
      413, "too-large", "The request is too large.",
      "It takes at most \(limit) bytes. Nothing was done. Send less.")
  }

  static var targetTooLong: ProblemDetails {
    make(
      414, "target-too-long", "The address is too long.",
      "It takes at most \(ServiceLimits.targetBytes) bytes. Nothing was done.")
  }

  static var unsupportedType: ProblemDetails {
    make(
      415, "unsupported-type", "The body is not JSON.",
      "This address takes application/json. Nothing was done.")
  }

  static var unreadableSound: ProblemDetails {
    make(
      415, "unsupported-media", "The sound is of a kind that is not read here.",
      "Only WAV, FLAC, Ogg Vorbis, Opus and MP3 can be sent. Nothing was recognised. "
        + "Use earshot match, which reads other kinds through ffmpeg.")
  }

  static func busy(_ what: String) -> ProblemDetails {
    make(
      503, "busy", "The daemon has all it can take.",
      "\(what) Nothing was done. Trying again in a moment can help.")
  }

  static var stopping: ProblemDetails {
    make(
      503, "stopping", "The daemon is stopping.",
      "It takes no more requests. Nothing was done. Try again once it runs again.")
  }

  static func ledger(_ what: String) -> ProblemDetails {
    make(
      500, "ledger", "The record could not be written or read.",
      "\(what) Nothing was recorded, so the microphone stays closed. "
        + "Check the free space and the rights of the state folder.")
  }
}
