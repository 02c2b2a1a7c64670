internal import EarshotClient
internal import EarshotConsent
internal import Foundation
internal import Synchronization

/// The deadlines of one use, in seconds.
enum UseDeadlines {
  /// Loading the catalogs and locking the worker in.
  static let prepare = 20.0
  /// From the opening record to the first sound; a sound server that never answers is cut off here.
  static let open = 5.0
  /// Beyond the limit, for the last look at the evidence.
  static let overrun = 3.0
  /// From a cancellation to the closed microphone; then the worker is killed (rules L2, L7).
  static let cancel = 0.06
  /// From the result to the worker's end.
  static let end = 1.0
}

extension Listening {
  /// What is known of one use while its worker runs.
  struct Use {
    var id: String
    /// When the worker has to have done its next step, by the monotonic clock.
    var deadline: Double
    /// When the worker told that the device delivers sound.
    var opened: Double?
    var closed: Closed?
    var result: ListenResult?
    /// Why it is being ended from outside.
    var cancelled: ListeningControl.Reason?
    /// What went wrong with the worker.
    var failure: String?

    /// What the worker told of the closed device.
    struct Closed {
      var milliseconds: Double
      var samples: Int
      var reason: String
      var isMemoryLocked: Bool
    }
  }

  /// Opens, listens, closes and records one use (wall W8).
  ///
  /// - Throws: what ended it before the opening record was written.
  func useMicrophone(
    _ question: ConsentQuestion, consent: String, catalogs: [String]
  ) throws(ListenStop) -> ListenResult {
    var worker = try startWorker()
    try prepare(&worker, question, catalogs)
    try checkCancelled()
    let opening = try openUse(question, consent: consent, worker: worker.process)
    var use = Use(id: opening.id, deadline: Clock.monotonicSeconds() + UseDeadlines.open)
    control.opens(use: opening.id)
    if let reason = control.reason {
      use.cancelled = reason
    } else if worker.send(.listen(use: opening.id)) {
      follow(&worker, &use, question)
    } else {
      use.failure = "worker-lost"
    }
    // From here on the worker has ended, and with it whatever it held: the microphone is closed.
    if use.result == nil || use.closed == nil {
      worker.kill()
    } else {
      _ = worker.finish(deadline: Clock.monotonicSeconds() + UseDeadlines.end)
    }
    return close(use, question)
  }

  private func startWorker() throws(ListenStop) -> WorkerLink {
    do throws(ServiceError) {
      return try daemon.spawner.spawn(role: "listen")
    } catch {
      throw .error(.worker("worker-not-started"))
    }
  }

  private func prepare(
    _ worker: inout WorkerLink, _ question: ConsentQuestion, _ catalogs: [String]
  ) throws(ListenStop) {
    let preparation = WorkerPreparation(
      catalogs: catalogs, goal: request.goal, expected: request.expected,
      limit: seconds(of: question), source: question.source,
      ledger: daemon.ledger.path)
    guard worker.send(.prepare(preparation)) else { throw .error(.worker("worker-lost")) }
    let deadline = Clock.monotonicSeconds() + UseDeadlines.prepare
    while true {
      switch worker.next(deadline: deadline, orReadable: control.wake.reading) {
      case .report(.ready): return
      case .report(.unprepared(let explanation)): throw .error(explanation)
      case .woken:
        control.wake.drain()
        try checkCancelled()
      case .deadline: throw .error(.worker("worker-slow"))
      case .stopped: throw .error(.worker("worker-stopped"))
      case .report, .ended, .unreadable: throw .error(.worker("worker-lost"))
      }
    }
  }

  /// The longest the microphone stays open: what the consent covers, or less where less is asked.
  func seconds(of question: ConsentQuestion) -> Double {
    let limit = Double(question.limitMilliseconds) / 1000
    return min(limit, max(request.patience ?? limit, 0.1))
  }

  private func openUse(
    _ question: ConsentQuestion, consent: String, worker: Int32
  ) throws(ListenStop) -> UseOpening {
    guard let identity = ProcessIdentity.of(worker) else { throw .error(.worker("worker-lost")) }
    let now = LedgerClock.system().now().monotonicNanoseconds
    let limit = seconds(of: question)
    let deadline = limit + UseDeadlines.open + UseDeadlines.overrun
    do throws(LedgerError) {
      return try daemon.ledger.openUse(
        of: consent, for: question, milliseconds: Int((limit * 1000).rounded(.up)), by: identity,
        deadlineNanoseconds: now + UInt64(deadline * 1e9))
    } catch .tooOften(let seconds) {
      throw .denied(.tooOften(seconds))
    } catch .notAllowed(.denied) {
      throw .denied(.denied)
    } catch .notAllowed(.restricted(let reason)) {
      throw .denied(.restricted(reason))
    } catch .notAllowed {
      // Withdrawn, or spent by another listening, between the answer and this moment.
      throw .denied(.cancelled(.revoked))
    } catch {
      throw .error(.ledger(error))
    }
  }

  /// Takes the worker's reports until its result, its end, or a deadline.
  private func follow(_ worker: inout WorkerLink, _ use: inout Use, _ question: ConsentQuestion) {
    while use.result == nil || use.closed == nil {
      switch worker.next(deadline: use.deadline, orReadable: control.wake.reading) {
      case .report(let report): take(report, &use, question)
      case .woken:
        control.wake.drain()
        guard let reason = control.reason, use.cancelled == nil else { continue }
        use.cancelled = reason
        use.deadline = Clock.monotonicSeconds() + UseDeadlines.cancel
        // Where the worker does not even take this, the deadline above ends it.
        _ = worker.send(.cancel(reason: reason.word))
      case .deadline:
        if use.cancelled == nil {
          use.failure = use.opened == nil ? "device-hung" : "worker-overdue"
        }
        return
      case .stopped:
        // What is stopped keeps its microphone and closes it no more: ending it does (rule L2).
        if use.cancelled == nil { use.failure = "worker-stopped" }
        return
      case .ended, .unreadable:
        if use.cancelled == nil { use.failure = "worker-lost" }
        return
      }
      // Once it is cancelled and closed nothing more is waited for: what was heard is dropped.
      if use.cancelled != nil && use.closed != nil { return }
    }
  }

  private func take(_ report: WorkerReport, _ use: inout Use, _ question: ConsentQuestion) {
    let limit = seconds(of: question)
    switch report {
    case .ready, .unprepared, .devices: break
    case .listening:
      use.opened = Clock.monotonicSeconds()
      if use.cancelled == nil {
        use.deadline = Clock.monotonicSeconds() + limit + UseDeadlines.overrun
      }
      daemon.hub.opened(
        use: use.id, requester: requester.name, user: peer.user, limit: limit)
      sink.send(.listening(use: use.id, source: question.source, limit: limit))
    case .level(let seconds, let peak):
      // A terminal that was put to sleep and an agent that went show nothing any more (rule L4).
      if !daemon.administrator.mayListenUnseen && !hasSurface { control.cancel(.unseen) }
      sink.send(
        .level(seconds: seconds, peakDecibels: peak, secondsLeft: max(0, limit - seconds)))
    case .closed(let milliseconds, let samples, let reason, let isMemoryLocked):
      use.closed = Use.Closed(
        milliseconds: milliseconds, samples: samples, reason: reason,
        isMemoryLocked: isMemoryLocked)
      use.deadline = min(use.deadline, Clock.monotonicSeconds() + UseDeadlines.overrun)
    case .result(let result): use.result = result
    }
  }

  /// Writes the closing record and makes the answer; the worker has ended.
  private func close(_ use: Use, _ question: ConsentQuestion) -> ListenResult {
    var result = answer(of: use)
    let sinceOpening = use.opened.map { (Clock.monotonicSeconds() - $0) * 1000 }
    let milliseconds = use.closed?.milliseconds ?? sinceOpening ?? 0
    let reason = use.cancelled?.word ?? use.failure ?? use.closed?.reason ?? "worker-lost"
    daemon.hub.closed(use: use.id, reason: reason)
    sink.send(.closed(milliseconds: milliseconds, reason: reason))
    let facts = UseFacts(
      milliseconds: Int(milliseconds.rounded(.up)), samples: use.closed?.samples, reason: reason,
      outcome: result.outcome.rawValue, isMemoryLocked: use.closed?.isMemoryLocked)
    do throws(LedgerError) {
      try daemon.ledger.closeUse(use.id, facts)
    } catch {
      // The record is tried again while the daemon runs; what was heard is not delivered without.
      daemon.unwrittenClosings.withLock { $0[use.id] = facts }
      daemon.log.ledgerFailed("closing")
      return ListenStop.error(.ledger(error)).result(use: use.id)
    }
    result.use = use.id
    return result
  }

  private func answer(of use: Use) -> ListenResult {
    if let reason = use.cancelled { return ListenStop.cancelled(reason).result() }
    if let failure = use.failure { return ListenStop.error(.worker(failure)).result() }
    guard var result = use.result else {
      return ListenStop.error(.worker("worker-lost")).result()
    }
    // Where a catalog lies is the daemon's own business; it is told by its name.
    for index in result.matches.indices {
      result.matches[index].catalog = result.matches[index].catalog.map {
        CatalogShelf.name(of: $0)
      }
    }
    return result
  }
}
