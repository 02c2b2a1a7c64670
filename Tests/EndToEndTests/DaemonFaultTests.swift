import EarshotClient
import Foundation
import Testing

@Suite("Faults while the daemon listens", .serialized)
struct DaemonFaultTests {
  /// What is done to the room, and the words that its use record may close with.
  enum Fault: String, CaseIterable, Codable {
    case serverKilled
    case sourceRemoved
    case sourceSuspended

    func happen(to room: VirtualMicrophone) throws {
      switch self {
      case .serverKilled: room.killServer()
      case .sourceRemoved: try room.unloadSinks()
      case .sourceSuspended: try room.suspend()
      }
    }
  }

  @Test(
    "L2, L8: a fault of the sound system closes the microphone, and the record and the answer say why",
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
      try fault.happen(to: daemon.room)
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
      check(told.outcome == .error || told.outcome == .noSignal, "\(told.outcome)")
      check((use.reason ?? "").isEmpty == false, "the record gives no reason")
      check(
        !["decided", "limit", "requester-gone", "daemon-stopping"].contains(use.reason ?? ""),
        "the record blames the wrong one: \(use.reason ?? "-")")
      check(told.explanation?.next.isEmpty == false, "the answer has no next step")
      check(try daemon.client.verifyLedger().isIntact, "the ledger is damaged")
      check(
        try daemon.client.status().isListening == false, "the daemon still says that it listens")
    }
  }
}
