internal import CALSA
internal import Glibc

/// Where a source's name leads to, read from ALSA's configuration without opening anything.
enum SourceDefinition: Sendable, Hashable {
  /// A PulseAudio server's source; `nil` stands for the server's own choice.
  case pulse(server: String?, device: String?)
  /// A PipeWire node; `nil` stands for the session's own choice.
  case pipeWire(node: String?)
  /// A device of the kernel.
  case hardware
  /// Another plugin, by its type; what stands behind it can't be told.
  case other(type: String)
  /// The name has no definition.
  case unknown

  /// Plugins that stand before another one and change nothing about where the sound comes from.
  private static let transparentTypes: Set<String> = [
    "plug", "rate", "route", "softvol", "linear", "lfloat", "mulaw", "alaw", "adpcm", "asym",
    "empty", "copy", "dsnoop", "iec958", "hooks", "speexrate", "samplerate", "lavrate", "speex",
  ]
  /// How many plugins may stand before one another.
  private static let depthLimit = 8

  /// Forgets what ALSA read earlier, so that a changed configuration and a new device are seen.
  static func refresh() {
    earshot_alsa_be_quiet()
    snd_config_update_free_global()
  }

  /// Follows `name` to its end. May wait for the sound server: a shipped configuration asks it.
  static func find(_ name: String) -> SourceDefinition {
    var top: OpaquePointer?
    guard unsafe snd_config_update_ref(&top) >= 0, let top = unsafe top else { return .unknown }
    defer { unsafe snd_config_unref(top) }
    return unsafe follow(name: name, top: top, depth: 0)
  }

  private static func follow(name: String, top: OpaquePointer, depth: Int) -> SourceDefinition {
    var found: OpaquePointer?
    let status = unsafe snd_config_search_definition(top, "pcm", name, &found)
    guard status >= 0, let found = unsafe found else { return .unknown }
    defer { unsafe snd_config_delete(found) }
    return unsafe follow(definition: found, top: top, depth: depth)
  }

  private static func follow(
    definition: OpaquePointer, top: OpaquePointer, depth: Int
  ) -> SourceDefinition {
    guard depth < depthLimit else { return .other(type: "nested") }
    if let alias = unsafe text(of: definition) {
      return unsafe follow(name: alias, top: top, depth: depth + 1)
    }
    guard let type = unsafe text("type", in: definition) else { return .unknown }
    switch type {
    case "hw": return .hardware
    case "pulse":
      return unsafe .pulse(
        server: text("server", in: definition), device: text("device", in: definition))
    case "pipewire":
      return unsafe .pipeWire(node: text("capture_node", in: definition))
    case let type where transparentTypes.contains(type):
      for key in ["capture.pcm", "capture", "slave.pcm", "slave"] {
        guard let next = unsafe child(key, in: definition) else { continue }
        if key == "slave", let name = unsafe text(of: next) {
          return unsafe followSlave(name: name, top: top, depth: depth + 1)
        }
        return unsafe follow(definition: next, top: top, depth: depth + 1)
      }
      return .other(type: type)
    default: return .other(type: type)
    }
  }

  /// A slave may be given by the name of a `pcm_slave` definition.
  private static func followSlave(
    name: String, top: OpaquePointer, depth: Int
  ) -> SourceDefinition {
    var found: OpaquePointer?
    let status = unsafe snd_config_search_definition(top, "pcm_slave", name, &found)
    guard status >= 0, let found = unsafe found else { return .unknown }
    defer { unsafe snd_config_delete(found) }
    guard let next = unsafe child("pcm", in: found) else { return .unknown }
    return unsafe follow(definition: next, top: top, depth: depth)
  }

  private static func child(_ key: String, in node: OpaquePointer) -> OpaquePointer? {
    var found: OpaquePointer?
    return unsafe snd_config_search(node, key, &found) >= 0 ? found : nil
  }

  private static func text(of node: OpaquePointer) -> String? {
    var value: UnsafePointer<CChar>?
    guard unsafe snd_config_get_string(node, &value) >= 0, let value = unsafe value else {
      return nil
    }
    return unsafe String(cString: value)
  }

  /// A key's text; an empty one counts as none, as the shipped `pulse` definition means it.
  private static func text(_ key: String, in node: OpaquePointer) -> String? {
    guard let found = unsafe child(key, in: node), let text = unsafe text(of: found) else {
      return nil
    }
    return text.isEmpty ? nil : text
  }
}
