internal import EarshotAudio
internal import EarshotCatalog
internal import EarshotClient
internal import EarshotMatch

/// The words for what stands in the way of a search.
enum SearchText {
  /// No catalog was named and none is in the person's folder.
  static func noCatalog(_ folder: String) -> Explanation {
    Explanation(
      reason: "no-catalog", happened: "No catalog was named, and '\(folder)' holds none.",
      means: "There is nothing to compare the sound with.",
      next: "Name one with --catalog, or make one with 'earshot catalog create'.")
  }

  /// A fault of matching in three parts.
  static func explain(_ error: MatchError, names: [String]) -> Explanation {
    switch error {
    case .emptySearchSpace:
      Explanation(
        reason: "empty-catalog",
        happened: "There is no signature in \(names.joined(separator: ", ")).",
        means: "There is nothing to compare the sound with.",
        next: "Create it from files with sound, or name another catalog.")
    case .searchSpaceTooLarge(let count, let limit):
      Explanation(
        reason: "catalog-too-large",
        happened: "Together the catalogs hold \(count) frames; at most \(limit) are searched.",
        means: "Nothing was searched.", next: "Name fewer or smaller catalogs.")
    case .catalog(let index, let error):
      Explanation(
        reason: "catalog-unreadable",
        happened: "\(index < names.count ? names[index] : "A catalog") "
          + "\(CatalogText.describe(error)).",
        means: "Nothing was searched.", next: "Check it with 'earshot catalog verify'.")
    }
  }

  /// A sound that cannot be read. `name` is as it is shown.
  static func explain(_ error: AudioError, name: String) -> Explanation {
    Explanation(
      reason: reason(error), happened: "\(name) \(SoundFilesText.describe(error)).",
      means: "It was not searched for.", next: next(error))
  }

  private static func reason(_ error: AudioError) -> String {
    switch error {
    case .unreadable: "unreadable"
    case .notAFile: "not-a-file"
    case .emptyFile: "empty-file"
    case .unrecognised: "unrecognised"
    case .needsFFmpeg: "needs-ffmpeg"
    case .needsFile: "needs-file"
    case .noSound: "no-sound"
    case .decoderFailed: "decoder-failed"
    case .decoderStuck: "decoder-stuck"
    case .tooLong: "too-long"
    case .unsupportedFormat: "unsupported-format"
    }
  }

  private static func next(_ error: AudioError) -> String {
    switch error {
    case .unreadable: "Check its name and who may read it."
    case .notAFile, .emptyFile, .noSound: "Name a file with sound."
    case .unrecognised, .decoderFailed: "Check that it is whole, or get another copy."
    case .needsFFmpeg: "Install ffmpeg, or convert the file."
    case .needsFile: "Name the file itself instead of '-'."
    case .decoderStuck: "Check the file, or what writes into the pipe."
    case .tooLong: "Cut it into parts, or use --limit."
    case .unsupportedFormat: "Convert it to a usual form."
    }
  }
}
