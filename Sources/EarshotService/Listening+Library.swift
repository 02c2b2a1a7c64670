internal import EarshotCatalog
internal import EarshotClient
internal import EarshotConsent
internal import EarshotLibrary

extension Listening {
  /// Saves the match where the person allows it, asking by itself after the answer (rules S1, S2).
  func offerSaving(_ result: inout ListenResult) {
    guard let match = result.matches.first, let purpose = daemon.purposes.purpose("save") else {
      return
    }
    let question = ConsentQuestion.library(
      requester: requester, purpose: purpose, language: language, session: nil)
    guard maySave(question) else { return }
    do {
      let consent = try daemon.ledger.spendSaving(question)
      let now = LedgerClock.system().now().utcMilliseconds
      let saved = try daemon.library.save(
        item(of: match), for: requester.person.identifier,
        by: Saver(requester: requester.name, consent: consent, savedUTCMilliseconds: now))
      visit?.noteSaved()
      result.saved = true
      sink.send(.saved(id: String(saved.id)))
    } catch is LedgerError {
      // Withdrawn meanwhile, or the record could not be written: then nothing is saved.
      daemon.log.ledgerFailed("saving")
    } catch {
      daemon.log.error("a match could not be saved")
    }
  }

  /// Whether saving is allowed, after asking where nobody has answered yet.
  private func maySave(_ question: ConsentQuestion) -> Bool {
    guard let status = try? daemon.ledger.status(of: question) else { return false }
    switch status {
    case .allowed: return true
    case .denied, .restricted: return false
    case .undetermined: break
    }
    let sink = sink
    // 'Not Now' holds for the whole visit (rule S2).
    if visit?.hasDeclinedSaving == true { return false }
    let answer = desk.ask(
      question, Prompt(for: question), user: deskUser, control: control,
      shown: { sink.send(.prompt(id: $0)) })
    return answer == .choice(.save)
  }

  /// The item's facts, from its catalog where it can still be read.
  private func item(of match: MatchedItem) -> SavedItem {
    var saved = SavedItem(
      item: match.id, catalog: match.catalog ?? "", title: match.title, artist: match.artist)
    let shelf = CatalogShelf(
      configured: daemon.configuration.catalogs, folder: daemon.paths.catalogs)
    let paths = (try? shelf.paths(for: request.catalogs)) ?? []
    for path in paths where [path, CatalogShelf.name(of: path)].contains(match.catalog ?? path) {
      guard let catalog = try? Catalog(path: path),
        let index = try? catalog.index(ofItem: match.id), let item = try? catalog.item(index)
      else { continue }
      saved.catalog = CatalogShelf.name(of: path)
      (saved.title, saved.subtitle, saved.artist) = (item.title, item.subtitle, item.artist)
      (saved.album, saved.isrc) = (item.album, item.isrc)
      break
    }
    return saved
  }
}
