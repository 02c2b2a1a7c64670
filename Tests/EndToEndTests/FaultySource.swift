import Foundation

/// An ALSA plugin of the test's own: a source that fails on cue, where no sound card can be broken.
///
/// It goes through ALSA's real plugin interface, so that the room meets the codes and the states that
/// a card gives: busy, forbidden, unplugged, suspended, overrun. It delivers a 1 kHz tone at half of
/// full scale, in real time.
enum FaultySource {
  /// ALSA's configuration for a plugin made in `folder`.
  static func definitions(folder: String, names: [(name: String, settings: String)]) -> String {
    (["pcm_type.earshotfault { lib \"\(folder)/earshotfault.so\" }"]
      + names.map {
        "pcm.\($0.name) { type earshotfault counter \"\(folder)/counter\" \($0.settings) }"
      })
      .joined(separator: "\n")
  }

  /// Compiles the plugin; the toolchain's own compiler is there wherever the tests can be built.
  static func make(in folder: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try source.write(toFile: "\(folder)/earshotfault.c", atomically: true, encoding: .utf8)
    let compiler = try Child(
      [
        "clang", "-shared", "-fPIC", "-O1", "-DPIC", "-o", "\(folder)/earshotfault.so",
        "\(folder)/earshotfault.c", "-lasound", "-lm",
      ], environment: ProcessInfo.processInfo.environment, isQuiet: false)
    let status = compiler.waitForEnd()
    guard status == 0 else { throw VirtualMicrophone.Fault.command("clang", status: status) }
  }

  private static let source = #"""
    #include <alsa/asoundlib.h>
    #include <alsa/pcm_external.h>
    #include <math.h>
    #include <sys/timerfd.h>
    #include <time.h>
    #include <unistd.h>

    struct source {
      snd_pcm_ioplug_t io;
      char kind[32];
      long rate, after;
      long long started, taken;
      int running, has_failed, starts_needed;
    };

    static long long now(void) {
      struct timespec t;
      clock_gettime(CLOCK_MONOTONIC, &t);
      return t.tv_sec * 1000000000LL + t.tv_nsec;
    }

    static int start(snd_pcm_ioplug_t *io) {
      struct source *s = io->private_data;
      s->started = now();
      s->taken = 0;
      s->running = 1;
      return 0;
    }
    static int stop(snd_pcm_ioplug_t *io) {
      ((struct source *)io->private_data)->running = 0;
      return 0;
    }
    static int prepare(snd_pcm_ioplug_t *io) {
      ((struct source *)io->private_data)->running = 0;
      return 0;
    }

    static snd_pcm_sframes_t pointer(snd_pcm_ioplug_t *io) {
      struct source *s = io->private_data;
      if (!s->running) return 0;
      const long long ns = now() - s->started;
      if (!strcmp(s->kind, "silent")) return 0;
      if (!s->has_failed && ns > s->after * 1000000LL) {
        if (!strcmp(s->kind, "overrun")) { s->has_failed = 1; return -EPIPE; }
        if (!strcmp(s->kind, "overruns")) return -EPIPE;
        if (!strcmp(s->kind, "unplug")) snd_pcm_ioplug_set_state(io, SND_PCM_STATE_DISCONNECTED);
        if (!strcmp(s->kind, "suspend")) snd_pcm_ioplug_set_state(io, SND_PCM_STATE_SUSPENDED);
      }
      return (snd_pcm_sframes_t)((ns * (long long)io->rate / 1000000000LL) % io->buffer_size);
    }

    static snd_pcm_sframes_t transfer(
        snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset,
        snd_pcm_uframes_t size) {
      struct source *s = io->private_data;
      for (snd_pcm_uframes_t f = 0; f < size; f++) {
        const double v = 0.5 * sin(6.283185307179586 * 1000 * (double)(s->taken + f) / io->rate);
        for (unsigned c = 0; c < io->channels; c++) {
          unsigned char *p = (unsigned char *)areas[c].addr
            + (areas[c].first + areas[c].step * (offset + f)) / 8;
          const int bits = snd_pcm_format_width(io->format);
          const long whole = lrint(v * (double)(1LL << (bits - 1)));
          for (int b = 0; b < snd_pcm_format_physical_width(io->format) / 8; b++)
            p[b] = (unsigned char)(whole >> (8 * b));
          if (io->format == SND_PCM_FORMAT_U8) p[0] = (unsigned char)(whole + 128);
        }
      }
      s->taken += size;
      return size;
    }

    static int revents(snd_pcm_ioplug_t *io, struct pollfd *fds, unsigned n, unsigned short *out) {
      unsigned long long ticks;
      if (read(fds[0].fd, &ticks, sizeof ticks) < 0) {}
      *out = POLLIN;
      return 0;
    }
    static int shut(snd_pcm_ioplug_t *io) {
      struct source *s = io->private_data;
      close(io->poll_fd);
      free(s);
      return 0;
    }

    static const snd_pcm_ioplug_callback_t calls = {
      .start = start, .stop = stop, .prepare = prepare, .pointer = pointer, .transfer = transfer,
      .poll_revents = revents, .close = shut,
    };

    SND_PCM_PLUGIN_DEFINE_FUNC(earshotfault) {
      const char *kind = "tone", *counter = NULL, *format = "S16_LE";
      long rate = 48000, after = 300, count = 0, channels = 1;
      snd_config_iterator_t i, next;
      snd_config_for_each(i, next, conf) {
        snd_config_t *n = snd_config_iterator_entry(i);
        const char *id;
        if (snd_config_get_id(n, &id) < 0) continue;
        if (!strcmp(id, "kind")) snd_config_get_string(n, &kind);
        if (!strcmp(id, "counter")) snd_config_get_string(n, &counter);
        if (!strcmp(id, "format")) snd_config_get_string(n, &format);
        if (!strcmp(id, "rate")) snd_config_get_integer(n, &rate);
        if (!strcmp(id, "after")) snd_config_get_integer(n, &after);
        if (!strcmp(id, "count")) snd_config_get_integer(n, &count);
        if (!strcmp(id, "channels")) snd_config_get_integer(n, &channels);
      }
      if (!strcmp(kind, "forbidden")) return -EACCES;
      if (!strcmp(kind, "busy")) {
        long tries = 0;
        FILE *f = fopen(counter, "r");
        if (f) { if (fscanf(f, "%ld", &tries) != 1) tries = 0; fclose(f); }
        f = fopen(counter, "w");
        if (f) { fprintf(f, "%ld\n", tries + 1); fclose(f); }
        if (tries < count) return -EBUSY;
      }
      struct source *s = calloc(1, sizeof *s);
      snprintf(s->kind, sizeof s->kind, "%s", kind);
      s->after = after;
      s->io.version = SND_PCM_IOPLUG_VERSION;
      s->io.name = "A source that fails on cue";
      s->io.callback = &calls;
      s->io.private_data = s;
      s->io.poll_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
      const struct itimerspec beat = {{0, 10000000}, {0, 10000000}};
      timerfd_settime(s->io.poll_fd, 0, &beat, NULL);
      s->io.poll_events = POLLIN;
      int fault = snd_pcm_ioplug_create(&s->io, name, stream, mode);
      if (fault < 0) { free(s); return fault; }
      const unsigned accesses[] = {SND_PCM_ACCESS_RW_INTERLEAVED};
      const unsigned formats[] = {snd_pcm_format_value(format)};
      snd_pcm_ioplug_set_param_list(&s->io, SND_PCM_IOPLUG_HW_ACCESS, 1, accesses);
      snd_pcm_ioplug_set_param_list(&s->io, SND_PCM_IOPLUG_HW_FORMAT, 1, formats);
      snd_pcm_ioplug_set_param_minmax(&s->io, SND_PCM_IOPLUG_HW_RATE, rate, rate);
      snd_pcm_ioplug_set_param_minmax(&s->io, SND_PCM_IOPLUG_HW_CHANNELS, channels, channels);
      snd_pcm_ioplug_set_param_minmax(&s->io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 64, 1 << 20);
      snd_pcm_ioplug_set_param_minmax(&s->io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 256, 1 << 22);
      *pcmp = s->io.pcm;
      return 0;
    }
    SND_PCM_PLUGIN_SYMBOL(earshotfault);

    """#
}
