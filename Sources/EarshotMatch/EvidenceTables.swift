import EarshotSignature
import Glibc

/// What a cell of the query says about a promised peak: nats for the right place against other music.
///
/// Counted on damaged excerpts of known music by `Scripts/train`. For each class of peak, band of
/// bins, level and context there is ln P(right place) / P(null), and for each class, level and shape
/// what the shape adds to it; together within ±4 nats, for three kinds of sound: clean, middling and
/// noisy. The null is other music: in the first second random
/// alignments, later half of them the best wrong ones.
@_spi(Training) public struct EvidenceTables: Sendable {
  /// The two stages: up to the first second, and after it.
  public static let stageCount = 2
  /// Kinds of sound: clean, middling, noisy.
  public static let kindCount = 3
  /// Bands of bins: low, middle, high.
  public static let bandCount = 3
  /// Values of one kind and stage that say what a level means in its context: by class and band.
  public static let contextValueCount =
    PackedPeak.classCount * bandCount * QueryCells.contextValueCount
  /// How steady a bin is, as far as it matters to what a shape means: not, for a moment, for long.
  static let steadinessCount = 3
  /// Values that say what its shape adds: by class, steadiness and level.
  public static let shapeValueCount =
    PackedPeak.classCount * steadinessCount * AnalyzerSettings.levelCount * QueryCells.shapeCount
  /// Values in one table as it is stored.
  public static let valueCount = contextValueCount + shapeValueCount
  /// Values in one table as it is used: every class at every cell of every band.
  static let denseValueCount = bandCount * QueryCells.valueCount * PackedPeak.classCount
  /// Parts of a nat in which values are stored.
  public static let partsPerNat = 16
  /// Samples of sound heard up to which the first stage's tables hold.
  public static let firstStageSampleCount = AnalyzerSettings.sampleRate

  /// Values of the detailed score: by stage, then as `index` says, one lane for each table of the
  /// mixture, in parts of a nat.
  let mixtures: [[SIMD8<Int8>]]
  /// Values of the scan: by stage, then as `index` says, in quarters of a nat, biased.
  let scans: [[UInt8]]

  /// What levels in their contexts say, without shapes, in the last stage: by kind, then as
  /// `contextIndex` says, in parts of a nat.
  let levelsAlone: [[Int8]]

  /// Lanes of the mixture that are in use: three kinds and two bounded ones.
  static let mixtureLaneCount = 5
  /// What the bounded tables take as the share of peaks that are not buried.
  static let boundedShares = [0.3, 0.12]

  /// Quarters of a nat that the scan counts, at least and at most.
  static let scanRange = -8...12
  /// Parts of a nat in the scan's values.
  static let scanPartsPerNat = 4
  /// What is added to every value of the scan, so that it is not negative.
  static let scanBias = -scanRange.lowerBound

  /// The tables that were counted on known music; see `EvidenceTables+Trained.swift`.
  public static let trained = EvidenceTables(values: decode(trainedBytes))

  /// Reads values that are written two hexadecimal digits each.
  private static func decode(_ text: StaticString) -> [Int8] {
    func digit(_ byte: UInt8) -> UInt8 { byte < 0x3a ? byte &- 0x30 : byte &- 0x57 }
    return text.withUTF8Buffer { bytes in
      stride(from: 0, to: bytes.count, by: 2).map { index in
        Int8(bitPattern: unsafe digit(bytes[index]) << 4 | digit(bytes[index + 1]))
      }
    }
  }

  /// Takes `stageCount * kindCount * valueCount` values, in parts of a nat: of each stage and kind
  /// first the contexts', then the shapes'.
  public init(values: [Int8]) {
    precondition(
      values.count == Self.stageCount * Self.kindCount * Self.valueCount, "all tables are there")
    var mixtures: [[SIMD8<Int8>]] = []
    var scans: [[UInt8]] = []
    for stage in 0..<Self.stageCount {
      let start = stage * Self.kindCount * Self.valueCount
      let dense = DenseTables(values[start..<start + Self.kindCount * Self.valueCount])
      mixtures.append(dense.mixture)
      scans.append(dense.scan)
    }
    self.mixtures = mixtures
    self.scans = scans
    levelsAlone = (0..<Self.kindCount).map { kind in
      let start = ((Self.stageCount - 1) * Self.kindCount + kind) * Self.valueCount
      return Array(values[start..<start + Self.contextValueCount])
    }
  }

  /// Where the value of a cell is: by band, cell and class, so that all classes lie together.
  @inline(__always)
  static func index(cell: UInt16, peakClass: Int, bin: Int) -> Int {
    (band(ofBin: bin) * QueryCells.valueCount + Int(cell)) * PackedPeak.classCount + peakClass
  }

  /// The band of a bin: bins 0 to 122, 123 to 245, 246 to 368.
  @inline(__always)
  public static func band(ofBin bin: Int) -> Int { bin / 123 }

  /// Where the stored value of a level in its context is.
  public static func contextIndex(cell: UInt16, peakClass: Int, bin: Int) -> Int {
    (peakClass * bandCount + band(ofBin: bin)) * QueryCells.contextValueCount + Int(cell & 0xff)
  }

  /// Where the stored value of a shape at a level is, counted from the shapes' first.
  ///
  /// A bin that has been strong all the time has a ridge at any moment, and no rise: there the shape
  /// is no evidence either, and has values of its own.
  public static func shapeIndex(cell: UInt16, peakClass: Int) -> Int {
    let steadiness = !QueryCells.isSustained(cell) ? 0 : cell >> 4 & 3 == 3 ? 2 : 1
    return
      ((peakClass * steadinessCount + steadiness) * AnalyzerSettings.levelCount
      + Int(cell & 15)) * QueryCells.shapeCount + Int(cell >> 8)
  }
}

/// One stage's tables as they are used: context and shape together, and the bounded ones.
private struct DenseTables {
  var mixture: [SIMD8<Int8>] = Array(repeating: SIMD8(), count: EvidenceTables.denseValueCount)
  var scan: [UInt8] = Array(repeating: 0, count: EvidenceTables.denseValueCount)

  /// The most that one cell says, in parts of a nat.
  private static let limit = 4 * EvidenceTables.partsPerNat
  /// The bounded values, and those of the scan, of every value of the noisy table.
  private static let bounded: [(lanes: SIMD8<Int8>, scan: UInt8)] = (-limit...limit).map { value in
    let parts = Double(EvidenceTables.partsPerNat)
    func nats(_ share: Double) -> Double { log(1 - share + share * exp(Double(value) / parts)) }
    var lanes = SIMD8<Int8>()
    for (lane, share) in EvidenceTables.boundedShares.enumerated() {
      lanes[EvidenceTables.kindCount + lane] = Int8((nats(share) * parts).rounded())
    }
    let quarters = nats(EvidenceTables.boundedShares[0]) * Double(EvidenceTables.scanPartsPerNat)
    let range = EvidenceTables.scanRange
    let clamped = min(max(Int(quarters.rounded()), range.lowerBound), range.upperBound)
    return (lanes, UInt8(clamped + EvidenceTables.scanBias))
  }

  init(_ values: ArraySlice<Int8>) {
    let noisy = EvidenceTables.kindCount - 1
    for band in 0..<EvidenceTables.bandCount {
      let bin = band * 123
      for cell in 0..<UInt16(QueryCells.valueCount) {
        for peakClass in 0..<PackedPeak.classCount {
          let context = EvidenceTables.contextIndex(cell: cell, peakClass: peakClass, bin: bin)
          let shape =
            EvidenceTables.contextValueCount
            + EvidenceTables.shapeIndex(cell: cell, peakClass: peakClass)
          var lanes = SIMD8<Int8>()
          for kind in 0..<EvidenceTables.kindCount {
            let start = values.startIndex + kind * EvidenceTables.valueCount
            let sum = Int(values[start + context]) + Int(values[start + shape])
            lanes[kind] = Int8(min(max(sum, -Self.limit), Self.limit))
          }
          let bounded = Self.bounded[Int(lanes[noisy]) + Self.limit]
          let index = EvidenceTables.index(cell: cell, peakClass: peakClass, bin: bin)
          mixture[index] = lanes | bounded.lanes
          scan[index] = bounded.scan
        }
      }
    }
  }
}
