import EarshotClient
import EarshotConsent
import Foundation
import Testing

@testable import EarshotService

@Suite("The desktop's microphone switch", .serialized)
struct MicrophoneSwitchTests {
  @Test("C2: GNOME's switch restricts while it is off, and says what to change")
  func gnome() throws {
    let daemon = try RunningDaemon(starts: false)
    let bus = try PersonBus(for: daemon)
    try daemon.addCatalog()
    try daemon.start()
    #expect(try daemon.client.status().microphone == "undetermined")
    try bus.setDisabled(true)
    #expect(eventually { (try? daemon.client.status().microphone) == "restricted" })
    let explanation = try daemon.client.status().explanation
    #expect(explanation?.next.contains("disable-microphone false") == true)
    let agent = TestAgent(daemon.client) { _ in "allow-once" }
    var result: ListenResult?
    try daemon.client.listen(ListenRequest()) {
      if case .result(let found) = $0 { result = found }
      return true
    }
    #expect(result?.outcome == .denied)
    #expect(result?.explanation?.reason == "restricted")
    // No prompt comes for a request that is bound to fail.
    #expect(agent.prompts.isEmpty)
    try bus.setDisabled(false)
    #expect(eventually { (try? daemon.client.status().microphone) == "undetermined" })
  }

  @Test("L2: turning the switch off ends a listening that runs, and its record says so")
  func turnedOff() throws {
    let server = try SilentServer()
    let daemon = try RunningDaemon(
      configuration: #"{"source":"hung"}"#, environment: server.environment, starts: false)
    let bus = try PersonBus(for: daemon)
    try daemon.addCatalog()
    try daemon.start()
    _ = try daemon.client.grant(GrantRequest(confirmation: .terminal))
    let listening = RunningListening(daemon.client)
    #expect(eventually { (try? daemon.client.uses())?.contains { $0.closed == nil } == true })
    try bus.setDisabled(true)
    #expect(eventually(seconds: 3) { listening.result != nil })
    #expect(listening.result?.outcome == .denied)
    #expect(listening.result?.explanation?.reason == "restricted")
    let reason = try daemon.client.uses().first?.reason
    #expect(reason == "restricted")
  }

  @Test("C2: the portal's lockdown restricts by itself, where its backend runs")
  func portal() throws {
    let daemon = try RunningDaemon(starts: false)
    let bus = try PersonBus(for: daemon)
    let screen = try BareScreen()
    try bus.start("/usr/libexec/xdg-desktop-portal-gtk", environment: ["DISPLAY": screen.display])
    try bus.setDisabled(true)
    #expect(eventually(seconds: 20) { bus.portalIsLocked })
    // The daemon's own look at the settings finds nothing, so what it finds is the portal's.
    daemon.extraEnvironment["GSETTINGS_BACKEND"] = "memory"
    try daemon.start()
    #expect(
      eventually(seconds: 25) { (try? daemon.client.status().microphone) == "restricted" })
    #expect(try daemon.client.status().explanation?.happened.contains("lockdown") == true)
    try bus.setDisabled(false)
    #expect(
      eventually(seconds: 25) { (try? daemon.client.status().microphone) == "undetermined" })
  }
}

@Suite("What the kernel and the desktop files tell of a program")
struct ProgramIdentityTests {
  @Test("a process's name can't move the fields of its line")
  func line() {
    let tail = " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 99\n"
    for name in ["x", "a) R 1", "(((", "x y z", ""] {
      let facts = ProcessFacts(parsing: Array("7 (\(name))\(tail)".utf8)[...])
      #expect(facts?.startTime == 4242, "\(name)")
      #expect(facts?.state == UInt8(ascii: "S"), "\(name)")
    }
    for line in [
      "", "7", "7 (x)", "7 (x) S 1 2", "7 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 y",
    ] {
      #expect(ProcessFacts(parsing: Array(line.utf8)[...]) == nil, "\(line)")
    }
    #expect(ProcessFacts(getpid())?.startTime == Peer.startTime(of: getpid()))
  }

  @Test(
    "R6: a service is the system's own only where root's manager put it there, whatever is below it",
    arguments: [
      ("0::/system.slice/museum.service", "museum.service", "museum.service"),
      (
        "1:name=systemd:/x.service\n0::/system.slice/museum.service\n", "museum.service",
        "museum.service"
      ),
      // A service may make groups below its own and name them as it likes.
      (
        "0::/system.slice/mine.service/earshot-kiosk.service", "earshot-kiosk.service",
        "mine.service"
      ),
      // What a user's own manager names is the user's word.
      (
        "0::/user.slice/user-1000.slice/user@1000.service/app.slice/museum.service",
        "museum.service", nil
      ),
      ("0::/user.slice/museum.service", "museum.service", nil),
      ("0::/user.slice/user-1000.slice/session-2.scope", nil, nil),
      ("0::/", nil, nil), ("", nil, nil), ("5:cpu:/museum.service", nil, nil),
    ] as [(String, String?, String?)])
  func services(text: String, service: String?, systemService: String?) {
    let group = ControlGroup(parsing: text)
    #expect(group.service == service && group.systemService == systemService)
  }

  @Test("R6: a program that can't be read is known by its service, and is an agent only if listed")
  func unreadable() throws {
    var peer = try #require(Peer.own())
    // As the kernel tells a daemon without rights over the peer's user.
    peer.executable = nil
    peer.file = nil
    func requesters(_ group: String, agentUnits: [String] = []) -> Requesters {
      Requesters(agentPaths: [], agentUnits: agentUnits) { _ in ControlGroup(parsing: group) }
    }
    let museum = "0::/system.slice/museum.service"
    let requester = try #require(requesters(museum).requester(forUnchanged: peer))
    #expect(requester.identification == .unit && requester.name == "museum.service")
    #expect(requester.executable.isEmpty && requester.executableSHA256 == nil)
    #expect(!requesters(museum).isAgent(unchanged: peer))
    #expect(requesters(museum, agentUnits: ["museum.service"]).isAgent(unchanged: peer))
    #expect(!requesters(museum, agentUnits: ["other.service"]).isAgent(unchanged: peer))
    for group in ["0::/user.slice/user@7.service/museum.service", "0::/user.slice/x.scope"] {
      #expect(requesters(group).requester(forUnchanged: peer) == nil, "\(group)")
      let listed = requesters(group, agentUnits: ["museum.service"])
      #expect(!listed.isAgent(unchanged: peer), "\(group)")
    }
    // The number belongs to another process by now.
    peer.startTime = 1
    #expect(requesters(museum).requester(forUnchanged: peer) == nil)
  }

  @Test("C5: a desktop file names a program only where it starts just that")
  func entries() {
    func program(_ exec: String) -> String? {
      DesktopFiles.Entry(parsing: "[Desktop Entry]\nName=Tune\nExec=\(exec)\n")?.program
    }
    #expect(program("/usr/bin/tune %U") == "/usr/bin/tune")
    #expect(program("tune --new-window %u") == "tune")
    #expect(program("python3 /usr/share/tune/tune.py") == nil)
    #expect(program("env LANG=C tune") == nil)
    #expect(program("sh -c tune") == nil)
    #expect(program("\"/usr/bin/odd name\" %U") == nil)
    #expect(
      DesktopFiles.Entry(parsing: "[Desktop Action x]\nName=Other\nExec=other\n") == nil)
    #expect(DesktopFiles.Entry(parsing: "[Desktop Entry]\nExec=tune\n") == nil)
    #expect(
      DesktopFiles.Entry(parsing: "[Desktop Entry]\nName=Py\nExec=py\nTerminal=true\n") == nil)
  }

  @Test("C5: the name comes from a desktop file that root owns, and from no other")
  func owned() throws {
    let folder = "/tmp/earshot-desktop-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let text = "[Desktop Entry]\nType=Application\nName=Tune Finder\nExec=/usr/bin/env %U\n"
    try text.write(toFile: folder + "/a.desktop", atomically: true, encoding: .utf8)
    chmod(folder + "/a.desktop", 0o644)
    let program = try #require(realpath("/usr/bin/env", nil))
    defer { free(program) }
    let path = String(cString: program)
    let isRoot = geteuid() == 0
    #expect(DesktopFiles(folders: [folder]).name(ofProgram: path) == (isRoot ? "Tune Finder" : nil))
    chmod(folder + "/a.desktop", 0o664)
    #expect(DesktopFiles(folders: [folder]).name(ofProgram: path) == nil)
    chmod(folder + "/a.desktop", 0o644)
    try text.replacing("Tune Finder", with: "Other").write(
      toFile: folder + "/b.desktop", atomically: true, encoding: .utf8)
    chmod(folder + "/b.desktop", 0o644)
    // Two claim it, so neither is believed.
    #expect(DesktopFiles(folders: [folder]).name(ofProgram: path) == nil)
  }
}
