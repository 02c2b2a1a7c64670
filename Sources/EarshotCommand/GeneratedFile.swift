internal import EarshotClient

/// The files that are made from the table and shipped with the program.
enum GeneratedFile: String, CaseIterable {
  case man
  case bash
  case zsh
  case fish

  /// The whole text of the file.
  func text(table: [CommandSpecification]) -> String {
    switch self {
    case .man: ManualPage(table: table).text()
    case .bash: BashCompletion(table: table).text()
    case .zsh: ZshCompletion(table: table).text()
    case .fish: FishCompletion(table: table).text()
    }
  }

  /// Prints the file that `kind` names.
  static func print(
    _ kind: [UInt8], table: [CommandSpecification], console: Console
  ) throws(CommandError) -> Int32 {
    guard let file = GeneratedFile(rawValue: String(decoding: kind, as: UTF8.self)) else {
      let words = allCases.map(\.rawValue)
      throw .usage(.badValue(name: "--generate", typed: kind, kind: .choice(words)))
    }
    console.write(result: Array(file.text(table: table).utf8))
    return 0
  }
}
