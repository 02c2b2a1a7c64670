internal import EarshotConsent
internal import Foundation
internal import Glibc
internal import Synchronization

/// Tells who a peer is, for prompts and records: what the kernel says, never what it says of itself.
final class Requesters: Sendable {
  private struct Version: Hashable {
    var file: FileIdentity
    var size: Int64
    var changedSeconds: Int
    var changedNanoseconds: Int
  }

  /// Digests of executables, by what changes when a file does. Bounded: the table is emptied when
  /// it is full, and whoever comes next is read again.
  private let digests = Mutex<[Version: String]>([:])
  private static let digestsMax = 64
  /// An executable that is larger is identified by its path alone, in bytes.
  private static let executableBytesMax: Int64 = 512 << 20
  /// Who a peer was found to be. What the kernel says of a process does not change while it runs the
  /// same executable, and that is looked at each time. Bounded like the digests.
  private let known = Mutex<[Peer: Requester]>([:])
  private static let knownMax = 512
  private let agentPaths: [String]
  private let agentUnits: [String]
  private let desktopFiles: DesktopFiles
  /// Where a process stands among the services; tests say it themselves.
  private let controlGroup: @Sendable (Int32) -> ControlGroup?

  /// `agentPaths` are the executables, and `agentUnits` the system's services, that may show prompts
  /// and answer them.
  init(
    agentPaths: [String], agentUnits: [String] = [], desktopFiles: DesktopFiles = DesktopFiles(),
    controlGroup: @escaping @Sendable (Int32) -> ControlGroup? = { ControlGroup(process: $0) }
  ) {
    self.agentPaths = agentPaths
    self.agentUnits = agentUnits
    self.desktopFiles = desktopFiles
    self.controlGroup = controlGroup
  }

  /// Whether the peer runs a listed executable now (rule R6).
  func isAgent(_ peer: Peer) -> Bool { peer.isUnchanged && isAgent(unchanged: peer) }

  /// The same for a peer that was looked at just now.
  func isAgent(unchanged peer: Peer) -> Bool {
    if let file = peer.file, agentPaths.contains(where: { FileIdentity(path: $0) == file }) {
      return true
    }
    guard !agentUnits.isEmpty, let unit = systemUnit(of: peer) else { return false }
    return agentUnits.contains(unit)
  }

  /// The system's service that a peer is of; nil where it is of none, or the number may be another
  /// process's by now.
  private func systemUnit(of peer: Peer) -> String? {
    guard let start = peer.startTime, let unit = controlGroup(peer.process)?.systemService,
      Peer.startTime(of: peer.process) == start
    else { return nil }
    return unit
  }

  /// The peer as records name it; nil where its executable can't be told.
  func requester(for peer: Peer) -> Requester? {
    peer.isUnchanged ? requester(forUnchanged: peer) : nil
  }

  /// The same for a peer that was looked at just now.
  func requester(forUnchanged peer: Peer) -> Requester? {
    guard let executable = peer.executable else { return service(peer) }
    if let requester = known.withLock({ $0[peer] }) { return requester }
    let unit = controlGroup(peer.process)?.service
    let flatpak = Self.flatpak(of: peer.process)
    let desktop =
      flatpak == nil && unit == nil ? desktopFiles.name(ofProgram: executable) : nil
    let identification: Requester.Identification =
      flatpak != nil ? .flatpak : unit != nil ? .unit : desktop != nil ? .desktopFile : .executable
    let requester = Requester(
      person: .user(peer.user), identification: identification,
      name: flatpak ?? unit ?? desktop ?? executable, executable: executable,
      executableSHA256: digest(ofExecutableOf: peer.process), unit: unit, flatpak: flatpak)
    if peer.startTime != nil, peer.file != nil {
      known.withLock {
        if $0.count >= Self.knownMax { $0.removeAll() }
        $0[peer] = requester
      }
    }
    return requester
  }

  /// A peer whose executable this daemon may not read, as the service that it is of.
  private func service(_ peer: Peer) -> Requester? {
    systemUnit(of: peer).map {
      Requester(
        person: .user(peer.user), identification: .unit, name: $0, executable: "", unit: $0)
    }
  }

  /// An executable by its path, for a consent that is granted before it ever asked.
  func requester(executable path: String, user: UInt32) -> Requester? {
    var facts = stat()
    guard path.hasPrefix("/"), let real = Self.realPath(path),
      unsafe stat(real, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG
    else { return nil }
    let desktop = desktopFiles.name(ofProgram: real)
    return Requester(
      person: .user(user), identification: desktop != nil ? .desktopFile : .executable,
      name: desktop ?? real, executable: real, executableSHA256: digest(ofFile: real))
  }

  private static func realPath(_ path: String) -> String? {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  private func digest(ofExecutableOf process: Int32) -> String? {
    digest(ofFile: "/proc/\(process)/exe")
  }

  private func digest(ofFile path: String) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0, let file = FileIdentity(path: path),
      facts.st_size <= Self.executableBytesMax
    else { return nil }
    let version = Version(
      file: file, size: Int64(facts.st_size), changedSeconds: facts.st_ctim.tv_sec,
      changedNanoseconds: facts.st_ctim.tv_nsec)
    if let known = digests.withLock({ $0[version] }) { return known }
    guard let bytes = Self.contents(of: descriptor, size: Int(facts.st_size)) else { return nil }
    let digest = Digest.hexadecimal(of: bytes)
    digests.withLock {
      if $0.count >= Self.digestsMax { $0.removeAll() }
      $0[version] = digest
    }
    return digest
  }

  private static func contents(of descriptor: Int32, size: Int) -> [UInt8]? {
    var count = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
      while count < size {
        let start = unsafe buffer.baseAddress.map { unsafe $0 + count }
        let got = unsafe read(descriptor, start, size - count)
        if got < 0 && errno == EINTR { continue }
        guard got > 0 else { break }
        count += got
      }
      filled = count
    }
    return count == size ? bytes : nil
  }

  /// The Flatpak id of the sandbox that a process runs in.
  private static func flatpak(of process: Int32) -> String? {
    guard
      let text = try? String(
        contentsOfFile: "/proc/\(process)/root/.flatpak-info", encoding: .utf8)
    else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix("name=") }
    return line.map { String($0.dropFirst(5)) }
  }
}
