internal import EarshotAudio
internal import EarshotMatch
internal import Foundation

/// The second stage of `match`: what was typed, as what has to be done.
struct MatchPlan: Sendable {
  /// How bare samples are written.
  struct RawForm: Sendable, Hashable {
    let rate: Double
    let channels: Int
    let format: RawFormat
  }

  /// Catalog files in the order given; empty means those of the data folder.
  let catalogs: [[UInt8]]
  /// What to recognise, in the order given; `-` is standard input.
  let queries: [[UInt8]]
  let options: MatchOptions
  let wantsJSON: Bool
  /// Whether a query ends at its first certain moment.
  let isEarliest: Bool
  /// Seconds of each query that are used at most.
  let limit: Double?
  let isStrict: Bool
  /// Whether what was found is followed to the end of the sound.
  let isFollowing: Bool
  let raw: RawForm?

  /// The name that stands for standard input.
  static let standardInput: [UInt8] = [UInt8(ascii: "-")]

  /// Reads what was typed.
  init(_ typed: TypedArguments) throws(CommandError) {
    catalogs = typed.values("catalog")
    queries = typed.operands
    options = MatchOptions(
      speeds: typed.text("speeds") == "1" ? .trueSpeed : .all,
      candidateCountMax: typed.count("top") ?? 5, limitSeconds: typed.number("limit"),
      endsAtSilence: false, endsAtAbsence: false, explains: typed.has("explain"))
    wantsJSON = typed.has("json")
    isEarliest = typed.has("earliest")
    limit = typed.number("limit")
    isStrict = typed.has("strict")
    isFollowing = typed.has("follow")
    raw = try MatchPlan.rawForm(typed)
    let standardInputs = queries.count { $0 == MatchPlan.standardInput }
    if standardInputs > 1 { throw .usage(.standardInputTwice) }
    if standardInputs == 1, isatty(0) == 1 { throw .usage(.standardInputIsTerminal) }
  }

  private static func rawForm(_ typed: TypedArguments) throws(CommandError) -> RawForm? {
    let needed = ["rate", "channels", "format"]
    guard typed.has("raw") else {
      if let lone = needed.first(where: typed.has) {
        throw .usage(.needs(option: "--\(lone)", other: "--raw"))
      }
      return nil
    }
    if let missing = needed.first(where: { !typed.has($0) }) {
      throw .usage(.needs(option: "--raw", other: "--\(missing)"))
    }
    guard let rate = typed.number("rate"), let channels = typed.count("channels"),
      let format = typed.text("format").flatMap(RawFormat.init(named:))
    else { preconditionFailure("the table lets no other values through") }
    return RawForm(rate: rate, channels: channels, format: format)
  }
}
