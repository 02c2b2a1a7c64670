import EarshotSignature
import Foundation
import Testing

@testable import EarshotCatalog

@Suite("Passages that signatures share")
struct PassageTests {
  /// A peak at a frame.
  private struct Peak: Hashable {
    var frame: Int
    var bin: Int
    var strength: Int
  }

  /// Peaks of a stretch of sound, 90 a second, drawn from `seed`.
  private static func peaks(seed: UInt64, seconds: Double) -> [Peak] {
    var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let frameCount = Int(seconds * AnalyzerSettings.framesPerSecond)
    return (0..<Int(seconds * 90)).map { _ in
      Peak(
        frame: random(frameCount), bin: random(AnalyzerSettings.binCount), strength: random(4))
    }.sorted { ($0.frame, $0.bin) < ($1.frame, $1.bin) }
  }

  /// A signature of stretches that follow each other, each `seconds` long.
  private static func signature(_ parts: [[Peak]], seconds: Double) throws -> Signature {
    let partFrames = Int(seconds * AnalyzerSettings.framesPerSecond)
    var words: [UInt16] = []
    var last = 0
    for (number, part) in parts.enumerated() {
      for peak in part {
        let frame = number * partFrames + peak.frame
        if frame - last >= PackedPeak.escapeStep {
          words.append(PackedPeak(escapeOverFrames: frame - last).word)
          last = frame
        }
        words.append(
          PackedPeak(
            bin: peak.bin, strength: peak.strength, isRepeated: false, step: frame - last
          ).word)
        last = frame
      }
    }
    return try Signature(
      sampleCount: Int(Double(parts.count) * seconds * 16_000) + 4096, packedPeaks: words,
      settingsDigest: AnalyzerSettings.digest)
  }

  /// Signatures in memory, as the finder reads them.
  private struct Source: IndexSource {
    var signatures: [Signature]
    var signatureCount: Int { signatures.count }
    func frameCount(ofSignature index: Int) -> Int { signatures[index].frameCount }
    func peakCount(ofSignature index: Int) -> Int { signatures[index].peakCount }
    func withWords(ofSignature index: Int, _ body: (Span<UInt16>) -> Void) {
      let words = signatures[index].packedPeaks
      body(words.span)
    }
  }

  private static func seconds(_ frames: Int) -> Double {
    Double(frames) / AnalyzerSettings.framesPerSecond
  }

  @Test("the same stretch at two places is found where it is, and nothing else", arguments: 0..<6)
  func shared(seed: UInt64) throws {
    let part = Self.peaks(seed: 100 + seed, seconds: 8)
    let others = (0..<5).map { Self.peaks(seed: 200 + 10 * seed + $0, seconds: 8) }
    let found = try #require(
      try PassageFinder().find(
        Source(signatures: [
          try Self.signature([others[0], part, others[1]], seconds: 8),
          try Self.signature([others[2], others[3]], seconds: 8),
          try Self.signature([part, others[4]], seconds: 8),
        ])))
    #expect(found.count == 1)
    let passage = try #require(found.first)
    #expect(passage.first.signatureIndex == 0 && passage.second.signatureIndex == 2)
    #expect(passage.first.frame - passage.second.frame == 500)
    #expect(abs(passage.second.frame) <= 32)
    #expect(abs(Self.seconds(passage.frameCount) - 8) < 0.8)
    #expect(passage.likeness > 900)
  }

  @Test("a passage that loses half its peaks and moves by a frame is found; chance is not")
  func damaged() throws {
    let part = Self.peaks(seed: 1, seconds: 20)
    let kept = part.filter { $0.strength == 3 || $0.frame % 3 == 0 }.map { peak in
      var moved = peak
      moved.frame += (peak.frame * 7 + peak.bin) % 5 == 0 ? 1 : 0
      return moved
    }.sorted { ($0.frame, $0.bin) < ($1.frame, $1.bin) }
    let found = try #require(
      try PassageFinder().find(
        Source(signatures: [
          try Self.signature([Self.peaks(seed: 2, seconds: 20), part], seconds: 20),
          try Self.signature([kept, Self.peaks(seed: 3, seconds: 20)], seconds: 20.5),
        ])))
    #expect(found.count == 1)
    let passage = try #require(found.first)
    #expect((300...800).contains(passage.likeness))
    #expect(abs(Self.seconds(passage.frameCount) - 20) < 1.2)
  }

  @Test("a loop is found within one signature, and what is shorter than two seconds is not")
  func loop() throws {
    let bar = Self.peaks(seed: 5, seconds: 4)
    let found = try #require(
      try PassageFinder().find(
        Source(signatures: [
          try Self.signature([bar, bar, bar, bar], seconds: 4),
          try Self.signature(
            [Self.peaks(seed: 6, seconds: 1), bar.filter { $0.frame < 60 }], seconds: 1),
        ])))
    #expect(!found.isEmpty)
    #expect(found.allSatisfy { $0.first.signatureIndex == 0 && $0.second.signatureIndex == 0 })
    let distances = Set(found.map { $0.second.frame - $0.first.frame })
    #expect(distances.contains(250), "\(distances)")
    #expect(distances.allSatisfy { $0 % 250 == 0 }, "\(distances)")
  }

  @Test("a passage of every signature is a chain that leads from each to all")
  func chain() throws {
    let intro = Self.peaks(seed: 9, seconds: 6)
    let found = try #require(
      try PassageFinder().find(
        Source(
          signatures: try (0..<30).map {
            try Self.signature([intro, Self.peaks(seed: 300 + $0, seconds: 6)], seconds: 6)
          })))
    #expect(found.count <= 90)
    var reached: Set<Int> = [17]
    for _ in 0..<30 {
      for passage in found {
        let ends = [passage.first.signatureIndex, passage.second.signatureIndex]
        if !reached.isDisjoint(with: ends) { reached.formUnion(ends) }
      }
    }
    #expect(reached.count == 30)
  }

  @Test("with fewer keys than there are, long passages are still found")
  func fewerKeys() throws {
    let part = Self.peaks(seed: 11, seconds: 60)
    let found = try #require(
      try PassageFinder(keyCountMax: 1000).find(
        Source(signatures: [
          try Self.signature([Self.peaks(seed: 12, seconds: 60), part], seconds: 60),
          try Self.signature([part, Self.peaks(seed: 13, seconds: 60)], seconds: 60),
        ])))
    #expect(found.count == 1)
    #expect(abs(Self.seconds(found.first?.frameCount ?? 0) - 60) < 1)
  }

  private static func catalog(
    _ folder: TestFolder, _ signatures: [Signature], _ choice: PassageChoice = .record
  ) throws -> Catalog {
    var writer = try CatalogWriter(path: folder.file("c.earshot"))
    writer.passageChoice = choice
    for (index, signature) in signatures.enumerated() {
      let place = try writer.append(signature)
      try writer.append(MediaItem(id: "\(index)", title: "t"), signatureIndex: place)
    }
    try writer.finish()
    return try Catalog(path: folder.file("c.earshot"))
  }

  private static func pair() throws -> [Signature] {
    let part = peaks(seed: 21, seconds: 8)
    return [
      try signature([part, peaks(seed: 22, seconds: 8)], seconds: 8),
      try signature([peaks(seed: 23, seconds: 8), part], seconds: 8),
    ]
  }

  @Test("a catalog keeps its passages, says when they are left for later, and when nothing is said")
  func recorded() throws {
    let folder = try TestFolder()
    let signatures = try Self.pair()
    let whole = try Self.catalog(folder, signatures)
    #expect(whole.hasPassages && whole.passages.count == 1)
    #expect(whole.passages == (try PassageFinder().find(Source(signatures: signatures))))
    #expect(try CatalogVerifier(whole).verify())
    let later = try Self.catalog(folder, signatures, .later)
    #expect(!later.hasPassages && later.passages.isEmpty)
    #expect(later.sectionKinds.contains(.passages))
    #expect(try SharedPassage.find(in: [later]) == whole.passages)
    let silent = try Self.catalog(folder, signatures, .never)
    #expect(!silent.hasPassages && !silent.sectionKinds.contains(.passages))
    // Nothing to share is another answer than nobody looked.
    let alone = try Self.catalog(folder, [signatures[0]])
    #expect(alone.hasPassages && alone.passages.isEmpty)
  }

  /// The bytes of a catalog in which one number of the section PASS is another.
  private static func forged(_ whole: [UInt8], number: Int, value: UInt32) throws -> [UInt8] {
    let count = Forged.number(whole, 12, 4)
    let entry = try #require(
      (0..<count).map { 64 + 40 * $0 }.first {
        Forged.number(whole, $0, 4) == Int(SectionKind.passages.rawValue)
      })
    return Forged.table(of: whole) { bytes in
      let (offset, size) = (Forged.number(whole, entry + 8), Forged.number(whole, entry + 16))
      Forged.put(UInt64(value), &bytes, offset + 4 * number, 4)
      let checksums = Forged.number(whole, entry + 32)
      Forged.put(Checksum.of(Array(bytes[offset..<(offset + size)])), &bytes, checksums)
      Forged.put(
        Checksum.of(Array(bytes[checksums..<(checksums + 8)])), &bytes, entry + 24)
    }
  }

  @Test(
    "numbers of a stranger's section are held against their bounds",
    arguments: [
      (1, 2), (1, .max), (2, 0), (2, 2), (2, .max), (3, 1), (4, 2), (4, .max), (5, .max),
      (5, 1_000_000), (6, 2), (6, .max), (7, .max), (7, 0x7fff_ffff), (8, 0), (8, .max),
      (9, 0), (9, 1001), (9, .max),
    ] as [(Int, UInt32)])
  func strangers(number: Int, value: UInt32) throws {
    let folder = try TestFolder()
    _ = try Self.catalog(folder, try Self.pair())
    let whole = try folder.bytes("c.earshot")
    try folder.write(try Self.forged(whole, number: number, value: value), "f.earshot")
    #expect {
      try Catalog(path: folder.file("f.earshot"))
    } throws: { error in
      guard case .malformed(part: .section(.passages), _) = error as? CatalogError else {
        return false
      }
      return true
    }
  }

  @Test("a section of another version is left alone")
  func otherVersion() throws {
    let folder = try TestFolder()
    _ = try Self.catalog(folder, try Self.pair())
    let whole = try folder.bytes("c.earshot")
    try folder.write(try Self.forged(whole, number: 0, value: 2), "f.earshot")
    let catalog = try Catalog(path: folder.file("f.earshot"))
    #expect(!catalog.hasPassages && catalog.passages.isEmpty && catalog.itemCount == 2)
  }

  @Test("a passage with itself, and two records of one, are refused")
  func order() throws {
    let place = SharedPassage.Place(signatureIndex: 0, frame: 3)
    let same = SharedPassage(first: place, second: place, frameCount: 5, likeness: 500)
    let later = SharedPassage(
      first: place, second: .init(signatureIndex: 0, frame: 9), frameCount: 5, likeness: 500)
    for passages in [[same], [later, later]] {
      let bytes = RecordedPassages(isSearched: true, passages: passages).bytes
      _ = bytes.withUnsafeBytes { buffer in
        #expect(throws: CatalogError.self) {
          _ = try RecordedPassages(
            ByteReader(buffer), offset: 0, byteCount: bytes.count, signatureCount: 1,
            frameCount: { _ in 100 })
        }
      }
    }
  }
}
