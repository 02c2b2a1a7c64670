import Foundation
import Testing

/// What people hand to `catalog create`, and what becomes of it, from outside.
@Suite("What a catalog is made from", .serialized)
struct CatalogInputTests {
  /// A folder with tunes of 6 s, named `1.wav` and so on.
  private static func folder(_ count: Int, seconds: Double = 6) throws -> PersonalFolder {
    let person = try PersonalFolder()
    for seed in 1...count {
      try TuneFile.write(
        TuneFile.samples(seed: UInt64(seed), seconds: seconds), to: person.path + "/\(seed).wav")
    }
    return person
  }

  /// The objects that a command printed, one a line.
  private static func records(_ ended: PersonalFolder.Ended) throws -> [[String: Any]] {
    try ended.output.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }

  @Test("O-08: bad files don't stop a folder; each is named with its cause, and the status is 7")
  func badFiles() throws {
    let person = try Self.folder(2)
    let ended = try person.run(
      """
      mkdir d && cp 1.wav 2.wav d && printf 'not audio' > d/bad.mp3 && : > d/empty.flac
      cp 1.wav d/secret.wav && chmod 000 d/secret.wav && mkdir d/shut && chmod 000 d/shut
      chmod 777 . && cp $(command -v earshot) here && chmod 755 here
      # Even root's files must be out of reach for this one.
      try() { if [ $(id -u) = 0 ]; then setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; else "$@"; fi; }
      try ./here catalog create -o c.earshot --json d; echo "{\\"status\\":$?}"
      try ./here catalog create -o s.earshot --strict d >/dev/null 2>&1; echo "{\\"strict\\":$?}"
      chmod 755 d/shut; ls s.earshot 2>/dev/null
      """)
    let records = try Self.records(ended)
    let failed = records.filter { $0["event"] as? String == "failed" }
    let paths = Set(failed.compactMap { $0["path"] as? String })
    #expect(paths == ["d/bad.mp3", "d/empty.flac", "d/secret.wav", "d/shut"], "\(ended.output)")
    #expect(failed.allSatisfy { ($0["cause"] as? String)?.isEmpty == false })
    #expect(records.filter { $0["event"] as? String == "added" }.count == 2)
    #expect(records.contains { $0["status"] as? Int == 7 })
    #expect(records.contains { $0["strict"] as? Int == 2 })
  }

  @Test("--strict ends with 2 while other files are still being read, and writes nothing")
  func strictEndsEarly() throws {
    let person = try Self.folder(1)
    // Long files are in work on every core when the first one has failed.
    let ended = try person.run(
      """
      : > empty.flac
      for i in 1 2 3; do ffmpeg -nostdin -v error -f lavfi -i anoisesrc=r=16000:d=120:s=$i l$i.wav; done
      for round in 1 2 3; do
        earshot catalog create -j 2 -o s.earshot --strict empty.flac l1.wav l2.wav l3.wav; echo $?; done
      ls s.earshot
      """)
    #expect(ended.output == "2\n2\n2\n", "\(ended.output)\(ended.errors)")
  }

  @Test("O-20: the same sound twice is one item with two names; adding it again changes nothing")
  func sameSound() throws {
    let person = try Self.folder(1)
    let ended = try person.run(
      """
      mkdir d && cp 1.wav d/a.wav && cp 1.wav d/copy.wav && ln d/a.wav d/link.wav
      earshot catalog create -o c.earshot d && cp c.earshot old
      earshot catalog add c.earshot d; echo "add $?"; cmp c.earshot old && echo same
      earshot catalog create -o k.earshot --keep-duplicates d >/dev/null 2>&1
      earshot catalog list c.earshot | wc -l; earshot catalog list k.earshot | wc -l
      """)
    #expect(ended.output.split(separator: "\n") == ["add 0", "same", "1", "3"], "\(ended.output)")
    #expect(ended.errors.contains("d/copy.wav has the same sound as d/a.wav"), "\(ended.errors)")
  }

  @Test("O-20: another coding of a recording is told, and left out when asked; other music isn't")
  func otherCoding() throws {
    let person = try Self.folder(4, seconds: 20)
    let ended = try person.run(
      """
      mkdir d; mv *.wav d; ffmpeg -nostdin -v error -i d/1.wav -c:a libmp3lame d/1.mp3
      ffmpeg -nostdin -v error -i d/2.wav -c:a libopus -b:a 48k d/2.opus
      earshot catalog create -o c.earshot --json d; earshot catalog list c.earshot | wc -l
      earshot catalog create -o o.earshot --drop-copies d 2>/dev/null; earshot catalog list o.earshot | wc -l
      """)
    let lines = ended.output.split(separator: "\n").map(String.init)
    #expect(lines.filter { $0.count == 1 } == ["6", "4"], "\(ended.output)")
    let likely = lines.filter { $0.contains("likely-same") }
    #expect(likely.count == 2, "\(ended.output)")
    #expect(likely.allSatisfy { $0.contains("d/1.") || $0.contains("d/2.") })
  }

  @Test("O-20: what two catalogs have in common is taken once, and told in one line")
  func merged() throws {
    let person = try Self.folder(3, seconds: 3)
    let ended = try person.run(
      """
      earshot catalog create -o a.earshot 1.wav 2.wav 2>/dev/null
      earshot catalog create -o b.earshot 1.wav 2.wav 3.wav 2>/dev/null
      earshot catalog merge -o c.earshot a.earshot b.earshot && earshot catalog list c.earshot
      """)
    #expect(ended.output.split(separator: "\n").count == 3, "\(ended.output)")
    let lines = ended.errors.split(separator: "\n")
    #expect(lines.count == 2 && lines.first == "Already there: 2 sounds of b.earshot.", "\(lines)")
  }

  @Test("O-21: shadow files of macOS are left out and counted in one line")
  func shadowFiles() throws {
    let person = try Self.folder(1)
    let ended = try person.run(
      """
      mkdir -p d/.AppleDouble && cp 1.wav d/a.mp3
      printf '\\000\\005\\026\\007\\000\\002\\000\\000Mac OS X        ' > d/._a.mp3
      cp d/._a.mp3 d/.AppleDouble/a.mp3
      earshot catalog create -o c.earshot d; echo $?
      # Without its telling name it is found out by its content.
      cp d/._a.mp3 d/b.mp3; earshot catalog create -o c.earshot d; echo $?
      """)
    #expect(ended.output == "0\n7\n", "\(ended.output)")
    #expect(ended.errors.contains("Left out: 2 shadow files of macOS."))
    #expect(ended.errors.contains("d/b.mp3 is no sound that can be read"))
  }

  @Test("O-36 to O-38: names of any bytes are added, listed and removed, and never run or fetched")
  func names() throws {
    let person = try Self.folder(7, seconds: 3)
    let ended = try person.run(
      """
      mkdir d; mv 1.wav $'d/Nue\\xe1.wav'; mv 2.wav 'd/A & B [live] 100% $(touch hit) ;'"'"'x.wav'
      mv 3.wav 'd/concat:x|y.wav'; mv 4.wav 'd/http:x.wav'; mv 5.wav d/-n.wav; mv 6.wav d/--help.wav
      mv 7.wav $'d/two\\nlines.wav'
      earshot catalog create -o c.earshot d || exit 9
      earshot catalog list --json c.earshot; ls hit 2>/dev/null && exit 8
      cd d && earshot catalog create -o ../n.earshot -- -n.wav --help.wav
      """)
    #expect(ended.status == 0, "\(ended.errors)")
    let names = try Self.records(ended).compactMap { $0["id"] as? String }
    #expect(names.count == 7)
    for name in names {
      let removed = try person.run("earshot catalog remove c.earshot -- \(Self.quoted(name))")
      #expect(removed.status == 0, "\(name): \(removed.errors)")
    }
    #expect(try person.run("earshot catalog list c.earshot").output.isEmpty)
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\"'\"'") + "'"
  }

  @Test("O-39: standard input is left to the loop that owns it")
  func standardInput() throws {
    let person = try Self.folder(2, seconds: 3)
    let ended = try person.run(
      """
      ffmpeg -nostdin -v error -i 1.wav 1.m4a; ffmpeg -nostdin -v error -i 2.wav 2.m4a
      printf '%s\\n' 1.m4a 2.m4a | while IFS= read -r f; do
        earshot catalog create -o "$f.earshot" "$f" 2>/dev/null; echo "$f"; done
      """)
    #expect(ended.output == "1.m4a\n2.m4a\n", "\(ended.output)\(ended.errors)")
  }

  @Test("O-35: a catalog by another name is told as one, and what a decoder mutters is kept away")
  func misnamed() throws {
    let person = try Self.folder(2, seconds: 30)
    let ended = try person.run(
      """
      earshot catalog create -o a.earshot 1.wav && mv a.earshot backup
      ffmpeg -nostdin -v error -i 2.wav -b:a 128k two.mp3
      head -c 3000 /dev/urandom | dd of=two.mp3 bs=1 seek=150000 conv=notrunc status=none
      earshot catalog create -o c.earshot backup two.mp3
      """)
    #expect(ended.status == 7, "\(ended.errors)")
    #expect(
      ended.errors.contains("backup is a catalog or a signature by its content: give it a name"),
      "\(ended.errors)")
    #expect(ended.errors.contains("two.mp3 is damaged at 9."), "\(ended.errors)")
    #expect(!ended.errors.lowercased().contains("mpeg-header"), "\(ended.errors)")
  }

  @Test("O-42: files without sound are named one by one, and the build goes on")
  func emptyFiles() throws {
    let person = try Self.folder(1)
    let ended = try person.run(
      """
      head -c 44 1.wav > z44.wav; : > z0.wav; : > z0.mp3; head -c 30 1.wav > z30.wav
      earshot catalog create -o c.earshot 1.wav z44.wav z0.wav z0.mp3 z30.wav
      """)
    #expect(ended.status == 7, "\(ended.errors)")
    for name in ["z44.wav", "z0.wav", "z0.mp3", "z30.wav"] {
      #expect(ended.errors.contains("\(name) "), "\(name)")
    }
    #expect(
      ended.errors.contains("1 item,") && ended.errors.contains("could not be used: 4 inputs"))
  }

  @Test("sockets, pipes, links in circles and what is no sound are left out of a folder")
  func oddFolders() throws {
    let person = try Self.folder(1)
    let ended = try person.run(
      """
      mkdir -p d/e/f && mv 1.wav d/e/f && ln -s ../.. d/e/f/up && ln -s d/e/f/up again
      ln -s nowhere d/broken; mkfifo d/pipe.wav; : > d/cover.jpg; ln -s f/1.wav d/e/link.wav
      python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("d/s.wav")'
      timeout 20 earshot catalog create -o c.earshot --json d
      """)
    let records = try Self.records(ended)
    #expect(ended.status == 7, "\(ended.output)")
    #expect(records.filter { $0["event"] as? String == "added" }.count == 1, "\(ended.output)")
    let failed = records.filter { $0["event"] as? String == "failed" }
    #expect(failed.compactMap { $0["path"] as? String } == ["d/broken"], "\(ended.output)")
  }

  @Test("O-25: the memory of a build doesn't grow with the length of a file")
  func memory() throws {
    let person = try PersonalFolder()
    let ended = try person.run(
      """
      for minutes in 1 5; do
        ffmpeg -nostdin -v error -f lavfi -i "sine=f=440:r=8000:d=$((60 * minutes))" $minutes.wav
        earshot catalog create -o c.earshot $minutes.wav >/dev/null 2>&1 & job=$!
        most=0
        while kill -0 $job 2>/dev/null; do
          now=$(awk '/VmHWM/ { print $2 }' /proc/$job/status 2>/dev/null)
          [ "${now:-0}" -gt $most ] && most=$now
        done
        echo $most
      done
      """)
    let peaks = ended.output.split(separator: "\n").compactMap { Double($0) }
    try #require(peaks.count == 2 && peaks[0] > 0, "\(ended.output)\(ended.errors)")
    // Five minutes of sound would be 19 MB, of signature 0.05 MB.
    #expect(peaks[1] < peaks[0] * 1.1 + 3000, "\(peaks) kB")
  }

  @Test("O-31: what is removed is nowhere in the bytes, and what stays keeps its name and bytes")
  func removed() throws {
    let person = try Self.folder(6, seconds: 3)
    let ended = try person.run(
      """
      printf 'id,title,path\\n' > t.csv
      for i in 1 2 3 4 5 6; do printf 'item-%s,Secret Title %s,%s.wav\\n' $i $i $i >> t.csv; done
      earshot catalog create -o c.earshot -i t.csv && earshot signature create -o . 1.wav 6.wav
      earshot catalog remove c.earshot item-1 item-2 item-3 item-4 item-5
      grep -c 'Secret Title [1-5]\\|item-[1-5]' c.earshot; earshot catalog verify c.earshot
      earshot match -c c.earshot --json 1.wav 6.wav
      """)
    let lines = ended.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "0", "\(ended.output)")
    #expect(lines.contains { $0.contains("1.wav") && !$0.contains("\"match\"") }, "\(lines)")
    // The peaks of a removed sound are gone as well: the words of its signature are not there.
    let catalog = try Data(contentsOf: URL(fileURLWithPath: person.path + "/c.earshot"))
    for (name, isThere) in [("1", false), ("6", true)] {
      let file = try Data(contentsOf: URL(fileURLWithPath: person.path + "/\(name).earsig"))
      let peaks = file[4096..<(4096 + 200)]
      #expect((catalog.range(of: peaks) != nil) == isThere, "\(name)")
    }
  }

  @Test("O-10: copies at other sample rates are the same sound at the same place, within 50 ms")
  func otherRates() throws {
    let person = try Self.folder(2, seconds: 24)
    let ended = try person.run(
      """
      ffmpeg -nostdin -v error -i 1.wav -ar 44100 r.wav
      for r in 16000 22050 32000 44100 48000 96000; do sox r.wav -r $r c$r.wav trim 12 8; done
      earshot catalog create -o c.earshot r.wav 2.wav
      earshot match -c c.earshot --json c16000.wav c22050.wav c32000.wav c44100.wav c48000.wav c96000.wav
      """)
    let answers = try Self.records(ended)
    #expect(answers.count == 6, "\(ended.errors)")
    for answer in answers {
      let match = try #require((answer["matches"] as? [[String: Any]])?.first, "\(answer)")
      #expect(match["id"] as? String == "r.wav")
      let offset = try #require(match["offset"] as? Double)
      #expect(abs(offset - 12) < 0.05, "\(answer)")
    }
  }

  @Test("O-68: silence is refused; noise, and a file that is nearly all silent, are told")
  func noise() throws {
    let person = try Self.folder(1, seconds: 20)
    let ended = try person.run(
      """
      ffmpeg -nostdin -v error -f lavfi -i anullsrc=r=48000:cl=mono -t 6 zero.wav
      sox -n -r 48000 -c 1 hiss.wav synth 6 whitenoise vol 0.0007
      sox -n -r 48000 -c 1 other.wav synth 6 whitenoise vol 0.3; sox -n -r 48000 -c 1 loud.wav synth 20 pinknoise vol 0.3
      sox -n -r 16000 -c 1 rest.wav trim 0 300; sox rest.wav 1.wav late.wav
      earshot catalog create -o c.earshot --json zero.wav hiss.wav loud.wav late.wav 1.wav
      earshot match -c c.earshot --json zero.wav hiss.wav other.wav
      """)
    let records = try Self.records(ended)
    func causes(_ event: String) -> [String: String] {
      var causes: [String: String] = [:]
      for record in records where record["event"] as? String == event {
        causes[record["path"] as? String ?? ""] = record["cause"] as? String
      }
      return causes
    }
    #expect(
      causes("failed")["zero.wav"]?.contains("nothing to recognise") == true, "\(ended.output)")
    let warnings = causes("warning")
    #expect(warnings["hiss.wav"]?.contains("so faint") == true, "\(ended.output)")
    #expect(warnings["loud.wav"]?.contains("noise from beginning to end") == true)
    #expect(warnings["late.wav"]?.contains("is silent for 93 % of its length") == true)
    #expect(warnings["1.wav"] == nil)
    let outcomes = records.compactMap { $0["outcome"] as? String }
    #expect(outcomes == ["no-signal", "no-signal", "no-match"], "\(ended.output)")
  }

  @Test(
    "a dry run tells every fault of a table and every missing file with its line, and writes nothing"
  )
  func dryRun() throws {
    let person = try Self.folder(1)
    let ended = try person.run(
      """
      printf 'id;title;path\r\na;A;1.wav\r\nb;B;gone.wav\r\n' > t.csv
      earshot catalog create -o c.earshot -i t.csv --dry-run; echo $?
      earshot catalog create -o c.earshot -i t.csv --dry-run --json | grep failed
      printf 'id,path,explicit\na,1.wav,maybe\na,1.wav,yes\n' > bad.csv
      earshot catalog create -o c.earshot -i bad.csv --dry-run; echo $?
      earshot catalog create -o c.earshot -i bad.csv --json; ls -A | grep earshot$
      """)
    #expect(
      ended.errors.contains("gone.wav (t.csv:3:5) cannot be read: No such file"), "\(ended.errors)")
    #expect(ended.errors.contains("bad.csv:2:9: expected true or false"), "\(ended.errors)")
    #expect(ended.errors.contains("bad.csv:3:1: the identifier is that of line 2"))
    let lines = ended.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "a\t1.wav" && lines.contains("7") && lines.contains("2"), "\(lines)")
    #expect(lines.contains { $0.contains(#""ids":["b"]"#) && $0.contains("t.csv:3:5") }, "\(lines)")
    #expect(
      lines.contains { $0.contains(#""event":"fault""#) && $0.contains(#""line":2,"column":9"#) })
    #expect(!lines.contains("c.earshot"))
  }

  @Test("where the table is silent the file's tags are told, and where it isn't the table counts")
  func tags() throws {
    let person = try Self.folder(1)
    let ended = try person.run(
      """
      ffmpeg -nostdin -v error -i 1.wav -metadata title=Tagged -metadata artist=Someone -metadata album=LP \
        -metadata genre=Folk -c:a libmp3lame 1.mp3
      printf 'id,title,path,album\na,,1.mp3,\nb,Told,1.mp3,Mine\n' > t.csv
      earshot catalog create -o c.earshot -i t.csv && earshot catalog list --json c.earshot
      """)
    let items = try Self.records(ended)
    #expect(items.map { $0["title"] as? String } == ["Tagged", "Told"], "\(ended.errors)")
    #expect(items.map { $0["album"] as? String } == ["LP", "Mine"])
    #expect(items.allSatisfy { $0["artist"] as? String == "Someone" })
    #expect(items.allSatisfy { $0["genres"] as? [String] == ["Folk"] })
  }
}
