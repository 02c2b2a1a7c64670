internal import EarshotClient
internal import Foundation

/// `earshot consent lint`: has the daemon's program check purposes and explanations in files.
///
/// The rules and their word lists belong to the daemon, which refuses such files at its start by the
/// same check.
enum ConsentLint {
  static let run: CommandSpecification.Action = { (typed, console) throws(CommandError) in
    let program = try PrivateDaemon.program()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments =
      ["--lint"] + typed.operands.map { String(decoding: $0, as: UTF8.self) }
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      throw .file(path: Array(program.utf8), errno: EIO)
    }
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    for line in String(decoding: said, as: UTF8.self).split(separator: "\n") {
      console.print(Shown.text(String(line)))
    }
    return process.terminationStatus == 0 ? 0 : Outcome.error.exitStatus
  }
}

/// `earshot erase --all`: removes all that is kept of the person (rule R8).
enum EraseCommand {
  static let run = DaemonCommand.action { (typed, console, daemon) throws(CommandError) in
    guard typed.has("all") else {
      throw .usage(.missingOption(command: "erase", option: "--all"))
    }
    if let file = typed.text("export") { try export(to: file, daemon) }
    let confirmation = try ConsentChange.confirm(
      .eraseEverything(isExported: typed.has("export")), console: console, daemon: daemon)
    guard let confirmation else { return ConsentChange.cancelled(console) }
    _ = try daemon.ask { (client) throws(ClientError) in
      try client.eraseAll(confirmation: confirmation)
    }
    console.print("Erased: the records, the saved matches and the settings.")
    return 0
  }

  /// Writes everything into a new file, for the person alone, before anything is removed.
  private static func export(
    to file: String, _ daemon: DaemonConnection
  ) throws(CommandError) {
    let ledger = try daemon.ask { (client) throws(ClientError) in
      try client.bytes("/v1/ledger/export")
    }
    let library = try daemon.ask { (client) throws(ClientError) in
      try client.bytes("/v1/library/export")
    }
    let whole =
      Array("{\"ledger\":".utf8) + ledger + Array(",\"library\":".utf8) + library
      + Array("}\n".utf8)
    let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .file(path: Array(file.utf8), errno: errno) }
    defer { close(descriptor) }
    var written = 0
    while written < whole.count {
      let count = unsafe whole[written...].withUnsafeBytes { bytes in
        unsafe write(descriptor, bytes.baseAddress, bytes.count)
      }
      guard count > 0 else { throw .file(path: Array(file.utf8), errno: errno) }
      written += count
    }
    // What follows can't be undone, so the copy has to be on the disk first.
    guard fsync(descriptor) == 0 else { throw .file(path: Array(file.utf8), errno: errno) }
  }
}
