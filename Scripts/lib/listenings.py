"""Long runs against the daemon: many listenings in a row, and many clients at once.

    listenings.py listenings PROGRAMS COUNT     COUNT listenings on a virtual microphone
    listenings.py clients PROGRAMS              200 clients, 10,000 requests for /v1/status

Run as root: the administrator's file that lists this program as an agent has to be root's.
"""

import http.client
import json
import math
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time


class Room:
    """A private sound server whose monitor is the microphone, and a daemon beside it."""

    def __init__(self, programs, hears=True):
        self.folder = tempfile.mkdtemp(prefix="earshot-soak.")
        self.children = []
        f = self.folder
        for name in ("run", "home/.config/earshot", "home/.local/share/earshot/catalogs"):
            os.makedirs(f"{f}/{name}", mode=0o700)
        self.environment = dict(
            os.environ, HOME=f"{f}/home", XDG_RUNTIME_DIR=f"{f}/run", LC_ALL="C",
            PULSE_RUNTIME_PATH=f"{f}/run", PULSE_SERVER=f"unix:{f}/native",
            ALSA_CONFIG_PATH=f"{f}/asound.conf")
        for name in ("DBUS_SESSION_BUS_ADDRESS", "NOTIFY_SOCKET", "XDG_STATE_HOME",
                     "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            self.environment.pop(name, None)
        self.write("administrator.json", {"agents": [os.path.realpath(sys.executable)]}, 0o644)
        self.write("home/.config/earshot/earshot.json", {"source": "mic0"}, 0o600)
        if hears:
            self.start_sound(programs)
        self.daemon = self.start(
            [f"{programs}/earshotd", "--administrator-file", f"{f}/administrator.json"])
        self.socket = f"{f}/run/earshot/socket"
        wait(lambda: os.path.exists(self.socket) and self.get("/v1/status"), "the daemon")

    def write(self, name, value, mode):
        path = f"{self.folder}/{name}"
        with open(path, "w") as file:
            json.dump(value, file)
        os.chmod(path, mode)

    def start_sound(self, programs):
        f = self.folder
        with open(f"{f}/server.pa", "w") as file:
            file.write(
                f"load-module module-native-protocol-unix socket={f}/native auth-anonymous=1\n"
                "load-module module-null-sink sink_name=mic0 rate=48000 channels=2\n"
                "set-default-sink mic0\nset-default-source mic0.monitor\n")
        with open(f"{f}/asound.conf", "w") as file:
            file.write(
                "</usr/share/alsa/alsa.conf>\n"
                f'pcm.mic0 {{ type pulse server "unix:{f}/native" device "mic0.monitor" }}\n')
        self.start(["pulseaudio", "-n", "-F", f"{f}/server.pa", "--daemonize=no",
                    "--exit-idle-time=-1", "--realtime=no", "--high-priority=no"])
        wait(lambda: self.pactl("info"), "the sound server")
        sound = f"{f}/noise.wav"
        subprocess.run(["sox", "-n", "-r", "48000", "-c", "2", sound, "synth", "30", "pinknoise",
                        "vol", "0.3"], check=True)
        catalog = f"{f}/home/.local/share/earshot/catalogs/noise.earshot"
        subprocess.run([f"{programs}/earshot", "catalog", "create", "--output", catalog, sound],
                       check=True, env=self.environment, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        # What is heard is other noise, so every listening lasts to its limit.
        other = f"{f}/other.raw"
        subprocess.run(["sox", "-n", "-r", "48000", "-c", "2", "-e", "signed", "-b", "16", other,
                        "synth", "10", "brownnoise", "vol", "0.2"], check=True)
        self.start(["sh", "-c", f"while cat '{other}'; do :; done | pacat --device=mic0"
                    " --latency-msec=20 --rate=48000 --channels=2 --format=s16le"])
        time.sleep(2.5)

    def start(self, words):
        child = subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 start_new_session=True)
        self.children.append(child)
        return child

    def pactl(self, *words):
        done = subprocess.run(["pactl", *words], env=self.environment, capture_output=True)
        return done.stdout.decode() if done.returncode == 0 else ""

    def connect(self):
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(self.socket)
        return connection

    def ask(self, method, path, body=None):
        connection = self.connect()
        try:
            connection.request(method, path, None if body is None else json.dumps(body),
                               {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def get(self, path):
        try:
            return self.ask("GET", path)[1]
        except OSError:
            return None

    def follow(self):
        """Follows the events, which makes this program the surface that rule L4 wants."""
        def read():
            connection = self.connect()
            connection.request("GET", "/v1/events", headers={"Accept": "text/event-stream"})
            try:
                stream = connection.getresponse()
                while stream.read1(4096):
                    pass
            except (OSError, http.client.HTTPException):
                pass
        threading.Thread(target=read, daemon=True).start()
        time.sleep(0.5)

    def held(self):
        """What the daemon holds: descriptors, threads, children, and memory in kB."""
        proc = f"/proc/{self.daemon.pid}"
        with open(f"{proc}/status") as file:
            lines = dict(line.split(":", 1) for line in file)
        children = 0
        for task in os.listdir(f"{proc}/task"):
            try:
                with open(f"{proc}/task/{task}/children") as file:
                    children += len(file.read().split())
            except OSError:
                pass
        return {"descriptors": len(os.listdir(f"{proc}/fd")), "threads": int(lines["Threads"]),
                "children": children, "kB": int(lines["VmRSS"].split()[0])}

    def end(self):
        for child in reversed(self.children):
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def wait(condition, what):
    for _ in range(300):
        if condition():
            return
        time.sleep(0.1)
    sys.exit(f"{what} does not answer")


def listenings(programs, count):
    room = Room(programs)
    failures = []
    try:
        room.follow()
        outcomes, settled, began = {}, None, time.monotonic()
        for number in range(1, count + 1):
            # A consent for each: one that lasts would run into the minute in ten (rule L9).
            room.ask("POST", "/v1/consents", {
                "purpose": "identify", "decision": "allow-once", "goal": "identify",
                "limit": 0.5, "confirmation": "terminal"})
            _, result = room.ask("POST", "/v1/listen", {"limit": 0.5})
            reason = (result.get("explanation") or {}).get("reason", "")
            key = f"{result.get('outcome')} {reason}".strip()
            outcomes[key] = outcomes.get(key, 0) + 1
            if number == min(50, count):
                settled = room.held()
            if number % 100 == 0:
                print(f"{number} listenings, {time.monotonic() - began:.0f} s, {outcomes}, "
                      f"{room.held()}", flush=True)
            if room.pactl("list", "short", "source-outputs").strip():
                failures.append(f"a stream is left after listening {number}")
        time.sleep(2)
        last = room.held()
        print(f"after 50: {settled}\nat the end: {last}")
        for name in ("descriptors", "threads", "children"):
            # One more or less is a thread of the pool or a connection that is just closing.
            if last[name] > settled[name] + 2:
                failures.append(f"{name} grew from {settled[name]} to {last[name]}")
        if last["kB"] > settled["kB"] * 1.2 + 4096:
            failures.append(f"memory grew from {settled['kB']} to {last['kB']} kB")
        if sum(outcomes.values()) != count or any(key.startswith("error") for key in outcomes):
            failures.append(f"outcomes: {outcomes}")
        uses = room.get("/v1/uses?limit=500")["entries"]
        if any(use.get("closed") is None for use in uses):
            failures.append("a use has no closing record")
        if not room.get("/v1/ledger/verify")["isIntact"]:
            failures.append("the ledger is damaged")
    finally:
        room.end()
    return failures


def clients(programs, count=200, total=10_000):
    room = Room(programs, hears=False)
    failures, request = [], b"GET /v1/status HTTP/1.1\r\nHost: l\r\n\r\n"
    try:
        selector, began, got, seconds, sent, first = selectors.DefaultSelector(), {}, {}, [], 0, 0
        for _ in range(count):
            one = socket.socket(socket.AF_UNIX)
            one.connect(room.socket)
            one.setblocking(False)
            selector.register(one, selectors.EVENT_READ)
            got[one] = b""
        start = time.perf_counter()
        for one in got:
            began[one] = time.perf_counter()
            one.send(request)
            sent += 1
        while len(seconds) + len(failures) < total:
            for key, _ in selector.select(10):
                one = key.fileobj
                got[one] += one.recv(65536)
                head, _, body = got[one].partition(b"\r\n\r\n")
                length = [line for line in head.lower().split(b"\r\n")
                          if line.startswith(b"content-length:")]
                if not length or len(body) < int(length[0].split(b":")[1]):
                    continue
                if head.startswith(b"HTTP/1.1 200 "):
                    seconds.append(time.perf_counter() - began[one])
                else:
                    failures.append(head.split(b"\r\n")[0].decode())
                got[one] = b""
                if len(seconds) == 1000:
                    first = room.held()["kB"]
                if sent < total:
                    sent += 1
                    began[one] = time.perf_counter()
                    one.send(request)
        lasted = time.perf_counter() - start
        seconds.sort()
        milliseconds = [1000 * seconds[math.ceil(part * len(seconds)) - 1]
                        for part in (0.5, 0.99, 1)]
        last = room.held()["kB"]
        print(f"{count} clients, {len(seconds)} answers in {lasted:.2f} s, {total / lasted:.0f} a"
              f" second; p50 {milliseconds[0]:.1f} ms, p99 {milliseconds[1]:.1f} ms, longest"
              f" {milliseconds[2]:.1f} ms; {first} kB after 1000, {last} kB at the end")
        if last > first * 1.1 + 1024:
            failures.append(f"memory grew from {first} to {last} kB")
        if milliseconds[1] >= 20:
            failures.append(f"p99 is {milliseconds[1]:.1f} ms, and should be under 20 ms")
    finally:
        room.end()
    return failures


if __name__ == "__main__":
    run, programs = sys.argv[1], os.path.realpath(sys.argv[2])
    found = listenings(programs, int(sys.argv[3])) if run == "listenings" else clients(programs)
    for failure in found:
        print(failure, file=sys.stderr)
    sys.exit(1 if found else 0)
