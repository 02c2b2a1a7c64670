import Glibc

/// Looks whether another file begins where the decoder of one has ended.
///
/// Of files that were put together byte by byte one is read: its header says where its sound ends.
/// Nobody would notice that the rest is missing, so it is told.
enum FollowingSound {
  /// Bytes by which the decoder may have read ahead.
  private static let readAheadByteCount = 1 << 16
  /// Bytes behind the first file's end in which another may begin, after tags and pictures.
  private static let reachByteCount = 1 << 20
  /// Frames of MP3, one right after the other, that are another file.
  private static let framesInRow = 8

  /// Whether another file of that kind begins after the descriptor's place.
  static func isThere(in file: borrowing OwnedDescriptor, kind: String) throws(AudioError) -> Bool {
    let place = Int(lseek(file.number, 0, SEEK_CUR))
    guard place > 0 else { return false }
    // This file's own beginning, perhaps behind a tag, is not looked at.
    let own = 1 + MPEGFrame.tagByteCount(try file.bytes(at: 0, count: 10))
    let start = max(own, place - readAheadByteCount)
    switch kind {
    case "FLAC":
      let bytes = try file.bytes(at: start, count: readAheadByteCount + reachByteCount)
      // The marker and the header of the block that every stream begins with, which has 34 bytes.
      let marker = Array("fLaC".utf8)
      return holds(bytes) { bytes, at in
        bytes[at..<(at + 4)].elementsEqual(marker) && bytes[at + 4] & 0x7F == 0
          && bytes[(at + 5)..<(at + 8)].elementsEqual([0, 0, 34])
      }
    case "WAV":
      let bytes = try file.bytes(at: start, count: readAheadByteCount + reachByteCount)
      return holds(bytes, isWAV)
    case "MP3":
      // Frames look alike, so only what comes after the decoder's place counts, and several in a row:
      // a frame or two that an encoder didn't count are no other file.
      let bytes = try file.bytes(at: place, count: reachByteCount)
      return bytes.indices.contains { at in
        var next = at
        for _ in 0..<framesInRow {
          guard bytes[min(next, bytes.count - 1)] == 0xFF, let frame = MPEGFrame(bytes, at: next)
          else { return false }
          next += frame.byteCount
        }
        return true
      }
    default: return false
    }
  }

  /// Whether another WAV comes right behind one, by the size that it tells. libsndfile opens no such
  /// file, and ffmpeg reads the first.
  static func isThere(behindWAV file: borrowing OwnedDescriptor) throws(AudioError) -> Bool {
    let head = try file.bytes(at: 0, count: 12)
    let told = head.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    let behind = try file.bytes(at: 8 + told, count: 12)
    return isWAV(head, 0) && isWAV(behind, 0)
  }

  private static func isWAV(_ bytes: [UInt8], _ at: Int) -> Bool {
    bytes.count >= at + 12 && bytes[at..<(at + 4)].elementsEqual("RIFF".utf8)
      && bytes[(at + 8)..<(at + 12)].elementsEqual("WAVE".utf8)
  }

  private static func holds(_ bytes: [UInt8], _ isBeginning: ([UInt8], Int) -> Bool) -> Bool {
    guard bytes.count >= 12 else { return false }
    return (0...(bytes.count - 12)).contains {
      (bytes[$0] == UInt8(ascii: "f") || bytes[$0] == UInt8(ascii: "R")) && isBeginning(bytes, $0)
    }
  }
}
