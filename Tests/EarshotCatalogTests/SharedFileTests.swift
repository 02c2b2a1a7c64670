import EarshotSignature
import Foundation
import Glibc
import TestSupport
import Testing

@testable import EarshotCatalog

/// What other processes and other machines may do to a catalog's file.
@Suite("Catalogs that others reach too", .serialized) struct SharedFileTests {
  @Test(
    "O-27: a lock that another process holds is waited for a bounded time, then told with its holder"
  )
  func held() throws {
    let folder = try TestFolder()
    let path = folder.path + "/c.earshot"
    try Catalogs.writeSmall(folder.file("c.earshot"))
    let holder = Process()
    holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    holder.arguments = [
      "python3", "-c",
      "import fcntl,sys; f=open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()",
      path,
    ]
    let (input, output) = (Pipe(), Pipe())
    holder.standardInput = input
    holder.standardOutput = output
    try holder.run()
    defer {
      try? input.fileHandleForWriting.close()
      holder.waitUntilExit()
    }
    #expect(output.fileHandleForReading.readData(ofLength: 5) == Data("held\n".utf8))
    var told: [Int32?] = []
    #expect(throws: CatalogError.beingChanged(process: holder.processIdentifier)) {
      _ = try CatalogLock(path: Array(path.utf8), patienceMilliseconds: 700) { told.append($0) }
    }
    #expect(told == [holder.processIdentifier])
    // Reading needs no lock.
    #expect(try Catalog(path: path).itemCount > 0)
  }

  @Test(
    "a catalog or a journal that was let go is free, also while another process is being started")
  func letGo() throws {
    let folder = try TestFolder()
    let path = folder.file("c.earshot")
    try Catalogs.writeSmall(path)
    func use(starting: Bool) throws -> ChildBeingStarted? {
      let lock = try CatalogLock(path: path, patienceMilliseconds: 0)
      let journal = try SignatureJournal(besides: path)
      let child = starting ? try ChildBeingStarted() : nil
      withExtendedLifetime(journal) {}
      _ = consume lock
      return child
    }
    let child = try use(starting: true)
    _ = try use(starting: false)
    withExtendedLifetime(child) {}
  }

  @Test("O-27: a network file system is told by the kernel's list of mounts")
  func networks() {
    let line = "36 35 0:52 / /srv/music rw,noatime shared:1 master:2 - nfs4 nas:/music rw,vers=4.2"
    #expect(NetworkFolder.kind(ofDevice: 52, in: line) == "nfs4")
    #expect(NetworkFolder.kind(ofDevice: 53, in: line) == nil)
    let share = "36 35 8:17 / /mnt rw - cifs //nas/music rw"
    #expect(NetworkFolder.kind(ofDevice: 8 << 8 | 17, in: share) == "cifs")
    #expect(
      NetworkFolder.kind(ofDevice: 8 << 8 | 17, in: "36 35 8:17 / / rw - ext4 /dev/sda rw") == nil)
    #expect(NetworkFolder.kind(ofDevice: 1, in: "") == nil)
    #expect(NetworkFolder.kind(of: Array("/proc/self".utf8)) == nil)
  }

  @Test("a catalog that is shortened while it is open is an error, and the process goes on")
  func shortened() throws {
    let folder = try TestFolder()
    let path = folder.path + "/c.earshot"
    try Catalogs.writeSmall(folder.file("c.earshot"))
    let (whole, other) = (try Catalog(path: path), try Catalog(path: path))
    #expect(truncate(path, 100) == 0)
    #expect(throws: CatalogError.lostPages) { _ = try whole.signature(0) }
    #expect(throws: CatalogError.lostPages) { _ = try other.item(0) }
    #expect(throws: CatalogError.lostPages) { _ = try CatalogVerifier(other).verify() }
    // A file that grows again has the same pages: what was lost stays refused.
    #expect(truncate(path, 1 << 20) == 0)
    #expect(throws: CatalogError.lostPages) { _ = try whole.signature(0) }
  }
}
