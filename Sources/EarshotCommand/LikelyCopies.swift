internal import EarshotSignature

/// Tells, while a catalog is built, a recording that has come before in another coding.
///
/// Of each sound 64 marks are kept: two of its strongest peaks and the time between them, those with
/// the lowest hashes, so that two codings of one recording keep many of the same. Marks that an
/// earlier sound of the same length has at the same places, in each third of it, make it likely that
/// they are one: a title theme that two share fills no more than a part of them. Another mix of the
/// same recording, as long as it, has the same marks too: so it is said to be likely. Memory
/// is up to 3 kB a sound, whatever its length.
struct LikelyCopies {
  private struct Mark {
    var hash: UInt32
    var frame: Int32
  }

  /// One mark of one sound, and the one before it with the same hash.
  private struct Entry {
    var sound: Int32
    var frame: Int32
    var before: Int32
  }

  private static let marksPerSound = 64
  /// Marks at the same places that make a copy likely.
  private static let sharedMin = 5
  /// Sounds with the same mark that are looked at.
  private static let sameHashMax = 64
  /// Two codings of one recording differ in length by no more than this many seconds and share.
  private static let lengthsApart = (seconds: 0.5, share: 0.005)

  private var entries: [Entry] = []
  private var last: [UInt32: Int32] = [:]
  private var durations: [Int32: Double] = [:]

  /// Remembers a sound.
  mutating func note(_ signature: Signature, as sound: Int) {
    let marks = Self.marks(of: signature)
    durations[Int32(sound)] = signature.duration
    for mark in marks {
      let before = last.updateValue(Int32(entries.count), forKey: mark.hash) ?? -1
      entries.append(Entry(sound: Int32(sound), frame: mark.frame, before: before))
    }
  }

  /// The earlier sound that a signature is likely a copy of, or nil.
  func copy(of signature: Signature) -> Int? {
    find(Self.marks(of: signature), duration: signature.duration)
  }

  private func find(_ marks: [Mark], duration: Double) -> Int? {
    var votes: [Int64: (count: Int, thirds: UInt8)] = [:]
    let frameCount = max(1, duration * AnalyzerSettings.framesPerSecond)
    for mark in marks {
      var index = last[mark.hash] ?? -1
      var seen = 0
      while index >= 0, seen < Self.sameHashMax {
        let entry = entries[Int(index)]
        // Codings put a peak a frame earlier or later: places are compared by two frames.
        let shift = Int64(entry.frame - mark.frame) >> 1
        let key = Int64(entry.sound) << 32 | (shift & 0xffff_ffff)
        let third = min(2, max(0, Int(3 * Double(mark.frame) / frameCount)))
        votes[key, default: (0, 0)].count += 1
        votes[key, default: (0, 0)].thirds |= 1 << UInt8(third)
        index = entry.before
        seen += 1
      }
    }
    var best: (sound: Int, count: Int)?
    for (key, vote) in votes {
      let next = votes[key & ~0xffff_ffff | (key &+ 1) & 0xffff_ffff] ?? (0, 0)
      let both = vote.count + next.count
      let sound = Int(key >> 32)
      guard both >= Self.sharedMin, both > best?.count ?? 0, vote.thirds | next.thirds == 7,
        let other = durations[Int32(sound)],
        abs(other - duration)
          <= max(Self.lengthsApart.seconds, Self.lengthsApart.share * duration)
      else { continue }
      best = (sound, both)
    }
    return best?.sound
  }

  private static func marks(of signature: Signature) -> [Mark] {
    var strong: [(frame: Int, bin: Int)] = []
    PackedPeak.forEach(in: signature.packedPeaks.span) { frame, peak in
      if peak.peakClass & 3 == 3 { strong.append((frame, peak.bin)) }
    }
    var marks: [Mark] = []
    for index in strong.indices {
      let anchor = strong[index]
      for other in strong[(index + 1)...].prefix(3) {
        let step = other.frame - anchor.frame
        guard (1...63).contains(step) else { continue }
        let key = UInt32(anchor.bin / 2) << 14 | UInt32(other.bin / 2) << 6 | UInt32(step)
        // Odd multiplication and shifts mix the bits: neighbours in key are none in hash.
        var hash = key &* 0x9E37_79B1
        hash ^= hash >> 15
        hash &*= 0x85EB_CA77
        hash ^= hash >> 13
        marks.append(Mark(hash: hash, frame: Int32(anchor.frame)))
      }
    }
    marks.sort { ($0.hash, $0.frame) < ($1.hash, $1.frame) }
    var chosen: [Mark] = []
    for mark in marks where chosen.last?.hash != mark.hash {
      chosen.append(mark)
      if chosen.count == marksPerSound { break }
    }
    return chosen
  }
}
