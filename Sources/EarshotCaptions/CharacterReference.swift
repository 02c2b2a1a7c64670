/// The character references of HTML and XML that captions use.
enum CharacterReference {
  /// Names of the characters from U+00A0 on, in their order.
  private static let latinNames = """
    nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn \
    sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave \
    Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml \
    ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN \
    szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave \
    iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute \
    ucirc uuml yacute thorn yuml
    """

  private static let names: [String: Unicode.Scalar] = {
    var names: [String: Unicode.Scalar] = [
      "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "lrm": "\u{200E}",
      "rlm": "\u{200F}", "zwj": "\u{200D}", "zwnj": "\u{200C}", "ensp": "\u{2002}",
      "emsp": "\u{2003}", "thinsp": "\u{2009}", "ndash": "–", "mdash": "—", "lsquo": "‘",
      "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”", "bdquo": "„", "hellip": "…",
      "bull": "•", "lsaquo": "‹", "rsaquo": "›", "euro": "€", "trade": "™", "hearts": "♥",
      "oelig": "œ", "OElig": "Œ", "scaron": "š", "Scaron": "Š", "Yuml": "Ÿ",
    ]
    for (index, name) in latinNames.split(separator: " ").enumerated() {
      names[String(name)] = Unicode.Scalar(UInt32(0xA0 + index))
    }
    return names
  }()

  /// The longest reference that is looked at, in bytes; what is longer is plain text.
  private static let lengthMax = 12

  /// What a reference stands for.
  enum Reading: Sendable, Hashable {
    /// A character, and the place behind the reference.
    case character(Unicode.Scalar, end: Int)
    /// It looks like a reference, and nobody knows its name; the place behind it.
    case unknown(end: Int)
    /// Not a reference: the ampersand is meant as it stands.
    case plain
  }

  /// Reads the reference whose ampersand stands at a place.
  static func read(_ bytes: [UInt8], at start: Int, before limit: Int) -> Reading {
    var end = start + 1
    while end < limit, end - start <= lengthMax,
      bytes[end].isLetter || bytes[end].isDigit
        || bytes[end] == UInt8(ascii: "#")
    {
      end += 1
    }
    guard end < limit, bytes[end] == UInt8(ascii: ";"), end > start + 1 else { return .plain }
    let name = String(decoding: bytes[start + 1..<end], as: UTF8.self)
    guard name.hasPrefix("#") else {
      return names[name].map { .character($0, end: end + 1) } ?? .unknown(end: end + 1)
    }
    let digits = name.dropFirst()
    let isHexadecimal = digits.hasPrefix("x") || digits.hasPrefix("X")
    let value =
      isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
    guard let value else { return .unknown(end: end + 1) }
    // Zero, surrogates and what lies beyond Unicode become the replacement character, as in HTML.
    let scalar = value == 0 ? nil : Unicode.Scalar(value)
    return .character(scalar ?? "\u{FFFD}", end: end + 1)
  }
}
