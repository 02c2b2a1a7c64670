import EarshotClient
import Foundation
import Testing

@testable import EarshotService

@Suite("A dialog on the desktop")
struct DesktopDialogTests {
  private func prompt(
    _ buttons: [(String, String)], title: String = "“x” asks to use the microphone.",
    message: String? = nil
  ) -> PromptMessage {
    PromptMessage(
      id: "p", capability: "microphone", title: title, message: message, language: "en",
      buttons: buttons.map { .init(choice: $0.0, label: $0.1) }, secondsLeft: 60)
  }

  @Test("C5: nothing that a name holds becomes markup, an escape or another argument")
  func hostile() {
    let dialog = DesktopDialog(
      prompt(
        [("allow-once", "Allow Once"), ("deny", "Don't Allow")],
        title: #"<b>x</b>\n&amp; --ok-label=No"#, message: #"\"'"#))
    let text = dialog.arguments.first { $0.hasPrefix("--text=") }
    #expect(
      text
        == #"--text=<b>&lt;b&gt;x&lt;/b&gt;\\n&amp;amp; --ok-label=No</b>"#
        + "\n\n" + #"\\&quot;&apos;"#)
    #expect(dialog.arguments.allSatisfy { $0.hasPrefix("--") })
  }

  @Test("A5: of two buttons the one that backs out leads, three stand as the daemon has them")
  func order() {
    let two = DesktopDialog(prompt([("allow-once", "Allow Once"), ("deny", "Don't Allow")]))
    #expect(two.buttons.map(\.choice) == ["deny", "allow-once"])
    let three = DesktopDialog(
      prompt([("save", "Save"), ("never-save", "Never Save"), ("not-now", "Not Now")]))
    #expect(three.buttons.map(\.choice) == ["save", "never-save", "not-now"])
  }

  @Test("C6: each button has a key of its own, in every script")
  func keys() {
    let latin = DesktopDialog(
      prompt([("a", "Allow Once"), ("b", "Allow While Open"), ("deny", "Don't Allow")]))
    #expect(latin.buttons.map(\.label) == ["_Allow Once", "Allow _While Open", "_Don't Allow"])
    let chinese = DesktopDialog(prompt([("a", "允许一次"), ("b", "打开期间允许"), ("deny", "不允许")]))
    #expect(chinese.buttons.map(\.label) == ["允许一次(_1)", "打开期间允许(_2)", "不允许(_3)"])
    let russian = DesktopDialog(prompt([("a", "Разрешить один раз"), ("deny", "Не разрешать")]))
    #expect(russian.buttons.map(\.label) == ["_Не разрешать", "_Разрешить один раз"])
  }

  @Test("C7: only a button's own text is an answer; every way of leaving is none")
  func outcomes() {
    let dialog = DesktopDialog(prompt([("allow-once", "Allow Once"), ("deny", "Don't Allow")]))
    #expect(dialog.outcome(output: "_Allow Once\n", status: 84) == .answer(choice: "allow-once"))
    #expect(dialog.outcome(output: "", status: 82) == .dismissed)
    #expect(dialog.outcome(output: "", status: 83) == .dismissed)
    #expect(dialog.outcome(output: "Allow Once\n", status: 84) == .dismissed)
    #expect(dialog.outcome(output: "", status: 255) == .failed(status: 255))
    #expect(dialog.outcome(output: "", status: 0) == .failed(status: 0))
  }
}

@Suite("The desktop agent", .serialized)
struct DesktopAgentTests {
  /// Two agents would race, so the test's own program reads and never follows prompts.
  private func makeDaemon() throws -> RunningDaemon {
    let daemon = try RunningDaemon(configuration: #"{"source":"earshot-none"}"#)
    try daemon.addCatalog()
    return daemon
  }

  @Test("C6: equal buttons, no key that answers by accident, and one chord for each answer")
  func shown() throws {
    let daemon = try makeDaemon()
    let screen = try DesktopScreen(daemon)
    let asking = try AskingProgram(socket: daemon.socket)
    try #require(screen.focus())
    let buttons = screen.buttons
    try #require(buttons.count == 3)
    #expect(Set(buttons.map { $0.size[1] }).count == 1)
    let widths = buttons.map { $0.size[0] }
    #expect((widths.max() ?? 0) - (widths.min() ?? 0) <= 1)
    #expect(Set(buttons.map(\.top)).count == 1)
    screen.press("Return", "space", "KP_Enter")
    #expect(asking.isRunning)
    #expect(screen.windows.count == 1)
    screen.press("alt+d")
    #expect(try asking.result().explanation?.reason == "denied")
    let consent = try #require(try daemon.client.consents().first)
    #expect(consent.decision == "deny")
    #expect(consent.agent == "desktop")
    #expect(consent.requester.name.hasPrefix("/usr/bin/python3"))
    #expect(eventually { screen.windows.isEmpty })
    // Denied for good: no dialog comes again (rule C8).
    let again = try AskingProgram(socket: daemon.socket)
    #expect(try again.result().explanation?.reason == "denied")
    #expect(screen.windows.isEmpty)
  }

  @Test("C7: Esc leaves no answer, and a requester that goes takes the dialog with it")
  func left() throws {
    let daemon = try makeDaemon()
    let screen = try DesktopScreen(daemon)
    let asking = try AskingProgram(socket: daemon.socket)
    try #require(screen.focus())
    screen.press("Escape")
    #expect(try asking.result().explanation?.reason == "dismissed")
    #expect(try daemon.client.consents().isEmpty)
    let second = try AskingProgram(socket: daemon.socket)
    try #require(screen.focus())
    second.end()
    #expect(eventually { screen.windows.isEmpty })
    #expect(try daemon.client.consents().isEmpty)
  }

  @Test("C12: a click answers in the requester's language")
  func clicked() throws {
    let daemon = try makeDaemon()
    let screen = try DesktopScreen(daemon)
    let asking = try AskingProgram(socket: daemon.socket, language: "ko")
    try #require(screen.focus())
    let buttons = screen.buttons
    try #require(buttons.count == 3)
    screen.click(buttons[0])
    // Allowed, so it came as far as the source, which is not there.
    #expect(try asking.result().outcome == .error)
    let consent = try #require(try daemon.client.consents().first)
    #expect(consent.language == "ko")
    #expect(consent.decision == "allow-once")
  }

  @Test("C10: an agent that lost its desktop is none, and says so by its end")
  func lost() throws {
    let daemon = try makeDaemon()
    let screen = try DesktopScreen(daemon)
    screen.endServer()
    let asking = try AskingProgram(socket: daemon.socket)
    #expect(try asking.result().outcome == .denied)
    #expect(screen.waitForAgent() == 69)
    #expect(try daemon.client.consents().isEmpty)
    let after = try AskingProgram(socket: daemon.socket)
    #expect(try after.result().explanation?.reason == "nobody-to-ask")
  }

  @Test("it says why it can't start, and ends as told")
  func started() throws {
    let daemon = try makeDaemon()
    let none = try daemon.runAgain(["--desktop-agent"])
    #expect(none.status == 69)
    #expect(none.log.contains("DISPLAY"))
    let screen = try DesktopScreen(daemon)
    #expect(screen.endAgent() == 0)
    #expect(eventually { (try? daemon.client.status().agents) == 0 })
  }
}
