// Whoever is only lent a grant can't spend it.
import EarshotCapture
import EarshotConsent

func open(_ grant: borrowing Grant) throws {  // expected-error {{'grant' is borrowed and cannot be consumed}}
  let microphone = try Microphone(spending: grant)  // expected-note {{consumed here}}
  _ = microphone.close()
}
