import Foundation

/// The project's own files, as the house tests read them.
enum Tree {
  /// The top folder, found from this file's place in it.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The Swift files below `folder`, sorted by path.
  static func swiftFiles(in folder: String) -> [URL] {
    files(in: folder).filter { $0.pathExtension == "swift" }
  }

  /// All files below `folder`, sorted by path, build products left out.
  static func files(in folder: String) -> [URL] {
    let start = root.appendingPathComponent(folder)
    guard let walk = FileManager.default.enumerator(atPath: start.path) else { return [] }
    return walk.compactMap { $0 as? String }
      .filter { !$0.split(separator: "/").contains { $0 == ".build" || $0 == ".git" } }
      .sorted()
      .map { start.appendingPathComponent($0) }
      .filter { !$0.hasDirectoryPath && isFile($0) }
  }

  static func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

  /// The path of `file` from the top folder.
  static func name(_ file: URL) -> String {
    String(file.path.dropFirst(root.path.count + 1))
  }

  private static func isFile(_ file: URL) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder)
      && !isFolder.boolValue
  }
}
