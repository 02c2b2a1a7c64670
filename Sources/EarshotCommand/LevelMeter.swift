/// The line that stays while the microphone is open: level and time left.
enum LevelMeter {
  private static let cells = 20
  /// The quietest level that shows, in decibels below full scale.
  private static let floor = -60.0

  /// A bar for a peak in decibels of full scale: empty at -60, full at 0.
  static func bar(peakDecibels: Double) -> String {
    let share = peakDecibels.isFinite ? (peakDecibels - floor) / -floor : 0
    let filled = Int((min(max(share, 0), 1) * Double(cells)).rounded())
    return String(repeating: "▮", count: filled) + String(repeating: "▯", count: cells - filled)
  }

  /// What erases the line it stands on.
  static let erase = "\r\u{1B}[K"
}
