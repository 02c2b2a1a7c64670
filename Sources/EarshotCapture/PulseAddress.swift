internal import Glibc

/// Where a PulseAudio server listens, found by the rules that its own clients follow.
struct PulseAddress: Sendable, Hashable {
  /// The paths of Unix sockets to try, in order. Empty where the server is reached another way.
  let paths: [String]

  /// Resolves a server as ALSA's definition names it; `nil` stands for the client's default.
  init(server: String?) {
    if let server = server ?? Self.variable("PULSE_SERVER") ?? Self.configured("default-server") {
      paths = server.split(separator: " ").compactMap(Self.path(of:))
      return
    }
    var found: [String] = []
    if let folder = Self.variable("PULSE_RUNTIME_PATH") { found.append("\(folder)/native") }
    if let folder = Self.variable("XDG_RUNTIME_DIR") { found.append("\(folder)/pulse/native") }
    found.append("/var/run/pulse/native")
    paths = found
  }

  /// The key that proves who asks, where the server's user is another one; zeros without a file.
  static func cookie() -> [UInt8] {
    let home = variable("HOME") ?? ""
    let candidates = [
      variable("PULSE_COOKIE"), configured("cookie-file"), "\(home)/.config/pulse/cookie",
      "\(home)/.pulse-cookie",
    ]
    for path in candidates.compactMap({ $0 }) {
      let bytes = contents(of: path, atMost: cookieByteCount)
      if bytes.count == cookieByteCount { return bytes }
    }
    return [UInt8](repeating: 0, count: cookieByteCount)
  }

  private static let cookieByteCount = 256

  /// The path of one address: `unix:PATH`, `PATH`, or either after a machine's name in braces.
  private static func path(of address: Substring) -> String? {
    var rest = address
    if rest.first == "{", let end = rest.firstIndex(of: "}") {
      rest = rest[rest.index(after: end)...]
    }
    if rest.hasPrefix("unix:") { return String(rest.dropFirst(5)) }
    return rest.hasPrefix("/") ? String(rest) : nil
  }

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// A key of the client's configuration file: the person's, or else the machine's.
  private static func configured(_ key: String) -> String? {
    let home = variable("HOME") ?? ""
    let candidates = [
      variable("PULSE_CLIENTCONFIG"), "\(home)/.config/pulse/client.conf", "/etc/pulse/client.conf",
    ]
    for path in candidates.compactMap({ $0 }) {
      let text = String(decoding: contents(of: path, atMost: 65_536), as: UTF8.self)
      guard !text.isEmpty else { continue }
      for line in text.split(whereSeparator: \.isNewline) {
        let parts = line.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, trimmed(parts[0]) == key else { continue }
        let value = trimmed(parts[1])
        if !value.isEmpty { return value }
      }
      return nil
    }
    return nil
  }

  private static func trimmed(_ text: Substring) -> String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    let front = text.drop(while: isBlank)
    return String(String(front.reversed()).drop(while: isBlank).reversed())
  }

  private static func contents(of path: String, atMost limit: Int) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = unsafe read(file, &bytes, limit)
    return count > 0 ? Array(bytes.prefix(count)) : []
  }
}
