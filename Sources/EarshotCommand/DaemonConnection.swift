internal import EarshotClient
internal import Foundation

/// The way to a daemon: one that runs, or one that was started for this command.
final class DaemonConnection {
  /// Talks to the daemon.
  let client: DaemonClient
  private let own: PrivateDaemon?

  /// Finds a daemon at `socket`, or at the usual places, or starts one.
  ///
  /// A named socket is the only place that is tried.
  init(socket: String?) throws(CommandError) {
    if let socket {
      let named = try DaemonConnection.make(socket)
      do throws(ClientError) { _ = try named.status() } catch {
        throw DaemonConnection.fault(error)
      }
      client = named
      own = nil
      return
    }
    let environment = ProcessInfo.processInfo.environment
    for place in DaemonClient.usualSockets(environment: environment) {
      guard let found = try? DaemonClient(socket: place) else { continue }
      do throws(ClientError) {
        _ = try found.status()
      } catch .noDaemon, .notPermitted {
        continue
      } catch {
        throw DaemonConnection.fault(error)
      }
      client = found
      own = nil
      return
    }
    let started = try PrivateDaemon()
    client = try DaemonConnection.make(started.socket)
    own = started
    try started.waitUntilReady(client)
  }

  /// Ends a daemon that was started for this command; the microphone is closed when this returns.
  func end() { own?.stop() }

  /// Asks the daemon, and turns a failure into this room's error.
  func ask<Answer>(
    _ request: (DaemonClient) throws(ClientError) -> Answer
  ) throws(CommandError) -> Answer {
    do throws(ClientError) {
      return try request(client)
    } catch {
      throw DaemonConnection.fault(error)
    }
  }

  /// A client's failure as this room's error.
  static func fault(_ error: ClientError) -> CommandError {
    .explained(DaemonText.explain(error), DaemonText.outcome(error))
  }

  private static func make(_ socket: String) throws(CommandError) -> DaemonClient {
    do throws(ClientError) {
      return try DaemonClient(socket: socket)
    } catch {
      throw fault(error)
    }
  }
}
