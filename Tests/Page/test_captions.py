"""Captions and content in time on the page, with the daemon's clock (rules B7, C11, L4)."""

import json
import os
import time
import unittest

from browser import Browser
from kiosk import Kiosk

SHOWN = "document.querySelector('%s')"


class Captions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kiosk, cls.browser = Kiosk(captions=True), Browser()
        cls.tab = cls.browser.tab()
        cls.tab.size(1280, 800)
        if os.environ.get("EARSHOT_PAGE"):
            cls.tab.serve_from(os.environ["EARSHOT_PAGE"])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.kiosk.close()

    def setUp(self):
        self.tab.go(self.kiosk.link())
        self.tab.wait("document.readyState === 'complete' && " + SHOWN % ".start .listen")
        self.tab.evaluate("import('/page/main.js').then((m) => { window.stage = m.stage; })")
        self.tab.wait("stage.isReady()")
        self.tab.messages.clear()

    def tearDown(self):
        self.kiosk.silence()

    def shown(self, selector, seconds=15):
        self.tab.wait(SHOWN % selector, seconds)

    def text(self, selector):
        return self.tab.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")

    def choose(self, title):
        self.tab.press(".start .actions .quiet:first-child")
        self.shown(".choose")
        titles = self.tab.evaluate("[...document.querySelectorAll('.entry-title')].map((e) => e.textContent)")
        self.tab.press(f".list li:nth-child({titles.index(title) + 1}) .entry")
        self.shown(".item")

    def test_C11_captions_by_hand_need_no_microphone_and_O50_cues_are_text(self):
        before = self.kiosk.earshot("consent", "export").stdout
        self.choose("The Lighthouse")
        self.tab.press(".item .actions button")
        self.shown(".captions-screen .cue")
        self.assertRegex(self.text(".cue"), r"^second \d+ <b><img src=x onerror=alert\(1\)>$")
        # The one look of the fixed list that the file asks for, and no other element.
        self.assertEqual(self.tab.evaluate(
            "[...document.querySelectorAll('.cue *')].map((e) => e.tagName).sort().join()"), "I,SPAN,SPAN")
        self.assertFalse(self.kiosk.is_open())
        first = self.text(".cue")
        self.tab.wait(f"document.querySelector('.cue')?.textContent !== {json.dumps(first)} && document.querySelector('.cue')", 5)
        # The step of the lesson comes with its place and goes with it.
        self.tab.wait("document.querySelector('.part')?.hidden === false", 8)
        self.assertEqual(self.text(".part h2"), "The Lamp Room")
        self.tab.wait("document.querySelector('.part img')?.naturalWidth === 800")
        self.shown(".part .code")
        self.tab.wait("document.querySelector('.part').hidden === true", 8)
        # The video in sign language runs along.
        self.tab.wait("document.querySelector('video.sign')?.readyState >= 2")
        self.tab.wait("!document.querySelector('video.sign').paused", 5)
        off = self.tab.wait(
            "(() => { const at = stage.page.captions.clock; const v = document.querySelector('video.sign');"
            " const off = at.offset + (performance.now() - at.began) / 1000 * at.speed - v.currentTime;"
            " return Math.abs(off) < 0.2 && String(off); })()", 5)
        self.assertLess(abs(float(off)), 0.2)
        # What the visitor sets.
        self.tab.press("[data-key=colors][data-value=yellow]")
        self.tab.press("[data-key=size][data-value='3']")
        self.assertIn("size-3 colors-yellow", self.tab.evaluate("document.querySelector('.captions-stage').className"))
        self.tab.press(".option:nth-child(4) button:nth-child(2)")
        self.tab.wait("document.querySelector('.cue')?.textContent.startsWith('초')", 5)
        self.tab.press(".captions-options .leave")
        self.shown(".item")
        self.assertEqual(self.tab.messages, [])
        self.assertEqual(
            json.loads(self.kiosk.earshot("consent", "export").stdout)["records"],
            json.loads(before)["records"], "nothing was asked and nothing recorded")

    def test_B7_captions_of_a_heard_place_ask_for_listening_by_itself_and_end_with_the_visit(self):
        self.kiosk.play("tune-3")
        self.tab.press(".listen")
        self.shown("dialog.prompt")
        self.tab.press("[data-choice=allow-once]")
        self.shown(".item, .ambiguous", 20)
        self.shown("dialog.prompt")
        self.tab.press("[data-choice=not-now]")
        self.tab.wait("!document.querySelector('dialog')")
        self.tab.press(".item .actions button")
        self.shown("dialog.prompt")
        choices = self.tab.evaluate("[...document.querySelectorAll('.choice')].map((e) => e.dataset.choice)")
        self.assertEqual(choices, ["allow-captions", "deny"])
        # Captions run while the question is there.
        self.shown(".captions-screen .cue")
        self.tab.press("[data-choice=allow-captions]")
        self.tab.wait("!document.querySelector('dialog')")
        # The cue on the screen is the one of the sound that is in the air, to within its length.
        at = self.tab.evaluate("[document.querySelector('.cue')?.textContent, document.querySelector('.captions-time').textContent]")
        self.assertIsNotNone(at[0])
        second, position = int(at[0].split()[1]), int(at[1].split(":")[1][:2])
        self.assertLessEqual(abs(position - second), 3, at)
        self.tab.evaluate("stage.context.done()")
        self.shown(".start")
        time.sleep(0.5)
        choices = json.loads(self.kiosk.earshot("consent", "export").stdout)["records"]
        kinds = [each["kind"] for each in choices]
        self.assertIn("withdrawal", kinds)
        self.assertFalse(self.kiosk.is_open())

    def test_captions_by_keyboard_alone_without_motion(self):
        def act(selector):
            for _ in range(60):
                if self.tab.evaluate(f"document.activeElement?.matches({json.dumps(selector)})"):
                    return self.tab.key("Enter")
                self.tab.key("Tab")
            self.fail(f"{selector} can't be reached")

        self.tab.reduce_motion()
        try:
            act(".start .actions .quiet:first-child")
            self.shown(".choose")
            at = self.tab.evaluate("[...document.querySelectorAll('.entry-title')].findIndex("
                                   "(each) => each.textContent === 'The Lighthouse') + 1")
            act(f".list li:nth-child({at}) .entry")
            self.shown(".item")
            act(".item .actions button:first-child")
            self.shown(".captions-screen .cue")
            for key, value in [("colors", "dark"), ("place", "top"), ("size", "2")]:
                act(f"[data-key={key}][data-value='{value}']")
            self.assertIn("size-2 colors-dark place-top", self.tab.evaluate("document.querySelector('.captions-stage').className"))
            act(".option:nth-child(4) button:nth-child(2)")
            self.tab.wait("document.querySelector('.cue')?.textContent.startsWith('초')", 5)
            act(".captions-options .leave")
            self.shown(".item")
            self.tab.key("Home")
            self.shown(".start")
        finally:
            self.tab.send("Emulation.setEmulatedMedia", {"features": []})

    def test_B7_a_lost_place_is_found_again_by_a_press(self):
        self.kiosk.play("tune-3-end")
        self.tab.press(".listen")
        self.shown("dialog.prompt")
        self.tab.press("[data-choice=allow-once]")
        self.shown(".item", 20)
        self.shown("dialog.prompt")
        self.tab.press("[data-choice=not-now]")
        self.tab.wait("!document.querySelector('dialog')")
        self.tab.press(".item .actions button")
        self.shown("dialog.prompt")
        self.tab.press("[data-choice=deny]")
        self.tab.wait("!document.querySelector('dialog')")
        # The film ends, and with it what is known of the place: no cue is left on the screen.
        self.tab.wait("document.querySelector('.again')?.hidden === false", 15)
        self.assertEqual(self.text(".captions-status"), "The place is lost. Find it again with a press.")
        self.assertIsNone(self.tab.evaluate("document.querySelector('.cue')"))
        self.assertFalse(self.kiosk.is_open(), "nothing listens by itself after 'Don't Allow'")
        self.kiosk.silence()
        self.kiosk.play("tune-3")
        self.tab.press(".again")
        self.tab.wait("document.querySelector('.indicator').matches(':popover-open')", 5)
        self.shown(".captions-screen .cue", 20)
        self.assertFalse(self.kiosk.is_open())
        self.assertTrue(self.tab.evaluate("document.querySelector('.again').hidden"))
        self.assertEqual(self.tab.messages, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
