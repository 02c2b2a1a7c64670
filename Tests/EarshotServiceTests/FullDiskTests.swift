import EarshotClient
import Foundation
import Glibc
import Testing

@testable import EarshotService

/// A small disk of its own under a folder; nil where this machine does not let us mount one.
private final class SmallDisk {
  let path: String

  init?(_ path: String, kibibytes: Int) {
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(kibibytes)k") == 0 else { return nil }
    self.path = path
  }

  deinit { umount2(path, Int32(MNT_DETACH)) }

  /// Fills it to the last byte.
  func fill() {
    let descriptor = open("\(path)/filler", O_WRONLY | O_CREAT, 0o600)
    let bytes = [UInt8](repeating: 1, count: 4096)
    while write(descriptor, bytes, bytes.count) > 0 {}
    while write(descriptor, bytes, 1) > 0 {}
    close(descriptor)
  }

  func free() { unlink("\(path)/filler") }

  func makeReadOnly() -> Bool {
    mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
  }
}

@Suite("Disks", .serialized)
struct FullDiskTests {
  private func result(_ daemon: RunningDaemon) throws -> ListenResult {
    var found: ListenResult?
    try daemon.client.listen(ListenRequest()) { event in
      if case .result(let result) = event { found = result }
      return true
    }
    return try #require(found)
  }

  @Test("R4: on a full disk nothing is granted and nothing opened, and no record is lost")
  func full() throws {
    let server = try SilentServer()
    let daemon = try RunningDaemon(
      configuration: #"{"source":"hung"}"#, environment: server.environment, starts: false)
    guard let disk = SmallDisk("\(daemon.folder)/state", kibibytes: 1024) else { return }
    try daemon.start()
    try daemon.addCatalog()
    let consent = try #require(try daemon.client.grant(GrantRequest(confirmation: .terminal)).id)
    disk.fill()
    let before = try daemon.client.ledger().entries
    let failed = try result(daemon)
    #expect(failed.outcome == .error, "\(failed)")
    #expect(failed.explanation?.reason == "disk-full", "\(failed)")
    #expect(failed.use == nil)
    #expect(daemon.children.isEmpty)
    #expect(try daemon.client.ledger().entries == before)
    do throws(ClientError) {
      _ = try daemon.client.grant(GrantRequest(limit: 5, confirmation: .terminal))
      Issue.record("granted on a full disk")
    } catch {
      guard case .refused(let problem) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(problem.status == 507 && problem.reason == "disk-full")
    }
    // Once there is room, all is as before.
    disk.free()
    #expect(try daemon.client.verifyLedger().isIntact)
    _ = try daemon.client.decide(
      DecisionRequest(decision: "revoke", confirmation: .terminal), about: consent)
    #expect(try daemon.client.ledger().entries.count == before.count + 1)
    #expect(daemon.end().status == 0)
  }

  @Test("R4: a disk that fills while the microphone is open is told, and the record is completed")
  func filledMeanwhile() throws {
    let server = try SilentServer()
    let daemon = try RunningDaemon(
      configuration: #"{"source":"hung"}"#, environment: server.environment, starts: false)
    guard let disk = SmallDisk("\(daemon.folder)/state", kibibytes: 1024) else { return }
    try daemon.start()
    try daemon.addCatalog()
    _ = try daemon.client.grant(GrantRequest(confirmation: .terminal))
    let listening = RunningListening(daemon.client)
    var use: UseMessage?
    #expect(
      eventually {
        use = (try? daemon.client.uses())?.first { $0.closed == nil }
        return use != nil
      })
    disk.fill()
    listening.cancel()
    #expect(eventually(seconds: 2) { use.map { !RunningDaemon.isRunning($0.process) } ?? false })
    #expect(try daemon.client.uses().first?.closed == nil)
    disk.free()
    // The daemon tries again by itself, at the latest when it stops.
    #expect(daemon.end().status == 0)
    try daemon.start()
    let closed = try #require(try daemon.client.uses().first)
    #expect(closed.id == use?.id && closed.reason == "requester-gone", "\(closed)")
    daemon.end()
  }

  @Test("R4: a state folder that can't be written is refused at the start, and named")
  func readOnly() throws {
    let daemon = try RunningDaemon(starts: false)
    guard let disk = SmallDisk("\(daemon.folder)/state", kibibytes: 1024), disk.makeReadOnly()
    else { return }
    let run = try daemon.runAgain([])
    #expect(run.status == 74, "\(run)")
    #expect(run.log.contains("state folder"), "\(run.log)")
  }
}
