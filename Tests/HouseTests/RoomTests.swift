import Testing

@Suite("House") struct RoomTests {}
