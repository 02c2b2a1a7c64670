internal import CALSA
internal import Glibc

/// What is asked of a source.
struct PCMWish {
  /// In hertz.
  var rate: Int
  var channels: Int
  /// Whether ALSA may change the rate; false takes the device's own.
  var mayResample: Bool
  var periodMicroseconds: UInt32 = 20_000
  /// Long enough that a slow look at the evidence loses no sound.
  var bufferMicroseconds: UInt32 = 2_000_000
}

/// What a source granted.
struct PCMAgreement: Hashable {
  let format: SampleFormat
  let channels: Int
  /// In hertz, as read back.
  let rate: Int
  /// Significant bits of a sample, where the source says so.
  let bits: Int

  /// No source that people speak into has more.
  private static let channelLimit: UInt32 = 64

  /// Sets the parameters on `handle`, from the widest format down.
  static func reach(on handle: OpaquePointer, _ wish: PCMWish) throws(PCMFault) -> PCMAgreement {
    var made: OpaquePointer?
    guard unsafe snd_pcm_hw_params_malloc(&made) >= 0, let parameters = unsafe made else {
      throw PCMFault(code: -ENOMEM)
    }
    defer { unsafe snd_pcm_hw_params_free(parameters) }
    try unsafe check(snd_pcm_hw_params_any(handle, parameters))
    let mayResample: UInt32 = wish.mayResample ? 1 : 0
    try unsafe check(snd_pcm_hw_params_set_rate_resample(handle, parameters, mayResample))
    let access = SND_PCM_ACCESS_RW_INTERLEAVED
    try unsafe check(snd_pcm_hw_params_set_access(handle, parameters, access))
    guard
      let format = SampleFormat.preference.first(where: { format in
        unsafe snd_pcm_hw_params_set_format(handle, parameters, format.alsa) >= 0
      })
    else { throw PCMFault(code: -EINVAL) }

    var least: UInt32 = 1
    var most: UInt32 = 1
    try unsafe check(snd_pcm_hw_params_get_channels_min(parameters, &least))
    try unsafe check(snd_pcm_hw_params_get_channels_max(parameters, &most))
    guard least <= channelLimit else { throw PCMFault(code: -EINVAL) }
    var channels = min(max(UInt32(wish.channels), least), min(most, channelLimit))
    try unsafe check(snd_pcm_hw_params_set_channels_near(handle, parameters, &channels))
    var rate = UInt32(wish.rate)
    try unsafe check(snd_pcm_hw_params_set_rate_near(handle, parameters, &rate, nil))
    // The sizes are wishes: a device that has others works as well.
    var period = wish.periodMicroseconds
    _ = unsafe snd_pcm_hw_params_set_period_time_near(handle, parameters, &period, nil)
    var buffer = wish.bufferMicroseconds
    _ = unsafe snd_pcm_hw_params_set_buffer_time_near(handle, parameters, &buffer, nil)
    try unsafe check(snd_pcm_hw_params(handle, parameters))

    var grantedRate: UInt32 = 0
    try unsafe check(snd_pcm_hw_params_get_rate(parameters, &grantedRate, nil))
    var grantedChannels: UInt32 = 0
    try unsafe check(snd_pcm_hw_params_get_channels(parameters, &grantedChannels))
    guard grantedRate > 0, grantedChannels > 0 else { throw PCMFault(code: -EINVAL) }
    let significant = unsafe Int(snd_pcm_hw_params_get_sbits(parameters))
    return PCMAgreement(
      format: format, channels: Int(grantedChannels), rate: Int(grantedRate),
      bits: significant > 0 ? min(significant, format.bits) : format.bits)
  }

  private static func check(_ status: Int32) throws(PCMFault) {
    if status < 0 { throw PCMFault(code: status) }
  }
}
