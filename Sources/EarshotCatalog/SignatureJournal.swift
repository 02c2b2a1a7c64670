public import EarshotSignature
import Glibc
import Synchronization

/// Finished signatures, kept beside a catalog that is being built, so that an interrupted build
/// goes on where it ended.
///
/// Each record is added whole, with checksums; what a crash has torn is left out when the journal is
/// opened again. A sound file is known by its place on the disk, its size and its times, not by its
/// name. Memory grows with the number of records, never with their hours. Threads may share a
/// journal, but only one process may hold it: the lock ends with the process.
public final class SignatureJournal: Sendable {
  /// What tells that a sound file is still the one whose signature was kept.
  public struct Key: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64
    let byteCount: UInt64
    let modified: UInt64
    let changed: UInt64
  }

  /// Where a record stands in the journal.
  public struct Place: Sendable, Hashable {
    fileprivate let offset: Int
    fileprivate let noteByteCount: Int
    fileprivate let wordCount: Int
    fileprivate let sampleCount: Int
    fileprivate let checksum: UInt64
  }

  /// A signature, and what was noted of its file.
  public struct Entry: Sendable, Hashable {
    /// The signature.
    public let signature: Signature
    /// The bytes that were given with it.
    public let note: [UInt8]
  }

  /// Signatures that were there when the journal was opened.
  public let foundCount: Int

  private let file: JournalFile
  private let state: Mutex<State>

  private struct State {
    var end: Int
    var places: [Key: Place]
    var isBroken = false
    var synced = ContinuousClock.now
  }

  /// The most bytes of a note.
  public static let noteByteCountMax = 1 << 20
  /// Records are made durable at least this often, so that a power cut costs no more work.
  private static let syncSeconds = 10.0

  /// Opens the journal of the catalog at `path`, or makes an empty one.
  ///
  /// Throws `beingChanged` when another process builds that catalog, and `notWritable`.
  public convenience init(besides path: [UInt8]) throws(CatalogError) {
    try self.init(JournalFile(named: JournalFile.name(besides: path)))
  }

  /// Makes a journal that has no name and ends with the process, in the catalog's folder.
  public convenience init(unnamedBesides path: [UInt8]) throws(CatalogError) {
    try self.init(JournalFile(unnamedIn: Paths.split(path).folder))
  }

  private init(_ file: JournalFile) throws(CatalogError) {
    let (places, end) = try JournalRecord.scan(file)
    foundCount = places.count
    state = Mutex(State(end: end, places: places))
    self.file = file
  }

  deinit {
    // A journal without a record would only be in the way.
    if state.withLock({ $0.places.isEmpty }) { file.remove() }
  }

  /// The number of signatures it holds.
  public var count: Int { state.withLock { $0.places.count } }

  /// Whether it stays when the process ends.
  public var hasName: Bool { file.hasName }

  /// The name of its file, for messages.
  public static func name(besides path: [UInt8]) -> [UInt8] { JournalFile.name(besides: path) }

  /// Where the signature of a file is, or nil.
  public func place(of key: Key) -> Place? { state.withLock { $0.places[key] } }

  /// Adds a signature, and returns where it stands; nil when the disk takes no more.
  ///
  /// After the first refusal nothing is added any more: a build goes on without.
  public func append(_ signature: Signature, note: [UInt8], key: Key) -> Place? {
    guard note.count <= Self.noteByteCountMax else { return nil }
    let record = JournalRecord(signature, note: note, key: key)
    return state.withLock { state in
      guard !state.isBroken else { return nil }
      do throws(CatalogError) {
        try file.write(record.bytes, at: state.end)
        if ContinuousClock.now - state.synced > .seconds(Self.syncSeconds) {
          file.sync()
          state.synced = .now
        }
      } catch {
        // What was written of it is taken back, so that the rest stays readable.
        file.cut(to: state.end)
        state.isBroken = true
        return nil
      }
      let place = record.place(at: state.end)
      state.end += record.bytes.count
      state.places[key] = place
      return place
    }
  }

  /// Reads a record; nil when it isn't what was written.
  public func entry(at place: Place) -> Entry? {
    let bodyOffset = place.offset + JournalRecord.headByteCount
    guard
      let body = file.bytes(at: bodyOffset, count: place.noteByteCount + 2 * place.wordCount),
      Checksum.of(body) == place.checksum
    else { return nil }
    let words = (0..<place.wordCount).map { index -> UInt16 in
      let low = place.noteByteCount + 2 * index
      return UInt16(body[low]) | UInt16(body[low + 1]) << 8
    }
    guard
      let signature = try? Signature(
        sampleCount: place.sampleCount, packedPeaks: words,
        settingsDigest: AnalyzerSettings.digest)
    else { return nil }
    return Entry(signature: signature, note: Array(body.prefix(place.noteByteCount)))
  }

  /// Removes its file: the catalog is whole.
  public func remove() { file.remove() }
}

extension SignatureJournal.Key {
  /// Looks at the file; nil when it can't be, or is a pipe or a device, which never come back.
  public init?(path: [UInt8]) {
    var facts = stat()
    guard unsafe Paths.withCString(path, { unsafe stat($0, &facts) }) == 0,
      facts.st_mode & S_IFMT == S_IFREG
    else { return nil }
    device = UInt64(facts.st_dev)
    inode = UInt64(facts.st_ino)
    byteCount = UInt64(bitPattern: Int64(facts.st_size))
    modified = Self.nanoseconds(facts.st_mtim)
    changed = Self.nanoseconds(facts.st_ctim)
  }

  private static func nanoseconds(_ time: timespec) -> UInt64 {
    UInt64(bitPattern: Int64(time.tv_sec)) &* 1_000_000_000
      &+ UInt64(bitPattern: Int64(time.tv_nsec))
  }
}

/// The bytes of one record: 72 bytes of head, the note, the packed peaks.
private struct JournalRecord {
  static let headByteCount = 72
  let bytes: [UInt8]
  private let signature: Signature
  private let noteByteCount: Int
  private let checksum: UInt64

  init(_ signature: Signature, note: [UInt8], key: SignatureJournal.Key) {
    var body = note
    body.reserveCapacity(note.count + 2 * signature.packedPeaks.count)
    for word in signature.packedPeaks { body.append(littleEndian: word) }
    checksum = Checksum.of(body)
    var head: [UInt8] = []
    head.append(littleEndian: UInt32(note.count))
    head.append(littleEndian: UInt32(signature.packedPeaks.count))
    head.append(littleEndian: UInt64(signature.sampleCount))
    for number in [key.device, key.inode, key.byteCount, key.modified, key.changed] {
      head.append(littleEndian: number)
    }
    head.append(littleEndian: checksum)
    head.append(littleEndian: Checksum.of(head))
    bytes = head + body
    noteByteCount = note.count
    self.signature = signature
  }

  func place(at offset: Int) -> SignatureJournal.Place {
    SignatureJournal.Place(
      offset: offset, noteByteCount: noteByteCount, wordCount: signature.packedPeaks.count,
      sampleCount: signature.sampleCount, checksum: checksum)
  }

  /// Finds all whole records; what follows the last one is cut off.
  ///
  /// Only heads are read. Bodies are held against their checksums when they are used.
  static func scan(_ file: JournalFile) throws(CatalogError)
    -> (places: [SignatureJournal.Key: SignatureJournal.Place], end: Int)
  {
    var places: [SignatureJournal.Key: SignatureJournal.Place] = [:]
    var offset = JournalFile.headByteCount
    let byteCount = file.byteCount
    while let head = file.bytes(at: offset, count: headByteCount),
      let (key, place) = parse(head, at: offset)
    {
      let end = offset + headByteCount + place.noteByteCount + 2 * place.wordCount
      guard end <= byteCount else { break }
      places[key] = place
      offset = end
    }
    if offset < byteCount { file.cut(to: offset) }
    return (places, offset)
  }

  private static func parse(_ head: [UInt8], at offset: Int)
    -> (SignatureJournal.Key, SignatureJournal.Place)?
  {
    func number(_ place: Int, _ size: Int) -> UInt64 {
      (0..<size).reduce(0) { $0 | UInt64(head[place + $1]) << UInt64(8 * $1) }
    }
    guard Checksum.of(head[..<64]) == number(64, 8) else { return nil }
    let (noteByteCount, wordCount) = (number(0, 4), number(4, 4))
    // A peak takes one word, and a gap in which there is none takes one for each 4,095 frames.
    guard noteByteCount <= SignatureJournal.noteByteCountMax, wordCount <= 1 << 25,
      number(8, 8) <= UInt64(Signature.sampleCountMax)
    else { return nil }
    return (
      SignatureJournal.Key(
        device: number(16, 8), inode: number(24, 8), byteCount: number(32, 8),
        modified: number(40, 8), changed: number(48, 8)),
      SignatureJournal.Place(
        offset: offset, noteByteCount: Int(noteByteCount), wordCount: Int(wordCount),
        sampleCount: Int(number(8, 8)), checksum: number(56, 8))
    )
  }
}
