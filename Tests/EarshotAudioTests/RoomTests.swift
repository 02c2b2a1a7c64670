import Testing

@testable import EarshotAudio

@Suite("EarshotAudio") struct RoomTests {}
