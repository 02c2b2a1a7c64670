internal import Foundation

/// Talks to a running daemon over its Unix socket.
///
/// Every call blocks the calling thread until its answer, its deadline or its cancellation; calls
/// may run on several threads at once, each on a connection of its own. Ending an event stream or
/// a listening closes its connection, which the daemon takes as the requester's going away.
public struct DaemonClient: Sendable {
  /// The longest path that a Unix socket's address holds, in bytes.
  public static let socketPathLimit = 107
  /// The largest answer that is read, in bytes.
  public static let answerLimit = 64 << 20
  /// How long an event stream may be silent, in seconds; the daemon sends a comment every 5 s.
  public static let streamQuietSeconds = 20.0

  /// The socket's path.
  public let socket: String
  /// The longest wait for an answer, in seconds.
  public var timeoutSeconds: Double

  /// Makes a client; nothing is connected yet.
  ///
  /// - Throws: ``ClientError/socketPathTooLong(length:limit:)``.
  public init(socket: String, timeoutSeconds: Double = 10) throws(ClientError) {
    guard socket.utf8.count <= Self.socketPathLimit else {
      throw .socketPathTooLong(length: socket.utf8.count, limit: Self.socketPathLimit)
    }
    self.socket = socket
    self.timeoutSeconds = timeoutSeconds
  }

  /// The sockets where a daemon is looked for, in this order: the person's, the one a daemon
  /// without a usable runtime folder falls back to, and the system's.
  public static func usualSockets(environment: [String: String]) -> [String] {
    let state = environment["XDG_STATE_HOME"] ?? environment["HOME"].map { $0 + "/.local/state" }
    return [
      environment["XDG_RUNTIME_DIR"].map { $0 + "/earshot/socket" },
      state.map { $0 + "/earshot/socket" }, "/run/earshot/socket",
    ].compactMap { $0 }
  }

  /// Reads what `path` answers.
  public func get<Answer: Decodable>(
    _ path: String, as type: Answer.Type = Answer.self, cancellation: Cancellation? = nil
  ) throws(ClientError) -> Answer {
    try decode(exchange("GET", path, body: nil, cancellation: cancellation))
  }

  /// Sends `body` to `path` and reads what it answers.
  public func post<Body: Encodable, Answer: Decodable>(
    _ path: String, _ body: Body, as type: Answer.Type = Answer.self,
    cancellation: Cancellation? = nil
  ) throws(ClientError) -> Answer {
    try decode(exchange("POST", path, body: Self.encode(body), cancellation: cancellation))
  }

  /// Removes what `path` names.
  public func delete<Answer: Decodable>(
    _ path: String, as type: Answer.Type = Answer.self, cancellation: Cancellation? = nil
  ) throws(ClientError) -> Answer {
    try decode(exchange("DELETE", path, body: nil, cancellation: cancellation))
  }

  /// Reads what `path` answers as it stands, whatever its form.
  public func bytes(
    _ path: String, cancellation: Cancellation? = nil
  ) throws(ClientError) -> [UInt8] {
    try exchange("GET", path, body: nil, cancellation: cancellation).body
  }

  /// Follows the events of a `GET` until `take` returns false or the daemon ends the stream.
  ///
  /// `take` runs on the calling thread. Events of a newer daemon that this build does not know
  /// are skipped.
  public func follow<Event: ServerEvent>(
    _ path: String, as type: Event.Type = Event.self, cancellation: Cancellation? = nil,
    take: (Event) -> Bool
  ) throws(ClientError) {
    try stream("GET", path, body: nil, cancellation: cancellation, take: take)
  }

  /// Listens: sends the request and hands on its events until the result, or until `take` returns
  /// false; then the connection is closed, which ends a listening that still runs.
  public func listen(
    _ request: ListenRequest, cancellation: Cancellation? = nil, take: (ListenEvent) -> Bool
  ) throws(ClientError) {
    try stream(
      "POST", "/v1/listen", body: Self.encode(request), cancellation: cancellation, take: take)
  }

  private struct Reply {
    var head: AnswerHead
    var body: [UInt8]
  }

  private static func encode(_ body: some Encodable) throws(ClientError) -> [UInt8] {
    guard let data = try? wireEncoder.encode(body) else { throw .unwritableRequest }
    return Array(data)
  }

  private func decode<Answer: Decodable>(_ reply: Reply) throws(ClientError) -> Answer {
    guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(reply.body)) else {
      throw .unreadableAnswer(status: reply.head.status)
    }
    return answer
  }

  private func exchange(
    _ method: String, _ path: String, body: [UInt8]?, cancellation: Cancellation?
  ) throws(ClientError) -> Reply {
    let transfer = try Transfer(accept: "application/json, application/problem+json, */*;q=0.5")
    try transfer.setUp(socket: socket, method: method, path: path, body: body)
    var answer: [UInt8] = []
    let head = try transfer.run(quietSeconds: timeoutSeconds, cancellation: cancellation) {
      (_, piece) throws(ClientError) in
      answer.append(contentsOf: piece)
      guard answer.count <= Self.answerLimit else { throw .answerTooLarge(limit: Self.answerLimit) }
      return true
    }
    guard (200..<300).contains(head.status) else { throw Self.refusal(head, answer) }
    return Reply(head: head, body: answer)
  }

  private func stream<Event: ServerEvent>(
    _ method: String, _ path: String, body: [UInt8]?, cancellation: Cancellation?,
    take: (Event) -> Bool
  ) throws(ClientError) {
    let transfer = try Transfer(accept: "text/event-stream")
    try transfer.setUp(socket: socket, method: method, path: path, body: body)
    var decoder = ServerSentEventDecoder()
    var refusal: [UInt8] = []
    let head = try transfer.run(
      quietSeconds: Self.streamQuietSeconds, cancellation: cancellation
    ) { (head, piece) throws(ClientError) in
      guard head.status == 200 else {
        refusal.append(contentsOf: piece)
        return refusal.count <= ServerSentEventDecoder.limit
      }
      for event in try decoder.append(piece) {
        if let known = try Event(event), !take(known) { return false }
      }
      return true
    }
    guard head.status == 200 else { throw Self.refusal(head, refusal) }
  }

  private static func refusal(_ head: AnswerHead, _ body: [UInt8]) -> ClientError {
    guard let problem = try? JSONDecoder().decode(ProblemDetails.self, from: Data(body)) else {
      return .unreadableAnswer(status: head.status)
    }
    return .refused(problem)
  }
}
