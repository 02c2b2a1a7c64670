internal import Foundation

/// Works on many things at once and hands the results on in the order of the things.
///
/// Results that are ready before their turn wait; at most `window` of them do, so that memory stays
/// bounded when one thing takes very long.
enum OrderedBatch {
  /// The most results that wait for their turn.
  static let window = 1024

  /// Works on `count` things with as many threads as there are processors.
  ///
  /// `deliver` is called on the calling thread, in order; when it returns false no further work is
  /// begun, and what is under way is finished and dropped.
  static func run<Result: Sendable>(
    count: Int, threads: Int = ProcessInfo.processInfo.activeProcessorCount,
    work: @escaping @Sendable (Int) -> Result, deliver: (Int, Result) -> Bool
  ) {
    let threadCount = min(max(threads, 1), count)
    guard threadCount > 1 else {
      for index in 0..<count where !deliver(index, work(index)) { return }
      return
    }
    let queue = Queue<Result>(count: count)
    for _ in 0..<threadCount {
      let thread = Thread {
        while let index = queue.next() { queue.finish(index, work(index)) }
        queue.leave()
      }
      thread.stackSize = 4 << 20
      queue.enter()
      thread.start()
    }
    for index in 0..<count where !deliver(index, queue.take(index)) { break }
    queue.stop()
  }

  /// What the threads share; everything under the one condition.
  private final class Queue<Result: Sendable>: @unchecked Sendable {
    // SAFETY: every field is read and written only while `condition` is locked.
    private let condition = NSCondition()
    private let count: Int
    private var begun = 0
    private var delivered = 0
    private var workers = 0
    private var isStopped = false
    private var ready: [Int: Result] = [:]

    init(count: Int) { self.count = count }

    func enter() { condition.withLock { workers += 1 } }

    func leave() {
      condition.withLock {
        workers -= 1
        condition.broadcast()
      }
    }

    /// The next thing to work on; nil when there is none left.
    func next() -> Int? {
      condition.withLock {
        while !isStopped && begun < count && begun - delivered >= window { condition.wait() }
        guard !isStopped, begun < count else { return nil }
        begun += 1
        return begun - 1
      }
    }

    func finish(_ index: Int, _ result: Result) {
      condition.withLock {
        ready[index] = result
        condition.broadcast()
      }
    }

    /// Waits for the result of one thing.
    func take(_ index: Int) -> Result {
      condition.withLock {
        while true {
          if let result = ready.removeValue(forKey: index) {
            delivered = index + 1
            condition.broadcast()
            return result
          }
          condition.wait()
        }
      }
    }

    /// Begins nothing more and waits for what is under way.
    func stop() {
      condition.withLock {
        isStopped = true
        condition.broadcast()
        while workers > 0 { condition.wait() }
      }
    }
  }
}
