// A microphone that is closed can't be read (rule L2).
import EarshotAudio
import EarshotCapture
import EarshotConsent

func read(_ grant: consuming Grant, into block: inout SampleBlock) throws {
  var microphone = try Microphone(spending: grant)  // expected-error {{'microphone' used after consume}}
  _ = microphone.close()  // expected-note {{consumed here}}
  _ = try microphone.read(into: &block, waitingAtMost: 1, watching: 0)  // expected-note {{used here}}
}
