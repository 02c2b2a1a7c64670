import EarshotSignature
import Foundation
import TestSupport
import Testing

@testable import EarshotCatalog

/// What may happen to a catalog while it is changed, from outside.
///
/// `Scripts/soak catalogs` runs it with many more rounds.
@Suite("Catalogs under stress", .serialized)
struct CatalogSafetyTests {
  /// How often something is tried again; few times but for a soak.
  private static func rounds(_ few: Int) -> Int {
    ProcessInfo.processInfo.environment["EARSHOT_ROUNDS"].flatMap { Int($0) } ?? few
  }

  private static func folder(_ count: Int, seconds: Double = 4) throws -> PersonalFolder {
    let person = try PersonalFolder()
    for seed in 1...count {
      try TuneFile.write(
        TuneFile.samples(seed: UInt64(seed), seconds: seconds), to: person.path + "/\(seed).wav")
    }
    return person
  }

  @Test("O-26: killed at any moment, the old or the new catalog opens whole, and nothing is left")
  func killed() throws {
    let person = try Self.folder(8)
    let ended = try person.run(
      """
      earshot signature create -o . 1.wav 2.wav 3.wav 4.wav 5.wav 6.wav 7.wav 8.wav >/dev/null || exit 90
      earshot catalog create -o c.earshot 1.earsig >/dev/null || exit 91
      for round in $(seq 1 \(Self.rounds(40))); do
        cp c.earshot before
        earshot catalog add c.earshot $((round % 7 + 2)).earsig >/dev/null 2>&1 & job=$!
        # It is ended at moments all over the time that it takes, and some after its end.
        sleep 0.$(printf %03d $((RANDOM % 150)))
        kill -9 $job 2>/dev/null; wait $job 2>/dev/null
        earshot catalog verify c.earshot >/dev/null || exit 92
        cmp -s c.earshot before || echo changed
        if [ $((round % 10)) = 0 ]; then cp before c.earshot; fi
      done
      earshot catalog add c.earshot 2.earsig >/dev/null 2>&1; ls -A
      """)
    #expect(ended.status == 0, "\(ended.errors)")
    let names = ended.output.split(separator: "\n").filter { $0 != "changed" }
    #expect(!names.contains { $0.contains("partial") || $0.contains("journal") }, "\(names)")
  }

  @Test("O-28: eight additions at once are all there at the end, and so is every removal")
  func writers() throws {
    let person = try Self.folder(9)
    let ended = try person.run(
      """
      earshot catalog create -o first.earshot 9.wav || exit 90
      for round in $(seq 1 \(Self.rounds(1))); do
        cp first.earshot c.earshot
        for i in 1 2 3 4 5 6 7 8; do earshot catalog add c.earshot $i.wav >/dev/null 2>&1 || echo failed $i & done
        wait
        earshot catalog list c.earshot | wc -l
        for i in 1 2 3 4; do earshot catalog remove c.earshot $i.wav >/dev/null 2>&1 || echo failed $i & done
        wait
        earshot catalog list c.earshot | wc -l; earshot catalog verify c.earshot >/dev/null || echo broken
        ls -A | grep -c journal
      done
      """)
    let expected = [[String]](repeating: ["9", "5", "0"], count: Self.rounds(1)).flatMap { $0 }
    #expect(ended.output.split(separator: "\n").map(String.init) == expected, "\(ended.output)")
  }

  @Test("O-25: hundreds of tiny files and one long one, and memory hardly grows with their number")
  func tinyFiles() throws {
    let person = try PersonalFolder()
    let count = Self.rounds(300)
    let ended = try person.run(
      """
      mkdir few many; cat > make.py <<'END'
      import random, struct, sys, math
      random.seed(1)
      for number in range(int(sys.argv[2])):
          hertz = [random.uniform(200, 3000) for _ in range(6)]
          samples = [int(3000 * math.sin(6.2832 * hertz[i // 800 % 6] * i / 8000)) for i in range(4800)]
          body = struct.pack('<4800h', *samples)
          head = b'RIFF' + struct.pack('<I', 36 + len(body)) + b'WAVEfmt ' + struct.pack('<IHHIIHH', 16, 1, 1, 8000, 16000, 2, 16)
          open(f'{sys.argv[1]}/{number}.wav', 'wb').write(head + b'data' + struct.pack('<I', len(body)) + body)
      END
      python3 make.py few 20; python3 make.py many \(count)
      ffmpeg -nostdin -v error -f lavfi -i "anoisesrc=r=8000:d=120" many/long.wav
      for folder in few many; do
        earshot catalog create -j 2 -o $folder.earshot $folder >/dev/null 2>&1 & job=$!
        most=0
        while kill -0 $job 2>/dev/null; do
          now=$(awk '/VmHWM/ { print $2 }' /proc/$job/status 2>/dev/null)
          [ "${now:-0}" -gt $most ] && most=$now
        done
        wait $job; echo $? $most $(earshot catalog list $folder.earshot | wc -l)
      done
      """)
    let lines = ended.output.split(separator: "\n").map {
      $0.split(separator: " ").compactMap { Double($0) }
    }
    try #require(
      lines.count == 2 && lines.allSatisfy { $0.count == 3 }, "\(ended.output)\(ended.errors)")
    #expect(lines[0][0] == 0 && lines[1][0] == 0)
    #expect(lines[0][2] == 20 && lines[1][2] == Double(count + 1), "\(lines)")
    // A sound takes about 3 kB besides what it is worked on in, and the signature of 2 min 20 kB.
    #expect(lines[1][1] < lines[0][1] * 1.1 + 4000 + 8 * Double(count), "\(lines) kB")
  }

  @Test(
    "a full disk is told with what to do, the old catalog stays, and room is enough to go on",
    .enabled(if: SmallFileSystem.isPossible, "mounting needs root"))
  func fullDisk() throws {
    let person = try Self.folder(4, seconds: 6)
    let disk = try #require(SmallFileSystem(kilobytes: 64))
    let place = disk.path + "/c.earshot"
    let made = try person.run("earshot catalog create -o \(place) 1.wav && cp \(place) old")
    try #require(made.status == 0, "\(made.errors)")
    disk.fill()
    let full = try person.run("earshot catalog add \(place) 2.wav 3.wav; echo $?; cmp \(place) old")
    #expect(full.output == "2\n", "\(full.output)")
    #expect(full.errors.contains("No space left on device") && full.errors.contains("Make room"))
    disk.empty()
    let room = try person.run("earshot catalog add \(place) 2.wav 3.wav && ls -A \(disk.path)")
    #expect(room.status == 0 && room.output == "c.earshot\n", "\(room.output)\(room.errors)")
  }

  @Test("O-30: a catalog of other settings is refused before anything is written, with both")
  func otherSettings() throws {
    let person = try Self.folder(2)
    let made = try person.run(
      "earshot catalog create -o a.earshot 1.wav && earshot catalog create -o b.earshot 2.wav && cp a.earshot old"
    )
    try #require(made.status == 0, "\(made.errors)")
    // The digest of the settings stands at byte 24; the header's checksum covers it.
    var bytes = try Data(contentsOf: URL(fileURLWithPath: person.path + "/b.earshot"))
    bytes[24] ^= 1
    var checksum: [UInt8] = []
    checksum.append(littleEndian: Checksum.of(bytes[0..<56]))
    bytes.replaceSubrange(56..<64, with: checksum)
    try bytes.write(to: URL(fileURLWithPath: person.path + "/b.earshot"))
    let merged = try person.run("earshot catalog merge -o a.earshot a.earshot b.earshot")
    #expect(merged.status == 2, "\(merged.errors)")
    let digests = [AnalyzerSettings.digest, AnalyzerSettings.digest ^ 1]
    for digest in digests { #expect(merged.errors.contains(String(digest, radix: 16))) }
    #expect(try person.run("cmp a.earshot old").status == 0)
  }

  @Test("O-27: who holds a locked catalog is told, and searching it goes on meanwhile")
  func lockedByAnother() throws {
    let person = try Self.folder(1)
    let ended = try person.run(
      """
      earshot catalog create -o c.earshot 1.wav || exit 90
      exec 9<c.earshot; flock -x 9
      (earshot catalog remove c.earshot 1.wav; echo "remove $?") 9<&- & waiting=$!
      sleep 2; earshot match -c c.earshot 1.wav 9<&- >/dev/null && echo "match $?"
      exec 9<&-; wait $waiting
      """)
    #expect(ended.output == "match 0\nremove 0\n", "\(ended.output)\(ended.errors)")
    #expect(ended.errors.contains("c.earshot is being changed by process "), "\(ended.errors)")
    #expect(ended.errors.contains("waiting up to 30 s"))
  }
}
