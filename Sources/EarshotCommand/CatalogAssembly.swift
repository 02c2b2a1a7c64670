internal import EarshotAudio
internal import EarshotCatalog
internal import EarshotSignature

/// Puts signatures and items into a catalog as they come, in order, and tells identical sound.
final class CatalogAssembly {
  private let path: [UInt8]
  private let inputs: BuildInputs
  private let keepsDuplicates: Bool
  private let dropsCopies: Bool
  private var copies = LikelyCopies()
  private let report: BuildReport
  private let journal: SignatureJournal?
  private var writer: CatalogWriter?
  private var indexByContent: [Content: Int] = [:]
  private var nameBySignature: [[UInt8]] = []
  private var identifiers: Set<String> = []
  private var asked: Set<String> = []
  /// Why sound without a single peak is not taken.
  static let nothingToRecognise = "holds nothing to recognise: it is silent or too short"
  /// Why a signature that was kept could not be read back.
  private static let lostAgain =
    "was analysed, but the disk did not give its signature back: run the command again"
  /// Why a catalog by another name is not copied from.
  private static let misnamed =
    "is a catalog or a signature by its content: give it a name that ends in .earshot or .earsig"
  /// What went wrong with the catalog itself; then nothing more is taken.
  private(set) var failure: CatalogError?
  private(set) var itemCount = 0
  /// Whether anything has come to what was in the catalog before.
  private(set) var isChanged = false

  /// What makes two signatures one: all peaks, and the length of the sound.
  ///
  /// Two 64-bit hashes of all peaks with different beginnings stand for them, so that memory
  /// doesn't grow with the hours.
  private struct Content: Hashable {
    let first: UInt64
    let second: UInt64
    let wordCount: Int
    let sampleCount: Int

    init(_ signature: Signature) {
      var (first, second): (UInt64, UInt64) = (0xcbf2_9ce4_8422_2325, 0x9e37_79b9_7f4a_7c15)
      for word in signature.packedPeaks {
        first = (first ^ UInt64(word)) &* 0x100_0000_01b3
        second = (second &+ UInt64(word)) &* 0xd6e8_feb8_6659_fd93
        second ^= second >> 32
      }
      self.first = first
      self.second = second
      wordCount = signature.packedPeaks.count
      sampleCount = signature.sampleCount
    }
  }

  init(
    path: [UInt8], inputs: BuildInputs, keepsDuplicates: Bool,
    indexChoice: IndexChoice = .whereNeeded, passageChoice: PassageChoice = .record,
    report: BuildReport,
    journal: SignatureJournal? = nil, dropsCopies: Bool = false
  ) throws(CatalogError) {
    self.dropsCopies = dropsCopies
    self.journal = journal
    self.path = path
    self.inputs = inputs
    self.keepsDuplicates = keepsDuplicates
    self.report = report
    var writer = try CatalogWriter(path: path)
    writer.indexChoice = indexChoice
    writer.passageChoice = passageChoice
    self.writer = consume writer
    // Names that the table asks for are taken before files are named by themselves.
    for rows in inputs.rows { for row in rows { asked.insert(row.item.id) } }
  }

  /// Begins with all that a catalog holds.
  func begin(with base: Catalog) throws(CatalogError) {
    for index in 0..<base.signatureCount {
      let signature = try base.signature(index)
      let items = base.itemIndices(ofSignature: index)
      let first = try items.first.map { item throws(CatalogError) in try base.item(item).id }
      let place = try place(of: signature, named: Array((first ?? "").utf8))
      for item in items {
        let item = try base.item(item)
        identifiers.insert(item.id)
        try writer?.append(item, signatureIndex: place)
        itemCount += 1
      }
    }
  }

  /// Takes the result of one file.
  func take(_ index: Int, _ result: CatalogBuild.Result) {
    let file = inputs.files[index]
    switch result {
    case .failed(let error):
      let cause = isMisnamed(file, error) ? Self.misnamed : SoundFilesText.describe(error)
      report.failed(file, cause, rows: inputs.rows[index])
    case .done(let signature, let facts):
      take(signature, facts, of: file, rows: inputs.rows[index])
    case .kept(let place):
      guard let entry = journal?.entry(at: place), let facts = FileFacts(entry.note) else {
        report.failed(file, Self.lostAgain, rows: inputs.rows[index])
        return
      }
      take(entry.signature, facts, of: file, rows: inputs.rows[index])
    }
  }

  /// Whether what is no sound is a catalog instead.
  private func isMisnamed(_ file: SoundFiles.Found, _ error: AudioError) -> Bool {
    guard error == .unrecognised,
      let head = try? FileBytes.read(file.path, countMax: 16, isBeginning: true)
    else { return false }
    return Catalog.isBegun(by: head)
  }

  private func take(
    _ signature: Signature, _ facts: FileFacts, of file: SoundFiles.Found, rows: [ItemTable.Row]
  ) {
    guard signature.peakCount > 0 else {
      report.failed(file, Self.nothingToRecognise, rows: rows)
      return
    }
    for warning in facts.warnings { report.warn(file, warning) }
    do throws(CatalogError) {
      try add(signature, of: file, facts: facts, rows: rows)
    } catch {
      failure = error
    }
  }

  /// Makes the catalog durable and puts it in its place.
  func finish() throws(CatalogError) {
    guard var writer = writer.take() else { preconditionFailure("a catalog is finished once") }
    let progress = report.finishing
    defer { progress.clear() }
    writer.whenFinishing = { progress.draw($0, $1) }
    try writer.finish()
  }

  /// Copies the items and signatures of the catalogs that were named, before any sound is decoded.
  func copySignatures() throws(CatalogError) {
    for path in inputs.catalogs {
      do throws(CatalogError) {
        let catalog = try Catalog(path: path)
        for index in 0..<catalog.signatureCount {
          if Interruption.isRequested { throw .cancelled }
          try copy(index, of: catalog, at: path)
        }
      } catch {
        switch error {
        case .notWritable, .cancelled: throw error
        default: report.failed(path, CatalogText.describe(error))
        }
      }
    }
  }

  private func copy(_ index: Int, of catalog: Catalog, at path: [UInt8]) throws(CatalogError) {
    let signature = try catalog.signature(index)
    var items: [MediaItem] = []
    for item in catalog.itemIndices(ofSignature: index) { items.append(try catalog.item(item)) }
    if let same = known(signature), !keepsDuplicates {
      items.removeAll { identifiers.contains($0.id) || asked.contains($0.id) }
      report.same(path, of: catalog.signatureCount, as: nameBySignature[same])
      guard !items.isEmpty else { return }
    }
    let place = try place(of: signature, named: path)
    for item in items {
      guard !asked.contains(item.id), identifiers.insert(item.id).inserted else {
        report.failed(path, "has an item '\(Shown.text(item.id))', which is in the catalog already")
        continue
      }
      try append(item, place, seconds: signature.duration)
    }
  }

  private func add(
    _ signature: Signature, of file: SoundFiles.Found, facts: FileFacts, rows: [ItemTable.Row]
  ) throws(CatalogError) {
    if let same = known(signature) {
      report.same(file.path, as: nameBySignature[same])
      // Items of a table were asked for by name and are kept; a second copy in a folder is not.
      if rows.isEmpty && !keepsDuplicates { return }
    } else if let other = copies.copy(of: signature) {
      let isDropped = dropsCopies && rows.isEmpty
      report.likely(file.path, as: nameBySignature[other], isDropped: isDropped)
      if isDropped { return }
    }
    let place = try place(of: signature, named: file.path)
    if rows.isEmpty {
      try append(named(file, facts: facts), place, seconds: signature.duration)
    }
    for row in rows {
      var item = row.item
      guard identifiers.insert(item.id).inserted else {
        report.failed(
          file, "has an item '\(Shown.text(item.id))', which is in the catalog already",
          rows: [row])
        continue
      }
      if !row.hasTitle { item.title = facts.title ?? Self.title(of: file) }
      item.artist = item.artist ?? facts.artist
      item.album = item.album ?? facts.album
      if item.genres.isEmpty, let genre = facts.genre { item.genres = [genre] }
      if let late = item.timeRanges.first(where: { $0.start >= signature.duration }) {
        report.warn(
          file,
          "has an item '\(Shown.text(item.id))' with a time range from "
            + SoundFilesText.duration(late.start) + ", after the end of its sound")
      }
      try append(item, place, seconds: signature.duration)
    }
  }

  /// The signature's place in the catalog, where it is written unless it is there.
  private func place(of signature: Signature, named name: [UInt8]) throws(CatalogError) -> Int {
    if let same = known(signature) { return same }
    guard let place = try writer?.append(signature) else {
      preconditionFailure("nothing is taken after the end")
    }
    indexByContent[Content(signature)] = place
    copies.note(signature, as: place)
    nameBySignature.append(name)
    return place
  }

  private func known(_ signature: Signature) -> Int? { indexByContent[Content(signature)] }

  private func append(_ item: MediaItem, _ place: Int, seconds: Double) throws(CatalogError) {
    try writer?.append(item, signatureIndex: place)
    itemCount += 1
    isChanged = true
    report.added(item, seconds: seconds)
  }

  /// An item made from a file's name and tags, with an identifier that is free.
  private func named(_ file: SoundFiles.Found, facts: FileFacts) -> MediaItem {
    var item = Self.item(for: file, facts: facts)
    let name = item.id
    var number = 2
    while asked.contains(item.id) || !identifiers.insert(item.id).inserted {
      item.id = "\(name) (\(number))"
      number += 1
    }
    return item
  }

  /// An item made from a file's name and tags.
  static func item(for file: SoundFiles.Found, facts: FileFacts) -> MediaItem {
    var item = MediaItem(
      id: Shown.lossless(file.shortName), title: facts.title ?? title(of: file))
    item.artist = facts.artist
    item.album = facts.album
    if let genre = facts.genre { item.genres = [genre] }
    return item
  }

  /// The file's name without folders and ending.
  private static func title(of file: SoundFiles.Found) -> String {
    let name = file.shortName.split(separator: UInt8(ascii: "/")).last ?? file.shortName[...]
    let stem = name.lastIndex(of: UInt8(ascii: ".")).map { name[..<$0] } ?? name
    return Shown.lossless(Array(stem.isEmpty ? name : stem))
  }
}
