internal import Glibc

/// A colour of a theme: sRGB with an alpha, written as `#RRGGBB` or `#RRGGBBAA`.
struct KioskColor: Sendable, Hashable {
  var red: Double
  var green: Double
  var blue: Double
  /// From 0, which is clear, to 1.
  var alpha: Double

  static let black = KioskColor(red: 0, green: 0, blue: 0, alpha: 1)
  static let white = KioskColor(red: 1, green: 1, blue: 1, alpha: 1)

  init(red: Double, green: Double, blue: Double, alpha: Double) {
    (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
  }

  init?(_ text: String) {
    guard text.hasPrefix("#"), text.utf8.count == 7 || text.utf8.count == 9,
      let number = UInt64(text.dropFirst(), radix: 16), !text.contains("+")
    else { return nil }
    let whole = text.utf8.count == 7 ? number << 8 | 0xFF : number
    let part = { (shift: UInt64) in Double(whole >> shift & 0xFF) / 255 }
    (red, green, blue, alpha) = (part(24), part(16), part(8), part(0))
  }

  /// The colour as style sheets write it.
  var css: String {
    let part = { (value: Double) in String(Int((value * 255).rounded())) }
    return "rgb(\(part(red)) \(part(green)) \(part(blue)) / \(alpha))"
  }

  /// This colour laid over an opaque one.
  func over(_ below: KioskColor) -> KioskColor {
    let mix = { (top: Double, bottom: Double) in top * alpha + bottom * (1 - alpha) }
    return KioskColor(
      red: mix(red, below.red), green: mix(green, below.green), blue: mix(blue, below.blue),
      alpha: 1)
  }

  /// The relative luminance of an opaque colour, after WCAG 2.2.
  var luminance: Double {
    let linear = { (value: Double) in
      value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }

  /// The contrast of two opaque colours after WCAG 2.2, from 1 to 21.
  func contrast(to other: KioskColor) -> Double {
    let (one, two) = (luminance, other.luminance)
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)
  }
}
