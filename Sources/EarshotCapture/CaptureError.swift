/// A step of opening, reading or closing a source, named so that a fault can say where it happened.
public enum CaptureStep: String, Sendable, Hashable, Codable {
  /// Asking the sound server which source stands behind a name.
  case resolve
  /// Opening the source by its name.
  case open
  /// Agreeing on format, channels and rate.
  case configure
  /// Starting the flow of sound.
  case start
  /// Waiting for sound or taking it.
  case read
}

/// A process that holds a sound device.
public struct DeviceHolder: Sendable, Hashable {
  /// The process id.
  public let process: Int32
  /// The kernel's short name of the program, at most 15 bytes.
  public let program: String

  /// Names a holder.
  public init(process: Int32, program: String) {
    self.process = process
    self.program = program
  }
}

/// The ways taking sound from a microphone can fail.
///
/// A silent microphone is no error: the sound is delivered, and its level tells.
public enum CaptureError: Error, Sendable, Hashable {
  /// The grant's deadline has passed; nothing was opened. A new consent check is needed.
  case grantExpired
  /// Another program holds the device alone. Trying again later can help.
  case busy(holders: [DeviceHolder])
  /// No such source: the name is unknown to ALSA or to the sound server, or no card is there.
  case missing(code: Int32)
  /// The system keeps this user away from the sound devices.
  case noPermission
  /// No sound server listens where the source's definition says. `code` is a positive errno.
  case serverDown(code: Int32)
  /// The sound server accepted the connection and did not answer in time.
  case serverNotAnswering(step: CaptureStep)
  /// The sound server runs on and has ended the stream while sound was taken.
  case streamEnded
  /// The sound server went away while sound was taken.
  case serverGone(code: Int32)
  /// The device was unplugged while sound was taken.
  case unplugged
  /// The machine was suspended while sound was taken (the sound before and after can't be joined).
  case suspended
  /// The sound server has put the source to sleep while sound was taken.
  case sourceSuspended
  /// The device opened and delivered nothing for this long, in milliseconds.
  case noData(milliseconds: Int)
  /// The name leads to what a loudspeaker plays, and was not chosen as such (rule L6).
  case onlyAMonitor
  /// The sound server moved the stream to another source than the one that was opened (rule L6).
  case moved
  /// Which source stands behind the name can't be asked, and the name does not say it.
  case unverifiable
  /// The source has no sample format, channel count or rate that can be read.
  case unsupportedFormat
  /// Sound was lost too often to go on.
  case overrunning(count: Int)
  /// Any other fault, with a positive errno.
  case failed(step: CaptureStep, code: Int32)
}
