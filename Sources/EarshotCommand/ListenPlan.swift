internal import EarshotClient
internal import Foundation

/// The second stage of `listen`: what was typed, as a request to the daemon.
struct ListenPlan {
  /// How the question to save is answered.
  enum Saving: Sendable, Hashable {
    /// It does not come.
    case never
    /// The person is asked after a match.
    case ask
    /// `--save`: the person said so by typing it, which counts only at the terminal (rule S7).
    case typed
  }

  let request: ListenRequest
  let saving: Saving
  let wantsJSON: Bool
  let socket: String?

  /// Reads what was typed; catalogs become whole paths, because the daemon has its own folder.
  init(_ typed: TypedArguments, language: Language) throws(CommandError) {
    if typed.has("save") && typed.has("ask") { throw .usage(.conflict("--save", "--ask")) }
    saving = typed.has("save") ? .typed : typed.has("ask") ? .ask : .never
    wantsJSON = typed.has("json")
    socket = typed.text("socket")
    var catalogs: [String] = []
    for path in typed.values("catalog") { catalogs.append(try ListenPlan.wholePath(path)) }
    request = ListenRequest(
      catalogs: catalogs, purpose: typed.text("purpose") ?? "identify",
      limit: typed.number("limit") ?? 12, source: typed.text("device"),
      save: saving == .never ? .never : .ask, language: language.rawValue)
  }

  /// The path from the root, without links; it must exist and be text, to go into a message.
  static func wholePath(_ path: [UInt8]) throws(CommandError) -> String {
    let given = path.map { CChar(bitPattern: $0) } + [0]
    guard let found = unsafe realpath(given, nil) else { throw .file(path: path, errno: errno) }
    defer { unsafe free(found) }
    guard let text = unsafe String(validatingCString: found) else {
      throw .explained(
        Explanation(
          reason: "name-not-text", happened: "The name '\(Shown.bytes(path))' is not UTF-8.",
          means: "The daemon is told catalogs by name, and this one cannot be written down.",
          next: "Give it another name, or a link to it, and use that."), .error)
    }
    return text
  }
}
