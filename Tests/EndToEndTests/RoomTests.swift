import Testing

@Suite("EndToEnd") struct RoomTests {}
