import EarshotAudio
import Foundation
import Testing

@testable import EarshotCapture
@testable import EarshotConsent

/// What one test-side capture brought.
struct Captured {
  var facts: CaptureFacts
  var peak: Float = 0
  var gaps = 0
  /// Samples that were taken before the latest gap.
  var samplesBeforeGap = 0
  /// Milliseconds by which the first sample after the latest gap is told too early, measured
  /// against when its last sample was taken.
  var firstSampleMilliseconds: Double?
  var error: CaptureError?
  /// Milliseconds from before the opening to after the closing.
  var milliseconds: Double = 0
}

/// A grant for `source`, as the ledger would hand it out.
func grant(_ source: String, seconds: UInt64 = 30) -> Grant {
  Grant(
    source: source, use: "test",
    deadlineNanoseconds: MonotonicClock.bootNanoseconds() + seconds * 1_000_000_000)
}

/// Takes `seconds` of sound from a source, in this process. Errors of opening are thrown; those of
/// taking sound are returned, because the facts belong to them.
func capture(
  _ source: String, seconds: Double, limits: CaptureLimits = CaptureLimits(),
  during action: () throws -> Void = {}
) throws -> Captured {
  let begin = monotonicNanoseconds()
  var microphone = try Microphone(spending: grant(source), limits: limits)
  try microphone.start()
  try action()
  var block = SampleBlock(capacity: max(4096, microphone.readCapacity))
  var captured = Captured(facts: microphone.facts)
  do throws(CaptureError) {
    while Double(microphone.facts.sampleCount) < seconds * 16_000 {
      let reading = try microphone.read(into: &block, waitingAtMost: 250, watching: -1)
      if reading == .gap {
        captured.gaps += 1
        captured.samplesBeforeGap = microphone.facts.sampleCount
      }
      if case .samples = reading, let first = microphone.facts.firstSampleNanoseconds {
        let since = Double(microphone.facts.sampleCount - captured.samplesBeforeGap) / 16_000
        let told = Double(first) / 1e9 + since
        captured.firstSampleMilliseconds = Double(monotonicNanoseconds()) / 1e6 - told * 1000
      }
      for index in 0..<block.count { captured.peak = max(captured.peak, abs(block.samples[index])) }
      block.removeAll()
    }
  } catch {
    captured.error = error
  }
  captured.facts = microphone.close()
  captured.milliseconds = Double(monotonicNanoseconds() - begin) / 1e6
  return captured
}

/// Why a source can't be opened; `nil` where it can.
func refusal(_ source: String, limits: CaptureLimits = CaptureLimits()) -> CaptureError? {
  do throws(CaptureError) {
    let microphone = try Microphone(spending: grant(source), limits: limits)
    _ = microphone.close()
    return nil
  } catch {
    return error
  }
}

/// Puts a room's environment into this process, which is one test's own.
func enter(_ environment: [String: String]) {
  let names = ["HOME", "XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH", "PULSE_SERVER", "ALSA_CONFIG_PATH"]
  for name in names {
    if let value = environment[name] { setenv(name, value, 1) }
  }
  unsetenv("XDG_CONFIG_HOME")
}

/// Holds a claim in a process of a test's own, from where only words come back.
func check(_ isTrue: Bool, _ what: @autoclosure () -> String) {
  if !isTrue { Issue.record("\(what())") }
}

/// Holds that two values are equal, and says both where they are not.
func check<Value: Equatable>(_ found: Value, is expected: Value, _ what: String = "") {
  if found != expected { Issue.record("\(what): found \(found), expected \(expected)") }
}

/// Keeps a figure for the record, where someone asked for it.
func note(_ text: String) {
  guard let path = ProcessInfo.processInfo.environment["EARSHOT_FIGURES"],
    let file = fopen(path, "a")
  else { return }
  fputs(text + "\n", file)
  fclose(file)
}

extension VirtualMicrophone {
  /// Makes a sound file with `sox`, and gives its path.
  func makeSound(_ name: String, rate: Int = 48_000, channels: Int = 2, _ effects: String...)
    throws -> String
  {
    let path = "\(folder)/\(name)"
    try run(
      ["sox", "-n", "-r", "\(rate)", "-c", "\(channels)", "-b", "32", path]
        + effects.flatMap { $0.split(separator: " ").map(String.init) })
    return path
  }
}
