internal import EarshotConsent
internal import Foundation
internal import Glibc
internal import Synchronization

/// Who may use the page: one-time links, and the cookie that one of them has become.
///
/// There is one page at a time: a link that is used ends the cookie before it. The cookie's digest,
/// never the cookie, is kept in the state folder, so that a page lives on when the daemon is
/// started anew.
final class KioskAccess: Sendable {
  private struct State {
    /// Links that wait for their use: the digest of each and when it ends.
    var links: [String: Double] = [:]
    var cookieDigest: String?
  }

  private let state: Mutex<State>
  private let file: String
  let port: Int

  /// The cookie's name; it holds the port, because cookies are shared by all ports of a host.
  var cookieName: String { "earshot-page-\(port)" }
  /// The one name that requests may call the page by.
  var host: String { "127.0.0.1:\(port)" }
  var origin: String { "http://\(host)" }

  static let linkSeconds = 120.0
  static let linksMax = 8

  init(port: Int, stateFolder: String) {
    self.port = port
    file = stateFolder + "/kiosk-cookie"
    let kept = try? String(contentsOfFile: file, encoding: .utf8)
    let digest = kept.flatMap { $0.utf8.count == 64 ? $0 : nil }
    state = Mutex(State(cookieDigest: digest))
  }

  /// A new link, for one use within ``linkSeconds``.
  func makeLink() -> String {
    let token = Self.secret()
    let now = Clock.monotonicSeconds()
    state.withLock { state in
      state.links = state.links.filter { $0.value > now }
      while state.links.count >= Self.linksMax,
        let oldest = state.links.min(by: { $0.value < $1.value })
      {
        state.links[oldest.key] = nil
      }
      state.links[Self.digest(token)] = now + Self.linkSeconds
    }
    return "\(origin)/enter/\(token)"
  }

  /// Takes a link's token; the cookie for whoever brought it, nil where it is no link or used up.
  func enter(_ token: String) -> String? {
    let digest = Self.digest(token)
    let cookie = Self.secret()
    let isTaken = state.withLock { state in
      guard let end = state.links.removeValue(forKey: digest), Clock.monotonicSeconds() < end
      else { return false }
      state.cookieDigest = Self.digest(cookie)
      return true
    }
    guard isTaken else { return nil }
    keep(Self.digest(cookie))
    return cookie
  }

  /// Whether a `Cookie` header carries the page's cookie.
  func admits(cookies: String?) -> Bool {
    guard let cookies, let expected = state.withLock({ $0.cookieDigest }) else { return false }
    let name = cookieName + "="
    return cookies.split(separator: ";").contains { part in
      let pair = part.trimmingCharacters(in: .whitespaces)
      // Digests are compared, so that how long it takes tells nothing of the cookie.
      return pair.hasPrefix(name) && Self.digest(String(pair.dropFirst(name.count))) == expected
    }
  }

  private func keep(_ digest: String) {
    // Without the file the page works until the daemon ends, and then takes a new link.
    let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let bytes = Array(digest.utf8)
    _ = unsafe write(descriptor, bytes, bytes.count)
  }

  private static func digest(_ text: String) -> String { Digest.hexadecimal(of: Array(text.utf8)) }

  /// 256 random bits from the kernel, in hexadecimal.
  private static func secret() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let part = String(random.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - part.count) + part
    }.joined()
  }
}
