import EarshotClient
import Foundation
import Synchronization

/// An agent on a thread of its own, which does with each prompt what it is told.
final class TestAgent: Sendable {
  private let cancellation = Cancellation()
  private let seen = Mutex<[PromptEvent]>([])

  init(_ client: DaemonClient, answer: @escaping @Sendable (PromptMessage) -> String?) {
    let cancellation = cancellation
    Thread.detachNewThread { [self] in
      try? client.prompts(cancellation: cancellation) { event in
        seen.withLock { $0.append(event) }
        if case .shown(let prompt) = event, let choice = answer(prompt) {
          _ = try? client.answer(choice, to: prompt.id)
        }
        return true
      }
    }
    _ = eventually { self.seen.withLock { !$0.isEmpty } }
  }

  deinit { cancellation.cancel() }

  func leave() { cancellation.cancel() }

  var prompts: [PromptMessage] {
    seen.withLock {
      $0.compactMap { if case .shown(let prompt) = $0 { prompt } else { nil } }
    }
  }

  var gone: [String] {
    seen.withLock {
      $0.compactMap { if case .gone(_, let reason) = $0 { reason } else { nil } }
    }
  }
}
