internal import Glibc

/// What the system's folders say about sound devices, where ALSA's answer says too little.
struct DeviceAccess {
  /// The folder of device nodes.
  var nodeFolder = "/dev/snd"
  /// The folder where the kernel describes its cards.
  var cardFolder = "/proc/asound"

  /// Whether capture nodes are there that this user may not open.
  ///
  /// ALSA answers 'no such file' for them, because it tries the card's control node first and gives
  /// up on the card.
  var isRefused: Bool {
    let nodes = Self.names(in: nodeFolder).filter { name in
      name.hasPrefix("controlC") || (name.hasPrefix("pcmC") && name.hasSuffix("c"))
    }
    return nodes.contains { name in
      unsafe access("\(nodeFolder)/\(name)", R_OK | W_OK) != 0
        && (errno == EACCES || errno == EPERM)
    }
  }

  /// The processes that hold a capture device, by the kernel's own record.
  func holders() -> [DeviceHolder] {
    var found: [DeviceHolder] = []
    for card in Self.names(in: cardFolder) where card.hasPrefix("card") && card != "cards" {
      for pcm in Self.names(in: "\(cardFolder)/\(card)")
      where pcm.hasPrefix("pcm") && pcm.hasSuffix("c") {
        for sub in Self.names(in: "\(cardFolder)/\(card)/\(pcm)") where sub.hasPrefix("sub") {
          let status = Self.text(of: "\(cardFolder)/\(card)/\(pcm)/\(sub)/status")
          guard let process = Self.owner(in: status),
            !found.contains(where: { $0.process == process })
          else { continue }
          let name = Self.text(of: "/proc/\(process)/comm").filter { !$0.isNewline }
          found.append(DeviceHolder(process: process, program: name))
        }
      }
    }
    return found
  }

  /// The process in a line `owner_pid   : 98`.
  static func owner(in status: String) -> Int32? {
    for line in status.split(whereSeparator: \.isNewline) where line.hasPrefix("owner_pid") {
      return line.split(separator: ":").last.flatMap { Int32($0.filter(\.isNumber)) }
    }
    return nil
  }

  private static func names(in folder: String) -> [String] {
    guard let stream = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private static func text(of path: String) -> String {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(file, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : ""
  }
}
