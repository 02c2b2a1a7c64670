import Testing

@testable import EarshotCommand

@Suite("EarshotCommand") struct RoomTests {}
