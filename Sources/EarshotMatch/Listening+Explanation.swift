import EarshotSignature
import Glibc

extension Listening {
  /// What an alignment's answer rests on: each promised peak with its place in the query.
  ///
  /// The evidence of a peak is the mean over the kinds of sound in the mixture.
  func explainedPeaks(of alignment: Alignment) -> [MatchExplanation.Peak] {
    let detail = DetailedScore(
      layout: layout, mixture: tables.mixtures[EvidenceTables.stageCount - 1])
    let binCount = AnalyzerSettings.binCount
    let firstCentre = Double(AnalyzerSettings.windowSampleCount) / 2
    var peaks: [MatchExplanation.Peak] = []
    detail.forEachPeak(of: alignment, frameCount: cells.frameCount) { frame, bin, peakClass in
      let cell = unsafe cells.pointer[frame * binCount + bin]
      let parts = detail.mixture[
        EvidenceTables.index(cell: cell, peakClass: peakClass, bin: bin)]
      var sum = 0
      for lane in 0..<EvidenceTables.mixtureLaneCount { sum += Int(parts[lane]) }
      let lanes = EvidenceTables.mixtureLaneCount * EvidenceTables.partsPerNat
      let samples = firstCentre + Double(frame * AnalyzerSettings.hopSampleCount)
      peaks.append(
        MatchExplanation.Peak(
          time: samples / Double(AnalyzerSettings.sampleRate),
          frequency: AnalyzerSettings.lowestFrequency
            * exp2(Double(bin) / Double(AnalyzerSettings.binsPerOctave)),
          evidence: Double(sum) / Double(lanes), isHit: cell & 15 >= AlignmentScore.hitLevel))
    }
    return peaks
  }
}
