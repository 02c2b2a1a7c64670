internal import EarshotConsent
internal import EarshotLibrary
internal import Glibc

extension DaemonState {
  /// Ends the visit that is on: the microphone is closed first, then all that was the visitor's
  /// goes (rule K2). It returns when that is done.
  func endVisit() {
    guard let visit = kiosk?.takeVisit(), visit.end() else { return }
    captions.end(ownedBy: visit.person)
    listenings.end(.requesterGone, where: { $0.requester.person == visit.person })
    let deadline = Clock.monotonicSeconds() + 2
    while listenings.has({ $0.requester.person == visit.person })
      && Clock.monotonicSeconds() < deadline
    {
      usleep(2_000)
    }
    withdrawChoices(of: visit)
    guard visit.hasSaved else { return }
    do throws(LibraryError) {
      try library.removeAll(of: visit.person.identifier)
    } catch {
      log.error("a visitor's saved matches could not be removed")
    }
  }

  /// The records stay, and nothing rests on them any more.
  private func withdrawChoices(of visit: KioskVisit) {
    do throws(LedgerError) {
      for choice in try ledger.currentChoices() where choice.person == visit.person {
        try ledger.withdraw(choice.id, reason: .sessionEnded, means: .settings)
      }
    } catch {
      log.ledgerFailed("a visit's end")
    }
  }

  /// At a start no page has a visit yet, so whatever a lost daemon left of one goes.
  func forgetLostVisits() {
    do {
      var people: Set<String> = []
      for choice in try ledger.currentChoices() {
        guard case .visit = choice.person else { continue }
        people.insert(choice.person.identifier)
        try ledger.withdraw(choice.id, reason: .sessionEnded, means: .settings)
      }
      for person in try library.people(withPrefix: "visit:") { people.insert(person) }
      for person in people { try library.removeAll(of: person) }
    } catch {
      log.ledgerFailed("a lost visit's end")
    }
  }
}
