import EarshotCatalog
import EarshotSignature
import Foundation
import Testing

@Suite("The journal of a build") struct SignatureJournalTests {
  private static func key(_ name: String, _ folder: TestFolder) throws -> SignatureJournal.Key {
    try folder.write(Array(name.utf8), name)
    return try #require(SignatureJournal.Key(path: folder.file(name)))
  }

  private static func entry(_ journal: SignatureJournal, _ key: SignatureJournal.Key)
    -> SignatureJournal.Entry?
  {
    journal.place(of: key).flatMap { journal.entry(at: $0) }
  }

  @Test("what was kept comes back after the process has ended, note and all")
  func comesBack() throws {
    let folder = try TestFolder()
    let signature = Catalogs.signature(seed: 1, seconds: 20)
    let (first, second) = (try Self.key("a.wav", folder), try Self.key("b.wav", folder))
    do {
      let journal = try SignatureJournal(besides: folder.file("c.earshot"))
      #expect(journal.foundCount == 0)
      #expect(journal.append(signature, note: [1, 2, 3], key: first) != nil)
    }
    let journal = try SignatureJournal(besides: folder.file("c.earshot"))
    #expect(journal.foundCount == 1)
    #expect(Self.entry(journal, first)?.signature == signature)
    #expect(Self.entry(journal, first)?.note == [1, 2, 3])
    #expect(Self.entry(journal, second) == nil)
  }

  @Test("a file that was changed, or replaced by one of the same size, is another file")
  func changed() throws {
    let folder = try TestFolder()
    let key = try Self.key("a.wav", folder)
    #expect(SignatureJournal.Key(path: folder.file("a.wav")) == key)
    try folder.write(Array("b.wav".utf8), "a.wav")
    #expect(SignatureJournal.Key(path: folder.file("a.wav")) != key)
    #expect(SignatureJournal.Key(path: Array("/dev/null".utf8)) == nil)
    #expect(SignatureJournal.Key(path: folder.file("none")) == nil)
  }

  @Test("cut or damaged anywhere, it gives whole records or none, and takes new ones")
  func torn() throws {
    let folder = try TestFolder()
    let signatures = (1...3).map { Catalogs.signature(seed: $0, seconds: 3) }
    let keys = try ["a", "b", "c"].map { try Self.key($0, folder) }
    let name = SignatureJournal.name(besides: folder.file("c.earshot"))
    do {
      let journal = try SignatureJournal(besides: folder.file("c.earshot"))
      for (signature, key) in zip(signatures, keys) {
        _ = journal.append(signature, note: [7], key: key)
      }
    }
    let path = String(decoding: name, as: UTF8.self)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    var places = Array(stride(from: 0, to: whole.count, by: 37))
    places += [31, 32, 33, 103, 104, whole.count - 1]
    for place in places {
      for isCut in [true, false] {
        var bytes = isCut ? whole.prefix(place) : whole
        if !isCut { bytes[place] ^= 0x10 }
        try bytes.write(to: URL(fileURLWithPath: path))
        let journal = try SignatureJournal(besides: folder.file("c.earshot"))
        var good = 0
        for (signature, key) in zip(signatures, keys) {
          guard let entry = Self.entry(journal, key) else { continue }
          #expect(entry.signature == signature && entry.note == [7], "at \(place)")
          good += 1
        }
        #expect(good < 3, "at \(place), cut \(isCut)")
        #expect(journal.append(signatures[0], note: [], key: keys[0]) != nil)
        #expect(Self.entry(journal, keys[0])?.signature == signatures[0], "at \(place)")
      }
    }
  }

  @Test("O-28: two builds of one catalog are told apart, and the lock ends with its holder")
  func locked() throws {
    let folder = try TestFolder()
    do {
      let journal = try SignatureJournal(besides: folder.file("c.earshot"))
      #expect(throws: CatalogError.beingChanged(process: getpid())) {
        try SignatureJournal(besides: folder.file("c.earshot"))
      }
      let other = try SignatureJournal(unnamedBesides: folder.file("c.earshot"))
      #expect(!other.hasName && journal.hasName)
      let key = try Self.key("a.wav", folder)
      let place = try #require(
        other.append(Catalogs.signature(seed: 1, seconds: 2), note: [], key: key))
      #expect(other.entry(at: place) != nil)
      #expect(journal.place(of: key) == nil)
    }
    // Neither kept anything under a name, so neither leaves anything.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.wav"])
    _ = try SignatureJournal(besides: folder.file("c.earshot"))
  }
}
