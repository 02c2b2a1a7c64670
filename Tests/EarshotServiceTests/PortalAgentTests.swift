import EarshotClient
import Foundation
import Testing

@testable import EarshotService

@Suite("A prompt by the desktop portal")
struct PortalQuestionTests {
  private func question(_ buttons: [(String, String)]) -> PortalQuestion? {
    PortalQuestion(
      PromptMessage(
        id: "p", capability: "microphone", title: "“x” asks to use the microphone.", message: nil,
        language: "en", buttons: buttons.map { .init(choice: $0.0, label: $0.1) }, secondsLeft: 60))
  }

  @Test("C5: of three buttons it offers what backs out and what grants least, by their own words")
  func pair() throws {
    let asked = try #require(
      question([
        ("allow-once", "Allow Once"), ("allow-while-open", "Allow While Open"),
        ("deny", "Don't Allow"),
      ]))
    #expect(asked.granting.choice == "allow-once" && asked.granting.label == "_Allow Once")
    #expect(asked.backingOut.choice == "deny" && asked.backingOut.label == "_Don't Allow")
    let saving = try #require(
      question([("save", "Save"), ("never-save", "Never Save"), ("not-now", "Not Now")]))
    #expect(saving.granting.choice == "save" && saving.backingOut.choice == "not-now")
    #expect(question([("allow-once", "Allow Once")]) == nil)
    #expect(question([("deny", "Don't Allow")]) == nil)
  }

  @Test("C7: leaving the dialog is no answer, and one that was not shown is none either")
  func responses() throws {
    let asked = try #require(question([("allow-once", "Allow Once"), ("deny", "Don't Allow")]))
    #expect(asked.outcome(response: 0) == .answer(choice: "allow-once"))
    #expect(asked.outcome(response: 1) == .answer(choice: "deny"))
    #expect(asked.outcome(response: 2) == .dismissed)
    #expect(asked.outcome(response: 3) == .failed(status: 127))
    #expect(asked.outcome(response: nil) == .failed(status: 127))
  }
}

@Suite("The desktop agent by the portal", .serialized)
struct PortalAgentTests {
  private let daemon: RunningDaemon
  private let bus: PersonBus
  private let screen: DesktopScreen

  init() throws {
    daemon = try RunningDaemon(configuration: #"{"source":"earshot-none"}"#)
    try daemon.addCatalog()
    bus = try PersonBus(for: daemon)
    screen = try DesktopScreen(daemon, startsAgent: false)
  }

  @Test("C7, C8: a real backend shows the prompt; Esc leaves no answer, a button's key leaves one")
  func shown() throws {
    try bus.start("/usr/libexec/xdg-desktop-portal-gtk", environment: ["DISPLAY": screen.display])
    try #require(eventually(seconds: 20) { bus.hasPortal })
    try screen.startAgent("--portal")
    let left = try AskingProgram(socket: daemon.socket)
    try #require(screen.focusPortal())
    screen.press("Escape")
    #expect(try left.result().explanation?.reason == "dismissed")
    #expect(try daemon.client.consents().isEmpty)
    let gone = try AskingProgram(socket: daemon.socket)
    try #require(screen.focusPortal())
    gone.end()
    #expect(eventually { screen.portalWindows.isEmpty })
    #expect(try daemon.client.consents().isEmpty)
    #expect(bus.hasPortal)
    let allowed = try AskingProgram(socket: daemon.socket)
    try #require(screen.focusPortal())
    screen.press("alt+a")
    // Allowed, so it came as far as the source, which is not there.
    #expect(try allowed.result().outcome == .error)
    let consent = try #require(try daemon.client.consents().first)
    #expect(consent.decision == "allow-once" && consent.agent == "desktop")
    let denied = try AskingProgram(socket: daemon.socket)
    try #require(screen.focusPortal())
    screen.press("alt+d")
    #expect(try denied.result().explanation?.reason == "denied")
    #expect(screen.endAgent() == 0)
  }

  @Test("C10: a program that takes the backend's name on the bus answers nothing")
  func impostor() throws {
    try bus.startPython(
      """
      import dbus, dbus.service
      from dbus.mainloop.glib import DBusGMainLoop
      from gi.repository import GLib
      DBusGMainLoop(set_as_default=True)
      class Impostor(dbus.service.Object):
        @dbus.service.method('org.freedesktop.impl.portal.Access', in_signature='osssssa{sv}',
                             out_signature='ua{sv}')
        def AccessDialog(self, handle, app, parent, title, subtitle, body, options): return 0, {}
      bus = dbus.SessionBus()
      name = dbus.service.BusName('org.freedesktop.impl.portal.desktop.gtk', bus)
      Impostor(bus, '/org/freedesktop/portal/desktop')
      print('ready', flush=True)
      GLib.MainLoop().run()
      """)
    let run = try daemon.runAgain(["--desktop-agent", "--portal"])
    #expect(run.status == 69, "\(run)")
    #expect(run.log.contains("that is the system's own"), "\(run)")
    #expect(try daemon.client.consents().isEmpty)
  }

  @Test("L4: an open microphone is a notification that stays, and whose leaving is told")
  func indicator() throws {
    try bus.startPython(
      """
      import dbus, dbus.service
      from dbus.mainloop.glib import DBusGMainLoop
      from gi.repository import GLib
      DBusGMainLoop(set_as_default=True)
      name = 'org.freedesktop.Notifications'
      class Shown(dbus.service.Object):
        @dbus.service.method(name, in_signature='susssasa{sv}i', out_signature='u')
        def Notify(self, app, replaces, icon, summary, body, actions, hints, time):
          assert hints['urgency'] == 2 and time == 0 and list(actions) == ['stop', 'Stop']
          if summary == 'press': GLib.timeout_add(300, lambda: self.ActionInvoked(5, 'stop') and False)
          return 5
        @dbus.service.method(name, in_signature='u')
        def CloseNotification(self, number): self.NotificationClosed(number, 3)
        @dbus.service.signal(name, signature='us')
        def ActionInvoked(self, number, key): pass
        @dbus.service.signal(name, signature='uu')
        def NotificationClosed(self, number, reason): pass
      bus = dbus.SessionBus()
      owner = dbus.service.BusName(name, bus)
      Shown(bus, '/org/freedesktop/Notifications')
      print('ready', flush=True)
      GLib.MainLoop().run()
      """)
    let own = ProcessInfo.processInfo.environment["DBUS_SESSION_BUS_ADDRESS"]
    setenv("DBUS_SESSION_BUS_ADDRESS", bus.environment["DBUS_SESSION_BUS_ADDRESS"] ?? "", 1)
    defer {
      if let own {
        setenv("DBUS_SESSION_BUS_ADDRESS", own, 1)
      } else {
        unsetenv("DBUS_SESSION_BUS_ADDRESS")
      }
    }
    func leaves(_ text: String, closing: Bool = false) -> Bool {
      let left = DispatchSemaphore(value: 0)
      let indicator = PortalIndicator.open(text, stop: "Stop") { left.signal() }
      if closing {
        #expect(left.wait(timeout: .now() + 1) == .timedOut, "it did not stay")
        indicator.close()
      }
      return left.wait(timeout: .now() + 10) == .success
    }
    #expect(leaves("press"))
    #expect(leaves("stay", closing: true))
    // Without anything that shows notifications it has left before it came.
    setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent", 1)
    #expect(leaves("nowhere"))
  }
}
