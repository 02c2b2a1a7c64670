internal import Glibc

/// The files that opening a source reads, and nothing else may be read by a worker.
///
/// Unix sockets are connected to, not opened, and need no rule. Whoever keeps ALSA's configuration in
/// another place names it by ALSA's own variables, which are followed here.
enum SourcePaths {
  /// Devices that are read and written.
  static let devices = ["/dev/snd", "/dev/null"]

  /// Files and folders that are read.
  static func readable() -> [String] {
    var paths = [
      // Plugins and their libraries, ALSA's data, the machine's configuration.
      "/usr", "/lib", "/lib64", "/etc", "/run/ld.so.cache",
      // Which cards are there and who holds them; the boot's and the process's own facts.
      "/proc/asound", "/proc/self", "/proc/sys/kernel/random/boot_id", "/dev/urandom",
    ]
    let home = variable("HOME")
    let configuration = variable("XDG_CONFIG_HOME") ?? home.map { "\($0)/.config" }
    if let home {
      paths += ["\(home)/.asoundrc", "\(home)/.pulse-cookie", "\(home)/.config/pulse"]
    }
    if let configuration {
      paths += ["\(configuration)/alsa", "\(configuration)/pulse", "\(configuration)/pipewire"]
    }
    if let runtime = variable("XDG_RUNTIME_DIR") { paths += ["\(runtime)/pulse"] }
    for name in [
      "ALSA_CONFIG_PATH", "ALSA_CONFIG_DIR", "ALSA_PLUGIN_DIR", "PULSE_RUNTIME_PATH",
      "PULSE_COOKIE", "PULSE_CLIENTCONFIG",
    ] {
      if let value = variable(name) { paths += value.split(separator: ":").map(String.init) }
    }
    return paths
  }

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}
