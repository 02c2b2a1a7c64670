@_spi(Training) import EarshotMatch
import EarshotSignature
import Foundation
import Synchronization

/// Writes the ranking of every excerpt at every look as a table, for the study of decisions.
struct Ranker: Sendable {
  let setup: Setup
  let folder: String
  let tables: EvidenceTables
  /// Seconds of each excerpt that are ranked.
  let seconds: Double
  /// Whether only the rankings without the track's own family are wanted.
  let onlyNegatives: Bool

  func run(_ excerpts: [Excerpt], speeds: MatchOptions.Speeds, output: String) throws {
    let lines = Mutex<[String]>([])
    let start = Date()
    try concurrently(excerpts.count) { index in
      let text = try rank(excerpts[index], speeds: speeds)
      let done = lines.withLock { lines in
        lines.append(text)
        return lines.count
      }
      if done % 50 == 0 {
        FileHandle.standardError.write(
          Data("\(done)/\(excerpts.count) \(Int(Date().timeIntervalSince(start))) s\n".utf8))
      }
    }
    try lines.withLock { $0.joined() }.write(toFile: output, atomically: true, encoding: .utf8)
  }

  private func rank(_ excerpt: Excerpt, speeds: MatchOptions.Speeds) throws -> String {
    let analyzer = try SoundFile.analyzed("\(folder)/\(excerpt.name)", seconds: seconds)
    var listening = try Listening(
      setup.space, speeds: speeds, tables: tables, frameCapacity: analyzer.frameCapacity)
    var text = ""
    for look in LookSchedule.sampleCounts where Double(look) <= seconds * 16_000 {
      let frames = min(AnalyzerSettings.frameCount(ofSampleCount: look), analyzer.frameCount)
      try listening.advance(to: frames, heard: look, at: analyzer)
      let family = setup.family(of: excerpt.source)
      // Without the track's own family what is heard is an honest negative.
      let others = tracks(of: try listening.ranking(heard: look, excluding: family))
      let all =
        onlyNegatives || family.isEmpty ? others : tracks(of: try listening.ranking(heard: look))
      text += "\(excerpt.name)\t\(Double(look) / 16000)\t\(all)\t\(others)\n"
    }
    return text
  }

  private func tracks(of ranking: [RankedTrack]) -> String {
    ranking.map { track in
      let a = track.alignment
      var figures = [
        "\(track.signatureIndex)", number(track.score.evidence),
        number(a.offset * 0.016, 4), "\(a.binShift)", number(a.tempo, 5),
        "\(track.score.peakCount)", "\(track.score.hitCount)",
      ]
      if let s = track.score.support {
        figures += [
          "\(s.bandCount)", number(s.evidence), number(s.movingEvidence), number(s.spread, 3),
          number(s.spreadOfAll, 3), number(s.bandSpread, 3), number(s.foundEvidence),
          number(s.missedEvidence), number(s.clean, 3), number(s.noisy, 3),
          number(s.strongCoverage, 3), number(s.explained.clarity), number(s.explained.share, 3),
          number(s.explained.shareOfHeight, 3),
        ]
      }
      return figures.joined(separator: ",")
    }.joined(separator: ";")
  }

  private func number(_ value: Double, _ digits: Int = 2) -> String {
    String(format: "%.\(digits)f", value)
  }
}
