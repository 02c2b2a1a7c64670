import EarshotSignature
import Foundation
import TestSupport
import Testing

@testable import EarshotCatalog

@Suite("The outline of a large catalog")
struct OutlineTests {
  /// Signatures of several pieces' length, of none, and in between.
  private static let source = IndexTests.Source(
    signatures: [3.0, 0.05, 2300, 4.2, 31].enumerated().map {
      Catalogs.signature(seed: UInt64($0 + 11), seconds: $1)
    })

  private static func built() throws -> [UInt8] {
    var bytes: [UInt8] = []
    try OutlineBuilder().build(source) { part throws(CatalogError) in bytes += part }
    return bytes
  }

  private static func opened(_ bytes: [UInt8]) throws -> CatalogOutline? {
    try CatalogOutline.opened(bytes, signatureCount: source.signatureCount) {
      source.frameCount(ofSignature: $0)
    }
  }

  /// The words of every cell, read piece by piece; a piece's last cell is held by the next one too.
  private static func cells(_ outline: CatalogOutline) -> [[UInt16]] {
    var cells: [[UInt16]] = []
    var piece = CatalogOutline.Piece()
    for number in 0..<outline.pieceCount {
      guard outline.read(number, into: &piece) else { return [] }
      for index in 0..<piece.cells.count {
        cells.append(Array(piece.words[piece.starts[index]..<piece.starts[index + 1]]))
      }
    }
    return cells
  }

  @Test(
    "holds the strongest quarter of the peaks, in cells of four seconds, after an empty one each")
  func twin() throws {
    let outline = try #require(try Self.opened(try Self.built()))
    var expected: [[UInt16]] = []
    for signature in Self.source.signatures {
      let first = expected.count + 1
      expected += [[UInt16]](repeating: [], count: 1 + (signature.frameCount + 255) / 256)
      PackedPeak.forEach(in: signature.packedPeaks.span) { frame, peak in
        guard peak.peakClass & 3 == 3 else { return }
        let step = frame % 256 / 8
        expected[first + frame / 256].append(
          UInt16(step << 11 | peak.bin << 1 | peak.peakClass >> 2))
      }
    }
    #expect(outline.pieceCount > 1)
    #expect(outline.cellCount == expected.count)
    #expect(Self.cells(outline) == expected)
  }

  @Test("holds the cell after each piece as well, so that a query may reach into it")
  func seams() throws {
    let outline = try #require(try Self.opened(try Self.built()))
    let cells = Self.cells(outline)
    var piece = CatalogOutline.Piece()
    for number in 0..<outline.pieceCount {
      #expect(outline.read(number, into: &piece))
      let last = piece.cells.count
      let after = Array(piece.words[piece.starts[last]..<piece.starts[last + 1]])
      #expect(after == (piece.cells.upperBound < cells.count ? cells[piece.cells.upperBound] : []))
    }
  }

  @Test("a changed byte among the counts or behind them is found")
  func damage() throws {
    let bytes = try Self.built()
    let cellCount = try #require(try Self.opened(bytes)).cellCount
    let counts = bytes.count - 64 - (cellCount + 7) & ~7
    for place in Array(counts..<(counts + cellCount))
      + Array((bytes.count - 64)..<(bytes.count - 16))
    {
      var changed = bytes
      changed[place] ^= 1 << UInt8(place % 8)
      // Nil: made by another build, as far as one can tell; it would be built anew.
      let outline = try? Self.opened(changed)
      #expect(outline == nil)
    }
  }

  @Test("what a stranger wrote, with checksums that fit, is refused or can be read")
  func hostile() throws {
    let bytes = try Self.built()
    var random = SyntheticSound.Random(seed: 5)
    func next(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    var readCount = 0
    for round in 0..<200 {
      var changed = bytes
      let trailer = changed.count - 64
      if round % 3 == 0 {
        for _ in 0..<9 { changed[next(trailer)] = UInt8(next(256)) }
      } else {
        changed[trailer + 16 + next(16)] = UInt8(next(256))
      }
      let (words, cells) = (number(changed, trailer + 16), number(changed, trailer + 24))
      let start = (2 * words + 7) & ~7
      if start <= trailer, cells <= trailer - start {
        put(Checksum.of(changed[start..<(start + cells)]), trailer + 32, in: &changed)
      }
      put(Checksum.of(changed[trailer..<(trailer + 40)]), trailer + 40, in: &changed)
      guard let outline = try? Self.opened(changed) else { continue }
      readCount += Self.cells(outline).count
    }
    #expect(readCount > 1000)
  }

  private func number(_ bytes: [UInt8], _ place: Int) -> Int {
    (0..<7).reversed().reduce(0) { $0 << 8 | Int(bytes[place + $1]) }
  }

  private func put(_ value: UInt64, _ place: Int, in bytes: inout [UInt8]) {
    for byte in 0..<8 { bytes[place + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte)) }
  }

  @Test("stands in the file beside the index, and is built where there is none")
  func file() throws {
    let folder = try TestFolder()
    for choice in [IndexChoice.always, .never] {
      var writer = try CatalogWriter(path: folder.file("o.earshot"))
      writer.indexChoice = choice
      for (number, signature) in Self.source.signatures.enumerated() {
        let place = try writer.append(signature)
        try writer.append(MediaItem(id: "\(number)", title: "t"), signatureIndex: place)
      }
      try writer.finish()
      let catalog = try Catalog(path: folder.file("o.earshot"))
      #expect(catalog.sectionKinds.contains(.outline) == (choice == .always))
      #expect(try CatalogVerifier(catalog).verify())
      let built = try #require(try Self.opened(try Self.built()))
      #expect(Self.cells(try catalog.outline()) == Self.cells(built))
    }
  }
}
