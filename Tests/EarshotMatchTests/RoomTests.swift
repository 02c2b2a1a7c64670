import Testing

@testable import EarshotMatch

@Suite("EarshotMatch") struct RoomTests {}
