import Foundation
import Testing

@testable import EarshotClient
@testable import EarshotCommand

@Suite("JSON output")
struct JSONTextTests {
  @Test("control characters, quotes and backslashes are escaped")
  func escapes() {
    let text = JSONText.string("a\"b\\c\n\u{1}\u{7F}é").text
    #expect(text == #""a\"b\\c\n\u0001\u007fé""#)
  }

  @Test(
    "numbers are rounded and carry no zeros at their end",
    arguments: [
      (1.0, "1"), (0.5, "0.5"), (1.23456, "1.2346"), (-0.00001, "0"), (12.30, "12.3"),
      (Double.nan, "null"), (Double.infinity, "null"), (1e-9, "0"), (123456.78901, "123456.789"),
    ])
  func numbers(value: Double, expected: String) {
    #expect(JSONText.plain(value, digits: 4) == expected)
  }

  @Test("a query's object has the promised keys in order, on one line")
  func record() throws {
    let record = QueryRecord(
      query: Array("a b.wav".utf8), outcome: .match, heard: 1.5,
      matches: [
        MatchedItem(
          id: "t", title: "T", catalog: "c", offset: 20.123456, speed: nil, confidence: 0.9999999,
          coverage: 0.5, places: [20.1, 40.1])
      ], explanation: nil)
    #expect(
      record.json.text
        == #"{"version":1,"query":"a b.wav","outcome":"match","heard":1.5,"matches":[{"id":"t","#
        + #""title":"T","catalog":"c","offset":20.1235,"speed":null,"confidence":1,"coverage":0.5,"#
        + #""places":[20.1,40.1]}]}"#)
  }

  @Test("a name that is no UTF-8 comes as escapes with its bytes beside, and the JSON is valid")
  func rawQuery() throws {
    let name: [UInt8] = Array("Nue".utf8) + [0xE1]
    let record = QueryRecord(
      query: name, outcome: .noMatch, heard: 1, matches: [], explanation: nil)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(record.json.text.utf8)) as? [String: Any])
    #expect(object["query"] as? String == "Nue\\xe1")
    let raw = try #require(object["queryRaw"] as? String)
    #expect(Data(base64Encoded: raw) == Data(name))
  }

  @Test("a listening's object has no query and says whether it was saved")
  func listening() {
    let result = ListenResult(outcome: .noSignal, heard: 1, use: "u")
    #expect(
      ListenRecord(result).json.text
        == #"{"version":1,"outcome":"no-signal","heard":1,"matches":[],"saved":false,"use":"u"}"#)
  }

  @Test("a message of the API begins with its version")
  func version() {
    #expect(VersionedRecord.text(["a": 1]) == #"{"version":1,"a":1}"#)
    #expect(VersionedRecord.text(DoneMessage(id: "x")).hasPrefix("{"))
    #expect(VersionedRecord.text(DoneMessage(id: "x")).contains(#""version":1"#))
  }
}
