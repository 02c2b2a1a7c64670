import EarshotSignature
import Glibc

/// Finds offset and tempo of a known alignment to a fraction of a frame.
///
/// The query is cut into half seconds. Each has a curve: what its peaks find when it is shifted by a
/// few frames. The fit is the straight line through all curves, offset and tempo, on which their sum
/// is highest. Between whole frames the curves are interpolated, so the fit is much finer than a hop.
struct PlaceFit {
  let detail: DetailedScore

  /// Frames of one segment of the query.
  private static let segmentFrameCount = 32
  /// Shifts to each side, in frames, for which the curves are counted: fewer for a short query, whose
  /// first and last frames can't be shifted.
  private static let reachMax = 6
  private static func reach(frameCount: Int) -> Int { min(reachMax, max(2, frameCount / 6)) }
  /// Frames of a query from which its tempo is fitted, not taken from the hypothesis: 1.9 s.
  private static let tempoFrameCountMin = 110
  /// Nats for each percent that the tempo is away from the hypothesis by which it was found.
  private static let tempoPenaltyPerPercent = 2.0
  /// Nats that another tempo than the reference's own has to gain: nearly everything is played at it.
  /// Neighbouring peaks are no independent witnesses, so a share of all evidence comes on top.
  private static let ownTempoLead = (nats: 3.0, share: 0.03)
  /// Steps of the search: the shift at the query's ends, in frames, and how many to each side.
  private static let steps = [(size: 0.5, count: 9), (size: 0.1, count: 6), (size: 0.02, count: 6)]

  /// What one segment finds at each shift.
  private struct Curve {
    let reach: Int
    var values: [Double]
    /// The sum of the parts of a frame by which peaks were rounded, and how many there are.
    var rounding = 0.0
    var peakCount = 0
    var middleSum = 0.0

    init(reach: Int) {
      self.reach = reach
      values = Array(repeating: 0, count: 2 * reach + 1)
    }

    var middle: Double { middleSum / Double(max(1, peakCount)) }

    /// The value at a shift that is no whole number, by a cubic through four neighbours.
    func value(at shift: Double) -> Double {
      let x = min(max(shift - rounding / Double(max(1, peakCount)), -Double(reach)), Double(reach))
      let lower = min(max(Int(x.rounded(.down)) + reach, 1), values.count - 3)
      let t = x + Double(reach) - Double(lower)
      let (a, b, c, d) = (values[lower - 1], values[lower], values[lower + 1], values[lower + 2])
      return b + 0.5 * t
        * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
    }
  }

  /// The alignment at which the first `frameCount` frames fit best, found by a hypothesis at `tempo`.
  func fit(
    _ start: Alignment, tempo: Double, cells: borrowing QueryCells, frameCount: Int
  ) -> Alignment {
    var best = start
    if frameCount < Self.tempoFrameCountMin {
      best.offset += (start.tempo - tempo) * Double(frameCount) / 2
      best.tempo = tempo
    }
    for _ in 0..<2 { best = refit(best, prior: tempo, cells: cells, frameCount: frameCount) }
    return best
  }

  private func refit(
    _ base: Alignment, prior: Double, cells: borrowing QueryCells, frameCount: Int
  ) -> Alignment {
    let curves = curves(of: base, cells: cells, frameCount: frameCount)
    guard !curves.isEmpty else { return base }
    let half = max(Double(frameCount) / 2, 1)
    let reach = Double(Self.reach(frameCount: frameCount))
    // The slope is the shift, in frames, at the query's end against that at its middle.
    func tempo(_ slope: Double) -> Double { base.tempo / (1 + slope / half) }
    func value(_ shift: Double, _ slope: Double) -> Double {
      var sum = 0.0
      for curve in curves { sum += curve.value(at: shift + slope * (curve.middle - half) / half) }
      return sum - 100 * abs(tempo(slope) / prior - 1) * Self.tempoPenaltyPerPercent
    }
    var best = (shift: 0.0, slope: 0.0, value: value(0, 0))
    for step in Self.steps where frameCount >= Self.tempoFrameCountMin {
      let centre = best
      for shiftStep in -step.count...step.count {
        for slopeStep in -step.count...step.count {
          let shift = centre.shift + Double(shiftStep) * step.size
          let slope = centre.slope + Double(slopeStep) * step.size
          guard abs(shift) <= reach, abs(slope) <= reach else { continue }
          let trial = value(shift, slope)
          if trial > best.value { best = (shift, slope, trial) }
        }
      }
    }
    // The hypothesis's own tempo, where it is all there is, or is the reference's and as good.
    let own = (base.tempo / prior - 1) * half
    let isShort = frameCount < Self.tempoFrameCountMin
    if isShort || prior == 1 && abs(own) <= reach {
      var bestOwn = (shift: 0.0, value: -Double.infinity)
      for step in -100...100 {
        let shift = Double(step) * 0.02 * reach / 2
        let trial = value(shift, own)
        if trial > bestOwn.value { bestOwn = (shift, trial) }
      }
      let lead = Self.ownTempoLead.nats + Self.ownTempoLead.share * max(0, best.value)
      if isShort || bestOwn.value + lead > best.value {
        best = (bestOwn.shift, own, bestOwn.value)
      }
    }
    var result = base
    result.tempo = abs(best.slope - own) < 1e-9 ? prior : tempo(best.slope)
    result.offset = base.offset + base.tempo * half - result.tempo * (half + best.shift)
    return result
  }

  /// The curves of all segments, valued by the table that suits this sound best.
  private func curves(
    of base: Alignment, cells: borrowing QueryCells, frameCount: Int
  ) -> [Curve] {
    // Levels alone: they fall off evenly to both sides, where shapes change from frame to frame.
    let kind = min(
      bestLane(of: base, cells: cells, frameCount: frameCount), EvidenceTables.kindCount - 1)
    let values = EvidenceTables.trained.levelsAlone[kind]
    let reach = Self.reach(frameCount: frameCount)
    var curves: [Curve] = []
    let cellBase = unsafe cells.pointer
    detail.forEachPlace(of: base, frameCount: frameCount) { place, bin, peakClass in
      let frame = Int(place.rounded())
      guard frame >= reach, frame + reach < frameCount else { return }
      let segment = frame / Self.segmentFrameCount
      while curves.count <= segment { curves.append(Curve(reach: reach)) }
      // What came before is the same for all shifts, so that it does not draw the place to one side.
      let context = unsafe cellBase[frame * AnalyzerSettings.binCount + bin] & 0xf0
      for lag in -reach...reach {
        let shifted = unsafe cellBase[(frame + lag) * AnalyzerSettings.binCount + bin] & 15
        let index = EvidenceTables.contextIndex(
          cell: context | shifted, peakClass: peakClass, bin: bin)
        curves[segment].values[lag + reach] +=
          Double(values[index]) / Double(EvidenceTables.partsPerNat)
      }
      curves[segment].rounding += Double(frame) - place
      curves[segment].middleSum += place
      curves[segment].peakCount += 1
    }
    return curves.filter { $0.peakCount > 0 }
  }

  private func bestLane(
    of base: Alignment, cells: borrowing QueryCells, frameCount: Int
  ) -> Int {
    var sums = SIMD8<Int32>()
    let cellBase = unsafe cells.pointer
    let mixture = detail.mixture
    detail.forEachPeak(of: base, frameCount: frameCount) { frame, bin, peakClass in
      let cell = unsafe cellBase[frame * AnalyzerSettings.binCount + bin]
      let index = EvidenceTables.index(cell: cell, peakClass: peakClass, bin: bin)
      sums &+= SIMD8<Int32>(truncatingIfNeeded: mixture[index])
    }
    var best = 0
    for lane in 1..<EvidenceTables.mixtureLaneCount where sums[lane] > sums[best] { best = lane }
    return best
  }
}
