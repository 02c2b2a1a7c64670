internal import CMicroHTTPD
internal import EarshotClient
internal import Foundation
internal import Glibc
internal import Synchronization

/// HTTP/1.1 on one listening socket: libmicrohttpd, whose thread never waits for a handler.
///
/// A request is handed to `handle` once its body is complete, and its connection sleeps until the
/// ``Exchange`` is answered. libmicrohttpd does not look at sleeping connections, so a
/// ``ClientWatch`` looks at their descriptors and says when a client has gone.
final class HTTPServer: Sendable {
  /// Decides whether a connection is taken at all.
  let admit: @Sendable (Peer) -> Bool
  private let handle: @Sendable (Exchange) -> Void
  /// Begins with a body that is taken while it arrives; nil for one that is collected.
  private let takeSound: @Sendable (Exchange) throws(ProblemDetails) -> SoundIntake?
  /// Who asks over a socket that has no peer credentials; nil where the kernel says it.
  private let peer: Peer?
  /// What goes with every answer.
  private let headers: [(String, String)]
  private let watch: ClientWatch
  private let live = Mutex<[ObjectIdentifier: Exchange]>([:])
  private let isStopping = Atomic<Bool>(false)
  // SAFETY: written once by `start` before any other use, read by `stop`.
  private let daemon = Mutex<Int>(0)

  init(
    watch: ClientWatch, peer: Peer? = nil, headers: [(String, String)] = [],
    admit: @escaping @Sendable (Peer) -> Bool,
    takeSound: @escaping @Sendable (Exchange) throws(ProblemDetails) -> SoundIntake? = { _ in nil },
    handle: @escaping @Sendable (Exchange) -> Void
  ) {
    self.takeSound = takeSound
    self.peer = peer
    self.headers = headers
    self.watch = watch
    self.admit = admit
    self.handle = handle
  }

  /// Serves on `listening`, which belongs to the server from now on.
  ///
  /// - Throws: ``ServiceError/serverNotStarted``.
  func start(listening: Int32) throws(ServiceError) {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    let started = unsafe earshot_http_start(
      listening, UInt32(ServiceLimits.connections), ServiceLimits.connectionMemory,
      UInt32(ServiceLimits.idleSeconds),
      { context, connection, target, method, _, piece, pieceSize, slot in
        guard let context = unsafe context, let connection = unsafe connection,
          let slot = unsafe slot, let pieceSize = unsafe pieceSize
        else { return .NO }
        let server = unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
        return unsafe server.access(connection, target, method, piece, pieceSize, slot)
      },
      { context, _, slot, _ in
        guard let context = unsafe context, let slot = unsafe slot else { return }
        let server = unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
        unsafe server.completed(slot)
      },
      { context, connection, slot, reason in
        guard let context = unsafe context, let connection = unsafe connection,
          let slot = unsafe slot
        else { return }
        let server = unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
        unsafe server.connected(connection, slot, reason)
      }, context)
    guard let started = unsafe started else { throw .serverNotStarted }
    daemon.withLock { $0 = Int(bitPattern: started) }
  }

  /// Stops: no new connection, all streams end, all open requests are told; then the thread ends.
  ///
  /// It returns within about `seconds`. Where a handler has not answered by then, libmicrohttpd
  /// is left running, because stopping it with sleeping connections aborts the process; false.
  func stop(seconds: Double) -> Bool {
    guard let running = unsafe OpaquePointer(bitPattern: daemon.withLock { $0 }) else {
      return true
    }
    isStopping.store(true, ordering: .sequentiallyConsistent)
    // What the listening socket needs is done by its owner; only the accepting ends here.
    unsafe MHD_quiesce_daemon(running)
    let deadline = Clock.monotonicSeconds() + seconds
    while true {
      let open = live.withLock { Array($0.values) }
      guard !open.isEmpty else { break }
      guard Clock.monotonicSeconds() < deadline else { return false }
      for exchange in open {
        if case .events(let queue) = exchange.givenAnswer { queue.end() }
        exchange.intake?.leave()
        if exchange.isHandled { exchange.answer(.problem(.stopping)) }
      }
      usleep(2_000)
      // Connections that wait for their request's rest are not asleep: stopping closes them.
      if open.allSatisfy({ !$0.isHandled }) { break }
    }
    unsafe MHD_stop_daemon(running)
    daemon.withLock { $0 = 0 }
    return true
  }

  /// Keeps every open event stream alive.
  func pushHeartbeats() {
    for exchange in live.withLock({ Array($0.values) }) {
      if case .events(let queue) = exchange.givenAnswer { queue.pushHeartbeat() }
    }
  }

  // MARK: What libmicrohttpd's thread calls

  private final class PeerBox: Sendable {
    let peer: Peer?
    init(peer: Peer?) { self.peer = peer }
  }

  private func connected(
    _ connection: OpaquePointer, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
    _ reason: MHD_ConnectionNotificationCode
  ) {
    // STARTED is 0 and CLOSED is 1; the importer gives the cases no name of their own.
    if reason.rawValue == 0 {
      let descriptor = unsafe earshot_http_descriptor(connection)
      let box = PeerBox(peer: peer ?? Peer(descriptor: descriptor))
      unsafe slot.pointee = Unmanaged.passRetained(box).toOpaque()
    } else if let stored = unsafe slot.pointee {
      unsafe Unmanaged<PeerBox>.fromOpaque(stored).release()
      unsafe slot.pointee = nil
    }
  }

  private func completed(_ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>) {
    guard let stored = unsafe slot.pointee else { return }
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(stored).takeRetainedValue()
    unsafe slot.pointee = nil
    watch.forget(ObjectIdentifier(exchange))
    _ = live.withLock { $0.removeValue(forKey: ObjectIdentifier(exchange)) }
    exchange.finish()
  }

  private func access(
    _ connection: OpaquePointer, _ target: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ piece: UnsafePointer<CChar>?,
    _ pieceSize: UnsafeMutablePointer<Int>,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) -> MHD_Result {
    guard let stored = unsafe slot.pointee else {
      return unsafe begin(connection, target, method, slot)
    }
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(stored).takeUnretainedValue()
    if unsafe pieceSize.pointee > 0, let piece = unsafe piece {
      let bytes = unsafe Array(UnsafeRawBufferPointer(start: piece, count: pieceSize.pointee))
      unsafe pieceSize.pointee = 0
      guard let intake = exchange.intake else {
        exchange.append(bytes)
        return .YES
      }
      // Asleep first: whoever takes the piece may wake it before the next line.
      unsafe MHD_suspend_connection(connection)
      intake.bring(bytes, resume: unsafe Self.waking(connection))
      return .YES
    }
    if let answer = exchange.givenAnswer { return unsafe send(answer, exchange, connection) }
    if exchange.isTooLarge {
      return unsafe refuse(.tooLarge(ServiceLimits.bodyBytes), exchange, connection)
    }
    return unsafe dispatch(exchange, connection)
  }

  private func begin(
    _ connection: OpaquePointer, _ target: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) -> MHD_Result {
    guard let context = unsafe earshot_http_socket_context(connection),
      let peer = unsafe Unmanaged<PeerBox>.fromOpaque(context).takeUnretainedValue().peer,
      let target = unsafe target, let method = unsafe method
    else { return .NO }
    let path = unsafe String(cString: target)
    var request = unsafe HTTPRequest(
      method: String(cString: method), path: HTTPFields.parts(of: path),
      query: HTTPFields.query(of: connection),
      wantsEvents: HTTPFields.wantsEvents(HTTPFields.header("Accept", of: connection)),
      contentType: HTTPFields.header("Content-Type", of: connection),
      contentLength: HTTPFields.header("Content-Length", of: connection).flatMap { Int($0) },
      peer: peer)
    if self.peer != nil {
      request.host = unsafe HTTPFields.header("Host", of: connection)
      request.origin = unsafe HTTPFields.header("Origin", of: connection)
      request.fetchSite = unsafe HTTPFields.header("Sec-Fetch-Site", of: connection)
      request.range = unsafe HTTPFields.header("Range", of: connection)
      request.cookies = unsafe HTTPFields.header("Cookie", of: connection)
    }
    let exchange = Exchange(head: request)
    unsafe slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
    live.withLock { $0[ObjectIdentifier(exchange)] = exchange }
    if !admit(peer) { return unsafe refuse(.stranger, exchange, connection) }
    if path.utf8.count > ServiceLimits.targetBytes {
      return unsafe refuse(.targetTooLong, exchange, connection)
    }
    do throws(ProblemDetails) {
      if let intake = try takeSound(exchange) { exchange.takes(intake) }
    } catch {
      return unsafe refuse(error, exchange, connection)
    }
    let (limit, told) =
      exchange.intake == nil
      ? (ServiceLimits.swallowedBytes, ServiceLimits.bodyBytes)
      : (ServiceLimits.soundBytes, ServiceLimits.soundBytes)
    if let length = request.contentLength, length > limit {
      exchange.intake?.leave()
      return unsafe refuse(.tooLarge(told), exchange, connection)
    }
    return .YES
  }

  private func refuse(
    _ problem: ProblemDetails, _ exchange: Exchange, _ connection: OpaquePointer
  ) -> MHD_Result {
    exchange.answer(.problem(problem))
    return unsafe send(.problem(problem), exchange, connection)
  }

  /// Lets the connection sleep and hands the exchange over.
  private func dispatch(_ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
    if isStopping.load(ordering: .sequentiallyConsistent) {
      return unsafe refuse(.stopping, exchange, connection)
    }
    let resume = unsafe Self.waking(connection)
    // A sleeping connection's descriptor stays its own, so it can be looked at later.
    let descriptor = unsafe earshot_http_descriptor(connection)
    let look: @Sendable () -> Void = { [watch] in
      watch.look(
        at: descriptor, for: ObjectIdentifier(exchange), whenGone: { exchange.clientWentAway() })
    }
    guard exchange.beginHandling(resume: resume, watch: look) else { return .YES }
    unsafe MHD_suspend_connection(connection)
    if let intake = exchange.intake {
      // Its taker has been at work since the first piece, and may be done.
      look()
      intake.complete()
      exchange.wakeIfAnswered()
    } else {
      handle(exchange)
    }
    return .YES
  }

  /// What wakes a connection that sleeps, to be called once.
  private static func waking(_ connection: OpaquePointer) -> @Sendable () -> Void {
    let address = Int(bitPattern: connection)
    // SAFETY: a sleeping connection lives until it is woken, and this wakes it once.
    return {
      if let connection = unsafe OpaquePointer(bitPattern: address) {
        unsafe MHD_resume_connection(connection)
      }
    }
  }

  private func send(
    _ answer: HTTPAnswer, _ exchange: Exchange, _ connection: OpaquePointer
  ) -> MHD_Result {
    switch answer {
    case .bytes(let bytes, let type, let status, let headers):
      let made = unsafe bytes.withUnsafeBytes { body in
        unsafe MHD_create_response_from_buffer(
          body.count, UnsafeMutableRawPointer(mutating: body.baseAddress),
          MHD_ResponseMemoryMode.RESPMEM_MUST_COPY)
      }
      guard let response = unsafe made else { return .NO }
      defer { unsafe MHD_destroy_response(response) }
      unsafe MHD_add_response_header(response, "Content-Type", type)
      unsafe MHD_add_response_header(response, "Cache-Control", "no-store")
      for (name, value) in self.headers {
        unsafe MHD_add_response_header(response, name, value)
      }
      for (name, value) in headers { unsafe MHD_add_response_header(response, name, value) }
      return unsafe MHD_queue_response(connection, UInt32(status), response)
    case .events(let queue):
      return unsafe HTTPStream.send(queue, connection, headers)
    }
  }
}
