import Testing

@testable import EarshotStore

@Suite("EarshotStore") struct RoomTests {}
