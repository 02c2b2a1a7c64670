internal import EarshotClient
internal import Foundation
internal import Glibc
internal import Synchronization

/// The matches that run, counted (wall W6).
final class Matchings: Sendable {
  private let count = Mutex(0)

  /// Takes a place; false where all are taken.
  func begin() -> Bool {
    count.withLock { count in
      guard count < ServiceLimits.matches else { return false }
      count += 1
      return true
    }
  }

  func end() { count.withLock { $0 -= 1 } }
}

/// Recognises the sound in a request's body, on a thread of its own.
///
/// The sound goes on to a worker piece by piece while it arrives, and is decoded only there (wall W8).
/// No microphone is meant, so no consent is asked for, and nothing is recorded.
struct Matching: Sendable {
  let daemon: DaemonState
  let exchange: Exchange
  let intake: SoundIntake

  /// What the request's address asks for.
  struct Wishes: Sendable, Hashable {
    var catalogs: [String] = []
    var goal = ListenRequest.Goal.identify
    var limit: Double?
    var isEarliest = false

    init(_ query: [String: String]) throws(ProblemDetails) {
      if let name = query["catalog"] { catalogs = [name] }
      if let word = query["goal"] {
        guard let goal = ListenRequest.Goal(rawValue: word) else {
          throw .unprocessable("goal", "The goal is 'identify' or 'place'.")
        }
        self.goal = goal
      }
      if let text = query["limit"] {
        guard let limit = Double(text), limit > 0, limit <= ServiceLimits.matchSoundSeconds else {
          throw .unprocessable(
            "limit", "The limit is over 0 and at most \(Int(ServiceLimits.matchSoundSeconds)) s.")
        }
        self.limit = limit
      }
      if let text = query["earliest"] {
        guard text == "true" || text == "false" else {
          throw .unprocessable("earliest", "'earliest' is 'true' or 'false'.")
        }
        isEarliest = text == "true"
      }
    }
  }

  /// Begins one for a request whose body is about to arrive.
  ///
  /// - Throws: why it can't be.
  static func begin(_ daemon: DaemonState, _ exchange: Exchange) throws(ProblemDetails)
    -> SoundIntake
  {
    let wishes = try Wishes(exchange.request.query)
    guard daemon.matchings.begin() else { throw .busy("Too many sounds are matched already.") }
    let intake: SoundIntake
    do throws(ServiceError) {
      intake = try SoundIntake()
    } catch {
      daemon.matchings.end()
      throw .busy("No descriptor is left.")
    }
    exchange.whenGone { intake.leave() }
    let matching = Matching(daemon: daemon, exchange: exchange, intake: intake)
    Thread.detachNewThread { matching.run(wishes) }
    return intake
  }

  private func run(_ wishes: Wishes) {
    let answer: HTTPAnswer
    do throws(ProblemDetails) {
      let result = try recognize(wishes)
      daemon.log.notice("a sound was matched: \(result.outcome.rawValue)")
      answer = .json(result)
    } catch {
      answer = .problem(error)
    }
    daemon.matchings.end()
    // The rest of the body has to be read before the answer can go: it is dropped.
    intake.close()
    exchange.answer(answer)
  }

  private func recognize(_ wishes: Wishes) throws(ProblemDetails) -> ListenResult {
    var result: ListenResult
    do throws(ListenStop) {
      result = try work(wishes)
    } catch {
      result = error.result()
    }
    if intake.isTooLarge { throw .tooLarge(ServiceLimits.soundBytes) }
    if intake.isGone { throw .stopping }
    if result.explanation?.reason == "unsupported-media" { throw .unreadableSound }
    // Where a catalog lies is the daemon's own business; it is told by its name.
    for index in result.matches.indices {
      result.matches[index].catalog = result.matches[index].catalog.map {
        CatalogShelf.name(of: $0)
      }
    }
    return result
  }

  private func work(_ wishes: Wishes) throws(ListenStop) -> ListenResult {
    let shelf = CatalogShelf(
      configured: daemon.configuration.catalogs, folder: daemon.paths.catalogs)
    let catalogs = try shelf.paths(for: wishes.catalogs)
    try shelf.check(catalogs)
    var ends: [Int32] = [-1, -1]
    // A socket and not a pipe: its first bytes can be looked at and left in their place.
    guard unsafe socketpair(AF_UNIX, streamSocketType, 0, &ends) == 0 else {
      throw .error(.worker("worker-not-started"))
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    var feed = SoundFeed(descriptor: ends[1])
    var worker: WorkerLink
    do throws(ServiceError) {
      defer { close(ends[0]) }
      worker = try daemon.spawner.spawn(role: "match", sound: ends[0])
    } catch {
      throw .error(.worker("worker-not-started"))
    }
    let command = WorkerCommand.match(
      WorkerMatchPreparation(
        catalogs: catalogs, goal: wishes.goal, limit: wishes.limit, earliest: wishes.isEarliest))
    guard worker.send(command) else { throw .error(.worker("worker-lost")) }
    return try follow(&worker, &feed)
  }

  /// Feeds the worker until it has its answer.
  private func follow(
    _ worker: inout WorkerLink, _ feed: inout SoundFeed
  ) throws(ListenStop) -> ListenResult {
    var deadline = Clock.monotonicSeconds() + UseDeadlines.prepare
    var isReady = false
    while true {
      switch worker.next(deadline: deadline, orReadable: intake.wake.reading) {
      case .report(.ready):
        isReady = true
        deadline = Clock.monotonicSeconds() + ServiceLimits.matchSeconds
      case .report(.unprepared(let explanation)): throw .error(explanation)
      case .report(.result(let result)):
        _ = worker.finish(deadline: Clock.monotonicSeconds() + UseDeadlines.end)
        return result
      case .woken:
        intake.wake.drain()
        switch intake.next() {
        case .piece(let piece):
          feed.send(piece, until: deadline) { intake.isGone }
          intake.goOn()
        case .end: feed.close()
        // What the worker holds goes with it.
        case .gone: throw .cancelled(.requesterGone)
        case .nothing: break
        }
        if feed.isRefused || intake.isTooLarge { intake.close() }
      case .stopped: throw .error(.worker("worker-stopped"))
      case .deadline: throw .error(.worker(isReady ? "worker-overdue" : "worker-slow"))
      case .report, .ended, .unreadable: throw .error(.worker("worker-lost"))
      }
    }
  }
}

/// The socket to a worker that decodes sound.
struct SoundFeed: ~Copyable {
  private var descriptor: Int32
  /// Whether the worker takes no more: it has heard enough, or has ended.
  private(set) var isRefused = false

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  /// Writes a piece and overwrites it; waits for the worker, and no longer than `deadline`.
  mutating func send(_ piece: consuming [UInt8], until deadline: Double, isGone: () -> Bool) {
    var done = 0
    while done < piece.count && !isRefused {
      let count = unsafe piece.withUnsafeBytes { bytes in
        unsafe Glibc.send(
          descriptor, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done,
          Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        done += count
      } else if errno == EAGAIN && !isGone() && Clock.monotonicSeconds() < deadline {
        var waited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&waited, 1, 100)
      } else if errno != EINTR {
        isRefused = true
      }
    }
    unsafe piece.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      unsafe explicit_bzero(base, bytes.count)
    }
  }

  /// The worker hears the end of the sound.
  mutating func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
    isRefused = true
  }
}
