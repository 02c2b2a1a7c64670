import EarshotClient
import Foundation
import TestSupport
import Testing

@Suite("Faults while the daemon listens", .serialized)
struct DaemonFaultTests {
  /// What is done to the room, and the words that its use record may close with.
  enum Fault: String, CaseIterable, Codable {
    case serverKilled
    case sourceRemoved
    case sourceSuspended
    case workerStopped

    func happen(to room: VirtualMicrophone, _ worker: Int32) throws {
      switch self {
      case .serverKilled: room.killServer()
      case .sourceRemoved: try room.unloadSinks()
      case .sourceSuspended: try room.suspend()
      case .workerStopped: kill(worker, SIGSTOP)
      }
    }

    /// What the record and the answer may give as the reason.
    var reasons: Set<String> {
      switch self {
      case .serverKilled: ["server-gone"]
      case .sourceRemoved: ["unplugged"]
      case .sourceSuspended: ["source-suspended"]
      case .workerStopped: ["worker-stopped"]
      }
    }
  }

  @Test(
    "L2, L8: a fault in mid-listening closes the microphone, and the record and the answer say why",
    arguments: Fault.allCases)
  func fault(fault: Fault) async {
    await #expect(processExitsWith: .success) { [fault = fault as Fault] in
      let daemon = try DaemonInRoom()
      _ = try daemon.client.grant(GrantRequest(confirmation: .terminal))
      let player = try daemon.play(99)
      defer { player.end() }
      let listening = ApiListening(daemon.client, ListenRequest())
      check(
        listening.wait { $0.events.contains { if case .level = $0.event { true } else { false } } },
        "it does not listen")
      let worker = try #require(try daemon.client.uses().first).process
      let began = monotonicNanoseconds()
      try fault.happen(to: daemon.room, worker)
      // The worker's end is the proof: the kernel has closed whatever it held.
      var ended: UInt64?
      for _ in 0..<4000 where ended == nil {
        if kill(worker, 0) != 0 { ended = monotonicNanoseconds() }
        usleep(2_000)
      }
      let gone = try #require(ended)
      check(listening.waitForEnd(), "the listening did not end")
      let told = try #require(listening.result).result
      let use = try #require(try daemon.client.uses().first)
      note(
        "daemon: \(fault.rawValue): worker gone \(milliseconds(gone, after: began)) ms after it,"
          + " record '\(use.reason ?? "-")', outcome \(told.outcome.rawValue),"
          + " reason '\(told.explanation?.reason ?? "-")'")
      check(use.closed != nil, "the use has no closing record")
      check(told.outcome, is: .error)
      check(fault.reasons.contains(use.reason ?? ""), "the record says '\(use.reason ?? "-")'")
      check(told.explanation?.reason, is: use.reason)
      check(told.explanation?.next.isEmpty == false, "the answer has no next step")
      check(try daemon.client.verifyLedger().isIntact, "the ledger is damaged")
      check(
        try daemon.client.status().isListening == false, "the daemon still says that it listens")
    }
  }

  @Test(
    "L2, L8, R4: a disk that fills in mid-listening keeps no microphone open and no answer secret")
  func diskFull() async {
    guard SmallFileSystem.isPossible else { return }
    await #expect(processExitsWith: .success) {
      let disk = try #require(SmallFileSystem(kilobytes: 1024))
      let daemon = try DaemonInRoom(disk: disk)
      _ = try daemon.client.grant(GrantRequest(confirmation: .terminal))
      let player = try daemon.play(1)
      defer { player.end() }
      let seen = daemon.watch.events.count
      let listening = ApiListening(daemon.client, ListenRequest())
      check(listening.wait { $0.names.contains("listening") }, "it does not listen")
      disk.fill()
      check(listening.waitForEnd(), "the listening did not end")
      let told = try #require(listening.result)
      let gone = try #require(daemon.gone(after: seen))
      note(
        "daemon: disk full: stream gone \(milliseconds(told.nanoseconds, after: gone)) ms before it"
      )
      check(gone <= told.nanoseconds, "the answer came before the microphone was closed")
      // What can't be recorded isn't told either: the answer is the fault, and names no item.
      check(told.result.outcome, is: .error)
      check(told.result.explanation?.reason, is: "disk-full")
      check(told.result.matches, is: [])
      check(try daemon.client.uses().first?.closed == nil, "a record was written on a full disk")
      disk.empty()
      // The record is completed with what really ended the listening, while the daemon runs on.
      var use: UseMessage?
      for _ in 0..<400 where use?.closed == nil {
        usleep(50_000)
        use = try daemon.client.uses().first
      }
      check(use?.reason, is: "decided")
      check(try daemon.client.verifyLedger().isIntact, "the ledger is damaged")
    }
  }
}
