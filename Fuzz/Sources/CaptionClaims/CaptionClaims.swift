public import EarshotCaptions

/// What has to hold for every caption file, whatever its bytes are.
public enum CaptionClaims {
  /// Reads bytes as a caption file, and traps where a claim does not hold.
  public static func check(_ file: [UInt8], as format: CaptionFormat?) {
    let options = CaptionOptions(format: format)
    guard let track = try? CaptionTrack(parsing: file, options: options) else { return }
    precondition(track.cues.count <= CaptionLimits.cues)
    precondition(track.faults.count <= CaptionLimits.faults + 1)
    var before: Cue?
    for cue in track.cues {
      if let before {
        precondition((before.start, before.order) < (cue.start, cue.order), "cues are sorted")
      }
      before = cue
      precondition(cue.line > 0, "every cue has a line")
      precondition(cue.text.utf8.count <= 3 * CaptionLimits.cueBytes, "text is bounded")
      for span in cue.spans {
        precondition(!span.text.isEmpty, "no span is empty")
        precondition(
          span.text.unicodeScalars.allSatisfy {
            $0 == "\n" || $0.properties.generalCategory != .control
          }, "no control character comes through")
      }
    }
    for cue in track.cues.prefix(20) {
      let isFound = track.active(at: cue.start).contains { $0.order == cue.order }
      precondition(isFound == (cue.end > cue.start), "a cue is active from its start")
      precondition(!track.active(at: cue.end).contains { $0.order == cue.order })
    }
    _ = CaptionCheck().faults(in: track)
  }
}
