import Foundation
import Testing

@testable import EarshotCaptions

@Suite("What the fuzzers of captions have kept")
struct KeptCaptionsTests {
  @Test(
    "every kept file is read or refused, whole and cut, and what is read can be shown",
    arguments: ["WebVTT", "SubRip", "TimedText", "CaptionText"])
  func corpus(name: String) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fuzz/Corpus/\(name)")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!files.isEmpty)
    for file in files {
      let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
      for part in 1...4 { check(Array(bytes.prefix(bytes.count * part / 4)), file) }
    }
  }

  private func check(_ bytes: [UInt8], _ file: String) {
    for format in [nil, CaptionFormat.webVTT, .subRip, .timedText] {
      guard let track = try? CaptionTrack(parsing: bytes, options: CaptionOptions(format: format))
      else { continue }
      for (cue, next) in zip(track.cues, track.cues.dropFirst()) {
        #expect((cue.start, cue.order) < (next.start, next.order), "\(file)")
      }
      for cue in track.cues.prefix(20) {
        let isShown = track.active(at: cue.start).contains { $0.order == cue.order }
        #expect(isShown == (cue.end > cue.start), "\(file)")
        #expect(
          cue.text.unicodeScalars.allSatisfy {
            $0 == "\n" || $0.properties.generalCategory != .control
          }, "\(file)")
      }
      // What is wrong with it can be told.
      #expect(CaptionCheck().faults(in: track).allSatisfy { $0.line >= 0 }, "\(file)")
    }
  }
}
