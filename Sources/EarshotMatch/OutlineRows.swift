internal import EarshotCatalog
internal import EarshotSignature
import Glibc

/// What a window of the query is worth to every possible peak of an outline.
///
/// Like the scan's rows, but a step is 128 ms: it is worth the likelihood that a peak lies in one of its
/// frames, each as likely as the others, or with half the weight in one of two frames to each side,
/// because the right offset lies between two that are looked at.
struct OutlineRows: ~Copyable {
  /// Steps of the window, at most: 4 s.
  static let stepCountMax = OutlineFormat.stepsPerCell
  /// Bytes from one row to the next: 31 of bias before the window and 33 behind.
  static let stride = 96
  /// Bytes before the first row, for a peak that lies two cells' steps after the window's beginning.
  private static let margin = 64

  /// Steps of the window.
  private(set) var stepCount = 0
  /// The query's frame at which the window begins; even.
  private(set) var firstFrame = 0
  private let rows: WipedBuffer<UInt8>

  init() {
    rows = WipedBuffer(count: Self.margin + (OutlineFormat.rowCount + 1) * Self.stride)
  }

  /// The byte that a peak of row 0 at step 0 of the first cell reads.
  var origin: UnsafeRawPointer {
    unsafe UnsafeRawPointer(
      rows.pointer + Self.margin + OutlineFormat.stepsPerCell - 1 + stepCount - 1)
  }

  /// Fills the rows with the query's last 4 s, or all of it, valued by one stage's table.
  mutating func fill(_ cells: borrowing QueryCells, table: [UInt8]) {
    let perStep = OutlineFormat.framesPerStep
    firstFrame = max(0, cells.frameCount - Self.stepCountMax * perStep) & ~1
    stepCount = min(Self.stepCountMax, (cells.frameCount - firstFrame + perStep - 1) / perStep)
    unsafe rows.pointer.update(repeating: UInt8(EvidenceTables.scanBias), count: rows.count)
    let likelihoods = Self.likelihoods
    let classes = [false, true].map { IndexedStrength.peakClass(isRepeated: $0) }
    for bin in 0..<AnalyzerSettings.binCount {
      for (repeated, peakClass) in classes.enumerated() {
        let row = OutlineFormat.row(bin: bin, isRepeated: repeated == 1)
        // Reversed, because a later offset reads an earlier step.
        let last = Self.margin + row * Self.stride + OutlineFormat.stepsPerCell - 1 + stepCount - 1
        for step in 0..<stepCount {
          var sum: Float = 0
          var weights: Float = 0
          for frame in (step * perStep - 2)..<((step + 1) * perStep + 2) {
            let place = firstFrame + frame
            guard place >= 0, place < cells.frameCount else { continue }
            let cell = unsafe cells.pointer[place * AnalyzerSettings.binCount + bin]
            let isInside = frame >= step * perStep && frame < (step + 1) * perStep
            let weight: Float = isInside ? 1 : 0.5
            let value = table[EvidenceTables.index(cell: cell, peakClass: peakClass, bin: bin)]
            sum += weight * likelihoods[Int(value)]
            weights += weight
          }
          let nats = logf(sum / weights) * Float(EvidenceTables.scanPartsPerNat)
          unsafe rows.pointer[last - step] = UInt8(Int(nats.rounded()) + EvidenceTables.scanBias)
        }
      }
    }
  }

  /// The ratio of likelihoods for each of the scan's biased values.
  private static let likelihoods: [Float] =
    (0...EvidenceTables.scanRange.count).map {
      expf(Float($0 - EvidenceTables.scanBias) / Float(EvidenceTables.scanPartsPerNat))
    }

  /// Makes the rows hold nothing of the query.
  mutating func forget() {
    unsafe rows.pointer.update(repeating: 0, count: rows.count)
    stepCount = 0
  }
}

/// The strength of the peaks that an outline holds.
private enum IndexedStrength {
  static func peakClass(isRepeated: Bool) -> Int {
    IndexKey.strengthMin | (isRepeated ? PackedPeak.classCount / 2 : 0)
  }
}
