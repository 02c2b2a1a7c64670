internal import EarshotConsent

/// The purposes that come with the product, each in its four languages (rules P1-P7).
enum ShippedPurposes {
  /// All that a request may name; `save` stands behind the question to keep a match.
  static let all: [Purpose] = [identify, captions, guide, save]

  static let identify = Purpose(
    code: "identify", version: 1, use: .identify,
    sentences: [
      .english: "The sound is used once to identify what is playing, and is not kept.",
      .russian: "Звук нужен один раз, чтобы узнать, что звучит, и не сохраняется.",
      .simplifiedChinese: "声音仅用于识别正在播放的内容，不会保留。",
      .korean: "소리는 재생 중인 곡을 인식하는 데만 쓰이며 보관되지 않습니다.",
    ])

  static let captions = Purpose(
    code: "captions", version: 1, use: .captions,
    sentences: [
      .english: "The sound is used to show captions in time with what is playing.",
      .russian: "Звук нужен, чтобы показывать субтитры вовремя, и не сохраняется.",
      .simplifiedChinese: "声音用于同步显示字幕，不会保留。",
      .korean: "소리는 자막을 제때 보여 주는 데만 쓰이며 보관되지 않습니다.",
    ])

  static let guide = Purpose(
    code: "guide", version: 1, use: .guide,
    sentences: [
      .english: "The sound is used to show the guide to what is playing here.",
      .russian: "Звук нужен, чтобы показать путеводитель к тому, что звучит.",
      .simplifiedChinese: "声音用于显示与正在播放内容相关的导览。",
      .korean: "소리는 지금 재생되는 것에 맞는 안내를 보여 주는 데 쓰입니다.",
    ])

  static let save = Purpose(
    code: "save", version: 1, use: .save,
    sentences: [
      .english: "The match is saved in the library on this computer until it is removed.",
      .russian: "Находка будет сохранена в библиотеке на этом компьютере до удаления.",
      .simplifiedChinese: "结果将保存在本机的收藏库中，直到被移除。",
      .korean: "결과는 삭제할 때까지 이 컴퓨터의 보관함에 저장됩니다.",
    ])
}
