import Testing

@testable import EarshotCaptions

@Suite("EarshotCaptions") struct RoomTests {}
