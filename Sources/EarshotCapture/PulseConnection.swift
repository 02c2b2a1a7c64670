internal import CALSA
internal import Glibc

/// A source as a PulseAudio server describes it.
struct PulseSource: Sendable, Hashable {
  let index: UInt32
  let name: String
  let description: String
  let channels: Int
  /// In hertz.
  let rate: Int
  /// Whether it carries what a loudspeaker plays.
  let isMonitor: Bool
  /// Whether the server has put it to sleep: a stream on it stays, and gets no sound.
  let isSuspended: Bool
}

/// A connection to a PulseAudio server that asks questions and opens no stream.
///
/// ALSA can't say which source a stream is on, and the server can. It speaks version 15 of the native
/// protocol, the first that tells a source's state and one that every server since then answers in,
/// PipeWire's among them. Every wait ends at the
/// deadline that the connection was made with, or at a later one set by `extend`.
@safe struct PulseConnection: ~Copyable {
  private let descriptor: Int32
  private var deadlineNanoseconds: UInt64
  private var lastTag: UInt32 = 0

  private static let version: UInt32 = 15
  private static let noIndex = UInt32.max
  /// No answer to these questions is longer.
  private static let answerByteCountLimit = 4 << 20

  private enum Command: UInt32 {
    case error = 0
    case reply = 2
    case authenticate = 8
    case setClientName = 9
    case serverInfo = 20
    case sourceInfo = 23
    case sourceInfoList = 24
    case sourceOutputInfoList = 32
    case subscribe = 35
  }

  /// Connects to the first of `paths` that listens, and introduces itself.
  static func open(
    paths: [String], deadlineNanoseconds: UInt64
  ) throws(CaptureError) -> PulseConnection {
    var code = ENOENT
    for path in paths {
      let descriptor = connect(to: path)
      guard descriptor >= 0 else {
        code = -descriptor
        continue
      }
      var connection = PulseConnection(
        descriptor: descriptor, deadlineNanoseconds: deadlineNanoseconds)
      try connection.introduce()
      return connection
    }
    throw CaptureError.serverDown(code: code)
  }

  private init(descriptor: Int32, deadlineNanoseconds: UInt64) {
    self.descriptor = descriptor
    self.deadlineNanoseconds = deadlineNanoseconds
  }

  private mutating func introduce() throws(CaptureError) {
    var hello = PulseTagWriter()
    hello.put(Self.version)
    hello.put(arbitrary: PulseAddress.cookie())
    _ = try ask(.authenticate, hello, withCredentials: true)
    var name = PulseTagWriter()
    name.put(properties: [("application.name", "Earshot")])
    _ = try ask(.setClientName, name)
  }

  deinit { Glibc.close(descriptor) }

  /// Sets a new deadline for the questions that follow.
  mutating func extend(toNanoseconds deadline: UInt64) { deadlineNanoseconds = deadline }

  /// The name of the source that the server chooses by itself; `nil` where there is none.
  mutating func defaultSource() throws(CaptureError) -> String? {
    var answer = try ask(.serverInfo, PulseTagWriter())
    guard answer.skip(6), let name = answer.string() else { throw Self.garbled }
    return name.isEmpty ? nil : name
  }

  /// The source of that name; `nil` where there is none.
  mutating func source(named name: String) throws(CaptureError) -> PulseSource? {
    var question = PulseTagWriter()
    question.put(Self.noIndex)
    question.put(name)
    do throws(CaptureError) {
      var answer = try ask(.sourceInfo, question)
      guard let source = Self.source(from: &answer) else { throw Self.garbled }
      return source
    } catch {
      if case .missing = error { return nil }
      throw error
    }
  }

  /// All sources.
  mutating func sources() throws(CaptureError) -> [PulseSource] {
    var answer = try ask(.sourceInfoList, PulseTagWriter())
    var found: [PulseSource] = []
    while !answer.isAtEnd {
      guard let source = Self.source(from: &answer) else { throw Self.garbled }
      found.append(source)
    }
    return found
  }

  /// The indexes of the sources that capture streams of `process` are on.
  mutating func sourceIndexes(ofProcess process: Int32) throws(CaptureError) -> [UInt32] {
    var answer = try ask(.sourceOutputInfoList, PulseTagWriter())
    var found: [UInt32] = []
    while !answer.isAtEnd {
      guard answer.skip(4), let source = answer.number(), answer.skip(6),
        case .properties(let properties) = answer.next()
      else { throw Self.garbled }
      if properties["application.process.id"] == String(process) { found.append(source) }
    }
    return found
  }

  /// Asks to be told when a capture stream is added, moved or removed, and when a source changes.
  mutating func subscribeToCapture() throws(CaptureError) {
    var question = PulseTagWriter()
    question.put(Self.sourceFacility | Self.sourceOutputFacility)
    _ = try ask(.subscribe, question)
  }

  /// What to poll: readable when the server tells something, or is gone.
  var pollDescriptor: Int32 { descriptor }

  private static let sourceFacility: UInt32 = 0x0002
  private static let sourceOutputFacility: UInt32 = 0x0008
  /// A source's state: 0 runs, 1 has no stream, 2 is suspended.
  private static let suspendedState: UInt32 = 2
  private static let garbled = CaptureError.failed(step: .resolve, code: EPROTO)

  private static func source(from answer: inout PulseTagReader) -> PulseSource? {
    guard let index = answer.number(), let name = answer.string(),
      let description = answer.string(),
      case .sampleSpecification(_, let channels, let rate) = answer.next(),
      answer.skip(4), let monitored = answer.number(),
      // Then the monitored sink's name to the base volume, and behind the state steps and card.
      answer.skip(7), let state = answer.number(), answer.skip(2)
    else { return nil }
    return PulseSource(
      index: index, name: name, description: description, channels: Int(channels), rate: Int(rate),
      isMonitor: monitored != noIndex, isSuspended: state == suspendedState)
  }

  private mutating func ask(
    _ command: Command, _ question: PulseTagWriter, withCredentials: Bool = false
  ) throws(CaptureError) -> PulseTagReader {
    lastTag += 1
    var head = PulseTagWriter()
    head.put(command.rawValue)
    head.put(lastTag)
    let content = head.bytes + question.bytes
    var frame: [UInt8] = []
    for word in [UInt32(content.count), Self.noIndex, 0, 0, 0] as [UInt32] {
      unsafe withUnsafeBytes(of: word.bigEndian) { unsafe frame.append(contentsOf: $0) }
    }
    try send(frame + content, withCredentials: withCredentials)
    while true {
      var answer = PulseTagReader(try receive())
      guard let kind = answer.number(), let tag = answer.number() else { throw Self.garbled }
      guard tag == lastTag else { continue }
      if kind == Command.reply.rawValue { return answer }
      guard kind == Command.error.rawValue, let code = answer.number() else { throw Self.garbled }
      // The server's own numbers: 1 access denied, 3 a name that can't be one, 5 no such entity.
      switch code {
      case 1: throw CaptureError.noPermission
      case 3, 5: throw CaptureError.missing(code: ENODEV)
      default: throw CaptureError.failed(step: .resolve, code: EPROTO)
      }
    }
  }

  private func receive() throws(CaptureError) -> [UInt8] {
    let head = try receive(byteCount: 20)
    let count = head.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    guard count <= Self.answerByteCountLimit else { throw Self.garbled }
    return try receive(byteCount: count)
  }

  private func receive(byteCount: Int) throws(CaptureError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    var done = 0
    while done < byteCount {
      try wait(for: POLLIN)
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe recv(descriptor, buffer.baseAddress.map { unsafe $0 + done }, byteCount - done, 0)
      }
      if count == 0 { throw CaptureError.serverGone(code: ECONNRESET) }
      if count < 0 {
        if errno == EAGAIN || errno == EINTR { continue }
        throw CaptureError.serverGone(code: errno)
      }
      done += count
    }
    return bytes
  }

  private func send(_ bytes: [UInt8], withCredentials: Bool) throws(CaptureError) {
    var done = 0
    while done < bytes.count {
      try wait(for: POLLOUT)
      let count = Self.sendPart(bytes[done...], to: descriptor, withCredentials: withCredentials)
      if count < 0 {
        if errno == EAGAIN || errno == EINTR { continue }
        throw CaptureError.serverGone(code: errno)
      }
      done += count
    }
  }

  /// Sends with the kernel's word of who sends, which lets the server's own user in without a key.
  private static func sendPart(
    _ bytes: ArraySlice<UInt8>, to descriptor: Int32, withCredentials: Bool
  ) -> Int {
    // A control message: its length, SOL_SOCKET, SCM_CREDENTIALS (2), then pid, uid and gid.
    var control: [8 of UInt32] = [
      28, 0, UInt32(bitPattern: SOL_SOCKET), 2, UInt32(bitPattern: getpid()), geteuid(), getegid(),
      0,
    ]
    return unsafe bytes.withUnsafeBytes { buffer in
      var part = unsafe iovec(
        iov_base: UnsafeMutableRawPointer(mutating: buffer.baseAddress), iov_len: buffer.count)
      return unsafe withUnsafeMutablePointer(to: &part) { parts in
        unsafe withUnsafeMutableBytes(of: &control) { credentials in
          var message = unsafe msghdr()
          unsafe message.msg_iov = parts
          unsafe message.msg_iovlen = 1
          if withCredentials {
            unsafe message.msg_control = credentials.baseAddress
            unsafe message.msg_controllen = 32
          }
          return unsafe sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
        }
      }
    }
  }

  private func wait(for events: Int32) throws(CaptureError) {
    while true {
      let now = MonotonicClock.nanoseconds()
      guard now < deadlineNanoseconds else {
        throw CaptureError.serverNotAnswering(step: .resolve)
      }
      var waited = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      let milliseconds = Int32(clamping: (deadlineNanoseconds - now) / 1_000_000 + 1)
      if unsafe poll(&waited, 1, milliseconds) > 0 { return }
    }
  }

  /// A connected, non-blocking descriptor, or a negative errno.
  private static func connect(to path: String) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
      guard bytes.count < field.count else { return false }
      unsafe field.copyBytes(from: bytes)
      return true
    }
    guard fits else { return -ENAMETOOLONG }
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let made = socket(AF_UNIX, kind, 0)
    guard made >= 0 else { return -errno }
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe Glibc.connect(made, generic, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else {
      let code = errno
      Glibc.close(made)
      return -code
    }
    return made
  }
}
