"""A real earshotd with a kiosk, in folders of its own; its room is the one that `run` has opened."""

import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

ROOM = os.environ.get("EARSHOT_ROOM")
PROGRAMS = os.environ["EARSHOT_PROGRAMS"]
SOUNDS = os.environ.get("EARSHOT_SOUNDS")
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Kiosk:
    """The daemon, its page and what is played to it."""

    def __init__(self, theme=None, explanation=None, catalog=True, **settings):
        self.folder = tempfile.mkdtemp(prefix="earshot-kiosk-")
        self.players = []
        for part in ["config/earshot", "state", "data/earshot/catalogs", "run"]:
            os.makedirs(f"{self.folder}/{part}", mode=0o700)
        kiosk = {"port": 0, "name": "Museum of Sound", **settings}
        for name, value in [("theme", theme), ("explanation", explanation)]:
            if value is not None:
                kiosk[name] = f"{self.folder}/{name}.json"
                with open(kiosk[name], "w", encoding="utf-8") as file:
                    json.dump(value, file)
        self.write_settings(kiosk)
        if catalog and SOUNDS:
            for name in os.listdir(f"{SOUNDS}/catalog"):
                shutil.copy(f"{SOUNDS}/catalog/{name}", f"{self.folder}/data/earshot/catalogs")
        self.socket = f"{self.folder}/run/socket"
        self.start()

    def write_settings(self, kiosk, limit=8, source=None):
        source = source or ("earshot_room" if ROOM else "default")
        with open(f"{self.folder}/config/earshot/earshot.json", "w", encoding="utf-8") as file:
            json.dump({
                "source": source, "sources": [source], "limit": limit, "kiosk": kiosk,
                "controller": {"name": "Museum of Sound", "contact": "Front desk"},
            }, file)

    @property
    def environment(self):
        environment = dict(os.environ)
        if ROOM:
            environment.update({
                "PULSE_RUNTIME_PATH": ROOM, "PULSE_SERVER": f"unix:{ROOM}/native",
                "ALSA_CONFIG_PATH": f"{ROOM}/asound.conf"})
        environment.update({
            "HOME": self.folder, "XDG_CONFIG_HOME": f"{self.folder}/config",
            "XDG_STATE_HOME": f"{self.folder}/state", "XDG_DATA_HOME": f"{self.folder}/data",
            "XDG_RUNTIME_DIR": ROOM or f"{self.folder}/run", "LC_ALL": "C.UTF-8"})
        environment.pop("NOTIFY_SOCKET", None)
        return environment

    def start(self):
        self.log = open(f"{self.folder}/log", "ab")
        self.daemon = subprocess.Popen(
            [f"{PROGRAMS}/earshotd", "--socket", self.socket], env=self.environment,
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                self.address = self.link().rsplit("/enter/", 1)[0]
                return
            except subprocess.CalledProcessError:
                time.sleep(0.05)
        raise RuntimeError(self.words())

    def words(self):
        with open(f"{self.folder}/log", encoding="utf-8", errors="replace") as file:
            return file.read()

    def earshot(self, *arguments, check=True):
        return subprocess.run(
            [f"{PROGRAMS}/earshot", *arguments, "--socket", self.socket], env=self.environment,
            check=check, capture_output=True, text=True)

    def link(self):
        return self.earshot("kiosk", "link").stdout.strip()

    def ask(self, method, path):
        """One request to the socket, by a program that is no agent."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.socket)
            connection.sendall(
                f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while piece := connection.recv(1 << 16):
                answer += piece
        return answer.decode()

    def is_open(self):
        """Whether the sound server lists a capture stream, which is its word and not ours."""
        listed = subprocess.run(
            ["pactl", "list", "short", "source-outputs"], env=self.environment,
            capture_output=True, text=True, check=True).stdout
        return bool(listed.strip())

    def uses(self):
        text = self.earshot("consent", "export").stdout
        return json.loads(text)

    def play(self, name):
        player = subprocess.Popen(
            ["paplay", "--device=room", "--latency-msec=20", f"{SOUNDS}/{name}.wav"],
            env=self.environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.players.append(player)
        time.sleep(0.4)
        return player

    def silence(self):
        for player in self.players:
            player.terminate()
            player.wait()
        self.players = []

    def stop(self, how=signal.SIGTERM):
        if self.daemon.poll() is None:
            self.daemon.send_signal(how)
        self.daemon.wait(10)
        self.log.close()

    def close(self):
        self.silence()
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Relay:
    """The network between a page and its daemon, which can be cut: what runs is reset, what is new is
    refused. The browser goes through it without knowing, so that the page's address stays the same."""

    def __init__(self, kiosk):
        self.port = int(kiosk.address.rsplit(":", 1)[1])
        self.is_cut = False
        self.pairs = []
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def rule(self):
        """What makes Chromium go through here."""
        return f"MAP 127.0.0.1:{self.port} 127.0.0.1:{self.listener.getsockname()[1]}"

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            try:
                if self.is_cut:
                    raise ConnectionRefusedError
                far = socket.create_connection(("127.0.0.1", self.port))
            except OSError:
                self._reset(near)
                continue
            with self.lock:
                self.pairs.append((near, far))
            for source, sink in [(near, far), (far, near)]:
                threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source, sink):
        try:
            while piece := source.recv(1 << 16):
                sink.sendall(piece)
        except OSError:
            pass
        with self.lock:
            gone = [pair for pair in self.pairs if source in pair]
            self.pairs = [pair for pair in self.pairs if source not in pair]
        for pair in gone:
            for each in pair:
                # Wakes the thread that reads from it, which closing alone does not.
                try:
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                each.close()

    @staticmethod
    def _reset(connection):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    def cut(self, is_cut):
        """Cuts it, or mends it."""
        self.is_cut = is_cut
        if not is_cut:
            return
        with self.lock:
            running = [each for pair in self.pairs for each in pair]
        for each in running:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.cut(True)
        self.listener.close()


def request(address, method="GET", headers=None, body=None):
    """One request over TCP; its status, headers and body."""
    asked = urllib.request.Request(address, method=method, headers=headers or {}, data=body)

    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *arguments):
            return None

    try:
        with urllib.request.build_opener(Stay).open(asked, timeout=10) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read()
