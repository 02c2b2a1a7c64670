/// The form of a decoder's stream, known once it is open.
struct StreamForm: Sendable, Hashable {
  let rate: Double
  let channels: Int
  var kind: String
  var speakers: [Speaker]
  /// The number of frames that the header promises, or nil.
  var expectedFrames: Int?
  /// Frames at the front that are the encoder's delay and not yet taken out.
  var leadingFrames = 0
  /// The number of sound streams in the container.
  var streamCount = 1
  /// What the file says of itself.
  var tags = SoundTags()
}
