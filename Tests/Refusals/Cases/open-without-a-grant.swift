// There is no microphone without a grant (rule C1).
import EarshotCapture

func open() throws {
  _ = try Microphone()  // expected-error {{missing argument for parameter 'spending' in call}}
}
