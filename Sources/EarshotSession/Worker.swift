internal import Glibc

/// The worker process: one listening from grant to closed microphone (wall W8).
///
/// `earshotd --worker ROLE` runs one. Descriptor 3 is a stream socket to the daemon, made by
/// `socketpair` in the process that is the worker's parent; messages are `WorkerCommand` and
/// `WorkerReport`, one JSON object a line. The end of that socket ends the worker, and so does the end
/// of the thread that spawned it: spawn workers from a thread that never ends.
public enum Worker {
  /// What a worker is for.
  public enum Role: String, Sendable, Hashable, CaseIterable {
    /// Recognise through the microphone: `prepare`, `ready`, `listen`, then reports to `result`.
    case listen
    /// Recognise the sound that arrives on descriptor 4: `match`, then `result`.
    case match
    /// Report the sources once, and end.
    case devices
  }

  /// The role asked for by a command line `--worker ROLE`, or `nil` where there is none.
  public static func role(in arguments: [String]) -> Role? {
    guard let flag = arguments.firstIndex(of: "--worker"), flag + 1 < arguments.count else {
      return nil
    }
    return Role(rawValue: arguments[flag + 1])
  }

  /// Runs the worker named by `arguments` and ends the process.
  ///
  /// The process's status is 0 when a result was reported, 64 for a wrong command line, 70 where
  /// the worker could not be locked in or its parent is not the daemon.
  public static func run(arguments: [String]) -> Never {
    guard let role = role(in: arguments) else { exit(64) }
    do throws(Lockdown.Fault) {
      try Lockdown.bindToParent(socket: socketDescriptor)
      try Lockdown.leaveNoTrace()
    } catch {
      exit(70)
    }
    let socket = WorkerSocket(descriptor: socketDescriptor)
    switch role {
    case .listen: exit(ListenWorker.run(socket))
    case .match: exit(MatchWorker.run(socket))
    case .devices: exit(DevicesWorker.run(socket))
    }
  }

  /// The worker's end of the socket to its daemon.
  private static let socketDescriptor: Int32 = 3
}
