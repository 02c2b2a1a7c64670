#pragma once

#include <alsa/asoundlib.h>

/// Takes the place of ALSA's own error printer: every fault comes back as a number, and standard error
/// belongs to the program.
static inline void earshot_alsa_say_nothing(
    const char *file, int line, const char *function, int code, const char *format, ...) {}

/// Keeps ALSA from printing. The handler has variable arguments, which Swift can't write.
static inline void earshot_alsa_be_quiet(void) {
  snd_lib_error_set_handler(earshot_alsa_say_nothing);
}
