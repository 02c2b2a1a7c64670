import Testing

@testable import EarshotSignature

@Suite("EarshotSignature") struct RoomTests {}
