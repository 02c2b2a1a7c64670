import EarshotSignature
import Foundation
import TestSupport
import Testing

@testable import EarshotCatalog

@Suite("The index of a large catalog")
struct IndexTests {
  /// A source of signatures in memory.
  struct Source: IndexSource {
    var signatures: [Signature]

    var signatureCount: Int { signatures.count }
    func frameCount(ofSignature index: Int) -> Int { signatures[index].frameCount }
    func peakCount(ofSignature index: Int) -> Int { signatures[index].peakCount }
    func withWords(ofSignature index: Int, _ body: (Span<UInt16>) -> Void) throws(CatalogError) {
      let words = signatures[index].packedPeaks
      body(words.span)
    }
  }

  /// Bytes that live as long as the index.
  final class Memory: Sendable {
    nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
    init(_ source: [UInt8]) {
      bytes = .allocate(byteCount: max(1, source.count), alignment: 64)
      bytes.copyBytes(from: source)
    }
    deinit { bytes.deallocate() }
  }

  static let source = Source(
    signatures: [3.0, 0.05, 31, 12, 7].enumerated().map {
      Catalogs.signature(seed: UInt64($0 + 1), seconds: $1)
    })

  static func built(_ source: Source, _ builder: IndexBuilder) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try builder.build(source) { part throws(CatalogError) in bytes += part }
    return bytes
  }

  static func opened(
    _ bytes: [UInt8], _ source: Source, segmentStepCountMax: Int = IndexTimeline.stepCountMax
  ) throws -> CatalogIndex? {
    let memory = Memory(bytes)
    return try CatalogIndex(
      UnsafeRawBufferPointer(start: memory.bytes.baseAddress, count: bytes.count), owner: memory,
      signatureCount: source.signatureCount, segmentStepCountMax: segmentStepCountMax
    ) { source.frameCount(ofSignature: $0) }
  }

  /// All steps of all buckets, by segment and bucket.
  static func contents(_ index: CatalogIndex) throws -> [[UInt32]] {
    var all: [[UInt32]] = []
    var group = CatalogIndex.Group()
    for (number, segment) in index.segments.enumerated() {
      for bucket in 0..<(1 << segment.bucketBits) {
        var steps: [UInt32] = []
        try index.forEachStep(
          ofHash: IndexKey.hash(ofBucket: bucket, bits: segment.bucketBits), inSegment: number,
          through: &group,
          where: { _ in true }
        ) { steps.append($0) }
        all.append(steps)
      }
    }
    return all
  }

  /// The same from the words of the definition, the slow way.
  private func naive(_ index: CatalogIndex, _ source: Source) -> [[UInt32]] {
    var all: [[UInt32]] = []
    for segment in index.segments {
      var buckets = [[UInt32]](repeating: [], count: 1 << segment.bucketBits)
      for (position, number) in segment.timeline.signatures.enumerated() {
        var strong: [(frame: Int, bin: Int)] = []
        let words = source.signatures[number].packedPeaks
        PackedPeak.forEach(in: words.span) { frame, peak in
          if peak.peakClass & 3 == 3 { strong.append((frame, peak.bin)) }
        }
        for (place, anchor) in strong.enumerated() {
          let targets = strong[(place + 1)...].filter {
            (1...16).contains($0.frame - anchor.frame) && abs($0.bin - anchor.bin) >= 3
          }.prefix(4).map { IndexKey.Target(bin: $0.bin, timeCell: ($0.frame - anchor.frame) / 6) }
          for (one, first) in targets.enumerated() {
            for second in targets[(one + 1)...] where abs(first.bin - second.bin) >= 3 {
              let hash = IndexKey.hash(anchor: anchor.bin, second, first)
              let step = Int(segment.timeline.starts[position]) + anchor.frame / 2
              buckets[IndexKey.bucket(ofHash: hash, bits: segment.bucketBits)].append(UInt32(step))
            }
          }
        }
      }
      all += buckets
    }
    return all
  }

  @Test("holds what its naive twin holds, in one pass or many, in one segment or several")
  func twin() throws {
    for (memory, segment) in [(1 << 20, 1 << 29), (100, 1 << 29), (1000, 2500)] {
      let builder = IndexBuilder(keyCountMax: memory, segmentStepCountMax: segment)
      let bytes = try Self.built(Self.source, builder)
      let index = try #require(
        try Self.opened(bytes, Self.source, segmentStepCountMax: segment))
      #expect(index.segments.count == (segment == 2500 ? 2 : 1))
      let found = try Self.contents(index)
      #expect(found == naive(index, Self.source))
      #expect(found.reduce(0) { $0 + $1.count } > 1000)
    }
  }

  @Test("leads to the first word at or after a frame")
  func seeks() throws {
    let bytes = try Self.built(Self.source, IndexBuilder())
    let index = try #require(try Self.opened(bytes, Self.source))
    for (number, signature) in Self.source.signatures.enumerated() {
      for wanted in stride(from: 0, to: signature.frameCount + 600, by: 97) {
        let seek = index.seek(toFrame: wanted, position: number, inSegment: 0)
        var frame = 0
        for word in signature.packedPeaks[..<seek.word] {
          frame += PackedPeak(word: word).frameStep
          #expect(frame < wanted)
        }
        #expect(frame == seek.frame)
        #expect(wanted - frame < 512 + 16 || wanted >= signature.frameCount)
      }
    }
  }

  @Test("writes any rising steps and reads them back")
  func bits() {
    var state: UInt64 = 7
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for round in 0..<300 {
      let stepCount = [3, 1000, 1 << 20, 1 << 30][round % 4]
      let count = [1, 2, 17, 300][round / 4 % 4]
      var steps = (0..<count).map { _ in UInt32(random(stepCount)) }.sorted()
      if round % 7 == 0 { steps[count - 1] = UInt32(stepCount - 1) }
      if round % 5 == 0 { steps = steps.map { _ in steps[0] } }
      var bytes: [UInt8] = []
      IndexBits.append(steps.span, stepCount: stepCount, to: &bytes)
      let size = bytes.count
      bytes += [UInt8](repeating: 0xff, count: 8)
      var found: [UInt32] = []
      bytes.withUnsafeBytes { all in
        let bucket = UnsafeRawBufferPointer(rebasing: all[..<size])
        guard let head = IndexBits.count(bucket) else { return }
        #expect(head.count == count)
        let whole = IndexBits.forEach(
          bucket, stepCount: stepCount, count: head.count, from: head.byteCount
        ) { found.append($0) }
        #expect(whole)
      }
      #expect(found == steps)
    }
  }

  @Test("a changed byte is found, or changes nothing")
  func damage() throws {
    let bytes = try Self.built(Self.source, IndexBuilder())
    let right = try Self.contents(try #require(try Self.opened(bytes, Self.source)))
    var foundCount = 0
    for place in stride(from: 0, to: bytes.count, by: 37) {
      var changed = bytes
      changed[place] ^= 1 << UInt8(place % 8)
      do {
        // Nil: made by another build, as far as one can tell; it would be built anew.
        guard let index = try Self.opened(changed, Self.source) else { continue }
        #expect(try Self.contents(index) == right)
      } catch {
        foundCount += 1
      }
    }
    #expect(foundCount > bytes.count / 37 * 9 / 10)
  }

  @Test("an index from a stranger, with checksums that fit, can at worst be refused")
  func hostile() throws {
    let bytes = try Self.built(Self.source, IndexBuilder())
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SyntheticSound.Random(seed: seed)
    func next(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    var refusedCount = 0
    for _ in 0..<200 {
      var changed = bytes
      let trailer = changed.count - 64
      let regions = [0..<trailer - 96, trailer - 96..<trailer, trailer..<trailer + 32]
      let region = regions[next(3)]
      for _ in 0...next(3) {
        let place = region.lowerBound + next(region.count)
        let values: [UInt8] = [0, 1, 0x7f, 0x80, 0xff, UInt8(next(256))]
        changed[place] = values[next(6)]
      }
      if next(4) == 0 { changed.removeFirst(8 * next(changed.count / 8 - 20)) }
      mend(&changed)
      do {
        guard let index = try Self.opened(changed, Self.source) else { continue }
        var group = CatalogIndex.Group()
        for (number, segment) in index.segments.enumerated() {
          for bucket in 0..<(1 << segment.bucketBits) {
            try index.forEachStep(
              ofHash: IndexKey.hash(ofBucket: bucket, bits: segment.bucketBits), inSegment: number,
              through: &group,
              where: { _ in true }
            ) { #expect(Int($0) < segment.timeline.stepCount) }
          }
          for position in 0..<Self.source.signatureCount {
            _ = index.seek(toFrame: next(4000), position: position, inSegment: number)
          }
        }
      } catch {
        refusedCount += 1
      }
    }
    #expect(refusedCount > 30, "seed \(seed)")
  }

  /// Makes all checksums of a changed index fit again, as far as its numbers allow.
  private func mend(_ bytes: inout [UInt8]) {
    func number(_ place: Int, _ count: Int) -> Int {
      guard place >= 0, place + count <= bytes.count else { return 0 }
      return (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[place + $1]) }
    }
    func put(_ value: UInt64, _ place: Int) {
      guard place >= 0, place + 8 <= bytes.count else { return }
      for byte in 0..<8 {
        bytes[place + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte))
      }
    }
    func checksum(_ start: Int, _ count: Int) -> UInt64? {
      guard start >= 0, count >= 0, start <= bytes.count, count <= bytes.count - start else {
        return nil
      }
      return Checksum.of(bytes[start..<(start + count)])
    }
    let trailer = bytes.count - 64
    let record = trailer - 96
    guard record >= 0 else { return }
    let (groups, directory, directoryCount, seeks, seekCount) = (
      number(record + 16, 7), number(record + 32, 7), number(record + 40, 7),
      number(record + 48, 7), number(record + 56, 7)
    )
    for group in 0..<min(64, directoryCount / 4) {
      let start = groups + 8 * number(directory + 4 * group, 4)
      let end = groups + 8 * number(directory + 4 * group + 4, 4)
      if let sum = checksum(start + 8, end - start - 8) { put(sum, start) }
    }
    if let sum = checksum(directory, directoryCount) { put(sum, record + 64) }
    if let sum = checksum(seeks, seekCount) { put(sum, record + 72) }
    if let sum = checksum(record, 96) { put(sum, trailer + 24) }
    if let sum = checksum(trailer, 32) { put(sum, trailer + 32) }
  }

  @Test("stands in the file where it was asked for, and is verified with it")
  func file() throws {
    let folder = try TestFolder()
    for choice in [IndexChoice.always, .never, .whereNeeded] {
      var writer = try CatalogWriter(path: folder.file("c.earshot"))
      writer.indexChoice = choice
      for (number, signature) in Self.source.signatures.enumerated() {
        let place = try writer.append(signature)
        try writer.append(MediaItem(id: "\(number)", title: "t"), signatureIndex: place)
      }
      try writer.finish()
      let catalog = try Catalog(path: folder.file("c.earshot"))
      #expect(catalog.hasIndex == (choice == .always))
      #expect(try CatalogVerifier(catalog).verify())
      let index = try catalog.index()
      let built = try #require(
        try Self.opened(try Self.built(Self.source, IndexBuilder()), Self.source))
      #expect(try Self.contents(index) == Self.contents(built))
    }
  }
}
