internal import EarshotCatalog
internal import EarshotClient
internal import EarshotSignature
internal import Foundation

/// Faults of catalogs in words: what happened, what it means, what to do next.
enum CatalogText {
  /// A fault of the catalog file at `path`, ready to be shown.
  static func explained(_ error: CatalogError, path: [UInt8]) -> CommandError {
    .explained(
      Explanation(
        reason: reason(error), happened: "\(Shown.bytes(path)): \(describe(error)).",
        means: means(error), next: next(error)),
      error == .cancelled ? .cancelled : .error)
  }

  /// What is wrong, as the rest of a sentence that begins with the file's name.
  static func describe(_ error: CatalogError) -> String {
    switch error {
    case .unreadable(let number): "cannot be opened: \(Report.systemText(number))"
    case .notAFile: "is not a file: a folder, a socket or a device"
    case .notACatalog: "is not a catalog"
    case .unreadableVersion(let found, let newest):
      "is of format \(found), and this build reads format \(newest)"
    case .truncated(let offset, let needed, _):
      "ends early: at byte \(offset) at least \(needed) more belong to it"
    case .trailingBytes(let offset, let count):
      "goes on for \(count) bytes after its end at byte \(offset)"
    case .wrongChecksum(let part, let offset, let byteCount):
      "is damaged: \(byteCount) bytes of \(name(part)) at byte \(offset) are not what was written"
    case .malformed(let part, let offset):
      "is damaged: \(name(part)) holds an impossible number at byte \(offset)"
    case .unknownSection(let kind): "needs section \(kind), which this build does not know"
    case .otherSettings(let found, let expected):
      "was made with analyzer settings \(hexadecimal(found)); this build has "
        + hexadecimal(expected)
    case .damagedItem(let index): "is damaged: item \(index + 1) cannot be read"
    case .damagedSignature(let index, let word):
      "is damaged: signature \(index + 1) is out of order at its word \(word)"
    case .duplicateIdentifier(let index): "would have the identifier of item \(index + 1) twice"
    case .unusableItem(let index, let fault): "item \(index + 1) \(describe(fault))"
    case .tooLarge: "would be larger than a catalog can be"
    case .notWritable(let number): "cannot be written: \(Report.systemText(number))"
    case .notConfirmed(let number):
      "was replaced, but the disk did not confirm it: \(Report.systemText(number))"
    case .cancelled: "was not finished"
    case .beingChanged(let process):
      "is being changed by " + (process.map { "process \($0)" } ?? "another process")
    case .notLockable(let number):
      "cannot be locked against other changes: \(Report.systemText(number))"
    case .lostPages: "has lost a part while it was open: it was shortened, or its disk failed"
    }
  }

  /// What is wrong with an item, as the rest of a sentence.
  static func describe(_ fault: MediaItem.Fault) -> String {
    switch fault {
    case .identifier: "has no identifier, or one of more than 1,024 bytes"
    case .timeRange(let index):
      "has a time range (number \(index + 1)) that does not end after its start"
    case .speedRange: "has speeds that are not in order between 0.25 and 4"
    case .path(let path): "has a path that does not stay beside the catalog: \(Shown.text(path))"
    case .webURL: "has a web address that does not begin with https:// or http://"
    case .tooLarge: "has properties of more than 1 MiB"
    }
  }

  /// Says at once when a catalog that is to be changed lies on a network file system.
  static func warn(ofNetwork path: [UInt8], console: Console) {
    guard let kind = NetworkFolder.kind(of: path) else { return }
    console.note(
      "\(Shown.bytes(path)) lies on a network file system (\(kind)). Searching it is safe. Change it from "
        + "one machine at a time: another may not see this one's lock.")
  }

  private static func means(_ error: CatalogError) -> String {
    switch error {
    case .notWritable, .tooLarge, .beingChanged, .cancelled: "Nothing was changed."
    case .notConfirmed: "The new one is in place. A power cut may still bring the old one back."
    case .notLockable: "Nothing was changed. It can still be searched."
    default: "It is not used."
    }
  }

  private static func next(_ error: CatalogError) -> String {
    switch error {
    case .unreadable(errno: ENODEV):
      "Copy it to a local disk: where it lies, files can't be mapped into memory."
    case .unreadable(errno: ESTALE), .unreadable(errno: EIO):
      "Check the disk or the connection to its server, and try again."
    case .unreadable, .notAFile: "Check the name and who may read it."
    case .notACatalog: "Name a file that 'earshot catalog create' has made."
    case .unreadableVersion(let found, let newest):
      found > newest
        ? "Use the version of earshot that made it, or a newer one."
        : "Create it again from its sound."
    case .truncated, .trailingBytes, .wrongChecksum, .malformed, .damagedItem, .damagedSignature:
      "Restore it from a copy, or create it again."
    case .unknownSection: "Use the version of earshot that made it, or a newer one."
    case .otherSettings: "Create it again with this version of earshot."
    case .duplicateIdentifier, .unusableItem: "Correct the item and run the command again."
    case .tooLarge: "Divide it into several catalogs; they can be searched together."
    case .notWritable(let number): next(notWritable: number)
    case .notConfirmed: "Run 'sync', and look at the disk or the connection to its server."
    case .cancelled: "Run the command again."
    case .beingChanged: "Try again when it is done."
    case .notLockable: "Copy it to a local disk, change the copy, and move it back."
    case .lostPages:
      "Check the disk. To replace a catalog, move the new file over its name; never write into it."
    }
  }

  /// What to do when a catalog could not be written, for each cause.
  private static func next(notWritable number: Int32) -> String {
    switch number {
    case ENOSPC, EDQUOT, EFBIG: "Make room, or choose another place, and try again."
    case EBUSY, ETXTBSY:
      "Another program or machine has the file open. Try again when it is done, or choose another name."
    case EIO, ESTALE, ETIMEDOUT, EHOSTDOWN, ENOTCONN:
      "Check the disk or the connection to its server, and try again."
    case ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG: "Check the name: its folder has to be there."
    default: "Choose a place that you may write to, and try again."
    }
  }

  private static func reason(_ error: CatalogError) -> String {
    switch error {
    case .unreadable: "catalog-unreadable"
    case .notWritable, .notConfirmed: "catalog-not-writable"
    case .cancelled: "cancelled"
    case .beingChanged: "catalog-being-changed"
    case .notLockable: "catalog-not-lockable"
    case .unreadableVersion, .unknownSection: "catalog-version"
    case .otherSettings: "catalog-settings"
    case .notAFile, .notACatalog: "not-a-catalog"
    case .duplicateIdentifier, .unusableItem, .tooLarge: "item"
    default: "catalog-damaged"
    }
  }

  private static func name(_ part: CatalogPart) -> String {
    switch part {
    case .header: "the header"
    case .sectionTable: "the section table"
    case .section(let kind): "section \(kind)"
    case .blockChecksums(let kind): "the checksums of section \(kind)"
    case .padding: "the padding"
    }
  }

  private static func hexadecimal(_ number: UInt64) -> String {
    String(number, radix: 16)
  }
}
