import EarshotCatalog
import EarshotSignature
import TestSupport
import Testing

@testable import EarshotMatch

@Suite("Telling moments")
struct TellingMomentsTests {
  @Test("the latest moment that tells enough is taken, else the one that tells most")
  func best() {
    // Forty seconds of notes, twenty of nothing with a little in their middle.
    let notes = [UInt8](repeating: 12, count: 160)
    var rest = [UInt8](repeating: 0, count: 80)
    rest[40] = 1
    let moments = TellingMoments(counts: notes + rest)
    let step = 16 / AnalyzerSettings.framesPerSecond
    #expect(moments.best(in: 10...20) == 20)
    #expect(abs(moments.best(in: 30...45) - 158 * step) < 0.01)
    #expect(abs(moments.best(in: 46...54) - 200 * step) < 0.01)
    // Where nothing tells anything there is nothing to be gained by going there sooner.
    #expect(moments.best(in: 55...60) == 60)
    // Beyond the end, before the beginning, and in no sound at all.
    #expect(moments.best(in: 100...110) == 110)
    #expect(moments.best(in: -5...0) == 0)
    #expect(TellingMoments(counts: []).best(in: 1...2) == 2)
  }

  @Test("they are counted on a catalog's peaks: notes tell, what goes on sounding does not")
  func counted() throws {
    let folder = try TemporaryFolder()
    let path = Array(folder.file("one.earshot").utf8)
    var analyzer = ReferenceAnalyzer()
    analyzer.append(SyntheticSound.melody(seconds: 20, seed: 5).span)
    analyzer.append([Float](repeating: 0, count: 16_000 * 20).span)
    var writer = try CatalogWriter(path: path)
    let index = try writer.append(analyzer.finish())
    try writer.append(MediaItem(id: "one", title: "One"), signatureIndex: index)
    try writer.finish()
    let moments = try TellingMoments(ofSignature: 0, in: Catalog(path: path))
    #expect(moments.best(in: 5...15) > 14)
    let beforeSilence = moments.best(in: 12...32)
    #expect(beforeSilence > 17 && beforeSilence < 20.5)
  }
}
