internal import CSndfile
import Glibc

/// Lets libsndfile read a pipe as if one could go back to its beginning.
///
/// The first 128 KiB are kept, which is where headers are looked at more than once; past them reading
/// only goes forward. The length is unknown and given as without end.
@safe final class PipeWindow {
  private let file: OwnedDescriptor
  private var head: [UInt8] = []
  /// Where the next read begins, and how many bytes have come out of the pipe.
  private var place = 0
  private var received = 0

  private static let headByteCountMax = 128 << 10

  init(_ file: consuming OwnedDescriptor) { self.file = file }

  /// Opens the pipe with libsndfile. The window must live as long as what is returned.
  func open(_ facts: inout SF_INFO) -> OpaquePointer? {
    var calls = unsafe SF_VIRTUAL_IO(
      get_filelen: { _ in sf_count_t(Int64.max) },
      seek: { offset, whence, window in
        unsafe PipeWindow.of(window).seek(Int(offset), whence)
      },
      read: { target, count, window in
        unsafe PipeWindow.of(window).read(target, Int(count))
      },
      write: { _, _, _ in 0 },
      tell: { window in sf_count_t(unsafe PipeWindow.of(window).place) })
    // SAFETY: the decoder keeps the window, so the unretained reference stays good.
    let window = unsafe Unmanaged.passUnretained(self).toOpaque()
    return unsafe sf_open_virtual(&calls, Int32(SFM_READ), &facts, window)
  }

  private static func of(_ window: UnsafeMutableRawPointer?) -> PipeWindow {
    guard let window = unsafe window else { preconditionFailure("the window is always given") }
    return unsafe Unmanaged<PipeWindow>.fromOpaque(window).takeUnretainedValue()
  }

  private func seek(_ offset: Int, _ whence: Int32) -> sf_count_t {
    let target: Int
    switch whence {
    case SEEK_SET: target = offset
    case SEEK_CUR: target = place + offset
    default: return -1
    }
    guard target >= 0, target <= head.count || target >= received else { return -1 }
    if target > received {
      // Going forward is reading and dropping.
      place = received
      var dropped = [UInt8](repeating: 0, count: 4096)
      while received < target {
        let count = min(dropped.count, target - received)
        guard unsafe dropped.withUnsafeMutableBytes({ unsafe receive($0.baseAddress, count) }) > 0
        else { return -1 }
      }
    }
    place = target
    return sf_count_t(place)
  }

  private func read(_ target: UnsafeMutableRawPointer?, _ count: Int) -> sf_count_t {
    guard let target = unsafe target, count > 0 else { return 0 }
    var done = 0
    while done < count {
      let got: Int
      if place < min(head.count, received) {
        got = min(count - done, head.count - place)
        unsafe head.withUnsafeBytes { bytes in
          guard let base = bytes.baseAddress else { return }
          unsafe (target + done).copyMemory(from: base + place, byteCount: got)
        }
      } else {
        guard place == received else { break }
        got = unsafe receive(target + done, count - done)
        if got <= 0 { break }
      }
      place += got
      done += got
    }
    return sf_count_t(done)
  }

  /// Takes bytes from the pipe, keeping those of its beginning.
  private func receive(_ target: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    while true {
      let got = unsafe Glibc.read(file.number, target, count)
      if got < 0, errno == EINTR { continue }
      guard got > 0, let target = unsafe target else { return got }
      let kept = min(got, Self.headByteCountMax - head.count)
      if kept > 0, received == head.count {
        unsafe head += UnsafeRawBufferPointer(start: target, count: kept)
      }
      received += got
      return got
    }
  }
}
