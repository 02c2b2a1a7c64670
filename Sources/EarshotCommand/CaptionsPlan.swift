internal import EarshotCaptions
internal import EarshotClient

/// The second stage of `captions`: what was typed, as what is to be done.
struct CaptionsPlan {
  /// What the captions follow.
  enum Source: Sendable, Hashable {
    /// A time and speed that the person gave.
    case hand(at: Double, speed: Double)
    /// What is heard; listened again at this interval, in seconds.
    case heard(checkInterval: Double)
  }

  let file: [UInt8]?
  let catalogs: [[UInt8]]
  let item: String?
  let source: Source
  let language: String?
  let options: CaptionOptions
  let wantsJSON: Bool
  let isLarge: Bool
  /// Whether descriptions of what is seen are shown.
  let showsDescriptions: Bool
  let socket: String?

  /// Reads what was typed; what contradicts itself is an error.
  init(_ typed: TypedArguments, language: Language) throws(CommandError) {
    guard typed.operands.count <= 1 else {
      throw .usage(.extraOperand(command: "captions", typed: typed.operands[1]))
    }
    file = typed.operands.first
    catalogs = typed.values("catalog")
    item = typed.text("item")
    if typed.has("speed"), !typed.has("at") {
      throw .usage(.needs(option: "--speed", other: "--at"))
    }
    if typed.has("at"), typed.has("check") { throw .usage(.conflict("--at", "--check")) }
    if let time = typed.time("at") {
      source = .hand(at: time, speed: typed.number("speed") ?? 1)
      if file == nil, item == nil { throw .usage(.needs(option: "--at", other: "FILE or --item")) }
    } else {
      source = .heard(checkInterval: typed.number("check") ?? 60)
    }
    self.language = typed.text("language")
    options = CaptionsPlan.options(typed)
    wantsJSON = typed.has("json")
    isLarge = typed.has("large")
    showsDescriptions = typed.has("descriptions")
    socket = typed.text("socket")
  }

  /// How files are to be read.
  static func options(_ typed: TypedArguments) -> CaptionOptions {
    CaptionOptions(
      encoding: typed.text("encoding"), appliesTimestampMap: typed.has("timestamp-map"))
  }
}
