import EarshotConsent
import EarshotStore
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("A locked-in worker") struct LandlockTests {
  @Test("W8: a process that Landlock lets read one folder redeems while the daemon writes")
  func landlock() async throws {
    guard Landlock.isSupported else {
      print("skipped: this kernel has no Landlock")
      return
    }
    let folder = try TemporaryFolder()
    let ledger = try Ledger(folder: folder.path, controller: Sample.controller)
    let path = folder.path
    async let worker = #expect(processExitsWith: .exitCode(0)) { [path = path as String] in
      redeemLockedIn(path)
    }
    // The worker writes its identity before it is locked in; until then there is nobody to name.
    var identity: ProcessIdentity?
    let clock = LedgerClock.system()
    let end = clock.now().monotonicNanoseconds + 600_000_000_000
    while identity == nil, clock.now().monotonicNanoseconds < end {
      try await Task.sleep(for: .milliseconds(5))
      if let data = FileManager.default.contents(atPath: path + "/worker") {
        identity = try? JSONDecoder().decode(ProcessIdentity.self, from: data)
      }
    }
    let question = Sample.question()
    let consent = try ledger.answer(.allow(.once), question)
    let opening = try ledger.openUse(
      of: consent.id, for: question, by: try #require(identity),
      deadlineNanoseconds: clock.now().monotonicNanoseconds + 70_000_000_000)
    try Data(opening.id.utf8).write(to: URL(fileURLWithPath: path + "/use"), options: .atomic)
    for _ in 0..<50 { try ledger.answer(.allow(.untilRevoked), question) }
    _ = await worker
  }
}

/// The worker's part: locks itself in, waits for its use, redeems it, and reads on.
private func redeemLockedIn(_ path: String) {
  let clock = LedgerClock.system()
  guard let identity = ProcessIdentity.current(), let data = try? JSONEncoder().encode(identity),
    FileManager.default.createFile(atPath: path + "/worker.part", contents: data),
    rename(path + "/worker.part", path + "/worker") == 0,
    Landlock.restrictToReading(path)
  else { exit(10) }
  // The wall must stand, or the rest proves nothing.
  guard open(path + "/ledger.sqlite", O_RDWR) < 0, errno == EACCES else { exit(11) }
  guard open("/etc/passwd", O_RDONLY) < 0, errno == EACCES else { exit(12) }
  for _ in 0..<120_000 {
    usleep(5000)
    guard let use = FileManager.default.contents(atPath: path + "/use") else { continue }
    do throws(LedgerError) {
      let reader = try LedgerReader(folder: path)
      let grant = try reader.redeem(
        use: String(decoding: use, as: UTF8.self), process: identity.process,
        startTime: identity.startTime, now: clock.now())
      guard grant.source == "default" else { exit(13) }
      for _ in 0..<50 { _ = try reader.verify() }
      exit(0)
    } catch {
      if error == .deadlineOutOfRange { exit(14) }
      if case .store(let cause) = error, case .busy = cause { exit(16) }
      exit(17)
    }
  }
  exit(15)
}

/// The kernel's calls, which the C library doesn't wrap.
private enum Landlock {
  private typealias Call = @convention(c) (Int, Int, Int, Int, Int) -> Int

  private static func call(_ name: String) -> Call {
    // `syscall` and `prctl` take a variable count of arguments, which Swift can't call by name.
    guard let symbol = dlsym(nil, name) else { fatalError("no \(name)") }
    return unsafeBitCast(symbol, to: Call.self)
  }

  static var isSupported: Bool { call("syscall")(444, 0, 0, 1, 0) > 0 }

  static func restrictToReading(_ path: String) -> Bool {
    let system = call("syscall")
    // Every right of the first version is handled, and reading files and folders is given back.
    var handled: UInt64 = (1 << 13) - 1
    let rules = withUnsafeMutablePointer(to: &handled) {
      system(444, Int(bitPattern: $0), 8, 0, 0)
    }
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard rules >= 0, folder >= 0 else { return false }
    var rule = [UInt8](repeating: 0, count: 12)
    rule[0] = 1 << 2 | 1 << 3
    withUnsafeBytes(of: Int32(folder)) { rule.replaceSubrange(8..<12, with: $0) }
    let added = rule.withUnsafeMutableBytes {
      system(445, rules, 1, Int(bitPattern: $0.baseAddress), 0)
    }
    return added == 0 && call("prctl")(38, 1, 0, 0, 0) == 0 && system(446, rules, 0, 0, 0) == 0
  }
}
