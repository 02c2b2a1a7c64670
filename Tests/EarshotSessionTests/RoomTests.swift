import Testing

@testable import EarshotSession

@Suite("EarshotSession") struct RoomTests {}
