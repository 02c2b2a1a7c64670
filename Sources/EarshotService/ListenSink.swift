internal import EarshotClient

/// Where a listening's events and its answer go: an event stream, or one JSON object at the end; or
/// the captions that listen by themselves.
final class ListenSink: Sendable {
  private let exchange: Exchange?
  private let queue: EventQueue?
  private let forward: (@Sendable (ListenEvent) -> Void)?

  init(
    exchange: Exchange, wantsEvents: Bool,
    alsoTo forward: (@Sendable (ListenEvent) -> Void)? = nil
  ) {
    self.exchange = exchange
    self.forward = forward
    queue = wantsEvents ? EventQueue() : nil
    if let queue { exchange.answer(.events(queue)) }
  }

  /// A sink that hands every event on, the result included.
  init(forward: @escaping @Sendable (ListenEvent) -> Void) {
    exchange = nil
    queue = nil
    self.forward = forward
  }

  /// Whether events are shown while they happen.
  var isStream: Bool { queue != nil || forward != nil }

  func send(_ event: ListenEvent) {
    forward?(event)
    var mayBeDropped = false
    if case .level = event { mayBeDropped = true }
    queue?.push(event, mayBeDropped: mayBeDropped)
  }

  /// Delivers the answer: at once on a stream; as JSON only with ``end(_:)``, because `saved` is a
  /// part of it.
  func deliver(_ result: ListenResult) { send(.result(result)) }

  /// Ends the stream, or answers with the result.
  func end(_ result: ListenResult) {
    if let queue {
      queue.end()
    } else {
      exchange?.answer(.json(result))
    }
  }
}
