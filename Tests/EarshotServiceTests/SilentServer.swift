import Foundation

@testable import EarshotService

/// A sound server that takes connections and never answers, so that opening hangs for ever.
final class SilentServer {
  let folder: String
  private let listening: ListeningSocket

  init() throws {
    folder = "/tmp/earshot-silent-\(UUID().uuidString.prefix(13))"
    listening = try ListeningSocket.bound(to: "\(folder)/native")
    try """
    </usr/share/alsa/alsa.conf>
    pcm.hung { type pulse server "unix:\(folder)/native" device "anything" }

    """.write(toFile: "\(folder)/asound.conf", atomically: true, encoding: .utf8)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var environment: [String: String] {
    [
      "PULSE_SERVER": "unix:\(folder)/native", "PULSE_RUNTIME_PATH": folder,
      "ALSA_CONFIG_PATH": "\(folder)/asound.conf",
    ]
  }
}
