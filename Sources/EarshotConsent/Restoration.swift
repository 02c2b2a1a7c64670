/// A note that records were found missing at a start.
///
/// From it on no older allowance holds, because a withdrawal may be among what is missing; denials
/// hold on.
struct Restoration: Codable, Sendable, Hashable {
  var id: String
  /// The number of the last record that there should have been; nil where no head file told.
  var expected: Int64?
  /// The number of the last record that there was.
  var found: Int64
  var time: Moment

  enum CodingKeys: String, CodingKey {
    case id = "record_id"
    case expected
    case found
    case time = "event_time"
  }
}

/// A 'once' consent to save, spent on one item; it doesn't say which (rule S2).
struct Saving: Codable, Sendable, Hashable {
  var id: String
  var consent: String
  var time: Moment

  enum CodingKeys: String, CodingKey {
    case id = "record_id"
    case consent
    case time = "event_time"
  }
}
