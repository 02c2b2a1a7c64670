import EarshotClient
import Foundation
import Glibc

/// A screen that nobody sees: Xvfb.
final class BareScreen: @unchecked Sendable {
  // SAFETY: one test uses it; what it starts is set once.
  enum Fault: Error { case noScreen }

  let display: String
  private let server = Process()

  init() throws {
    let number = Pipe()
    server.executableURL = URL(fileURLWithPath: "/usr/bin/Xvfb")
    // Without -noreset the server starts anew when its last client goes, and throws out whoever is
    // just coming: a dialog that follows a short look at the screen.
    server.arguments = [
      "-displayfd", "1", "-screen", "0", "800x480x24", "-nolisten", "tcp", "-noreset",
    ]
    server.standardOutput = number
    server.standardError = FileHandle.nullDevice
    try server.run()
    let text = String(decoding: number.fileHandleForReading.availableData, as: UTF8.self)
    guard let digits = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw Fault.noScreen
    }
    display = ":\(digits)"
  }

  // The server waits for its clients when it is told nicely, and its clients wait for nobody.
  deinit { end() }

  /// Takes the screen away from under everything that is shown.
  func end() {
    guard server.isRunning else { return }
    kill(server.processIdentifier, SIGKILL)
    server.waitUntilExit()
  }
}

/// A screen with a desktop agent, and the keys and the pixels of whatever is shown on it.
final class DesktopScreen: @unchecked Sendable {
  // SAFETY: one test uses it; what it starts is set once.
  enum Fault: Error { case noAgent(log: String) }

  private let screen: BareScreen
  private var agent: Process?
  private let daemon: RunningDaemon
  var display: String { screen.display }

  /// Starts the screen and the desktop agent of `daemon` on it.
  init(_ daemon: RunningDaemon, startsAgent: Bool = true) throws {
    self.daemon = daemon
    screen = try BareScreen()
    if startsAgent { try startAgent() }
  }

  deinit {
    guard let agent, agent.isRunning else { return }
    kill(agent.processIdentifier, SIGKILL)
    agent.waitUntilExit()
  }

  func startAgent(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: daemon.programPath)
    process.arguments = ["--desktop-agent"] + arguments
    process.environment = daemon.environment.merging(["DISPLAY": display]) { $1 }
    let log = daemon.folder + "/agent-log"
    _ = FileManager.default.createFile(atPath: log, contents: nil)
    process.standardError = FileHandle(forWritingAtPath: log)
    try process.run()
    agent = process
    guard eventually(seconds: 10, { ((try? self.daemon.client.status().agents) ?? 0) > 0 }) else {
      throw Fault.noAgent(log: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
    }
  }

  /// Takes the screen away from under everything that is shown.
  func endServer() { screen.end() }

  /// Ends the agent and returns its status.
  func endAgent(_ signal: Int32 = SIGTERM) -> Int32 {
    guard let agent else { return -1 }
    kill(agent.processIdentifier, signal)
    agent.waitUntilExit()
    return agent.terminationStatus
  }

  /// The status with which the agent ended by itself.
  func waitForAgent() -> Int32 {
    agent?.waitUntilExit()
    return agent?.terminationStatus ?? -1
  }

  /// Runs a program on the screen to its end, and returns what it says.
  @discardableResult
  func run(_ words: String...) -> [UInt8] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/" + words[0])
    process.arguments = Array(words.dropFirst())
    process.environment = ["DISPLAY": display, "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return [] }
    let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
    process.waitUntilExit()
    return bytes
  }

  /// The windows that are shown by the agent.
  var windows: [String] {
    String(
      decoding: run("xdotool", "search", "--onlyvisible", "--name", "^Earshot$"), as: UTF8.self
    )
    .split(separator: "\n").map(String.init)
  }

  /// The windows that the desktop portal shows.
  var portalWindows: [String] {
    String(decoding: run("xdotool", "search", "--onlyvisible", "--class", "portal"), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  /// Waits for the portal's dialog and gives it the keyboard.
  func focusPortal() -> Bool {
    guard eventually(seconds: 20, { !self.portalWindows.isEmpty }) else { return false }
    usleep(600_000)
    run("xdotool", "windowfocus", "--sync", portalWindows.last ?? "")
    usleep(300_000)
    return true
  }

  /// Waits for one window and gives it the keyboard.
  func focus() -> Bool {
    guard eventually(seconds: 20, { self.windows.count == 1 }) else { return false }
    // The window is there before it is drawn, and only a drawn one takes keys.
    guard eventually(seconds: 20, { self.buttons.count > 1 }) else { return false }
    run("xdotool", "windowfocus", "--sync", windows[0])
    usleep(200_000)
    return true
  }

  func press(_ keys: String...) {
    for key in keys {
      run("xdotool", "key", key)
      usleep(150_000)
    }
  }

  func click(_ button: Button) {
    run(
      "xdotool", "mousemove", "\((button.left + button.right) / 2)",
      "\((button.top + button.bottom) / 2)", "click", "1")
  }

  /// The box of a button, its border included, in pixels.
  struct Button: Hashable {
    var left: Int
    var right: Int
    var top: Int
    var bottom: Int
    var size: [Int] { [right - left, bottom - top] }
  }

  /// The picture of the screen, three bytes a pixel.
  func picture() -> (width: Int, height: Int, bytes: ArraySlice<UInt8>) {
    let file = run(
      "ffmpeg", "-v", "error", "-f", "x11grab", "-draw_mouse", "0", "-i", display, "-frames:v", "1",
      "-f", "image2pipe", "-vcodec", "ppm", "-")
    // P6, width, height and the largest value, each line by itself.
    let head = file.split(separator: 0x0A, maxSplits: 3, omittingEmptySubsequences: false)
    guard head.count == 4 else { return (0, 0, []) }
    let sizes = String(decoding: head[1], as: UTF8.self).split(separator: " ").compactMap {
      Int($0)
    }
    return (sizes[0], sizes[1], head[3])
  }

  /// The buttons on the screen from the left, found by their borders' colour.
  var buttons: [Button] {
    let (width, height, bytes) = picture()
    let isBorder = { (x: Int, y: Int) -> Bool in
      let at = bytes.startIndex + 3 * (y * width + x)
      return bytes[at] == 0x76 && bytes[at + 1] == 0x76 && bytes[at + 2] == 0x76
    }
    var found: [Button] = []
    // The left edge of a button is a long upright line in the borders' colour, and so is the right.
    var edges: [(x: Int, top: Int, bottom: Int)] = []
    for x in 0..<width {
      var y = 0
      while y < height {
        guard isBorder(x, y) else {
          y += 1
          continue
        }
        let top = y
        while y < height, isBorder(x, y) { y += 1 }
        if y - top >= 16 { edges.append((x, top, y - 1)) }
      }
    }
    for pair in stride(from: 0, to: edges.count - 1, by: 2) {
      let (left, right) = (edges[pair], edges[pair + 1])
      found.append(Button(left: left.x, right: right.x, top: left.top, bottom: left.bottom))
    }
    return found
  }
}

/// A program that is no agent and asks to listen: its answer, once there is one.
final class AskingProgram: @unchecked Sendable {
  // SAFETY: one test uses it.
  private let process = Process()
  private let output = Pipe()

  /// Asks through `socket` with Python, by which name the prompt knows it.
  init(socket: String, language: String? = nil) throws {
    let body = language.map { "{\"language\":\"\($0)\"}" } ?? "{}"
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [
      "-c",
      """
      import http.client, socket, sys
      c = http.client.HTTPConnection('localhost'); c.sock = socket.socket(socket.AF_UNIX)
      c.sock.connect(sys.argv[1])
      c.request('POST', '/v1/listen', sys.argv[2], {'Content-Type': 'application/json'})
      print(c.getresponse().read().decode())
      """, socket, body,
    ]
    process.standardOutput = output
    try process.run()
  }

  /// Its answer, waited for.
  func result() throws -> ListenResult {
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return try JSONDecoder().decode(ListenResult.self, from: data)
  }

  var isRunning: Bool { process.isRunning }

  func end() { kill(process.processIdentifier, SIGKILL) }
}
