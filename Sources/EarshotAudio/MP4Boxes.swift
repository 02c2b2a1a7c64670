/// The boxes of an MP4 or QuickTime file, as far as they tell where its sound begins.
struct MP4Boxes {
  /// Whether the file says how much of its sound's beginning is the encoder's delay, by an edit list or
  /// as iTunes does. A decoder takes that out.
  private(set) var tellsDelay = false

  /// Reads up to `count` bytes from a place; fewer at the end.
  typealias Source = (_ offset: Int, _ count: Int) throws(AudioError) -> [UInt8]

  private struct Box {
    let name: String
    let start: Int
    let end: Int
  }

  /// More boxes than any file needs that is not made to waste time.
  private static let boxCountMax = 4096
  private var boxCount = 0

  /// Looks through the boxes of a file or of the first bytes of a pipe, which has `byteCount` bytes.
  init(byteCount: Int, source: Source) throws(AudioError) {
    for box in try boxes(from: 0, to: byteCount, source) where box.name == "moov" {
      for inner in try boxes(from: box.start, to: box.end, source) {
        switch inner.name {
        case "trak": if try track(inner, source) { tellsDelay = true }
        case "udta": if try isFromITunes(inner, source) { tellsDelay = true }
        default: break
        }
      }
    }
  }

  /// The boxes one after the other in a part of the file.
  private mutating func boxes(from start: Int, to end: Int, _ source: Source) throws(AudioError)
    -> [Box]
  {
    var found: [Box] = []
    var place = start
    while place + 8 <= end, boxCount < Self.boxCountMax {
      boxCount += 1
      let head = try source(place, 16)
      guard head.count >= 8 else { break }
      var size = Self.number(head, 0, 4)
      var headByteCount = 8
      if size == 1 {
        guard head.count == 16, head[8] == 0 else { break }
        size = Self.number(head, 8, 8)
        headByteCount = 16
      } else if size == 0 {
        size = end - place
      }
      guard size >= headByteCount else { break }
      // What is longer than the part that holds it ends with it.
      let boxEnd = size > end - place ? end : place + size
      let name = String(decoding: head[4..<8], as: UTF8.self)
      found.append(Box(name: name, start: place + headByteCount, end: boxEnd))
      place = boxEnd
    }
    return found
  }

  /// Whether a track of sound begins later than its first sample, by its edit list.
  private mutating func track(_ track: Box, _ source: Source) throws(AudioError) -> Bool {
    var isSound = false
    var isLater = false
    for box in try boxes(from: track.start, to: track.end, source) {
      let inner =
        box.name == "edts" || box.name == "mdia"
        ? try boxes(from: box.start, to: box.end, source) : []
      for box in inner {
        if box.name == "hdlr" {
          let bytes = try source(box.start, 12)
          if bytes.count == 12, bytes[8...].elementsEqual("soun".utf8) { isSound = true }
        } else if box.name == "elst" {
          isLater = try beginsLater(box, source)
        }
      }
    }
    return isSound && isLater
  }

  /// Whether the first edit that is not a pause begins after the first sample.
  private func beginsLater(_ list: Box, _ source: Source) throws(AudioError) -> Bool {
    let bytes = try source(list.start, min(list.end - list.start, 1024))
    guard bytes.count >= 8 else { return false }
    // Version 1 has 64-bit times. A pause has the time -1.
    let width = bytes[0] == 1 ? 8 : 4
    let entryByteCount = 2 * width + 4
    var place = 8
    while place + entryByteCount <= bytes.count {
      let time = bytes[(place + width)..<(place + 2 * width)]
      guard time.allSatisfy({ $0 == 0xFF }) else { return !time.allSatisfy { $0 == 0 } }
      place += entryByteCount
    }
    return false
  }

  /// Whether iTunes's note of the delay is among what a file says of itself.
  private mutating func isFromITunes(_ data: Box, _ source: Source) throws(AudioError) -> Bool {
    for meta in try boxes(from: data.start, to: data.end, source) where meta.name == "meta" {
      // Four bytes of version come before its boxes.
      for list in try boxes(from: meta.start + 4, to: meta.end, source) where list.name == "ilst" {
        for entry in try boxes(from: list.start, to: list.end, source) where entry.name == "----" {
          for box in try boxes(from: entry.start, to: entry.end, source) where box.name == "name" {
            let bytes = try source(box.start, min(box.end - box.start, 64))
            if bytes.dropFirst(4).elementsEqual("iTunSMPB".utf8) { return true }
          }
        }
      }
    }
    return false
  }

  private static func number(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> Int {
    bytes[offset..<(offset + size)].reduce(0) { $0 << 8 | Int($1) }
  }
}
