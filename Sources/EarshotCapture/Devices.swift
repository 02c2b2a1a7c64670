/// The sources that this machine offers now.
///
/// The list is made afresh at every call, so that a device that was plugged in later is seen. It asks
/// ALSA's configuration and the sound server, and opens no capture stream (rule C4).
public enum Devices {
  /// Lists the sources, the sound server's first. Blocks for at most two seconds.
  public static func list() throws(CaptureError) -> [CaptureDevice] {
    preconditionFailure("the list of devices is not written yet")
  }
}
