import Testing

@testable import EarshotCommand

@Suite("The table of commands")
struct CommandTableTests {
  @Test("no two commands have one name, and none is the beginning of another")
  func names() {
    for (index, command) in CommandTable.all.enumerated() {
      for other in CommandTable.all.dropFirst(index + 1) {
        #expect(!other.words.starts(with: command.words), "\(command.name) and \(other.name)")
        #expect(!command.words.starts(with: other.words), "\(command.name) and \(other.name)")
      }
    }
  }

  @Test("no command gives two options one name or letter")
  func options() {
    for command in CommandTable.all {
      let names = command.options.map(\.name)
      #expect(Set(names).count == names.count, "\(command.name)")
      let letters = command.options.compactMap(\.letter)
      #expect(Set(letters).count == letters.count, "\(command.name)")
      #expect(!names.contains("help") && !letters.contains("h"), "\(command.name)")
    }
  }

  @Test("summaries are one line without a full stop")
  func summaries() {
    for command in CommandTable.all {
      for summary in [command.summary] + command.options.map(\.summary) {
        #expect(
          !summary.isEmpty && !summary.hasSuffix(".") && !summary.contains("\n"), "\(summary)")
      }
    }
  }

  @Test("only the last operand may be given more than once")
  func operands() {
    for command in CommandTable.all {
      for operand in command.operands.dropLast() { #expect(operand.count == 1...1) }
    }
  }

  @Test("every group in the table is explained")
  func groups() {
    for command in CommandTable.all where command.words.count > 1 {
      #expect(CommandTable.groups.contains { $0.word == command.words[0] }, "\(command.name)")
    }
  }

  @Test("help fits 80 columns and names every option", arguments: CommandTable.all.map(\.words))
  func help(words: [String]) throws {
    let text = HelpPage(table: CommandTable.all).text(for: words)
    let command = try #require(CommandTable.all.first { $0.words == words })
    for option in command.options { #expect(text.contains("--\(option.name)")) }
    for line in text.split(separator: "\n")
    where !command.examples.contains(String(line.dropFirst(2))) {
      #expect(line.count <= 80, "\(line)")
    }
  }

  @Test("the overview names every command and group")
  func overview() {
    let text = HelpPage(table: CommandTable.all).text(for: [])
    for command in CommandTable.all { #expect(text.contains("\n  \(command.words[0]) ")) }
  }
}
