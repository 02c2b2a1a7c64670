/// Who may import whom: the walls of the house, written down once more so that a changed manifest
/// is noticed.
enum Walls {
  /// What each room may import besides what is free to all.
  static let mayImport: [String: Set<String>] = [
    "EarshotAudio": ["CSndfile", "CSoxr"],
    "EarshotSignature": ["EarshotAudio", "CFFTW"],
    "EarshotCatalog": ["EarshotSignature", "CXXHash"],
    "EarshotMatch": ["EarshotSignature", "EarshotCatalog"],
    "EarshotStore": ["CSQLite"],
    "EarshotConsent": ["EarshotStore", "CCrypto"],
    "EarshotCapture": ["EarshotAudio", "EarshotConsent", "CALSA"],
    "EarshotCaptions": ["EarshotMatch", "EarshotCatalog"],
    "EarshotLibrary": ["EarshotStore", "EarshotMatch"],
    "EarshotClient": ["CCurl"],
    "EarshotSession": [
      "EarshotAudio", "EarshotSignature", "EarshotCatalog", "EarshotMatch", "EarshotConsent",
      "EarshotCapture", "EarshotClient", "CSandbox",
    ],
    "EarshotService": [
      "EarshotConsent", "EarshotCatalog", "EarshotMatch", "EarshotCaptions", "EarshotLibrary",
      "EarshotClient", "CMicroHTTPD", "CQREncode", "CSystemd",
    ],
    "EarshotCommand": [
      "EarshotClient", "EarshotAudio", "EarshotSignature", "EarshotCatalog", "EarshotMatch",
      "EarshotCaptions",
    ],
    "earshot": ["EarshotCommand"],
    "earshotd": ["EarshotService", "EarshotSession"],
  ]

  /// What every room may import.
  static let free: Set<String> = ["Foundation", "Synchronization", "Glibc", "Dispatch", "Swift"]

  /// Rooms on the sound's path, where Foundation stays out.
  static let soundPath: Set<String> = ["EarshotAudio", "EarshotSignature", "EarshotMatch"]
}
