internal import EarshotClient
internal import Foundation
internal import Glibc
internal import Synchronization

/// What a desktop agent has on the screen.
protocol DesktopShown: Sendable {
  /// Takes it away.
  func close()
}

/// The desktop portal's backend, where a prompt can be shown without zenity.
enum PortalBackend {
  /// The backend of GTK desktops, the one of which it is known that leaving its dialog is not told as
  /// a denial (rule C7).
  static let name = "org.freedesktop.impl.portal.desktop.gtk"
  static let path = "/org/freedesktop/portal/desktop"
  static let access = "org.freedesktop.impl.portal.Access"
  static let request = "org.freedesktop.impl.portal.Request"

  /// The connection that is the backend's now, started where it does not run; nil where there is none.
  ///
  /// Any program of the person can take a name on the bus and answer in the backend's place, so the
  /// process behind it has to run the backend's own program, which root owns. What is returned names
  /// this one connection, which nobody else can become.
  static func connection(_ bus: borrowing SessionBus) -> String? {
    let driver = ("org.freedesktop.DBus", "/org/freedesktop/DBus")
    _ = bus.call(
      driver.0, driver.1, driver.0, "StartServiceByName", [.text(name), .number(0)], seconds: 10)
    guard
      case .text(let owner) = bus.call(
        driver.0, driver.1, driver.0, "GetNameOwner", [.text(name)]),
      case .number(let process) = bus.call(
        driver.0, driver.1, driver.0, "GetConnectionUnixProcessID", [.text(owner)]),
      isOwn(Int32(clamping: process))
    else { return nil }
    return owner
  }

  /// Whether a process runs a portal's program where packages put it, and root alone can change it.
  private static func isOwn(_ process: Int32) -> Bool {
    let link = "/proc/\(process)/exe"
    var facts = stat()
    guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link),
      ["/usr/libexec/", "/usr/lib/"].contains(where: path.hasPrefix),
      Folders.name(of: path).hasPrefix("xdg-desktop-portal"), unsafe stat(link, &facts) == 0
    else { return false }
    return facts.st_uid == 0 && facts.st_mode & (S_IWGRP | S_IWOTH) == 0
  }

  /// Whether there is one on this session's bus.
  static var isThere: Bool {
    guard let bus = SessionBus() else { return false }
    return connection(bus) != nil
  }
}

/// A prompt that the portal's backend shows.
final class PortalWindow: DesktopShown {
  private let handle: String
  private let owner = Mutex<String?>(nil)

  private init(handle: String) { self.handle = handle }

  /// Shows it; `ended` is called once, on a thread of its own, with what it came to.
  static func open(
    _ question: PortalQuestion, ended: @escaping @Sendable (DesktopDialog.Outcome) -> Void
  ) -> PortalWindow {
    let name = UUID().uuidString.lowercased().filter { $0 != "-" }
    let window = PortalWindow(handle: "\(PortalBackend.path)/request/earshot/p\(name)")
    Thread.detachNewThread { ended(window.show(question)) }
    return window
  }

  private func show(_ question: PortalQuestion) -> DesktopDialog.Outcome {
    guard let bus = SessionBus(), let found = PortalBackend.connection(bus) else {
      return question.outcome(response: nil)
    }
    owner.withLock { $0 = found }
    let prompt = question.prompt
    let icon = prompt.capability == "library" ? "document-save" : "audio-input-microphone"
    let answer = bus.call(
      found, PortalBackend.path, PortalBackend.access, "AccessDialog",
      [
        .path(handle), .text(""), .text(""), .text(prompt.title), .text(""),
        .text(prompt.message ?? ""),
        .options([
          "deny_label": .text(question.backingOut.label),
          "grant_label": .text(question.granting.label), "icon": .text(icon + "-symbolic"),
          "modal": .flag(false),
        ]),
      ], seconds: max(1, prompt.secondsLeft))
    guard case .number(let response) = answer else { return question.outcome(response: nil) }
    return question.outcome(response: response)
  }

  func close() {
    guard let owner = owner.withLock({ $0 }), let bus = SessionBus() else { return }
    _ = bus.call(owner, handle, PortalBackend.request, "Close", [])
  }
}

/// An open microphone, as a notification that stays until it is closed.
final class PortalIndicator: DesktopShown {
  private let isClosed = Atomic<Bool>(false)
  private static let service = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"

  /// Shows it; `ended` is called once, when it left the screen or could not be shown at all.
  static func open(
    _ text: String, stop: String, ended: @escaping @Sendable () -> Void
  ) -> PortalIndicator {
    let indicator = PortalIndicator()
    Thread.detachNewThread {
      indicator.show(text, stop)
      ended()
    }
    return indicator
  }

  private func show(_ text: String, _ stop: String) {
    guard let bus = SessionBus(), bus.follow(Self.service) else { return }
    let answer = bus.call(
      Self.service, Self.path, Self.service, "Notify",
      [
        .text("Earshot"), .number(0), .text("audio-input-microphone"), .text(text), .text(""),
        .texts(["stop", stop]),
        // Urgent ones are left on the screen; the last value says that its time never ends.
        .options(["urgency": .byte(2)]), .signed(0),
      ])
    guard case .number(let id) = answer else { return }
    while !isClosed.load(ordering: .relaxed) {
      guard let came = bus.signals(Self.service, seconds: 0.1) else { return }
      // A press on it, and every way in which it leaves the screen.
      if came.contains(where: { $0.number == id }) { return }
    }
    _ = bus.call(Self.service, Self.path, Self.service, "CloseNotification", [.number(id)])
  }

  func close() { isClosed.store(true, ordering: .relaxed) }
}
