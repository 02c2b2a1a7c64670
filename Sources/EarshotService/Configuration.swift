internal import Foundation
internal import Glibc

/// The person's or deployer's settings, `earshot.json`; every one has a default.
struct Configuration: Sendable, Hashable {
  struct Controller: Sendable, Hashable {
    var name: String
    var contact: String
  }

  /// The name of the source that is used where a request names none: an ALSA PCM.
  var source = "default"
  /// All names that a request may give.
  var sources = ["default"]
  /// The longest listening, in seconds.
  var limit = 12.0
  /// Catalog files; empty means those in the data folder.
  var catalogs: [String] = []
  /// Who answers for the processing, as receipts name it.
  var controller: Controller?
  /// A file of purposes beside the shipped ones.
  var purposes: String?
  /// The page for visitors; nil where none is served.
  var kiosk: KioskSettings?
  /// How long use records are kept, in days (rule R7).
  var keepUsesDays = 90

  static let fileName = "earshot.json"

  /// Reads the settings of a file's bytes.
  ///
  /// - Throws: ``ServiceError/configuration(_:)`` with every fault.
  init(parsing bytes: [UInt8]) throws(ServiceError) {
    var reading = try SettingsReading(file: Self.fileName, bytes: bytes)
    if let text = reading.text("source") { source = text }
    if let texts = reading.texts("sources", limit: 64) {
      sources = texts
    } else {
      sources = [source]
    }
    if let number = reading.number("limit", 0.5...ServiceLimits.listenSeconds) { limit = number }
    if let texts = reading.texts("catalogs", limit: ServiceLimits.catalogs) { catalogs = texts }
    if let days = reading.number("keepUsesDays", 1...36500) { keepUsesDays = Int(days) }
    purposes = reading.text("purposes")
    if var inner = reading.object("controller") {
      let name = inner.text("name")
      let contact = inner.text("contact")
      reading.take(faultsOf: inner)
      if let name, let contact {
        controller = Controller(name: name, contact: contact)
      } else {
        reading.fault("controller", "needs \"name\" and \"contact\"")
      }
    }
    if var inner = reading.object("kiosk") {
      kiosk = KioskSettings(&inner)
      reading.take(faultsOf: inner)
      if controller == nil {
        reading.fault("kiosk", "needs a \"controller\": visitors are told who is responsible")
      }
    }
    if !sources.contains(source) {
      reading.fault("sources", "does not list the \"source\" that is used by default")
    }
    try reading.finish()
  }

  /// The defaults.
  init() {}
}

/// What root alone decides, `administrator.json`.
struct AdministratorFile: Sendable, Hashable {
  /// Whether `consent grant` may record without a person at a terminal (rule C10).
  var mayGrantByCommand = false
  /// Whether the microphone is forbidden to all.
  var isMicrophoneForbidden = false
  /// A lower limit for a listening, in seconds (rule L9).
  var limit = ServiceLimits.listenSeconds
  /// Whether a listening may run with no surface that shows it (rule L4).
  var mayListenUnseen = false
  /// Whether a consent outlives an update of the executable (rule C13).
  var keepsConsentOnUpdate = false
  /// Executables that are agents besides `earshot`.
  var agents: [String] = []
  /// Services of the system's manager that are agents, by their units' names.
  var agentUnits: [String] = []

  static let usualPath = "/etc/earshot/administrator.json"

  init() {}

  /// Reads what a file says, if root alone can have written it.
  ///
  /// - Throws: ``ServiceError/untrustedAdministratorFile``,
  ///   ``ServiceError/unusableFile(role:code:)``, ``ServiceError/configuration(_:)``.
  init(path: String) throws(ServiceError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw .unusableFile(role: "administrator's file", code: errno)
    }
    defer { close(descriptor) }
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
      facts.st_uid == 0, facts.st_mode & (S_IWGRP | S_IWOTH) == 0
    else { throw .untrustedAdministratorFile }
    try self.init(
      parsing: SettingsReading.contents(of: descriptor, role: "administrator's file"))
  }

  /// Reads the settings of a file's bytes.
  ///
  /// - Throws: ``ServiceError/configuration(_:)`` with every fault.
  init(parsing bytes: [UInt8]) throws(ServiceError) {
    var reading = try SettingsReading(file: "administrator.json", bytes: bytes)
    mayGrantByCommand = reading.flag("grantByCommand") ?? false
    isMicrophoneForbidden = reading.flag("forbidMicrophone") ?? false
    limit = reading.number("limit", 0.5...ServiceLimits.listenSeconds) ?? limit
    mayListenUnseen = reading.flag("listenUnseen") ?? false
    keepsConsentOnUpdate = reading.flag("keepConsentOnUpdate") ?? false
    agents = reading.texts("agents", limit: 32) ?? []
    if agents.contains(where: { !$0.hasPrefix("/") }) {
      reading.fault("agents", "lists a path that does not begin with /")
    }
    agentUnits = reading.texts("agentUnits", limit: 32) ?? []
    if agentUnits.contains(where: { !$0.hasSuffix(".service") || $0.contains("/") }) {
      reading.fault("agentUnits", "lists a name that is not a service's")
    }
    try reading.finish()
  }
}

/// Takes settings out of one JSON object and collects what is wrong with them.
struct SettingsReading {
  private let file: String
  private let line: Int
  private var left: [SettingsValue.Member]
  private var taken: [String: Int] = [:]
  private var faults: [ConfigurationFault] = []

  /// The largest file of settings, in bytes.
  static let fileLimit = 256 << 10

  init(file: String, bytes: [UInt8]) throws(ServiceError) {
    self.file = file
    do throws(SettingsValue.Fault) {
      let value = try SettingsValue(parsing: bytes)
      guard case .object(let members) = value.content else {
        throw SettingsValue.Fault(line: value.line, text: "the file should be one object in { }")
      }
      left = members
      line = value.line
    } catch {
      throw .configuration([ConfigurationFault(file: file, line: error.line, text: error.text)])
    }
  }

  private init(file: String, members: [SettingsValue.Member], line: Int) {
    self.file = file
    self.line = line
    left = members
  }

  /// All bytes of an open file of settings.
  static func contents(of descriptor: Int32, role: String) throws(ServiceError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = unsafe read(descriptor, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .unusableFile(role: role, code: errno) }
      if count == 0 { return bytes }
      bytes.append(contentsOf: piece[..<count])
      guard bytes.count <= fileLimit else { throw .unusableFile(role: role, code: EFBIG) }
    }
  }

  private mutating func take(_ name: String) -> SettingsValue? {
    guard let index = left.firstIndex(where: { $0.name == name }) else { return nil }
    let member = left.remove(at: index)
    taken[name] = member.line
    return member.value.content == .null ? nil : member.value
  }

  mutating func fault(_ name: String, _ text: String) {
    faults.append(
      ConfigurationFault(file: file, line: taken[name] ?? line, text: "\"\(name)\" \(text)"))
  }

  mutating func text(_ name: String) -> String? {
    guard let value = take(name) else { return nil }
    guard case .text(let text) = value.content, !text.isEmpty, !text.utf8.contains(0) else {
      fault(name, "should be a text in double quotes")
      return nil
    }
    return text
  }

  mutating func flag(_ name: String) -> Bool? {
    guard let value = take(name) else { return nil }
    guard case .flag(let flag) = value.content else {
      fault(name, "should be true or false")
      return nil
    }
    return flag
  }

  mutating func number(_ name: String, _ range: ClosedRange<Double>) -> Double? {
    guard let value = take(name) else { return nil }
    guard case .number(let number) = value.content, range.contains(number) else {
      fault(name, "should be a number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return number
  }

  mutating func texts(_ name: String, limit: Int) -> [String]? {
    guard let value = take(name) else { return nil }
    guard case .list(let values) = value.content, values.count <= limit else {
      fault(name, "should be a list of at most \(limit) texts in [ ]")
      return nil
    }
    let texts = values.compactMap { value -> String? in
      guard case .text(let text) = value.content, !text.isEmpty, !text.utf8.contains(0) else {
        return nil
      }
      return text
    }
    guard texts.count == values.count else {
      fault(name, "should hold texts only")
      return nil
    }
    return texts
  }

  mutating func object(_ name: String) -> SettingsReading? {
    guard let value = take(name) else { return nil }
    guard case .object(let members) = value.content else {
      fault(name, "should be an object in { }")
      return nil
    }
    return SettingsReading(file: file, members: members, line: value.line)
  }

  mutating func take(faultsOf inner: SettingsReading) {
    faults += inner.faults + inner.unknown
  }

  private var unknown: [ConfigurationFault] {
    left.map {
      ConfigurationFault(file: file, line: $0.line, text: "\"\($0.name)\" is not a setting")
    }
  }

  /// - Throws: ``ServiceError/configuration(_:)`` where anything was wrong.
  func finish() throws(ServiceError) {
    let all = (faults + unknown).sorted { $0.line < $1.line }
    if !all.isEmpty { throw .configuration(all) }
  }
}
