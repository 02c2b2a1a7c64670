internal import EarshotConsent

/// What the product says of itself (rule T1), as the daemon that runs would keep it.
///
/// One source for `earshot privacy`, its JSON, the page and README; a test runs a session under
/// strace and compares what it touches with ``files`` and ``sockets`` (rule T2).
struct PrivacyLabel: Encodable, Sendable, Hashable {
  struct Kept: Encodable, Sendable, Hashable {
    var what: String
    var where_: String
    var days: Int?

    enum CodingKeys: String, CodingKey {
      case what, days
      case where_ = "where"
    }
  }

  /// One part of the label in the person's language.
  struct Section: Encodable, Sendable, Hashable {
    var title: String
    var entries: [String]
  }

  /// When the label's facts last changed.
  static let date = "2026-11-30"

  var version = 1
  var product = "Earshot " + DaemonVersion.text
  var date = Self.date
  var language: String
  var sections: [Section]
  var taken: [String]
  var kept: [Kept]
  var linkedToThePerson: [String]
  var leavesTheMachine: [String] = []
  var tracking: [String] = []
  var network: [String]
  /// What this daemon writes: files, and folders with a slash at their end.
  var files: [String]
  /// What this daemon serves on and connects to.
  var sockets: [String]

  init(
    configuration: Configuration, paths: ServicePaths, language: PromptLanguage = .english
  ) {
    self.language = language.rawValue
    let words = PrivacyWords.of(language)
    let english = PrivacyWords.of(.english)
    taken = [english.taken]
    let days = configuration.keepUsesDays
    kept = [
      Kept(what: english.consents, where_: paths.state + "/ledger/", days: nil),
      Kept(what: english.uses, where_: paths.state + "/ledger/", days: days),
      Kept(what: english.matches, where_: paths.state + "/library.sqlite", days: nil),
      Kept(what: english.settings, where_: paths.configuration, days: nil),
    ]
    let isKiosk = configuration.kiosk != nil
    linkedToThePerson = [english.linked] + (isKiosk ? [english.visit] : [])
    network = [english.sockets]
    files = [paths.state + "/", paths.socket]
    sockets = [paths.socket, "the sound server's Unix socket", "the desktop's session bus"]
    let page = configuration.kiosk.map { "127.0.0.1:\($0.port)" }
    if let page {
      network.append(english.page + " (\(page))")
      sockets.append(page)
    }
    sections = [
      Section(title: words.titles[0], entries: [words.taken]),
      Section(
        title: words.titles[1],
        entries: [
          words.consents, words.uses + " (\(words.days(days)))", words.matches, words.settings,
        ]),
      Section(title: words.titles[2], entries: [words.linked] + (isKiosk ? [words.visit] : [])),
      Section(title: words.titles[3], entries: [words.nothing]),
      Section(title: words.titles[4], entries: [words.none]),
      Section(
        title: words.titles[5],
        entries: [words.sockets] + (page.map { [words.page + " (\($0))"] } ?? [])),
    ]
  }

  /// The label as a table for a page of documentation.
  var table: String {
    let rows = sections.map { "| \($0.title) | \($0.entries.joined(separator: "; ")) |" }
    return (["| | |", "| --- | --- |"] + rows).joined(separator: "\n") + "\n"
  }
}

/// The label's words in one language.
struct PrivacyWords: Sendable, Hashable {
  var titles: [String]
  var taken: String
  var consents: String
  var uses: String
  var matches: String
  var settings: String
  var linked: String
  var nothing: String
  var none: String
  var sockets: String
  var page: String
  /// What is linked to a kiosk's visitor (rules K1, K2).
  var visit: String
  /// `%` stands for the number.
  var forDays: String

  func days(_ count: Int) -> String { forDays.replacing("%", with: "\(count)") }

  static func of(_ language: PromptLanguage) -> PrivacyWords {
    switch language {
    case .english:
      PrivacyWords(
        titles: [
          "Taken", "Kept", "Linked to you", "Leaves this machine", "Tracking", "Connections",
        ],
        taken: "sound, for seconds, in memory only, after a recorded consent",
        consents: "records of consents", uses: "records of uses, without titles",
        matches: "matches, only after a consent of their own", settings: "your settings",
        linked: "these records and matches, by your user on this machine", nothing: "nothing",
        none: "none", sockets: "Unix sockets on this machine: its own and the sound server's",
        page: "the kiosk's page, on loopback",
        visit: "a kiosk's visitor only by the visit's random name, and no match after its end",
        forDays: "for % days")
    case .russian:
      PrivacyWords(
        titles: [
          "Берётся", "Хранится", "Связано с вами", "Покидает компьютер", "Слежка", "Соединения",
        ],
        taken: "звук, несколько секунд, только в памяти, после записанного согласия",
        consents: "записи о согласиях", uses: "записи об использовании микрофона, без названий",
        matches: "находки, только после отдельного согласия", settings: "ваши настройки",
        linked: "эти записи и находки, по вашей учётной записи на этом компьютере",
        nothing: "ничего", none: "нет",
        sockets: "сокеты Unix на этом компьютере: собственный и звукового сервера",
        page: "страница киоска, только на этом компьютере",
        visit: "посетитель киоска только по случайному имени посещения, без находок после него",
        forDays: "дней: %")
    case .simplifiedChinese:
      PrivacyWords(
        titles: ["采集", "保留", "与您关联", "离开本机", "跟踪", "连接"],
        taken: "声音，仅数秒，只在内存中，且须有已记录的同意",
        consents: "同意记录", uses: "麦克风使用记录，不含标题", matches: "识别结果，须另行同意",
        settings: "您的设置", linked: "以上记录和结果，按本机上的用户关联", nothing: "无", none: "无",
        sockets: "本机的 Unix 套接字：自身的和声音服务器的", page: "自助终端页面，仅限本机",
        visit: "自助终端访客仅按随机访问名关联，访问结束后不留结果", forDays: "% 天")
    case .korean:
      PrivacyWords(
        titles: ["수집", "보관", "사용자와의 연결", "기기 외부 전송", "추적", "연결"],
        taken: "소리, 몇 초 동안, 메모리에서만, 기록된 동의 후",
        consents: "동의 기록", uses: "마이크 사용 기록, 제목 없음", matches: "결과, 별도의 동의 후에만",
        settings: "사용자 설정", linked: "위 기록과 결과, 이 기기의 사용자 기준", nothing: "없음",
        none: "없음", sockets: "이 기기의 Unix 소켓: 자체 소켓과 사운드 서버 소켓",
        page: "키오스크 페이지, 이 기기 안에서만",
        visit: "키오스크 방문자는 임의의 방문 이름으로만, 방문이 끝나면 결과 없음", forDays: "%일 동안")
    }
  }
}
