import Foundation
import Testing

@testable import EarshotCapture

@Suite("What the system says of sound devices")
struct DeviceAccessTests {
  private func makeFolder() throws -> String {
    let path = "/tmp/earshot-access-\(UUID().uuidString.prefix(13))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    return path
  }

  @Test("O-04: the process that holds a capture device is named by the kernel's record")
  func holders() throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func write(_ text: String, _ path: String) throws {
      let file = "\(folder)/\(path)"
      try FileManager.default.createDirectory(
        atPath: URL(fileURLWithPath: file).deletingLastPathComponent().path,
        withIntermediateDirectories: true)
      try text.write(toFile: file, atomically: true, encoding: .utf8)
    }
    try write("closed\n", "card0/pcm0c/sub0/status")
    // A device that only plays is no microphone.
    try write("state: RUNNING\nowner_pid   : 1\n", "card0/pcm0p/sub0/status")
    try write("state: RUNNING\nowner_pid   : \(getpid())\n", "card1/pcm0c/sub0/status")
    let access = DeviceAccess(nodeFolder: "/nowhere", cardFolder: folder)
    let holders = access.holders()
    #expect(holders.map(\.process) == [getpid()])
    #expect(holders.first?.program.isEmpty == false)
    #expect(DeviceAccess(nodeFolder: "/nowhere", cardFolder: "/nowhere").holders().isEmpty)
  }

  @Test("the owner's line is read in the kernel's spelling")
  func owner() {
    #expect(DeviceAccess.owner(in: "state: RUNNING\nowner_pid   : 98\n") == 98)
    #expect(DeviceAccess.owner(in: "closed\n") == nil)
    #expect(DeviceAccess.owner(in: "") == nil)
  }

  @Test("O-05: nodes that are there and closed to this user mean no permission, not no device")
  func permission() throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let access = DeviceAccess(nodeFolder: folder, cardFolder: "/nowhere")
    #expect(!access.isRefused)
    let node = "\(folder)/pcmC0D0c"
    try "".write(toFile: node, atomically: true, encoding: .utf8)
    chmod(node, 0)
    // Root may open everything, so there the nodes are never refused.
    #expect(access.isRefused == (geteuid() != 0))
  }
}
