import Testing

@testable import EarshotService

@Suite("EarshotService") struct RoomTests {}
