/// Rows of text in columns, for people.
struct TextTable {
  private let heads: [String]
  private var rows: [[String]] = []

  init(_ heads: String...) { self.heads = heads }

  /// Adds a row; steering characters are shown as escapes.
  mutating func add(_ cells: String...) { rows.append(cells.map(Shown.text)) }

  /// A name of at most 18 characters, shortened in the middle as questions do (rule C5), so that
  /// tables fit 80 columns.
  static func name(_ name: String) -> String {
    let limit = 18
    guard name.count > limit else { return name }
    return name.prefix(limit / 2 - 1) + "…" + name.suffix(limit / 2)
  }

  /// A moment to the second: `2026-01-31 07:10:57Z` of an ISO 8601 time.
  static func time(_ moment: String) -> String {
    guard moment.count > 19, moment.hasSuffix("Z") else { return moment }
    return moment.prefix(19).replacing("T", with: " ") + "Z"
  }

  /// A moment to the minute: `2026-01-31 07:10Z`.
  static func minute(_ moment: String) -> String {
    let whole = time(moment)
    return whole == moment ? moment : whole.dropLast(4) + "Z"
  }

  /// The lines, the heads first; none where there is no row.
  var lines: [String] {
    guard !rows.isEmpty else { return [] }
    let widths = heads.indices.map { column in
      ([heads] + rows).map { Cells.width(of: $0[column]) }.max() ?? 0
    }
    return ([heads] + rows).map { row in
      let cells = row.enumerated().map { column, cell in
        column == heads.count - 1 ? cell : Cells.padded(cell, to: widths[column] + 2)
      }
      return String(cells.joined().reversed().drop { $0 == " " }.reversed())
    }
  }
}
