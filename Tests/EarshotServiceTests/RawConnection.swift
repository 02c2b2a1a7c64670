import Foundation
import Glibc

/// A connection to a Unix socket that says exactly what a test wants said.
final class RawConnection {
  let descriptor: Int32

  init(_ path: String) {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    var patience = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      done += count
    }
  }

  /// What comes, until `text` has come, the end, or ten seconds without a byte.
  func read(until text: String? = nil) -> String {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &piece, piece.count, 0)
      guard count > 0 else { break }
      all += piece[..<count]
      if let text, String(decoding: all, as: UTF8.self).contains(text) { break }
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// One request with its answer; the connection is closed by the daemon after it.
  static func exchange(
    _ path: String, _ method: String, _ target: String, headers: [String] = [], body: [UInt8] = []
  ) -> String {
    let connection = RawConnection(path)
    let lines = ["\(method) \(target) HTTP/1.1", "Host: localhost", "Connection: close"] + headers
    connection.send((lines + ["Content-Length: \(body.count)", "", ""]).joined(separator: "\r\n"))
    connection.send(body)
    return connection.read()
  }
}

/// The number in an answer's first line.
func status(of answer: String) -> Int {
  answer.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
}
