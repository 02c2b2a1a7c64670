internal import Glibc

/// The text of a caption file: valid UTF-8 without a mark, lines ended by a line feed alone.
struct CaptionText: Sendable {
  /// The text's bytes. NUL is replaced, as the WebVTT algorithm asks.
  let bytes: [UInt8]

  /// Decodes a file's bytes: UTF-8, UTF-16 with a mark, what an XML declaration names, or the named
  /// encoding. Anything else is an error that names the line; nothing is ever guessed.
  init(decoding file: [UInt8], encoding: String?) throws(CaptionError) {
    guard file.count <= CaptionLimits.bytes else {
      throw .tooLarge(bytes: file.count, limit: CaptionLimits.bytes)
    }
    if let encoding {
      self.init(normalizing: try Self.convert(file, from: encoding))
    } else if file.starts(with: [0xFF, 0xFE, 0, 0]) || file.starts(with: [0, 0, 0xFE, 0xFF]) {
      // UTF-32 has a mark too, but nobody writes captions in it; naming it works.
      throw .unknownEncoding(line: 1)
    } else if file.starts(with: [0xFF, 0xFE]) {
      self.init(normalizing: try Self.decodeUTF16(file.dropFirst(2), lowByteFirst: true))
    } else if file.starts(with: [0xFE, 0xFF]) {
      self.init(normalizing: try Self.decodeUTF16(file.dropFirst(2), lowByteFirst: false))
    } else if let declared = Self.declaredEncoding(file) {
      self.init(normalizing: try Self.convert(file, from: declared))
    } else {
      self.init(normalizing: try Self.validated(file))
    }
  }

  /// Takes valid UTF-8 and makes its line ends alike.
  private init(normalizing text: [UInt8]) {
    let start = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    if start == 0, !text.contains(0x0D), !text.contains(0) {
      bytes = text
      return
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count - start)
    var isAfterReturn = false
    for byte in text[start...] {
      switch byte {
      case 0x0D: bytes.append(0x0A)
      case 0x0A: if !isAfterReturn { bytes.append(0x0A) }
      case 0: bytes.append(contentsOf: [0xEF, 0xBF, 0xBD])
      default: bytes.append(byte)
      }
      isAfterReturn = byte == 0x0D
    }
    self.bytes = bytes
  }

  private static func validated(_ file: [UInt8]) throws(CaptionError) -> [UInt8] {
    // UTF-16 without a mark is valid UTF-8 full of NULs, so those are counted where text begins.
    let beginning = file.prefix(256)
    if beginning.count(where: { $0 == 0 }) * 8 > beginning.count {
      throw .unknownEncoding(line: 1)
    }
    do {
      _ = try UTF8Span(validating: file.span)
    } catch {
      throw .unknownEncoding(line: line(at: error.byteOffsets.lowerBound, in: file))
    }
    return file
  }

  /// The line in which a byte stands, counted from 1, whatever ends the lines.
  private static func line(at offset: Int, in file: [UInt8]) -> Int {
    var line = 1
    for index in 0..<min(offset, file.count) {
      let isEnd =
        file[index] == 0x0A
        || (file[index] == 0x0D && !(index + 1 < file.count && file[index + 1] == 0x0A))
      if isEnd { line += 1 }
    }
    return line
  }

  private static func decodeUTF16(
    _ file: ArraySlice<UInt8>, lowByteFirst: Bool
  ) throws(CaptionError) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(file.count)
    var index = file.startIndex
    func unit(_ index: Int) -> UInt32? {
      guard index + 1 < file.endIndex else { return nil }
      let (first, second) = (UInt32(file[index]), UInt32(file[index + 1]))
      return lowByteFirst ? second << 8 | first : first << 8 | second
    }
    while index < file.endIndex {
      guard var value = unit(index) else {
        throw .unknownEncoding(line: line(at: text.count, in: text))
      }
      index += 2
      if (0xD800..<0xDC00).contains(value), let low = unit(index),
        (0xDC00..<0xE000).contains(low)
      {
        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        index += 2
      }
      guard let scalar = Unicode.Scalar(value) else {
        throw .unknownEncoding(line: line(at: text.count, in: text))
      }
      text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
    return text
  }

  /// The encoding that an XML declaration names, unless it is one that is read without being named.
  private static func declaredEncoding(_ file: [UInt8]) -> String? {
    let start = file.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let declaration = file[start...].prefix(256)
    guard declaration.starts(with: Array("<?xml".utf8)), start == 0,
      let end = declaration.firstIndex(of: UInt8(ascii: ">")),
      let text = String(validating: declaration[..<end], as: UTF8.self),
      let key = text.firstRange(of: "encoding")
    else { return nil }
    let value = text[key.upperBound...].drop { " =\t".contains($0) }
    guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
    let name = value.dropFirst().prefix { $0 != quote }
    let plain = ["utf-8", "utf8", "utf-16", "us-ascii", "ascii"]
    return plain.contains(name.lowercased()) ? nil : String(name)
  }

  /// Converts from an encoding that the system knows, by its name.
  private static func convert(_ file: [UInt8], from name: String) throws(CaptionError) -> [UInt8] {
    // A slash would let the name carry iconv's own options, one of which drops what does not fit.
    let isName = name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "-_.:+".utf8.contains(byte)
    }
    guard isName, (1...40).contains(name.utf8.count) else { throw .noSuchEncoding }
    let converter = try TextConverter(from: name)
    return try converter.convert(file)
  }
}

extension CaptionText {
  /// Text that is in the program already, for parsers that are asked directly.
  init(_ text: String) {
    self.init(normalizing: Array(text.utf8))
  }
}

/// The system's converter of one encoding into UTF-8.
@safe private struct TextConverter: ~Copyable {
  private let handle: iconv_t

  init(from name: String) throws(CaptionError) {
    let opened = unsafe iconv_open("UTF-8", name)
    // The system says no by the pointer -1.
    guard let opened = unsafe opened, UInt(bitPattern: opened) != UInt.max else {
      throw .noSuchEncoding
    }
    unsafe handle = opened
  }

  deinit { unsafe iconv_close(handle) }

  func convert(_ file: [UInt8]) throws(CaptionError) -> [UInt8] {
    var source = file.map { CChar(bitPattern: $0) }
    let buffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 64 << 10)
    defer { unsafe buffer.deallocate() }
    var text: [UInt8] = []
    let isWhole = unsafe source.withUnsafeMutableBufferPointer { input -> Bool in
      var next = input.baseAddress
      var left = input.count
      while left > 0 {
        var output = buffer.baseAddress
        var room = buffer.count
        let before = left
        // SAFETY: both pointers stay inside their buffers, which live until the call has returned.
        let status = unsafe iconv(handle, &next, &left, &output, &room)
        let cause = errno
        let written = buffer.count - room
        for index in 0..<written { unsafe text.append(UInt8(bitPattern: buffer[index])) }
        let isStuck = left == before && written == 0
        if status == -1 {
          guard cause == E2BIG, !isStuck else { return false }
        }
      }
      return true
    }
    guard isWhole, (try? UTF8Span(validating: text.span)) != nil else {
      throw .notInEncoding(line: text.count { $0 == 0x0A } + 1)
    }
    return text
  }
}
