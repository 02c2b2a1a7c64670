// A grant can be put into nothing that is copied, so that it can't be kept and used again (B4).
import EarshotConsent

func store(_ grant: consuming Grant) {
  _ = [grant]  // expected-error {{requires that 'Grant' conform to 'Copyable'}}
}

struct Drawer {  // expected-note {{consider adding '~Copyable'}}
  var grant: Grant  // expected-error {{has non-Copyable type 'Grant'}}
}
