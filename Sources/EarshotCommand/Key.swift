/// A key that a person pressed.
enum Key: Sendable, Hashable {
  case character(Character)
  case forward
  case back
  case confirm
  /// Esc, Ctrl-C, or the terminal is gone.
  case leave

  /// The keys in what one read of the terminal gave.
  ///
  /// A person presses one key at a time. Where several characters come at once they were pasted or
  /// sent by a program, and none of them is taken for an answer; keys that only move or leave are
  /// taken all the same.
  static func keys(in bytes: [UInt8]) -> [Key] {
    var keys: [Key] = []
    var rest = bytes[...]
    while let first = rest.first {
      switch first {
      case 0x1B: keys += escape(&rest)
      case 0x03, 0x04:
        keys.append(.leave)
        rest.removeFirst()
      case 0x09:
        keys.append(.forward)
        rest.removeFirst()
      case 0x0A, 0x0D:
        keys.append(.confirm)
        rest.removeFirst()
      default:
        let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        let text = String(decoding: rest.prefix(length), as: UTF8.self)
        if let character = text.first { keys.append(.character(character)) }
        rest = rest.dropFirst(length)
      }
    }
    let characters = keys.count { if case .character = $0 { true } else { false } }
    guard characters > 1 || (characters == 1 && keys.count > 1) else { return keys }
    return keys.filter { $0 == .leave }
  }

  /// Reads an escape sequence, or the key Esc where none follows.
  private static func escape(_ rest: inout ArraySlice<UInt8>) -> [Key] {
    rest.removeFirst()
    guard let second = rest.first, second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else {
      return [.leave]
    }
    rest.removeFirst()
    let final = rest.firstIndex { (0x40...0x7E).contains($0) }
    guard let final else {
      rest = []
      return []
    }
    let last = rest[final]
    rest = rest[(final + 1)...]
    switch last {
    case UInt8(ascii: "B"), UInt8(ascii: "C"): return [.forward]
    case UInt8(ascii: "A"), UInt8(ascii: "D"), UInt8(ascii: "Z"): return [.back]
    default: return []
    }
  }
}
