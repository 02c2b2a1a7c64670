internal import EarshotClient
internal import EarshotConsent

extension Listening {
  /// The id of a consent that covers the question, recorded before or now.
  ///
  /// - Throws: a denial with its reason, or what ended the listening meanwhile.
  func obtainConsent(_ question: ConsentQuestion) throws(ListenStop) -> String {
    // A shared prompt's 'Allow Once' is one listening's: whoever comes second is asked anew, and
    // that can happen as often as others share.
    for _ in 0...ServiceLimits.waitingPrompts {
      try checkCancelled()
      switch try promptPermission(question) {
      case .settled(.allowed(let consent, let scope)):
        if scope != .once { try checkRate(question) }
        return consent
      case .settled(.denied): throw .denied(.denied)
      case .settled(.restricted(let reason)): throw .denied(.restricted(reason))
      case .settled(.undetermined): throw .denied(.nobodyToAsk)
      case .resting(let seconds): throw .denied(.resting(seconds))
      case .allowed:
        if let consent = try consentByPress(question) { return consent }
        try ask(question)
      }
    }
    throw .denied(.promptBusy)
  }

  private func promptPermission(
    _ question: ConsentQuestion
  ) throws(ListenStop) -> PromptPermission {
    do throws(LedgerError) {
      return try daemon.ledger.promptPermission(for: question, isPressed: visit != nil)
    } catch {
      throw .error(.ledger(error))
    }
  }

  /// Records that a visitor's press grants this one listening, where it does (rule B2): the shown
  /// text is the button's label and the purpose. Nil where the visitor has to be asked.
  private func consentByPress(_ question: ConsentQuestion) throws(ListenStop) -> String? {
    guard let visit, let kiosk = daemon.kiosk, visit.mayGrantByPress(question) else { return nil }
    do throws(LedgerError) {
      return try daemon.ledger.record(
        ConsentDecision(
          choice: .allow(.once), means: .press, agent: "kiosk", answeredBy: visit.person),
        for: question, title: kiosk.setup.theme.label.text(in: question.language)
      ).id
    } catch {
      throw .error(.ledger(error))
    }
  }

  /// Asks through an agent; returns when an answer is on record.
  private func ask(_ question: ConsentQuestion) throws(ListenStop) {
    let sink = sink
    let visit = visit
    let answer = desk.ask(
      question, Prompt(for: question), user: deskUser, control: control,
      shown: {
        visit?.noteShown()
        sink.send(.prompt(id: $0))
      })
    switch answer {
    case .choice: return
    case .dismissed(let reason): throw .denied(.dismissed(reason))
    case .nobody: throw .denied(.nobodyToAsk)
    case .busy: throw .denied(.promptBusy)
    case .cancelled: try checkCancelled()
    case .unrecorded: throw .error(.ledger(.head(errno: 0)))
    }
  }

  private func checkRate(_ question: ConsentQuestion) throws(ListenStop) {
    do throws(LedgerError) {
      let limit = Int((seconds(of: question) * 1000).rounded(.up))
      let seconds = try daemon.ledger.secondsToWait(for: question, milliseconds: limit)
      if seconds > 0 { throw LedgerError.tooOften(seconds: seconds) }
    } catch .tooOften(let seconds) {
      throw .denied(.tooOften(seconds))
    } catch {
      throw .error(.ledger(error))
    }
  }
}
