internal import Glibc

/// The page's listening socket: TCP on 127.0.0.1, which no other machine reaches.
struct KioskSocket: ~Copyable {
  let descriptor: Int32
  /// The port that it has.
  let port: Int

  /// 127.0.0.1 in network order.
  static let loopback = UInt32(0x7F00_0001).bigEndian

  /// The socket that systemd hands over under the name `kiosk`, or one bound to `port`.
  ///
  /// - Throws: ``ServiceError/socket(call:code:)``.
  static func open(port: Int) throws(ServiceError) -> KioskSocket {
    if let inherited = InheritedSockets.all.kiosk {
      guard let address = address(of: inherited) else {
        throw .socket(call: "getsockname", code: errno)
      }
      return KioskSocket(
        descriptor: inherited, port: Int(UInt16(bigEndian: address.sin_port)))
    }
    return try bound(to: port)
  }

  private static func bound(to port: Int) throws(ServiceError) -> KioskSocket {
    let descriptor = socket(AF_INET, streamSocketType, 0)
    guard descriptor >= 0 else { throw .socket(call: "socket", code: errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    // A daemon that is started anew must not wait for the old one's connections to be forgotten.
    var yes: Int32 = 1
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = loopback
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0, listen(descriptor, Int32(ServiceLimits.backlog)) == 0,
      let given = self.address(of: descriptor)
    else {
      let code = errno
      close(descriptor)
      throw .socket(call: "bind to the kiosk's port", code: code)
    }
    return KioskSocket(descriptor: descriptor, port: Int(UInt16(bigEndian: given.sin_port)))
  }

  private init(descriptor: Int32, port: Int) {
    self.descriptor = descriptor
    self.port = port
  }

  deinit { close(descriptor) }

  /// Where an IPv4 socket is bound; nil for any other.
  static func address(of descriptor: Int32) -> sockaddr_in? {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &size)
      }
    }
    return status == 0 && address.sin_family == sa_family_t(AF_INET) ? address : nil
  }
}
