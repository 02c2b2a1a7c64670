internal import CSystemd
internal import EarshotClient
internal import Glibc

/// The sockets that systemd hands over, told apart by their names (`FileDescriptorName=`).
///
/// The one called `kiosk` is the page's; the other is the API's, whatever it is called.
struct InheritedSockets: Sendable {
  var api: Int32?
  var kiosk: Int32?

  static let kioskName = "kiosk"

  /// Taken once: the environment that names them is cleared with it.
  static let all = take()

  /// Whether something was handed over that is none of the two.
  private(set) var hasStranger = false

  private init() {}

  private static func take() -> InheritedSockets {
    var sockets = InheritedSockets()
    let names = environmentNames()
    let count = sd_listen_fds(1)
    guard count > 0 else { return sockets }
    for index in 0..<Int(count) {
      let descriptor = Int32(3 + index)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let isKiosk = names.indices.contains(index) && names[index] == kioskName
      if isKiosk, sockets.kiosk == nil, isLoopback(descriptor) {
        sockets.kiosk = descriptor
      } else if !isKiosk, sockets.api == nil,
        sd_is_socket_unix(descriptor, streamSocketType, 1, nil, 0) > 0
      {
        sockets.api = descriptor
      } else {
        sockets.hasStranger = true
      }
    }
    return sockets
  }

  private static func environmentNames() -> [String] {
    guard let names = unsafe getenv("LISTEN_FDNAMES") else { return [] }
    return unsafe String(cString: names).split(separator: ":", omittingEmptySubsequences: false)
      .map(String.init)
  }

  /// Whether a socket listens on 127.0.0.1 and nowhere else.
  private static func isLoopback(_ descriptor: Int32) -> Bool {
    guard sd_is_socket_inet(descriptor, AF_INET, streamSocketType, 1, 0) > 0 else { return false }
    return KioskSocket.address(of: descriptor)?.sin_addr.s_addr == KioskSocket.loopback
  }
}
