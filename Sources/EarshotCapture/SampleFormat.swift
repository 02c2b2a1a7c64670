internal import CALSA

/// A layout of samples as a source delivers it, little-endian and interleaved.
enum SampleFormat: Sendable, Hashable, CaseIterable {
  case float32
  case integer32
  /// 24 bits in the low bytes of 32.
  case integer24
  /// 24 bits in three bytes.
  case packed24
  case integer16
  case unsigned8

  /// The widest first, so that a quiet microphone keeps all the bits it has.
  static let preference: [SampleFormat] = allCases

  /// ALSA's number for the format.
  var alsa: snd_pcm_format_t {
    switch self {
    case .float32: SND_PCM_FORMAT_FLOAT_LE
    case .integer32: SND_PCM_FORMAT_S32_LE
    case .integer24: SND_PCM_FORMAT_S24_LE
    case .packed24: SND_PCM_FORMAT_S24_3LE
    case .integer16: SND_PCM_FORMAT_S16_LE
    case .unsigned8: SND_PCM_FORMAT_U8
    }
  }

  /// Bytes of one sample.
  var byteCount: Int {
    switch self {
    case .float32, .integer32, .integer24: 4
    case .packed24: 3
    case .integer16: 2
    case .unsigned8: 1
    }
  }

  /// Bits that can carry sound.
  var bits: Int {
    switch self {
    case .float32, .integer24, .packed24: 24
    case .integer32: 32
    case .integer16: 16
    case .unsigned8: 8
    }
  }

  /// Writes `output.count` samples as floats with full scale at -1 and 1. A float source's values
  /// that are no numbers become silence.
  func convert(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<Float>) {
    precondition(input.count >= output.count * byteCount, "too few bytes for the samples asked for")
    for index in 0..<output.count {
      unsafe output[index] = value(input, at: index * byteCount)
    }
  }

  private func value(_ input: UnsafeRawBufferPointer, at offset: Int) -> Float {
    switch self {
    case .float32:
      let bits = unsafe input.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      let value = Float(bitPattern: UInt32(littleEndian: bits))
      return value.isFinite ? value : 0
    case .integer32: return Float(unsafe integer(input, offset)) * (1 / 2_147_483_648)
    case .integer24:
      // The top byte carries nothing, and the sign is in the third.
      return Float(unsafe integer(input, offset) << 8) * (1 / 2_147_483_648)
    case .packed24:
      let low = unsafe UInt32(input[offset]) << 8 | UInt32(input[offset + 1]) << 16
      let all = unsafe low | UInt32(input[offset + 2]) << 24
      return Float(Int32(bitPattern: all)) * (1 / 2_147_483_648)
    case .integer16:
      let value = unsafe input.loadUnaligned(fromByteOffset: offset, as: Int16.self)
      return Float(Int16(littleEndian: value)) * (1 / 32_768)
    case .unsigned8: return Float(Int(unsafe input[offset]) - 128) * (1 / 128)
    }
  }

  private func integer(_ input: UnsafeRawBufferPointer, _ offset: Int) -> Int32 {
    let value = unsafe input.loadUnaligned(fromByteOffset: offset, as: Int32.self)
    return Int32(littleEndian: value)
  }
}
