import Testing

@testable import EarshotCapture

@Suite("Sample formats")
struct SampleFormatTests {
  private func convert(_ bytes: [UInt8], _ format: SampleFormat) -> [Float] {
    let count = bytes.count / format.byteCount
    return [Float](unsafeUninitializedCapacity: count) { output, filled in
      bytes.withUnsafeBytes { format.convert($0, into: .init(rebasing: output[0..<count])) }
      filled = count
    }
  }

  @Test("full scale is -1 and 1, whatever the width")
  func fullScale() {
    #expect(convert([0x00, 0x80, 0xFF, 0x7F, 0x00, 0x00], .integer16) == [-1, 32767.0 / 32768, 0])
    #expect(convert([0x00, 0x00, 0x00, 0x80], .integer32) == [-1])
    #expect(convert([0x00, 0x00, 0x80], .packed24) == [-1])
    #expect(convert([0xFF, 0xFF, 0x7F], .packed24) == [8_388_607.0 / 8_388_608])
    // The top byte of 24 bits in 32 carries nothing, whatever stands in it.
    #expect(convert([0x00, 0x00, 0x80, 0x55], .integer24) == [-1])
    #expect(convert([0x00, 0x80, 0xFF], .unsigned8) == [-1, 0, 127.0 / 128])
  }

  @Test("one step of 24 bits is not lost")
  func smallSteps() {
    #expect(convert([0x01, 0x00, 0x00], .packed24) == [1.0 / 8_388_608])
    #expect(convert([0x00, 0x01, 0x00, 0x00], .integer32) == [1.0 / 8_388_608])
  }

  @Test("a float that is no number becomes silence")
  func notNumbers() {
    let nan = withUnsafeBytes(of: Float.nan.bitPattern.littleEndian) { Array($0) }
    let infinite = withUnsafeBytes(of: Float.infinity.bitPattern.littleEndian) { Array($0) }
    let half = withUnsafeBytes(of: Float(0.5).bitPattern.littleEndian) { Array($0) }
    #expect(convert(nan + infinite + half, .float32) == [0, 0, 0.5])
  }
}
