/// Where the sound of one channel comes from.
enum Speaker: UInt8, Sendable, Hashable {
  case mono, left, right, centre, lowFrequency, backLeft, backRight, backCentre, sideLeft, sideRight
  case unknown
}

/// The weight with which each channel enters the left and the right side of the mix.
///
/// The weights are the usual ones of a stereo fold-down: front channels whole, centre and surrounds
/// 3 dB down, the low-frequency channel left out. Where the order is unknown, channels go to the
/// left and the right side by turns.
struct ChannelMix: Sendable, Hashable {
  let left: [Float]
  let right: [Float]

  init(speakers: [Speaker]) {
    let half = Float(0.5).squareRoot()
    let unknown = 2 / Float(max(2, speakers.count))
    var left: [Float] = []
    var right: [Float] = []
    for (index, speaker) in speakers.enumerated() {
      let pair: (Float, Float) =
        switch speaker {
        case .mono: (1, 1)
        case .left: (1, 0)
        case .right: (0, 1)
        case .centre, .backCentre: (half, half)
        case .lowFrequency: (0, 0)
        case .backLeft, .sideLeft: (half, 0)
        case .backRight, .sideRight: (0, half)
        case .unknown: index.isMultiple(of: 2) ? (unknown, 0) : (0, unknown)
        }
      left.append(pair.0)
      right.append(pair.1)
    }
    self.left = left
    self.right = right
  }

  /// The order of WAV, FLAC and ffmpeg for a channel count without a map.
  static func usualSpeakers(_ count: Int) -> [Speaker] {
    switch count {
    case 1: [.mono]
    case 2: [.left, .right]
    case 3: [.left, .right, .centre]
    case 4: [.left, .right, .backLeft, .backRight]
    case 5: [.left, .right, .centre, .backLeft, .backRight]
    case 6: [.left, .right, .centre, .lowFrequency, .backLeft, .backRight]
    case 7: [.left, .right, .centre, .lowFrequency, .backCentre, .sideLeft, .sideRight]
    case 8:
      [.left, .right, .centre, .lowFrequency, .backLeft, .backRight, .sideLeft, .sideRight]
    default: Array(repeating: .unknown, count: count)
    }
  }

  /// The order of Vorbis and Opus, whose decoders keep it.
  static func vorbisSpeakers(_ count: Int) -> [Speaker] {
    switch count {
    case 3: [.left, .centre, .right]
    case 5: [.left, .centre, .right, .backLeft, .backRight]
    case 6: [.left, .centre, .right, .backLeft, .backRight, .lowFrequency]
    case 7: [.left, .centre, .right, .sideLeft, .sideRight, .backCentre, .lowFrequency]
    case 8:
      [.left, .centre, .right, .sideLeft, .sideRight, .backLeft, .backRight, .lowFrequency]
    default: usualSpeakers(count)
    }
  }
}
