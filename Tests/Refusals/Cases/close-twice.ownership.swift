// Closing is the end of a microphone, and is told once.
import EarshotCapture
import EarshotConsent

func close(_ grant: consuming Grant) throws {
  let microphone = try Microphone(spending: grant)  // expected-error {{'microphone' consumed more than once}}
  _ = microphone.close()  // expected-note {{consumed here}}
  _ = microphone.close()  // expected-note {{consumed again here}}
}
