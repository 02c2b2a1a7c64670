import EarshotCatalog
import Testing

@testable import EarshotCommand

@Suite("Tables of items") struct ItemTableTests {
  /// The faults of a table, as `line:column cause`.
  private static func faults(_ text: String) -> [String] {
    ItemTable.read(Array(text.utf8)).faults.map {
      "\($0.line):\($0.column) \(ItemTable.describe($0.cause))"
    }
  }

  private static func items(_ text: String) throws -> [MediaItem] {
    let (table, faults) = ItemTable.read(Array(text.utf8))
    try #require(faults.isEmpty, "\(faults)")
    return table.rows.map(\.item)
  }

  @Test(
    "commas, semicolons, tabs and what a spreadsheet names divide values; marks and ends don't matter",
    arguments: [
      "id,title,path\na,\"One, two\",x.wav\nb,B,y.wav\n",
      "id;title;path\na;One, two;x.wav\nb;B;y.wav",
      "\u{FEFF}id;title;path\r\na;\"One, two\";x.wav\r\nb;B;y.wav\r\n",
      "id\ttitle\tpath\ra\tOne, two\tx.wav\rb\tB\ty.wav\r",
      "sep=|\nid|title|path\na|One, two|x.wav\nb|B|y.wav\n",
      "ID,Title,Path\n\n\"a\",\"One, two\",\"x.wav\"\n,,\nb,B,y.wav\n\n",
    ])
  func spellings(text: String) throws {
    let (table, faults) = ItemTable.read(Array(text.utf8))
    #expect(faults.isEmpty, "\(faults)")
    #expect(table.rows.map(\.item.id) == ["a", "b"])
    #expect(table.rows.map(\.item.title) == ["One, two", "B"])
    #expect(table.rows.map { String(decoding: $0.path, as: UTF8.self) } == ["x.wav", "y.wav"])
  }

  @Test("quotes after RFC 4180: doubled quotes, dividers and line ends inside, empty ones")
  func quotes() throws {
    let items = try Self.items(
      "id,title,path,subtitle\r\na,\"say \"\"hi\"\"\r\nthere\",x.wav,\"\"\r\nb,\"\",\"y;z,.wav\",s")
    #expect(items[0].title == "say \"hi\"\r\nthere" && items[0].subtitle == nil)
    #expect(items[1].title.isEmpty && items[1].subtitle == "s")
  }

  @Test("every fault of a CSV table is named by line and column, whatever came before it")
  func faultsCSV() {
    let text = """
      id,titel,path,explicit,timeRanges,webURL,id
      a,A,x.wav,maybe,5-2,https://a.example,
      ,B,y.wav,true,1-2,ftp://b.example,
      a,C,,true,one,https://c.example,
      d,D,z.wav
      e,"E"x,z.wav,true,1-2,,
      é,Ü,ü.wav,yes,,nowhere,
      "f,F,z.wav,true,,,
      g,"G",g.wav,true,7-3,,
      """
    #expect(
      Self.faults(text) == [
        "1:4 there is no property 'titel' (\(ItemProperty.names))", "1:42 'id' comes twice",
        "2:11 expected true or false",
        "2:17 the item has a time range (number 1) that does not end after its start",
        "3:1 'id' is empty",
        "3:19 the item has a web address that does not begin with https:// or http://",
        "4:1 the identifier is that of line 2", "4:5 'path' is empty",
        "4:11 expected times such as 12.5-30 or 1:02:03-1:05:00, with | between them",
        "5:5 the row has 3 values, and the table has 7 columns",
        "6:6 text follows a closing quote",
        "7:16 the item has a web address that does not begin with https:// or http://",
        "8:1 a quoted value has no end",
        "9:18 the item has a time range (number 1) that does not end after its start",
      ])
  }

  @Test("columns that must be there are asked for, and the rest is read all the same")
  func missingColumns() {
    #expect(
      Self.faults("title,explicit\nA,perhaps\n") == [
        "1:1 there is no 'id'", "1:1 there is no 'path'", "2:3 expected true or false",
      ])
  }

  @Test("every fault of a JSON table is named by line and column, up to where the text breaks")
  func faultsJSON() {
    let text = """
      {"items": [
        {"id": "a", "path": "x.wav", "explicit": 1, "genre": "Folk"},
        {"id": "a", "id": "b", "path": "y.wav", "timeRanges": [{"start": 4, "end": 2}]},
        7, {"id": "é", "path": null, "webURL": "nowhere"},
        {"title": "no name"},
        {"id": "d", "path": "z.wav", "captions": {"en" "x.vtt"}},
        {"id": "e", "explicit": 9}
      ]}
      """
    #expect(
      Self.faults(text) == [
        "2:44 expected true or false",
        "2:47 there is no property 'genre' (\(ItemProperty.names))",
        "3:10 the identifier is that of line 2", "3:15 'id' comes twice",
        "3:57 the item has a time range (number 1) that does not end after its start",
        "4:3 expected an object with an item's properties", "4:26 'path' is empty",
        "4:42 the item has a web address that does not begin with https:// or http://",
        "5:3 there is no 'id'", "5:3 there is no 'path'", "6:50 expected a colon",
      ])
  }

  @Test("JSON lists, captions, ranges and null mean what they mean in CSV")
  func spellingsJSON() throws {
    let csv = try Self.items(
      "id,path,genres,captions,timeRanges,speedRange,custom\n"
        + "a,x.wav,Folk | Jazz,en=e.vtt|ru=r.vtt,1:00-90|2:00-130.5,0.98-1.02,\"{\"\"k\"\":[1]}\"\n"
    )
    let json = try Self.items(
      """
      [{"id":"a","path":"x.wav","genres":["Folk","Jazz"],"captions":{"en":"e.vtt","ru":"r.vtt"},
        "timeRanges":[{"start":60,"end":90},{"start":"2:00","end":130.5}],
        "speedRange":{"low":0.98,"high":1.02},"custom":{"k":[1]},"artist":null}]
      """)
    #expect(csv == json)
    #expect(csv[0].timeRanges.map(\.start) == [60, 120])
  }

  @Test("what is no table at all says so")
  func strangers() {
    #expect(Self.faults("") == ["1:1 the table has no items"])
    #expect(Self.faults("[]") == ["1:1 the table has no items"])
    #expect(Self.faults("id,path\n") == ["1:1 the table has no items"])
    #expect(
      Self.faults("{\"items\":7}") == [
        "1:1 expected an array of items, or an object with an array 'items'"
      ])
    let wide: [UInt8] = [0xFF, 0xFE] + "id,path\n".utf8.flatMap { [$0, 0] }
    #expect(ItemTable.read(wide).faults.map(\.cause) == [.isUTF16])
    let latin = Array("id,title,path\na,Caf".utf8) + [0xE9] + Array(",x.wav\n".utf8)
    #expect(
      ItemTable.read(latin).faults == [
        ItemTable.Fault(ItemTable.Place(line: 2, column: 3), .notUTF8)
      ])
  }

  @Test("a file's name may be any bytes, the rest of the table may not")
  func rawPaths() {
    let bytes = Array("id,path\na,Nue".utf8) + [0xE1] + Array(".wav\n".utf8)
    let (table, faults) = ItemTable.read(bytes)
    #expect(faults.isEmpty)
    #expect(table.rows[0].path == Array("Nue".utf8) + [0xE1] + Array(".wav".utf8))
  }

  @Test("a hundred faults are told, and no more; a long table on one line is read in one pass")
  func many() {
    let rows = (0..<1000).map { "i\($0),maybe,x.wav\n" }.joined()
    #expect(Self.faults("id,explicit,path\n" + rows).count == ItemTable.faultCountMax)
    let objects = (0..<20_000).map { "{\"id\":\"i\($0)\",\"path\":\"x.wav\"}" }
    #expect(ItemTable.read(Array(("[" + objects.joined(separator: ",") + "]").utf8)).faults.isEmpty)
  }

  @Test("no bytes end the program", arguments: 1...40 as ClosedRange<UInt64>)
  func anyBytes(seed: UInt64) {
    var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let parts = [
      "id", "path", "title", "timeRanges", ",", ";", "\"", "\n", "\r\n", "[", "]", "{", "}", ":",
      "\\u12", "1-2", "1e9", "null", "\u{FEFF}", "é", "-", "captions", "{\"id\":\"a\",", "[{", "\\",
    ]
    var bytes: [UInt8] = []
    for _ in 0..<200 {
      bytes += next(12) == 0 ? [UInt8(next(256))] : Array(parts[next(parts.count)].utf8)
    }
    for start in ["", "id,path\n", "[{\"id\":"] {
      let read = ItemTable.read(Array(start.utf8) + bytes)
      #expect(read.faults.count <= ItemTable.faultCountMax)
      #expect(read.faults.allSatisfy { $0.line > 0 && $0.column > 0 })
    }
  }
}
