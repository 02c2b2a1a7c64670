"""Drives an installed Chromium over a pipe, by the DevTools protocol: no driver, no package."""

import base64
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time


class BrowserError(Exception):
    """The browser refused a command, or did not answer."""


class Browser:
    """One Chromium with a profile of its own, which goes with it."""

    def __init__(self, width=1280, height=800, relay=None):
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        if program is None:
            raise BrowserError("Chromium is not installed. Next: apt-get install chromium")
        self.profile = tempfile.mkdtemp(prefix="earshot-browser-")
        read_commands, self.commands = os.pipe()
        self.answers, write_answers = os.pipe()

        def keep_ends():
            # The protocol's ends are 3 and 4, whatever numbers the pipes were given.
            low, high = os.dup2(read_commands, 100), os.dup2(write_answers, 101)
            os.dup2(low, 3), os.dup2(high, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", *(["--no-sandbox"] if os.geteuid() == 0 else []), "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-extensions", "--disable-background-networking",
             "--disable-component-update", "--hide-scrollbars", "--font-render-hinting=none",
             "--force-color-profile=srgb", f"--window-size={width},{height}",
             *([f"--host-resolver-rules={relay.rule}"] if relay else []),
             f"--user-data-dir={self.profile}", "--remote-debugging-pipe", "about:blank"],
            close_fds=False, preexec_fn=keep_ends, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(read_commands)
        os.close(write_answers)
        self.number = 0
        self.waiting = {}
        self.listeners = []
        self.lock = threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        rest = b""
        while True:
            piece = os.read(self.answers, 1 << 16)
            if not piece:
                return
            rest += piece
            while b"\0" in rest:
                one, rest = rest.split(b"\0", 1)
                message = json.loads(one)
                if "id" in message:
                    waiter = self.waiting.pop(message["id"], None)
                    if waiter is not None:
                        waiter.put(message)
                else:
                    for listener in list(self.listeners):
                        listener(message)

    def post(self, method, parameters=None, session=None):
        """Sends a command and waits for nothing."""
        with self.lock:
            self.number += 1
            message = {"id": self.number, "method": method, "params": parameters or {}}
            if session:
                message["sessionId"] = session
            waiter = self.waiting[self.number] = queue.Queue(1)
            os.write(self.commands, json.dumps(message).encode() + b"\0")
            return waiter

    def send(self, method, parameters=None, session=None, seconds=30):
        """Sends a command; its result."""
        try:
            message = self.post(method, parameters, session).get(timeout=seconds)
        except queue.Empty:
            raise BrowserError(f"{method} was not answered") from None
        if "error" in message:
            raise BrowserError(f"{method}: {message['error']}")
        return message["result"]

    def tab(self, address="about:blank", is_window=False):
        """A new tab; in a window of its own it is seen, whatever others do."""
        target = self.send(
            "Target.createTarget", {"url": "about:blank", "newWindow": is_window})["targetId"]
        session = self.send(
            "Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        tab = Tab(self, session, target)
        if address != "about:blank":
            tab.go(address)
        return tab

    def close(self):
        """Ends it and takes its profile away."""
        try:
            self.send("Browser.close", seconds=5)
            self.process.wait(5)
        except Exception:
            self.process.kill()
            self.process.wait()
        os.close(self.commands)
        shutil.rmtree(self.profile, ignore_errors=True)


class Tab:
    """One tab: what a person at it does, and what they see."""

    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target
        self.messages = []
        self.requests = []
        browser.listeners.append(self._take)
        for domain in ["Page", "Runtime", "Network", "Log"]:
            self.send(domain + ".enable")

    def _take(self, message):
        if message.get("sessionId") != self.session:
            return
        method, parameters = message["method"], message["params"]
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.messages.append(
                details.get("exception", {}).get("description") or details.get("text"))
        elif method == "Log.entryAdded":
            self.messages.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Fetch.requestPaused":
            self._fulfil(parameters)

    def send(self, method, parameters=None, seconds=30):
        return self.browser.send(method, parameters, self.session, seconds)

    def go(self, address):
        self.send("Page.navigate", {"url": address})

    def evaluate(self, expression, seconds=30):
        """The value of an expression, promises waited for."""
        result = self.send("Runtime.evaluate", {
            "expression": expression, "awaitPromise": True, "returnByValue": True,
        }, seconds)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description") or details["text"])
        return result["result"].get("value")

    def wait(self, expression, seconds=15, every=0.02):
        """Waits until an expression is true; its value."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                # An element would come back as an empty object.
                value = self.evaluate(f"((v) => v instanceof Node || v)({expression})")
                if value:
                    return value
            except BrowserError as error:
                value = error
            if time.monotonic() > deadline:
                raise BrowserError(f"still not so after {seconds} s: {expression} ({value}); {self._state()}")
            time.sleep(every)

    def _state(self):
        """What the page shows and what the browser has said of it, for a wait that was in vain."""
        try:
            seen = self.evaluate(
                "`${location.href} ${document.readyState}: ${document.body?.innerText.slice(0, 300)} `"
                " + [...document.querySelectorAll('dialog[open]')].map((each) => each.className)")
        except BrowserError as error:
            seen = error
        return f"the page: {seen}; messages: {self.messages[-5:]}; last requests: {self.requests[-5:]}"

    def size(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def press_at(self, x, y, held=None, times=1):
        """A person's own press: the browser trusts it. It is held until an expression is true."""
        for count in range(1, times + 1):
            for kind in ["mousePressed", "mouseReleased"]:
                if held and kind == "mouseReleased":
                    self.wait(held)
                self.send("Input.dispatchMouseEvent", {
                    "type": kind, "x": x, "y": y, "button": "left", "clickCount": count})

    def press(self, selector, held=None, times=1):
        """Presses the middle of an element."""
        self.evaluate(
            f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'nearest'}})")
        box = self.evaluate(
            f"(() => {{ const b = document.querySelector({json.dumps(selector)})"
            ".getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()")
        self.press_at(*box, held, times)

    def key(self, key, shift=False):
        """A key, as a keyboard sends it."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "Home": 36}
        event = {"key": key, "code": "Space" if key == " " else key,
                 "windowsVirtualKeyCode": codes[key], "modifiers": 8 if shift else 0}
        text = {"Enter": "\r", " ": " "}.get(key)
        down = dict(event, type="keyDown" if text else "rawKeyDown")
        if text:
            down["text"] = text
        self.send("Input.dispatchKeyEvent", down)
        self.send("Input.dispatchKeyEvent", dict(event, type="keyUp"))

    def picture(self, path=None):
        """What is seen, as PNG."""
        data = base64.b64decode(self.send("Page.captureScreenshot", {"format": "png"})["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return data

    def reduce_motion(self):
        self.send("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})

    def serve_from(self, folder):
        """Takes the page's files from a folder in place of the program's own, while they change."""
        self.folder = folder
        self.send("Fetch.enable", {"patterns": [{"urlPattern": "*/page/*"}]})

    def _fulfil(self, parameters):
        name = parameters["request"]["url"].rsplit("/", 1)[1]
        with open(os.path.join(self.folder, name), "rb") as file:
            body = base64.b64encode(file.read()).decode()
        kind = {"css": "text/css", "svg": "image/svg+xml"}.get(name.rsplit(".", 1)[1], "text/javascript")
        self.browser.post("Fetch.fulfillRequest", {
            "requestId": parameters["requestId"], "responseCode": 200, "body": body,
            "responseHeaders": [{"name": "Content-Type", "value": kind + "; charset=utf-8"}],
        }, self.session)
