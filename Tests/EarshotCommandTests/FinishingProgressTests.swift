import EarshotCatalog
import Testing

@testable import EarshotCommand

@Suite("The line of what is left to do") struct FinishingProgressTests {
  @Test("says what is worked on, how far it is, and the time left once that can be told")
  func line() {
    #expect(FinishingProgress.line(.index, 0.01, elapsed: 2) == "Building the index: 1 %")
    #expect(
      FinishingProgress.line(.index, 0.25, elapsed: 20) == "Building the index: 25 %, 60.0 s left")
    #expect(
      FinishingProgress.line(.passages, 0.5, elapsed: 150)
        == "Looking for shared passages: 50 %, 2:30 left")
  }
}
