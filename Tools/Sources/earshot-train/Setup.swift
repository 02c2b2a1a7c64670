import EarshotCatalog
@_spi(Training) import EarshotMatch
import EarshotSignature
import Foundation
import Synchronization

/// The references as a search space, with the families that the split's table names.
struct Setup: Sendable {
  let space: SearchSpace
  let indexOfID: [String: Int]
  let familyOfIndex: [String]
  let familyOfID: [String: String]

  /// Makes the search space of the split's references; behind them, of the signatures of the catalog `more`
  /// that belong to none of them.
  init(split: String, music: String, cache: String, more: String) throws {
    let tracks = try Corpus.tracks(split: split)
    let references = tracks.filter { $0.role == "reference" }
    let made = Mutex<[Signature?]>(Array(repeating: nil, count: references.count))
    try concurrently(references.count) { index in
      let signature = try SignatureStore.signature(
        of: references[index], music: music, cache: cache)
      made.withLock { $0[index] = signature }
    }
    let families = Dictionary(uniqueKeysWithValues: tracks.map { ($0.id, $0.family) })
    var signatures = made.withLock { $0.compactMap { $0 } }
    var others: [String] = []
    if !more.isEmpty {
      let known = Set(references.map(\.id))
      let catalog = try Catalog(path: more)
      for number in 0..<catalog.itemCount where !known.contains(try catalog.item(number).id) {
        signatures.append(try catalog.signature(catalog.signatureIndex(ofItem: number)))
        // A variation that was grown belongs to its original: another speed may lead back to it.
        let id = try catalog.item(number).id
        let original = id.range(of: "-of-").map { String(id[$0.upperBound...]) }
        others.append(original.flatMap { families[$0] } ?? id)
      }
    }
    space = try SearchSpace(signatures: signatures)
    indexOfID = Dictionary(
      uniqueKeysWithValues: references.enumerated().map { ($1.id, $0) })
    familyOfIndex = references.map(\.family) + others
    familyOfID = families
  }

  /// The references that share sound with a track.
  func family(of id: String) -> Set<Int> {
    guard let family = familyOfID[id] else { return [] }
    return Set(familyOfIndex.indices.filter { familyOfIndex[$0] == family })
  }
}

/// Runs `body` for 0..<count on all processors; the first error is thrown.
func concurrently(_ count: Int, _ body: @Sendable (Int) throws -> Void) throws {
  let failure = Mutex<(any Error)?>(nil)
  DispatchQueue.concurrentPerform(iterations: count) { index in
    do { try body(index) } catch { failure.withLock { $0 = $0 ?? error } }
  }
  if let error = failure.withLock({ $0 }) { throw error }
}

/// Tables as a file of bytes.
enum TableFile {
  static func read(_ path: String) throws -> [Int8] {
    try Data(contentsOf: URL(fileURLWithPath: path)).map { Int8(bitPattern: $0) }
  }

  static func write(_ values: [Int8], to path: String) throws {
    try Data(values.map { UInt8(bitPattern: $0) }).write(to: URL(fileURLWithPath: path))
  }
}

/// Says on standard error how far the work is.
func progress(_ index: Int, of count: Int) {
  if index % 25 == 0 { FileHandle.standardError.write(Data("\(index)/\(count)\n".utf8)) }
}
