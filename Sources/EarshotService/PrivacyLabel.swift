/// What the product says of itself (rule T1), as the daemon that runs would keep it.
struct PrivacyLabel: Encodable, Sendable, Hashable {
  struct Kept: Encodable, Sendable, Hashable {
    var what: String
    var where_: String
    var days: Int?

    enum CodingKeys: String, CodingKey {
      case what, days
      case where_ = "where"
    }
  }

  var version = 1
  var taken = ["sound, for seconds, in memory only, after a recorded consent"]
  var kept: [Kept]
  var linkedToThePerson = ["consent records", "use records", "saved matches"]
  var leavesTheMachine: [String] = []
  var tracking: [String] = []
  var network: [String] = ["a Unix socket of the person's own, and the sound server's"]

  init(configuration: Configuration) {
    kept = [
      Kept(what: "consent records", where_: "state folder, ledger", days: nil),
      Kept(
        what: "use records, without titles", where_: "state folder, ledger",
        days: configuration.keepUsesDays),
      Kept(what: "matches, after opt-in", where_: "state folder, library", days: nil),
    ]
  }
}
