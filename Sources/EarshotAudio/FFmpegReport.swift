/// What ffmpeg's messages say of its input: length, coding and number of sound streams.
struct FFmpegReport {
  private(set) var durationSeconds: Double?
  /// Where the container's clock begins.
  private(set) var startSeconds = 0.0
  private(set) var coding: String?
  private(set) var soundStreamCount = 0
  private(set) var hasNoSound = false
  /// Whether there are moving pictures, which a cover is not.
  private(set) var hasPictures = false
  private(set) var tags = SoundTags()
  /// How often something could not be decoded, as far as the messages were kept.
  private(set) var damageCount = 0

  private var isEstimate = false

  init(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self)
    }
    damageCount = lines.count {
      $0.hasPrefix("Error while decoding stream") || $0.hasSuffix("CRC mismatch!")
    }
    for line in lines {
      if line.hasPrefix("Output #") || line.hasPrefix("Stream mapping") { break }
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      if words.first == "Duration:", words.count > 1 {
        durationSeconds = isEstimate ? nil : Self.seconds(words[1])
        if let start = words.firstIndex(of: "start:"), start + 1 < words.count {
          startSeconds = Double(words[start + 1].prefix { $0 != "," }) ?? 0
        }
      } else if words.first == "Stream", let audio = words.firstIndex(of: "Audio:") {
        soundStreamCount += 1
        if coding == nil, audio + 1 < words.count {
          coding = Self.name(words[audio + 1].prefix { $0 != "," })
        }
      } else if words.first == "Stream", words.contains("Video:"),
        !line.contains("(attached pic)")
      {
        hasPictures = true
      } else if words.count > 2, words[1] == ":" {
        take(tag: words[0].lowercased(), line.drop { $0 != ":" }.dropFirst(2))
      } else if line.contains("Estimating duration") {
        // Bare frames have no header that says how long they go on.
        isEstimate = true
      } else if line.contains("matches no streams") || line.contains("does not contain any stream")
      {
        hasNoSound = true
      }
    }
  }

  /// Keeps the first of each tag: those of the file come before those of its streams.
  private mutating func take(tag name: String, _ value: Substring) {
    let text = SoundTags.text(Array(value.utf8))
    switch name {
    case "title": tags.title = tags.title ?? text
    case "artist": tags.artist = tags.artist ?? text
    case "album": tags.album = tags.album ?? text
    case "genre": tags.genre = tags.genre ?? text
    default: break
    }
  }

  /// Hours, minutes and seconds, such as `00:03:20.52,`.
  private static func seconds(_ text: Substring) -> Double? {
    let parts = text.prefix { $0 != "," }.split(separator: ":").map { Double($0) }
    guard parts.count == 3, let hours = parts[0], let minutes = parts[1], let seconds = parts[2]
    else { return nil }
    return hours * 3600 + minutes * 60 + seconds
  }

  private static func name(_ coding: Substring) -> String {
    switch coding {
    case "vorbis": "Vorbis"
    case "opus": "Opus"
    case "ac3": "AC-3"
    case "eac3": "E-AC-3"
    case let pcm where pcm.hasPrefix("pcm_"): "PCM"
    case "wmav1": "WMA 1"
    case "wmav2": "WMA"
    case "wmapro": "WMA Pro"
    case "wmalossless": "WMA Lossless"
    default: coding.uppercased()
    }
  }
}
