import Glibc

/// How the power spectrum becomes the 369 bins of the logarithmic frequency axis.
///
/// Where neighbouring bins are closer than the transform's lines (below 806 Hz), a bin is
/// interpolated between the logarithms of two lines; above, it is the logarithm of the mean power
/// over the bin's width. On this axis a change of pitch is a shift of bins.
struct LogFrequencyAxis {
  /// The first bin that averages.
  let averagedBinStart: Int
  /// The lines used, from `firstLine` on.
  let firstLine: Int
  let lineCount: Int
  /// For interpolated bins: the line below, counted from `firstLine`, and the weight of the next.
  let lowerLines: [Int32]
  let upperWeights: [Float]
  /// For averaged bins: the first line, counted from `firstLine`, and where its weights begin.
  let averageStarts: [Int32]
  let weightStarts: [Int32]
  let weights: [Float]

  /// Centre of a bin in hertz; bins may be fractions.
  static func frequency(ofBin bin: Double) -> Double {
    AnalyzerSettings.lowestFrequency * exp2(bin / Double(AnalyzerSettings.binsPerOctave))
  }

  init() {
    let linesPerHertz =
      Double(AnalyzerSettings.windowSampleCount) / Double(AnalyzerSettings.sampleRate)
    let centres = (0..<AnalyzerSettings.binCount).map {
      Self.frequency(ofBin: Double($0)) * linesPerHertz
    }
    let halfWidth = exp2(0.5 / Double(AnalyzerSettings.binsPerOctave))
    let start =
      centres.firstIndex { $0 * (halfWidth - 1 / halfWidth) >= 1 } ?? AnalyzerSettings.binCount
    let first = Int(centres[0])
    var lowerLines: [Int32] = []
    var upperWeights: [Float] = []
    for centre in centres[..<start] {
      lowerLines.append(Int32(Int(centre) - first))
      upperWeights.append(Float(centre - centre.rounded(.down)))
    }
    var averageStarts: [Int32] = []
    var weightStarts: [Int32] = [0]
    var weights: [Float] = []
    for centre in centres[start...] {
      // Line n stands for the power from n - 1/2 to n + 1/2.
      let low = centre / halfWidth
      let high = centre * halfWidth
      let lines = Int((low + 0.5).rounded(.down))...Int((high + 0.5).rounded(.down))
      averageStarts.append(Int32(lines.lowerBound - first))
      for line in lines {
        let share = min(Double(line) + 0.5, high) - max(Double(line) - 0.5, low)
        weights.append(Float(max(0, share) / (high - low)))
      }
      weightStarts.append(Int32(weights.count))
    }
    averagedBinStart = start
    firstLine = first
    let last = Int((centres[AnalyzerSettings.binCount - 1] * halfWidth + 0.5).rounded(.down))
    lineCount = last - first + 2
    self.lowerLines = lowerLines
    self.upperWeights = upperWeights
    self.averageStarts = averageStarts
    self.weightStarts = weightStarts
    self.weights = weights
  }
}
