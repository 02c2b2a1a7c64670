/// The styles and regions that a TTML document describes in its head.
struct TimedTextStyles: Sendable {
  private struct Described: Sendable {
    var own: TimedTextStyle
    var references: [String]
  }

  private var styles: [String: Described] = [:]
  private var regions: [String: Described] = [:]
  private var resolved: [String: TimedTextStyle] = [:]
  /// What the last element's references came to: most elements of a file have the same.
  private var lastReferences: (names: String, style: TimedTextStyle)?
  private var resolvedRegions: [String: TimedTextStyle] = [:]

  /// References of one element that are followed.
  private static let referencesMax = 16

  /// Takes a `style` element with a name.
  mutating func addStyle(_ name: String, _ element: XMLElement, scale: TimedTextScale) {
    guard styles.count < CaptionLimits.styles else { return }
    styles[name] = described(element, scale: scale)
  }

  /// Takes a `region` element with a name.
  mutating func addRegion(_ name: String, _ element: XMLElement, scale: TimedTextScale) {
    guard regions.count < CaptionLimits.styles else { return }
    regions[name] = described(element, scale: scale)
  }

  /// Takes a `style` element that stands inside a region.
  mutating func extendRegion(_ name: String, _ element: XMLElement, scale: TimedTextScale) {
    guard var region = regions[name] else { return }
    let more = described(element, scale: scale)
    region.own.overlay(more.own)
    region.references += more.references.prefix(
      max(0, Self.referencesMax - region.references.count))
    regions[name] = region
  }

  /// What an element's references and attributes set.
  mutating func style(of element: XMLElement, scale: TimedTextScale) -> TimedTextStyle {
    let hasOwn = element.attributes.contains { $0.name.space == .styling }
    guard !hasOwn else { return resolve(described(element, scale: scale)) }
    guard let names = element[.none, "style"] else { return TimedTextStyle() }
    if let last = lastReferences, last.names == names { return last.style }
    let style = resolve(described(element, scale: scale))
    lastReferences = (names, style)
    return style
  }

  /// A region's style with that of the text laid over it.
  mutating func regionStyle(_ name: String?, under style: TimedTextStyle) -> TimedTextStyle {
    guard let name, let region = regions[name] else { return style }
    var result: TimedTextStyle
    if let known = resolvedRegions[name] {
      result = known
    } else {
      result = resolve(region)
      resolvedRegions[name] = result
    }
    result.overlay(style)
    return result
  }

  private func described(_ element: XMLElement, scale: TimedTextScale) -> Described {
    let names = (element[.none, "style"] ?? "").split(separator: " ").prefix(Self.referencesMax)
    return Described(
      own: TimedTextStyle(element, scale: scale), references: names.map { String($0) })
  }

  private mutating func resolve(_ described: Described) -> TimedTextStyle {
    var style = TimedTextStyle()
    for name in described.references { style.overlay(resolve(name)) }
    style.overlay(described.own)
    return style
  }

  /// A named style with those that it refers to. Each is worked out once, and one that refers to
  /// itself finds nothing there, so that neither circles nor fans of references cost more.
  private mutating func resolve(_ name: String) -> TimedTextStyle {
    if let known = resolved[name] { return known }
    guard let described = styles[name], resolutionDepth < CaptionLimits.depth else {
      return TimedTextStyle()
    }
    resolved[name] = TimedTextStyle()
    resolutionDepth += 1
    let style = resolve(described)
    resolutionDepth -= 1
    resolved[name] = style
    return style
  }

  private var resolutionDepth = 0
}
