internal import Foundation
internal import Glibc

/// Makes the daemon's folders, for the person alone.
enum Folders {
  /// Makes `path` with mode 0700, and those above it that are missing.
  ///
  /// - Throws: ``ServiceError/unusableFile(role:code:)``, and
  ///   ``ServiceError/foreignFile(role:owner:)`` where it belongs to somebody else.
  static func makePrivate(_ path: String, role: String) throws(ServiceError) {
    if unsafe mkdir(path, 0o700) != 0 {
      switch errno {
      case EEXIST: break
      case ENOENT where path != "/" && !path.isEmpty:
        try makePrivate(parent(of: path), role: role)
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
          throw .unusableFile(role: role, code: errno)
        }
      default: throw .unusableFile(role: role, code: errno)
      }
    }
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { throw .unusableFile(role: role, code: errno) }
    guard facts.st_mode & S_IFMT == S_IFDIR else {
      throw .unusableFile(role: role, code: ENOTDIR)
    }
    guard facts.st_uid == geteuid() || facts.st_uid == 0 else {
      throw .foreignFile(role: role, owner: facts.st_uid)
    }
  }

  /// The last part of `path`.
  static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// The folder that holds `path`.
  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// The lock on the state folder: never two daemons that can open the microphone.
struct StateLock: ~Copyable {
  private let descriptor: Int32

  /// Takes the lock, which the kernel gives back when the process ends, however it ends.
  ///
  /// - Throws: ``ServiceError/anotherDaemon(process:)`` with the owner's number, and
  ///   ``ServiceError/unusableFile(role:code:)``.
  init(folder: String) throws(ServiceError) {
    let opened = unsafe open(folder + "/daemon.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard opened >= 0 else { throw .unusableFile(role: "state folder", code: errno) }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      let owner = Self.owner(in: opened)
      close(opened)
      throw code == EWOULDBLOCK
        ? .anotherDaemon(process: owner) : .unusableFile(role: "state folder", code: code)
    }
    descriptor = opened
    let text = Array("\(getpid())\n".utf8)
    // The number is only told to a second daemon; the lock itself does not rest on it.
    _ = ftruncate(descriptor, 0)
    _ = unsafe pwrite(descriptor, text, text.count, 0)
  }

  deinit {
    // Unlocked by name: a process that is just being started holds a copy until it runs its own program.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func owner(in descriptor: Int32) -> Int32 {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
    let digits = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    return Int32(digits.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
  }
}
