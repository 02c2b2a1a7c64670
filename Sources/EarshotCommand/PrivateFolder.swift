internal import Foundation
internal import Glibc

/// Folders of this program's own, for as long as it runs.
enum PrivateFolder {
  /// Makes a folder that only this person can enter, in `place` or where the environment wants temporary files.
  ///
  /// - Throws: ``CommandError/file(path:errno:)`` with the place in which none could be made.
  static func make(_ name: String, in place: String? = nil) throws(CommandError) -> String {
    let named = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
    let place = place ?? (named.isEmpty ? "/tmp" : named)
    var template = Array("\(place)/\(name)-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      throw .file(path: Array(place.utf8), errno: errno)
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
