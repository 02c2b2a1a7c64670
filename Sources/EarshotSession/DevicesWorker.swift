internal import EarshotCapture
internal import EarshotClient

/// The role `devices`: tells the sources once. It opens no capture stream (rule C4).
enum DevicesWorker {
  /// Runs the role; the process's status is returned.
  static func run(_ socket: consuming WorkerSocket) -> Int32 {
    do throws(Lockdown.Fault) {
      _ = try Lockdown.restrictFiles(
        readable: SourcePaths.readable(), devices: SourcePaths.devices)
    } catch {
      socket.send(.unprepared(Explanation(error)))
      return 0
    }
    // Whatever hangs in the sound server, this process ends.
    Lockdown.endAfter(seconds: 10)
    do throws(CaptureError) {
      let devices = try Devices.list().map { device in
        WorkerDevice(
          name: device.name, description: device.description, isMonitor: device.isMonitor,
          isDefault: device.isDefault)
      }
      socket.send(.devices(devices))
    } catch {
      socket.send(.unprepared(Explanation(error)))
    }
    return 0
  }
}
