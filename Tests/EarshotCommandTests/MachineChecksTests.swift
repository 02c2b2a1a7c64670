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

  @Test(
    "O-60, O-61: two daemons, one elsewhere, one that was killed and none are told apart",
    arguments: [
      (.absent, nil, .good, "No daemon runs"), (.stale, nil, .notice, "was left behind"),
      (.served(process: 7, isDaemon: true), 7, .good, "is served"),
      // systemd hands its own socket over, so who answers is not who holds the records.
      (.served(process: 1, isDaemon: false), 7, .good, "is served"),
      (.served(process: 8, isDaemon: true), 7, .bad, "process 7 holds the records"),
      (.stale, 7, .bad, "does not serve"), (.absent, 7, .bad, "does not serve"),
      (.unreachable(code: EACCES), nil, .bad, "can't be reached"),
    ] as [(DaemonSocketCheck.Answer, Int32?, Finding.Standing, String)])
  func daemons(
    answer: DaemonSocketCheck.Answer, holder: Int32?, standing: Finding.Standing, words: String
  ) {
    let finding = DaemonSocketCheck(path: "/run/s", answer: answer, holder: holder).finding
    #expect(finding.standing == standing)
    #expect(finding.found.contains(words), "\(finding.found)")
    #expect(finding.next.isEmpty == (standing == .good))
  }

  @Test("O-60: who holds the records is read from the kernel's list of locks, by the file's inode")
  func locks() {
    let text = """
      1: POSIX  ADVISORY  WRITE 5 fe:00:42 0 EOF
      2: FLOCK  ADVISORY  WRITE 4242 fe:00:42 0 EOF
      2: -> FLOCK  ADVISORY  WRITE 4243 fe:00:42 0 EOF
      3: FLOCK  ADVISORY  WRITE 6 fe:00:142 0 EOF

      """
    #expect(DaemonSocketCheck.holder(in: text, inode: 42) == 4242)
    #expect(DaemonSocketCheck.holder(in: text, inode: 142) == 6)
    #expect(DaemonSocketCheck.holder(in: text, inode: 2) == nil)
  }

  @Test("O-60, O-61: of a real daemon it tells that it serves, and what a killed one left")
  func realDaemon() throws {
    let person = try PersonalFolder()
    let checks = MachineChecks(environment: person.environment)
    #expect(checks.daemonSocket().found.contains("No daemon runs"))
    let daemon = Process()
    daemon.executableURL = URL(fileURLWithPath: try PersonalFolder.program("earshotd"))
    daemon.environment = person.environment
    daemon.standardError = FileHandle.nullDevice
    try daemon.run()
    defer { if daemon.isRunning { kill(daemon.processIdentifier, SIGKILL) } }
    var found = checks.daemonSocket()
    for _ in 0..<500 where !found.found.contains("is served") {
      usleep(20_000)
      found = checks.daemonSocket()
    }
    #expect(found.standing == .good && found.found.contains("is served"), "\(found)")
    let socket = person.path + "/run/earshot/socket"
    // Its socket is taken from under it: it still holds the records, and that is told.
    try FileManager.default.moveItem(atPath: socket, toPath: socket + "-elsewhere")
    #expect(checks.daemonSocket().next.contains("kill \(daemon.processIdentifier)"))
    try FileManager.default.moveItem(atPath: socket + "-elsewhere", toPath: socket)
    kill(daemon.processIdentifier, SIGKILL)
    daemon.waitUntilExit()
    #expect(checks.daemonSocket().found.contains("was left behind"))
  }
}
