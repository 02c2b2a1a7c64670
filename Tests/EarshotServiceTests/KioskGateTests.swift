import EarshotClient
import Foundation
import Testing

@testable import EarshotService

/// One request over TCP, byte for byte, and all of its answer.
enum PageConnection {
  static func exchange(
    port: Int, _ method: String, _ target: String, headers: [String], body: String = ""
  ) -> String {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { return "not connected" }
    let lines = ["\(method) \(target) HTTP/1.1"] + headers + ["Connection: close"]
    let length = body.isEmpty && method == "GET" ? [] : ["Content-Length: \(body.utf8.count)"]
    let request = Array(((lines + length).joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    _ = write(descriptor, request, request.count)
    var answer: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &piece, piece.count)
      guard count > 0 else { break }
      answer += piece[..<count]
    }
    return String(decoding: answer, as: UTF8.self)
  }
}

@Suite("Kiosk's gate", .serialized)
struct KioskGateTests {
  static let configuration = """
    {"controller":{"name":"Museum of Sound","contact":"Front desk"},"kiosk":{"port":0}}
    """

  /// A daemon with a page, and a browser's cookie for it.
  private struct Page {
    let daemon: RunningDaemon
    let port: Int
    var cookie = ""
    var host: String { "127.0.0.1:\(port)" }

    init() throws {
      daemon = try RunningDaemon(configuration: KioskGateTests.configuration)
      port = try Self.port(of: daemon.client.kioskLink().link)
      cookie = try enter()
    }

    static func port(of link: String) throws -> Int { try #require(URL(string: link)?.port) }

    func enter(_ link: String? = nil) throws -> String {
      let path = try #require(URL(string: link ?? daemon.client.kioskLink().link)).path
      let answer = PageConnection.exchange(port: port, "GET", path, headers: ["Host: \(host)"])
      #expect(answer.hasPrefix("HTTP/1.1 303 "))
      let line = try #require(
        answer.components(separatedBy: "\r\n").first { $0.hasPrefix("Set-Cookie: ") })
      #expect(line.contains("HttpOnly") && line.contains("SameSite=Strict"))
      return String(line.dropFirst("Set-Cookie: ".count).prefix { $0 != ";" })
    }

    /// The status of a request that is right but for what is changed.
    func status(
      _ method: String, _ target: String, host: String? = nil, origin: String? = nil,
      site: String? = "same-origin", cookie: String? = nil, type: String = "application/json",
      body: String = "{}"
    ) -> Int? {
      var headers = ["Host: \(host ?? self.host)", "Cookie: \(cookie ?? self.cookie)"]
      headers += method == "GET" ? [] : ["Content-Type: \(type)"]
      if let site { headers.append("Sec-Fetch-Site: \(site)") }
      if let origin = origin ?? (method == "GET" ? nil : "http://\(self.host)"), !origin.isEmpty {
        headers.append("Origin: \(origin)")
      }
      let answer = PageConnection.exchange(
        port: port, method, target, headers: headers, body: method == "GET" ? "" : body)
      return answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
  }

  @Test("O-51: another site, another name, a guessed cookie and a form all get a 4xx and no press")
  func strangers() throws {
    let page = try Page()
    #expect(page.status("POST", "/v1/press") == 200)
    #expect(page.status("GET", "/v1/visit") == 409)
    // The address under a name that was bent to it.
    #expect(page.status("POST", "/v1/press", host: "museum.example:\(page.port)") == 421)
    #expect(page.status("POST", "/v1/press", host: "localhost:\(page.port)") == 421)
    #expect(page.status("GET", "/v1/items", host: "127.0.0.1") == 421)
    // Another origin, which for cookies may well be the same site: ports don't count there.
    #expect(page.status("POST", "/v1/press", origin: "http://127.0.0.1:1") == 403)
    #expect(page.status("POST", "/v1/press", origin: "null") == 403)
    #expect(page.status("POST", "/v1/press", origin: "") == 403)
    #expect(page.status("POST", "/v1/press", site: "same-site") == 403)
    #expect(page.status("GET", "/v1/items", site: "cross-site") == 403)
    #expect(page.status("GET", "/v1/items", site: "none") == 403)
    #expect(page.status("GET", "/v1/items", site: nil) == 403)
    #expect(page.status("GET", "/", site: "cross-site") == 403)
    // No cookie, and one that is not the page's.
    #expect(page.status("POST", "/v1/press", cookie: "") == 401)
    #expect(page.status("GET", "/", cookie: "earshot-page-\(page.port)=0", body: "") == 401)
    #expect(page.status("GET", "/page/main.js", cookie: "") == 401)
    // What a form can send is no JSON.
    #expect(page.status("POST", "/v1/visit", type: "text/plain") == 415)
    #expect(page.status("OPTIONS", "/v1/press") == 405)
  }

  @Test("O-51: a link is good once, and a newer browser turns the one before away")
  func links() throws {
    let page = try Page()
    let link = try page.daemon.client.kioskLink().link
    let newer = try page.enter(link)
    #expect(page.status("POST", "/v1/press") == 401)
    #expect(page.status("POST", "/v1/press", cookie: newer) == 200)
    let path = try #require(URL(string: link)).path
    for again in [path, "/enter/0", "/enter/"] {
      let answer = PageConnection.exchange(
        port: page.port, "GET", again, headers: ["Host: \(page.host)"])
      #expect(answer.hasPrefix("HTTP/1.1 4"), "\(again)")
      #expect(!answer.contains("Set-Cookie"))
    }
  }

  @Test("what is served over TCP is the page's own list: nothing else of the API is there")
  func narrow() throws {
    let page = try Page()
    for path in [
      "/v1/consents", "/v1/ledger", "/v1/ledger/export", "/v1/uses", "/v1/library", "/v1/erase",
      "/v1/kiosk/link", "/v1/catalogs", "/v1/devices", "/v1/status", "/page/../Package.swift",
      "/page/%2e%2e/secret", "/v1",
    ] {
      #expect(page.status("GET", path) == 404, "\(path)")
    }
  }

  @Test("every answer carries the policy: no inline script, no frame, no sniffing, nobody else's")
  func policy() throws {
    let page = try Page()
    for target in ["/", "/page/main.js", "/theme.css", "/v1/kiosk", "/v1/nothing"] {
      let answer = PageConnection.exchange(
        port: page.port, "GET", target,
        headers: [
          "Host: \(page.host)", "Cookie: \(page.cookie)", "Sec-Fetch-Site: same-origin",
        ])
      let head = answer.components(separatedBy: "\r\n\r\n")[0]
      #expect(head.contains("Content-Security-Policy: default-src 'none'; script-src 'self';"))
      #expect(!head.contains("unsafe-inline"))
      for line in [
        "frame-ancestors 'none'", "require-trusted-types-for 'script'",
        "X-Content-Type-Options: nosniff", "Cross-Origin-Resource-Policy: same-origin",
        "Referrer-Policy: no-referrer", "Cache-Control: no-store",
      ] {
        #expect(head.contains(line), "\(target): \(line)")
      }
      #expect(!head.contains("Access-Control-Allow"))
    }
  }

  @Test("B1, B4: a press counts once, within two seconds, and only after a visit has begun")
  func presses() throws {
    let page = try Page()
    let listen = { (press: String) in
      PageConnection.exchange(
        port: page.port, "POST", "/v1/listen",
        headers: [
          "Host: \(page.host)", "Cookie: \(page.cookie)", "Sec-Fetch-Site: same-origin",
          "Origin: http://\(page.host)", "Content-Type: application/json",
          "Accept: text/event-stream",
        ], body: #"{"press":"\#(press)","language":"en"}"#)
    }
    let makePress = { () -> String in
      let answer = PageConnection.exchange(
        port: page.port, "POST", "/v1/press",
        headers: [
          "Host: \(page.host)", "Cookie: \(page.cookie)", "Sec-Fetch-Site: same-origin",
          "Origin: http://\(page.host)",
        ])
      return answer.components(separatedBy: "\"press\":\"").last.map { String($0.prefix(36)) } ?? ""
    }
    #expect(listen("no-press").hasPrefix("HTTP/1.1 422 "))
    #expect(listen(makePress()).hasPrefix("HTTP/1.1 409 "))
    #expect(page.status("POST", "/v1/visit") == 200)
    let press = makePress()
    // Without a catalog it is bound to fail, so nothing is asked and nothing opened.
    #expect(listen(press).contains("no-catalog"))
    #expect(listen(press).hasPrefix("HTTP/1.1 422 "))
    let old = makePress()
    usleep(2_100_000)
    #expect(listen(old).hasPrefix("HTTP/1.1 422 "))
    #expect(try page.daemon.client.uses().isEmpty)
  }

  @Test("of the cookie only the digest is kept, so that the page lives on with a new daemon")
  func keptDigest() throws {
    let page = try Page()
    let kept = try String(
      contentsOfFile: "\(page.daemon.folder)/state/earshot/kiosk-cookie", encoding: .utf8)
    #expect(kept.utf8.count == 64 && !page.cookie.contains(kept))
  }

  @Test("a kiosk is off by default, and one without a controller or with a wrong file is refused")
  func settings() throws {
    let plain = try RunningDaemon()
    #expect(throws: ClientError.self) { try plain.client.kioskLink() }
    for text in [
      #"{"kiosk":{}}"#,
      #"{"controller":{"name":"M","contact":"d"},"kiosk":{"purpose":"none"}}"#,
      #"{"controller":{"name":"M","contact":"d"},"kiosk":{"language":"fr"}}"#,
      #"{"controller":{"name":"M","contact":"d"},"kiosk":{"theme":"/nowhere"}}"#,
    ] {
      let daemon = try RunningDaemon(configuration: text, starts: false)
      let checked = try daemon.runAgain(["--check"])
      #expect(checked.status == 78, "\(text): \(checked.output)")
      daemon.removeFolders()
    }
  }

  @Test(
    "a check tells the faults of theme and explanation together, the button's contrast among them")
  func together() throws {
    let folder = NSTemporaryDirectory() + "kiosk-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (name, text) in [
      ("theme", ##"{"version":1,"background":"#777777","labelColor":"#888888"}"##),
      ("explanation", #"{"version":1,"sentences":["Press."]}"#),
    ] {
      try text.write(toFile: "\(folder)/\(name).json", atomically: true, encoding: .utf8)
    }
    let daemon = try RunningDaemon(
      configuration: """
        {"controller":{"name":"M","contact":"d"},"kiosk":{"theme":"\(folder)/theme.json",
        "explanation":"\(folder)/explanation.json"}}
        """, starts: false)
    let checked = try daemon.runAgain(["--check"])
    #expect(checked.status == 78)
    #expect(checked.output.contains("explanation.json:1: "), "\(checked.output)")
    #expect(
      checked.output.contains("theme.json:1: ") && checked.output.contains("labelColor"),
      "\(checked.output)")
    daemon.removeFolders()
  }
}
