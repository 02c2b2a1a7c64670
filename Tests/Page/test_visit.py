"""Visits from the first touch to the last, in a real browser, with a real daemon and its room."""

import http.server
import json
import os
import subprocess
import threading
import time
import unittest

from browser import Browser
from kiosk import Relay, PROGRAMS, Kiosk, request

SHOWN = "document.querySelector('%s')"


class Visits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kiosk = Kiosk()
        cls.network = Relay(cls.kiosk)
        cls.browser = Browser(relay=cls.network)
        cls.tab = cls.browser.tab()
        cls.tab.size(1280, 800)
        if os.environ.get("EARSHOT_PAGE"):
            cls.tab.serve_from(os.environ["EARSHOT_PAGE"])
        cls.tab.go(cls.kiosk.link())
        cls.tab.wait(SHOWN % ".start")

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.network.close()
        cls.kiosk.close()

    def setUp(self):
        self.network.cut(False)
        self.tab.go(self.kiosk.address + "/")
        self.tab.wait("document.readyState === 'complete' && " + SHOWN % ".start .listen")
        self.tab.evaluate("import('/page/main.js').then((m) => { window.stage = m.stage; })")
        self.tab.wait("stage.isReady()")
        self.tab.messages.clear()

    def tearDown(self):
        self.kiosk.silence()
        self.assertFalse(self.kiosk.is_open(), "the microphone is closed")

    def shown(self, selector, seconds=15):
        self.tab.wait(SHOWN % selector, seconds)

    def is_shown(self, selector):
        return self.tab.evaluate(f"document.querySelector({json.dumps(selector)}) !== null")

    def text(self, selector):
        return self.tab.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")

    def records(self):
        """The ledger's consent records as they stand."""
        return [json.loads(each["record"]) if isinstance(each["record"], str) else each["record"]
                for each in self.kiosk.uses()["records"] if each["kind"] == "consent"]

    def press_and(self, choice):
        self.tab.press(".listen")
        self.shown("dialog.prompt")
        self.tab.press(f"[data-choice={choice}]")

    def find(self):
        """One listening to the museum's item, with 'Not Now' as the answer to the question after."""
        self.kiosk.play("tune-1")
        self.press_and("allow-once")
        self.shown(".item")
        self.shown("dialog.prompt")
        self.tab.press("[data-choice=not-now]")
        self.tab.wait("!document.querySelector('dialog')")

    def test_B2_B4_L4_a_visit_from_the_press_to_the_answer(self):
        self.kiosk.play("tune-1")
        self.tab.press(".listen")
        self.shown("dialog.prompt")
        self.assertFalse(self.kiosk.is_open(), "nothing is opened before the answer")
        self.assertIn("red bar", self.text(".prompt .reminder"))
        before = len(self.records())
        self.tab.press("[data-choice=allow-once]")
        self.shown(".listening")
        self.assertTrue(self.tab.evaluate("document.querySelector('.indicator').matches(':popover-open')"))
        self.assertTrue(self.kiosk.is_open())
        self.shown(".item")
        self.assertFalse(self.tab.evaluate("document.querySelector('.indicator').matches(':popover-open')"))
        self.assertFalse(self.kiosk.is_open(), "closed before the answer is shown")
        self.assertEqual(self.text(".item h1"), "Evening at the Harbour")
        self.shown("dialog.prompt")
        self.tab.press("[data-choice=not-now]")
        self.tab.wait("!document.querySelector('dialog')")
        # The picture came from the daemon, the link's code was drawn, and the position moves.
        self.tab.wait("document.querySelector('img.artwork')?.naturalWidth === 800")
        self.assertTrue(self.is_shown(".code"))
        first = self.tab.evaluate("document.querySelector('progress').value")
        time.sleep(0.7)
        moved = self.tab.evaluate("document.querySelector('progress').value") - first
        self.assertTrue(0.3 < moved < 2, moved)
        # The second press asks no more, and leaves a record whose text is the label and the purpose.
        self.tab.press(".item .secondary")
        self.tab.press(".listen")
        self.shown(".listening")
        self.shown(".item")
        time.sleep(0.3)
        self.assertFalse(self.is_shown("dialog"), "S2: 'Not Now' holds for the visit")
        new = self.records()[before:]
        self.assertEqual([each["event"]["event_type"] for each in new], ["prompt", "press"])
        self.assertEqual(new[1]["privacy_notice"]["title"], "Listen")
        self.assertTrue(new[1]["privacy_notice"]["text"].startswith("Your device listens"))
        self.assertEqual({each["pii_principal_id"][:6] for each in new}, {"visit:"})
        self.assertEqual([each["scope"]["kind"] for each in new], ["once", "once"])
        self.assertEqual(self.tab.messages, [])

    def test_K2_the_next_visitor_finds_the_first_screen_pixel_for_pixel(self):
        time.sleep(0.3)
        fresh = self.tab.picture()
        self.tab.press(".languages [lang=ru]")
        self.tab.press(".sizes .size:last-child")
        self.tab.wait("document.documentElement.className.includes('scale-125')")
        self.find()
        self.assertNotEqual(self.tab.picture(), fresh)
        self.tab.press(".item .primary")
        self.shown(".start")
        self.tab.press_at(640, 790)
        time.sleep(0.4)
        self.tab.evaluate("stage.context.done()")
        self.shown(".start")
        time.sleep(0.4)
        self.assertEqual(self.tab.picture(), fresh)
        words = json.dumps(self.kiosk.uses()["records"])
        self.assertNotIn("Harbour", words)
        for folder, _, names in os.walk(self.kiosk.folder + "/state"):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    self.assertNotIn(b"Harbour", file.read(), name)
        # A consent of the last visit is none of this one's.
        self.tab.press(".listen")
        self.shown("dialog.prompt")

    def test_B3_C8_dont_allow_is_final_until_it_is_changed_with_one_press(self):
        self.press_and("deny")
        self.shown(".outcome")
        self.assertIn("Everything can be chosen by hand", self.text(".outcome .lead"))
        self.tab.press(".outcome .primary")
        self.tab.press(".listen")
        self.shown(".outcome")
        self.assertFalse(self.is_shown("dialog"))
        self.tab.press(".outcome .quiet")
        self.shown(".privacy")
        self.assertEqual(self.text(".switch [aria-pressed=true]"), "Don't Allow")
        # R5: to any other, one press each.
        for index, word in [(2, "Allow"), (3, "Don't Allow"), (2, "Allow"), (1, "Ask")]:
            self.tab.press(f".choice-row:first-child .switch button:nth-child({index})")
            self.tab.wait("document.querySelector('.switch [aria-pressed=true]').textContent === "
                          + json.dumps(word))
        self.tab.press(".privacy .actions .secondary")
        self.tab.press(".listen")
        self.shown("dialog.prompt")

    def test_T1_the_privacy_screen_shows_the_daemons_own_label(self):
        said = json.loads(self.kiosk.earshot("privacy", "--json").stdout)
        self.tab.press(".start .actions .quiet:last-child")
        self.shown(".label-list")
        shown = self.tab.evaluate(
            "[...document.querySelectorAll('.label-list > div')].map((each) => ({"
            "title: each.querySelector('dt').textContent,"
            "entries: [...each.querySelectorAll('dd')].map((entry) => entry.textContent)}))")
        self.assertEqual(shown, said["sections"])
        self.assertTrue(any("random name" in entry for each in shown for entry in each["entries"]))
        self.tab.press(".languages [lang=ko]")
        self.tab.wait("document.querySelector('.label-list dt')?.textContent === '수집'")

    def test_C7_escape_home_and_the_home_button_dismiss_and_record_nothing(self):
        before = len(self.records())
        for leave, screen in [
                (lambda: self.tab.key("Escape"), ".outcome"), (lambda: self.tab.key("Home"), ".start"),
                (lambda: self.tab.press(".prompt-home"), ".start")] * 2:
            self.tab.press(".listen")
            self.shown("dialog.prompt")
            leave()
            self.shown(screen)
            self.assertFalse(self.is_shown("dialog"))
            if screen == ".outcome":
                self.tab.press(".outcome .primary")
            self.tab.wait("stage.page.listening === null && " + SHOWN % ".listen")
        self.assertEqual(len(self.records()), before)
        self.assertEqual(self.kiosk.earshot("consent", "log", "--json").stdout.count("visit:"), 0)

    def test_C6_return_does_nothing_and_both_answers_are_two_keys_away(self):
        self.tab.press(".listen")
        self.shown("dialog.prompt")
        self.tab.key("Enter")
        time.sleep(0.2)
        self.assertTrue(self.is_shown("dialog.prompt"))
        stops = []
        for _ in range(5):
            self.tab.key("Tab")
            stops.append(self.tab.evaluate(
                "document.activeElement.dataset.choice ?? document.activeElement.className"))
        self.assertEqual(stops, ["allow-once", "allow-open", "deny", "prompt-home", "allow-once"])
        self.tab.key("Tab", shift=True)
        self.tab.key("Tab", shift=True)
        self.tab.key("Enter")
        self.shown(".outcome")
        self.assertIn("You decided", self.text(".outcome .lead"))

    def test_everything_works_by_keyboard_alone(self):
        self.kiosk.play("tune-1")

        def reach(selector):
            for _ in range(40):
                if self.tab.evaluate(f"document.activeElement?.matches({json.dumps(selector)})"):
                    return
                self.tab.key("Tab")
            self.fail(f"{selector} can't be reached")

        reach(".listen")
        self.tab.key("Enter")
        self.shown("dialog.prompt")
        self.tab.key("Tab")
        self.tab.key(" ")
        self.shown(".item")
        self.shown("dialog.prompt")
        reach("[data-choice=save]")
        self.tab.key("Enter")
        self.tab.wait("document.querySelector('.saved')?.hidden === false")
        reach(".item .secondary")
        self.tab.key("Enter")
        reach(".start .actions .quiet:last-child")
        self.tab.key("Enter")
        self.shown(".privacy")
        self.assertIn("Evening at the Harbour", self.text(".saved-row"))
        reach(".saved-row button")
        self.tab.key("Enter")
        self.tab.wait("!document.querySelector('.saved-row')")
        reach(".privacy .primary")
        self.tab.key("Enter")
        self.shown(".start")

    def test_K3_language_and_text_size_come_before_any_question(self):
        self.tab.press(".languages [lang=zh-Hans]")
        self.tab.press(".sizes .size:last-child")
        self.tab.wait("document.documentElement.lang === 'zh-Hans' && document.documentElement.className.includes('scale-125')")
        self.assertTrue(self.is_shown(".start"))
        self.tab.press(".listen")
        self.shown("dialog.prompt")
        self.assertEqual(self.text("[data-choice=deny]"), "不允许")
        self.assertEqual(self.tab.evaluate("document.querySelector('dialog').lang"), "zh-Hans")

    def test_B6_a_button_under_the_fixed_line_is_scrolled_up_and_not_at_fault(self):
        self.tab.size(360, 640)
        try:
            for _ in range(4):
                self.tab.press(".sizes .size:last-child")
            self.tab.evaluate("scrollTo(0, 0); true")
            box = self.tab.evaluate(
                "(() => { const b = document.querySelector('.listen').getBoundingClientRect();"
                " return [b.x + b.width / 2, Math.min(b.y + 20, innerHeight - 140)]; })()")
            self.tab.press_at(*box)
            self.shown("dialog.prompt")
        finally:
            self.tab.size(1280, 800)

    def test_A1_S3_erasing_asks_once_and_no_two_alerts_are_there_at_once(self):
        self.tab.press(".start .actions .quiet:last-child")
        self.shown(".privacy")
        self.tab.evaluate("stage.context.removeAll()")
        self.shown("dialog.alert")
        self.assertEqual(self.text("dialog.alert h2"), "Remove All Saved Titles?")
        self.assertEqual(
            self.tab.evaluate("[...document.querySelectorAll('dialog.alert button')].map((e) => e.className)"),
            ["secondary", "danger"])
        self.assertEqual(self.tab.evaluate("document.activeElement.className"), "alert")
        self.tab.evaluate("stage.page.lastInput -= 50000; true")
        self.tab.wait("document.querySelector('dialog.alert h2').textContent === 'Still Here?'", 3)
        self.assertEqual(self.tab.evaluate("document.querySelectorAll('dialog').length"), 1)
        self.tab.key("Escape")
        self.tab.wait("!document.querySelector('dialog')")
        self.assertTrue(self.is_shown(".privacy"))

    def test_C2_a_script_can_neither_press_nor_answer(self):
        self.tab.evaluate("document.querySelector('.listen').click()")
        self.tab.evaluate("document.querySelector('.listen').dispatchEvent(new PointerEvent('click', {bubbles: true}))")
        time.sleep(0.5)
        self.assertTrue(self.is_shown(".start"))
        self.tab.press(".listen")
        self.shown("dialog.prompt")
        self.tab.evaluate("document.querySelector('[data-choice=allow-once]').click()")
        time.sleep(0.5)
        self.assertTrue(self.is_shown("dialog.prompt"))

    def test_E6_a_covered_prompt_is_inert(self):
        self.tab.press(".listen")
        self.shown("dialog.prompt")
        self.tab.evaluate(
            "(() => { const d = document.createElement('div'); d.popover = 'manual'; d.id = 'over';"
            "d.style.cssText = 'width: 40px; height: 40px; inset: auto; left: 600px; top: 500px;"
            "pointer-events: auto'; document.body.append(d); d.showPopover();"
            "const b = document.querySelector('[data-choice=deny]').getBoundingClientRect();"
            "d.style.left = b.x + 'px'; d.style.top = b.y + 'px'; return true; })()")
        self.tab.press("[data-choice=allow-once]")
        time.sleep(0.4)
        self.assertTrue(self.is_shown("dialog.prompt"), "while one button is covered, none acts")
        self.tab.evaluate("document.getElementById('over').remove()")
        self.tab.press("[data-choice=deny]")
        self.shown(".outcome")

    def test_no_match_and_silence_have_a_next_step(self):
        self.press_and("allow-once")
        self.shown(".outcome")
        self.assertIn(self.text(".outcome h1"), ["There was nothing to hear", "The microphone is muted"])
        self.tab.press(".outcome .primary")
        self.kiosk.play("tune-99")
        self.tab.press(".listen")
        self.shown(".listening")
        self.tab.wait("document.querySelector('.outcome h1')?.textContent === 'Nothing here matches'", 20)
        self.tab.press(".outcome .secondary")
        self.shown(".choose")

    def test_pieces_that_begin_alike_are_ambiguous_and_the_visitor_chooses(self):
        self.kiosk.play("tune-4")
        self.press_and("allow-once")
        self.shown(".ambiguous", 20)
        self.assertFalse(self.kiosk.is_open())
        titles = self.tab.evaluate("[...document.querySelectorAll('.entry-title')].map((e) => e.textContent)")
        self.assertEqual(sorted(titles), ["March in the First Hall", "Waltz in the Second Hall"])
        self.tab.press(".list li:nth-child(2) .entry")
        self.tab.wait(f"document.querySelector('.item h1')?.textContent === {json.dumps(titles[1])}")
        self.assertFalse(self.is_shown("progress"), "where it is was not told, so none is shown")

    def test_an_item_that_goes_round_is_an_answer_without_a_place(self):
        self.kiosk.play("tune-6")
        self.press_and("allow-once")
        self.shown(".item", 20)
        self.assertEqual(self.text(".item h1"), "Round and Round")
        self.assertFalse(self.is_shown("progress"), "none of its equal places is told as the one")

    def test_L2_stop_closes_at_once(self):
        self.kiosk.play("tune-99")
        self.press_and("allow-once")
        self.shown(".listening")
        self.tab.key("Escape")
        self.shown(".outcome")
        self.tab.wait("!document.querySelector('.indicator').matches(':popover-open')", 2)
        self.assertFalse(self.kiosk.is_open())

    def test_L2_a_reload_in_the_middle_closes_at_once_and_the_question_comes_anew(self):
        self.kiosk.play("tune-99")
        self.press_and("allow-once")
        self.shown(".listening")
        self.assertTrue(self.kiosk.is_open())
        self.tab.send("Page.reload")
        deadline = time.monotonic() + 3
        while self.kiosk.is_open() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertFalse(self.kiosk.is_open(), "a page that is gone hears nothing")
        self.tab.wait("document.readyState === 'complete' && " + SHOWN % ".start .listen")
        self.tab.evaluate("import('/page/main.js').then((m) => { window.stage = m.stage; })")
        self.tab.wait("window.stage?.isReady()")
        self.tab.press(".listen")
        self.shown("dialog.prompt")
        self.tab.key("Escape")

    def test_L4_a_second_tab_shows_that_the_microphone_is_open(self):
        other = self.browser.tab()
        other.size(1280, 800)
        other.go(self.kiosk.address + "/")
        other.wait(SHOWN % ".start .listen")
        indicator = "document.querySelector('.indicator').matches(':popover-open')"
        self.kiosk.play("tune-99")
        self.press_and("allow-once")
        self.shown(".listening")
        other.wait(indicator, 3)
        self.tab.key("Escape")
        self.shown(".outcome")
        other.wait("!" + indicator, 3)
        other.go("about:blank")

    def test_C11_every_item_can_be_chosen_by_hand_and_O50_its_words_are_text(self):
        self.tab.press(".start .actions .quiet:first-child")
        self.shown(".choose")
        titles = self.tab.evaluate("[...document.querySelectorAll('.entry-title')].map((e) => e.textContent)")
        self.assertEqual(len(titles), 7)
        hostile = next(each for each in titles if "onerror" in each)
        self.assertTrue(hostile.startswith("<img src=x"))
        index = titles.index(hostile) + 1
        self.tab.press(f".list li:nth-child({index}) .entry")
        self.shown(".item")
        time.sleep(0.5)
        self.assertEqual(self.text(".item h1"), hostile)
        self.assertEqual(self.text(".genres li"), "<b>Rock</b>")
        self.assertEqual(self.tab.evaluate("document.title"), "Museum of Sound")
        self.assertFalse(self.is_shown("main script, main svg script, main b"))
        # What is no picture is not given out as one; the title's first letter stands there.
        self.tab.wait("document.querySelector('.artwork.blank') && !document.querySelector('img')")
        self.assertFalse(self.is_shown("a[href]"), "a web link is never one to follow here")
        self.assertEqual(
            [each for each in self.tab.requests if not each.startswith(self.kiosk.address)], [],
            "T4: nothing outside is asked for")

    def test_K1_an_idle_visit_warns_and_ends(self):
        self.tab.press(".languages [lang=ko]")
        self.tab.evaluate("stage.page.lastInput -= 48000; true")
        self.shown("dialog.alert", 3)
        self.tab.press("dialog.alert .primary")
        self.tab.wait("!document.querySelector('dialog')")
        self.assertEqual(self.tab.evaluate("document.documentElement.lang"), "ko")
        self.tab.evaluate("stage.page.lastInput -= 48000; true")
        self.shown("dialog.alert", 3)
        self.tab.evaluate("stage.page.lastInput -= 20000; true")
        self.tab.wait("!document.querySelector('dialog') && document.documentElement.lang === 'en'", 3)

    def test_a_page_without_network_closes_the_microphone_and_comes_back(self):
        self.kiosk.play("tune-99")
        self.press_and("allow-once")
        self.shown(".listening")
        self.network.cut(True)
        try:
            self.tab.wait("document.querySelector('.outcome h1')?.textContent === 'One moment'", 5)
            deadline = time.monotonic() + 3
            while self.kiosk.is_open() and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertFalse(self.kiosk.is_open(), "closing the connection closes the microphone")
        finally:
            self.network.cut(False)
        self.shown(".start .listen", 20)

    def test_a_cut_network_closes_the_microphone_and_the_page_comes_back(self):
        self.kiosk.play("tune-99")
        self.press_and("allow-once")
        self.shown(".listening")
        self.kiosk.stop()
        self.tab.wait("document.querySelector('.outcome h1')?.textContent === 'One moment'", 5)
        self.assertFalse(self.tab.evaluate("document.querySelector('.indicator').matches(':popover-open')"))
        port = int(self.kiosk.address.rsplit(":", 1)[1])
        self.kiosk.write_settings({"port": port, "name": "Museum of Sound"})
        self.kiosk.start()
        self.shown(".start .listen", 20)
        self.tab.wait("stage.isReady()")
        self.tab.press(".listen")
        self.shown("dialog.prompt")


class Explained(unittest.TestCase):
    def test_E1_E3_the_explanation_comes_once_and_leads_to_the_prompt(self):
        kiosk = Kiosk(explanation={
            "version": 1, "icon": "ear", "action": "continue", "texts": {"en": {
                "title": "Find out what is playing", "sentences": [
                    "This room has music in it.", "Next, you will be asked for your decision."]}}})
        browser = Browser()
        try:
            tab = browser.tab()
            tab.size(1280, 800)
            if os.environ.get("EARSHOT_PAGE"):
                tab.serve_from(os.environ["EARSHOT_PAGE"])
            # A finger stays down long enough for the visit to be known when it goes up again.
            held = "stage.page.visit !== null"
            for tap, leave in [(dict(held=held), lambda: tab.press(".explanation .primary")),
                               (dict(held=held), lambda: tab.key("Escape")),
                               (dict(), lambda: tab.press_at(60, 400)),
                               (dict(held=held), lambda: tab.press_at(60, 400)),
                               (dict(times=2), lambda: tab.key("Escape"))]:
                tab.go(kiosk.link())
                tab.wait("document.readyState === 'complete' && " + SHOWN % ".start .listen")
                tab.evaluate("import('/page/main.js').then((m) => { window.stage = m.stage; })")
                tab.wait("stage.isReady()")
                tab.press(".listen", **tap)
                tab.wait(SHOWN % ".explanation")
                self.assertFalse(tab.evaluate("document.querySelector('dialog') !== null"))
                leave()
                tab.wait(SHOWN % "dialog.prompt")
                tab.key("Escape")
                tab.wait(SHOWN % ".outcome")
                tab.press(".outcome .primary")
                tab.press(".listen")
                tab.wait(SHOWN % "dialog.prompt")
                self.assertFalse(tab.evaluate("document.querySelector('.explanation') !== null"))
                tab.key("Escape")
        finally:
            browser.close()
            kiosk.close()


class Unreadable(unittest.TestCase):
    def test_B6_a_button_that_cant_be_read_grants_nothing_and_says_so(self):
        kiosk = Kiosk(theme={"version": 1, "labelColor": "#6F8F9A"})
        browser = Browser()
        try:
            tab = browser.tab()
            tab.go(kiosk.link())
            tab.wait(SHOWN % ".faulty")
            self.assertIn("Please tell the staff", tab.evaluate("document.querySelector('.faulty').textContent"))
            self.assertFalse(tab.evaluate("document.querySelector('.listen') !== null"))
            self.assertIn("grants nothing", kiosk.words())
            said = subprocess.run(
                [f"{PROGRAMS}/earshot", "kiosk", "check", "--configuration",
                 f"{kiosk.folder}/config/earshot/earshot.json"], capture_output=True, text=True)
            self.assertEqual(said.returncode, 2)
            self.assertIn("labelColor", said.stdout)
        finally:
            browser.close()
            kiosk.close()


HOSTILE_PAGE = """<!doctype html><meta charset=utf-8><title>hostile</title>
<iframe id=frame src="{kiosk}/"></iframe>
<form id=form method=post enctype=text/plain target=sink action="{kiosk}/v1/press"><input name='{{"a":"' value='"}}'></form>
<iframe name=sink></iframe>
<img src="{kiosk}/v1/items"><script src="{kiosk}/page/main.js" type=module></script>
<link rel=stylesheet href="{kiosk}/page/page.css">
<script>
window.results = {{}};
const note = (name, promise) => promise.then((v) => results[name] = v, (e) => results[name] = 'failed');
const post = {{method: 'POST', credentials: 'include', body: '{{}}'}};
note('press', fetch('{kiosk}/v1/press', post).then((r) => r.status));
note('json', fetch('{kiosk}/v1/visit', {{...post, headers: {{'Content-Type': 'application/json'}}}}).then((r) => r.status));
note('opaque', fetch('{kiosk}/v1/press', {{...post, mode: 'no-cors'}}).then((r) => r.type));
note('read', fetch('{kiosk}/v1/items', {{credentials: 'include'}}).then((r) => r.text()));
note('end', fetch('{kiosk}/v1/visit', {{method: 'DELETE', credentials: 'include'}}).then((r) => r.status));
const source = new EventSource('{kiosk}/v1/events', {{withCredentials: true}});
source.onopen = () => results.events = 'open';
source.onerror = () => results.events ??= 'failed';
document.getElementById('form').submit();
navigator.sendBeacon('{kiosk}/v1/press', '{{}}');
const other = window.open('{kiosk}/');
setTimeout(() => {{
  try {{ results.window = other.document.title; }} catch {{ results.window = 'failed'; }}
  try {{ results.frame = document.getElementById('frame').contentDocument?.title ?? 'failed'; }} catch {{ results.frame = 'failed'; }}
  results.done = true;
}}, 1500);
</script>"""


class Hostile(unittest.TestCase):
    def test_O51_nothing_of_the_page_is_reachable_from_a_hostile_page(self):
        kiosk, browser = Kiosk(), Browser()
        try:
            # The same host on another port: for cookies it is the same site, so they are sent.
            page = HOSTILE_PAGE.format(kiosk=kiosk.address).encode()
            seen = []

            class Answer(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    seen.append(self.headers.get("Cookie"))
                    self.send_response(200)
                    self.send_header("Content-Type", "text/html")
                    self.end_headers()
                    self.wfile.write(page)

                def log_message(self, *arguments):
                    pass

            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            tab = browser.tab()
            tab.go(kiosk.link())
            tab.wait(SHOWN % ".start")
            hostile = browser.tab()
            hostile.go(f"http://127.0.0.1:{server.server_port}/")
            hostile.wait("window.results?.done", 15)
            results = hostile.evaluate("results")
            for name in ["press", "json", "read", "end", "events", "window", "frame"]:
                self.assertEqual(results[name], "failed", f"{name}: {results}")
            # What could be sent without being read was refused: no visit, no prompt, no use.
            self.assertEqual(json.loads(kiosk.earshot("consent", "export").stdout)["records"], [])
            self.assertFalse(kiosk.is_open())
            self.assertTrue(tab.evaluate("document.querySelector('.start .listen') !== null"))
            # A name that was bent to this address (DNS rebinding) is another site's.
            port = kiosk.address.rsplit(":", 1)[1]
            status, _, _ = request(f"http://127.0.0.1:{port}/", headers={"Host": f"evil.example:{port}"})
            self.assertEqual(status, 421)
            server.shutdown()
            server.server_close()
        finally:
            browser.close()
            kiosk.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
