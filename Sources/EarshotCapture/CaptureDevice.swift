/// One source that can be named in a configuration.
public struct CaptureDevice: Sendable, Hashable {
  /// The name as ALSA takes it: one opaque string that can be pasted back.
  public let name: String
  /// What the system says about it, on one line.
  public let description: String
  /// Whether it carries what a loudspeaker plays; `nil` where that can't be told.
  public let isMonitor: Bool?
  /// Whether the sound server would choose it by itself.
  public let isDefault: Bool

  /// Describes a source.
  public init(name: String, description: String, isMonitor: Bool?, isDefault: Bool) {
    self.name = name
    self.description = description
    self.isMonitor = isMonitor
    self.isDefault = isDefault
  }
}
