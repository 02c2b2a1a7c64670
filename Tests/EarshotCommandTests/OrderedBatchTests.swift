import Foundation
import Synchronization
import Testing

@testable import EarshotCommand

@Suite("Batches on several processors")
struct OrderedBatchTests {
  @Test("results come in the order of the things, whatever order they are ready in")
  func order() {
    var seen: [Int] = []
    OrderedBatch.run(count: 200, threads: 4) { index in
      if index % 7 == 0 { usleep(2000) }
      return index * 2
    } deliver: { index, result in
      #expect(result == index * 2)
      seen.append(index)
      return true
    }
    #expect(seen == Array(0..<200))
  }

  @Test("no thing, one thing, and fewer things than threads", arguments: [0, 1, 3])
  func few(count: Int) {
    var seen = 0
    OrderedBatch.run(count: count, threads: 8) {
      $0
    } deliver: { _, _ in
      seen += 1
      return true
    }
    #expect(seen == count)
  }

  @Test("stops when nobody wants more")
  func stops() {
    let begun = Atomic<Int>(0)
    OrderedBatch.run(count: 100_000, threads: 3) { _ in
      begun.add(1, ordering: .relaxed)
    } deliver: { index, _ in
      index < 4
    }
    #expect(begun.load(ordering: .relaxed) < 100_000)
  }

  @Test("W6: at most the window's results wait for a slow first one")
  func window() {
    let begun = Atomic<Int>(0)
    let mayEnd = DispatchSemaphore(value: 0)
    OrderedBatch.run(count: 5 * OrderedBatch.window, threads: 2) { index in
      begun.add(1, ordering: .relaxed)
      if index == 0 { mayEnd.wait() }
      if index == OrderedBatch.window - 1 {
        // One past the window would begin now; it must wait for the first result.
        usleep(50_000)
        #expect(begun.load(ordering: .relaxed) <= OrderedBatch.window)
        mayEnd.signal()
      }
      return index
    } deliver: { _, _ in
      true
    }
    #expect(begun.load(ordering: .relaxed) == 5 * OrderedBatch.window)
  }
}
