internal import CSystemd
internal import Foundation
internal import Glibc
internal import Synchronization

/// The desktop's own switch for microphones: GNOME's `disable-microphone`, and the portal's lockdown.
///
/// It is followed while the daemon runs, so that turning it off closes a microphone that is open.
/// Where there is no session bus there is no desktop, and nothing is restricted.
final class MicrophoneSwitch: Sendable {
  /// Whose switch it is; the raw values are reasons on the wire.
  enum Source: String, Sendable, Hashable, CaseIterable {
    /// The person's privacy settings in GNOME.
    case gnome = "desktop-switch"
    /// The portal's lockdown, which an administrator or a kiosk's session sets.
    case portal = "desktop-lockdown"
  }

  private struct State {
    var forbidden: Set<Source> = []
    var unknown: Set<Source> = []
  }

  private let state = Mutex(State())
  private let environment: [String: String]
  /// The kernel ends it with the daemon's thread, also when the daemon is killed.
  private static let program = "/usr/bin/setpriv"
  private static let settings = ["--pdeathsig", "TERM", "--", "/usr/bin/gsettings"]
  private static let schema = "org.gnome.desktop.privacy"
  private static let key = "disable-microphone"
  /// How long a first answer is waited for, in seconds.
  private static let patience = 1.0

  init(environment: [String: String]) { self.environment = environment }

  /// Begins to follow the switches; `whenForbidden` is called each time one goes off.
  func start(whenForbidden: @escaping @Sendable () -> Void) {
    guard environment["DBUS_SESSION_BUS_ADDRESS"] != nil else { return }
    state.withLock { $0.unknown = Set(Source.allCases) }
    Thread.detachNewThread { [self] in
      followSettings(whenForbidden)
      set(.gnome, false, whenForbidden)
    }
    Thread.detachNewThread { [self] in
      followPortal(whenForbidden)
      set(.portal, false, whenForbidden)
    }
  }

  /// Which switch forbids the microphone; nil where none does.
  var forbidding: Source? {
    let deadline = Clock.monotonicSeconds() + Self.patience
    while state.withLock({ !$0.unknown.isEmpty }), Clock.monotonicSeconds() < deadline {
      usleep(5_000)
    }
    return state.withLock { state in Source.allCases.first { state.forbidden.contains($0) } }
  }

  private func set(
    _ source: Source, _ isForbidden: Bool, _ whenForbidden: @Sendable () -> Void
  ) {
    let isNew = state.withLock { state in
      state.unknown.remove(source)
      guard isForbidden else {
        state.forbidden.remove(source)
        return false
      }
      return state.forbidden.insert(source).inserted
    }
    if isNew { whenForbidden() }
  }

  // MARK: GNOME

  /// Follows the setting until its program ends; a machine without the schema has no such switch.
  private func followSettings(_ whenForbidden: @escaping @Sendable () -> Void) {
    var isThere = false
    let read = { [self] in
      _ = LineProcess.run(Self.program, Self.settings + ["get", Self.schema, Self.key]) { line in
        isThere = true
        set(.gnome, line == "true", whenForbidden)
        return false
      }
    }
    read()
    guard isThere else { return }
    _ = LineProcess.run(
      Self.program, Self.settings + ["monitor", Self.schema, Self.key]
    ) { line in
      set(.gnome, line.hasSuffix("true"), whenForbidden)
      return true
    }
  }

  // MARK: The portal

  private static let backends = [
    "org.freedesktop.impl.portal.desktop.gtk", "org.freedesktop.impl.portal.desktop.gnome",
  ]
  private static let path = "/org/freedesktop/portal/desktop"
  private static let lockdown = "org.freedesktop.impl.portal.Lockdown"
  /// A backend may come later than the daemon, so it is looked for again, in microseconds.
  private static let lookAgain: UInt64 = 15_000_000

  /// Follows the portal's lockdown on a connection of its own, for as long as the bus lives.
  private func followPortal(_ whenForbidden: @escaping @Sendable () -> Void) {
    var opened: OpaquePointer?
    guard unsafe sd_bus_open_user(&opened) >= 0, let bus = unsafe opened else { return }
    defer { unsafe sd_bus_flush_close_unref(bus) }
    // Only the waking matters: after every message the property is read anew.
    let match =
      "type='signal',path='\(Self.path)',interface='org.freedesktop.DBus.Properties',"
      + "member='PropertiesChanged',arg0='\(Self.lockdown)'"
    guard unsafe sd_bus_add_match(bus, nil, match, { _, _, _ in 0 }, nil) >= 0 else { return }
    while true {
      let isForbidden = Self.backends.contains { unsafe Self.isLocked(bus, $0) }
      set(.portal, isForbidden, whenForbidden)
      let waited = unsafe sd_bus_wait(bus, Self.lookAgain)
      if waited < 0 && waited != -EINTR { return }
      while true {
        let done = unsafe sd_bus_process(bus, nil)
        if done < 0 { return }
        if done == 0 { break }
      }
    }
  }

  /// Whether a backend that runs already says that microphones are locked; none is started for it.
  private static func isLocked(_ bus: OpaquePointer, _ backend: String) -> Bool {
    var made: OpaquePointer?
    guard
      unsafe sd_bus_message_new_method_call(
        bus, &made, backend, path, "org.freedesktop.DBus.Properties", "Get") >= 0,
      let call = unsafe made
    else { return false }
    defer { unsafe sd_bus_message_unref(call) }
    unsafe sd_bus_message_set_auto_start(call, 0)
    let text = CChar(bitPattern: UInt8(ascii: "s"))
    for argument in [lockdown, key] {
      guard unsafe sd_bus_message_append_basic(call, text, argument) >= 0 else { return false }
    }
    var answered: OpaquePointer?
    guard unsafe sd_bus_call(bus, call, 1_000_000, nil, &answered) >= 0,
      let answer = unsafe answered
    else { return false }
    defer { unsafe sd_bus_message_unref(answer) }
    let variant = CChar(bitPattern: UInt8(ascii: "v"))
    guard unsafe sd_bus_message_enter_container(answer, variant, "b") > 0 else { return false }
    var value: Int32 = 0
    let flag = CChar(bitPattern: UInt8(ascii: "b"))
    return unsafe sd_bus_message_read_basic(answer, flag, &value) > 0 && value != 0
  }
}
