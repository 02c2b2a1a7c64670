import EarshotService

/// What has to hold for the bytes that reach the daemon, one call for each of its parsers.
public enum ServiceClaims {
  /// As `earshot.json` and `administrator.json`.
  public static func settings(_ bytes: [UInt8]) { ParserClaims.settings(bytes) }

  /// As a file of purposes, and as an explanation.
  public static func purposes(_ bytes: [UInt8]) { ParserClaims.purposes(bytes) }

  /// As a request's address in the first line and its body behind it.
  public static func request(_ bytes: [UInt8]) { ParserClaims.request(bytes) }
}
