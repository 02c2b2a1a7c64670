internal import EarshotClient

/// Lists the sources, through a worker: the daemon itself reaches no sound system (wall W8).
struct DeviceRoutes: Sendable {
  let daemon: DaemonState
  /// A sound server that never answers is cut off after so many seconds.
  private static let patience = 5.0

  func list() throws(ProblemDetails) -> HTTPAnswer {
    do throws(ServiceError) {
      let wake = try WakePipe()
      var worker = try daemon.spawner.spawn(role: "devices")
      let deadline = Clock.monotonicSeconds() + Self.patience
      guard
        case .report(.devices(let devices)) = worker.next(
          deadline: deadline, orReadable: wake.reading)
      else { throw ServiceError.workerNotStarted(code: 0) }
      _ = worker.finish(deadline: deadline)
      let sources = daemon.configuration.sources
      return .json(
        ListMessage(
          entries: devices.map {
            DeviceMessage(
              name: $0.name, label: $0.description, isConfigured: sources.contains($0.name))
          }))
    } catch {
      throw ProblemDetails(
        type: "urn:earshot:problem:devices", title: "The sources could not be listed.", status: 504,
        detail: "The sound system did not answer in time. Nothing was opened. "
          + "Check it with: earshot doctor.", reason: "devices")
    }
  }
}
