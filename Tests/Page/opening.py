"""How long the source's own start takes: ALSA alone, without anything of ours. Prints milliseconds.

    opening.py SOURCE

A process of its own each time, as each listening is one: what ALSA has to load for a source belongs to it.
"""

import ctypes
import sys
import time

CAPTURE, S16, INTERLEAVED = 1, 2, 3


def start(alsa, name):
    """Opens, sets up and starts a source, as any program does."""
    pcm = ctypes.c_void_p()
    began = time.monotonic()
    if alsa.snd_pcm_open(ctypes.byref(pcm), name.encode(), CAPTURE, 0) < 0:
        raise SystemExit(f"{name} can't be opened")
    alsa.snd_pcm_set_params(pcm, S16, INTERLEAVED, 1, 48_000, 1, 100_000)
    alsa.snd_pcm_start(pcm)
    took = time.monotonic() - began
    alsa.snd_pcm_close(pcm)
    return took * 1000


if __name__ == "__main__":
    library = ctypes.CDLL("libasound.so.2")
    print(f"{start(library, sys.argv[1]):.1f}")
