#!/usr/bin/env python3
"""Holds rule L5 from outside: after a listening no sample is left in the worker's or the daemon's memory.

    Tests/Memory/search.py PROGRAMS [plant | plant-levels]

As root it stops a real worker with ptrace at the moment of its end, after everything was wiped and
before the kernel takes the memory back, and searches every writable mapping of the worker and of the
daemon for runs of the samples, and of the spectrogram and its levels, that lay in locked pages while it
listened. `plant` first writes what a forgotten buffer of samples would hold into the stopped worker, and
`plant-levels` what one of levels would; then the status is 0 only where just that is found.

The buffers inside libasound, its PulseAudio plug-in, libpulse and libsoxr are not ours to wipe. They hold
the last pieces that went through them, so a small share is allowed on the heap, and is printed.
"""

import ctypes
import os
import re
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Scripts/lib"))
from listenings import Room  # noqa: E402

SEIZE, CONT, DETACH, POKE = 0x4206, 7, 17, 5
TRACE_EXIT = 0x40
EVENT_EXIT = 6
RUN = 32
# The share of the runs that the libraries' own buffers may still hold.
LIBRARIES = 0.05

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def mappings(process):
    """Start, end, name and flags of what can be written."""
    found = []
    with open(f"/proc/{process}/smaps") as file:
        for line in file:
            head = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+\s*(.*)", line)
            if head:
                found.append([int(head[1], 16), int(head[2], 16), head[3], head[4].strip(), ""])
            elif line.startswith("VmFlags:"):
                found[-1][4] = line[8:]
    return [one for one in found if "w" in one[2]]


def memory(process, start, end):
    with open(f"/proc/{process}/mem", "rb") as file:
        try:
            file.seek(start)
            return file.read(end - start)
        except (OSError, ValueError):
            return b""


def is_sound(piece):
    """Whether bytes are a run worth looking for: eight different samples, none of them zero."""
    values = [piece[at:at + 4] for at in range(0, RUN, 4)]
    return len(set(values)) == len(values) and b"\0\0\0\0" not in values


def is_levels(piece):
    """Whether a run is of the spectrogram's levels: each of them is a byte from 0 to 15."""
    return max(piece) < 16


def samples(process):
    """Runs in the pages that are locked and left out of dumps: samples, and all that is computed from them."""
    found = set()
    for start, end, _, _, flags in mappings(process):
        if " dd" in flags and " lo" in flags:
            data = memory(process, start, end)
            for at in range(0, len(data) - RUN, RUN):
                if is_sound(data[at:at + RUN]):
                    found.add(data[at:at + RUN])
    return found


def search(process, needles):
    """Where runs are left: mapping's name to count."""
    left = {}
    for start, end, _, name, _ in mappings(process):
        data = memory(process, start, end).strip(b"\0")
        for needle in needles:
            if data and needle in data:
                left[name or "anonymous"] = left.get(name or "anonymous", 0) + 1
    return left


def workers(daemon):
    found = []
    for task in os.listdir(f"/proc/{daemon}/task"):
        try:
            with open(f"/proc/{daemon}/task/{task}/children") as file:
                found += [int(word) for word in file.read().split()]
        except OSError:
            pass
    return found


def listen(room):
    room.ask("POST", "/v1/consents", {
        "purpose": "identify", "decision": "allow-once", "goal": "identify", "limit": 3,
        "confirmation": "terminal"})
    return room.ask("POST", "/v1/listen", {"limit": 3})


def main(programs, plants):
    room = Room(programs)
    try:
        room.follow()
        asking = threading.Thread(target=listen, args=(room,), daemon=True)
        asking.start()
        worker = None
        for _ in range(500):
            worker = next(iter(workers(room.daemon.pid)), None)
            if worker:
                break
            time.sleep(0.01)
        if libc.ptrace(SEIZE, worker, None, TRACE_EXIT) != 0:
            sys.exit(f"the worker can't be traced: {os.strerror(ctypes.get_errno())}")
        needles = set()
        while True:
            done, status = os.waitpid(worker, os.WNOHANG)
            if done == 0:
                # Read while it runs: a run that is torn by a write is just not found again.
                needles |= samples(worker)
                time.sleep(0.02)
                continue
            if not os.WIFSTOPPED(status):
                sys.exit("the worker ended without being stopped")
            if status >> 16 == EVENT_EXIT:
                break
            libc.ptrace(CONT, worker, None, ctypes.c_void_p(
                0 if status >> 16 else os.WSTOPSIG(status)))
        groups = {
            "levels": sorted(one for one in needles if is_levels(one)),
            "samples and spectrogram": sorted(one for one in needles if not is_levels(one)),
        }
        left_in = {}
        for name, all_runs in groups.items():
            if len(all_runs) < 100:
                sys.exit(f"only {len(all_runs)} runs of {name} were seen, so nothing is shown")
            # Some hundreds, spread over the whole listening, are as telling as all, and sooner found.
            runs = all_runs[::max(1, len(all_runs) // 300)]
            if plants == name:
                heap = next(one for one in mappings(worker) if one[3] == "[heap]")
                with open(f"/proc/{worker}/mem", "wb", buffering=0) as file:
                    file.seek(heap[0] + 65536)
                    file.write(b"".join(runs[:len(runs) // 20 + 10]))
            left = search(worker, runs)
            in_daemon = search(room.daemon.pid, runs)
            heap = left.pop("[heap]", 0)
            print(f"{len(runs)} of {len(all_runs)} runs of {name} looked for: {heap} on the worker's heap, "
                  f"elsewhere in the worker {left or 'none'}, in the daemon {in_daemon or 'none'}")
            # No library ever sees a level, so none may be left of those.
            allowed = 0 if name == "levels" else LIBRARIES * len(runs)
            left_in[name] = heap > allowed or bool(left or in_daemon)
        libc.ptrace(DETACH, worker, None, None)
        asking.join(5)
        return [name for name, is_left in left_in.items() if is_left]
    finally:
        room.end()


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("Tracing a locked-in worker takes root.")
    planted = {"plant": "samples and spectrogram", "plant-levels": "levels"}.get("".join(sys.argv[2:]))
    found = main(os.path.realpath(sys.argv[1]), planted)
    sys.exit(0 if found == [planted] * (planted is not None) else 1)
