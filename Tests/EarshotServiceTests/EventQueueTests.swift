import EarshotClient
import Synchronization
import Testing

@testable import EarshotService

@Suite("Event queue")
struct EventQueueTests {
  private func drain(_ queue: EventQueue, limit: Int = 1 << 20) -> String {
    var all: [UInt8] = []
    while case .bytes(let bytes) = queue.take(limit: limit, sleep: { {} }) { all += bytes }
    return String(decoding: all, as: UTF8.self)
  }

  private let level = ListenEvent.level(seconds: 1, peakDecibels: -20, secondsLeft: 3)

  @Test("writes the name and flat JSON, whatever the size of the pieces", arguments: [1, 3, 4096])
  func wire(limit: Int) {
    let queue = EventQueue()
    queue.push(ListenEvent.prompt(id: "x"))
    queue.push(ListenEvent.result(ListenResult(outcome: .noMatch, heard: 2.5)))
    let text = drain(queue, limit: limit)
    #expect(text.hasPrefix("event: prompt\ndata: {\"id\":\"x\"}\n\nevent: result\ndata: {"))
    #expect(text.contains("\"outcome\":\"no-match\""))
    #expect(!text.contains("_0"))
  }

  @Test("W6: holds its limit, drops levels first and ends a client that is too slow")
  func full() {
    let queue = EventQueue()
    for _ in 0..<ServiceLimits.queuedEvents { #expect(queue.push(level, mayBeDropped: true)) }
    // One past the limit: the oldest level goes for what must come.
    #expect(queue.push(ListenEvent.prompt(id: "kept")))
    #expect(!queue.isEnded)
    #expect(drain(queue).contains("kept"))
    for index in 0..<ServiceLimits.queuedEvents {
      #expect(queue.push(ListenEvent.prompt(id: "\(index)")))
    }
    // A level has nowhere to go and is dropped; what must come ends the stream.
    #expect(queue.push(level, mayBeDropped: true))
    #expect(!queue.isEnded)
    #expect(!queue.push(ListenEvent.prompt(id: "one too many")))
    #expect(queue.isBroken)
    #expect(queue.take(limit: 10, sleep: { {} }) == .ended)
  }

  @Test("what was begun is finished before anything is dropped")
  func begun() {
    let queue = EventQueue()
    queue.push(level, mayBeDropped: true)
    guard case .bytes(let first) = queue.take(limit: 5, sleep: { {} }) else { return }
    for index in 0..<ServiceLimits.queuedEvents { queue.push(ListenEvent.prompt(id: "\(index)")) }
    #expect(
      queue.isBroken
        || (String(decoding: first, as: UTF8.self) + drain(queue)).hasPrefix("event: level\n"))
  }

  @Test("wakes a sleeping reader once, for an event and for the end")
  func wakes() {
    let wakes = Mutex(0)
    let queue = EventQueue()
    let sleep: () -> (@Sendable () -> Void) = { { wakes.withLock { $0 += 1 } } }
    #expect(queue.take(limit: 10, sleep: sleep) == .nothingYet)
    queue.push(ListenEvent.prompt(id: "x"))
    queue.push(ListenEvent.prompt(id: "y"))
    #expect(wakes.withLock { $0 } == 1)
    _ = drain(queue)
    #expect(queue.take(limit: 10, sleep: sleep) == .nothingYet)
    queue.end()
    #expect(wakes.withLock { $0 } == 2)
    #expect(queue.take(limit: 10, sleep: sleep) == .ended)
    #expect(!queue.push(ListenEvent.prompt(id: "z")))
  }
}
