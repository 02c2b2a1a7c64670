// A type of one's own that looks like a grant opens nothing.
import EarshotCapture

struct Grant: ~Copyable {
  let source = "default"
}

func open() throws {
  _ = try Microphone(spending: Grant())  // expected-error {{cannot convert value of type 'Refusal.Grant' to expected argument type 'EarshotConsent.Grant'}}
}
