internal import CALSA
internal import Glibc

/// The sources that this machine offers now.
///
/// The list is made afresh at every call, so that a device that was plugged in later is seen. It asks
/// ALSA's configuration and the sound server, and opens no capture stream (rule C4).
public enum Devices {
  /// The sound server may take this long to answer.
  private static let serverMilliseconds: UInt64 = 2000

  /// Lists the sources, the sound server's first. Blocks for at most about four seconds.
  ///
  /// A sound server that is not there or does not answer leaves its sources out; ALSA's stay.
  public static func list() throws(CaptureError) -> [CaptureDevice] {
    let stepGuard = StepGuard(serverPaths: PulseAddress(server: nil).paths)
    defer { stepGuard.stop() }
    stepGuard.arm(milliseconds: Int(serverMilliseconds))
    SourceDefinition.refresh()
    let hints = try hints()
    stepGuard.disarm()
    return served() + hints
  }

  /// The sound server's sources, under the names that ALSA's shipped `pulse` definition takes.
  private static func served() -> [CaptureDevice] {
    let deadline = MonotonicClock.nanoseconds() + serverMilliseconds * 1_000_000
    do throws(CaptureError) {
      var connection = try PulseConnection.open(
        paths: PulseAddress(server: nil).paths, deadlineNanoseconds: deadline)
      let chosen = try connection.defaultSource()
      return try connection.sources().map { source in
        CaptureDevice(
          name: "pulse:DEVICE=\(quoted(source.name))", description: oneLine(source.description),
          isMonitor: source.isMonitor, isDefault: source.name == chosen)
      }
    } catch {
      // A machine without a sound server is an ordinary one; `doctor` tells the causes apart.
      return []
    }
  }

  /// A value as ALSA's argument parser reads it back.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
    return isPlain ? text : "'\(text)'"
  }

  /// ALSA's own list of capture names.
  private static func hints() throws(CaptureError) -> [CaptureDevice] {
    var list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    let status = unsafe snd_device_name_hint(-1, "pcm", &list)
    guard status >= 0, let list = unsafe list else {
      throw CaptureError.failed(step: .resolve, code: -status)
    }
    defer { unsafe snd_device_name_free_hint(list) }
    var found: [CaptureDevice] = []
    var index = 0
    while let hint = unsafe list[index] {
      index += 1
      guard let name = unsafe text("NAME", of: hint), name != "null",
        unsafe text("IOID", of: hint) != "Output"
      else { continue }
      let description = unsafe text("DESC", of: hint) ?? ""
      found.append(
        CaptureDevice(
          name: name, description: oneLine(description), isMonitor: nil,
          isDefault: name == "default"))
    }
    return found
  }

  private static func text(_ key: String, of hint: UnsafeMutableRawPointer) -> String? {
    guard let value = unsafe snd_device_name_get_hint(hint, key) else { return nil }
    defer { unsafe free(value) }
    return unsafe String(cString: value)
  }

  private static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: ", ")
  }
}
