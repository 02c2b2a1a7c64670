"""Measures a video in sign language that runs along on the kiosk's page, in a real browser.

The film is played into a room of its own at each speed, heard by a daemon, and followed by its page; the
video's own place is asked for four times a second and compared with what is really in the air. At the
end the film goes on elsewhere, and the time is taken from the next listening until the video is in step.

    captions_video.py PROGRAMS FOLDER PAGE_TESTS [SPEED…]
"""
import os
import shutil
import subprocess
import sys
import threading
import time

import captions
import numpy as np
from captions import RATE, Room, Truth, now

PLAYING_SECONDS = 180
# What the issue of a video in step is held to, in seconds.
OFF_MAX = 0.2
BACK_MAX = 2.0


def make_film(folder, programs, seconds):
    sound = captions.prepare(folder, programs, seconds)
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=15",
         "-t", str(seconds), "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-g", "15",
         folder + "/film.webm"], check=True)
    with open(folder + "/items.csv", "w") as file:
        file.write("id,title,path,captions,signLanguageVideo\n"
                   "film,The Film,film.wav,en=film.vtt,film.webm\n")
    made = subprocess.run(
        [programs + "/earshot", "catalog", "create", "--output", folder + "/films.earshot", "--items",
         folder + "/items.csv"], capture_output=True, text=True)
    if made.returncode != 0:
        raise SystemExit(made.stderr)
    return sound


class Watched:
    """One room with its daemon, and the page that shows the film's captions and its video."""

    def __init__(self, browser, folder, programs, film, sound, speed):
        self.speed = speed
        self.wav = f"{film}/played-{speed}.wav"
        air, self.exact = captions.played(sound, speed, "noise10", 3)
        captions.write_wav(self.wav, air)
        self.air = captions.read_wav(self.wav)
        self.samples, self.closings = [], []
        self.room = Room(
            f"{folder}/room-{speed}", programs, kiosk={"port": 0, "captions": True},
            controller={"name": "The Cinema", "contact": "Front desk"}, limit=12)
        beside = f"{self.room.folder}/data/earshot/catalogs"
        os.makedirs(beside, mode=0o700)
        for name in ["films.earshot", "film.vtt", "film.webm"]:
            shutil.copy(f"{film}/{name}", beside)
        self.tab = browser.tab(is_window=True)
        self.tab.size(1280, 800)

    def begin(self):
        """From the first press to the video that plays."""
        self.room.record()
        self.player, self.began = self.room.play(self.wav), now()
        time.sleep(3)
        tab = self.tab
        tab.go(self.room.earshot("kiosk", "link").stdout.strip())
        tab.wait("document.querySelector('.start .listen')")
        tab.evaluate("import('/page/main.js').then((m) => { window.stage = m.stage; })")
        tab.wait("stage.isReady()")
        tab.press(".listen")
        for choice in ["allow-once", "not-now"]:
            tab.wait(f"document.querySelector('[data-choice={choice}]')", 30)
            tab.press(f"[data-choice={choice}]")
        tab.wait("!document.querySelector('dialog') && document.querySelector('.item')")
        tab.press(".item .actions button")
        tab.wait("document.querySelector('[data-choice=allow-captions]')", 30)
        tab.press("[data-choice=allow-captions]")
        tab.wait("document.querySelector('video.sign') && !document.querySelector('video.sign').paused", 30)

    def watch(self, seconds, every=0.25):
        """Asks for the video's place, and notes when the microphone closes."""
        end = now() + seconds
        was_open = False
        while now() < end:
            before = now()
            place, is_open = self.tab.evaluate(
                "[document.querySelector('video.sign').currentTime, stage.page.open.size > 0]")
            after = now()
            # A late answer says little about when it was true.
            if after - before < 0.05:
                self.samples.append(((before + after) / 2, place))
            if was_open and not is_open:
                self.closings.append(after)
            was_open = is_open
            time.sleep(every)

    def go_on_elsewhere(self):
        """Twenty seconds further, as somebody at the player would have it."""
        at = int((now() - self.began + 20) * RATE)
        captions.write_wav(self.wav + ".later.wav", self.air[at:])
        self.player.terminate()
        self.room.play(self.wav + ".later.wav")
        self.changed = now()

    def run(self):
        try:
            self.begin()
            self.watch(PLAYING_SECONDS)
            self.go_on_elsewhere()
            # The next check comes within a minute.
            self.watch(70, every=0.08)
        finally:
            self.room.end()

    def verdict(self):
        truth = Truth(self.room, self.air, self.exact)
        offs = [(at, abs(place - truth.position(at))) for at, place in self.samples]
        # The recording tells the place in pieces of six seconds, the last of which lies across the jump.
        steady = [off for at, off in offs if at < self.changed - 8]
        heard = next((at for at in self.closings if at > self.changed), None)
        back = None
        if heard is not None:
            # In step from when on it stays so.
            late = [at for at, off in offs if at > heard and off > OFF_MAX]
            back = max(late, default=heard) - heard
        return steady, heard and heard - self.changed, back


def main(programs, folder, page_tests, *speeds):
    sys.path.insert(0, page_tests)
    from browser import Browser
    programs, folder = os.path.abspath(programs), os.path.abspath(folder)
    film = folder + "/film"
    sound = make_film(film, programs, 340)
    browser = Browser()
    is_good = True
    try:
        watched = [Watched(browser, folder, programs, film, sound, float(speed))
                   for speed in speeds or (1, 1.001, 0.96, 1.0427)]
        threads = [threading.Thread(target=each.run) for each in watched]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        browser.close()
    print("speed   samples  off: median  p95   max   next listening after  in step again after  load")
    for each in watched:
        steady, heard, back = each.verdict()
        good = (len(steady) > 2 * PLAYING_SECONDS and np.median(steady) < OFF_MAX and back is not None
                and back <= BACK_MAX)
        is_good &= good
        print(f"{each.speed:<6}  {len(steady):7}  {np.median(steady):11.3f}  {np.percentile(steady, 95):.3f} "
              f"{max(steady):.3f}  {heard or float('nan'):20.1f}  {back if back is not None else float('nan'):19.2f}"
              f"  {os.getloadavg()[0]:4.1f}{'' if good else '  FAIL'}")
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
