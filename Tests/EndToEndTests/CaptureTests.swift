import EarshotAudio
import Foundation
import Testing

@testable import EarshotCapture
@testable import EarshotConsent

@Suite("The microphone over a real sound server", .serialized)
struct CaptureTests {
  @Test("O-09, O-53: delivers what is played, at the granted rate and full width, in real time")
  func delivers() async {
    await #expect(processExitsWith: .success) {
      let room = try VirtualMicrophone(rooms: [
        .init(), .init(sink: "cd", rate: 44_100, channels: 1, format: "s16le"),
        .init(sink: "headset", rate: 8000, channels: 1, format: "s16le"),
        .init(sink: "array", rate: 96_000, channels: 6, format: "s32le"),
      ])
      enter(room.environment)
      let tone = try room.makeSound("tone.wav", "synth 12 sine 997 vol 0.5")
      for sink in ["mic0", "cd", "headset", "array"] { try room.play(tone, into: sink) }
      let expected = [
        ("mic0", 48_000, 2), ("cd", 44_100, 1), ("headset", 8000, 1), ("array", 96_000, 6),
      ]
      for (source, rate, channels) in expected {
        let captured = try capture(source, seconds: 1)
        note("delivers \(source): \(captured)")
        check(captured.error, is: nil, "captured.error")
        check(captured.facts.grantedRate, is: rate, "captured.facts.grantedRate")
        check(captured.facts.channels, is: channels, "captured.facts.channels")
        // A stereo file in six channels is spread over all of them and comes back as a sum.
        check(captured.peak > 0.2 && captured.peak < 1.3, "\(source) \(captured.peak)")
        check(
          captured.milliseconds > 850 && captured.milliseconds < 2500,
          "captured.milliseconds > 850 && captured.milliseconds < 2500")
        check(captured.facts.closingMilliseconds < 100, "captured.facts.closingMilliseconds < 100")
      }
      try check(room.sourceOutputs().isEmpty, "room.sourceOutputs().isEmpty")
      room.stop()
      let quiet = try VirtualMicrophone()
      enter(quiet.environment)
      // 16 bits would leave two steps of this; the peak has to come through to 10 %.
      try quiet.play(try quiet.makeSound("quiet.wav", "synth 5 sine 997 vol 0.00006"))
      let captured = try capture("mic0", seconds: 1)
      note("quiet: \(captured)")
      check(abs(captured.peak - 0.00006) < 0.000006, "abs(captured.peak - 0.00006) < 0.000006")
      quiet.stop()
    }
  }

  @Test("L2, L3: closed means gone from the server, by closing and by being dropped")
  func closes() async {
    await #expect(processExitsWith: .success) {
      let room = try VirtualMicrophone()
      enter(room.environment)
      let watch = try StreamWatch(room)
      let threads = VirtualMicrophone.threadCount(of: getpid())
      let sockets = VirtualMicrophone.openSockets(of: getpid())
      do {
        var microphone = try Microphone(spending: grant("mic0"))
        try microphone.start()
        check(watch.wait(for: "new") != nil, "watch.wait(for: 'new') != nil")
        try check(
          room.sourceOutputs().map(\.process), is: [getpid()], "room.sourceOutputs().map(.process)")
        _ = microphone.facts
      }
      let dropped = monotonicNanoseconds()
      let removal = try #require(watch.wait(for: "remove"))
      note("dropped: gone \(Double(Int64(removal.nanoseconds) - Int64(dropped)) / 1e6) ms after")
      check(
        removal.nanoseconds < dropped + 100_000_000, "removal.nanoseconds < dropped + 100_000_000")
      check(
        VirtualMicrophone.threadCount(of: getpid()), is: threads,
        "VirtualMicrophone.threadCount(of: getpid())")
      check(
        VirtualMicrophone.openSockets(of: getpid()), is: sockets,
        "VirtualMicrophone.openSockets(of: getpid())")
      room.stop()
    }
  }

  @Test("L6, O-11: what the loudspeaker plays is not taken unless it was named")
  func monitors() async {
    await #expect(processExitsWith: .success) {
      let room = try VirtualMicrophone(
        modules: ["load-module module-remap-source source_name=desk master=mic0.monitor"],
        definitions: "pcm.far { type plug slave.pcm { type pulse } }")
      enter(room.environment)
      let watch = try StreamWatch(room)
      let before = watch.events.count
      try room.pactl("set-default-source", "mic0.monitor")
      check(refusal("default"), is: .onlyAMonitor, "refusal('default')")
      check(refusal("far"), is: .onlyAMonitor, "refusal('far')")
      check(refusal("pulse"), is: .onlyAMonitor, "refusal('pulse')")
      usleep(300_000)
      // No capture stream was made to find that out.
      check(
        watch.events.dropFirst(before).filter { $0.kind == "new" }.isEmpty,
        "watch.events.dropFirst(before).filter { $0.kind == 'new' }.isEmpty")
      check(refusal("mic0"), is: nil, "refusal('mic0')")
      check(refusal("pulse:DEVICE=mic0.monitor"), is: nil, "refusal('pulse:DEVICE=mic0.monitor')")
      try room.pactl("set-default-source", "desk")
      check(refusal("default"), is: nil, "refusal('default')")
      check(refusal("far"), is: nil, "refusal('far')")

      // A stream that is moved while it is open ends: what it is on now was not consented to.
      let moved = try capture("default", seconds: 3) {
        let output = try #require(
          try room.sourceOutputs().first { $0.process == getpid() })
        try room.pactl("move-source-output", "\(output.index)", "mic0.monitor")
      }
      check(moved.error, is: .moved, "moved.error")
      note("moved: ended after \(moved.milliseconds) ms")
      check(moved.milliseconds < 1500, "moved.milliseconds < 1500")
      room.stop()
    }
  }

  @Test("names the fault: unknown names, no such source, no server, a spent deadline")
  func refusals() async {
    await #expect(processExitsWith: .success) {
      let room = try VirtualMicrophone(
        definitions: """
          pcm.nothing { type pulse device "nothing" }
          pcm.down { type pulse server "unix:/tmp/earshot-no-such-socket" device "x" }
          """)
      enter(room.environment)
      check(refusal("no such name"), is: .missing(code: ENOENT), "refusal('no such name')")
      check(refusal(""), is: .missing(code: ENOENT), "refusal('')")
      check(refusal("nothing"), is: .missing(code: ENODEV), "refusal('nothing')")
      check(refusal("down"), is: .serverDown(code: ENOENT), "refusal('down')")
      check(refusal("hw:CARD=none,DEV=0") != nil, "refusal('hw:CARD=none,DEV=0') != nil")
      do throws(CaptureError) {
        _ = try Microphone(spending: grant("mic0", seconds: 0)).close()
        Issue.record("an expired grant opened a microphone")
      } catch {
        check(error, is: .grantExpired, "error")
      }
      // A microphone that is open when its deadline passes ends by itself.
      var microphone = try Microphone(spending: grant("mic0", seconds: 1))
      try microphone.start()
      var block = SampleBlock(capacity: 65_536)
      do throws(CaptureError) {
        while block.count < 40_000 {
          _ = try microphone.read(into: &block, waitingAtMost: 100, watching: -1)
        }
        Issue.record("the deadline passed unnoticed")
      } catch {
        check(error, is: .grantExpired, "error")
      }
      _ = microphone.close()
      room.stop()
    }
  }

  @Test("O-52, O-58: a name is one opaque string, and the list gives names that can be pasted back")
  func names() async {
    await #expect(processExitsWith: .success) {
      let room = try VirtualMicrophone(
        definitions: """
          pcm.fakemic {
            @args [ A B ]
            @args.A { type integer default 0 }
            @args.B { type string default "" }
            type pulse
            device $B
            hint { show on description "A microphone of the test" }
          }
          """)
      enter(room.environment)
      check(
        refusal("fakemic:A=1,B='mic0.monitor'"), is: nil, "refusal('fakemic:A=1,B='mic0.monitor'')")
      check(
        refusal("fakemic:A=1,B='x y'"), is: .missing(code: ENODEV), "refusal('fakemic:A=1,B='x y'')"
      )
      let before = try Devices.list()
      check(
        before.contains { $0.name == "pulse:DEVICE=mic0.monitor" && $0.isMonitor == true },
        "before.contains { $0.name == 'pulse:DEVICE=mic0.monitor' && $0.isMonitor == true }")
      try room.pactl("load-module", "module-null-sink", "sink_name=late")
      try room.pactl(
        "load-module", "module-remap-source", "source_name=plugged.in", "master=late.monitor")
      let after = try Devices.list()
      let found = try #require(after.first { $0.name == "pulse:DEVICE=plugged.in" })
      check(found.isMonitor, is: false, "found.isMonitor")
      check(
        !before.contains { $0.name == found.name }, "!before.contains { $0.name == found.name }")
      check(refusal(found.name), is: nil, "refusal(found.name)")
      try check(
        room.sourceOutputs().allSatisfy { $0.process != getpid() },
        "room.sourceOutputs().allSatisfy { $0.process != getpid() }")
      room.stop()
    }
  }

  @Test("O-54, O-56: a stream that stops delivering ends: suspended, killed, removed, silent pipe")
  func interruptions() async {
    await #expect(processExitsWith: .success) {
      let room = try VirtualMicrophone(modules: [
        "load-module module-pipe-source source_name=pipemic file=/tmp/earshot-fifo-\(getpid())"
          + " rate=48000 channels=1 format=s16le"
      ])
      enter(room.environment)
      let silent = try capture("pulse:DEVICE=pipemic", seconds: 5)
      guard case .noData(let waited) = silent.error else {
        Issue.record("\(String(describing: silent.error))")
        return
      }
      check(waited >= 2000 && waited < 2300, "waited >= 2000 && waited < 2300")
      check(silent.facts.sampleCount, is: 0, "silent.facts.sampleCount")

      let suspended = try capture("mic0", seconds: 8) { try room.suspend() }
      note("suspended: \(suspended)")
      check(suspended.error, is: .sourceSuspended, "suspended.error")
      try room.suspend("mic0", false)

      try room.play(try room.makeSound("tone.wav", "synth 60 sine 997 vol 0.5"))
      usleep(500_000)
      let killed = try capture("mic0", seconds: 8) {
        let output = try #require(try room.sourceOutputs().first { $0.process == getpid() })
        try room.pacmd("kill-source-output", "\(output.index)")
      }
      note("killed: \(killed)")
      check(killed.milliseconds < 2000, "killed.milliseconds < 2000")
      check(killed.error, is: .streamEnded, "killed.error")

      let muted = try capture("mic0", seconds: 1) { try room.mute() }
      check(muted.error, is: nil, "muted.error")
      try room.mute("mic0.monitor", false)

      let removed = try capture("mic0", seconds: 8) { try room.unloadSinks() }
      note("removed: \(removed)")
      check(removed.milliseconds < 2000, "removed.milliseconds < 2000")
      check(removed.error, is: .unplugged, "removed.error")
      room.stop()
      unlink("/tmp/earshot-fifo-\(getpid())")
    }
  }

  @Test("a server that dies or stops answering never holds the microphone or the program")
  func deadServers() async {
    await #expect(processExitsWith: .success) {
      let room = try VirtualMicrophone()
      enter(room.environment)
      let frozen = try capture("mic0", seconds: 8) { room.freeze() }
      note("frozen: \(frozen)")
      // A server that is late is not one that is gone.
      check(frozen.error != nil, "frozen.error != nil")
      if case .serverGone = frozen.error { Issue.record("a late server was told as gone") }
      check(frozen.milliseconds < 4000, "frozen.milliseconds < 4000")
      check(frozen.facts.closingMilliseconds < 100, "frozen.facts.closingMilliseconds < 100")
      // Frozen before it is asked.
      let begin = monotonicNanoseconds()
      if case .serverNotAnswering = refusal("mic0", limits: CaptureLimits(openMilliseconds: 700)) {
      } else {
        Issue.record("a frozen server was not told")
      }
      check(
        monotonicNanoseconds() - begin < 1_200_000_000,
        "monotonicNanoseconds() - begin < 1_200_000_000")
      room.thaw()
      usleep(300_000)
      check(refusal("mic0"), is: nil, "refusal('mic0')")
      try check(room.sourceOutputs().isEmpty, "room.sourceOutputs().isEmpty")

      let killed = try capture("mic0", seconds: 8) { room.killServer() }
      note("server killed: \(killed)")
      guard case .serverGone = killed.error else {
        Issue.record("\(String(describing: killed.error))")
        return
      }
      check(killed.milliseconds < 1500, "killed.milliseconds < 1500")
      check(refusal("mic0"), is: .serverDown(code: ECONNREFUSED), "refusal('mic0')")
      room.stop()
    }
  }

  @Test("a server that accepts and never answers is given up after the limit, default included")
  func hungServer() async {
    await #expect(processExitsWith: .success) {
      let server = try HungServer()
      enter(server.environment)
      for source in ["hung", "default"] {
        let begin = monotonicNanoseconds()
        let error = refusal(source, limits: CaptureLimits(openMilliseconds: 600))
        guard case .serverNotAnswering = error else {
          Issue.record("\(source): \(String(describing: error))")
          continue
        }
        check(
          monotonicNanoseconds() - begin < 1_500_000_000,
          "monotonicNanoseconds() - begin < 1_500_000_000")
      }
      // The library's own wait, which has no limit: it is cut.
      let begin = monotonicNanoseconds()
      let stepGuard = StepGuard(serverPaths: [server.socket])
      stepGuard.arm(milliseconds: 400)
      do throws(PCMFault) {
        _ = try PCM.open("hung", stepGuard: stepGuard, closeMilliseconds: 50)
        Issue.record("a server that never answers opened a stream")
      } catch {
        check(error.code < 0, "error.code < 0")
      }
      let waited = Double(monotonicNanoseconds() - begin) / 1e6
      note("hung open was cut after \(waited) ms")
      check(stepGuard.didCut, "stepGuard.didCut")
      check(waited > 350 && waited < 1200, "waited > 350 && waited < 1200")
      stepGuard.stop()
    }
  }

  @Test("a word of the daemon interrupts the wait for sound at once")
  func interrupted() async {
    await #expect(processExitsWith: .success) {
      let room = try VirtualMicrophone()
      enter(room.environment)
      var ends: [Int32] = [-1, -1]
      check(pipe(&ends), is: 0, "pipe(&ends)")
      var microphone = try Microphone(spending: grant("mic0"))
      try microphone.start()
      var block = SampleBlock(capacity: 65_536)
      while block.count < 8000 {
        let reading = try microphone.read(into: &block, waitingAtMost: 250, watching: ends[0])
        check(reading != .interrupted, "reading != .interrupted")
      }
      var byte: UInt8 = 1
      write(ends[1], &byte, 1)
      let reading = try microphone.read(into: &block, waitingAtMost: 250, watching: ends[0])
      check(reading, is: .interrupted)
      _ = microphone.close()
      room.stop()
    }
  }
}
