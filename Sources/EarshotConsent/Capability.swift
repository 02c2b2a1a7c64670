/// What can be consented to; each has its own consent.
public enum Capability: String, Codable, Sendable, Hashable, CaseIterable {
  /// Opening a source of sound.
  case microphone
  /// Keeping a match.
  case library
}

/// What has to be known before the microphone closes; it is part of the consent (rule L1).
public enum ConsentGoal: String, Codable, Sendable, Hashable, CaseIterable {
  /// The item.
  case identify
  /// The item, and its offset and speed.
  case place
  /// Nothing is heard: the capability is not the microphone.
  case none
}
