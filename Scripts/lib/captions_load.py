"""Times the loading of caption files of 20,000 cues: the processor time of the whole program, less
that of one that loads two cues."""
import random
import resource
import subprocess
import sys

programs, folder = sys.argv[1], sys.argv[2]
random.seed(1)
WORDS = ("the quick brown fox jumps over a lazy dog while somebody says that nothing will ever be "
         "as it was before").split()


def stamp(ms, mark):
    return "%02d:%02d:%02d%s%03d" % (ms // 3600000, ms // 60000 % 60, ms // 1000 % 60, mark, ms % 1000)


def make(count):
    at, srt, vtt, ttml = 0, "", "WEBVTT\n", (
        '<tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling" '
        'xml:lang="en"><head><styling><style xml:id="s" tts:color="yellow"/></styling><layout><region '
        'xml:id="r" tts:origin="10% 80%" tts:extent="80% 20%"/></layout></head><body><div>')
    for number in range(count):
        start = at + random.randint(50, 400)
        at = start + random.randint(900, 1800)
        one, two = (" ".join(random.choices(WORDS, k=6)) for _ in range(2))
        srt += f"{number + 1}\n{stamp(start, ',')} --> {stamp(at, ',')}\n<i>{one}</i>\n{two}\n\n"
        vtt += (f"\n{number + 1}\n{stamp(start, '.')} --> {stamp(at, '.')} line:80% align:center\n"
                f"<v Roger>{one} &amp; more\n{two}\n")
        ttml += (f'<p begin="{stamp(start, ".")}" end="{stamp(at, ".")}" region="r"><span style="s">'
                 f"{one}<br/>{two}</span></p>\n")
    return {"srt": srt, "vtt": vtt, "ttml": ttml + "</div></body></tt>"}


def cost(path):
    best = float("inf")
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        # Far beyond the last cue, so that the program loads the file and ends.
        subprocess.run([programs + "/earshot", "captions", path, "--at", "99:00:00", "--json"],
                       check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best * 1000


is_good = True
small, large = make(2), make(20_000)
for kind in large:
    costs = []
    for files in (small, large):
        path = f"{folder}/load.{kind}"
        with open(path, "w") as file:
            file.write(files[kind])
        costs.append(cost(path))
    milliseconds = costs[1] - costs[0]
    is_good &= milliseconds < 100
    print(f"{kind:5} 20,000 cues: {milliseconds:.0f} ms of processor time")
sys.exit(0 if is_good else 1)
