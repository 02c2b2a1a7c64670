internal import Foundation

/// The line on a terminal that shows how far a build has come; nothing where there is no terminal.
struct BuildProgress {
  private let console: Console
  private let fileCount: Int
  private let byteCount: Int
  private let start = ContinuousClock.now
  private var drawn = ContinuousClock.now - .seconds(1)
  private var width = 0

  init(_ files: [SoundFiles.Found], console: Console) {
    self.console = console
    fileCount = files.count
    byteCount = files.reduce(0) { $0 + $1.byteCount }
  }

  /// Draws the line again, at most four times a second.
  mutating func draw(_ progress: CatalogBuild.Progress) {
    let now = ContinuousClock.now
    guard console.drawsProgress, now - drawn > .milliseconds(250) else { return }
    drawn = now
    let text = Self.line(
      progress, fileCount: fileCount, byteCount: byteCount, elapsed: (now - start) / .seconds(1))
    console.draw("\r" + text + String(repeating: " ", count: max(0, width - text.count)))
    width = text.count
  }

  /// Takes the line away.
  mutating func clear() {
    guard width > 0 else { return }
    console.draw("\r" + String(repeating: " ", count: width) + "\r")
    width = 0
  }

  /// The line's text. The time left is told once a twentieth or 5 s of the work are behind.
  static func line(
    _ progress: CatalogBuild.Progress, fileCount: Int, byteCount: Int, elapsed: Double
  ) -> String {
    var parts = [
      "\(progress.filesDone) of \(fileCount) files",
      SoundFilesText.duration(progress.secondsDone) + " of sound",
    ]
    if elapsed > 1 { parts.append("\(Int(progress.secondsDone / elapsed)) x real time") }
    // What was finished before took no time now.
    let (done, all) = (
      progress.bytesDone - progress.bytesResumed, byteCount - progress.bytesResumed
    )
    let share = all > 0 ? Double(done) / Double(all) : 0
    if share > 0.05 || (share > 0 && elapsed > 5) {
      parts.append(SoundFilesText.duration(elapsed * (1 - share) / share) + " left")
    }
    if progress.filesFailed > 0 { parts.append("\(progress.filesFailed) failed") }
    return parts.joined(separator: ", ")
  }
}
