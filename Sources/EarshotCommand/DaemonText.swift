internal import EarshotClient

/// The words for faults between a command and the daemon.
enum DaemonText {
  /// A person or a signal ended the command.
  static let interrupted = Explanation(
    reason: "interrupted", happened: "The command was ended.",
    means: "The microphone is closed, and nothing was recorded as an answer.",
    next: "Run it again when you want to.")

  /// The daemon's program is not where it should be.
  static func noProgram(_ path: String) -> Explanation {
    Explanation(
      reason: "no-daemon", happened: "No daemon runs, and there is no program '\(path)' to start.",
      means: "Nothing can listen, and consents cannot be read.",
      next: "Install earshotd beside earshot, or start the daemon.")
  }

  /// The daemon was started and ended before it answered.
  static func notStarted(_ said: String) -> Explanation {
    let lines = said.split(separator: "\n").suffix(6).joined(separator: "\n")
    return Explanation(
      reason: "daemon-not-started",
      happened: "The daemon did not start." + (lines.isEmpty ? "" : " It said: \(lines)"),
      means: "Nothing was opened and nothing was recorded.",
      next: "Run 'earshotd --check', mend what it names, and try again.")
  }

  /// What a request's failure means.
  static func explain(_ error: ClientError) -> Explanation {
    switch error {
    case .refused(let problem):
      return Explanation(
        reason: problem.reason ?? problem.type, happened: problem.title, means: problem.detail,
        next: "")
    case .noDaemon:
      return Explanation(
        reason: "no-daemon", happened: "No daemon answers on the socket.",
        means: "Nothing can listen, and consents cannot be read.",
        next: "Start earshotd, or leave out --socket so that one is started for this command.")
    case .notPermitted:
      return Explanation(
        reason: "socket-not-permitted", happened: "The daemon's socket belongs to somebody else.",
        means: "It serves another person, and this command cannot use it.",
        next: "Check XDG_RUNTIME_DIR, or name the right socket with --socket.")
    case .socketPathTooLong(let length, let limit):
      return Explanation(
        reason: "socket-path-too-long",
        happened: "The socket's path has \(length) bytes; at most \(limit) fit.",
        means: "No program can connect to it.", next: "Use a shorter folder for the socket.")
    case .timedOut(let seconds):
      return Explanation(
        reason: "daemon-timed-out",
        happened: "The daemon did not answer within \(JSONText.plain(seconds, digits: 0)) s.",
        means: "It may hang; the microphone's deadline holds all the same.",
        next: "Run 'earshot doctor', and restart the daemon.")
    case .cancelled: return interrupted
    case .connectionLost:
      return Explanation(
        reason: "connection-lost", happened: "The daemon ended the connection before its answer.",
        means: "It was stopped or crashed; when it ends, the microphone is closed.",
        next: "Look at its log, start it again, and try again.")
    case .answerTooLarge, .unreadableAnswer, .unwritableRequest, .transport:
      return Explanation(
        reason: "daemon-not-understood", happened: "The daemon's answer was not understood.",
        means: "The daemon and this command may be of different versions.",
        next: "Restart the daemon, so that both are the installed version.")
    }
  }

  /// The outcome that a request's failure stands for.
  static func outcome(_ error: ClientError) -> Outcome {
    switch error {
    case .cancelled: .cancelled
    case .refused(let problem) where problem.status == 403: .denied
    default: .error
    }
  }
}
