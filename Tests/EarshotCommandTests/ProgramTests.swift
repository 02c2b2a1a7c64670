import Foundation
import Testing

@Suite("The program from outside", .serialized)
struct ProgramTests {
  @Test("a closed pipe is no error")
  func closedPipe() throws {
    let person = try PersonalFolder()
    let ended = try person.run(
      "set -o pipefail; for i in 1 2 3; do earshot --generate man | head -c 10 >/dev/null || exit 9; done"
    )
    #expect(ended.status == 0, "\(ended.errors)")
  }

  @Test("results that cannot be written are an error with a next step")
  func fullDisk() throws {
    let person = try PersonalFolder()
    let ended = try person.run("earshot --generate man > /dev/full")
    #expect(ended.status == 2)
    #expect(ended.errors.contains("No space left on device"))
  }

  @Test(
    "a wrong command line ends with 64, a suggestion, and nothing on standard output",
    arguments: [
      ("earshot", "--help"), ("earshot lisen", "earshot listen"),
      ("earshot match --jsno a.wav", "--json"), ("earshot match", "AUDIO"),
      ("earshot match --raw a.wav", "--rate"), ("earshot match --rate 8000 a.wav", "--raw"),
      ("earshot match - - </dev/null", "only once"), ("earshot listen --limit 31", "0.5 to 30"),
      ("earshot listen --save --ask", "exclude"), ("earshot consent", "needs a command"),
      ("earshot consent revoke", "--all"), ("earshot --generate tcsh", "bash"),
    ])
  func wrongLine(line: String, hint: String) throws {
    let ended = try PersonalFolder().run(line)
    #expect(ended.status == 64, "\(line)")
    #expect(ended.output.isEmpty)
    #expect(ended.errors.contains(hint), "\(ended.errors)")
  }

  @Test("help is a result: standard output and status 0", arguments: ["", "match ", "consent "])
  func help(command: String) throws {
    let ended = try PersonalFolder().run("earshot \(command)--help")
    #expect(ended.status == 0)
    #expect(ended.output.hasPrefix(command.isEmpty ? "Earshot" : "Usage: earshot \(command)"))
    #expect(ended.errors.isEmpty)
  }

  @Test("O-29: a missing catalog is an error with the path that was tried, and is not made")
  func missingCatalog() throws {
    let person = try PersonalFolder()
    let named = try person.run("earshot match --catalog none.earshot a.wav")
    #expect(named.status == 2 && named.errors.contains("none.earshot"))
    #expect(!FileManager.default.fileExists(atPath: person.path + "/none.earshot"))
    let unnamed = try person.run("cd /; unset HOME; earshot match a.wav")
    #expect(unnamed.status == 2)
    #expect(unnamed.errors.contains(person.path + "/data/earshot/catalogs"), "\(unnamed.errors)")
  }
}
