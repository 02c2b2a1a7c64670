import Foundation
import Testing

@testable import EarshotCapture

@Suite("The guard of calls that can hang", .serialized)
struct StepGuardTests {
  @Test("a step that takes too long is cut")
  func hanging() {
    let stepGuard = StepGuard(serverPaths: ["/nonexistent"])
    stepGuard.arm(milliseconds: 50)
    usleep(700_000)
    #expect(stepGuard.disarm())
    stepGuard.stop()
  }

  @Test("a process that was kept from running is not taken for a server that hangs")
  func stopped() async {
    await #expect(processExitsWith: .success) {
      let stepGuard = StepGuard(serverPaths: ["/nonexistent"])
      let stopper = Process()
      stopper.executableURL = URL(fileURLWithPath: "/bin/sh")
      stopper.arguments = [
        "-c", "sleep 0.2; kill -STOP $0; sleep 1; kill -CONT $0", "\(getpid())",
      ]
      guard (try? stopper.run()) != nil else { exit(3) }
      var longest = 0.0
      var last = ProcessInfo.processInfo.systemUptime
      for _ in 0..<60 {
        // As a read does it: armed anew each time, never hanging.
        stepGuard.arm(milliseconds: 400)
        usleep(20_000)
        let now = ProcessInfo.processInfo.systemUptime
        longest = max(longest, now - last)
        last = now
      }
      let hasCut = stepGuard.disarm()
      stepGuard.stop()
      exit(longest < 0.9 ? 4 : hasCut ? 5 : 0)
    }
  }
}
