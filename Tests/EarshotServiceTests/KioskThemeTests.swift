import EarshotConsent
import Testing

@testable import EarshotService

@Suite("Kiosk's theme")
struct KioskThemeTests {
  private func theme(_ fields: String) throws(ServiceError) -> KioskTheme {
    try KioskTheme(file: "theme.json", bytes: Array("{\"version\":1\(fields)}".utf8))
  }

  @Test("B5: a theme sets labels of the list, an icon, colours and a radius, and nothing else")
  func choices() throws {
    let theme = try theme(
      ##","label":"what-is-this","icon":"outline","background":"#FFFFFF","radius":8,"page":"dark""##
    )
    #expect(theme.label.text(in: .russian) == "Что это?")
    #expect(theme.icon == .outline && theme.radius == 8 && theme.page == .dark)
    for wrong in [
      #","label":"Allow""#, #","text":"Press me""#, #","background":"red""#, #","radius":65"#,
      #","icon":"https://x.example/a.png""#, #","font":"Comic Sans""#, ##","background":"#12345""##,
      ##","background":"#+12345""##, ##","prompt":{"background":"#000000"}"##,
    ] {
      #expect(throws: ServiceError.self, "\(wrong)") { try self.theme(wrong) }
    }
  }

  @Test("B6: the contrast of black and white is 21, and a grey's is what WCAG's own example says")
  func contrast() throws {
    #expect(abs(KioskColor.black.contrast(to: .white) - 21) < 1e-9)
    let grey = try #require(KioskColor("#767676"))
    #expect(abs(grey.contrast(to: .white) - 4.54) < 0.01)
  }

  @Test("B6: the shipped theme and every shipped label can be read")
  func shipped() throws {
    #expect(KioskTheme.shipped.faults.isEmpty)
    for label in KioskTheme.Label.allCases {
      #expect(try theme(#","label":"\#(label.rawValue)""#).faults.isEmpty, "\(label)")
    }
  }

  @Test(
    "B6: each way of not being readable is told",
    arguments: [
      (##","labelColor":"#6F8F9A""##, "labelColor"), (##","iconColor":"#33606D""##, "iconColor"),
      (##","background":"#EFEDE8","labelColor":"#000000","iconColor":"#000000""##, "to the page"),
      (##","background":"#1B4D5CC0""##, "too transparent"),
      // Over black it can be read, over white it can't: the worst counts.
      (##","background":"#000000CC","labelColor":"#8C8C8C""##, "labelColor"),
      (##","labelColor":"#FFFFFFC0""##, "too transparent"),
    ])
  func faults(fields: String, word: String) throws {
    let faults = try theme(fields).faults
    #expect(faults.contains { $0.contains(word) }, "\(faults)")
  }

  @Test("a web link becomes a square code, and what can't be read from a screen becomes none")
  func code() throws {
    let code = try #require(QRCode("https://museum.example/harbour"))
    #expect(code.rows.count == code.rows[0].count && code.rows.count >= 21)
    // The finder's outer row, which every code begins with.
    #expect(code.rows[0].hasPrefix("1111111"))
    #expect(QRCode("") == nil)
    #expect(QRCode(String(repeating: "a", count: QRCode.bytesMax)) != nil)
    #expect(QRCode(String(repeating: "a", count: QRCode.bytesMax + 1)) == nil)
  }
}
