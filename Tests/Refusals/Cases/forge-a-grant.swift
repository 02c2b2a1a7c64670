// A grant is made by the ledger alone (rule C1).
import EarshotConsent

func forge() {
  _ = Grant(source: "default", use: "use", deadlineNanoseconds: 0)  // expected-error {{'Grant' initializer is inaccessible due to 'internal' protection level}}
}
