import Foundation
import Glibc

/// A folder of a test's own, removed with it.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("earshot-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  package func file(_ name: String) -> String { path + "/" + name }

  /// All bytes of all files, for searches.
  package func allBytes() throws -> Data {
    var bytes = Data()
    for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted() {
      bytes += try Data(contentsOf: URL(fileURLWithPath: file(name)))
    }
    return bytes
  }
}

/// A small file system in memory, mounted for one test; only root can make one.
package final class SmallFileSystem: Sendable {
  package let path: String

  /// Nil where this process may not mount.
  package init?(kilobytes: Int) {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("earshot-small-\(UUID().uuidString)").path
    guard mkdir(path, 0o700) == 0 else { return nil }
    guard mount("earshot", path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else {
      rmdir(path)
      return nil
    }
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
    rmdir(path)
  }

  /// Whether this process may mount at all, found by trying.
  package static let isPossible = SmallFileSystem(kilobytes: 64) != nil

  /// Forbids writing, for root as well.
  package func makeReadOnly() -> Bool {
    mount("earshot", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), "") == 0
  }

  /// Allows writing again.
  package func makeWritable() -> Bool { mount("earshot", path, "tmpfs", UInt(MS_REMOUNT), "") == 0 }

  /// Fills what room is left with one file.
  package func fill() {
    let descriptor = open(path + "/filler", O_WRONLY | O_CREAT, 0o600)
    let bytes = [UInt8](repeating: 1, count: 4096)
    while write(descriptor, bytes, bytes.count) > 0 {}
    close(descriptor)
  }

  /// Gives the room back.
  package func empty() { unlink(path + "/filler") }
}
