import Testing

@testable import EarshotCommand

/// A small table to parse with, so that these tests stand when the real one grows.
private let table = [
  CommandSpecification(
    ["sing"], "Sing",
    operands: [OperandSpecification("SONG", .file(ending: nil), count: 1...3, "A song")],
    options: [
      .flag("loud", letter: "l", "Loudly"),
      .value("voice", letter: "v", "NAME", .text, "Whose voice"),
      .value("verse", "N", .count(1...9), repeatable: true, "Which verse"),
      .value("length", "S", .number(0.5...30, unit: "seconds"), "How long"),
      .value("key", "KEY", .choice(["major", "minor"]), "Which key"),
    ], action: { (_, _) throws(CommandError) in 0 }),
  CommandSpecification(
    ["choir", "join"], "Join",
    options: [.value("name", "NAME", .text, required: true, "The choir")],
    action: { (_, _) throws(CommandError) in 0 }),
]

private func bytes(_ words: [String]) -> [[UInt8]] { words.map { Array($0.utf8) } }

private func parse(_ words: String...) throws -> TypedArguments {
  let request = try ArgumentParser(table: table).parse(bytes(words))
  guard case .run(let typed) = request else {
    Issue.record("no command")
    throw UsageError.noCommand(group: [])
  }
  return typed
}

@Suite("Parsing of the command line")
struct ArgumentParserTests {
  @Test("options and operands may be mixed, and values may be attached or follow")
  func mixed() throws {
    let typed = try parse("sing", "a", "--loud", "--voice=Alto", "b", "--verse", "1", "--verse=2")
    #expect(typed.operands == bytes(["a", "b"]))
    #expect(typed.has("loud"))
    #expect(typed.text("voice") == "Alto")
    #expect(typed.values("verse") == bytes(["1", "2"]))
  }

  @Test("letters may be joined, and the rest of the word is the value of the one that takes one")
  func letters() throws {
    let typed = try parse("sing", "-lvAlto", "a")
    #expect(typed.has("loud") && typed.text("voice") == "Alto")
    #expect(try parse("sing", "-v", "Alto", "a").text("voice") == "Alto")
  }

  @Test("-- ends the options, so that names may begin with a dash")
  func endOfOptions() throws {
    let typed = try parse("sing", "--loud", "--", "-n.wav", "--help.wav", "--")
    #expect(typed.operands == bytes(["-n.wav", "--help.wav", "--"]))
  }

  @Test("a lone - is an operand")
  func loneDash() throws {
    #expect(try parse("sing", "-").operands == bytes(["-"]))
  }

  @Test("what follows an option is its value, even with a leading dash or an equals sign")
  func dashedValue() throws {
    #expect(try parse("sing", "a", "--voice", "--loud").text("voice") == "--loud")
    #expect(try parse("sing", "a", "--voice=a=b").text("voice") == "a=b")
  }

  @Test("names that are not UTF-8, or hold newlines, are kept byte for byte")
  func rawBytes() throws {
    let name: [UInt8] = [0x4E, 0xE1, 0x0A, 0x2E]
    let request = try ArgumentParser(table: table).parse([Array("sing".utf8), name])
    guard case .run(let typed) = request else {
      Issue.record("no command")
      return
    }
    #expect(typed.operands == [name])
  }

  @Test("text must be UTF-8")
  func textIsText() {
    let line: [[UInt8]] = bytes(["sing", "a", "--voice"]) + [[0xE1]]
    #expect(throws: UsageError.badValue(name: "--voice", typed: [0xE1], kind: .text)) {
      try ArgumentParser(table: table).parse(line)
    }
  }

  @Test("--help asks for help of the command, wherever it stands before --")
  func help() throws {
    for words in [["sing", "--help"], ["sing", "a", "-h"], ["help", "sing"]] {
      guard case .help(let about) = try ArgumentParser(table: table).parse(bytes(words)) else {
        Issue.record("no help for \(words)")
        continue
      }
      #expect(about == ["sing"])
    }
    guard case .help(let about) = try ArgumentParser(table: table).parse(bytes(["choir", "-h"]))
    else {
      Issue.record("no help for a group")
      return
    }
    #expect(about == ["choir"])
  }

  @Test(
    "each wrong line names its own fault",
    arguments: [
      ([], UsageError.noCommand(group: [])),
      (["choir"], .noCommand(group: ["choir"])),
      (["sign"], .unknownCommand(typed: Array("sign".utf8), group: [], suggestion: "sing")),
      (["zzz"], .unknownCommand(typed: Array("zzz".utf8), group: [], suggestion: nil)),
      (
        ["choir", "jion"],
        .unknownCommand(typed: Array("jion".utf8), group: ["choir"], suggestion: "join")
      ),
      (
        ["sing", "--luod", "a"],
        .unknownOption(typed: Array("--luod".utf8), command: "sing", suggestion: "--loud")
      ),
      (
        ["sing", "-n.wav"],
        .unknownOption(typed: Array("-n.wav".utf8), command: "sing", suggestion: nil)
      ),
      (["sing", "a", "--voice"], .missingValue(option: "--voice", placeholder: "NAME")),
      (["sing", "a", "--loud=very"], .unexpectedValue(option: "--loud")),
      (["sing", "--loud", "--loud", "a"], .repeated(option: "--loud")),
      (["sing"], .missingOperand(command: "sing", placeholder: "SONG")),
      (["sing", "a", "b", "c", "d"], .extraOperand(command: "sing", typed: Array("d".utf8))),
      (["choir", "join"], .missingOption(command: "choir join", option: "--name NAME")),
      (
        ["sing", "a", "--key", "blue"],
        .badValue(
          name: "--key", typed: Array("blue".utf8), kind: .choice(["major", "minor"]))
      ),
    ])
  func faults(words: [String], fault: UsageError) {
    #expect(throws: fault) { try ArgumentParser(table: table).parse(bytes(words)) }
  }

  @Test(
    "numbers hold at their bounds and not one step past them",
    arguments: [
      ("0.5", true), ("30", true), ("30.0", true), ("0.49", false), ("30.01", false),
      ("nan", false), ("inf", false), ("1e1", false), ("0x5", false), ("", false), ("--5", false),
    ])
  func numbers(text: String, isGood: Bool) {
    let kind = ValueKind.number(0.5...30, unit: "seconds")
    #expect(kind.accepts(Array(text.utf8)) == isGood)
  }

  @Test(
    "whole numbers hold at their bounds and not one past them",
    arguments: [
      ("1", true), ("9", true), ("0", false), ("10", false), ("1.0", false), ("-1", false),
      ("99999999999999999999", false),
    ])
  func counts(text: String, isGood: Bool) {
    #expect(ValueKind.count(1...9).accepts(Array(text.utf8)) == isGood)
  }
}
