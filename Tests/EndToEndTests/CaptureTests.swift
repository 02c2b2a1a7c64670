import EarshotAudio
import Foundation
import Testing

@testable import EarshotCapture
@testable import EarshotConsent

/// Takes `seconds` of sound from a source, in this process.
func capture(
  _ source: String, seconds: Double, limits: CaptureLimits = CaptureLimits(),
  during action: () throws -> Void = {}
) throws -> (facts: CaptureFacts, peak: Float, milliseconds: Double) {
  let begin = monotonicNanoseconds()
  let grant = Grant(
    source: source, use: "test", deadlineNanoseconds: monotonicNanoseconds() + 30_000_000_000)
  var microphone = try Microphone(spending: grant, limits: limits)
  try microphone.start()
  try action()
  var block = SampleBlock(capacity: max(4096, microphone.readCapacity))
  var peak: Float = 0
  var count = 0
  while Double(count) < seconds * 16_000 {
    let reading = try microphone.read(into: &block, waitingAtMost: 250, watching: -1)
    if case .samples(let taken) = reading { count += taken }
    for index in 0..<block.count { peak = max(peak, abs(block.samples[index])) }
    block.removeAll()
  }
  let facts = microphone.close()
  return (facts, peak, Double(monotonicNanoseconds() - begin) / 1e6)
}

/// Puts a room's environment into this process, which is one test's own.
func enter(_ environment: [String: String]) {
  for name in ["HOME", "XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH", "PULSE_SERVER", "ALSA_CONFIG_PATH"]
  {
    if let value = environment[name] { setenv(name, value, 1) }
  }
}

@Suite("The microphone over a real sound server", .serialized)
struct CaptureTests {
  @Test("delivers what is played, at the granted rate, in real time")
  func delivers() async {
    await #expect(processExitsWith: .success) {
      let room = try VirtualMicrophone()
      enter(room.environment)
      try room.run([
        "sox", "-n", "-r", "48000", "-c", "2", "\(room.folder)/tone.wav", "synth", "6", "sine",
        "997",
        "vol", "0.5",
      ])
      try room.play("\(room.folder)/tone.wav")
      let (facts, peak, milliseconds) = try capture("mic0", seconds: 2)
      print(facts, peak, milliseconds)
      #expect(facts.grantedRate == 48_000)
      #expect(facts.channels == 2)
      #expect(peak > 0.3 && peak < 0.6)
      #expect(milliseconds > 1900 && milliseconds < 3500)
      #expect(try room.sourceOutputs().isEmpty)
      room.stop()
    }
  }
}
