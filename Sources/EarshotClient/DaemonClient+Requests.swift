extension DaemonClient {
  /// The daemon's state and the asking program's own standing; never prompts, never records (C4).
  public func status() throws(ClientError) -> StatusMessage { try get("/v1/status") }

  /// The catalogs that a listening would search.
  public func catalogs() throws(ClientError) -> [CatalogMessage] {
    try get("/v1/catalogs", as: ListMessage<CatalogMessage>.self).entries
  }

  /// The purposes that a request may name, with their sentences.
  public func purposes() throws(ClientError) -> [PurposeMessage] {
    try get("/v1/purposes", as: ListMessage<PurposeMessage>.self).entries
  }

  /// What is taken, kept and sent (rule T1), in a language or the daemon's own; agents only.
  public func privacy(language: String? = nil) throws(ClientError) -> PrivacyMessage {
    try get("/v1/privacy" + (language.map { "?language=" + Self.escaped($0) } ?? ""))
  }

  /// The sources that the sound system offers; it may ask the sound server, it opens no stream.
  public func devices() throws(ClientError) -> [DeviceMessage] {
    try get("/v1/devices", as: ListMessage<DeviceMessage>.self).entries
  }

  /// A one-time link to the kiosk's page; agents only.
  public func kioskLink() throws(ClientError) -> KioskLinkMessage {
    try post("/v1/kiosk/link", [String: String]())
  }

  /// The person's consents, newest first; agents only.
  public func consents() throws(ClientError) -> [ConsentMessage] {
    try get("/v1/consents", as: ListMessage<ConsentMessage>.self).entries
  }

  /// One consent; agents only.
  public func consent(_ id: String) throws(ClientError) -> ConsentMessage {
    try get("/v1/consents/" + Self.escaped(id))
  }

  /// Records a consent that no prompt brought up (rule C10); agents only.
  public func grant(_ request: GrantRequest) throws(ClientError) -> DoneMessage {
    try post("/v1/consents", request)
  }

  /// Changes a recorded choice (rule R5); agents only.
  public func decide(
    _ decision: DecisionRequest, about id: String
  ) throws(ClientError) -> DoneMessage {
    try post("/v1/consents/\(Self.escaped(id))/decision", decision)
  }

  /// The uses of the microphone, newest first; agents only.
  public func uses() throws(ClientError) -> [UseMessage] {
    try get("/v1/uses", as: ListMessage<UseMessage>.self).entries
  }

  /// The ledger's records behind a place in the chain, in order; agents only.
  public func ledger(after sequence: Int64 = 0) throws(ClientError) -> ListMessage<
    LedgerRecordMessage
  > {
    try get("/v1/ledger?after=\(sequence)")
  }

  /// Checks the whole chain (rule R3); agents only.
  public func verifyLedger() throws(ClientError) -> LedgerVerificationMessage {
    var patient = self
    patient.timeoutSeconds = 300
    return try patient.get("/v1/ledger/verify")
  }

  /// Follows the prompts that want an answer; agents only.
  public func prompts(
    cancellation: Cancellation? = nil, take: (PromptEvent) -> Bool
  ) throws(ClientError) {
    try follow("/v1/prompts", cancellation: cancellation, take: take)
  }

  /// Answers a prompt; `agent` is what the record calls this one. Agents only.
  public func answer(
    _ choice: String, to prompt: String, agent: String = "terminal"
  ) throws(ClientError) -> DoneMessage {
    try post(
      "/v1/prompts/\(Self.escaped(prompt))/answer?agent=\(Self.escaped(agent))",
      PromptAnswer(choice: choice))
  }

  /// Closes the microphone of a use that runs, and drops what was heard; agents only.
  public func stop(use: String) throws(ClientError) -> DoneMessage {
    try post("/v1/uses/\(Self.escaped(use))/stop", StopRequest())
  }

  /// The saved matches, newest first; agents only.
  public func library() throws(ClientError) -> [LibraryEntryMessage] {
    var all: [LibraryEntryMessage] = []
    while true {
      let page = try get(
        "/v1/library?limit=1000&offset=\(all.count)", as: ListMessage<LibraryEntryMessage>.self)
      all += page.entries
      if page.more == 0 || page.entries.isEmpty { return all }
    }
  }

  /// Removes one saved match for good, after the person agreed as `confirmation` says (rule C10);
  /// agents only.
  public func removeFromLibrary(
    _ id: String, confirmation: Confirmation = .terminal
  ) throws(ClientError) -> DoneMessage {
    try delete("/v1/library/\(Self.escaped(id))?confirmation=\(confirmation.rawValue)")
  }

  /// Removes all saved matches, or those that one requester saved, after the person agreed as
  /// `confirmation` says (rule C10); agents only.
  public func eraseLibrary(
    requester: String? = nil, confirmation: Confirmation = .terminal
  ) throws(ClientError) -> DoneMessage {
    try delete(
      "/v1/library?confirmation=\(confirmation.rawValue)"
        + (requester.map { "&requester=" + Self.escaped($0) } ?? ""))
  }

  /// Removes every record and every saved match of the person, after they agreed as `confirmation`
  /// says (rules R8, C10); a listening that runs is ended first. Agents only.
  public func eraseAll(confirmation: Confirmation) throws(ClientError) -> DoneMessage {
    var patient = self
    patient.timeoutSeconds = 60
    return try patient.post("/v1/erase", EraseRequest(confirmation: confirmation))
  }

  /// Records whether matches are saved (rule S1); agents only.
  public func decideLibrary(_ request: LibraryConsentRequest) throws(ClientError) -> DoneMessage {
    try post("/v1/library/consent", request)
  }

  /// The text as one part of a path: every byte that is not a letter, digit, `-`, `_` or `~`
  /// is escaped.
  static func escaped(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F, 0x7E: bytes.append(byte)
      default: bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
