import Testing

@testable import EarshotLibrary

@Suite("EarshotLibrary") struct RoomTests {}
