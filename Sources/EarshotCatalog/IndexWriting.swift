internal import EarshotSignature
internal import Glibc

/// Whether a catalog is written with the index that large ones are searched by.
public enum IndexChoice: Sendable, Hashable {
  /// With one where the catalog is large enough to need it.
  case whereNeeded
  /// With one, however small it is.
  case always
  /// Without: smaller to ship. It is built in memory when the catalog is searched.
  case never
}

/// The signatures of a file that is being written, read back from it.
struct WrittenIndexSource: IndexSource {
  let records: [SignatureRecord]
  /// The bytes of PEAK.
  let peaks: RawSpanOwner

  var signatureCount: Int { records.count }

  func frameCount(ofSignature index: Int) -> Int {
    AnalyzerSettings.frameCount(ofSampleCount: records[index].sampleCount)
  }

  func peakCount(ofSignature index: Int) -> Int { records[index].peakCount }

  func withWords(ofSignature index: Int, _ body: (Span<UInt16>) -> Void) throws(CatalogError) {
    let record = records[index]
    let range = record.peakOffset..<(record.peakOffset + 2 * record.wordCount)
    // SAFETY: the writer has put these words there, at an even place of a mapping.
    let words = unsafe UnsafeBufferPointer(
      start: UnsafeRawBufferPointer(rebasing: peaks.bytes[range]).baseAddress?
        .assumingMemoryBound(to: UInt16.self), count: record.wordCount)
    body(unsafe Span(_unsafeElements: words))
  }
}

/// A stretch of a file that is being written, mapped for reading as long as this lives.
@safe final class RawSpanOwner {
  let bytes: UnsafeRawBufferPointer
  private let mapped: UnsafeMutableRawPointer?
  private let mappedByteCount: Int

  /// `offset` is a multiple of the page's size.
  init(descriptor: Int32, offset: Int, byteCount: Int) throws(CatalogError) {
    guard byteCount > 0 else {
      unsafe bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      unsafe mapped = nil
      mappedByteCount = 0
      return
    }
    let found = unsafe mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, off_t(offset))
    guard unsafe found != MAP_FAILED, let found = unsafe found else {
      throw .notWritable(errno: errno)
    }
    unsafe bytes = UnsafeRawBufferPointer(start: found, count: byteCount)
    unsafe mapped = found
    mappedByteCount = byteCount
  }

  deinit {
    if let mapped = unsafe mapped { unsafe munmap(mapped, mappedByteCount) }
  }
}
