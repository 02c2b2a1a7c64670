/// The bounds on what is read from a caption file.
public enum CaptionLimits {
  /// Bytes in a file. The longest caption files seen are under a hundredth of it.
  public static let bytes = 32 << 20
  /// Cues in a track; what follows is left out with a fault.
  public static let cues = 200_000
  /// Faults that are listed; the rest is counted.
  public static let faults = 1000
  /// Bytes of text in one cue; what follows is left out with a fault.
  public static let cueBytes = 16 << 10
  /// Elements inside each other in a TTML file.
  public static let depth = 64
  /// Attributes of one element in a TTML file.
  public static let attributes = 64
  /// Styles and regions in a file.
  public static let styles = 4096
}
