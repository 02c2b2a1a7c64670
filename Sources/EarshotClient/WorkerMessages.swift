/// What the daemon writes to its worker, one JSON object a line.
public enum WorkerCommand: Codable, Sendable, Hashable {
  /// Prepare: load catalogs, lock the process in, and answer `ready`. No device is touched.
  case prepare(WorkerPreparation)
  /// The opening record `use` is durable: redeem it, open, listen.
  case listen(use: String)
  /// Recognise the sound that arrives on descriptor 4 (role `match`); answered by `result`.
  case match(WorkerMatchPreparation)
  /// Close the microphone first, then end; `reason` goes into the closing record.
  case cancel(reason: String)
}

/// What a worker has to know to recognise sound that arrives on a descriptor.
public struct WorkerMatchPreparation: Codable, Sendable, Hashable {
  /// Paths of catalog files.
  public var catalogs: [String]
  /// What has to be known.
  public var goal: ListenRequest.Goal
  /// Seconds of sound at most; nil means all that arrives.
  public var limit: Double?
  /// Whether the first certain moment ends it, as listening does.
  public var earliest: Bool

  /// Takes what is to be searched, and for how long.
  public init(catalogs: [String], goal: ListenRequest.Goal, limit: Double?, earliest: Bool) {
    self.catalogs = catalogs
    self.goal = goal
    self.limit = limit
    self.earliest = earliest
  }
}

/// One source as the role `devices` tells it.
public struct WorkerDevice: Codable, Sendable, Hashable {
  /// The name as ALSA takes it: one opaque string that can be pasted back.
  public var name: String
  /// What the sound server calls it, for people.
  public var description: String
  /// Whether it carries what a loudspeaker plays; nil where that can't be told.
  public var isMonitor: Bool?
  /// Whether the sound server would choose it by itself.
  public var isDefault: Bool

  /// Takes a source and what is known of it.
  public init(name: String, description: String, isMonitor: Bool?, isDefault: Bool) {
    self.name = name
    self.description = description
    self.isMonitor = isMonitor
    self.isDefault = isDefault
  }
}

/// What a worker has to know before its grant exists.
public struct WorkerPreparation: Codable, Sendable, Hashable {
  /// Paths of catalog files.
  public var catalogs: [String]
  /// What has to be known before the microphone closes.
  public var goal: ListenRequest.Goal
  /// The place that is tested first; nil where nothing is expected.
  public var expected: ListenRequest.Expected?
  /// Seconds of sound at most.
  public var limit: Double
  /// The configured name of the source: an ALSA PCM.
  public var source: String
  /// The ledger's folder, read only.
  public var ledger: String

  /// Takes all that a listening will need.
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
  /// The device is open and sound is being taken.
  case listening(source: String)
  case level(seconds: Double, peakDecibels: Double)
  /// The device is closed, or was never open (0 milliseconds). `samples` counts what was taken at
  /// 16 kHz; `memoryLocked` says whether the sound was kept out of swap (rule L5). Comes exactly once
  /// after `listen`, before `result`; where the worker ends without it, its end closed the device.
  case closed(milliseconds: Double, samples: Int, reason: String, memoryLocked: Bool)
  /// The answer; the worker ends after it.
  case result(ListenResult)
  /// The answer of the role `devices`; the worker ends after it.
  case devices([WorkerDevice])
}
