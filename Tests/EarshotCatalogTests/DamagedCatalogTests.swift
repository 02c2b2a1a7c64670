import EarshotSignature
import Foundation
import Testing

@testable import EarshotCatalog

@Suite("A catalog that isn't what was written is refused") struct DamagedCatalogTests {
  /// Opens and checks everything; returns what was wrong.
  private static func fault(_ path: [UInt8]) -> CatalogError? {
    do throws(CatalogError) {
      let catalog = try Catalog(path: path)
      _ = try CatalogVerifier(catalog).verify()
      return nil
    } catch {
      return error
    }
  }

  @Test("every single bit of every byte counts")
  func everyByte() throws {
    let folder = try TestFolder()
    try Catalogs.writeSmall(folder.file("a.earshot"))
    let whole = try folder.bytes("a.earshot")
    #expect(whole.count < 10_000)
    let path = folder.path + "/b.earshot"
    try folder.write(whole, "b.earshot")
    let descriptor = open(path, O_RDWR)
    defer { close(descriptor) }
    for offset in whole.indices {
      // One bit of each byte, by turns, and all bits of it.
      for mask in [UInt8(1) << UInt8(offset % 8), 0xFF] {
        var byte = whole[offset] ^ mask
        #expect(pwrite(descriptor, &byte, 1, off_t(offset)) == 1)
        #expect(Self.fault(folder.file("b.earshot")) != nil, "byte \(offset), mask \(mask)")
      }
      var byte = whole[offset]
      #expect(pwrite(descriptor, &byte, 1, off_t(offset)) == 1)
    }
    #expect(Self.fault(folder.file("b.earshot")) == nil)
  }

  @Test("a changed byte between sections is told when the file is opened")
  func padding() throws {
    let folder = try TestFolder()
    try Catalogs.writeSmall(folder.file("a.earshot"))
    var bytes = try folder.bytes("a.earshot")
    let offset = try #require((1000..<4096).last { bytes[$0] == 0 })
    bytes[offset] = 1
    try folder.write(bytes, "b.earshot")
    #expect(throws: CatalogError.wrongChecksum(part: .padding, offset: offset, byteCount: 1)) {
      try Catalog(path: folder.file("b.earshot"))
    }
  }

  @Test("a file cut anywhere says that it ends early, or that it is no catalog")
  func cut() throws {
    let folder = try TestFolder()
    try Catalogs.writeSmall(folder.file("a.earshot"))
    let whole = try folder.bytes("a.earshot")
    for count in 0..<whole.count {
      try folder.write(Array(whole.prefix(count)), "b.earshot")
      #expect(throws: Self.expected(count, of: whole)) {
        try Catalog(path: folder.file("b.earshot"))
      }
    }
  }

  private static func expected(_ count: Int, of whole: [UInt8]) -> CatalogError {
    let header = CatalogFormat.headerByteCount
    if count < 4 { return .truncated(offset: 0, needed: header, available: count) }
    if count < 8 {
      let first = whole.prefix(4).enumerated().reduce(UInt32(0)) {
        $0 | UInt32($1.element) << UInt32(8 * $1.offset)
      }
      return .notACatalog(found: first)
    }
    if count < header { return .truncated(offset: 0, needed: header, available: count) }
    return .truncated(offset: count, needed: whole.count - count, available: 0)
  }

  @Test("bytes after the end are told")
  func trailing() throws {
    let folder = try TestFolder()
    try Catalogs.writeSmall(folder.file("a.earshot"))
    let whole = try folder.bytes("a.earshot")
    try folder.write(whole + [0], "b.earshot")
    #expect(throws: CatalogError.trailingBytes(offset: whole.count, count: 1)) {
      try Catalog(path: folder.file("b.earshot"))
    }
  }

  @Test("what is no catalog says so")
  func strangers() throws {
    let folder = try TestFolder()
    try folder.write(Array("RIFF....WAVEfmt ".utf8), "a")
    #expect(throws: CatalogError.notACatalog(found: 0x4646_4952)) {
      try Catalog(path: folder.file("a"))
    }
    #expect(throws: CatalogError.notAFile) { try Catalog(path: Array(folder.path.utf8)) }
    #expect(throws: CatalogError.unreadable(errno: ENOENT)) {
      try Catalog(path: folder.file("gone"))
    }
    #expect(throws: CatalogError.notAFile) { try Catalog(path: "/dev/zero") }
  }

  @Test("W4: a newer format and other analyzer settings say so, with what was found")
  func versions() throws {
    let folder = try TestFolder()
    try Catalogs.writeSmall(folder.file("a.earshot"))
    let whole = try folder.bytes("a.earshot")
    try folder.write(Forged.header(of: whole) { $0[8] = 2 }, "newer")
    #expect(throws: CatalogError.unreadableVersion(found: 2, newest: 1)) {
      try Catalog(path: folder.file("newer"))
    }
    let other = AnalyzerSettings.digest ^ 1
    try folder.write(Forged.header(of: whole) { $0[24] ^= 1 }, "other")
    #expect(
      throws: CatalogError.otherSettings(found: other, expected: AnalyzerSettings.digest)
    ) { try Catalog(path: folder.file("other")) }
  }

  @Test(
    "a stranger's catalog with right checksums and impossible numbers is refused",
    .timeLimit(.minutes(2)))
  func forged() throws {
    let folder = try TestFolder()
    try Catalogs.writeSmall(folder.file("a.earshot"))
    let whole = try folder.bytes("a.earshot")
    let extremes: [UInt64] = [
      0, 1, 2, 63, 64, 4095, 4096, 0x7FFF, 0xFFFF, 0x10000, 0x7FFF_FFFF, 0xFFFF_FFFF,
      0x1_0000_0000, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, .max, .max - 63, .max - 64,
    ]
    // Every field of the header, the section table and the records, with every extreme; whatever
    // is made of it, nothing may crash and nothing may be read outside the file.
    var tried = 0
    for place in Forged.fields(of: whole) {
      for extreme in extremes {
        for size in [4, 8] {
          let bytes = Forged.field(of: whole, at: place, size: size, value: extreme)
          try folder.write(bytes, "b.earshot")
          _ = Self.fault(folder.file("b.earshot"))
          tried += 1
        }
      }
    }
    #expect(tried > 1000)
  }

  @Test("peaks out of order behind right checksums are found before they are used")
  func forgedPeaks() throws {
    let folder = try TestFolder()
    var writer = try CatalogWriter(path: folder.file("a.earshot"))
    let place = try writer.append(Catalogs.signature(seed: 1, seconds: 2))
    try writer.append(MediaItem(id: "a", title: "a"), signatureIndex: place)
    try writer.finish()
    let whole = try folder.bytes("a.earshot")
    // The highest bin that fits its bits is not on the axis.
    let bytes = Forged.peaks(of: whole) {
      $0[0] |= 0xF8; $0[1] |= 0x0F
    }
    try folder.write(bytes, "b.earshot")
    let catalog = try Catalog(path: folder.file("b.earshot"))
    #expect(throws: CatalogError.damagedSignature(index: 0, word: 0)) {
      try catalog.withPeaks(ofSignature: 0) { _ in }
    }
  }

  @Test("a section that must be known and isn't is named")
  func unknownSection() throws {
    let folder = try TestFolder()
    try Catalogs.writeSmall(folder.file("a.earshot"))
    let whole = try folder.bytes("a.earshot")
    let entry = 64 + 4 * CatalogFormat.entryByteCount
    let bytes = Forged.table(of: whole) { $0[entry + 4] |= 1 }
    try folder.write(bytes, "b.earshot")
    #expect(throws: CatalogError.unknownSection(SectionKind("TEST"))) {
      try Catalog(path: folder.file("b.earshot"))
    }
  }
}

/// Changes a catalog and makes its checksums right again, as someone with bad intent would.
enum Forged {
  static func number(_ bytes: [UInt8], _ place: Int, _ size: Int = 8) -> Int {
    Int(
      truncatingIfNeeded: (0..<size).reduce(UInt64(0)) {
        $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1)
      })
  }

  static func put(_ value: UInt64, _ bytes: inout [UInt8], _ place: Int, _ size: Int = 8) {
    for index in 0..<size where place + index < bytes.count {
      bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index))
    }
  }

  static func header(of whole: [UInt8], _ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes = whole
    change(&bytes)
    put(Checksum.of(Array(bytes[0..<56])), &bytes, 56)
    return bytes
  }

  static func table(of whole: [UInt8], _ change: (inout [UInt8]) -> Void) -> [UInt8] {
    header(of: whole) { bytes in
      change(&bytes)
      let count = number(whole, 12, 4) * CatalogFormat.entryByteCount
      put(Checksum.of(Array(bytes[64..<(64 + count)])), &bytes, 48)
    }
  }

  static func peaks(of whole: [UInt8], _ change: (inout [UInt8]) -> Void) -> [UInt8] {
    table(of: whole) { bytes in
      let (offset, count) = (number(whole, 64 + 8), number(whole, 64 + 16))
      var peaks = Array(bytes[offset..<(offset + count)])
      change(&peaks)
      bytes.replaceSubrange(offset..<(offset + count), with: peaks)
      let checksums = number(whole, 64 + 32)
      put(Checksum.of(peaks), &bytes, checksums)
      put(Checksum.of(Array(bytes[checksums..<(checksums + 8)])), &bytes, 64 + 24)
    }
  }

  /// Places of numbers: header, section table, item records and signature records.
  static func fields(of whole: [UInt8]) -> [Int] {
    var places = Array(stride(from: 8, to: 56, by: 4))
    let sections = number(whole, 12, 4)
    places += stride(from: 64, to: 64 + sections * 40, by: 4)
    for section in [1, 2] {
      let entry = 64 + section * 40
      let offset = number(whole, entry + 8)
      places += stride(from: offset, to: offset + number(whole, entry + 16), by: 4)
    }
    return places
  }

  static func field(of whole: [UInt8], at place: Int, size: Int, value: UInt64) -> [UInt8] {
    if place < 64 { return header(of: whole) { put(value, &$0, place, size) } }
    return table(of: whole) { bytes in
      put(value, &bytes, place, size)
      for entry in stride(from: 64, to: 64 + number(whole, 12, 4) * 40, by: 40) {
        let (offset, count) = (number(whole, entry + 8), number(whole, entry + 16))
        guard (offset..<(offset + count)).contains(place) else { continue }
        put(Checksum.of(Array(bytes[offset..<(offset + count)])), &bytes, entry + 24)
      }
    }
  }
}
