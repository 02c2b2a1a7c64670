"""Every screen in every language: accessible, readable, inside its frame (rules B6, C5, C6, E1, E6)."""

import json
import os
import re
import struct
import subprocess
import tempfile
import time
import unittest

from browser import Browser
from kiosk import PROGRAMS, Kiosk

LANGUAGES = ["en", "ru", "zh-Hans", "ko"]
SIZES = [(1280, 800), (1080, 1920), (800, 480), (360, 640)]
AXE = os.environ["EARSHOT_AXE"]
BOXES = """[...document.querySelectorAll('%s')].map((each) => {
  const b = each.getBoundingClientRect(), s = getComputedStyle(each);
  return {x: b.x, y: b.y, width: b.width, height: b.height, bottom: b.bottom, right: b.right,
    look: [s.color, s.backgroundColor, s.fontWeight, s.fontSize, s.fontFamily, s.borderColor,
      s.borderWidth, s.borderRadius, s.opacity, s.textTransform].join('|'),
    lines: Math.round(each.scrollHeight / parseFloat(s.lineHeight)), text: each.textContent};
})"""


def open_page(kiosk, browser):
    tab = browser.tab()
    if os.environ.get("EARSHOT_PAGE"):
        tab.serve_from(os.environ["EARSHOT_PAGE"])
    tab.go(kiosk.link())
    tab.wait("document.querySelector('.screen.start')")
    tab.evaluate("import('/page/preview.js').then((module) => { window.preview = module; })")
    return tab


class Screens(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kiosk, cls.browser = Kiosk(catalog=False), Browser()
        cls.tab = open_page(cls.kiosk, cls.browser)
        with open(AXE, encoding="utf-8") as file:
            # The page's policy lets no script in; the protocol's own world is not bound by it.
            cls.tab.evaluate(file.read() + "; true")
        cls.names = cls.tab.evaluate("preview.names")

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.kiosk.close()

    def show(self, name, language="en", scale=100):
        self.tab.evaluate(f"preview.preview({json.dumps(name)}, {json.dumps(language)}, {scale})")

    def look_with_axe(self, scale):
        for language in LANGUAGES:
            for name in self.names:
                with self.subTest(language=language, screen=name, scale=scale):
                    self.show(name, language, scale)
                    found = self.tab.evaluate(
                        "axe.run(document, {resultTypes: ['violations']}).then((result) => "
                        "result.violations.map((each) => each.id + ': ' + "
                        "each.nodes.map((node) => node.target.join(' ') + ' ' + "
                        "(node.any[0]?.message ?? '')).join(', ')))")
                    self.assertEqual(found, [])

    def test_axe_finds_nothing_on_any_screen_in_any_language(self):
        self.tab.size(1280, 800)
        self.assertGreater(len(self.names), 20)
        self.look_with_axe(100)

    def test_axe_finds_nothing_in_the_dark_design_at_200_percent_without_motion(self):
        # The theme's own colours stay: this is the page around the button.
        self.look_with_axe_as((1280, 800), 200, "dark")

    def test_axe_finds_nothing_on_a_small_screen_without_motion(self):
        self.look_with_axe_as((360, 640), 150, "light")

    def test_axe_finds_nothing_on_a_tall_screen_in_the_dark_without_motion(self):
        self.look_with_axe_as((1080, 1920), 100, "dark")

    def look_with_axe_as(self, size, scale, design):
        self.tab.size(*size)
        self.tab.reduce_motion()
        self.tab.evaluate(f"import('/page/main.js').then((m) => {{ m.stage.page.setup.page = '{design}'; }})")
        try:
            self.look_with_axe(scale)
        finally:
            self.tab.evaluate("import('/page/main.js').then((m) => { m.stage.page.setup.page = 'light'; })")
            self.tab.send("Emulation.setEmulatedMedia", {"features": []})

    def test_every_control_of_every_screen_is_reached_by_the_keyboard_and_seen(self):
        self.tab.reduce_motion()
        try:
            for (width, height), language, scale in [
                    ((1280, 800), "en", 100), ((360, 640), "ru", 200), ((800, 480), "zh-Hans", 150),
                    ((1080, 1920), "ko", 200)]:
                self.tab.size(width, height)
                for name in self.names:
                    with self.subTest(size=(width, height), language=language, screen=name):
                        self.show(name, language, scale)
                        self.walk()
        finally:
            self.tab.send("Emulation.setEmulatedMedia", {"features": []})

    def test_L4_the_indicator_makes_room_for_itself_at_once(self):
        for (width, height), language in [((360, 640), "ru"), ((320, 568), "ko"), ((800, 480), "en")]:
            self.tab.size(width, height)
            with self.subTest(size=(width, height), language=language):
                self.show("start", language, 200)
                # One turn of the page's own loop, so that no frame comes between what is written and what is seen.
                below, top = self.tab.evaluate(f"""(() => {{
                  preview.preview("listening", {json.dumps(language)}, 200);
                  return [document.querySelector(".indicator").getBoundingClientRect().bottom,
                    document.querySelector(".home").getBoundingClientRect().top];
                }})()""")
                self.assertGreater(below, 0)
                self.assertGreaterEqual(top, below)

    def walk(self):
        """Goes through a screen by Tab alone: every control is reached, marked, and in view."""
        count = self.tab.evaluate("""(() => {
          const top = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
          const all = [...top.querySelectorAll('button, input, a[href], [tabindex="0"]')].filter((each) =>
            !each.disabled && each.checkVisibility({visibilityProperty: true}) && !each.closest('[inert]'));
          all.forEach((each, index) => { each.dataset.walk = index; });
          return all.length;
        })()""")
        reached = {}
        # Behind the last control the focus goes by way of the browser, which may pass over one that was not looked at yet.
        for _ in range(3 * (count + 3)):
            self.tab.key("Tab")
            at = self.tab.evaluate("""(() => {
              const each = document.activeElement, style = getComputedStyle(each), box = each.getBoundingClientRect();
              const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
              return [each.dataset.walk ?? null, style.outlineStyle, parseFloat(style.outlineWidth),
                hit !== null && each.contains(hit), each.textContent];
            })()""")
            if at[0] is not None:
                reached[at[0]] = at
            if len(reached) == count:
                break
        self.assertEqual(len(reached), count, f"reached {sorted(reached)}")
        for _, style, width, is_seen, words in reached.values():
            self.assertEqual((style, width >= 2, is_seen), ("solid", True, True), words)

    def test_nothing_leaves_its_frame_at_any_size(self):
        for width, height in SIZES:
            self.tab.size(width, height)
            for language, scale in [("ru", 100), ("ru", 200), ("ko", 200), ("en", 150)]:
                for name in self.names:
                    with self.subTest(size=(width, height), language=language, scale=scale, screen=name):
                        self.show(name, language, scale)
                        wide = self.tab.evaluate(
                            "[...document.querySelectorAll('#page *, dialog *')].filter((each) => "
                            "each.getBoundingClientRect().right > innerWidth + 1 && !each.closest('svg'))"
                            ".map((each) => each.tagName + '.' + each.className + ' ' + each.textContent.slice(0, 40))")
                        self.assertEqual(wide, [])

    def test_the_next_steps_buttons_are_in_view_at_twice_the_text_size(self):
        for width, height in [(1920, 1080), (1280, 800)]:
            self.tab.size(width, height)
            for language in LANGUAGES:
                for name in self.names:
                    with self.subTest(size=(width, height), language=language, screen=name):
                        self.show(name, language, 200)
                        hidden = self.tab.evaluate(
                            "(() => { const line = document.querySelector('footer').getBoundingClientRect().top;"
                            " return [...document.querySelectorAll('.outcome > .actions button')].filter((each) =>"
                            " each.getBoundingClientRect().bottom > line + 1).map((each) => each.textContent); })()")
                        self.assertEqual(hidden, [])

    def test_R5_the_words_of_a_choice_are_never_broken(self):
        for width, height in SIZES:
            self.tab.size(width, height)
            for language in LANGUAGES:
                for scale in [100, 150, 200]:
                    with self.subTest(size=(width, height), language=language, scale=scale):
                        self.show("privacy", language, scale)
                        broken = self.tab.evaluate("""[...document.querySelectorAll('.switch button')].filter((each) => {
                          const range = document.createRange();
                          range.selectNodeContents(each);
                          // A word that is broken has boxes on two lines, where there is no space between them.
                          const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
                          return lines > each.textContent.trim().split(/\\s+/).length;
                        }).map((each) => each.textContent)""")
                        self.assertEqual(broken, [])

    def test_C5_C6_A5_the_prompt_in_every_language_and_size(self):
        for width, height in SIZES:
            self.tab.size(width, height)
            for language in LANGUAGES:
                for scale in [100, 125, 150, 175, 200]:
                    for name in ["prompt", "question-to-save"]:
                        with self.subTest(size=(width, height), language=language, scale=scale, prompt=name):
                            self.show(name, language, scale)
                            self.look_at_prompt(width, height, scale)

    def look_at_prompt(self, width, height, scale):
        buttons = self.tab.evaluate(BOXES % ".prompt .choice")
        self.assertEqual(len(buttons), 3)
        first = buttons[0]
        for button in buttons:
            self.assertEqual(button["look"], first["look"])
            self.assertAlmostEqual(button["width"], first["width"], delta=1)
            self.assertAlmostEqual(button["height"], first["height"], delta=1)
            self.assertGreaterEqual(button["height"], 44)
            self.assertLessEqual(button["bottom"], height)
            self.assertGreaterEqual(button["y"], 0)
            self.assertLessEqual(button["right"], width)
        # The one that backs out is stacked last.
        last = self.tab.evaluate("document.querySelector('.choices').lastElementChild.dataset.choice")
        self.assertIn(last, ["deny", "not-now"])
        title, text = self.tab.evaluate(BOXES % "#prompt-title, #prompt-text")
        if scale == 100:
            self.assertLessEqual(title["lines"], 2)
            self.assertLessEqual(text["lines"], 2)
        hidden = self.tab.evaluate(
            "(() => { const w = document.getElementById('prompt-words');"
            " return w.scrollHeight - w.clientHeight; })()")
        self.assertLessEqual(hidden, 1, "the words have to be seen without scrolling")
        focus = self.tab.evaluate("document.activeElement.className")
        self.assertEqual(focus, "prompt", "the dialog has the focus, and no button")

    def test_B6_the_button_can_be_read_at_every_size_in_every_language(self):
        for width, height in SIZES:
            self.tab.size(width, height)
            self.show("start")
            found = self.tab.evaluate(
                "Promise.all([import('/page/button.js'), import('/page/main.js')]).then(([b, m]) => "
                "b.faultsEverywhere(document.querySelector('.listen'), m.stage.page.setup.button.label, "
                "[100, 125, 150, 175, 200]))")
            self.assertEqual(found, [], f"{width}x{height}")

    def test_B6_each_fault_is_found_in_the_browser(self):
        self.tab.size(1280, 800)
        spoilt = {
            "label": ".listen .label { color: #6f8f9a !important }",
            "icon": ".listen .icon { color: #33606d !important }",
            "contrast to the page": ".listen { background: #efede8 !important }",
            "transparent": ".listen { opacity: 0.7 !important }",
            "44": ".listen { min-height: 0 !important; height: 30px !important; padding: 0 !important; font-size: 12px !important }",
            "clipped": ".listen { min-width: 0 !important; width: 60px !important; flex-wrap: nowrap !important; overflow: hidden !important }",
            "covers": ".start::after { content: ''; position: fixed; inset: 0; }",
        }
        for word, rule in spoilt.items():
            with self.subTest(fault=word):
                self.show("start")
                found = self.tab.evaluate(
                    "Promise.all([import('/page/button.js'), import('/page/main.js')]).then(([b, m]) => {"
                    "const sheet = new CSSStyleSheet(); sheet.replaceSync(%s);"
                    "document.adoptedStyleSheets = [sheet];"
                    "const found = b.faultsNow(document.querySelector('.listen'), m.stage.page.setup.button.label.en);"
                    "document.adoptedStyleSheets = []; return found; })" % json.dumps(rule))
                self.assertTrue(any(word in fault for fault in found), found)

    def test_E1_the_explanation_has_one_action(self):
        self.tab.size(1280, 800)
        for language in LANGUAGES:
            self.show("explanation", language)
            acts = self.tab.evaluate(
                "[...document.querySelectorAll('button, a, input')].filter((each) => "
                "each.checkVisibility({visibilityProperty: true}) && !each.closest('[inert]')).length")
            self.assertEqual(acts, 1)

    def test_K4_the_fixed_line_is_in_view_on_every_screen(self):
        for width, height in SIZES:
            self.tab.size(width, height)
            for scale in [100, 200]:
                for name in self.names:
                    with self.subTest(size=(width, height), scale=scale, screen=name):
                        self.show(name, "en", scale)
                        words, top, bottom = self.tab.evaluate(
                            "(() => { const e = document.querySelector('.notice'), b = e.getBoundingClientRect();"
                            " return [e.textContent, b.top, b.bottom]; })()")
                        self.assertGreaterEqual(top, 0)
                        self.assertLessEqual(bottom, height)
                        for part in ["listen", "8 seconds", "Nothing is recorded", "Museum of Sound, Front desk"]:
                            self.assertIn(part, words)

    def test_A4_each_end_says_what_happened_what_it_means_and_the_next_step(self):
        texts = self.tab.evaluate("import('/page/texts.js').then((m) => m.texts)")
        self.assertEqual(set(texts), set(LANGUAGES))
        for language, words in texts.items():
            self.assertEqual(set(words), set(texts["en"]), language)
            for key, own in words.items():
                # What is filled in has the same names in every language, or a visitor reads the braces.
                parts = [set(re.findall(r"\{\w+\}", json.dumps(text))) for text in (own, texts["en"][key])]
                self.assertEqual(*parts, f"{language} {key}")
            for key in ["noMatch", "silence", "muted", "short", "denied", "dismissed", "restricted", "tooOften",
                        "busy", "revoked", "error", "device", "catalog", "disk", "lost"]:
                sentences = words[key + "Text"].count("." if language != "zh-Hans" else "。")
                self.assertGreaterEqual(sentences, 2, f"{language} {key}")

    def test_the_preview_draws_every_screen(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                [f"{PROGRAMS}/earshot", "kiosk", "preview", "--size", "360x640", "--language", "ko",
                 "--text", "100", "--output", folder], check=True, capture_output=True)
            names = sorted(os.listdir(folder))
            self.assertEqual(names, sorted(f"{name}-ko-360x640-100.png" for name in self.names))
            pictures = set()
            for name in names:
                with open(f"{folder}/{name}", "rb") as file:
                    data = file.read()
                self.assertEqual(struct.unpack(">II", data[16:24]), (360, 640))
                pictures.add(data)
            self.assertGreater(len(pictures), 20, "each screen is one of its own")

    def test_reduced_motion_stills_everything(self):
        self.tab.reduce_motion()
        self.show("listening")
        self.assertEqual(self.tab.evaluate("document.getAnimations().length"), 0)
        self.tab.send("Emulation.setEmulatedMedia", {"features": []})


class Themes(unittest.TestCase):
    def test_E6_the_prompt_looks_the_same_under_every_theme(self):
        themes = [
            None,
            {"version": 1, "label": "what-is-playing", "icon": "outline", "page": "dark", "radius": 0,
             "background": "#E9C46A", "labelColor": "#10141A", "iconColor": "#10141A"},
        ]
        looks = []
        browser = Browser()
        for theme in themes:
            kiosk = Kiosk(catalog=False, theme=theme)
            tab = open_page(kiosk, browser)
            tab.size(1280, 800)
            tab.evaluate("preview.preview('prompt', 'en', 100)")
            looks.append(tab.evaluate(BOXES % ".prompt, .prompt *"))
            kiosk.close()
        browser.close()
        self.assertEqual(looks[0], looks[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
