/// The program that wants to listen, as the kernel and not itself tells.
public struct Requester: Codable, Sendable, Hashable {
  /// What the name and the identity rest on, the strongest first.
  public enum Identification: String, Codable, Sendable, Hashable, CaseIterable {
    /// The Flatpak id of the sandbox that the process runs in.
    case flatpak
    /// The systemd unit that the process belongs to.
    case unit
    /// A desktop file, owned by root, whose program is this executable.
    case desktopFile = "desktop-file"
    /// The executable's path alone.
    case executable
    /// The kiosk's page.
    case page
  }

  /// Whose microphone it is.
  public var person: Person
  /// How the requester was identified.
  public var identification: Identification
  /// The unit, the Flatpak id, the desktop file's name or the executable's path, unescaped.
  public var name: String
  /// The executable's path as text: bytes that aren't UTF-8 are written as `\xHH`.
  public var executable: String
  /// SHA-256 of the executable in hexadecimal, or nil where it couldn't be read.
  public var executableSHA256: String?
  /// The systemd unit, where there is one.
  public var unit: String?
  /// The Flatpak id, where there is one.
  public var flatpak: String?

  /// A requester as it was identified.
  public init(
    person: Person, identification: Identification, name: String, executable: String,
    executableSHA256: String? = nil, unit: String? = nil, flatpak: String? = nil
  ) {
    self.person = person
    self.identification = identification
    self.name = name
    self.executable = executable
    self.executableSHA256 = executableSHA256
    self.unit = unit
    self.flatpak = flatpak
  }

  /// A path as text, the same text for no two paths.
  public static func text(ofPath path: [UInt8]) -> String {
    DisplayName.text(ofBytes: path)
  }

  /// What all records of this requester are found by, whatever its present version.
  var subject: String {
    // The parts may hold any character, so each is preceded by its length in bytes.
    ([person.identifier, identification.rawValue, flatpak ?? "", unit ?? "", executable])
      .map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
  }

  enum CodingKeys: String, CodingKey {
    case person = "pii_principal_id"
    case identification
    case name = "party_name"
    case executable
    case executableSHA256 = "executable_sha256"
    case unit
    case flatpak
  }
}
