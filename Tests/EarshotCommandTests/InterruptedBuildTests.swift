import Foundation
import Testing

/// `catalog create` and `add` that are ended in the middle, from outside.
@Suite("An interrupted build", .serialized)
struct InterruptedBuildTests {
  private static let files = "a.wav b.wav c.wav d.wav"

  /// A folder with three tunes and, in the fourth's place, a pipe that holds the build up.
  private static func folder() throws -> PersonalFolder {
    let person = try PersonalFolder()
    for (index, name) in ["a", "b", "c", "whole"].enumerated() {
      try TuneFile.write(
        TuneFile.samples(seed: UInt64(index + 1), seconds: 6), to: person.path + "/\(name).wav")
    }
    try #require(person.run("mkfifo d.wav").status == 0)
    return person
  }

  /// Runs a command until it waits for the pipe, ends it by a signal, and gives the pipe its sound.
  private static func interrupt(_ command: String, by signal: String, _ person: PersonalFolder)
    throws -> PersonalFolder.Ended
  {
    // With one file at a time the pipe is opened when the three before it are finished. Whoever
    // runs the tests may ignore signals, which a program would keep to.
    try person.run(
      """
      set -m
      env --default-signal=INT,TERM earshot \(command) -j 1 & job=$!
      exec 3>d.wav
      kill -\(signal) $job
      wait $job; status=$?
      exec 3>&-
      rm d.wav; mv whole.wav d.wav
      exit $status
      """)
  }

  private static func opened(in person: PersonalFolder, during body: () throws -> Void) throws
    -> Set<String>
  {
    let watch = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    defer { close(watch) }
    try #require(inotify_add_watch(watch, person.path, UInt32(IN_OPEN)) >= 0)
    try body()
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var names: Set<String> = []
    while case let count = read(watch, &bytes, bytes.count), count > 0 {
      var place = 0
      while place + 16 <= count {
        // Watch, mask, cookie and length of the name come first, four bytes each.
        let length = Int(bytes[place + 12]) | Int(bytes[place + 13]) << 8
        let name = bytes[(place + 16)..<(place + 16 + length)].prefix { $0 != 0 }
        names.insert(String(decoding: name, as: UTF8.self))
        place += 16 + length
      }
    }
    return names
  }

  @Test(
    "O-26: ended by a signal it leaves no catalog, and the same command reads only what is left",
    arguments: [("KILL", 137), ("TERM", 130), ("INT", 130)])
  func resumed(signal: String, status: Int32) throws {
    let person = try Self.folder()
    let ended = try Self.interrupt("catalog create -o c.earshot \(Self.files)", by: signal, person)
    #expect(ended.status == status, "\(ended.errors)")
    if signal != "KILL" { #expect(ended.errors.contains("3 finished files kept")) }
    #expect(!FileManager.default.fileExists(atPath: person.path + "/c.earshot"))

    var again: PersonalFolder.Ended?
    let opened = try Self.opened(in: person) {
      again = try person.run("earshot catalog create -o c.earshot --json \(Self.files)")
    }
    #expect(again?.status == 0, "\(again?.errors ?? "")")
    #expect(again?.output.contains("\"resumed\":3") == true, "\(again?.output ?? "")")
    #expect(opened.contains("d.wav"))
    for name in ["a.wav", "b.wav", "c.wav"] { #expect(!opened.contains(name), "\(name) was read") }

    // The catalog is the one that an undisturbed build makes, and nothing is left beside it.
    let whole = try person.run(
      "earshot catalog create -o w.earshot \(Self.files) && cmp c.earshot w.earshot; ls -A")
    #expect(!whole.output.contains("differ") && !whole.errors.contains("differ"))
    #expect(!whole.output.contains("journal") && !whole.output.contains("partial"))
  }

  @Test("a file that was changed in between is read again")
  func changed() throws {
    let person = try Self.folder()
    _ = try Self.interrupt("catalog create -o c.earshot \(Self.files)", by: "KILL", person)
    try TuneFile.write(TuneFile.samples(seed: 9, seconds: 6), to: person.path + "/b.wav")
    let again = try person.run("earshot catalog create -o c.earshot --json \(Self.files)")
    #expect(again.output.contains("\"resumed\":2"), "\(again.output)")
    let whole = try person.run(
      "earshot catalog create -o w.earshot \(Self.files) && cmp c.earshot w.earshot")
    #expect(whole.status == 0, "\(whole.output)")
  }

  @Test("O-26: 'add' that is killed leaves the catalog as it was, and goes on the next time")
  func added() throws {
    let person = try Self.folder()
    let made = try person.run("earshot catalog create -o c.earshot a.wav && cp c.earshot old")
    try #require(made.status == 0, "\(made.errors)")
    let ended = try Self.interrupt("catalog add c.earshot b.wav c.wav d.wav", by: "KILL", person)
    #expect(ended.status == 137, "\(ended.errors)")
    #expect(try person.run("cmp c.earshot old").status == 0)
    let again = try person.run("earshot catalog add c.earshot --json b.wav c.wav d.wav; ls -A")
    #expect(again.output.contains("\"resumed\":2"), "\(again.output)")
    #expect(again.output.contains("\"items\":4"), "\(again.output)")
    #expect(!again.output.contains("journal"))
  }

  @Test("O-28: a second build of the same catalog is refused, and names the first")
  func second() throws {
    let person = try Self.folder()
    let ended = try person.run(
      """
      earshot catalog create -o c.earshot -j 1 \(Self.files) & job=$!
      exec 3>d.wav
      earshot catalog create -o c.earshot a.wav; echo "status $? of $job"
      kill -KILL $job
      """)
    #expect(ended.output.hasPrefix("status 2"), "\(ended.output)")
    let job = ended.output.split(separator: " ").last?.split(separator: "\n").first ?? ""
    #expect(ended.errors.contains("is being changed by process \(job)"), "\(ended.errors)")
  }
}
