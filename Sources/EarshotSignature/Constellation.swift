/// Chooses the strongest peaks of each block of 32 frames, classes them and packs them.
struct Constellation: ~Copyable, PeakSink {
  /// The words so far; complete after `finish`.
  private(set) var packedPeaks: [UInt16] = []

  private struct Candidate {
    var frame: Int
    var bin: Int
    var height: Int16
    var strength = 0
  }

  private var block: [Candidate] = []
  private var lastFrameOfBin: [Int]
  private var previousFrame = 0

  init() {
    block.reserveCapacity(256)
    let longAgo = -AnalyzerSettings.repetitionFrameCount - 1
    lastFrameOfBin = Array(repeating: longAgo, count: AnalyzerSettings.binCount)
  }

  /// Takes a peak; frames never go back.
  mutating func add(frame: Int, bin: Int, height: Int16) {
    block.append(Candidate(frame: frame, bin: bin, height: height))
  }

  /// Says that all peaks up to and with `frame` have been added.
  mutating func complete(throughFrame frame: Int) {
    if (frame + 1) % AnalyzerSettings.peakBlockFrameCount == 0 { closeBlock() }
  }

  /// Packs what is left.
  mutating func finish() { closeBlock() }

  private mutating func closeBlock() {
    // Ties are broken by place, so that the choice is always the same.
    block.sort { ($1.height, $0.frame, $0.bin) < ($0.height, $1.frame, $1.bin) }
    if block.count > AnalyzerSettings.peaksPerBlock {
      block.removeLast(block.count - AnalyzerSettings.peaksPerBlock)
    }
    for index in block.indices { block[index].strength = 3 - 4 * index / block.count }
    block.sort { ($0.frame, $0.bin) < ($1.frame, $1.bin) }
    for candidate in block { pack(candidate) }
    block.removeAll(keepingCapacity: true)
  }

  private mutating func pack(_ peak: Candidate) {
    let reach = AnalyzerSettings.repetitionFrameCount
    let neighbours = max(0, peak.bin - 1)...min(AnalyzerSettings.binCount - 1, peak.bin + 1)
    let isRepeated = neighbours.contains {
      lastFrameOfBin[$0] < peak.frame && peak.frame - lastFrameOfBin[$0] <= reach
    }
    var step = peak.frame - previousFrame
    while step >= PackedPeak.escapeStep {
      let skipped = min(step, PackedPeak.escapeFrameCountMax)
      packedPeaks.append(PackedPeak(escapeOverFrames: skipped).word)
      step -= skipped
    }
    packedPeaks.append(
      PackedPeak(bin: peak.bin, strength: peak.strength, isRepeated: isRepeated, step: step).word)
    previousFrame = peak.frame
    lastFrameOfBin[peak.bin] = peak.frame
  }
}
