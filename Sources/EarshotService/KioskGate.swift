internal import EarshotClient

/// What stands before every request to the loopback page (cases O-50, O-51).
///
/// A TCP connection has no peer credentials, so who asks is told by the cookie alone; what makes a
/// browser send it in another page's name is refused by `Host`, `Origin` and `Sec-Fetch-Site`.
struct KioskGate: Sendable {
  let access: KioskAccess

  /// What goes with every answer, whatever it is.
  static let headers: [(String, String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
        + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    // The page itself never opens the browser's own microphone.
    (
      "Permissions-Policy",
      "microphone=(), camera=(), geolocation=(), display-capture=(), clipboard-read=()"
    ),
  ]

  /// Why a request is turned away; nil where it may pass.
  func refusal(of request: HTTPRequest) -> ProblemDetails? {
    // A name that was bent to this address is another site's origin, whatever the browser thinks.
    guard request.host == access.host else { return .wrongHost }
    if let origin = request.origin, origin != access.origin { return .foreignOrigin }
    let isEntrance = request.path.first == "enter"
    if isEntrance { return request.method == "GET" ? nil : .methodNotAllowed("GET") }
    guard isSameSite(request) else { return .foreignOrigin }
    guard access.admits(cookies: request.cookies) else { return .noCookie }
    return nil
  }

  /// Whether the page itself sent it, or, for the page alone, a person who opened the address.
  private func isSameSite(_ request: HTTPRequest) -> Bool {
    if request.path.isEmpty {
      return request.method == "GET" && ["none", "same-origin"].contains(request.fetchSite)
    }
    guard request.fetchSite == "same-origin" else { return false }
    return request.method == "GET" || request.origin == access.origin
  }
}

extension ProblemDetails {
  static var wrongHost: ProblemDetails {
    ProblemDetails(
      type: "urn:earshot:problem:wrong-host", title: "The page has another name.", status: 421,
      detail: "The request calls this machine by a name that the page does not have. "
        + "Nothing was done. Use the link that earshot kiosk link prints.",
      reason: "wrong-host")
  }

  static var foreignOrigin: ProblemDetails {
    ProblemDetails(
      type: "urn:earshot:problem:foreign-origin", title: "Another page asked.", status: 403,
      detail: "The request does not come from the kiosk's page. Nothing was done. "
        + "Use the link that earshot kiosk link prints.",
      reason: "foreign-origin")
  }

  static var noCookie: ProblemDetails {
    ProblemDetails(
      type: "urn:earshot:problem:no-cookie", title: "The page takes its one-time link.",
      status: 401,
      detail: "This browser has not come in by a link, or a newer link was used elsewhere. "
        + "Nothing was done. Use the link that earshot kiosk link prints.",
      reason: "no-cookie")
  }
}
