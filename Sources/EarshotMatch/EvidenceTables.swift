import EarshotSignature
import Glibc

/// What a cell of the query says about a promised peak: nats for the right place against other music.
///
/// Counted on damaged excerpts of known music by `Scripts/train`. For each class of peak, band of
/// bins and cell value there is ln P(cell | right place) / P(cell | null), within ±4 nats, for three
/// kinds of sound: clean, middling and noisy. The null is other music: in the first second random
/// alignments, later half of them the best wrong ones.
@_spi(Training) public struct EvidenceTables: Sendable {
  /// The two stages: up to the first second, and after it.
  public static let stageCount = 2
  /// Kinds of sound: clean, middling, noisy.
  public static let kindCount = 3
  /// Bands of bins: low, middle, high.
  public static let bandCount = 3
  /// Values in one table.
  public static let valueCount = PackedPeak.classCount * bandCount * QueryCells.valueCount
  /// Parts of a nat in which values are stored.
  public static let partsPerNat = 16
  /// Samples of sound heard up to which the first stage's tables hold.
  public static let firstStageSampleCount = AnalyzerSettings.sampleRate

  /// Values of the detailed score: by stage, class, band and cell, one lane for each table of the
  /// mixture, in parts of a nat.
  let mixtures: [[SIMD8<Int16>]]
  /// Values of the scan: by stage, class, band and cell, in quarters of a nat, biased.
  let scans: [[UInt8]]

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

  /// Takes `stageCount * kindCount * valueCount` values, in parts of a nat.
  public init(values: [Int8]) {
    precondition(
      values.count == Self.stageCount * Self.kindCount * Self.valueCount, "all tables are there")
    var mixtures: [[SIMD8<Int16>]] = []
    var scans: [[UInt8]] = []
    for stage in 0..<Self.stageCount {
      var mixture: [SIMD8<Int16>] = []
      var scan: [UInt8] = []
      for index in 0..<Self.valueCount {
        var lanes = SIMD8<Int16>()
        var noisy = 0.0
        for kind in 0..<Self.kindCount {
          let value = values[(stage * Self.kindCount + kind) * Self.valueCount + index]
          lanes[kind] = Int16(value)
          noisy = Double(value) / Double(Self.partsPerNat)
        }
        for (lane, share) in Self.boundedShares.enumerated() {
          let bounded = log(1 - share + share * exp(noisy))
          lanes[Self.kindCount + lane] = Int16((bounded * Double(Self.partsPerNat)).rounded())
        }
        mixture.append(lanes)
        let share = Self.boundedShares[0]
        let bounded = log(1 - share + share * exp(noisy)) * Double(Self.scanPartsPerNat)
        let quarters = Int(bounded.rounded())
        let clamped = min(max(quarters, Self.scanRange.lowerBound), Self.scanRange.upperBound)
        scan.append(UInt8(clamped + Self.scanBias))
      }
      mixtures.append(mixture)
      scans.append(scan)
    }
    self.mixtures = mixtures
    self.scans = scans
  }

  /// Where the values of a peak begin: by class and bin.
  @inline(__always)
  static func start(peakClass: Int, bin: Int) -> Int {
    (peakClass * bandCount + band(ofBin: bin)) * QueryCells.valueCount
  }

  /// The band of a bin: bins 0 to 122, 123 to 245, 246 to 368.
  @inline(__always)
  public static func band(ofBin bin: Int) -> Int { bin / 123 }
}
