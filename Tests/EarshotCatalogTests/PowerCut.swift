import Glibc
import Synchronization

@testable import EarshotCatalog

/// A file system in memory that keeps an account of what would be left after a power cut.
///
/// Bytes are durable once their file was synced, and names once their folder was. Until then each
/// write, and each change of a name, may or may not have reached the disk, whatever came after it.
final class PowerCut: Storage {
  /// What a cut can leave under a name: nothing, or a file's bytes.
  typealias Names = [[UInt8]: [UInt8]]

  private enum Call { case make, write, sync, name, move, syncFolder }

  private struct File {
    var durable: [UInt8] = []
    var waiting: [(offset: Int, bytes: [UInt8])] = []
  }

  private enum Change {
    case name([UInt8], Int32)
    case move([UInt8], [UInt8], Int32)
    case remove([UInt8])
  }

  private struct State {
    var files: [Int32: File] = [:]
    var names: [[UInt8]: Int32] = [:]
    var durableNames: [[UInt8]: Int32] = [:]
    var changes: [Change] = []
    var callCount = 0
    /// All that a cut after each call could leave.
    var outcomes: [[Names]] = []
  }

  private let state = Mutex(State())
  private let failingCall: Int
  private let failure: Int32
  private let hasUnnamed: Bool

  /// The call of that number fails with `failure`; a file that stands under `path` is durable.
  init(
    holding bytes: [UInt8], at path: [UInt8], hasUnnamed: Bool = true, failingCall: Int = -1,
    failure: Int32 = EIO
  ) {
    self.failingCall = failingCall
    self.failure = failure
    self.hasUnnamed = hasUnnamed
    state.withLock {
      $0.files[1000] = File(durable: bytes)
      $0.names[path] = 1000
      $0.durableNames[path] = 1000
    }
  }

  /// Calls so far.
  var callCount: Int { state.withLock(\.callCount) }
  /// For each call, what a power cut right after it could leave.
  var outcomes: [[Names]] { state.withLock(\.outcomes) }
  /// What the names stand for as programs see it.
  var visible: Names {
    state.withLock { state in state.names.mapValues { Self.bytes(state.files[$0], written: true) } }
  }

  func makeUnnamed(in folder: [UInt8]) -> Int32 {
    hasUnnamed ? make(under: nil) : -EOPNOTSUPP
  }

  func makeNamed(_ path: [UInt8]) -> Int32 { make(under: path) }

  private func make(under path: [UInt8]?) -> Int32 {
    var made: Int32 = 0
    let failed = call { state in
      made = Int32(2000 + state.files.count)
      state.files[made] = File()
      if let path {
        state.names[path] = made
        state.changes.append(.name(path, made))
      }
    }
    return failed == 0 ? made : -failed
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, of descriptor: Int32) -> Int32 {
    let bytes = Array(bytes)
    return call { $0.files[descriptor]?.waiting.append((offset, bytes)) }
  }

  /// The bytes are put into a file without a name, so that they can be mapped as a real one's are.
  func mapped(_ descriptor: Int32, offset: Int, byteCount: Int) throws(CatalogError)
    -> RawSpanOwner
  {
    let bytes = state.withLock { Self.bytes($0.files[descriptor], written: true) }
    guard let stream = unsafe tmpfile() else { throw .notWritable(errno: errno) }
    defer { unsafe fclose(stream) }
    let file = unsafe fileno(stream)
    guard unsafe pwrite(file, bytes, bytes.count, 0) == bytes.count else {
      throw .notWritable(errno: EIO)
    }
    return try RawSpanOwner(descriptor: file, offset: offset, byteCount: byteCount)
  }

  func sync(_ descriptor: Int32) -> Int32 {
    call { state in
      guard var file = state.files[descriptor] else { return }
      file.durable = Self.bytes(file, written: true)
      file.waiting = []
      state.files[descriptor] = file
    }
  }

  func name(_ descriptor: Int32, as path: [UInt8]) -> Int32 {
    call { state in
      state.names[path] = descriptor
      state.changes.append(.name(path, descriptor))
    }
  }

  func move(_ from: [UInt8], to path: [UInt8]) -> Int32 {
    call { state in
      guard let file = state.names.removeValue(forKey: from) else { return }
      state.names[path] = file
      state.changes.append(.move(from, path, file))
    }
  }

  func syncFolder(_ folder: [UInt8]) -> Int32 {
    call { state in
      state.durableNames = state.names
      state.changes = []
    }
  }

  func remove(_ path: [UInt8]) {
    state.withLock { state in
      state.names.removeValue(forKey: path)
      state.changes.append(.remove(path))
    }
  }

  func close(_ descriptor: Int32) {}

  private func call(_ body: (inout State) -> Void) -> Int32 {
    state.withLock { state in
      state.callCount += 1
      if state.callCount == failingCall { return failure }
      body(&state)
      state.outcomes.append(Self.outcomes(of: state))
      return 0
    }
  }

  private static func outcomes(of state: State) -> [Names] {
    var all: [Names] = []
    for choice in 0..<(1 << state.changes.count) {
      var names = state.durableNames
      for (index, change) in state.changes.enumerated() where choice >> index & 1 == 1 {
        switch change {
        case .name(let path, let file): names[path] = file
        case .move(let from, let path, let file):
          names[from] = nil
          names[path] = file
        case .remove(let path): names[path] = nil
        }
      }
      for written in [true, false] {
        all.append(names.mapValues { bytes(state.files[$0], written: written) })
      }
    }
    return all
  }

  /// The bytes of a file with all that waits, or without what was written last.
  private static func bytes(_ file: File?, written: Bool) -> [UInt8] {
    guard let file else { return [] }
    var bytes = file.durable
    for (offset, piece) in written ? file.waiting[...] : file.waiting.dropLast() {
      if bytes.count < offset + piece.count {
        bytes += [UInt8](repeating: 0, count: offset + piece.count - bytes.count)
      }
      bytes.replaceSubrange(offset..<(offset + piece.count), with: piece)
    }
    return bytes
  }
}
