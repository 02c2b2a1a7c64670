internal import EarshotClient
internal import Foundation

/// `earshot doctor`: what stands in the way of listening, and what to do about it.
///
/// It opens no device. Only `--probe` asks the sound server what it offers.
enum DoctorCommand {
  /// Carries it out; the status is 2 when something is bad.
  static let run: CommandSpecification.Action = { (typed, console) throws(CommandError) in
    Interruption.begin()
    let machine = MachineChecks(environment: ProcessInfo.processInfo.environment)
    var findings = [
      machine.runtimeFolder(), machine.stateFolder(), machine.daemonSocket(),
      machine.soundServer(), machine.soundGroup(),
      machine.landlock(), machine.seccomp(), machine.lockedMemory(), machine.ffmpeg(),
    ]
    findings += machine.catalogs()
    findings += daemon(typed)
    for finding in findings {
      if typed.has("json") {
        console.print(finding.json.text)
      } else {
        for line in finding.lines { console.print(line) }
      }
    }
    return findings.contains { $0.standing == .bad } ? Outcome.error.exitStatus : 0
  }

  /// What the daemon says, started for this command where none runs.
  private static func daemon(_ typed: TypedArguments) -> [Finding] {
    let connection: DaemonConnection
    do throws(CommandError) {
      connection = try DaemonConnection(socket: typed.text("socket"))
    } catch {
      return [bad("daemon", Report.explanation(of: error))]
    }
    defer { connection.end() }
    do throws(CommandError) {
      let status = try connection.ask { (client) throws(ClientError) in try client.status() }
      var findings = [
        Finding.good(
          "daemon",
          status.isPrivate
            ? "None runs; one was started for this command and answers."
            : "Version \(status.daemon) answers on its socket.")
      ]
      findings.append(consent(status))
      findings.append(
        status.isAgent
          ? .good("agent", "This program may show the daemon's questions.")
          : .notice(
            "agent", "The daemon does not take this program for an agent.",
            next: "Install earshot and earshotd in one folder."))
      if typed.has("probe") {
        let devices = try connection.ask { (client) throws(ClientError) in try client.devices() }
        findings.append(probe(devices, source: status.source))
      }
      return findings
    } catch {
      return [bad("daemon", Report.explanation(of: error))]
    }
  }

  private static func consent(_ status: StatusMessage) -> Finding {
    switch status.microphone {
    case "allowed": .good("consent", "Earshot may listen.")
    case "undetermined":
      .good("consent", "Nothing is decided; you will be asked when you listen.")
    default:
      .notice(
        "consent", "The microphone is \(status.microphone).",
        next: status.explanation?.next ?? "See 'earshot consent list'.")
    }
  }

  private static func probe(_ devices: [DeviceMessage], source: String) -> Finding {
    if devices.isEmpty {
      return .bad(
        "source", "The sound system offers no source.",
        next: "Plug in a microphone, or start the sound server.")
    }
    let names = devices.map { Shown.text($0.name) }.joined(separator: ", ")
    return .good("source", "'\(Shown.text(source))' is used; the sound system offers \(names).")
  }

  private static func bad(_ check: String, _ explanation: Explanation) -> Finding {
    .bad(
      check,
      [explanation.happened, explanation.means].joined(separator: " ")
        .split(separator: "\n").joined(separator: " "), next: explanation.next)
  }
}
