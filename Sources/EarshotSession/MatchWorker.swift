internal import EarshotAudio
internal import EarshotClient
internal import EarshotSignature
internal import Glibc

/// The role `match`: recognises sound that arrives on a descriptor and touches no device.
///
/// The sound is decoded only here, after the process can open nothing any more.
struct MatchWorker: ~Copyable {
  private var socket: WorkerSocket
  private var recognition: Recognition
  private let preparation: WorkerMatchPreparation

  /// The descriptor on which the sound arrives.
  private static let soundDescriptor: Int32 = 4
  /// The sound that one answer can rest on, in seconds: the analyzer's own limit.
  private static let secondsMax = QueryAnalyzer.capacitySecondsMax

  /// Runs the role; the process's status is returned.
  static func run(_ socket: consuming WorkerSocket) -> Int32 {
    guard
      case .command(.match(let preparation)) = socket.next(
        milliseconds: ListenWorker.commandMilliseconds)
    else { return 0 }
    do throws(Lockdown.Fault) {
      _ = try Lockdown.restrictFiles(readable: preparation.catalogs, devices: [])
    } catch {
      socket.send(.unprepared(Explanation(error)))
      return 0
    }
    do throws(Recognition.Fault) {
      let seconds = min(preparation.limit ?? secondsMax, secondsMax)
      let recognition = try Recognition.prepare(
        catalogs: preparation.catalogs, goal: preparation.goal, seconds: seconds)
      do throws(Lockdown.Fault) {
        try Lockdown.restrictCalls()
      } catch {
        socket.send(.unprepared(Explanation(error)))
        return 0
      }
      socket.send(.ready)
      var worker = MatchWorker(
        socket: socket, recognition: recognition, preparation: preparation)
      worker.report(seconds: seconds)
    } catch {
      socket.send(.unprepared(Explanation(error)))
    }
    return 0
  }

  private init(
    socket: consuming WorkerSocket, recognition: consuming Recognition,
    preparation: WorkerMatchPreparation
  ) {
    self.socket = socket
    self.recognition = recognition
    self.preparation = preparation
  }

  private mutating func report(seconds: Double) {
    do throws(AudioError) {
      let result = try recognize(seconds: seconds)
      if let result { socket.send(.result(result)) }
    } catch {
      socket.send(
        .result(ListenResult(outcome: .error, explanation: Explanation(error))))
    }
  }

  /// Reads to the end, the limit or, when asked for, the first certain moment; `nil` where the daemon
  /// went away or cancelled.
  private mutating func recognize(seconds: Double) throws(AudioError) -> ListenResult? {
    var reader = try SoundReader(descriptor: Self.soundDescriptor)
    var piece = SampleBlock(capacity: 2048)
    let limit = Int(seconds * 16_000)
    var taken = 0
    while taken < limit {
      if let stop = stopped() { return stop }
      piece.removeAll()
      guard try reader.read(into: &piece) > 0 else { break }
      let count = min(piece.count, limit - taken)
      taken += count
      do throws(Recognition.Fault) {
        let answer = try recognition.hear(piece.samples.extracting(0..<count))
        if preparation.earliest, let answer { return answer }
      } catch {
        return ListenResult(outcome: .error, explanation: Explanation(error))
      }
    }
    piece.removeAll()
    do throws(Recognition.Fault) {
      return try recognition.finish()
    } catch {
      return ListenResult(outcome: .error, explanation: Explanation(error))
    }
  }

  private mutating func stopped() -> ListenResult? {
    switch socket.next(milliseconds: 0) {
    case .nothing: nil
    default: ListenResult(outcome: .cancelled, explanation: .cancelled)
    }
  }
}
