import Testing

@testable import EarshotCapture

@Suite("EarshotCapture") struct RoomTests {}
