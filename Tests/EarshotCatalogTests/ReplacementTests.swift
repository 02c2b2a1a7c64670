import Foundation
import Synchronization
import TestSupport
import Testing

@testable import EarshotCatalog

@Suite("A catalog that is replaced") struct ReplacementTests {
  private final class Readers: Sendable {
    let isDone = Atomic(false)
    let readCount = Atomic(0)
    let faults = Mutex<[String]>([])

    func note(_ read: () throws -> Bool) {
      do {
        if try !read() { faults.withLock { $0.append("another catalog") } }
      } catch {
        faults.withLock { $0.append("\(error)") }
      }
      readCount.add(1, ordering: .acquiringAndReleasing)
    }
  }

  /// Whether what stands under the name is one of the catalogs that are written.
  private static func isWhole(_ path: [UInt8]) throws -> Bool {
    let catalog = try Catalog(path: path)
    guard let number = UInt64(try catalog.item(0).id) else { return false }
    return try catalog.signature(0) == Catalogs.signature(seed: number, seconds: 300)
      && CatalogVerifier(catalog).verify()
  }

  private static let target = Array("/nowhere/c.earshot".utf8)

  private static func write(_ storage: any Storage, seed: UInt64 = 2) throws {
    var writer = try CatalogWriter(path: target, storage: storage)
    let place = try writer.append(Catalogs.signature(seed: seed, seconds: 1200))
    try writer.append(MediaItem(id: "a", title: "A"), signatureIndex: place)
    try writer.finish()
  }

  private static func newBytes() throws -> [UInt8] {
    let storage = PowerCut(holding: [], at: target)
    try write(storage)
    return try #require(storage.visible[target])
  }

  @Test(
    "O-26: a power cut at any moment leaves the old or the new catalog, whole",
    arguments: [true, false])
  func powerCut(hasUnnamed: Bool) throws {
    let (old, new) = (Array("the old catalog".utf8), try Self.newBytes())
    let storage = PowerCut(holding: old, at: Self.target, hasUnnamed: hasUnnamed)
    try Self.write(storage)
    #expect(storage.outcomes.count > 5)
    for (call, outcomes) in storage.outcomes.enumerated() {
      for names in outcomes {
        let found = names[Self.target]
        #expect(found == old || found == new, "a cut after call \(call + 1) leaves neither")
      }
    }
    // What was acknowledged stays, whatever happens next.
    let last = try #require(storage.outcomes.last)
    #expect(last.allSatisfy { $0 == [Self.target: new] })
  }

  @Test("a disk that fails at any call leaves the old catalog and nothing else, and says so")
  func failing() throws {
    let old = Array("the old catalog".utf8)
    let counted = PowerCut(holding: old, at: Self.target)
    try Self.write(counted)
    for call in 1...counted.callCount {
      for failure in [ENOSPC, EIO] {
        let storage = PowerCut(
          holding: old, at: Self.target, failingCall: call, failure: failure)
        // The last call syncs the folder: then the new one stands, and only isn't promised.
        let isLast = call == counted.callCount
        let error = CatalogError.self
        #expect(
          throws: isLast ? error.notConfirmed(errno: failure) : error.notWritable(errno: failure),
          "call \(call)"
        ) { try Self.write(storage) }
        if call < counted.callCount { #expect(storage.visible == [Self.target: old], "\(call)") }
        #expect(storage.visible.count == 1)
      }
    }
  }

  @Test("readers that open while it is replaced see the old or the new one, whole")
  func readers() throws {
    let folder = try TestFolder()
    let path = folder.file("c.earshot")
    func write(_ number: Int) throws {
      var writer = try CatalogWriter(path: path)
      let signature = Catalogs.signature(seed: UInt64(number), seconds: 300)
      let place = try writer.append(signature)
      try writer.append(MediaItem(id: "\(number)", title: "T"), signatureIndex: place)
      try writer.finish()
    }
    try write(0)
    let readers = Readers()
    let threads = DispatchGroup()
    for _ in 0..<2 {
      threads.enter()
      Thread.detachNewThread {
        while !readers.isDone.load(ordering: .acquiring) {
          readers.note { try Self.isWhole(path) }
        }
        threads.leave()
      }
    }
    var number = 0
    while readers.readCount.load(ordering: .acquiring) < 20 && number < 2000 {
      number += 1
      try write(number)
    }
    readers.isDone.store(true, ordering: .releasing)
    threads.wait()
    #expect(number > 1 && readers.readCount.load(ordering: .acquiring) >= 20)
    #expect(readers.faults.withLock { $0 } == [])
    #expect(folder.names == ["c.earshot"])
  }

  @Test(
    "a full disk leaves the old catalog and no other file",
    .enabled(if: SmallFileSystem.isPossible, "mounting needs root"))
  func fullDisk() throws {
    let disk = try #require(SmallFileSystem(kilobytes: 512))
    let path = Array((disk.path + "/c.earshot").utf8)
    try Catalogs.writeSmall(path)
    let before = try Data(contentsOf: URL(fileURLWithPath: disk.path + "/c.earshot"))
    #expect(throws: CatalogError.notWritable(errno: ENOSPC)) {
      var writer = try CatalogWriter(path: path)
      for seed in 1...20 {
        let place = try writer.append(Catalogs.signature(seed: UInt64(seed), seconds: 600))
        try writer.append(MediaItem(id: "\(seed)", title: "T"), signatureIndex: place)
      }
      try writer.finish()
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: disk.path + "/c.earshot")) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["c.earshot"])
  }
}
