internal import EarshotClient
internal import Foundation

/// The command line of Earshot.
public enum Command {
  /// Carries out one command line.
  ///
  /// - Parameter arguments: the words after the program's name, as the bytes that were typed.
  /// - Returns: the exit status by the table of outcomes; 64 for a wrong command line.
  public static func run(arguments: [[UInt8]]) -> Int32 {
    // A reader that goes away shows as a failed write, which ends the work quietly.
    signal(SIGPIPE, SIG_IGN)
    let console = Console()
    let status = run(arguments: arguments, table: CommandTable.all, console: console)
    if let failure = console.failure {
      return Report.show(.stream(errno: failure), console: console)
    }
    return status
  }

  /// Carries out one command line with a given table and console.
  static func run(
    arguments: [[UInt8]], table: [CommandSpecification], console: Console
  ) -> Int32 {
    do throws(CommandError) {
      switch try request(arguments, table: table) {
      case .help(let words):
        console.write(result: Array(HelpPage(table: table).text(for: words).utf8))
        return 0
      case .version:
        console.print("earshot \(Version.text)")
        return 0
      case .generate(let kind):
        return try GeneratedFile.print(kind, table: table, console: console)
      case .run(let typed):
        let status = try typed.command.action(typed, console)
        // Whoever closed the pipe has seen enough: that is no error, whatever was still to come.
        return console.isClosed ? 0 : status
      }
    } catch {
      return Report.show(error, console: console)
    }
  }

  private static func request(
    _ arguments: [[UInt8]], table: [CommandSpecification]
  ) throws(CommandError) -> ArgumentParser.Request {
    do throws(UsageError) {
      return try ArgumentParser(table: table).parse(arguments)
    } catch {
      throw .usage(error)
    }
  }
}
