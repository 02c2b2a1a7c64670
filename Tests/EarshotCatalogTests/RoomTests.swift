import Testing

@testable import EarshotCatalog

@Suite("EarshotCatalog") struct RoomTests {}
