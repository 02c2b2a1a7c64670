import EarshotConsent
import Glibc
import Synchronization
import TestSupport

/// A clock that stands still until it is moved.
final class TestClock: Sendable {
  private struct State {
    var now: Moment
    var count = 0
  }

  private let state: Mutex<State>

  init(
    utcMilliseconds: Int64 = 1_700_000_000_000, seconds: UInt64 = 5000, boot: String = "boot-a"
  ) {
    state = Mutex(
      State(
        now: Moment(
          utcMilliseconds: utcMilliseconds, monotonicNanoseconds: seconds * 1_000_000_000,
          boot: boot)))
  }

  var now: Moment { state.withLock { $0.now } }

  func advance(milliseconds: Int) {
    state.withLock {
      $0.now.utcMilliseconds += Int64(milliseconds)
      $0.now.monotonicNanoseconds += UInt64(milliseconds) * 1_000_000
    }
  }

  func advance(seconds: Int) { advance(milliseconds: seconds * 1000) }

  /// Sets the wall clock alone.
  func setBack(seconds: Int) { state.withLock { $0.now.utcMilliseconds -= Int64(seconds) * 1000 } }

  func restartMachine(boot: String, seconds: UInt64) {
    state.withLock {
      $0.now.boot = boot
      $0.now.monotonicNanoseconds = seconds * 1_000_000_000
    }
  }

  var clock: LedgerClock {
    LedgerClock(
      now: { self.now },
      makeIdentifier: {
        self.state.withLock {
          $0.count += 1
          return "id-\($0.now.boot)-\($0.now.monotonicNanoseconds)-\($0.count)"
        }
      })
  }
}

/// The questions and answers that tests share.
enum Sample {
  static let controller = Controller(name: "A Museum", contact: "desk@museum.example")

  static let requester = Requester(
    person: .user(1000), identification: .executable, name: "/usr/bin/earshot",
    executable: "/usr/bin/earshot", executableSHA256: String(repeating: "a", count: 64))

  static var purpose: Purpose {
    PurposeList.shipped.purpose("identify")
      ?? Purpose(code: "missing", version: 0, use: .identify, sentences: [:])
  }

  static var save: Purpose {
    PurposeList.shipped.purpose("save")
      ?? Purpose(code: "missing", version: 0, use: .save, sentences: [:])
  }

  static func question(limitMilliseconds: Int = 12_000, session: String? = nil) -> ConsentQuestion {
    .microphone(
      requester: requester, purpose: purpose, language: .english, source: "default",
      goal: .identify, limitMilliseconds: limitMilliseconds, session: session)
  }

  static func library(session: String? = nil) -> ConsentQuestion {
    .library(requester: requester, purpose: save, language: .english, session: session)
  }

  static func decision(_ choice: ConsentDecision.Choice) -> ConsentDecision {
    ConsentDecision(choice: choice, means: .prompt, agent: "terminal", answeredBy: .user(1000))
  }

  static func facts(milliseconds: Int?, reason: String = "decided") -> UseFacts {
    UseFacts(milliseconds: milliseconds, samples: 16, reason: reason, outcome: "match")
  }

  static let worker = ProcessIdentity(process: getpid(), startTime: 77)
}

extension Ledger {
  /// Answers a question and gives the record.
  @discardableResult
  func answer(_ choice: ConsentDecision.Choice, _ question: ConsentQuestion) throws(LedgerError)
    -> ConsentRecord
  {
    try record(Sample.decision(choice), for: question, shown: Prompt(for: question))
  }

  /// Opens a use of this process, for as long as the question's limit and a second.
  func open(_ consent: String, _ question: ConsentQuestion, at now: Moment) throws(LedgerError)
    -> UseOpening
  {
    let limit = UInt64(question.limitMilliseconds) * 1_000_000
    return try openUse(
      of: consent, for: question, by: Sample.worker,
      deadlineNanoseconds: now.monotonicNanoseconds + limit + 1_000_000_000)
  }
}

extension TemporaryFolder {
  func ledger(_ clock: TestClock, policy: Ledger.Policy = Ledger.Policy()) throws(LedgerError)
    -> Ledger
  {
    try Ledger(
      folder: path, controller: Sample.controller, policy: policy, clock: clock.clock)
  }
}
