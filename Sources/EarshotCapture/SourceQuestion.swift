internal import Glibc

/// Makes sure that a name leads to a microphone, before it is opened and while it is open (rule L6).
///
/// Where a sound server chooses the source, the server is asked what it would choose: with no
/// microphone plugged in that is what the loudspeaker plays. Once the stream exists the server is
/// asked again which source it is on, and while sound flows it tells when that changes. A kernel device
/// needs no question. What no question reaches: a mixer that is set to record the playback ('Stereo
/// Mix'), a loopback card, and plugins of other servers.
@safe struct SourceQuestion: ~Copyable {
  private var connection: PulseConnection
  private let source: PulseSource
  private var saysAsleep = false

  /// Milliseconds for one question while sound flows: as many as a call for sound may take, because
  /// a server that is late with one is late with the other, and neither means that it is gone.
  private static let questionMilliseconds: UInt64 = 1000
  /// Milliseconds for asking why a stream broke.
  private static let causeMilliseconds: UInt64 = 250
  /// What clients write for the server's own choice.
  private static let ownChoice = "@DEFAULT_SOURCE@"

  private init(connection: consuming PulseConnection, source: PulseSource) {
    self.connection = connection
    self.source = source
  }

  /// Asks about `definition`; `nil` where there is nobody to ask and nothing to doubt.
  static func ask(
    about definition: SourceDefinition, deadlineNanoseconds: UInt64
  ) throws(CaptureError) -> SourceQuestion? {
    let address: PulseAddress
    let named: String?
    switch definition {
    case .pulse(let server, let device):
      address = PulseAddress(server: server)
      named = device == ownChoice ? nil : device
      if address.paths.isEmpty {
        // A server on another machine isn't asked: only a source that the name itself gives is taken.
        guard named != nil else { throw CaptureError.unverifiable }
        return nil
      }
    case .pipeWire(let node):
      // PipeWire links a capture stream to a loudspeaker only where the node is named.
      guard node == nil else { return nil }
      address = PulseAddress(server: nil)
      named = nil
      guard address.paths.contains(where: { unsafe access($0, F_OK) == 0 }) else { return nil }
    case .hardware, .other, .unknown: return nil
    }
    var connection = try PulseConnection.open(
      paths: address.paths, deadlineNanoseconds: deadlineNanoseconds)
    var name = named
    if name == nil { name = try connection.defaultSource() }
    guard let name, let source = try connection.source(named: name) else {
      throw CaptureError.missing(code: ENODEV)
    }
    if named == nil && source.isMonitor { throw CaptureError.onlyAMonitor }
    return SourceQuestion(connection: connection, source: source)
  }

  /// The rate and the channels that the source has by itself.
  var wish: PCMWish {
    PCMWish(rate: source.rate, channels: source.channels, mayResample: true)
  }

  /// Holds this process's stream against the source that was asked about, and asks to be told of
  /// changes. Called when the stream exists and before it is started.
  mutating func confirm() throws(CaptureError) {
    try connection.subscribeToCapture()
    try check()
    // Before it is started the stream keeps nothing awake.
    saysAsleep = false
  }

  /// Whether the server has last said of the source that it is suspended.
  var isAsleep: Bool { saysAsleep }

  /// What to poll while sound flows.
  var pollDescriptor: Int32 { connection.pollDescriptor }

  /// To be called when the server has told something.
  mutating func hear() throws(CaptureError) {
    let limit = Self.questionMilliseconds * 1_000_000
    connection.extend(toNanoseconds: MonotonicClock.nanoseconds() + limit)
    try check()
  }

  private mutating func check() throws(CaptureError) {
    let indexes = try connection.sourceIndexes(ofProcess: getpid())
    let now = try connection.source(named: source.name)
    if indexes.contains(source.index) {
      saysAsleep = now?.isSuspended ?? false
      return
    }
    if now == nil { throw CaptureError.unplugged }
    // Without any stream it was ended by the server; with one it is on another source.
    throw indexes.isEmpty ? CaptureError.streamEnded : CaptureError.moved
  }

  /// Why a stream broke, by the server's own word; called when it is closed.
  mutating func causeOfEnd() -> CaptureError {
    do throws(CaptureError) {
      let limit = Self.causeMilliseconds * 1_000_000
      connection.extend(toNanoseconds: MonotonicClock.nanoseconds() + limit)
      // A server that answers is not gone: then its source is, or it took the stream away.
      return try connection.source(named: source.name) == nil ? .unplugged : .streamEnded
    } catch {
      return error
    }
  }
}
