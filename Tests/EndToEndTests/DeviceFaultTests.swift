import EarshotCapture
import Foundation
import Testing

@Suite("A sound device that fails", .serialized)
struct DeviceFaultTests {
  /// Enters an environment whose sources fail on cue.
  static func enterFaults(_ names: [(name: String, settings: String)]) throws -> String {
    let folder = "/tmp/earshot-fault-\(UUID().uuidString.prefix(13))"
    try FaultySource.make(in: folder)
    let text =
      "</usr/share/alsa/alsa.conf>\n" + FaultySource.definitions(folder: folder, names: names)
      + "\n"
    try text.write(toFile: "\(folder)/asound.conf", atomically: true, encoding: .utf8)
    setenv("ALSA_CONFIG_PATH", "\(folder)/asound.conf", 1)
    setenv("PULSE_SERVER", "unix:\(folder)/no-server", 1)
    setenv("HOME", folder, 1)
    return folder
  }

  @Test("O-04: a busy device is tried again shortly, and then told")
  func busy() async {
    await #expect(processExitsWith: .success) {
      let folder = try Self.enterFaults([
        ("busytwice", "kind busy count 2"), ("busyalways", "kind busy count 1000"),
      ])
      let begin = monotonicNanoseconds()
      check(refusal("busytwice"), is: nil, "busy twice")
      check(monotonicNanoseconds() - begin < 2_000_000_000, "tried for too long")
      try "0\n".write(toFile: "\(folder)/counter", atomically: true, encoding: .utf8)
      guard case .busy = refusal("busyalways") else {
        Issue.record("an always busy device was opened")
        return
      }
      let tries = try String(contentsOfFile: "\(folder)/counter", encoding: .utf8)
      check(tries, is: "3\n", "tries")
      try FileManager.default.removeItem(atPath: folder)
    }
  }

  @Test("O-05, O-55, O-56: forbidden, overrun, unplugged, suspended, dead: each is its own fault")
  func faults() async {
    await #expect(processExitsWith: .success) {
      let folder = try Self.enterFaults([
        ("forbidden", "kind forbidden"), ("overrun", "kind overrun"),
        ("overruns", "kind overruns after 20"), ("unplugged", "kind unplug"),
        ("suspended", "kind suspend"), ("dead", "kind silent"),
      ])
      check(refusal("forbidden"), is: .noPermission, "forbidden")
      let overrun = try capture("overrun", seconds: 1)
      note("overrun: \(overrun)")
      check(overrun.error, is: nil, "overrun")
      check(overrun.gaps, is: 1, "gaps")
      check(overrun.facts.overrunCount, is: 1, "overruns")
      check(overrun.milliseconds < 2500, "no sound came after the overrun")
      // What is left unread is at most one read's worth; all else is an error of the clock.
      let off = try #require(overrun.firstSampleMilliseconds)
      check(abs(off - 50) < 60, "after the gap the first sample is told \(off) ms too early")
      let overruns = try capture("overruns", seconds: 5)
      guard case .overrunning = overruns.error else {
        Issue.record("endless overruns: \(String(describing: overruns.error))")
        return
      }
      let unplugged = try capture("unplugged", seconds: 5)
      check(unplugged.error, is: .unplugged, "unplugged")
      check(unplugged.milliseconds < 1500, "unplugged \(unplugged.milliseconds)")
      let suspended = try capture("suspended", seconds: 5)
      check(suspended.error, is: .suspended, "suspended")
      let dead = try capture("dead", seconds: 5)
      guard case .noData = dead.error else {
        Issue.record("dead: \(String(describing: dead.error))")
        return
      }
      check(dead.milliseconds < 3000, "dead for \(dead.milliseconds)")
      try FileManager.default.removeItem(atPath: folder)
    }
  }

  @Test("O-09, O-53: any format, rate and channel count of a device is taken as it is")
  func formats() async {
    await #expect(processExitsWith: .success) {
      let expected = [
        ("S16_LE", 44_100, 1, 16), ("S24_3LE", 48_000, 2, 24), ("S24_LE", 48_000, 2, 24),
        ("S32_LE", 96_000, 2, 32), ("S16_LE", 8000, 1, 16), ("S32_LE", 48_000, 8, 32),
        ("U8", 11_025, 1, 8),
      ]
      let names = expected.enumerated().map { index, row in
        (
          name: "card\(index)",
          settings: "format \"\(row.0)\" rate \(row.1) channels \(row.2)"
        )
      }
      let folder = try Self.enterFaults(names)
      for (index, row) in expected.enumerated() {
        let captured = try capture("card\(index)", seconds: 0.5)
        check(captured.error, is: nil, "\(row)")
        check(captured.facts.grantedRate, is: row.1, "rate of \(row)")
        check(captured.facts.channels, is: row.2, "channels of \(row)")
        check(captured.facts.bits, is: row.3, "bits of \(row)")
        // The same tone in eight channels adds up by the usual weights of its speakers.
        check(captured.peak > 0.4 && captured.peak < 2.1, "peak \(captured.peak) of \(row)")
      }
      try FileManager.default.removeItem(atPath: folder)
    }
  }
}
