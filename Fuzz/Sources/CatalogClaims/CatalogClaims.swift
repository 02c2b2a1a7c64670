import EarshotCatalog
@_spi(Training) import EarshotMatch
import EarshotSignature
import Glibc

/// What has to hold for every catalog file, whatever its bytes are.
public enum CatalogClaims {
  /// Opens bytes as a catalog, sealed, and reads all that it holds.
  public static func check(_ input: UnsafeBufferPointer<UInt8>) {
    guard let catalog = open(input) else { return }
    precondition(
      catalog.itemCount <= input.count / 24 && catalog.signatureCount <= input.count / 32)
    for index in 0..<catalog.itemCount {
      guard let item = try? catalog.item(index) else { continue }
      precondition((0..<catalog.signatureCount).contains(catalog.signatureIndex(ofItem: index)))
      if let found = try? catalog.index(ofItem: item.id) { precondition(found < catalog.itemCount) }
    }
    for index in 0..<catalog.signatureCount {
      precondition(catalog.sampleCount(ofSignature: index) <= Signature.sampleCountMax)
      for item in catalog.itemIndices(ofSignature: index) {
        precondition(catalog.signatureIndex(ofItem: item) == index)
      }
      guard let signature = try? catalog.signature(index) else { continue }
      precondition(signature.peakCount == catalog.peakCount(ofSignature: index))
    }
    for passage in catalog.passages {
      precondition(passage.first < passage.second && passage.frameCount > 0)
      for place in [passage.first, passage.second] {
        precondition(
          place.frame + passage.frameCount <= catalog.frameCount(ofSignature: place.signatureIndex))
      }
    }
    for kind in catalog.sectionKinds {
      _ = try? catalog.withSection(kind) { bytes in
        var sum: UInt8 = 0
        for offset in 0..<bytes.byteCount {
          sum &+= bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        }
        return sum
      }
    }
    _ = try? CatalogVerifier(catalog).verify()
  }

  /// Opens bytes as a catalog, sealed, and looks for a sound in it.
  public static func search(_ input: UnsafeBufferPointer<UInt8>) {
    guard let catalog = open(input), let space = try? SearchSpace([catalog]) else { return }
    var matcher = Matcher(space)
    guard let answer = try? matcher.finish(at: query.analyzer) else { return }
    for candidate in answer.candidates {
      precondition(candidate.itemIndex < catalog.itemCount)
      precondition(candidate.offset.isFinite && candidate.evidence.isFinite)
    }
  }

  /// Opens bytes as a catalog, sealed with its index and its outline, and looks for a sound by both.
  public static func searchByIndex(_ input: UnsafeBufferPointer<UInt8>) {
    guard let catalog = open(input, sealsIndex: true), catalog.signatureCount > 0 else { return }
    // One speed: each further one asks the same code, and takes as long again.
    var options = MatchOptions()
    options.speeds = .trueSpeed
    var matcher = Matcher(SearchSpace(indexed: [catalog]), options: options)
    guard let answer = try? matcher.finish(at: query.analyzer) else { return }
    for candidate in answer.candidates {
      precondition(candidate.itemIndex < catalog.itemCount)
      precondition(candidate.offset.isFinite && candidate.evidence.isFinite)
    }
  }

  private static func open(_ input: UnsafeBufferPointer<UInt8>, sealsIndex: Bool = false)
    -> Catalog?
  {
    var bytes = Array(input)
    if sealsIndex {
      Seal.closeIndex(&bytes)
      Seal.closeOutline(&bytes)
    }
    Seal.close(&bytes)
    precondition(file >= 0 && ftruncate(file, 0) == 0, "there is memory")
    precondition(pwrite(file, bytes, bytes.count, 0) == bytes.count, "there is memory")
    return try? Catalog(path: "/proc/self/fd/\(file)")
  }

  /// A file in memory without a name, which holds one input after the other.
  private static let file = Glibc.open(
    "/dev/shm", 0o20000000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)

  /// A second and a half of noise, analysed once.
  private final class Query {
    var analyzer = QueryAnalyzer()

    init() {
      var state: UInt32 = 1
      let samples = (0..<24_000).map { _ -> Float in
        state = state &* 1_664_525 &+ 1_013_904_223
        return Float(Int32(bitPattern: state)) / Float(Int32.max) * 0.3
      }
      analyzer.append(samples.span)
      analyzer.finish()
    }
  }

  // SAFETY: libFuzzer calls from one thread.
  nonisolated(unsafe) private static let query = Query()
}
