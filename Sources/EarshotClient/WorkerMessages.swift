/// What the daemon writes to its worker, one JSON object a line.
public enum WorkerCommand: Codable, Sendable, Hashable {
  /// Prepare: load catalogs, lock the process in, and answer `ready`. No device is touched.
  case prepare(WorkerPreparation)
  /// The opening record `use` is durable: redeem it, open, listen.
  case listen(use: String)
  /// Close the microphone first, then end; `reason` goes into the closing record.
  case cancel(reason: String)
}

/// What a worker has to know before its grant exists.
public struct WorkerPreparation: Codable, Sendable, Hashable {
  public var catalogs: [String]
  public var goal: ListenRequest.Goal
  public var expected: ListenRequest.Expected?
  /// Seconds of sound at most.
  public var limit: Double
  /// The configured name of the source: an ALSA PCM.
  public var source: String
  /// The ledger's folder, read only.
  public var ledger: String

  public init(
    catalogs: [String], goal: ListenRequest.Goal, expected: ListenRequest.Expected?, limit: Double,
    source: String, ledger: String
  ) {
    self.catalogs = catalogs
    self.goal = goal
    self.expected = expected
    self.limit = limit
    self.source = source
    self.ledger = ledger
  }
}

/// What a worker writes back, one JSON object a line.
public enum WorkerReport: Codable, Sendable, Hashable {
  /// Catalogs are loaded and the process is locked in as far as it can be before opening.
  case ready
  /// The preparation failed; no device was touched.
  case unprepared(Explanation)
  /// The device delivers sound.
  case listening(source: String)
  case level(seconds: Double, peakDecibels: Double)
  /// The device is closed. `samples` counts what was taken at 16 kHz.
  case closed(milliseconds: Double, samples: Int, reason: String)
  case result(ListenResult)
}
