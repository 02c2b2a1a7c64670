extension ConsentRecord {
  /// Whether all the fields of rule C13 are those of the question.
  func covers(_ question: ConsentQuestion, keepsAcrossUpdates: Bool) -> Bool {
    var asked = question.requester
    if keepsAcrossUpdates { asked.executableSHA256 = requester.executableSHA256 }
    return asked == requester && capability == question.capability
      && isAboutText(of: question) && purpose.use == question.purpose.use
      && source == question.source && goal == question.goal
      && limitMilliseconds == question.limitMilliseconds && dataKinds == question.dataKinds
      && retention == question.retention
  }

  /// Whether the shown text is this version's sentence in any of its languages.
  func isAboutText(of question: ConsentQuestion) -> Bool {
    purpose.code == question.purpose.code && purpose.version == question.purpose.version
      && question.purpose.contains(textSHA256: notice.sha256)
  }

  /// Whether two answers were given to one question, the language aside.
  func answersSameQuestion(as other: ConsentRecord) -> Bool {
    requester == other.requester && capability == other.capability && purpose == other.purpose
      && source == other.source && goal == other.goal
      && limitMilliseconds == other.limitMilliseconds && dataKinds == other.dataKinds
      && retention == other.retention
  }
}
