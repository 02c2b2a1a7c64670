import EarshotLibrary
import Foundation
import TestSupport
import Testing

@Suite("Library") struct MatchLibraryTests {
  let folder: TemporaryFolder
  let library: MatchLibrary
  let person = "uid:1000"

  init() throws {
    folder = try TemporaryFolder()
    library = try MatchLibrary(path: folder.file("library.sqlite"))
  }

  private func item(_ number: Int, isrc: String? = nil) -> SavedItem {
    SavedItem(
      item: "item-\(number)", catalog: "demo", title: "Telling Title \(number)",
      artist: "Telling Artist", isrc: isrc)
  }

  private func saver(_ requester: String = "/usr/bin/earshot", at time: Int64 = 1) -> Saver {
    Saver(requester: requester, consent: "consent-1", savedUTCMilliseconds: time)
  }

  private func holdsTelling() throws -> Bool {
    try folder.allBytes().range(of: Data("Telling".utf8)) != nil
  }

  @Test("S3: shows who saved each match and when, the latest first")
  func list() throws {
    try library.save(item(1), for: person, by: saver(at: 10))
    try library.save(item(2), for: person, by: saver("org.example.Other", at: 20))
    let matches = try library.matches(of: person)
    #expect(matches.map(\.item.title) == ["Telling Title 2", "Telling Title 1"])
    #expect(matches.first?.savers == [saver("org.example.Other", at: 20)])
    #expect(try library.requesters(of: person) == ["/usr/bin/earshot": 1, "org.example.Other": 1])
    #expect(try library.matches(of: "uid:1001").isEmpty)
    #expect(try library.matches(of: person, limit: 1, offset: 1).map(\.item.item) == ["item-1"])
  }

  @Test("S6: the same recording keeps one row and renews its date")
  func same() throws {
    let first = try library.save(item(1), for: person, by: saver(at: 10))
    let second = try library.save(item(1), for: person, by: saver(at: 30))
    #expect(first.id == second.id)
    #expect(second.savers == [saver(at: 30)])
    let coded = try library.save(item(2, isrc: "GBAYE6800011"), for: person, by: saver())
    let again = try library.save(item(3, isrc: "gb-aye-68-00011"), for: person, by: saver())
    #expect(coded.id == again.id)
    #expect(try library.matches(of: person).count == 2)
  }

  @Test("S3: removing what one requester saved leaves what another saved too")
  func perRequester() throws {
    try library.save(item(1), for: person, by: saver("a"))
    try library.save(item(1), for: person, by: saver("b"))
    try library.save(item(2), for: person, by: saver("a"))
    try library.removeAll(savedBy: "a", for: person)
    let matches = try library.matches(of: person)
    #expect(matches.map(\.item.item) == ["item-1"])
    #expect(matches.first?.savers.map(\.requester) == ["b"])
  }

  @Test("S4: after removal no byte of a title is left in any file", arguments: [1, 7, 100])
  func removal(count: Int) throws {
    for number in 0..<count { try library.save(item(number), for: person, by: saver()) }
    #expect(try holdsTelling())
    for match in try library.matches(of: person, limit: count) where match.id.isMultiple(of: 25) {
      try library.remove(match.id, of: person)
      let title = Data("\(match.item.title)\u{0}".dropLast().utf8)
      let left = try library.matches(of: person, limit: count)
      if !left.contains(where: { $0.item.title.hasPrefix(match.item.title) }) {
        #expect(try folder.allBytes().range(of: title) == nil)
      }
    }
    try library.removeAll(of: person)
    #expect(try !holdsTelling())
    #expect(try folder.allBytes().range(of: Data("/usr/bin/earshot".utf8)) == nil)
  }

  @Test("another person's match can't be removed, and an unknown one is told")
  func foreign() throws {
    let match = try library.save(item(1), for: person, by: saver())
    #expect(throws: LibraryError.unknown(id: match.id)) {
      try library.remove(match.id, of: "uid:1001")
    }
    #expect(throws: LibraryError.unknown(id: 99)) { try library.remove(99, of: person) }
    #expect(try library.matches(of: person).count == 1)
  }

  @Test("W6: a property of 4096 bytes is kept and one of 4097 refused")
  func property() throws {
    var item = item(1)
    item.title = String(repeating: "t", count: MatchLibrary.propertyBytesMax)
    try library.save(item, for: person, by: saver())
    item.title += "t"
    #expect(throws: LibraryError.propertyTooLong(limitBytes: 4096)) {
      try library.save(item, for: person, by: saver())
    }
  }

  @Test("W6: a library that is full takes what is there already, and nothing else")
  func full() throws {
    let library = try MatchLibrary(path: folder.file("small.sqlite"), limit: 2)
    for number in 1...2 { try library.save(item(number), for: person, by: saver()) }
    #expect(throws: LibraryError.full(limit: 2)) {
      try library.save(item(3), for: person, by: saver())
    }
    try library.save(item(2), for: person, by: saver(at: 9))
    try library.save(item(3), for: "uid:1001", by: saver())
    #expect(try library.matches(of: person).count == 2)
  }

  @Test("exports all matches as JSON")
  func export() throws {
    try library.save(item(1), for: person, by: saver())
    let json = try library.export(of: person)
    let object = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
    #expect(object?["version"] as? Int == 1)
    #expect((object?["matches"] as? [Any])?.count == 1)
  }
}
