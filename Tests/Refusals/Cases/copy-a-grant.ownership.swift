// One grant is one microphone: it can't be had twice.
import EarshotConsent

func copy(_ grant: consuming Grant) -> (String, String) {  // expected-error {{'grant' consumed more than once}}
  let first = grant  // expected-note {{consumed here}}
  let second = grant  // expected-note {{consumed again here}}
  return (first.source, second.source)
}
