internal import Glibc

/// The kiosk's listener from its socket to its server.
final class KioskPage: Sendable {
  let kiosk: Kiosk
  private let socket: KioskSocket

  private init(kiosk: Kiosk, socket: consuming KioskSocket) {
    self.kiosk = kiosk
    self.socket = socket
  }

  /// Binds the port; nil where no kiosk is configured.
  static func open(_ settings: Settings) throws(ServiceError) -> KioskPage? {
    guard let setup = settings.kiosk else { return nil }
    guard let peer = Peer.own() else { throw .socket(call: "socketpair", code: errno) }
    let socket = try KioskSocket.open(port: setup.settings.port)
    let access = KioskAccess(port: socket.port, stateFolder: settings.paths.state)
    return KioskPage(kiosk: Kiosk(setup: setup, access: access, peer: peer), socket: socket)
  }

  /// Serves the page until the server is stopped.
  func serve(_ daemon: DaemonState, _ watch: ClientWatch) throws(ServiceError) -> HTTPServer {
    for fault in kiosk.setup.theme.faults {
      daemon.log.error("the kiosk's button can't be read and grants nothing: " + fault)
    }
    let router = KioskRouter(daemon: daemon, kiosk: kiosk)
    let server = HTTPServer(
      watch: watch, peer: kiosk.peer, headers: KioskGate.headers, admit: { _ in true },
      handle: { router.handle($0) })
    try server.start(listening: socket.descriptor)
    daemon.log.notice("the kiosk's page is at \(kiosk.access.origin); earshot kiosk link opens it")
    return server
  }
}
