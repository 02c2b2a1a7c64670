internal import CMicroHTTPD
internal import Glibc

/// The body of an event stream, as libmicrohttpd asks for it.
///
/// It lives as long as its response: made when the response is, released by the response's end.
final class HTTPStream {
  private let queue: EventQueue
  private let connection: Int

  private init(queue: EventQueue, connection: Int) {
    self.queue = queue
    self.connection = connection
  }

  /// Answers `connection` with the events of `queue`, until it ends.
  static func send(
    _ queue: EventQueue, _ connection: OpaquePointer, _ headers: [(String, String)]
  ) -> MHD_Result {
    let stream = HTTPStream(queue: queue, connection: Int(bitPattern: connection))
    let context = unsafe Unmanaged.passRetained(stream).toOpaque()
    let made = unsafe MHD_create_response_from_callback(
      UInt64.max, 4096,
      { context, _, buffer, limit in
        guard let context = unsafe context, let buffer = unsafe buffer else { return -2 }
        let stream = unsafe Unmanaged<HTTPStream>.fromOpaque(context).takeUnretainedValue()
        return unsafe stream.read(into: buffer, limit: limit)
      }, context,
      { context in
        if let context = unsafe context {
          unsafe Unmanaged<HTTPStream>.fromOpaque(context).release()
        }
      })
    guard let response = unsafe made else {
      unsafe Unmanaged<HTTPStream>.fromOpaque(context).release()
      return .NO
    }
    defer { unsafe MHD_destroy_response(response) }
    unsafe MHD_add_response_header(response, "Content-Type", "text/event-stream")
    unsafe MHD_add_response_header(response, "Cache-Control", "no-store")
    for (name, value) in headers { unsafe MHD_add_response_header(response, name, value) }
    return unsafe MHD_queue_response(connection, 200, response)
  }

  private func read(into buffer: UnsafeMutablePointer<CChar>, limit: Int) -> Int {
    let address = connection
    let piece = queue.take(limit: limit) {
      // Under the queue's lock: whoever pushes next finds the wake, and only after the sleep.
      if let connection = unsafe OpaquePointer(bitPattern: address) {
        unsafe MHD_suspend_connection(connection)
      }
      return {
        if let connection = unsafe OpaquePointer(bitPattern: address) {
          unsafe MHD_resume_connection(connection)
        }
      }
    }
    switch piece {
    case .nothingYet: return 0
    case .ended: return queue.isBroken ? -2 : -1
    case .bytes(let bytes):
      unsafe bytes.withUnsafeBytes { source in
        if let start = source.baseAddress {
          unsafe memcpy(buffer, start, source.count)
        }
      }
      return bytes.count
    }
  }
}
