internal import Foundation

extension Receipt {
  /// The receipt for a person to read and keep, one fact a line, in the language of the question.
  ///
  /// Names and texts are escaped where they could move or hide others.
  public var text: String {
    let words = ReceiptWords(language: record.notice.language)
    var lines = [
      words.title,
      "",
      line(words.answer, record.isAllowance ? words.allowed : words.denied),
      line(words.time, Self.time(record.event.time.utcMilliseconds)),
      line(words.requester, DisplayName.escaped(record.requester.name)),
      line(words.capability, words.name(of: record.capability)),
      line(words.purpose, DisplayName.escapedText(record.notice.text)),
    ]
    if record.capability == .microphone {
      lines.append(line(words.source, DisplayName.escaped(record.source)))
      lines.append(line(words.limit, "\(Double(record.limitMilliseconds) / 1000) s"))
    }
    if let scope = record.scope { lines.append(line(words.scope, words.name(of: scope))) }
    lines += [
      line(words.controller, "\(record.controller.name), \(record.controller.contact)"),
      line(words.recipients, words.none),
      line(words.withdrawal, record.withdrawal),
      "",
      line("record_id", record.id),
      line("ledger_sequence", "\(sequence)"),
      line("ledger_hash", hash),
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(_ name: String, _ value: String) -> String { "\(name): \(value)" }

  private static func time(_ milliseconds: Int64) -> String {
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    return date.formatted(.iso8601)
  }
}

/// The words of a receipt in the four languages.
private struct ReceiptWords {
  let title, answer, allowed, denied, time, requester, capability, purpose, source, limit: String
  let scope, controller, recipients, none, withdrawal, microphone, library: String
  let once, whileOpen, until, untilRevoked, whileCaptions: String

  func name(of capability: Capability) -> String {
    capability == .microphone ? microphone : library
  }

  func name(of scope: ConsentScope) -> String {
    switch scope {
    case .once: once
    case .whileOpen: whileOpen
    case .whileCaptions: whileCaptions
    case .until(let instant):
      until + " " + Date(timeIntervalSince1970: Double(instant) / 1000).formatted(.iso8601)
    case .untilRevoked: untilRevoked
    }
  }

  init(language: PromptLanguage) {
    let words = Self.words(language)
    (title, answer, allowed, denied, time) = (words[0], words[1], words[2], words[3], words[4])
    (requester, capability, purpose, source) = (words[5], words[6], words[7], words[8])
    (limit, scope, controller, recipients) = (words[9], words[10], words[11], words[12])
    (none, withdrawal, microphone, library) = (words[13], words[14], words[15], words[16])
    (once, whileOpen, until, untilRevoked) = (words[17], words[18], words[19], words[20])
    whileCaptions = words[21]
  }

  private static func words(_ language: PromptLanguage) -> [String] {
    switch language {
    case .english:
      [
        "Consent receipt", "Answer", "allowed", "not allowed", "Time", "Requester", "Capability",
        "Purpose", "Source", "Limit", "Scope", "Responsible", "Recipients", "none", "To change it",
        "microphone", "library", "once", "while open", "until", "until revoked",
        "while captions are on",
      ]
    case .russian:
      [
        "Квитанция о согласии", "Ответ", "разрешено", "не разрешено", "Время", "Программа",
        "Возможность", "Цель", "Источник", "Предел", "Срок", "Ответственный", "Получатели", "нет",
        "Как изменить", "микрофон", "библиотека", "один раз", "до закрытия", "до",
        "до отзыва", "пока включены субтитры",
      ]
    case .simplifiedChinese:
      [
        "同意凭据", "回答", "已允许", "未允许", "时间", "请求程序", "功能", "用途", "音源", "上限", "期限", "负责人",
        "接收方", "无", "更改方式", "麦克风", "资料库", "一次", "打开期间", "直到", "直到撤回",
        "字幕开启期间",
      ]
    case .korean:
      [
        "동의 영수증", "응답", "허용", "허용 안 함", "시각", "요청 프로그램", "기능", "목적", "음원", "한도", "기간",
        "책임자", "수신자", "없음", "변경 방법", "마이크", "보관함", "한 번", "열려 있는 동안", "기한",
        "철회할 때까지", "자막이 켜진 동안",
      ]
    }
  }
}
