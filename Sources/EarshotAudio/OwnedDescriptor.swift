internal import CSndfile
import Glibc

/// An open file that is closed when its owner goes.
struct OwnedDescriptor: ~Copyable {
  let number: Int32

  /// Takes over an open descriptor.
  init(taking number: Int32) { self.number = number }

  /// Opens the file at `path`, never waiting for a device or becoming its terminal.
  ///
  /// A named pipe is opened too, and waits for its writer as every reader of a pipe does.
  init(path: [UInt8]) throws(AudioError) {
    guard !path.isEmpty, !path.contains(0) else { throw .unreadable(errno: ENOENT) }
    let name = path + [0]
    let number = unsafe name.withUnsafeBufferPointer { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) { chars -> Int32 in
        guard let base = chars.baseAddress else { return -1 }
        var facts = stat()
        let isPipe = unsafe stat(base, &facts) == 0 && facts.st_mode & S_IFMT == S_IFIFO
        return unsafe open(base, O_RDONLY | O_CLOEXEC | O_NOCTTY | (isPipe ? 0 : O_NONBLOCK))
      }
    }
    // A socket in the file system can't be opened and says so with ENXIO.
    if number < 0 { throw errno == ENXIO ? .notAFile : .unreadable(errno: errno) }
    self.number = number
  }

  /// Duplicates a descriptor that someone else owns.
  init(duplicating other: Int32, from lowest: Int32 = 10) throws(AudioError) {
    let number = fcntl(other, F_DUPFD_CLOEXEC, lowest)
    guard number >= 0 else { throw .unreadable(errno: errno) }
    self.number = number
  }

  deinit { close(number) }

  /// What kind of file this is, as `S_IFMT` has it, and its size in bytes.
  func kindAndSize() throws(AudioError) -> (kind: mode_t, byteCount: Int) {
    var facts = stat()
    guard unsafe fstat(number, &facts) == 0 else { throw .unreadable(errno: errno) }
    return (facts.st_mode & S_IFMT, Int(facts.st_size))
  }

  /// Up to `count` bytes from `offset` of a regular file; fewer at its end.
  func bytes(at offset: Int, count: Int) throws(AudioError) -> [UInt8] {
    var found = [UInt8](repeating: 0, count: count)
    var got = 0
    while got < count {
      let result = unsafe found.withUnsafeMutableBytes { buffer in
        unsafe pread(
          number, buffer.baseAddress.map { unsafe $0 + got }, count - got, off_t(offset + got))
      }
      if result == 0 { break }
      if result < 0 {
        if errno == EINTR { continue }
        throw .unreadable(errno: errno)
      }
      got += result
    }
    found.removeLast(count - got)
    return found
  }

  /// What a pipe holds now, waiting for the first byte; empty at its end.
  func bytes(countMax: Int) throws(AudioError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: countMax)
    while true {
      let got = unsafe bytes.withUnsafeMutableBytes {
        unsafe read(number, $0.baseAddress, countMax)
      }
      if got >= 0 { return Array(bytes.prefix(got)) }
      guard errno == EINTR else { throw .unreadable(errno: errno) }
    }
  }

  /// Reads on from a place of a regular file.
  func move(to offset: Int) throws(AudioError) {
    guard lseek(number, off_t(offset), SEEK_SET) >= 0 else { throw .unreadable(errno: errno) }
  }

  /// Drops the next bytes of a pipe.
  func skip(count: Int) throws(AudioError) {
    var left = count
    while left > 0 {
      let bytes = try bytes(countMax: left)
      guard !bytes.isEmpty else { return }
      left -= bytes.count
    }
  }

  /// The first bytes of a pipe or socket, left in place for whoever reads it.
  ///
  /// Waits until `count` bytes are there, the writer has closed, or `seconds` have passed.
  func peek(count: Int, seconds: Double) throws(AudioError) -> [UInt8] {
    let isSocket = try kindAndSize().kind == S_IFSOCK
    var side: [Int32] = [-1, -1]
    guard unsafe isSocket || pipe2(&side, O_CLOEXEC) == 0 else {
      throw .unreadable(errno: errno)
    }
    defer { for end in side where end >= 0 { close(end) } }
    var found: [UInt8] = []
    var waitedMilliseconds = 0
    while found.count < count, Double(waitedMilliseconds) < seconds * 1000 {
      var ready = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
      let status = unsafe poll(&ready, 1, 100)
      if status == 0 {
        waitedMilliseconds += 100
        continue
      }
      let before = found.count
      found = try isSocket ? look(count: count) : copy(count: count, through: side)
      // Nothing more can come once the writer has hung up or the stream is at its end.
      if ready.revents & Int16(POLLHUP) != 0 || found.isEmpty { break }
      if found.count == before || found.count < count {
        usleep(2000)
        waitedMilliseconds += 2
      }
    }
    return found
  }

  /// The first bytes waiting in a socket.
  private func look(count: Int) throws(AudioError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = unsafe bytes.withUnsafeMutableBytes {
      unsafe recv(number, $0.baseAddress, count, Int32(MSG_PEEK))
    }
    guard got >= 0 else { throw .unreadable(errno: errno) }
    return Array(bytes.prefix(got))
  }

  /// The first bytes waiting in a pipe, copied by the kernel into another pipe.
  private func copy(count: Int, through side: [Int32]) throws(AudioError) -> [UInt8] {
    let copied = tee(number, side[1], count, 0)
    guard copied >= 0 else { throw .unreadable(errno: errno) }
    var bytes = [UInt8](repeating: 0, count: max(1, copied))
    let got = unsafe bytes.withUnsafeMutableBytes { unsafe read(side[0], $0.baseAddress, copied) }
    return Array(bytes.prefix(max(0, got)))
  }
}
