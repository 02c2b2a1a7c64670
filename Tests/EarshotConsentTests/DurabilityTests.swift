import EarshotConsent
import EarshotStore
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Two processes") struct TwoWriterTests {
  @Test("a second writer is told that the ledger is in use; a reader is let in")
  func second() async throws {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    let ledger = try folder.ledger(clock)
    #expect(throws: LedgerError.inUse) { _ = try folder.ledger(clock) }
    let path = folder.path
    await #expect(processExitsWith: .exitCode(42)) { [path = path as String] in
      do throws(LedgerError) {
        _ = try Ledger(folder: path, controller: Sample.controller)
      } catch {
        exit(error == .inUse ? 42 : 43)
      }
      exit(44)
    }
    #expect(try LedgerReader(folder: folder.path).consents().isEmpty)
    try ledger.answer(.deny, Sample.question())
    #expect(try LedgerReader(folder: folder.path).consents().count == 1)
  }

  @Test("a ledger that was let go is free, also while another process is being started")
  func letGo() throws {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    var ledger: Ledger? = try folder.ledger(clock)
    let child = try ChildBeingStarted()
    #expect(try #require(ledger).verify().fault == nil)
    ledger = nil
    ledger = try folder.ledger(clock)
    #expect(throws: LedgerError.inUse) { _ = try folder.ledger(clock) }
    withExtendedLifetime(child) {}
  }

  @Test("a worker reads while the daemon writes, without a failure on either side")
  func reading() async throws {
    let folder = try TemporaryFolder()
    let ledger = try Ledger(folder: folder.path, controller: Sample.controller)
    let path = folder.path
    async let reads = #expect(processExitsWith: .exitCode(0)) { [path = path as String] in
      var last: Int64 = -1
      do throws(LedgerError) {
        let reader = try LedgerReader(folder: path)
        for _ in 0..<300 {
          let found = try reader.verify()
          // The head file is read before the records, so it can only be behind them.
          guard found.fault == nil, found.goodRecords >= last else { exit(2) }
          last = found.goodRecords
        }
      } catch {
        exit(1)
      }
      exit(0)
    }
    for _ in 0..<100 {
      try ledger.answer(.allow(.untilRevoked), Sample.question())
      try await Task.sleep(for: .milliseconds(2))
    }
    _ = await reads
    #expect(try ledger.verify().goodRecords == 100)
  }
}

@Suite("Kill -9") struct KillTests {
  /// How often a writer is killed; a soak sets `EARSHOT_KILLS` to more.
  static let kills = ProcessInfo.processInfo.environment["EARSHOT_KILLS"].flatMap(Int.init) ?? 12

  @Test("R4: a writer killed at any moment loses no acknowledged record", .timeLimit(.minutes(240)))
  func kill() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    var total = 0
    for round in 0..<Self.kills {
      let delay = Int.random(in: 100...20_000) * 2 + round % 2
      let acknowledged = path + "/acknowledged-\(round)"
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, acknowledged = acknowledged as String, delay = delay as Int] in
        writeUntilKilled(path, acknowledged: acknowledged, microseconds: delay)
      }
      let ids = ((try? String(contentsOfFile: acknowledged, encoding: .utf8)) ?? "")
        .split(separator: "\n").map(String.init)
      let ledger = try Ledger(folder: path, controller: Sample.controller)
      let verification = try ledger.verify()
      #expect(verification.fault == nil, "round \(round), delay \(delay)")
      var found = Set<String>()
      var before: Int64?
      repeat {
        let page = try ledger.consents(LedgerPage(limit: 500, before: before))
        found.formUnion(page.map(\.record.id))
        before = page.last?.sequence
      } while before != nil
      before = nil
      repeat {
        let page = try ledger.uses(LedgerPage(limit: 500, before: before))
        for use in page { #expect(use.closing != nil) }
        found.formUnion(page.map(\.opening.id))
        before = page.last?.sequence
      } while before != nil
      total += ids.count
      #expect(found.isSuperset(of: ids), "round \(round), delay \(delay)")
    }
    #expect(total > 0)
  }
}

/// Adds records as fast as it can, notes each once it is acknowledged, and kills itself.
private func writeUntilKilled(_ path: String, acknowledged: String, microseconds: Int) {
  let notes = open(acknowledged, O_WRONLY | O_CREAT | O_APPEND, 0o600)
  func note(_ id: String) {
    let line = Array((id + "\n").utf8)
    _ = write(notes, line, line.count)
  }
  // Half of the writers are killed while they open and repair the ledger, the others while they add.
  func killSoon() {
    Thread.detachNewThread {
      usleep(UInt32(microseconds))
      Glibc.kill(getpid(), SIGKILL)
    }
  }
  let isKilledEarly = microseconds.isMultiple(of: 2)
  if isKilledEarly { killSoon() }
  guard let ledger = try? Ledger(folder: path, controller: Sample.controller) else { exit(3) }
  var hasBegun = isKilledEarly
  let clock = LedgerClock.system()
  while true {
    do throws(LedgerError) {
      let question = Sample.question()
      let consent = try ledger.answer(.allow(.once), question)
      note(consent.id)
      if !hasBegun { killSoon() }
      hasBegun = true
      let opening = try ledger.open(consent.id, question, at: clock.now())
      note(opening.id)
    } catch {
      exit(4)
    }
  }
}

@Suite("A disk that refuses", .enabled(if: SmallFileSystem.isPossible, "mounting needs root"))
struct RefusingDiskTests {
  @Test("R4: on a full disk nothing is acknowledged, and nothing acknowledged is lost")
  func full() throws {
    let disk = try #require(SmallFileSystem(kilobytes: 512))
    let clock = TestClock()
    let question = Sample.question()
    var acknowledged = [String]()
    do {
      let ledger = try Ledger(
        folder: disk.path, controller: Sample.controller, clock: clock.clock)
      acknowledged.append(try ledger.answer(.allow(.untilRevoked), question).id)
      disk.fill()
      var refusals = 0
      for _ in 0..<20 {
        do throws(LedgerError) {
          acknowledged.append(try ledger.open(acknowledged[0], question, at: clock.now).id)
        } catch {
          refusals += error == .store(.full) ? 1 : 0
        }
        clock.advance(seconds: 700)
      }
      #expect(refusals > 0)
      disk.empty()
      clock.advance(seconds: 700)
      acknowledged.append(try ledger.open(acknowledged[0], question, at: clock.now).id)
      #expect(try ledger.verify().fault == nil)
    }
    let ledger = try Ledger(folder: disk.path, controller: Sample.controller, clock: clock.clock)
    #expect(try ledger.verify().fault == nil)
    #expect(try ledger.uses().map(\.opening.id).reversed() == Array(acknowledged.dropFirst()))
  }

  @Test("R4: a disk that was full from the start makes no ledger, and an emptied one does")
  func fullFromTheStart() throws {
    let disk = try #require(SmallFileSystem(kilobytes: 64))
    let clock = TestClock()
    disk.fill()
    #expect(throws: LedgerError.self) {
      _ = try Ledger(folder: disk.path + "/state", controller: Sample.controller)
    }
    disk.empty()
    let ledger = try Ledger(
      folder: disk.path + "/state", controller: Sample.controller, clock: clock.clock)
    try ledger.answer(.allow(.once), Sample.question())
    #expect(try ledger.verify().fault == nil)
  }

  @Test("R4: a folder that is read-only, for root too, gives no consent and no opening")
  func readOnly() throws {
    let disk = try #require(SmallFileSystem(kilobytes: 512))
    let clock = TestClock()
    let question = Sample.question()
    do {
      let ledger = try Ledger(
        folder: disk.path, controller: Sample.controller, clock: clock.clock)
      try ledger.answer(.allow(.untilRevoked), question)
    }
    #expect(disk.makeReadOnly())
    #expect(throws: LedgerError.folder(errno: EROFS)) {
      _ = try Ledger(folder: disk.path, controller: Sample.controller, clock: clock.clock)
    }
    #expect(throws: LedgerError.folder(errno: EROFS)) {
      _ = try Ledger(
        folder: disk.path + "/new", controller: Sample.controller, clock: clock.clock)
    }
    let reader = try LedgerReader(folder: disk.path)
    #expect(try reader.consents().count == 1)
    #expect(try reader.verify().fault == nil)
  }
}
