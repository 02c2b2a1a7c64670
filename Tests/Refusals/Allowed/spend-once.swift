// What is right compiles: a runner that refused everything would prove nothing.
import EarshotCapture
import EarshotConsent

func openOnce(_ grant: consuming Grant) throws {
  let microphone = try Microphone(spending: grant)
  _ = microphone.close()
}
