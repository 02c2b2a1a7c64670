internal import EarshotClient
internal import Foundation

/// `earshot kiosk preview`: every screen of the page, in every language and size, as PNG files.
///
/// The page is the real one, served by a private daemon with the deployer's own settings, and drawn
/// by an installed Chromium; what is on it is made up, and the microphone is not touched.
enum KioskPreview {
  private static let languages = ["en", "ru", "zh-Hans", "ko"]
  private static let sizes = ["1920x1080", "1080x1920", "800x480", "360x640"]
  private static let texts = ["100", "200"]

  static let run: CommandSpecification.Action = { (typed, console) throws(CommandError) in
    Interruption.begin()
    let folder = typed.text("output") ?? "kiosk-preview"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw .file(path: Array(folder.utf8), errno: EACCES)
    }
    let settings = try settings(typed.text("configuration"))
    defer {
      try? FileManager.default.removeItem(atPath: (settings as NSString).deletingLastPathComponent)
    }
    let browser = try BrowserPipe()
    let state = (settings as NSString).deletingLastPathComponent + "/state"
    let daemon = try PrivateDaemon(
      extra: ["--configuration", settings, "--state", state])
    defer { daemon.stop() }
    let client: DaemonClient
    do throws(ClientError) {
      client = try DaemonClient(socket: daemon.socket)
    } catch {
      throw DaemonConnection.fault(error)
    }
    try daemon.waitUntilReady(client)
    let link: KioskLinkMessage
    do throws(ClientError) { link = try client.kioskLink() } catch {
      throw DaemonConnection.fault(error)
    }
    for fault in link.theme {
      console.note("The Listen button grants nothing: " + Shown.text(fault) + ".")
    }
    return try draw(link.link, into: folder, browser, typed, console)
  }

  private static func draw(
    _ link: String, into folder: String, _ browser: BrowserPipe, _ typed: TypedArguments,
    _ console: Console
  ) throws(CommandError) -> Int32 {
    try browser.go(to: link)
    guard try browser.wait(for: "document.querySelector('.screen.start')"),
      let names = try browser.evaluate(
        "import('/page/preview.js').then((m) => { globalThis.earshot = m; return m.names; })")
        as? [String]
    else { throw .explained(DaemonText.browserBroken, .error) }
    let languages = typed.text("language").map { [$0] } ?? Self.languages
    let sizes = typed.text("size").map { [$0] } ?? Self.sizes
    let texts = typed.text("text").map { [$0] } ?? Self.texts
    let total = names.count * languages.count * sizes.count * texts.count
    var count = 0
    for size in sizes {
      let sides = size.split(separator: "x").compactMap { Int($0) }
      guard sides.count == 2, sides.allSatisfy({ (200...8000).contains($0) }) else {
        throw .explained(DaemonText.noSize(size), .error)
      }
      try browser.size(width: sides[0], height: sides[1])
      for language in languages {
        for text in texts {
          for name in names {
            _ = try browser.evaluate("earshot.preview('\(name)', '\(language)', \(text))")
            let path = "\(folder)/\(name)-\(language)-\(size)-\(text).png"
            let picture = try browser.picture()
            do { try picture.write(to: URL(fileURLWithPath: path)) } catch {
              throw .file(path: Array(path.utf8), errno: EIO)
            }
            count += 1
            if Interruption.isRequested {
              throw .explained(DaemonText.interrupted, .cancelled)
            }
          }
        }
      }
      console.note("\(count) of \(total) pictures")
    }
    console.print(folder)
    return 0
  }

  /// The settings with a port that disturbs nobody, in a folder of their own.
  private static func settings(_ named: String?) throws(CommandError) -> String {
    let folder = try PrivateFolder.make("earshot-preview")
    var settings: [String: Any] = [:]
    if let named {
      guard let data = FileManager.default.contents(atPath: named) else {
        throw .file(path: Array(named.utf8), errno: ENOENT)
      }
      settings = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    }
    var kiosk = settings["kiosk"] as? [String: Any] ?? [:]
    kiosk["port"] = 0
    settings["kiosk"] = kiosk
    if settings["controller"] == nil {
      settings["controller"] = ["name": "Museum of Sound", "contact": "the front desk"]
    }
    let path = folder + "/earshot.json"
    guard let data = try? JSONSerialization.data(withJSONObject: settings),
      FileManager.default.createFile(atPath: path, contents: data)
    else { throw .file(path: Array(path.utf8), errno: EIO) }
    return path
  }
}
