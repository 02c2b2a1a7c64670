"""Measures captions by the real path: a private sound server, the daemon, the client.

What is played is known sample by sample, and the sink's monitor is recorded beside the daemon and
correlated with it, so that the place that is really in the air is known at every moment. Errors are
those of the cues' events as this program reads them.

    captions.py onset  PROGRAMS FOLDER --minutes M --speeds 1 0.96 --conditions noise10 room
    captions.py notice PROGRAMS FOLDER --check 20
    captions.py steady PROGRAMS FOLDER --follow TOOL
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from fractions import Fraction

import numpy as np
from scipy import io as scipy_io
from scipy import signal

RATE = 16_000
# The sink renders ahead by at most this many seconds, which it tells by its configured latency.
RENDER_AHEAD = 0.005


def now():
    return time.clock_gettime(time.CLOCK_MONOTONIC)


def write_wav(path, samples):
    scaled = np.clip(samples, -1, 1) * 32767
    scipy_io.wavfile.write(path, RATE, scaled.astype(np.int16))


def read_wav(path):
    return scipy_io.wavfile.read(path)[1].astype(np.float64) / 32768


# --- What is played

def music(seconds, seed):
    """Chords with overtones, a beat and a melody, never the same twice."""
    rng = np.random.default_rng(seed)
    out = np.zeros(int(seconds * RATE) + 2 * RATE)
    at = 0
    while at < seconds * RATE:
        length = int(rng.uniform(0.15, 0.6) * RATE)
        t = np.arange(length) / RATE
        fade = np.exp(-3 * t * RATE / length)
        for _ in range(rng.integers(2, 5)):
            f = 110 * 2 ** (rng.integers(0, 42) / 12)
            gain = rng.uniform(0.03, 0.12)
            for overtone in range(1, 7):
                if f * overtone < 7000:
                    phase = rng.uniform(0, 6.3)
                    wave = np.sin(2 * np.pi * f * overtone * t + phase)
                    out[at:at + length] += gain / overtone * fade * wave
        beat = min(800, length)
        out[at:at + beat] += 0.1 * np.exp(-np.arange(beat) / 120) * rng.standard_normal(beat)
        at += length
    return out[:int(seconds * RATE)]


def film(path, seconds, seed):
    """A film's sound: the file that EARSHOT_FILM names, or music made up here."""
    named = os.environ.get("EARSHOT_FILM")
    if named and seed == 1:
        raw = subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-i", named, "-t", str(seconds), "-ac", "1", "-ar",
             str(RATE), "-f", "f32le", "-"], capture_output=True, check=True).stdout
        sound = np.frombuffer(raw, "<f4").astype(np.float64)
    else:
        sound = music(seconds, seed)
    sound = sound / np.max(np.abs(sound)) * 0.8
    write_wav(path, sound)
    return sound


def noise(length, rng):
    """Pink noise, and clatter upon it."""
    spectrum = np.fft.rfft(rng.standard_normal(length))
    spectrum /= np.sqrt(np.maximum(1, np.arange(len(spectrum))))
    out = np.fft.irfft(spectrum, length)
    out /= np.std(out)
    for _ in range(length * 3 // RATE):
        size = int(rng.uniform(0.02, 0.3) * RATE)
        at = rng.integers(0, length - size)
        t = np.arange(size) / RATE
        wave = np.sin(2 * np.pi * rng.uniform(300, 6000) * t)
        out[at:at + size] += wave * np.exp(-t * rng.uniform(10, 80)) * rng.uniform(0.3, 3)
    return out / np.std(out)


def room_response(rng, seconds=0.4):
    n = int(RATE * seconds * 1.1)
    t = np.arange(n) / RATE
    tail = rng.standard_normal(n) * np.exp(-6.9 * t / seconds)
    tail[:int(0.005 * RATE)] = 0
    for _ in range(12):
        tail[int(rng.uniform(0.004, 0.05) * RATE)] += rng.uniform(-1, 1) * 2.5
    tail *= 0.8 / np.sqrt(np.sum(tail ** 2))
    tail[0] += 1.0
    return tail


def played(sound, speed, condition, seed):
    """The sound as it is in the air, and the exact speed that resampling came to."""
    rng = np.random.default_rng([seed, 7])
    ratio = Fraction(1 / speed).limit_denominator(20_000)
    out = signal.resample_poly(sound, ratio.numerator, ratio.denominator)
    if condition == "room":
        out = signal.oaconvolve(out, room_response(rng))[:len(out)]
        for kind, edge in (("hp", 150), ("lp", 7500)):
            out = signal.sosfilt(signal.butter(2, edge, kind, fs=RATE, output="sos"), out)
    if condition in ("room", "noise10"):
        out = out + noise(len(out), rng) * np.std(out) * 10 ** (-10 / 20)
    return out / np.max(np.abs(out)) * 0.8, ratio.denominator / ratio.numerator


def captions(path, seconds, seed):
    """Cues at random times, one every two seconds or so."""
    rng = np.random.default_rng(seed + 5)

    def stamp(value):
        return "%02d:%02d:%06.3f" % (value // 3600, value % 3600 // 60, value % 60)

    at, number, text = 1.0, 0, "WEBVTT\n"
    while at < seconds - 3:
        start = round(at + rng.uniform(0.2, 1.2), 3)
        at = round(start + rng.uniform(0.8, 1.6), 3)
        text += f"\n{stamp(start)} --> {stamp(at)}\ncue {number}\n"
        number += 1
    with open(path, "w") as file:
        file.write(text)


# --- The room

class Room:
    """A private sound server, a daemon that hears it, and everything they started."""

    def __init__(self, folder, programs, **settings):
        self.folder, self.programs, self.children = folder, programs, []
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder + "/config/earshot", mode=0o700)
        self._write("server.pa", f"load-module module-native-protocol-unix socket={folder}/native "
                    "auth-anonymous=1\nload-module module-null-sink sink_name=room rate=48000 "
                    "channels=2\nset-default-sink room\nset-default-source room.monitor\n")
        self._write("asound.conf", "</usr/share/alsa/alsa.conf>\npcm.earshot_room { type pulse "
                    f'server "unix:{folder}/native" device "room.monitor" }}\n')
        self._write("config/earshot/earshot.json", json.dumps(
            {"source": "earshot_room", "sources": ["earshot_room"], **settings}))
        self._write("administrator.json", '{ "grantByCommand": true, "listenUnseen": true }\n')
        self.environment = dict(
            os.environ, HOME=folder, XDG_RUNTIME_DIR=folder, PULSE_RUNTIME_PATH=folder,
            PULSE_SERVER=f"unix:{folder}/native", ALSA_CONFIG_PATH=folder + "/asound.conf",
            XDG_CONFIG_HOME=folder + "/config", XDG_STATE_HOME=folder + "/state",
            XDG_DATA_HOME=folder + "/data")
        # The room is no part of what is measured: a loudspeaker does not stutter on a busy machine.
        self.start(["chrt", "--fifo", "20", "pulseaudio", "-n", "-F", folder + "/server.pa",
                    "--daemonize=no", "--exit-idle-time=-1", f"--log-target=file:{folder}/log"])
        self._wait(lambda: self.run("pactl", "info").returncode == 0)
        self.start(["chrt", "--fifo", "19", "pacat", "--device=room", "--latency-msec=20",
                    "--rate=48000", "--channels=2", "--format=s16le", "/dev/zero"])
        time.sleep(2.5)
        self.start([programs + "/earshotd", "--socket", folder + "/socket",
                    "--administrator-file", folder + "/administrator.json"],
                   log=folder + "/daemon.log")
        self._wait(lambda: self.earshot("status").returncode == 0)
        granted = self.earshot("consent", "grant", "--purpose", "captions")
        if granted.returncode != 0:
            raise SystemExit(granted.stderr)

    def _write(self, name, text):
        with open(f"{self.folder}/{name}", "w") as file:
            file.write(text)

    @staticmethod
    def _wait(condition):
        for _ in range(200):
            if condition():
                return
            time.sleep(0.1)
        raise SystemExit("something did not start in 20 s")

    def run(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True)

    def earshot(self, *words):
        return self.run(self.programs + "/earshot", *words, "--socket", self.folder + "/socket")

    def start(self, words, log=None, **more):
        out = open(log, "w") if log else subprocess.DEVNULL
        more.setdefault("stdout", out)
        child = subprocess.Popen(words, env=self.environment, stderr=out, **more)
        self.children.append(child)
        return child

    def play(self, path):
        return self.start(["chrt", "--fifo", "19", "paplay", "--device=room", "--latency-msec=1000",
                           path])

    def record(self):
        child = self.start(
            ["chrt", "--fifo", "18", "parec", "--device=room.monitor", f"--rate={RATE}",
             "--channels=1", "--format=s16le", "--latency-msec=10", "--raw"],
            stdout=subprocess.PIPE, bufsize=0)
        self.pieces, self.stamps = [], []

        def read():
            count = 0
            while piece := os.read(child.stdout.fileno(), 65536):
                count += len(piece) // 2
                self.pieces.append(piece)
                self.stamps.append(now() - count / RATE)

        threading.Thread(target=read, daemon=True).start()

    def follow(self, *words):
        """The events of `earshot captions`, each with the time at which it was read."""
        child = self.start(
            [self.programs + "/earshot", "captions", "--json", "--socket", self.folder + "/socket",
             *words], stdout=subprocess.PIPE, text=True, bufsize=1)
        events = []

        def read():
            for line in child.stdout:
                events.append((now(), json.loads(line)))

        threading.Thread(target=read, daemon=True).start()
        return child, events

    def end(self):
        for child in reversed(self.children):
            if child.poll() is None:
                child.terminate()
        for child in self.children:
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                child.kill()


class Truth:
    """The place of a played sound that is in the air at a time, by the monitor's recording."""

    def __init__(self, room, sound, speed, seconds=6, step=10):
        recorded = np.frombuffer(b"".join(room.pieces), "<i2").astype(np.float64) / 32768
        # Pieces come late by what the machine had to do, never early: the earliest of every five
        # seconds are the truth. The sink's own clock, like every crystal, is off by a little.
        sizes = np.cumsum([len(piece) // 2 for piece in room.pieces[:len(room.stamps)]])
        arrivals = np.array(room.stamps[:len(sizes)]) + sizes / RATE
        early = []
        for first in range(0, int(sizes[-1]), 5 * RATE):
            inside = (sizes > first) & (sizes <= first + 5 * RATE)
            if inside.any():
                where = np.flatnonzero(inside)
                best = where[np.argmin(arrivals[where] - sizes[where] / RATE)]
                early.append((sizes[best], arrivals[best]))
        early = np.array(early)
        # A rate that wanders, as that of a sink without hardware does, takes a curve: one more bend every
        # five minutes.
        bends = 1 + int(sizes[-1] / RATE / 300)
        for _ in range(3):
            self.samples = np.polynomial.Polynomial.fit(early[:, 1], early[:, 0], bends)
            late = (self.samples(early[:, 1]) - early[:, 0]) / RATE
            early = early[late <= max(0.003, np.percentile(late, 80))]
        span = (early[-1, 1] - early[0, 1])
        self.drift = ((self.samples(early[-1, 1]) - self.samples(early[0, 1])) / span / RATE - 1) * 1e6
        self.jitter = np.percentile(np.array(room.stamps) - min(room.stamps), 95)
        self.speed, self.lags = speed, []
        starts = range(RATE * 2, len(recorded) - RATE * (seconds + 1), RATE * step)
        # Music that repeats itself fits at several places: what most of the first pieces say is so.
        first = [self._lag(recorded[at:at + seconds * RATE], sound, at, None) for at in starts[:9]]
        first = [lag for lag in first if lag is not None]
        near = max(first, default=None,
                   key=lambda lag: sum(abs(lag - other) < RATE // 10 for other in first))
        for at in starts:
            found = self._lag(recorded[at:at + seconds * RATE], sound, at, near)
            if found is not None:
                self.lags.append((at, found))
                near = found

    @staticmethod
    def _lag(piece, sound, at, near):
        if np.std(piece) < 1e-4:
            return None
        low, high = (0, len(sound)) if near is None else (
            max(0, near + at - 30 * RATE), min(len(sound), near + at + len(piece) + 30 * RATE))
        within = sound[low:high]
        if len(within) < len(piece):
            return None
        size = 1 << int(np.ceil(np.log2(len(within) + len(piece))))
        match = np.fft.irfft(
            np.fft.rfft(within, size) * np.conj(np.fft.rfft(piece, size)), size)[:len(within)]
        # In shares of what the place holds: a louder repeat is no better one.
        energy = np.concatenate([[0], np.cumsum(within ** 2)])
        ends = np.minimum(np.arange(len(within)) + len(piece), len(within))
        match = match / np.sqrt(energy[ends] - energy[:len(within)] + 0.01 * np.sum(piece ** 2))
        best = int(np.argmax(match))
        if near is not None:
            # Where the next bar sounds the same, playing went on rather than there.
            start = max(0, near + at - low - RATE // 10)
            here = match[start:start + RATE // 5]
            if len(here) and here.max() > 0.9 * match[best]:
                best = start + int(np.argmax(here))
        return low + best - at if match[best] > 0.5 * np.sqrt(np.sum(piece ** 2)) else None

    def position(self, seconds):
        sample = self.samples(seconds - RENDER_AHEAD / 2)
        lag = min(self.lags, key=lambda entry: abs(entry[0] - sample))[1]
        return (sample + lag) / RATE * self.speed

    @property
    def is_steady(self):
        """Whether playing never stuttered, so that one line tells every place."""
        return len({lag for _, lag in self.lags}) == 1


# --- What is measured

def prepare(folder, programs, seconds):
    os.makedirs(folder, exist_ok=True)
    sound = film(folder + "/film.wav", seconds, 1)
    film(folder + "/other.wav", 180, 2)
    captions(folder + "/film.vtt", seconds, 1)
    captions(folder + "/other.vtt", 180, 2)
    with open(folder + "/items.csv", "w") as file:
        file.write("id,title,path,captions\nfilm,The Film,film.wav,en=film.vtt\n"
                   "other,Another,other.wav,en=other.vtt\n")
    made = subprocess.run([programs + "/earshot", "catalog", "create", "--output",
                           folder + "/films.earshot", "--items", folder + "/items.csv"],
                          capture_output=True, text=True)
    if made.returncode != 0:
        raise SystemExit(made.stderr)
    return sound


def open_seconds(events):
    opened, total, count = None, 0.0, 0
    for _, event in events:
        if event["event"] == "listening":
            opened = event["monotonic"]
        if event["event"] == "closed" and opened is not None:
            total += (event["monotonic"] - opened) / 1e9
            count += 1
            opened = None
    return total, count


def onset(job):
    """Plays for so long at one speed in one condition, and compares every cue with the truth."""
    sound, folder, programs, speed, condition, seconds, check = job
    name = f"{speed}-{condition}"
    wav = f"{folder}/played-{name}.wav"
    air, exact = played(sound[:int((seconds * max(1, speed) + 40) * RATE)], speed, condition, 3)
    write_wav(wav, air)
    air = read_wav(wav)
    room = Room(f"{folder}/room-{name}", programs)
    load = []
    try:
        room.record()
        room.play(wav)
        time.sleep(3)
        child, events = room.follow("--catalog", folder + "/films.earshot", "--check", str(check))
        end = time.time() + seconds
        while time.time() < end and child.poll() is None:
            time.sleep(1)
            load.append(os.getloadavg()[0])
        child.terminate()
        child.wait(30)
    except subprocess.TimeoutExpired:
        print(f"{name}: the client did not end by itself", file=sys.stderr)
    finally:
        room.end()
    truth = Truth(room, air, exact)
    errors, places, video = [], [], Video()
    for time_read, event in events:
        if event["event"] == "enter" and event["position"] - event["start"] < 0.3:
            errors.append((truth.position(time_read) - event["start"]) / exact)
        if event["event"] == "placed":
            middle = event["firstSample"] / 1e9 + event["heard"] / 2
            told = event["offset"] + (event["speed"] or exact) * event["heard"] / 2
            places.append(told - truth.position(middle))
        video.take(time_read, event, truth)
    absolute = np.abs(errors) * 1000
    total, count = open_seconds(events)
    span = events[-1][0] - events[0][0]
    with open(f"{folder}/events-{name}.json", "w") as file:
        json.dump(events, file)
    return {
        "speed": speed, "condition": condition, "cues": len(errors), "steady": truth.is_steady,
        "median": np.median(absolute), "p95": np.percentile(absolute, 95), "max": absolute.max(),
        "mean": np.mean(errors) * 1000, "places": len(places),
        "place mean": np.mean(places) * 1000 if places else float("nan"), "place p95": np.percentile(np.abs(places), 95) * 1000 if places else float("nan"),
        "lost": sum(e["event"] == "lost" for _, e in events), "listenings": count,
        "open %": 100 * total / span, "minutes": span / 60,
        "video median": np.median(video.offs) * 1000 if video.offs else float("nan"),
        "load": np.mean(load), "drift": truth.drift, "jitter": truth.jitter * 1000}


class Video:
    """A video in sign language that runs along, by the rule of EarshotCaptions' CompanionPace."""

    def __init__(self):
        self.position, self.rate, self.last, self.offs = 0.0, 0.0, None, []

    def take(self, seconds, event, truth):
        if self.last is not None:
            self.position += self.rate * (seconds - self.last)
        self.last = seconds
        if event["event"] != "position":
            return
        if self.rate:
            self.offs.append(abs(self.position - truth.position(seconds)))
        off = event["position"] - self.position
        if abs(off) > 0.3:
            self.position, self.rate = event["position"], event["speed"]
        else:
            self.rate = event["speed"] + min(max(off / 2, -0.15), 0.15)


def notice(sound, folder, programs, check):
    """Seek, pause, another film, other sound: each has to be noticed within the check and 2 s."""
    air, _ = played(sound[:300 * RATE], 1, "noise10", 3)
    write_wav(folder + "/notice.wav", air[:120 * RATE])
    write_wav(folder + "/notice-later.wav", air[200 * RATE:])
    other, _ = played(read_wav(folder + "/other.wav"), 1, "noise10", 4)
    write_wav(folder + "/notice-other.wav", other)
    write_wav(folder + "/notice-commercials.wav", music(120, 99) * 0.5)
    rows = []
    for kind, then in (("seek", "notice-later"), ("pause", None), ("another film", "notice-other"),
                       ("commercials", "notice-commercials")):
        room = Room(f"{folder}/room-notice", programs)
        try:
            player = room.play(folder + "/notice.wav")
            time.sleep(2)
            child, events = room.follow("--catalog", folder + "/films.earshot", "--check", str(check))
            deadline = time.time() + 60
            while time.time() < deadline and sum(e["event"] == "placed" for _, e in events) < 3:
                time.sleep(0.05)
            # The worst moment: just after a check has found all well.
            player.terminate()
            changed = now()
            if then:
                room.play(f"{folder}/{then}.wav")
            noticed, shown_after = None, 0
            while now() - changed < check + 6 and noticed is None:
                for time_read, event in list(events):
                    if time_read <= changed:
                        continue
                    if event["event"] in ("lost", "in-doubt") or "movedBy" in event or (
                            event["event"] == "placed" and event["item"] != "film"):
                        noticed = time_read - changed
                        break
                time.sleep(0.02)
            child.terminate()
            child.wait(30)
        finally:
            room.end()
        last = max((t for t, e in events if e["event"] == "enter" and t > changed), default=changed)
        rows.append((kind, noticed, last - changed))
    return rows


def same_intro(folder, programs):
    """Two episodes that begin alike: no cue before they part, and the right one's after that."""
    intro = music(30, 500)
    for number in (1, 2):
        episode = np.concatenate([intro, music(60, 500 + number)])
        write_wav(f"{folder}/episode-{number}.wav", episode / np.max(np.abs(episode)) * 0.8)
        captions(f"{folder}/episode-{number}.vtt", 90, number)
    with open(folder + "/episodes.csv", "w") as file:
        file.write("id,title,path,captions\n" + "".join(
            f"episode-{n},Episode {n},episode-{n}.wav,en=episode-{n}.vtt\n" for n in (1, 2)))
    made = subprocess.run([programs + "/earshot", "catalog", "create", "--output",
                           folder + "/episodes.earshot", "--items", folder + "/episodes.csv"],
                          capture_output=True, text=True)
    if made.returncode != 0:
        raise SystemExit(made.stderr)
    room = Room(f"{folder}/room-intro", programs)
    try:
        room.play(folder + "/episode-2.wav")
        began = now()
        time.sleep(1)
        child, events = room.follow("--catalog", folder + "/episodes.earshot")
        while now() - began < 75 and not any(e["event"] == "enter" for _, e in events):
            time.sleep(0.1)
        child.terminate()
        child.wait(30)
    finally:
        room.end()
    lost = [event["reason"] for _, event in events if event["event"] == "lost"]
    shown = next((at - began for at, event in events if event["event"] == "enter"), None)
    items = {event["item"] for _, event in events if event["event"] == "placed"}
    return lost, shown, items == {"episode-2"} and lost[:1] == ["ambiguous"] and (shown or 0) > 30


def steady(programs, folder, follow):
    """Half an hour in simulated time, from several moments on: how long the microphone is open."""
    sound = prepare(folder, programs, 2100)
    is_good = True
    for condition in ("clean", "noise10", "room"):
        air, exact = played(sound, 1, condition, 3)
        write_wav(folder + "/air.wav", air)
        print(condition, flush=True)
        done = subprocess.run([follow, "--catalog", folder + "/films.earshot", "--item", "film",
                               "--sound", folder + "/air.wav", "--speed", str(exact),
                               "--minutes", "30", "--starts", "6"])
        is_good &= done.returncode == 0
    return is_good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["onset", "notice", "steady"])
    parser.add_argument("programs")
    parser.add_argument("folder")
    parser.add_argument("--minutes", type=float, default=10.5)
    parser.add_argument("--speeds", nargs="+", type=float, default=[1, 1.001, 0.96, 1.0427])
    parser.add_argument("--conditions", nargs="+", default=["noise10", "room"])
    parser.add_argument("--check", type=float, default=60)
    parser.add_argument("--parallel", type=int, default=1)
    parser.add_argument("--follow")
    wanted = parser.parse_args()
    folder, programs = os.path.abspath(wanted.folder), os.path.abspath(wanted.programs)
    seconds = wanted.minutes * 60
    if wanted.what == "steady":
        sys.exit(0 if steady(programs, folder, os.path.abspath(wanted.follow)) else 1)
    if wanted.what == "notice":
        sound = prepare(folder, programs, 320)
        is_good = True
        for kind, noticed, last in notice(sound, folder, programs, wanted.check):
            good = noticed is not None and noticed <= wanted.check + 2
            is_good &= good
            told = "not noticed" if noticed is None else f"noticed after {noticed:.1f} s"
            print(f"{kind:14} {told}, last cue shown after {last:.1f} s  {'' if good else 'FAIL'}")
        lost, shown, good = same_intro(folder, programs)
        is_good &= good
        print(f"the same intro of 30 s: {', '.join(lost)}; first cue after "
              f"{shown or float('nan'):.1f} s  {'' if good else 'FAIL'}")
        sys.exit(0 if is_good else 1)
    sound = prepare(folder, programs, seconds * 1.05 + 60)
    jobs = [(sound, folder, programs, speed, condition, seconds, wanted.check)
            for condition in wanted.conditions for speed in wanted.speeds]
    from multiprocessing.pool import ThreadPool
    is_good = True
    print("condition  speed  min  cues  median  p95   max   mean  place-mean  place-p95  lost  listenings  "
          "open-%  video  drift  load  steady")
    with ThreadPool(wanted.parallel) as pool:
        for row in pool.imap(onset, jobs):
            good = row["median"] < 25 and row["p95"] < 45 and row["video median"] < 200
            is_good &= good
            print("{condition:9}  {speed:<6} {minutes:4.1f} {cues:5}  {median:5.1f}  {p95:5.1f} "
                  "{max:6.1f} {mean:6.1f}  {place mean:10.1f}  {place p95:8.1f}  {lost:4}  {listenings:9}  "
                  "{open %:6.2f}  {video median:5.0f}  {drift:5.0f}  {load:4.1f}  {steady}".format(**row),
                  "" if good else " FAIL", flush=True)
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
