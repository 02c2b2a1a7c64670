internal import EarshotClient
internal import Foundation

/// `earshot kiosk link` and `earshot kiosk check`.
enum KioskCommand {
  /// Prints a one-time link to the page that the running daemon serves.
  static let link = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    let answer = try daemon.ask { (client) throws(ClientError) in try client.kioskLink() }
    if typed.has("json") {
      console.print(VersionedRecord.text(answer))
      return 0
    }
    for fault in answer.theme {
      console.note("The Listen button grants nothing: " + Shown.text(fault) + ".")
    }
    console.print(answer.link)
    return 0
  }

  /// Says what is wrong with theme, purposes, explanation and settings, by way of `earshotd --check`.
  static let check: CommandSpecification.Action = { (typed, console) throws(CommandError) in
    var arguments = ["--check"]
    if let file = typed.text("configuration") { arguments += ["--configuration", file] }
    if typed.has("system") { arguments.append("--system") }
    let process = Process()
    let output = Pipe()
    let path = try PrivateDaemon.program()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = output
    do { try process.run() } catch { throw .file(path: Array(path.utf8), errno: ENOEXEC) }
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    console.write(result: Array(said))
    return process.terminationStatus == 0 ? 0 : 2
  }
}
