/// The version of the program.
enum Version {
  /// As `earshot version` prints it.
  static let text = "0.1.0"
}
