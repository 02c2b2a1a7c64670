import Testing

@testable import EarshotCommand

@Suite("Captions status line") struct CaptionsStatusLineTests {
  private let line = CaptionsStatusLine(
    title: "A Film With a Long Title", chapter: "The Beginning", place: "00:12:30", rate: "×24/25",
    uncertainty: "±18 ms", shift: "shift -0.1 s", keys: "← → shift  f find  q end")

  @Test("shows all of it where there is room")
  func whole() {
    #expect(
      line.text(columns: 140)
        == " A Film With a Long Title  ·  The Beginning  ·  00:12:30  ·  ×24/25  ·  ±18 ms  ·  "
        + "shift -0.1 s  ·  ← → shift  f find  q end")
  }

  @Test("keeps the keys in view at every width that holds them", arguments: 44..<140)
  func keys(columns: Int) {
    let text = line.text(columns: columns)
    #expect(text.hasSuffix("shift -0.1 s  ·  ← → shift  f find  q end"))
    #expect(Cells.width(of: text) <= columns)
  }

  @Test("shortens the names before it leaves out the place")
  func order() {
    #expect(
      line.text(columns: 80)
        == " A Film W…  ·  00:12:30  ·  ×24/25  ·  shift -0.1 s  ·  ← → shift  f find  q end")
  }
}
