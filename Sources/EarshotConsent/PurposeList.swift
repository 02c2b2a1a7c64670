internal import Foundation

/// The ways a file of purposes can be wrong.
public enum PurposeError: Error, Sendable, Hashable {
  /// The file is larger than `limitBytes`, or holds more than `purposesMax` purposes.
  case tooLarge(limitBytes: Int, purposesMax: Int)
  /// The bytes aren't JSON of the expected form; `place` is the path of keys that it fails at.
  case malformed(place: String)
  /// The file's version is newer than this build.
  case unreadableVersion(found: Int, newest: Int)
  /// Sentences break rules; each finding names rule and word.
  case refused([PurposeFinding])
}

/// The purposes that requests may name: the shipped ones, and those of a configured file.
public struct PurposeList: Sendable, Hashable {
  /// The most bytes of a file of purposes.
  public static let bytesMax = 256 * 1024
  /// The most purposes of one file.
  public static let purposesMax = 100

  private var byCode: [String: Purpose]

  /// All purposes, by code.
  public var all: [Purpose] { byCode.values.sorted { $0.code < $1.code } }

  /// The purpose of a code, or nil.
  public func purpose(_ code: String) -> Purpose? { byCode[code] }

  /// The purposes that the product ships.
  public static let shipped: PurposeList = {
    do throws(PurposeError) {
      return try PurposeList(parsing: PackageResources.purposes_json)
    } catch {
      preconditionFailure("the shipped purposes are broken")
    }
  }()

  /// Reads a file's bytes and refuses them when a sentence breaks a rule.
  public init(parsing bytes: [UInt8], programNames: [String] = []) throws(PurposeError) {
    let purposes = try Self.purposes(in: bytes)
    let fatal = Self.findings(purposes, programNames: programNames).filter(\.isFatal)
    guard fatal.isEmpty else { throw .refused(fatal) }
    byCode = Dictionary(purposes.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// These purposes with another list's added; where both have a code, the other's holds.
  public func adding(_ other: PurposeList) -> PurposeList {
    var list = self
    list.byCode.merge(other.byCode) { _, theirs in theirs }
    return list
  }

  /// All findings in a file's bytes, those that only report missing translations included.
  public static func lint(_ bytes: [UInt8], programNames: [String] = []) throws(PurposeError)
    -> [PurposeFinding]
  {
    findings(try purposes(in: bytes), programNames: programNames)
  }

  private static func findings(_ purposes: [Purpose], programNames: [String]) -> [PurposeFinding] {
    var findings = purposes.flatMap { PurposeLint.findings($0, programNames: programNames) }
    var seen = Set<String>()
    for purpose in purposes where !seen.insert(purpose.code).inserted {
      findings.append(
        PurposeFinding(code: purpose.code, language: nil, rule: .code, word: purpose.code))
    }
    return findings
  }

  private struct File: Decodable {
    var version: Int
    var purposes: [Purpose]
  }

  private static func purposes(in bytes: [UInt8]) throws(PurposeError) -> [Purpose] {
    guard bytes.count <= bytesMax else {
      throw .tooLarge(limitBytes: bytesMax, purposesMax: purposesMax)
    }
    let file: File
    do {
      file = try JSONDecoder().decode(File.self, from: Data(bytes))
    } catch {
      throw .malformed(place: place(of: error))
    }
    guard file.version == 1 else { throw .unreadableVersion(found: file.version, newest: 1) }
    guard file.purposes.count <= purposesMax else {
      throw .tooLarge(limitBytes: bytesMax, purposesMax: purposesMax)
    }
    return file.purposes
  }

  static func place(of error: any Error) -> String {
    guard let error = error as? DecodingError else { return "" }
    let context: DecodingError.Context? =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .keyNotFound(_, let context), .dataCorrupted(let context):
        context
      @unknown default: nil
      }
    return (context?.codingPath ?? [])
      .map { key in key.intValue.map { "\($0)" } ?? key.stringValue }.joined(separator: ".")
  }
}
