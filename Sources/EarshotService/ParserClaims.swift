internal import EarshotClient
internal import EarshotConsent
internal import Foundation

/// What has to hold for every parser of the daemon that takes bytes from outside.
///
/// Each traps where a claim does not hold. The fuzz targets call them with whatever comes to mind, and
/// the tests with what the fuzzers have kept.
public enum ParserClaims {
  /// Reads bytes as the two files of settings.
  public static func settings(_ bytes: [UInt8]) {
    do throws(ServiceError) {
      let settings = try Configuration(parsing: bytes)
      precondition(settings.sources.contains(settings.source), "the default source is listed")
      precondition(settings.limit > 0 && settings.limit <= ServiceLimits.listenSeconds)
      precondition(settings.catalogs.count <= ServiceLimits.catalogs)
      precondition(settings.keepUsesDays >= 1)
    } catch {
      holds(error, bytes)
    }
    do throws(ServiceError) {
      let administrator = try AdministratorFile(parsing: bytes)
      // The administrator can lower the limit, and nobody can raise it (rule L9).
      precondition(administrator.limit <= ServiceLimits.listenSeconds)
      precondition(administrator.agents.allSatisfy { $0.hasPrefix("/") })
      precondition(administrator.agentUnits.allSatisfy { $0.hasSuffix(".service") })
    } catch {
      holds(error, bytes)
    }
  }

  /// Every fault names a line of the file and says something.
  private static func holds(_ error: ServiceError, _ bytes: [UInt8]) {
    guard case .configuration(let faults) = error else { return }
    let lines = bytes.count { $0 == 0x0A } + 1
    precondition(!faults.isEmpty, "a refusal has a reason")
    precondition(faults.allSatisfy { $0.line >= 1 && $0.line <= lines && !$0.text.isEmpty })
    precondition(!error.text.isEmpty)
  }

  /// Reads bytes as a file of purposes, and as an explanation.
  public static func purposes(_ bytes: [UInt8]) {
    let report = FileLint.report(bytes, name: "f")
    precondition(!report.isRefused || !report.lines.isEmpty, "a refusal has a reason")
    guard let list = try? PurposeList(parsing: bytes, programNames: ["Earshot"]) else { return }
    precondition(!report.isRefused, "what is loaded passes the lint")
    for purpose in list.all {
      for language in PromptLanguage.allCases {
        let (text, shown) = purpose.sentence(in: language)
        precondition(!text.isEmpty || purpose.sentences[shown] == nil)
        precondition(text.count <= 120, "a sentence fits two lines (rule P2)")
      }
    }
  }

  /// Reads bytes as a request: a line with method and target, then the body.
  public static func request(_ bytes: [UInt8]) {
    let end = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
    let line = String(decoding: bytes[..<end], as: UTF8.self)
    let body = Array(bytes[min(end + 1, bytes.count)...])
    let path = HTTPFields.parts(of: line)
    if let route = Route(path: path) {
      precondition(path.first == "v1" && path.count <= 4, "an address is bounded")
      precondition(!route.methods.isEmpty)
    }
    _ = HTTPFields.wantsEvents(line)
    _ = PromptLanguage(tag: line)
    check(body, ListenRequest.self)
    check(body, GrantRequest.self)
    check(body, DecisionRequest.self)
    check(body, PromptAnswer.self)
    check(body, LibraryConsentRequest.self)
    check(body, EraseRequest.self)
    check(body, StopRequest.self)
    check(body, CaptionsChange.self)
  }

  /// What is understood can be written, and is the same when it is read again.
  private static func check<Value: Codable & Equatable>(_ body: [UInt8], _ type: Value.Type) {
    guard let value = try? Router.decode(body, contentType: "application/json", as: type) else {
      return
    }
    guard let data = try? HTTPAnswer.encoder.encode(value) else {
      preconditionFailure("what was understood can't be written")
    }
    let again = try? Router.decode(Array(data), contentType: nil, as: type)
    precondition(again == value, "what was written reads as something else")
  }
}
