"""Visitors, one after the other: the short form is a test, the long one is `Scripts/soak visitors`.

    visitors.py TAPS [SECONDS]    so many taps, spread over so many seconds

Each visitor does one of what visitors do; after each the microphone has to be closed and the first
screen has to be back. At the end the daemon and the page may have grown by nothing that counts.
"""

import json
import os
import random
import subprocess
import sys
import time
import unittest

from browser import Browser
from kiosk import Kiosk, Relay

START = "document.querySelector('.screen.start .listen') && !document.querySelector('dialog') && stage.isReady()"


class Visitors:
    """One kiosk with one page, and what its visitors do."""

    def __init__(self, seed=1):
        self.random = random.Random(seed)
        self.kiosk = Kiosk()
        self.network = Relay(self.kiosk)
        self.browser = Browser(relay=self.network)
        self.tab = self.browser.tab()
        self.tab.size(1280, 800)
        if os.environ.get("EARSHOT_PAGE"):
            self.tab.serve_from(os.environ["EARSHOT_PAGE"])
        self.tab.go(self.kiosk.link())
        self.begin()
        self.taps = 0
        self.endings = set()
        self.outcomes, self.seconds = {}, {}

    def begin(self):
        """The page at its first screen, with its insides at hand."""
        self.tab.wait("document.readyState === 'complete' && document.querySelector('.start')")
        self.tab.evaluate("import('/page/main.js').then((m) => { window.stage = m.stage; })")
        self.tab.wait(START)

    def close(self):
        self.browser.close()
        self.network.close()
        self.kiosk.close()

    def tap(self):
        self.taps += 1
        self.tab.press(".listen")

    def prompt(self, choice):
        self.tab.wait("document.querySelector('dialog.prompt')")
        self.tab.press(f"[data-choice={choice}]")

    def ended(self):
        self.tab.wait("document.querySelector('.item, .outcome, .ambiguous')", 25)
        if self.tab.evaluate("document.querySelector('.outcome') !== null"):
            self.endings.add(self.tab.evaluate("document.querySelector('.outcome .lead').textContent"))
        self.note(self.tab.evaluate(
            "document.querySelector('.item') ? 'match' : document.querySelector('h1').textContent"))

    def note(self, name):
        self.outcomes[name] = self.outcomes.get(name, 0) + 1

    # What visitors do.

    def hears_a_match(self):
        self.kiosk.play("tune-1")
        self.tap()
        self.prompt("allow-once")
        self.ended()
        self.prompt(self.random.choice(["save", "not-now", "never-save"]))

    def hears_nothing(self):
        self.tap()
        self.prompt("allow-once")
        self.ended()

    def hears_another(self):
        self.kiosk.play("tune-99")
        self.tap()
        self.prompt("allow-open")
        self.ended()

    def declines(self):
        self.tap()
        self.prompt("deny")
        self.ended()

    def turns_away(self):
        self.tap()
        self.tab.wait("document.querySelector('dialog.prompt')")
        self.tab.key("Escape")
        self.ended()

    def stops(self):
        self.kiosk.play("tune-99")
        self.tap()
        self.prompt("allow-once")
        self.tab.wait("document.querySelector('.listening')")
        self.tab.key("Escape")
        self.ended()

    def walks_off(self):
        self.kiosk.play("tune-99")
        self.tap()
        self.prompt("allow-once")
        self.tab.wait("document.querySelector('.listening')")
        # The visit ends while the microphone is open.

    def loses_the_network(self):
        self.kiosk.play("tune-99")
        self.tap()
        self.prompt("allow-once")
        self.tab.wait("document.querySelector('.listening')")
        self.network.cut(True)
        self.tab.wait("document.querySelector('.outcome h1')?.textContent === 'One moment'", 10)
        deadline = time.monotonic() + 3
        while self.kiosk.is_open() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not self.kiosk.is_open(), "the microphone stayed open without a page"
        self.network.cut(False)
        self.tab.wait(START, 20)
        self.note("network cut")

    def hears_two_alike(self):
        self.kiosk.play("tune-4")
        self.tap()
        self.prompt("allow-once")
        self.ended()

    def loses_the_daemon(self):
        self.tap()
        self.tab.wait("document.querySelector('dialog.prompt')")
        self.restart()
        self.note("daemon gone")

    def restart(self, **settings):
        """The daemon anew, with other settings where some are given."""
        port = int(self.kiosk.address.rsplit(":", 1)[1])
        self.kiosk.stop()
        self.tab.wait("document.querySelector('.outcome h1')", 10)
        self.kiosk.write_settings({"port": port, "name": "Museum of Sound"}, **settings)
        self.kiosk.start()
        self.tab.wait(START, 20)

    def hears_too_little(self):
        self.restart(limit=1.2)
        self.kiosk.play("tune-99")
        self.tap()
        self.prompt("allow-once")
        self.ended()
        self.restart()

    def finds_no_microphone(self):
        self.restart(source="earshot_gone")
        self.tap()
        self.prompt("allow-once")
        self.ended()
        self.restart()

    def listens_too_often(self):
        self.kiosk.play("tune-99")
        self.tap()
        self.prompt("allow-open")
        for _ in range(20):
            self.ended()
            if "a minute in the last ten" in self.tab.evaluate("document.querySelector('main').textContent"):
                return
            self.tab.press(".outcome .primary")
            self.tab.wait("document.querySelector('.start .listen')")
            self.kiosk.silence()
            self.kiosk.play("tune-99")
            self.tap()
        raise AssertionError("a minute in ten was not the most")

    kinds = [hears_a_match, hears_nothing, hears_another, declines, turns_away, stops, walks_off,
             hears_two_alike, loses_the_network]
    # What takes a daemon of its own, or a minute.
    rare = [loses_the_daemon, hears_too_little, finds_no_microphone, listens_too_often]

    def visit(self, kind):
        began = time.monotonic()
        kind(self)
        self.kiosk.silence()
        self.tab.evaluate("stage.context.done()")
        self.tab.wait(START, 20)
        self.seconds[kind.__name__] = self.seconds.get(kind.__name__, 0) + time.monotonic() - began
        assert not self.kiosk.is_open(), kind.__name__
        assert not self.tab.evaluate("document.querySelector('.indicator').matches(':popover-open')")

    # What may not take long.

    def times(self, count):
        """Milliseconds from the tap to 'listening' shown, the microphone's own start included, and from the
        closing to the answer shown; both to the frame that is painted."""
        self.kiosk.play("tune-1")
        self.tap()
        self.prompt("allow-once")
        self.ended()
        self.prompt("not-now")
        self.tab.evaluate("""(() => {
          window.seen = {};
          // What is posted while a frame is made is taken right after it.
          const note = (name) => requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => { window.seen[name] ??= performance.now(); };
            port2.postMessage(null);
          });
          addEventListener("click", (event) => {
            if (event.target.closest(".listen")) window.seen = { tap: performance.now() };
          }, { capture: true });
          new MutationObserver(() => {
            if (document.querySelector(".screen.listening")) note("listening");
            if (document.querySelector(".screen.item") && window.seen.listening) note("answer");
          }).observe(document.querySelector("main"), { childList: true });
          new EventSource("/v1/events").addEventListener("closed", () => { window.seen.closed = performance.now(); });
        })()""")
        begun, answered = [], []
        for _ in range(count):
            self.kiosk.silence()
            self.kiosk.play("tune-1")
            self.tab.press(".item .secondary")
            self.tab.wait("document.querySelector('.listen')")
            self.tap()
            self.tab.wait("window.seen.answer", 25)
            seen = self.tab.evaluate("window.seen")
            begun.append(seen["listening"] - seen["tap"])
            answered.append(seen["answer"] - seen["closed"])
        self.kiosk.silence()
        self.tab.evaluate("stage.context.done()")
        self.tab.wait(START, 20)
        return sorted(begun), sorted(answered)

    def own_start(self, count):
        """Milliseconds that the source takes by itself to start, without anything of ours."""
        tool = os.path.join(os.path.dirname(os.path.abspath(__file__)), "opening.py")
        words = [sys.executable, tool, "earshot_room"]
        return sorted(
            float(subprocess.run(words, check=True, env=self.kiosk.environment, capture_output=True,
                                 text=True).stdout)
            for _ in range(count))

    # What may not grow.

    def weigh(self):
        self.tab.send("HeapProfiler.collectGarbage")
        heap = self.tab.evaluate("performance.memory.usedJSHeapSize")
        counters = self.tab.send("Memory.getDOMCounters")
        with open(f"/proc/{self.kiosk.daemon.pid}/status", encoding="utf-8") as file:
            status = dict(line.split(":", 1) for line in file)
        return {
            "page heap KiB": heap // 1024, "nodes": counters["nodes"],
            "listeners": counters["jsEventListeners"],
            "daemon KiB": int(status["VmRSS"].split()[0]), "threads": int(status["Threads"]),
            "descriptors": len(os.listdir(f"/proc/{self.kiosk.daemon.pid}/fd")),
        }

    def check_closed(self):
        """Every opening has its closing."""
        records = json.loads(self.kiosk.earshot("consent", "export").stdout)["records"]
        count = lambda kind: sum(1 for each in records if each["kind"] == kind)
        assert count("use-opening") == count("use-closing"), (count("use-opening"), count("use-closing"))
        return count("use-opening")


class Short(unittest.TestCase):
    def test_L2_K2_visitors_come_and_go_and_nothing_stays(self):
        visitors = Visitors()
        try:
            for kind in Visitors.kinds:
                visitors.visit(kind)
            before = visitors.weigh()
            for kind in Visitors.kinds:
                # What listens to the end of its time takes long, and was done once.
                if kind not in (Visitors.hears_another, Visitors.hears_two_alike):
                    visitors.visit(kind)
            after = visitors.weigh()
            self.assertLessEqual(after["nodes"], before["nodes"] + 60, (before, after))
            self.assertLessEqual(after["listeners"], before["listeners"] + 60, (before, after))
            self.assertLessEqual(after["descriptors"], before["descriptors"] + 2, (before, after))
            self.assertLessEqual(after["threads"], before["threads"] + 4, (before, after))
            self.assertGreaterEqual(visitors.check_closed(), 10)
            self.assertGreaterEqual(len(visitors.outcomes), 5, visitors.outcomes)
            for kind in (Visitors.hears_too_little, Visitors.finds_no_microphone,
                         Visitors.loses_the_daemon):
                visitors.visit(kind)
            for ending in ("There was not enough sound", "The microphone could not be opened"):
                self.assertTrue(any(ending in words for words in visitors.endings), visitors.endings)
        finally:
            visitors.close()


LIMITS = {"nodes": 100, "listeners": 100, "descriptors": 4, "threads": 4, "page heap KiB": 4096,
          "daemon KiB": 16384}


def main(taps, seconds):
    visitors = Visitors(seed=int(os.environ.get("SEED", "1")))
    began = time.monotonic()
    # What takes as long as a listening may is done less often than what ends at once.
    weights = [0.3 if kind in (Visitors.hears_another, Visitors.hears_two_alike) else 1
               for kind in Visitors.kinds]
    # The page lives on and on; each daemon is weighed from its first fifty taps to its end.
    page, daemon, life = None, None, 0
    try:
        begun, answered = visitors.times(20)
        own = visitors.own_start(20)
        for name, times in (("tap to listening, the microphone's own start included", begun),
                            ("the microphone's own start, ALSA alone", own),
                            ("closing to answer", answered)):
            print(f"{name}: median {times[len(times) // 2]:.0f} ms, worst {times[-1]:.0f}", flush=True)
        print(f"load {os.getloadavg()[0]:.1f}", flush=True)
        visitors.tab.go(visitors.kiosk.address + "/")
        visitors.begin()
        while visitors.taps < taps:
            kind = visitors.random.choices(Visitors.kinds, weights)[0]
            if visitors.taps - life >= 250:
                for kind in Visitors.rare:
                    visitors.visit(kind)
                life, daemon = visitors.taps, None
                continue
            visitors.visit(kind)
            wait = began + seconds * visitors.taps / taps - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            if visitors.taps % 50 == 0:
                weight = visitors.weigh()
                page, daemon = page or weight, daemon or weight
                print(f"{visitors.taps} taps, {time.monotonic() - began:.0f} s: {weight}", flush=True)
                for name, limit in LIMITS.items():
                    first = page if name in ("nodes", "listeners", "page heap KiB") else daemon
                    assert weight[name] <= first[name] + limit, f"{name} grew: {first} {weight}"
        opened = visitors.check_closed()
        print(f"{visitors.taps} taps in {time.monotonic() - began:.0f} s, {opened} uses, every one closed. "
              f"First {page}, last {visitors.weigh()}.\nWhat came of them: {visitors.outcomes}\n"
              f"What they read: {sorted(visitors.endings)}\n"
              f"Seconds each took: {({name: round(sum_) for name, sum_ in visitors.seconds.items()})}")
    finally:
        visitors.close()


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 0)
