"""Makes the sounds and the catalog of the page's tests: made-up music, nothing of anybody's."""

import json
import os
import struct
import subprocess
import sys
import zlib

import numpy

RATE = 16_000


def tune(seed, seconds):
    """Chords with overtones and a beat, the same for the same seed."""
    random = numpy.random.default_rng(seed)
    sound = numpy.zeros(int(seconds * RATE))
    start = 0
    while start < len(sound):
        length = int((0.15 + 0.35 * random.random()) * RATE)
        time = numpy.arange(min(length, len(sound) - start))
        fade = numpy.exp(-3 * time / length)
        for _ in range(3):
            frequency = 110 * 2 ** (random.integers(40) / 12)
            strength = 0.04 + 0.08 * random.random()
            for overtone in range(1, 6):
                step = 2 * numpy.pi * frequency * overtone / RATE
                if step < 2.8:
                    sound[start:start + len(time)] += (
                        strength / overtone * fade * numpy.sin(step * time))
        beat = min(600, len(sound) - start)
        sound[start:start + beat] += (
            0.1 * numpy.exp(-numpy.arange(beat) / 120) * random.uniform(-1, 1, beat))
        start += length
    return sound


def write(path, sound):
    data = (numpy.clip(sound, -1, 1) * 32767).astype("<i2").tobytes()
    with open(path, "wb") as file:
        file.write(b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt ")
        file.write(struct.pack("<IHHIIHH", 16, 1, 1, RATE, 2 * RATE, 2, 16))
        file.write(b"data" + struct.pack("<I", len(data)) + data)


def picture(path, width=800, height=800):
    """A calm picture as PNG: a horizon, and rings on water."""
    y, x = numpy.mgrid[0:height, 0:width]
    rings = numpy.sin(numpy.hypot(x - width * 0.5, (y - height * 0.72) * 2.6) / 13)
    sky = numpy.stack([228 - y * 0.12, 190 - y * 0.10, 150 + y * 0.02], -1)
    sea = numpy.stack([26 + rings * 9, 66 + rings * 16, 84 + rings * 18], -1)
    image = numpy.where((y > height * 0.56)[..., None], sea, sky)
    sun = numpy.hypot(x - width * 0.5, y - height * 0.44) < width * 0.11
    image[sun & (y <= height * 0.56)] = [250, 232, 200]
    rows = numpy.clip(image, 0, 255).astype(numpy.uint8)
    raw = b"".join(b"\0" + row.tobytes() for row in rows)

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)))
        file.write(chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


HOSTILE = '<img src=x onerror="document.title=1">\u202e<script>alert(1)</script>'


def main(folder, earshot):
    os.makedirs(f"{folder}/catalog", exist_ok=True)
    for seed in [1, 2, 3, 99]:
        write(f"{folder}/tune-{seed}.wav", tune(seed, 40))
    # Two pieces that begin alike, as the episodes of a series do; and the end of the film.
    intro = tune(45, 20)
    for seed in [4, 5]:
        write(f"{folder}/tune-{seed}.wav", numpy.concatenate([intro, tune(seed, 20)]))
    # One that goes round and round.
    write(f"{folder}/tune-6.wav", numpy.tile(tune(6, 12), 3))
    write(f"{folder}/tune-3-end.wav", tune(3, 40)[32 * RATE:])
    # Any moving picture of the film's length will do for the one in sign language.
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=12",
         "-t", "40", "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-g", "12",
         f"{folder}/catalog/film.webm"], check=True)
    picture(f"{folder}/catalog/harbour.png")
    with open(f"{folder}/catalog/evil.png", "w", encoding="utf-8") as file:
        file.write("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
    items = [
        {"id": "harbour", "title": "Evening at the Harbour", "artist": "The Glass Orchestra",
         "album": "Waters", "genres": ["Classical"], "artwork": "harbour.png", "language": "en",
         "webURL": "https://museum.example/harbour", "path": "tune-1.wav"},
        {"id": "hostile", "title": HOSTILE, "artist": HOSTILE, "album": "</title>",
         "genres": ["<b>Rock</b>"], "artwork": "evil.png", "webURL": "https://x.example/?<script>",
         "path": "tune-2.wav"},
        {"id": "film", "title": "The Lighthouse", "artist": "A Short Film", "genres": ["Speech"],
         "captions": {"en": "film.en.vtt", "ko": "film.ko.vtt"}, "signLanguageVideo": "film.webm",
         "path": "tune-3.wav"},
        {"id": "march", "title": "March in the First Hall", "path": "tune-4.wav"},
        {"id": "waltz", "title": "Waltz in the Second Hall", "path": "tune-5.wav"},
        {"id": "round", "title": "Round and Round", "path": "tune-6.wav"},
        {"id": "scene-2", "title": "The Lamp Room", "subtitle": "Second step of the lesson",
         "artwork": "harbour.png", "webURL": "https://museum.example/lamp",
         "timeRanges": [{"start": 4, "end": 9}], "path": "tune-3.wav"},
    ]
    for language, words in [("en", "second"), ("ko", "초")]:
        with open(f"{folder}/catalog/film.{language}.vtt", "w", encoding="utf-8") as file:
            file.write("WEBVTT\n\n")
            for second in range(0, 38, 2):
                file.write(f"00:{second:02}.000 --> 00:{second + 1:02}.900\n"
                           f"<i>{words} {second}</i> &lt;b&gt;&lt;img src=x onerror=alert(1)&gt;\n\n")
    with open(f"{folder}/items.json", "w", encoding="utf-8") as file:
        json.dump(items, file)
    subprocess.run(
        [earshot, "catalog", "create", "--output", f"{folder}/catalog/museum.earshot",
         "--items", f"{folder}/items.json"], check=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
