"""Draw a sound's spectrogram with the expected and hit peaks, and the evidence over time.

    plot.py SOUND PICTURE < answer.json

The answer is one object of `earshot match --json --explain`.
"""
import json
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np

RATE, WINDOW, HOP = 16000, 2048, 256
PAPER, INK, HIT, MISS = "#fbfaf7", "#22252b", "#ff7a1a", "#35c4d6"


def decode(path, seconds):
    """Mono samples at 16 kHz, at most `seconds` long."""
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-nostdin", "-protocol_whitelist", "file,pipe", "-i",
         "file:" + path, "-t", str(seconds), "-ac", "1", "-ar", str(RATE), "-f", "f32le", "-"],
        capture_output=True, check=True).stdout
    return np.frombuffer(raw, "<f4")


def spectrogram(samples):
    """Decibels, bins by frames, of Hann windows of 128 ms every 16 ms."""
    count = max(1, 1 + (len(samples) - WINDOW) // HOP)
    samples = np.pad(samples, (0, max(0, WINDOW - len(samples))))
    frames = np.lib.stride_tricks.sliding_window_view(samples, WINDOW)[::HOP][:count]
    power = np.abs(np.fft.rfft(frames * np.hanning(WINDOW), axis=1)) ** 2
    return 10 * np.log10(power.T + 1e-9)


def draw_spectrogram(axes, samples, peaks, heard):
    decibels = spectrogram(samples)
    times = WINDOW / 2 / RATE + np.arange(decibels.shape[1]) * HOP / RATE
    hertz = np.arange(decibels.shape[0]) * RATE / WINDOW
    top = np.percentile(decibels, 99.7)
    axes.pcolormesh(times, hertz, decibels, vmin=top - 65, vmax=top, cmap="magma", shading="nearest",
                    rasterized=True)
    for is_hit, colour, label in ((False, MISS, "expected"), (True, HIT, "expected and hit")):
        chosen = [p for p in peaks if p["hit"] is is_hit]
        axes.scatter([p["time"] for p in chosen], [p["frequency"] for p in chosen], s=26,
                     facecolors="none", edgecolors=colour, linewidths=1.3,
                     label=f"{label} ({len(chosen)})")
    axes.set_yscale("log")
    axes.set_ylim(160, 5600)
    axes.set_yticks([200, 500, 1000, 2000, 5000], ["200", "500", "1 k", "2 k", "5 k"])
    axes.minorticks_off()
    axes.set_xlim(0, len(samples) / RATE)
    axes.set_ylabel("frequency, Hz")
    axes.axvline(heard, color="white", linewidth=1.2, linestyle="--")
    axes.legend(loc="upper right", fontsize=8, framealpha=0.85)


def draw_evidence(axes, looks, heard):
    times = [look["heard"] for look in looks]
    # Two that hold the same sound lie on each other: the thin line shows the thick one.
    axes.plot(times, [look["best"] for look in looks], "-o", color=HIT, linewidth=4, markersize=7, label="best item")
    axes.plot(times, [look["bestOther"] for look in looks], "-o", color="#4a5260", markersize=3,
              label="best other item")
    axes.axvline(heard, color=INK, linewidth=1.2, linestyle="--", label="decided here")
    axes.set_ylabel("evidence, nats")
    axes.set_xlabel("seconds heard")
    axes.legend(loc="upper left", fontsize=8)
    axes.grid(alpha=0.25)


def main():
    answer = json.load(sys.stdin)
    peaks, looks = answer.get("peaks", []), answer.get("evidence", [])
    heard = answer["heard"]
    samples = decode(sys.argv[1], min(12.0, max(3.0, heard + 1)))
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(11, 7.2), dpi=110, sharex=True, height_ratios=[3, 1.2],
        facecolor=PAPER, layout="constrained")
    best = answer["matches"][0] if answer.get("matches") else None
    title = f"{best['title']}, at {best['offset']:.2f} s, after {heard:.2f} s of sound" if best \
        else f"{answer['outcome']}, after {heard:.2f} s of sound"
    above.set_title(title, color=INK, loc="left", fontsize=12, fontweight="bold")
    draw_spectrogram(above, samples, peaks, heard)
    draw_evidence(below, looks, heard)
    figure.savefig(sys.argv[2], facecolor=PAPER)


if __name__ == "__main__":
    main()
