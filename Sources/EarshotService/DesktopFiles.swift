internal import Foundation
internal import Glibc
internal import Synchronization

/// The names that installed desktop files give to programs (rule C5).
///
/// Only files that root owns and nobody else can write count, and only where exactly one of them
/// starts just this program: with a file or a module to run, `python3` or `sh` would lend its name
/// to every script.
final class DesktopFiles: Sendable {
  private let folders: [String]
  private let names = Mutex<(stamp: [Int], byProgram: [String: String])?>(nil)

  /// The largest desktop file that is read, in bytes, and the most files of one folder.
  private static let fileBytesMax = 64 << 10
  private static let filesMax = 4096

  init(folders: [String] = ["/usr/share/applications", "/usr/local/share/applications"]) {
    self.folders = folders
  }

  /// The name that a program's own desktop file gives it; nil where there is none, or several.
  func name(ofProgram program: String) -> String? {
    let stamp = folders.map(Self.changed)
    return names.withLock { known in
      // A folder's time changes whenever a package adds or removes one.
      if known?.stamp != stamp { known = (stamp, Self.read(folders)) }
      return known?.byProgram[program]
    }
  }

  private static func changed(_ folder: String) -> Int {
    var facts = stat()
    guard unsafe stat(folder, &facts) == 0 else { return 0 }
    return facts.st_mtim.tv_sec &* 1_000_000_000 &+ facts.st_mtim.tv_nsec
  }

  private static func read(_ folders: [String]) -> [String: String] {
    var byProgram: [String: String?] = [:]
    for folder in folders {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      for name in names.sorted().prefix(filesMax) where name.hasSuffix(".desktop") {
        guard let text = contents(of: folder + "/" + name), let entry = Entry(parsing: text),
          let program = resolved(entry.program)
        else { continue }
        // Two files that start one program tell nothing of which of them it is.
        byProgram[program] = byProgram[program] == nil ? .some(entry.name) : .some(nil)
      }
    }
    return byProgram.compactMapValues { $0 }
  }

  /// A file that root alone can have written.
  private static func contents(of path: String) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
      facts.st_uid == 0, facts.st_mode & (S_IWGRP | S_IWOTH) == 0, facts.st_size <= fileBytesMax
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: fileBytesMax)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }

  /// The real path of a program as `Exec` names it.
  private static func resolved(_ program: String) -> String? {
    let candidates =
      program.hasPrefix("/") ? [program] : ["/usr/bin/" + program, "/usr/local/bin/" + program]
    for path in candidates {
      guard let real = unsafe realpath(path, nil) else { continue }
      defer { unsafe free(real) }
      return unsafe String(cString: real)
    }
    return nil
  }

  /// What of a desktop file counts here.
  struct Entry: Sendable, Hashable {
    var name: String
    var program: String

    /// Nil where the file starts more than one plain program, has no name, or is for a terminal: what
    /// runs there is mostly an interpreter, whose path says more than its name.
    init?(parsing text: String) {
      var group = ""
      var name: String?
      var command: String?
      for line in text.split(whereSeparator: \.isNewline) {
        if line.hasPrefix("[") { group = String(line) }
        guard group == "[Desktop Entry]", let equals = line.firstIndex(of: "=") else { continue }
        let key = line[..<equals].trimmingCharacters(in: .whitespaces)
        let value = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
        if key == "Name", name == nil { name = value }
        if key == "Exec", command == nil { command = value }
        if ["Terminal", "NoDisplay", "Hidden"].contains(key), value == "true" { return nil }
      }
      guard let name, !name.isEmpty, let command else { return nil }
      let words = command.split(separator: " ").map(String.init)
      guard let program = words.first, !program.contains("\""), !program.contains("=") else {
        return nil
      }
      // Field codes and options leave the program what it is; a plain word may be what it runs.
      guard words.dropFirst().allSatisfy({ $0.hasPrefix("%") || $0.hasPrefix("-") }) else {
        return nil
      }
      self.name = name
      self.program = program
    }
  }
}
