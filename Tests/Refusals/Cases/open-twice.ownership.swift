// A grant that was spent opens nothing.
import EarshotCapture
import EarshotConsent

func openTwice(_ grant: consuming Grant) throws {  // expected-error {{'grant' consumed more than once}}
  let first = try Microphone(spending: grant)  // expected-note {{consumed here}}
  let second = try Microphone(spending: grant)  // expected-note {{consumed again here}}
  _ = first.close()
  _ = second.close()
}
