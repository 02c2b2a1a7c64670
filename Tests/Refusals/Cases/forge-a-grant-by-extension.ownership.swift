// An extension in another room can't make a grant either.
import EarshotConsent

extension Grant {
  init(forging source: String) {
    self.source = source  // expected-error {{'let' property 'source' may not be initialized directly}}
    self.use = "use"  // expected-error {{'let' property 'use' may not be initialized directly}}
    self.deadlineNanoseconds = 0  // expected-error {{'let' property 'deadlineNanoseconds' may not be initialized directly}}
  }
}
