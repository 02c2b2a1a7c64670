import Foundation
import Testing

@Suite("systemd's units")
struct UnitTests {
  private static var root: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }

  /// The unit files below `systemd`, by their names.
  private func units(_ folder: String) throws -> [String: String] {
    let place = Self.root.appendingPathComponent(folder)
    var found: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: place.path)
    where name.hasSuffix(".service") || name.hasSuffix(".socket") {
      found[name] = try String(contentsOf: place.appendingPathComponent(name), encoding: .utf8)
    }
    return found
  }

  private func run(_ arguments: [String], _ environment: [String: String]) throws -> (Int32, String)
  {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/systemd-analyze")
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: said, as: UTF8.self))
  }

  @Test("systemd finds nothing wrong with them", arguments: ["systemd", "systemd/user"])
  func verified(folder: String) throws {
    let place = "/tmp/earshot-units-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: place) }
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let program = (own as NSString).deletingLastPathComponent + "/earshotd"
    let units = try units(folder)
    #expect(units.count >= 3)
    for (name, text) in units {
      // Verified where the program is not installed, so the built one stands in for it.
      try text.replacing("/usr/bin/earshotd", with: program)
        .write(toFile: "\(place)/\(name)", atomically: true, encoding: .utf8)
    }
    let arguments =
      ["verify", "--man=no", "--recursive-errors=yes"]
      + (folder.hasSuffix("user") ? ["--user"] : []) + units.keys.sorted().map { "\(place)/\($0)" }
    let (status, said) = try run(
      arguments,
      [
        "SYSTEMD_UNIT_PATH": "\(place):/lib/systemd/system:/usr/lib/systemd/user", "HOME": place,
        "XDG_RUNTIME_DIR": place,
      ])
    #expect(status == 0, "\(said)")
    // What is only warned of, such as a key that systemd doesn't know, is wrong as well.
    #expect(!said.contains(place), "\(said)")
  }

  @Test("the system unit is exposed by 1.0 at most, and its own page needs no network")
  func exposure() throws {
    let unit = Self.root.appendingPathComponent("systemd/earshotd.service").path
    let (status, said) = try run(["security", "--offline=true", "--threshold=10", unit], [:])
    #expect(status == 0, "\(said.suffix(300))")
    let text = try units("systemd")
    // Whatever had to stay off says in the unit why it did.
    let comments = (text["earshotd.service"] ?? "").split(separator: "\n")
      .filter { $0.hasPrefix("#") }.joined(separator: "\n")
    let (_, all) = try run(["security", "--offline=true", "--no-pager", unit], [:])
    let open = all.split(separator: "\n").filter { $0.hasPrefix("✗ ") }
      .compactMap { $0.split(separator: " ").dropFirst().first }
    #expect(open.count > 3, "\(all)")
    for directive in open {
      let name = directive.split(separator: "=").first ?? ""
      #expect(comments.contains(name), "no comment says why \(directive) is as it is")
    }
    #expect(text["earshotd.service"]?.contains("PrivateNetwork=yes\n") == true)
    #expect(text["earshotd.service"]?.contains("RestrictAddressFamilies=AF_UNIX\n") == true)
    #expect(text["earshot-kiosk.socket"]?.contains("ListenStream=127.0.0.1:") == true)
  }
}
