internal import Foundation
internal import Glibc

/// Runs a program of the system's and hands on its lines; the environment is the daemon's own.
enum LineProcess {
  /// Runs it to its end and calls `take` for each line, on the calling thread; false where it could
  /// not be started. It is told to end when `take` returns false.
  static func run(_ program: String, _ arguments: [String], take: (String) -> Bool) -> Bool {
    let start = ProgramStart(
      path: program, words: [program] + arguments,
      environment: ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" })
    do throws(ProgramStart.Fault) {
      let started = try StartedProgram(start)
      read(started, take)
      kill(started.process, SIGTERM)
      reapProcess(started.process)
      return true
    } catch {
      return false
    }
  }

  private static func read(_ started: StartedProgram, _ take: (String) -> Bool) {
    var bytes: [UInt8] = []
    // A line is short; what goes on for ever is none.
    while bytes.count < StartedProgram.byteCountMax {
      let piece = started.nextPiece()
      guard !piece.isEmpty else { return }
      bytes += piece
      while let end = bytes.firstIndex(of: 0x0A) {
        let line = String(decoding: bytes[..<end], as: UTF8.self)
        bytes.removeSubrange(...end)
        if !take(line) { return }
      }
    }
  }
}
