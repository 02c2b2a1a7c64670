internal import EarshotCatalog
internal import EarshotClient
internal import Foundation

/// The checks of `earshot doctor` that need no daemon. None opens a device or a sound server.
struct MachineChecks {
  /// The variables of the process.
  let environment: [String: String]
  /// What stands before `/dev` and `/proc`; tests have folders of their own.
  var root = ""

  /// The folder of the daemon's socket: unset, missing, and somebody else's are three faults.
  func runtimeFolder() -> Finding {
    let check = "runtime folder"
    guard let path = environment["XDG_RUNTIME_DIR"], !path.isEmpty else {
      return .notice(
        check, "XDG_RUNTIME_DIR is not set, as for services without a session.",
        next: "Start earshotd as a user unit (with 'loginctl enable-linger'), or as a system unit.")
    }
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else {
      return .bad(
        check, "XDG_RUNTIME_DIR is '\(Shown.text(path))', which does not exist.",
        next: "Log in, or 'loginctl enable-linger' for this person.")
    }
    guard facts.st_uid == getuid(), facts.st_mode & S_IFMT == S_IFDIR else {
      return .bad(
        check, "XDG_RUNTIME_DIR is '\(Shown.text(path))', which is not a folder of this person.",
        next: "Set it to the person's own folder, usually /run/user/\(getuid()).")
    }
    return .good(check, "\(Shown.text(path)) is there.")
  }

  private var statePath: String {
    let home = environment["HOME"] ?? NSHomeDirectory()
    return (environment["XDG_STATE_HOME"] ?? home + "/.local/state") + "/earshot"
  }

  /// Whether the person's daemon can be reached, and whether it is the only one.
  func daemonSocket() -> Finding {
    let sockets = DaemonClient.usualSockets(environment: environment).dropLast()
    let path = sockets.first { unsafe access($0, F_OK) == 0 } ?? sockets.first
    return DaemonSocketCheck(path: path ?? statePath + "/socket", stateFolder: statePath).finding
  }

  /// The folder of ledger and library.
  func stateFolder() -> Finding {
    let check = "state folder"
    let path = statePath
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else {
      return .good(check, "\(Shown.text(path)) is not there yet; it is made when it is needed.")
    }
    guard facts.st_uid == getuid(), unsafe access(path, W_OK | X_OK) == 0 else {
      return .bad(
        check, "\(Shown.text(path)) cannot be written, so no consent can be recorded.",
        next: "Give it to this person ('chown'), with mode 0700.")
    }
    guard facts.st_mode & 0o077 == 0 else {
      return .bad(
        check, "\(Shown.text(path)) is open to others.", next: "chmod 700 '\(Shown.text(path))'")
    }
    return .good(check, "\(Shown.text(path)) is there, and this person's alone.")
  }

  /// Whether a sound server's socket is where it usually is.
  func soundServer() -> Finding {
    let check = "sound server"
    let runtime = environment["XDG_RUNTIME_DIR"] ?? "/nonexistent"
    if let named = environment["PULSE_SERVER"], !named.isEmpty {
      return .good(check, "PULSE_SERVER names \(Shown.text(named)).")
    }
    for (path, name) in [("/pulse/native", "PulseAudio"), ("/pipewire-0", "PipeWire")]
    where unsafe access(runtime + path, F_OK) == 0 {
      return .good(check, "The socket of \(name) is there.")
    }
    return .notice(
      check, "No sound server's socket is in the runtime folder.",
      next: "ALSA's devices are used directly, which takes the group 'audio'.")
  }

  /// Whether this person may open sound devices without a sound server.
  func soundGroup() -> Finding {
    let check = "sound devices"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root + "/dev/snd")) ?? []
    let captures = names.filter { $0.hasPrefix("pcm") && $0.hasSuffix("c") }
    let cards = (try? String(contentsOfFile: root + "/proc/asound/cards", encoding: .utf8)) ?? ""
    // A sandbox that hides the devices leaves the kernel's list of cards.
    if captures.isEmpty, cards.contains("["), names.isEmpty {
      return .bad(
        check, "The kernel has a sound card, and /dev/snd is hidden from this process.",
        next: "A service hides it with PrivateDevices=yes: use DevicePolicy=closed with "
          + "DeviceAllow=char-alsa rw, as the shipped unit does. A container needs --device /dev/snd."
      )
    }
    guard !captures.isEmpty else {
      return .notice(
        check, "The kernel has no device to record from.",
        next: "Plug in a microphone; without one only a sound server elsewhere can be used.")
    }
    let isOpen = captures.contains {
      unsafe access(root + "/dev/snd/" + $0, R_OK | W_OK) == 0
    }
    return isOpen
      ? .good(check, "\(captures.count) to record from, and this person may.")
      : .notice(
        check, "There are \(captures.count) to record from, and this person may not.",
        next: "Join the group 'audio' and log in again, or use a sound server.")
  }

  /// Whether the kernel can lock the worker out of files.
  func landlock() -> Finding {
    let modules = (try? String(contentsOfFile: "/sys/kernel/security/lsm", encoding: .utf8)) ?? ""
    return modules.split(separator: ",").contains { $0.hasPrefix("landlock") }
      ? .good("landlock", "The kernel has it, so the worker sees only what it needs.")
      : .notice(
        "landlock", "The kernel does not say that it has it.",
        next: "Use a kernel of 5.13 or newer, with 'landlock' among its security modules.")
  }

  /// Whether the kernel can take system calls from the worker.
  func seccomp() -> Finding {
    let path = "/proc/sys/kernel/seccomp/actions_avail"
    return unsafe access(path, R_OK) == 0
      ? .good("seccomp", "The kernel has it, so the worker can open nothing after the microphone.")
      : .notice(
        "seccomp", "The kernel does not say that it has it.",
        next: "Use a kernel that is built with seccomp filters.")
  }

  /// Whether sound can be kept out of swap.
  func lockedMemory() -> Finding {
    var limit = rlimit()
    let status = unsafe getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit)
    guard status == 0, limit.rlim_cur != rlim_t.max else {
      return .good("locked memory", "There is no limit, so sound never gets into swap.")
    }
    let kibibytes = Int(limit.rlim_cur / 1024)
    return kibibytes >= 1024
      ? .good("locked memory", "\(kibibytes) KiB, which is enough to keep sound out of swap.")
      : .notice(
        "locked memory", "Only \(kibibytes) KiB, so some sound could get into swap.",
        next: "Raise it with 'ulimit -l', or LimitMEMLOCK= in the unit.")
  }

  /// Whether files that libsndfile does not know can be read.
  func ffmpeg() -> Finding {
    let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return folders.contains { unsafe access($0 + "/ffmpeg", X_OK) == 0 }
      ? .good("ffmpeg", "It is installed, so files of every kind can be read.")
      : .notice(
        "ffmpeg", "It is not installed, so M4A, MP4, MKV and other kinds cannot be read.",
        next: "apt-get install ffmpeg")
  }

  /// Whether the catalogs of the data folder can be opened.
  func catalogs() -> [Finding] {
    let folder = SearchedCatalogs.dataFolder(environment)
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .filter { $0.hasSuffix(".earshot") }.sorted()
    if names.isEmpty {
      return [
        .notice(
          "catalogs", "\(Shown.text(folder)) holds none.",
          next: "Make one with 'earshot catalog create', or name one with --catalog.")
      ]
    }
    return names.map { name in
      do throws(CatalogError) {
        let catalog = try Catalog(path: folder + "/" + name)
        return .good(
          "catalog", "\(Shown.text(name)) holds \(Shown.count(catalog.itemCount, "item")).")
      } catch {
        let explained = Report.explanation(of: CatalogText.explained(error, path: Array(name.utf8)))
        return .bad("catalog", explained.happened, next: explained.next)
      }
    }
  }
}
