// The source is the one that was consented to (rule L6).
import EarshotConsent

func change(_ grant: inout Grant) {
  grant.source = "monitor"  // expected-error {{cannot assign to property: 'source' is a 'let' constant}}
}
