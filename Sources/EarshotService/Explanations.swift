internal import EarshotCatalog
internal import EarshotClient
internal import EarshotConsent

/// Why a listening ended as it did, each in three sentences' parts (rule A4).
extension Explanation {
  static var forbidden: Explanation {
    Explanation(
      reason: "restricted", happened: "The administrator has turned the microphone off.",
      means: "Nothing was opened; all that needs no microphone works as before.",
      next: "Ask the administrator to change /etc/earshot/administrator.json.")
  }

  static func restricted(_ reason: String) -> Explanation {
    switch MicrophoneSwitch.Source(rawValue: reason) {
    case .gnome:
      return Explanation(
        reason: "restricted", happened: "The desktop's microphone switch is off.",
        means: "Nothing is open; all that needs no microphone works as before.",
        next: "Turn the microphone on in Settings, Privacy, or with: gsettings set "
          + "org.gnome.desktop.privacy disable-microphone false")
    case .portal:
      return Explanation(
        reason: "restricted", happened: "The desktop's lockdown forbids microphones.",
        means: "Nothing is open; all that needs no microphone works as before.",
        next: "Ask whoever administers this session to allow microphones in its lockdown.")
    case nil: break
    }
    return Explanation(
      reason: "restricted", happened: "The microphone is restricted: \(reason).",
      means: "Nothing was opened; all that needs no microphone works as before.",
      next: "Turn the microphone on in the system's privacy settings.")
  }

  static var denied: Explanation {
    Explanation(
      reason: "denied", happened: "The microphone was denied to this program before.",
      means: "Nothing was opened, and you are not asked again.",
      next: "To change it, run: earshot consent list, then earshot consent revoke.")
  }

  static var nobodyToAsk: Explanation {
    Explanation(
      reason: "nobody-to-ask", happened: "There is nobody to ask for the microphone.",
      means: "Nothing was opened, because no consent is on record.",
      next: "Run earshot listen on a terminal, or grant it first with: earshot consent grant.")
  }

  static var unseen: Explanation {
    Explanation(
      reason: "no-surface", happened: "Nothing is there that could show the open microphone.",
      means: "Nothing was opened, although a consent is on record.",
      next: "Start an agent or an indicator first, for example earshot listen on a terminal.")
  }

  static func dismissed(_ reason: String) -> Explanation {
    Explanation(
      reason: "dismissed", happened: "The question went away without an answer (\(reason)).",
      means: "Nothing was opened and nothing recorded as an answer.",
      next: "Ask again and choose one of the answers.")
  }

  static func resting(_ seconds: Int) -> Explanation {
    Explanation(
      reason: "resting", happened: "The question went away twice without an answer.",
      means: "Nothing was opened, and this program may not ask for a while.",
      next: "Try again in \(seconds) seconds, or grant it with: earshot consent grant.",
      retryAfter: Double(seconds))
  }

  static func tooOften(_ seconds: Int) -> Explanation {
    Explanation(
      reason: "too-often", happened: "This program has listened for a minute in the last ten.",
      means: "Nothing was opened.", next: "Try again in \(seconds) seconds.",
      retryAfter: Double(seconds))
  }

  static var promptBusy: Explanation {
    Explanation(
      reason: "busy", happened: "Other questions are waiting for the person.",
      means: "Nothing was opened and nothing was asked.", next: "Try again in a minute.",
      retryAfter: 60)
  }

  static var unidentified: Explanation {
    Explanation(
      reason: "unidentified", happened: "The program that asks could not be told for certain.",
      means: "Nothing was opened, because a consent belongs to one program.",
      next: "Run the program as the same user as the daemon, and keep it running while it asks.")
  }

  static func cancelled(_ reason: ListeningControl.Reason) -> Explanation {
    switch reason {
    case .requesterGone:
      Explanation(
        reason: reason.word, happened: "The program that asked has gone.",
        means: "The microphone is closed and what was heard is dropped.", next: "Ask again.")
    case .daemonStopping:
      Explanation(
        reason: reason.word, happened: "The daemon was told to stop.",
        means: "The microphone is closed and what was heard is dropped.",
        next: "Ask again once the daemon runs.")
    case .unseen:
      Explanation(
        reason: reason.word, happened: "Nothing shows any more that the microphone is open.",
        means: "The microphone is closed and what was heard is dropped.",
        next: "Keep the program that shows it running, then ask again.")
    case .restricted:
      Explanation(
        reason: reason.word, happened: "The desktop's microphone switch was turned off.",
        means: "The microphone is closed and what was heard is dropped.",
        next: "Turn the microphone on in the desktop's settings, then ask again.")
    case .stopped:
      Explanation(
        reason: reason.word, happened: "The person stopped the listening.",
        means: "The microphone is closed and what was heard is dropped.", next: "Ask again.")
    case .revoked:
      Explanation(
        reason: reason.word, happened: "The consent was withdrawn.",
        means: "The microphone is closed and what was heard is dropped.",
        next: "To allow it again, ask again and answer the question.")
    }
  }

  static var unknownSource: Explanation {
    Explanation(
      reason: "unknown-source", happened: "The source's name is not configured.",
      means: "Nothing was opened, and no other source is taken in its place.",
      next: "Use one of the names that earshot status shows, or add it to earshot.json.")
  }

  static var noCatalog: Explanation {
    Explanation(
      reason: "no-catalog", happened: "There is no catalog to search.",
      means: "Nothing was opened, because nothing could be recognised.",
      next: "Name one, or make one with: earshot catalog create.")
  }

  static var unnamedCatalog: Explanation {
    Explanation(
      reason: "relative-path", happened: "A catalog's path does not begin with a slash.",
      means: "Nothing was opened, because the daemon has a working folder of its own.",
      next: "Give the whole path, or the name of a catalog in the data folder.")
  }

  static func catalog(_ error: CatalogError) -> Explanation {
    let (reason, happened): (String, String) =
      switch error {
      case .unreadable(let code): ("catalog-unreadable", "A catalog can't be read (error \(code)).")
      case .notAFile: ("catalog-unreadable", "A catalog's path names no file.")
      case .notACatalog: ("catalog-foreign", "A file is not a catalog.")
      case .unreadableVersion: ("catalog-newer", "A catalog was made by a newer version.")
      case .otherSettings: ("catalog-outdated", "A catalog was made with other settings.")
      default: ("catalog-damaged", "A catalog is damaged.")
      }
    return Explanation(
      reason: reason, happened: happened,
      means: "Nothing was opened, because nothing could be recognised.",
      next: "Check it with: earshot catalog verify. Make it again if it is wrong.")
  }

  static func ledger(_ error: LedgerError) -> Explanation {
    let (reason, happened): (String, String) =
      switch error {
      case _ where error.isDiskFull:
        ("disk-full", "The disk is full, so the record can't be written.")
      case _ where error.isReadOnly: ("read-only", "The state folder can't be written.")
      case .damaged: ("ledger-damaged", "The ledger is not as it was written.")
      case .tooLarge: ("too-large", "The question is too long for a record.")
      default: ("ledger", "The record could not be written.")
      }
    return Explanation(
      reason: reason, happened: happened,
      means: "The microphone is closed; without a record it is never opened.",
      next: reason == "ledger-damaged"
        ? "See what is wrong with: earshot consent verify."
        : "Make room or check the rights of the state folder, then ask again.")
  }

  static func worker(_ reason: String) -> Explanation {
    let happened =
      switch reason {
      case "device-hung": "The sound system did not answer in time."
      case "worker-overdue": "The listening did not end in time and was ended."
      case "worker-slow": "The catalogs could not be loaded in time."
      case "worker-stopped": "Something stopped the listening process, so it was ended."
      case "worker-not-started": "The listening process could not be started."
      default: "The listening process ended unexpectedly."
      }
    return Explanation(
      reason: reason, happened: happened, means: "The microphone is closed; there is no answer.",
      next: "Check the sound system with: earshot doctor. Then ask again.")
  }
}
