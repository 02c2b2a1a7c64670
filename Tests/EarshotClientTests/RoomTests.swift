import Testing

@testable import EarshotClient

@Suite("EarshotClient") struct RoomTests {}
