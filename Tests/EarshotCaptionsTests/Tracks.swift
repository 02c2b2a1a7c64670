@testable import EarshotCaptions

/// Reads text as a caption file would be read.
func track(
  _ text: String, _ options: CaptionOptions = CaptionOptions()
) throws(CaptionError) -> CaptionTrack {
  try CaptionTrack(parsing: Array(text.utf8), options: options)
}

extension CaptionTrack {
  /// The cues as `start end text`, times in milliseconds, lines parted by a bar.
  var written: [String] {
    cues.map { cue in
      "\(cue.start.microseconds / 1000) \(cue.end.microseconds / 1000) "
        + cue.text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "|")
    }
  }

  /// The faults as `line kind`.
  var listed: [String] { faults.map { "\($0.line) \($0.kind)" } }
}
