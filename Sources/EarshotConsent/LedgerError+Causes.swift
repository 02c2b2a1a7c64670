internal import EarshotStore

extension LedgerError {
  /// Whether the disk is full; trying again helps once there is room.
  public var isDiskFull: Bool {
    switch self {
    case .store(.full): true
    case .folder(let number), .head(let number): number == 28 || number == 122
    default: false
    }
  }

  /// Whether the state folder can't be written by this process.
  public var isReadOnly: Bool {
    switch self {
    case .store(.readOnly), .store(.cannotOpen): true
    case .folder(let number), .head(let number): number == 30 || number == 13
    default: false
    }
  }
}
