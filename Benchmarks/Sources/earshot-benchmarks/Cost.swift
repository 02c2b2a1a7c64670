import Foundation

/// What a program took to run.
struct Cost {
  /// CPU time of the program and all its children, user and system, in seconds.
  var processor: Double
  /// Time on the clock, in seconds.
  var wall: Double
  /// What it wrote to standard output.
  var output: String

  /// Runs a program to its end; a status that is not allowed ends the benchmarks.
  static func of(
    _ program: String, _ arguments: [String], allowing statuses: ClosedRange<Int32> = 0...0
  ) throws -> Cost {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    let before = childrenSeconds()
    let began = DispatchTime.now().uptimeNanoseconds
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard statuses.contains(process.terminationStatus) else {
      throw Fault.program(program, status: process.terminationStatus)
    }
    return Cost(
      processor: childrenSeconds() - before,
      wall: Double(DispatchTime.now().uptimeNanoseconds - began) / 1e9,
      output: String(decoding: bytes, as: UTF8.self))
  }

  private static func childrenSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}

/// Why a benchmark has no figure.
enum Fault: Error, CustomStringConvertible {
  case program(String, status: Int32)
  case noSound(files: Int)

  var description: String {
    switch self {
    case .program(let path, let status): "\(path) ended with status \(status)"
    case .noSound(let files): "\(files) files hold no sound"
    }
  }
}
