import EarshotClient
import Foundation
import Testing

@Suite("No other history", .serialized)
struct HistoryTests {
  @Test("S5, L5: without a consent to save, a match leaves no title and no sound in any file")
  func noTrace() async {
    await #expect(processExitsWith: .success) {
      let daemon = try DaemonInRoom()
      _ = try daemon.client.grant(GrantRequest(confirmation: .terminal))
      let player = try daemon.play(2)
      defer { player.end() }
      let listening = ApiListening(daemon.client, ListenRequest(save: .never))
      check(listening.waitForEnd(), "the listening did not end")
      let told = try #require(listening.result).result
      check(told.outcome, is: .match)
      let title = Data(try #require(told.matches.first).title.utf8)
      var searched = 0
      for file in daemon.keptFiles {
        guard let bytes = FileManager.default.contents(atPath: file) else { continue }
        searched += 1
        check(bytes.range(of: title) == nil, "the title stands in \(file)")
      }
      check(searched > 1, "nothing was searched")
    }
  }
}
