internal import EarshotClient
internal import EarshotMatch

/// What `--explain` shows to a person: the evidence look by look, and the peaks by time and pitch.
enum EvidenceTable {
  /// The octaves in which peaks are counted, by their lowest frequency in hertz.
  private static let octaves = [160.0, 320, 640, 1280, 2560]
  private static let rowCountMax = 20

  /// The table's lines.
  ///
  /// Times are seconds from the query's first sample; `start` is where the stretch begins.
  static func lines(_ explanation: MatchExplanation, from start: Double) -> [String] {
    looks(explanation.looks, from: start) + peaks(explanation.peaks, from: start)
  }

  private static func looks(_ looks: [MatchExplanation.Look], from start: Double) -> [String] {
    guard !looks.isEmpty else { return [] }
    let head = row(["heard", "best item", "best other", "certainty"], widths: [9, 11, 12, 11])
    return ["Evidence in nats:", head]
      + looks.map { look in
        row(
          [
            JSONText.plain(look.heardSeconds + start, digits: 2) + " s",
            tenths(look.best), tenths(look.bestOther), tenths(look.certainty),
          ], widths: [9, 11, 12, 11])
      }
  }

  private static func peaks(_ peaks: [MatchExplanation.Peak], from start: Double) -> [String] {
    guard let last = peaks.map(\.time).max() else { return [] }
    let step = (last / Double(rowCountMax)).rounded(.up)
    let seconds = max(1, step)
    let widths = [11] + octaves.map { _ in 11 } + [10]
    let names = octaves.map { JSONText.plain($0, digits: 0) + " Hz up" }
    var lines = [
      "Peaks hit of those expected, by time and pitch, and their evidence in nats:",
      row(["time"] + names + ["evidence"], widths: widths),
    ]
    for index in 0...Int(last / seconds) {
      let begin = Double(index) * seconds
      let within = peaks.filter { $0.time >= begin && $0.time < begin + seconds }
      let counts = octaves.map { lowest in
        let band = within.filter { $0.frequency >= lowest && $0.frequency < lowest * 2 }
        // The last octave takes what little lies above it.
        let above =
          lowest == octaves.last ? within.filter { $0.frequency >= lowest * 2 } : []
        let all = band + above
        return all.isEmpty ? "-" : "\(all.count { $0.isHit })/\(all.count)"
      }
      let evidence = within.reduce(0) { $0 + $1.evidence }
      lines.append(
        row(
          [JSONText.plain(begin + start, digits: 1) + " s"] + counts
            + [tenths(evidence)], widths: widths))
    }
    return lines
  }

  /// A number with one decimal, also where that is a zero, so that a column stays in line.
  private static func tenths(_ value: Double) -> String {
    let text = JSONText.plain(value, digits: 1)
    return text.contains(".") ? text : text + ".0"
  }

  private static func row(_ cells: [String], widths: [Int]) -> String {
    zip(cells, widths).map { cell, width in
      String(repeating: " ", count: max(1, width - cell.count)) + cell
    }.joined()
  }
}
