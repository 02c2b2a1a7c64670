/// The answers that hold now, built from the records and kept beside them in memory.
///
/// A requester's answers for one capability and purpose are either one denial or any number of
/// allowances: an allowance replaces a denial, and a denial all allowances before it. What is spent,
/// withdrawn or void is gone from here, and stays in the table.
struct LiveConsents: Sendable {
  struct Key: Hashable, Sendable {
    var subject: String
    var capability: Capability
    var purpose: String
  }

  private var answers: [Key: [ConsentRecord]] = [:]
  private var keys: [String: Key] = [:]
  /// The latest wall-clock reading in any consent, so that a clock set back prolongs nothing.
  private(set) var latestUTCMilliseconds: Int64 = 0

  /// Every answer that holds, in no order.
  var all: [ConsentRecord] { answers.values.flatMap { $0 } }

  mutating func note(utcMilliseconds: Int64) {
    latestUTCMilliseconds = max(latestUTCMilliseconds, utcMilliseconds)
  }

  mutating func add(_ record: ConsentRecord) {
    let key = Key(
      subject: record.requester.subject, capability: record.capability,
      purpose: record.purpose.code)
    note(utcMilliseconds: record.event.time.utcMilliseconds)
    let replaced = answers[key, default: []].filter {
      !record.isAllowance || !$0.isAllowance
    }
    for old in replaced { remove(old.id) }
    answers[key, default: []].append(record)
    keys[record.id] = key
  }

  func record(_ id: String) -> ConsentRecord? {
    keys[id].flatMap { answers[$0]?.first { $0.id == id } }
  }

  /// Takes away a consent that a use has spent; one that lasts longer stays.
  mutating func spend(_ id: String) {
    if record(id)?.scope == .once { remove(id) }
  }

  /// Takes away a withdrawn answer, and with it the older ones to the very same question: after
  /// taking one back nobody expects an older yes to come alive again.
  mutating func withdraw(_ id: String) {
    guard let record = record(id), let key = keys[id] else { return }
    let same = answers[key, default: []].filter { $0.answersSameQuestion(as: record) }
    for old in same { remove(old.id) }
  }

  /// Takes away every allowance: records are missing, and a withdrawal may be among them.
  mutating func voidAllowances() {
    for record in all where record.isAllowance { remove(record.id) }
  }

  private mutating func remove(_ id: String) {
    guard let key = keys.removeValue(forKey: id) else { return }
    answers[key]?.removeAll { $0.id == id }
    if answers[key]?.isEmpty == true { answers[key] = nil }
  }

  /// The newest answer that covers a question now; with `only`, the newest but for other
  /// allowances than that one.
  func status(
    of question: ConsentQuestion, only: String? = nil, at now: Moment, keepsAcrossUpdates: Bool
  ) -> ConsentStatus {
    let key = Key(
      subject: question.requester.subject, capability: question.capability,
      purpose: question.purpose.code)
    for record in answers[key, default: []].reversed() {
      guard record.isAllowance else {
        return record.isAboutText(of: question) ? .denied(consent: record.id) : .undetermined
      }
      guard only == nil || record.id == only,
        record.covers(question, keepsAcrossUpdates: keepsAcrossUpdates),
        let scope = record.scope, isLive(record, scope, for: question, at: now)
      else { continue }
      return .allowed(consent: record.id, scope: scope)
    }
    return .undetermined
  }

  /// Whether an answer still holds at all, for some question.
  func holds(_ record: ConsentRecord, at now: Moment) -> Bool {
    switch record.scope {
    case nil, .whileOpen, .untilRevoked: true
    case .whileCaptions: Self.isWithin(Ledger.captionsSecondsMax, of: record, at: now)
    case .until(let instant): max(now.utcMilliseconds, latestUTCMilliseconds) < instant
    case .once: Self.isWithin(Ledger.onceSecondsMax, of: record, at: now)
    }
  }

  /// Whether a record was made less than so many seconds ago, in this run of the machine.
  private static func isWithin(_ seconds: Int, of record: ConsentRecord, at now: Moment) -> Bool {
    let given = record.event.time
    return given.boot == now.boot
      && now.monotonicNanoseconds < given.monotonicNanoseconds &+ UInt64(seconds) * 1_000_000_000
  }

  private func isLive(
    _ record: ConsentRecord, _ scope: ConsentScope, for question: ConsentQuestion, at now: Moment
  ) -> Bool {
    // 'Once' is for the listening that was asked about, and can't be put by for another day.
    guard holds(record, at: now) else { return false }
    switch scope {
    case .whileOpen(let session): return question.session == session && !question.isForCaptions
    case .whileCaptions(let session): return question.session == session && question.isForCaptions
    case .once, .until, .untilRevoked: return true
    }
  }
}
