internal import EarshotClient
internal import Foundation
internal import Glibc

/// An installed Chromium, driven over two pipes by the DevTools protocol, with a profile of its own.
///
/// One command at a time: each waits for its answer, and events in between are passed over.
final class BrowserPipe {
  private let process: pid_t
  private let commands: Int32
  private let answers: Int32
  private let profile: String
  private var number = 0
  private var session: String?
  private var waiting: [UInt8] = []

  /// How long one command may take, in seconds.
  private static let commandSeconds: Int32 = 30
  private static let names = [
    "chromium", "chromium-browser", "google-chrome-stable", "google-chrome",
  ]

  /// Starts it with one empty tab.
  init() throws(CommandError) {
    guard let program = BrowserPipe.program() else {
      throw .explained(DaemonText.noBrowser, .error)
    }
    var toBrowser: [Int32] = [-1, -1]
    var fromBrowser: [Int32] = [-1, -1]
    guard unsafe pipe(&toBrowser) == 0, unsafe pipe(&fromBrowser) == 0 else {
      throw .stream(errno: errno)
    }
    profile = try PrivateFolder.make("earshot-browser")
    commands = toBrowser[1]
    answers = fromBrowser[0]
    for end in [commands, answers] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let arguments = BrowserPipe.arguments(program, profile: profile)
    let started = BrowserPipe.spawn(arguments, reading: toBrowser[0], writing: fromBrowser[1])
    close(toBrowser[0])
    close(fromBrowser[1])
    guard started > 0 else { throw .explained(DaemonText.noBrowser, .error) }
    process = started
    let target = try send("Target.createTarget", ["url": "about:blank"])["targetId"] as? String
    let attached = try send(
      "Target.attachToTarget", ["targetId": target ?? "", "flatten": true])
    session = attached["sessionId"] as? String
  }

  deinit {
    close(commands)
    kill(process, SIGTERM)
    var status: Int32 = 0
    for _ in 0..<200 where unsafe waitpid(process, &status, WNOHANG) == 0 { usleep(10_000) }
    kill(-process, SIGKILL)
    unsafe waitpid(process, &status, 0)
    close(answers)
    try? FileManager.default.removeItem(atPath: profile)
  }

  /// Goes to an address.
  func go(to address: String) throws(CommandError) {
    _ = try send("Page.navigate", ["url": address])
  }

  /// Sets the size of what is seen, in CSS pixels.
  func size(width: Int, height: Int) throws(CommandError) {
    _ = try send(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
  }

  /// The value of an expression, promises waited for; nil where there is none.
  func evaluate(_ expression: String) throws(CommandError) -> Any? {
    let answer = try send(
      "Runtime.evaluate",
      ["expression": expression, "awaitPromise": true, "returnByValue": true])
    return (answer["result"] as? [String: Any])?["value"]
  }

  /// Waits until an expression is true; false after ten seconds.
  func wait(for expression: String) throws(CommandError) -> Bool {
    for _ in 0..<200 {
      if try evaluate("Boolean(\(expression))") as? Bool == true { return true }
      if Interruption.isRequested { throw .explained(DaemonText.interrupted, .cancelled) }
      usleep(50_000)
    }
    return false
  }

  /// What is seen, as PNG.
  func picture() throws(CommandError) -> Data {
    let answer = try send("Page.captureScreenshot", ["format": "png"])
    guard let text = answer["data"] as? String, let data = Data(base64Encoded: text) else {
      throw BrowserPipe.broken
    }
    return data
  }

  private static let broken = CommandError.explained(DaemonText.browserBroken, .error)

  private func send(
    _ method: String, _ parameters: [String: Any]
  ) throws(CommandError) -> [String: Any] {
    number += 1
    var message: [String: Any] = ["id": number, "method": method, "params": parameters]
    if let session { message["sessionId"] = session }
    guard let data = try? JSONSerialization.data(withJSONObject: message) else {
      throw BrowserPipe.broken
    }
    let bytes = Array(data) + [0]
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe write(commands, $0.baseAddress?.advanced(by: done), $0.count - done)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw BrowserPipe.broken }
      done += count
    }
    while true {
      let answer = try next()
      guard answer["id"] as? Int == number else { continue }
      guard let result = answer["result"] as? [String: Any] else { throw BrowserPipe.broken }
      return result
    }
  }

  /// The next message of the browser.
  private func next() throws(CommandError) -> [String: Any] {
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      if let end = waiting.firstIndex(of: 0) {
        let message = Data(waiting[..<end])
        waiting.removeSubrange(...end)
        return (try? JSONSerialization.jsonObject(with: message)) as? [String: Any] ?? [:]
      }
      var polled = pollfd(fd: answers, events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&polled, 1, BrowserPipe.commandSeconds * 1000)
      if ready < 0 && errno == EINTR { continue }
      guard ready > 0 else { throw BrowserPipe.broken }
      let count = unsafe read(answers, &piece, piece.count)
      guard count > 0 else { throw BrowserPipe.broken }
      waiting += piece[..<count]
    }
  }

  private static func program() -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
    for name in names {
      for folder in folders where unsafe access("\(folder)/\(name)", X_OK) == 0 {
        return "\(folder)/\(name)"
      }
    }
    return nil
  }

  private static func arguments(_ program: String, profile: String) -> [String] {
    var arguments = [
      program, "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
      "--disable-extensions", "--disable-background-networking", "--disable-component-update",
      "--hide-scrollbars", "--force-color-profile=srgb", "--user-data-dir=\(profile)",
      "--remote-debugging-pipe", "about:blank",
    ]
    // Chromium's own sandbox does not work as root.
    if geteuid() == 0 { arguments.insert("--no-sandbox", at: 1) }
    return arguments
  }

  /// The browser's process, 0 where it could not be started. The protocol's ends are 3 and 4.
  private static func spawn(_ arguments: [String], reading: Int32, writing: Int32) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    for descriptor in [0 as Int32, 1, 2] {
      unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    // By way of high numbers: either end may itself be 3 or 4.
    unsafe posix_spawn_file_actions_adddup2(&actions, reading, 100)
    unsafe posix_spawn_file_actions_adddup2(&actions, writing, 101)
    unsafe posix_spawn_file_actions_adddup2(&actions, 100, 3)
    unsafe posix_spawn_file_actions_adddup2(&actions, 101, 4)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var process: pid_t = 0
    let status = unsafe posix_spawn(
      &process, arguments[0], &actions, &attributes, &words, environ)
    return status == 0 ? process : 0
  }
}
