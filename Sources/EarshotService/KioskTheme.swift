internal import EarshotConsent

/// What a deployer may choose of the Listen button, and nothing else (rule B5).
struct KioskTheme: Sendable, Hashable {
  /// The labels that are shipped.
  enum Label: String, Sendable, Hashable, CaseIterable {
    case listen
    case whatIsThis = "what-is-this"
    case whatIsPlaying = "what-is-playing"

    /// The button's words in a language.
    func text(in language: PromptLanguage) -> String {
      switch (self, language) {
      case (.listen, .english): "Listen"
      case (.listen, .russian): "Слушать"
      case (.listen, .simplifiedChinese): "聆听"
      case (.listen, .korean): "듣기"
      case (.whatIsThis, .english): "What Is This?"
      case (.whatIsThis, .russian): "Что это?"
      case (.whatIsThis, .simplifiedChinese): "这是什么？"
      case (.whatIsThis, .korean): "이건 뭔가요?"
      case (.whatIsPlaying, .english): "What’s Playing?"
      case (.whatIsPlaying, .russian): "Что звучит?"
      case (.whatIsPlaying, .simplifiedChinese): "正在播放什么？"
      case (.whatIsPlaying, .korean): "무엇이 나오나요?"
      }
    }
  }

  enum Icon: String, Sendable, Hashable, CaseIterable {
    case filled
    case outline
  }

  /// The two designs of the page around the button.
  enum Page: String, Sendable, Hashable, CaseIterable {
    case light
    case dark

    /// What the page's background is behind the button; `page.css` has the same colours.
    var background: KioskColor {
      switch self {
      case .light: KioskColor(red: 0xF7 / 255, green: 0xF5 / 255, blue: 0xF0 / 255, alpha: 1)
      case .dark: KioskColor(red: 0x12 / 255, green: 0x14 / 255, blue: 0x17 / 255, alpha: 1)
      }
    }
  }

  var label = Label.listen
  var icon = Icon.filled
  var background: KioskColor
  var labelColor: KioskColor
  var iconColor: KioskColor
  /// The corners' radius in CSS pixels.
  var radius = 32.0
  var page = Page.light

  static let radiusMax = 64.0

  /// The theme of a kiosk that names none.
  static let shipped = KioskTheme(
    background: KioskColor(red: 0x1B / 255, green: 0x4D / 255, blue: 0x5C / 255, alpha: 1),
    labelColor: .white, iconColor: .white)

  /// Reads a theme's file.
  ///
  /// - Throws: ``ServiceError/configuration(_:)`` for whatever is not a choice that there is.
  ///   Whether the button can be read is told by ``faults``.
  init(file: String, bytes: [UInt8]) throws(ServiceError) {
    self = .shipped
    var reading = try SettingsReading(file: file, bytes: bytes)
    if reading.number("version", 1...1) == nil { reading.fault("version", "has to be 1") }
    label = Self.choice(&reading, "label") ?? label
    icon = Self.choice(&reading, "icon") ?? icon
    page = Self.choice(&reading, "page") ?? page
    background = Self.color(&reading, "background") ?? background
    labelColor = Self.color(&reading, "labelColor") ?? labelColor
    iconColor = Self.color(&reading, "iconColor") ?? iconColor
    radius = reading.number("radius", 0...Self.radiusMax) ?? radius
    try reading.finish()
  }

  private init(background: KioskColor, labelColor: KioskColor, iconColor: KioskColor) {
    (self.background, self.labelColor, self.iconColor) = (background, labelColor, iconColor)
  }

  private static func choice<Choice: RawRepresentable & CaseIterable>(
    _ reading: inout SettingsReading, _ name: String
  ) -> Choice? where Choice.RawValue == String {
    guard let word = reading.text(name) else { return nil }
    if let choice = Choice(rawValue: word) { return choice }
    let words = Choice.allCases.map { $0.rawValue }.joined(separator: ", ")
    reading.fault(name, "should be one of: \(words)")
    return nil
  }

  private static func color(_ reading: inout SettingsReading, _ name: String) -> KioskColor? {
    guard let text = reading.text(name) else { return nil }
    if let color = KioskColor(text) { return color }
    reading.fault(name, "should be a colour like #1B4D5C")
    return nil
  }

  // MARK: Whether the button can be read (rule B6)

  /// What makes the button unreadable, in words for the deployer; empty where it can be read.
  var faults: [String] {
    var faults: [String] = []
    for (name, color) in [
      ("background", background), ("labelColor", labelColor), ("iconColor", iconColor),
    ] where color.alpha < 0.8 {
      faults.append("\"\(name)\" is too transparent: its alpha is under 0.8")
    }
    check(&faults, "labelColor", labelColor, "background", least: 4.5)
    check(&faults, "iconColor", iconColor, "background", least: 3)
    let contrast = lowestBelow { $0.contrast(to: page.background) }
    if contrast < 3 {
      faults.append(
        "\"background\" has a contrast of \(Self.text(contrast)) to the page; it takes 3")
    }
    return faults + clippedLabels
  }

  private func check(
    _ faults: inout [String], _ name: String, _ color: KioskColor, _ other: String, least: Double
  ) {
    let contrast = lowestBelow { color.over($0).contrast(to: $0) }
    guard contrast < least else { return }
    faults.append(
      "\"\(name)\" has a contrast of \(Self.text(contrast)) to \"\(other)\"; it takes \(least)")
  }

  /// The worst of what is measured on the background over the page, over black and over white.
  private func lowestBelow(_ measure: (KioskColor) -> Double) -> Double {
    [page.background, .black, .white].map { measure(background.over($0)) }.min() ?? 1
  }

  /// The labels that would not fit the smallest screen at the largest text: two lines of 288 px,
  /// less what round corners take. The browser measures the same with the fonts that it has.
  private var clippedLabels: [String] {
    let room = 288 - 0.6 * radius
    return PromptLanguage.allCases.compactMap { language in
      let words = label.text(in: language).split(separator: " ")
      let widest =
        words.map { word in
          word.unicodeScalars.reduce(0.0) { $0 + ($1.value >= 0x1100 ? 1 : 0.62) }
        }.max() ?? 0
      let lines = language == .simplifiedChinese || language == .korean ? 2.0 : 1.0
      guard widest * 48 / lines > room else { return nil }
      return "the label is clipped in \(language.rawValue) at 200 % text; take a smaller \"radius\""
    }
  }

  private static func text(_ number: Double) -> String {
    String((number * 100).rounded(.down) / 100)
  }

  /// The style sheet that carries the choices.
  var styleSheet: String {
    """
    :root { --accent: \(background.css); --on-accent: \(labelColor.css); }
    .listen { --button-background: \(background.css); --button-label: \(labelColor.css);
      --button-icon: \(iconColor.css); --button-radius: \(radius)px; }

    """
  }
}
