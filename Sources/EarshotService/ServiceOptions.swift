internal import Glibc

/// The command line of `earshotd`, as typed.
struct ServiceOptions: Sendable, Hashable {
  var isPrivate = false
  var isCheck = false
  var isSystem = false
  var wantsHelp = false
  var wantsVersion = false
  var socket: String?
  var state: String?
  var configuration: String?
  var administratorFile: String?

  static let help = """
    Usage: earshotd [--private] [--socket PATH] [--state FOLDER] [--configuration FILE]
                    [--administrator-file FILE] [--system] [--check]
           earshotd --lint [FILE…]
           earshotd --desktop-agent [--portal] [--socket PATH]

    The daemon in front of the microphone: it asks, records, and starts one worker a listening.

      --private                   serve the starting process alone, until standard input ends
      --socket PATH               the Unix socket (default $XDG_RUNTIME_DIR/earshot/socket)
      --state FOLDER              ledger and library (default $XDG_STATE_HOME/earshot)
      --configuration FILE        settings (default $XDG_CONFIG_HOME/earshot/earshot.json)
      --administrator-file FILE   owned by root; only where /etc/earshot/administrator.json is absent
      --system                    use /run/earshot, /var/lib/earshot and /etc/earshot
      --check                     say what is wrong with the settings, and end
      --lint [FILE…]              check files of purposes and explanations by the rules of asking
      --desktop-agent             in the person's session: show prompts as dialogs, and that the
                                  microphone is open; with --portal, or where zenity is not
                                  installed, by the desktop portal's backend
      --version, --help

    Status: 0 stopped as told, 64 wrong command line, 69 another daemon runs, 71 the system
    refused, 74 the state folder can't be used, 78 wrong settings.

    """

  /// - Throws: ``ServiceError/usage(argument:)`` with the first argument that is wrong.
  init(arguments: [String]) throws(ServiceError) {
    var left = arguments[...]
    while let argument = left.popFirst() {
      switch argument {
      case "--private": isPrivate = true
      case "--check": isCheck = true
      case "--system": isSystem = true
      case "--help", "-h": wantsHelp = true
      case "--version": wantsVersion = true
      case "--socket": socket = try Self.value(of: argument, &left)
      case "--state": state = try Self.value(of: argument, &left)
      case "--configuration": configuration = try Self.value(of: argument, &left)
      case "--administrator-file": administratorFile = try Self.value(of: argument, &left)
      default: throw .usage(argument: argument)
      }
    }
  }

  private static func value(
    of argument: String, _ left: inout ArraySlice<String>
  ) throws(ServiceError) -> String {
    guard let value = left.popFirst(), !value.isEmpty else { throw .usage(argument: argument) }
    return value
  }
}

/// Where the daemon keeps its things; all internal, so texts.
struct ServicePaths: Sendable, Hashable {
  var socket: String
  var state: String
  var configuration: String
  /// Whether the configuration must exist, because it was named.
  var isConfigurationNamed: Bool
  var catalogs: String
  /// Whether these are the system service's.
  var isSystem: Bool
  /// What is wrong with the runtime folder, where the socket had to go elsewhere.
  var runtimeFault: RuntimeFault?

  /// The ways a runtime folder can be unusable; each has its own next step.
  enum RuntimeFault: Sendable, Hashable {
    case unset
    case missing
    case notAFolder
    case foreign(owner: UInt32)
  }

  init(options: ServiceOptions, environment: [String: String], user: UInt32) {
    let home = environment["HOME"] ?? "/"
    let named = { (variable: String, fallback: String) in
      environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + fallback
    }
    if options.isSystem {
      state = options.state ?? "/var/lib/earshot"
      configuration = options.configuration ?? "/etc/earshot/earshot.json"
      catalogs = "/var/lib/earshot/catalogs"
      socket = options.socket ?? "/run/earshot/socket"
    } else {
      state = options.state ?? named("XDG_STATE_HOME", "/.local/state") + "/earshot"
      configuration =
        options.configuration ?? named("XDG_CONFIG_HOME", "/.config") + "/earshot/earshot.json"
      catalogs = named("XDG_DATA_HOME", "/.local/share") + "/earshot/catalogs"
      let runtime = environment["XDG_RUNTIME_DIR"]
      runtimeFault = Self.fault(ofRuntimeFolder: runtime, user: user)
      // Without a runtime folder the socket lies beside the ledger, which is the person's alone too.
      let fallback = state + "/socket"
      let usual = runtimeFault == nil ? runtime.map { $0 + "/earshot/socket" } : nil
      socket = options.socket ?? usual ?? fallback
    }
    isConfigurationNamed = options.configuration != nil
    isSystem = options.isSystem
  }

  /// What is wrong with a runtime folder; nil where it can be used.
  static func fault(ofRuntimeFolder folder: String?, user: UInt32) -> RuntimeFault? {
    guard let folder, folder.hasPrefix("/") else { return .unset }
    var facts = stat()
    guard unsafe stat(folder, &facts) == 0 else { return .missing }
    guard facts.st_mode & S_IFMT == S_IFDIR else { return .notAFolder }
    return facts.st_uid == user ? nil : .foreign(owner: facts.st_uid)
  }
}
