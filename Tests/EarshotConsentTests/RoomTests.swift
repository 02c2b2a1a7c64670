import Testing

@testable import EarshotConsent

@Suite("EarshotConsent") struct RoomTests {}
