internal import Glibc

/// How far the ledger reaches, kept outside the database so that a cut tail is seen (rule R3).
struct LedgerHead: Hashable, Sendable {
  /// The number of the last record; 0 for none.
  var sequence: Int64
  /// The last record's hash, 32 bytes.
  var hash: [UInt8]

  static let empty = LedgerHead(sequence: 0, hash: LedgerChain.origin)

  /// One copy as it stands in the file: fields, then the SHA-256 of what is before it.
  func text(generation: UInt64) -> [UInt8] {
    let fields = "earshot-head/1 \(generation) \(sequence) \(Digest.hexadecimal(hash)) "
    return Array((fields + Digest.hexadecimal(of: Array(fields.utf8)) + "\n").utf8)
  }

  /// The copy in a slot, or nil where it is torn or was never written.
  static func parse(_ slot: ArraySlice<UInt8>) -> (head: LedgerHead, generation: UInt64)? {
    guard let end = slot.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let line = slot[..<end]
    guard let gap = line.lastIndex(of: UInt8(ascii: " ")) else { return nil }
    let fields = Array(line[...gap])
    guard Array(line[(gap + 1)...]) == Array(Digest.hexadecimal(of: fields).utf8) else {
      return nil
    }
    let words = String(decoding: fields, as: UTF8.self).split(separator: " ")
    guard words.count == 4, words[0] == "earshot-head/1", let generation = UInt64(words[1]),
      let sequence = Int64(words[2]), sequence >= 0,
      let hash = Digest.bytes(hexadecimal: words[3]), hash.count == 32
    else { return nil }
    return (LedgerHead(sequence: sequence, hash: hash), generation)
  }
}

/// The head file: two slots written in turn and in place, so that a torn write spoils one copy only
/// and a full disk is no obstacle once the file is there.
struct LedgerHeadFile: ~Copyable {
  static let slotBytes = 4096

  /// What reading the file can give.
  enum Content: Equatable {
    case missing
    case damaged
    case head(LedgerHead)
  }

  private let descriptor: Int32
  private var generation: UInt64
  /// Whether both slots are in the file, so that writing needs no more room on the disk.
  private var isComplete: Bool

  /// Reads the head without opening it for writing.
  static func read(_ path: String) -> Content {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0, facts.st_size > 0 else { return .missing }
    guard let bytes = SmallFile.read(path, bytesMax: 2 * slotBytes) else { return .damaged }
    return newest(in: bytes).map { .head($0.head) } ?? .damaged
  }

  private static func newest(in bytes: [UInt8]) -> (head: LedgerHead, generation: UInt64)? {
    [0, slotBytes].filter { $0 < bytes.count }
      .compactMap { LedgerHead.parse(bytes[$0..<min($0 + slotBytes, bytes.count)]) }
      .max { $0.generation < $1.generation }
  }

  /// Opens the file for writing; a missing one is made and stays empty, which reads as missing.
  init(at path: String) throws(LedgerError) {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .head(errno: errno) }
    let bytes = SmallFile.read(path, bytesMax: 2 * Self.slotBytes) ?? []
    self.descriptor = descriptor
    generation = Self.newest(in: bytes)?.generation ?? 0
    isComplete = bytes.count == 2 * Self.slotBytes
  }

  deinit { close(descriptor) }

  /// Writes and syncs the head into the older slot, or into both of a new file.
  mutating func write(_ head: LedgerHead) throws(LedgerError) {
    if !isComplete { try writeSlot(head) }
    try writeSlot(head)
    isComplete = true
  }

  private mutating func writeSlot(_ head: LedgerHead) throws(LedgerError) {
    let next = generation + 1
    var slot = head.text(generation: next)
    slot += [UInt8](repeating: UInt8(ascii: "\n"), count: Self.slotBytes - slot.count)
    let place = off_t(next % 2) * off_t(Self.slotBytes)
    var written = 0
    while written < slot.count {
      let status = unsafe slot.withUnsafeBytes { buffer in
        unsafe pwrite(
          descriptor, buffer.baseAddress.map { unsafe $0 + written }, buffer.count - written,
          place + off_t(written))
      }
      if status < 0, errno == EINTR { continue }
      guard status > 0 else { throw .head(errno: status < 0 ? errno : ENOSPC) }
      written += status
    }
    guard fdatasync(descriptor) == 0 else { throw .head(errno: errno) }
    generation = next
  }
}
