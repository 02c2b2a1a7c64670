/// Finds the word that was probably meant.
enum Spelling {
  /// The nearest known word, if it is near enough to be worth naming.
  static func nearest(to typed: String, among known: [String]) -> String? {
    let limit = max(1, min(3, typed.count / 3))
    return known.map { (word: $0, distance: distance(typed, $0)) }
      .filter { $0.distance <= limit || ($0.word.hasPrefix(typed) && typed.count >= 2) }
      .min { $0.distance < $1.distance }?.word
  }

  /// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other.
  static func distance(_ left: String, _ right: String) -> Int {
    let a = Array(left.unicodeScalars)
    let b = Array(right.unicodeScalars)
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for row in a.indices {
      var current = [row + 1]
      for column in b.indices {
        let replacing = last[column] + (a[row] == b[column] ? 0 : 1)
        var best = min(replacing, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, a[row] == b[column - 1], a[row - 1] == b[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      beforeLast = last
      last = current
    }
    return last[b.count]
  }
}
