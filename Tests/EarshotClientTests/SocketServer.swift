import Foundation
import Glibc

/// A server on a Unix socket that answers every connection with given pieces, or never.
final class SocketServer {
  let path: String
  private let listening: Int32
  private let isEnded = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - pieces: what is written, one after the other; empty means that it never answers.
  ///   - holds: whether the connection stays open after the last piece.
  init(_ pieces: [String], holds: Bool = false) throws {
    path = "/tmp/earshot-client-\(UUID().uuidString.prefix(13))"
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    listening = descriptor
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0, listen(descriptor, 8) == 0 else { throw POSIXError(.EADDRINUSE) }
    let isEnded = isEnded
    Thread.detachNewThread {
      defer { isEnded.signal() }
      while true {
        // A child of another test that inherits the connection would keep it open.
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { return }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        Self.answer(connection, pieces, holds: holds)
      }
    }
  }

  deinit {
    shutdown(listening, Int32(SHUT_RDWR))
    unlink(path)
    // Closed before its thread has ended, the number would be the next server's, and this thread
    // would answer that one's clients. A thread that is held up keeps its number.
    if isEnded.wait(timeout: .now() + 5) == .success { close(listening) }
  }

  private static func answer(_ connection: Int32, _ pieces: [String], holds: Bool) {
    var request = [UInt8](repeating: 0, count: 64 << 10)
    _ = recv(connection, &request, request.count, 0)
    for piece in pieces {
      let bytes = Array(piece.utf8)
      _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      usleep(5_000)
    }
    if pieces.isEmpty || holds {
      // Until the other end closes.
      while recv(connection, &request, request.count, 0) > 0 {}
    }
    close(connection)
  }

  /// A whole answer with its head.
  static func answer(_ status: Int, _ body: String, type: String = "application/json") -> String {
    "HTTP/1.1 \(status) X\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
      + body
  }
}
