import EarshotClient
import Foundation
import Testing

/// What one system call did with a file or a socket, as strace wrote it.
private struct Touch {
  enum Kind { case writes, connects, binds, opensSocket }
  var kind: Kind
  /// The path, the address or the family.
  var what: String

  /// Nil for calls that only read, that failed, or that name nothing.
  init?(line: String) {
    guard let call = line.split(separator: " ", maxSplits: 1).last.map(String.init),
      let open = call.firstIndex(of: "("), !call.hasPrefix("<"), !call.hasPrefix("+")
    else { return nil }
    let name = String(call[..<open]).trimmingCharacters(in: .whitespaces)
    let hasFailed = call.contains(" = -1 ") && !call.contains("EINPROGRESS")
    let quoted = call.split(separator: "\"", omittingEmptySubsequences: false)
    let path = quoted.count > 1 ? String(quoted[1]) : ""
    switch name {
    case "socket":
      self.init(.opensSocket, String(call[call.index(after: open)...].prefix { $0 != "," }))
    case "connect" where !hasFailed: self.init(.connects, path.isEmpty ? call : path)
    case "bind" where !hasFailed: self.init(.binds, path.isEmpty ? call : path)
    case "openat", "open", "creat":
      let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TMPFILE"].contains { call.contains($0) }
      guard writes, !hasFailed else { return nil }
      self.init(.writes, path)
    case "mkdir", "mkdirat", "unlink", "unlinkat", "rename", "renameat", "renameat2", "truncate",
      "link", "linkat", "symlink", "symlinkat", "mknod", "mknodat":
      guard !hasFailed else { return nil }
      self.init(.writes, path)
    default: return nil
    }
  }

  private init(_ kind: Kind, _ what: String) {
    self.kind = kind
    self.what = what
  }
}

@Suite("The privacy label, held against the program", .serialized)
struct LabelTests {
  @Test("T2, T3, T4: a whole session touches no file and no socket that the label does not list")
  func session() async {
    await #expect(processExitsWith: .success) {
      let daemon = try DaemonInRoom()
      let calls = "\(daemon.room.folder)/calls"
      let watch = try Child(
        [
          "strace", "-f", "-qq", "-s", "200", "-o", calls, "-e",
          "trace=%network,openat,open,creat,mkdir,mkdirat,unlink,unlinkat,rename,renameat,"
            + "renameat2,truncate,link,linkat,symlink,symlinkat,mknod,mknodat",
          "-p", "\(daemon.process)",
        ], environment: ProcessInfo.processInfo.environment)
      let status = "/proc/\(daemon.process)/status"
      for _ in 0..<500 {
        let text = (try? String(contentsOfFile: status, encoding: .utf8)) ?? ""
        if text.contains("TracerPid:\t\(watch.process)\n") { break }
        usleep(10_000)
      }
      let label = try daemon.client.privacy()
      let agent = Answering(daemon.client)
      let player = try daemon.play(2)
      defer { player.end() }
      let listening = ApiListening(daemon.client, ListenRequest(save: .ask))
      check(listening.waitForEnd(), "the listening did not end")
      check(listening.result?.result.outcome == .match, "nothing was recognised")
      check(try daemon.client.library().count, is: 1)
      _ = try daemon.client.devices()
      _ = try daemon.client.uses()
      check(try daemon.client.verifyLedger().isIntact, "the ledger is damaged")
      _ = try daemon.client.bytes("/v1/ledger/export")
      _ = try daemon.client.eraseAll(confirmation: .terminal)
      check(daemon.end(SIGTERM), is: 0)
      // It ends with the last process that it follows.
      _ = watch.waitForEnd()
      _ = agent
      let lines = (try? String(contentsOfFile: calls, encoding: .utf8)) ?? ""
      let touches = lines.split(separator: "\n").compactMap { Touch(line: String($0)) }
      check(touches.count > 20, "strace saw only \(touches.count) calls")
      check(
        touches.contains { $0.kind == .connects && $0.what == daemon.room.socket },
        "the sound server was not seen")
      for touch in touches {
        check(Self.isListed(touch, label, room: daemon.room.socket), "\(touch) is not in the label")
      }
      note("label: \(touches.count) calls that write, serve or connect, all of them listed")
    }
  }

  @Test("T2: a file, a server and a family beside the label are found")
  func unlisted() throws {
    let label = try JSONDecoder().decode(
      PrivacyMessage.self,
      from: Data(
        """
        {"version":1,"product":"","date":"","language":"en","sections":[],"taken":[],"kept":[],
        "linkedToThePerson":[],"leavesTheMachine":[],"tracking":[],"network":[],
        "files":["/s/","/r/socket"],"sockets":["/r/socket","the sound server's Unix socket"]}
        """.utf8))
    func isListed(_ line: String) -> Bool? {
      Touch(line: line).map { Self.isListed($0, label, room: "/p/native") }
    }
    #expect(isListed(#"7 openat(AT_FDCWD, "/s/ledger/x", O_RDWR|O_CREAT, 0600) = 5"#) == true)
    #expect(isListed(#"7 openat(AT_FDCWD, "/home/x", O_WRONLY) = 5"#) == false)
    #expect(isListed(#"7 openat(AT_FDCWD, "/home/x", O_RDONLY) = 5"#) == nil)
    #expect(isListed(#"7 openat(AT_FDCWD, "/home/x", O_WRONLY) = -1 EACCES (denied)"#) == nil)
    #expect(isListed(#"7 mkdir("/s2/x", 0700) = 0"#) == false)
    #expect(isListed(#"7 socket(AF_UNIX, SOCK_STREAM, 0) = 5"#) == true)
    #expect(isListed(#"7 socket(AF_INET, SOCK_STREAM, 0) = 5"#) == false)
    #expect(isListed(#"7 connect(5, {sa_family=AF_UNIX, sun_path="/p/native"}, 20) = 0"#) == true)
    #expect(isListed(#"7 connect(5, {sa_family=AF_UNIX, sun_path="/q/native"}, 20) = 0"#) == false)
    #expect(
      isListed(
        #"7 connect(5, {sa_family=AF_INET, sin_addr=inet_addr("1.2.3.4")}, 16) = -1 EINPROGRESS (x)"#
      ) == false)
  }

  /// Whether the label has it; memory without a name and nothing at all are no files.
  private static func isListed(_ touch: Touch, _ label: PrivacyMessage, room: String) -> Bool {
    switch touch.kind {
    case .opensSocket:
      // A socket of another family needs an address on this machine in the label.
      return touch.what == "AF_UNIX" || label.sockets.contains { $0.hasPrefix("127.0.0.1:") }
    case .connects:
      return label.sockets.contains(touch.what)
        || (touch.what == room && label.sockets.contains { $0.contains("sound server") })
    case .binds: return label.sockets.contains(touch.what)
    case .writes:
      if ["/dev/null", "/dev/urandom"].contains(touch.what) { return true }
      // A process's own entries in /proc are the kernel's, not a disk's.
      if touch.what.hasPrefix("/proc/self/") { return true }
      return label.files.contains {
        $0.hasSuffix("/") ? touch.what.hasPrefix($0) || touch.what + "/" == $0 : touch.what == $0
      } || label.kept.contains { $0.where == touch.what }
    }
  }
}

/// An agent that allows once and saves.
private final class Answering: Sendable {
  private let cancellation = Cancellation()

  init(_ client: DaemonClient) {
    let cancellation = cancellation
    let isReady = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? client.prompts(cancellation: cancellation) { event in
        switch event {
        case .ready: isReady.signal()
        case .shown(let prompt):
          let choice = prompt.capability == "library" ? "save" : "allow-once"
          _ = try? client.answer(choice, to: prompt.id)
        case .gone: break
        }
        return true
      }
    }
    _ = isReady.wait(timeout: .now() + 10)
  }

  deinit { cancellation.cancel() }
}
