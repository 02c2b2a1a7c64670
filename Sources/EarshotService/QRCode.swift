internal import CQREncode

/// A web link as a QR code, so that a visitor takes it along; the link itself is never fetched
/// (rule T4).
struct QRCode: Sendable, Hashable {
  /// The rows from the top, a `1` for each dark module; the quiet zone is left to whoever draws.
  let rows: [String]

  /// The longest text that is encoded, in bytes: denser codes can't be read from a screen.
  static let bytesMax = 512

  /// Encodes a text with 15 % of redundancy; nil where it is empty, too long or holds a zero byte.
  init?(_ text: String) {
    guard (1...Self.bytesMax).contains(text.utf8.count), !text.utf8.contains(0),
      let code = unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M)
    else { return nil }
    defer { unsafe QRcode_free(code) }
    let width = Int(unsafe code.pointee.width)
    guard let modules = unsafe code.pointee.data else { return nil }
    // SAFETY: the library fills `width * width` bytes, whose lowest bit is the module's colour.
    rows = (0..<width).map { row in
      String((0..<width).map { unsafe modules[row * width + $0] & 1 == 1 ? "1" : "0" })
    }
  }
}
