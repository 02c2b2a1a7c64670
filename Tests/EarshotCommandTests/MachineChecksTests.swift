import Foundation
import Testing

@testable import EarshotCommand

@Suite("What doctor tells apart")
struct MachineChecksTests {
  /// A folder that stands before `/dev` and `/proc`.
  private func machine(cards: String?, devices: [String]?) throws -> (MachineChecks, String) {
    let root = "/tmp/earshot-machine-\(UUID().uuidString.prefix(8))"
    let files = FileManager.default
    try files.createDirectory(atPath: root + "/dev", withIntermediateDirectories: true)
    if let cards {
      try files.createDirectory(atPath: root + "/proc/asound", withIntermediateDirectories: true)
      try cards.write(toFile: root + "/proc/asound/cards", atomically: true, encoding: .utf8)
    }
    if let devices {
      try files.createDirectory(atPath: root + "/dev/snd", withIntermediateDirectories: true)
      for device in devices {
        _ = files.createFile(atPath: root + "/dev/snd/" + device, contents: nil)
      }
    }
    return (MachineChecks(environment: [:], root: root), root)
  }

  private static let card = " 0 [Device         ]: USB-Audio - USB Audio\n"

  @Test("O-59: hidden devices, no device, and one that can be used are three findings")
  func devices() throws {
    let (hidden, one) = try machine(cards: Self.card, devices: nil)
    let (none, two) = try machine(cards: "--- no soundcards ---\n", devices: [])
    let (there, three) = try machine(cards: Self.card, devices: ["controlC0", "pcmC0D0c"])
    defer { for root in [one, two, three] { try? FileManager.default.removeItem(atPath: root) } }
    #expect(hidden.soundGroup().standing == .bad)
    #expect(hidden.soundGroup().lines.joined().contains("PrivateDevices"))
    #expect(none.soundGroup().standing == .notice)
    #expect(there.soundGroup().standing == .good)
  }

  @Test("O-06: a runtime folder that is unset, missing or somebody else's is told apart")
  func runtimeFolder() throws {
    let own = "/tmp/earshot-run-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: own) }
    // Root's is nobody else's for root, so there the folder is given away.
    let foreign = geteuid() == 0 ? own + "/foreign" : "/proc"
    if geteuid() == 0 {
      try FileManager.default.createDirectory(atPath: foreign, withIntermediateDirectories: true)
      #expect(chown(foreign, 4242, 4242) == 0)
    }
    func found(_ path: String?) -> String {
      MachineChecks(environment: path.map { ["XDG_RUNTIME_DIR": $0] } ?? [:])
        .runtimeFolder().lines.joined()
    }
    #expect(found(nil).contains("not set"))
    #expect(found("/nonexistent/run").contains("does not exist"))
    #expect(found(foreign).contains("not a folder of this person"))
    #expect(found(own).contains("is there"))
  }

  @Test("O-05: where the sound server is looked for is told by the variable that decides")
  func soundServer() {
    #expect(
      MachineChecks(environment: ["PULSE_SERVER": "unix:/x"]).soundServer().lines.joined()
        .contains("PULSE_SERVER"))
    #expect(
      MachineChecks(environment: ["XDG_RUNTIME_DIR": "/nonexistent"]).soundServer().standing
        == .notice)
  }
}
