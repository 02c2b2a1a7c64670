"""Listens to sound that is not in the catalog, and counts what is taken for something in it.

    absent.py EARSHOT BENCH-FOLDER OUT-FOLDER [--count N] [--minutes M] [--seed S]
    absent.py EARSHOT BENCH-FOLDER OUT-FOLDER --excerpts FIRST END [--seed S]

Music: every listening is another place of another reference of the benchmark, damaged in one of its ways, searched in
a catalog from which the whole family of that reference has been removed. That is the hard case: other music of the same
band, made with the same instruments, is still there. No music: speech in many languages, noises, hum, tones, silence,
searched in the whole catalog. Each listening has 16 s, all speeds, and ends at its first certain moment.

With --excerpts the music's listenings of those numbers are only written, as excerpts that Scripts/train takes.

What was heard is appended to OUT-FOLDER/listenings.jsonl, and a run goes on where the last one with the same seed ended.
BENCH-FOLDER holds the benchmark's corpus.py, queries.py and dev.tsv, whose music is in its cache.
"""
import argparse, collections, json, math, os, random, subprocess, sys, tempfile, time
from pathlib import Path

import numpy as np
import soundfile as sf

SECONDS = 16
# Listenings that are searched in one go: so many to one reference, and so many to no music.
MUSIC, OTHER = 4, 1
WORDS = {
    "en-us": "the water people morning green window river paper seven train coffee garden street winter doctor silver",
    "de": "das Wasser Leute Morgen grün Fenster Fluss Papier sieben Zug Kaffee Garten Straße Winter Arzt Silber",
    "fr": "le eau gens matin vert fenêtre rivière papier sept train café jardin rue hiver médecin argent",
    "es": "el agua gente mañana verde ventana río papel siete tren café jardín calle invierno médico plata",
    "ru": "вода люди утро зелёный окно река бумага семь поезд кофе сад улица зима врач серебро дом",
    "pl": "woda ludzie rano zielony okno rzeka papier siedem pociąg kawa ogród ulica zima lekarz srebro",
    "it": "acqua gente mattina verde finestra fiume carta sette treno caffè giardino strada inverno medico",
    "pt": "água gente manhã verde janela rio papel sete trem café jardim rua inverno médico prata",
    "tr": "su insanlar sabah yeşil pencere nehir kağıt yedi tren kahve bahçe sokak kış doktor gümüş",
    "cmn": "水 人 早上 绿色 窗户 河 纸 七 火车 咖啡 花园 街道 冬天 医生 银",
    "ko": "물 사람 아침 초록 창문 강 종이 일곱 기차 커피 정원 거리 겨울 의사 은",
    "hi": "पानी लोग सुबह हरा खिड़की नदी कागज सात रेल कॉफी बगीचा सड़क सर्दी डॉक्टर चाँदी",
    "ar": "ماء ناس صباح أخضر نافذة نهر ورق سبعة قطار قهوة حديقة شارع شتاء طبيب فضة",
    "el": "νερό άνθρωποι πρωί πράσινο παράθυρο ποτάμι χαρτί επτά τρένο καφές κήπος δρόμος χειμώνας",
}


def speech(rng, rate, _):
    voice = rng.choice(sorted(WORDS))
    words = WORDS[voice].split()
    text = " ".join(rng.choice(words) for _ in range(60))
    command = ["espeak-ng", "-v", f"{voice}+{rng.choice('fm')}{rng.randint(1, 4)}", "-s", str(rng.randint(110, 220)),
               "-p", str(rng.randint(10, 90)), "--stdout", text]
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        subprocess.run(command, stdout=file, stderr=subprocess.DEVNULL, check=True)
        x, sr = sf.read(file.name)
    place = np.arange(int(SECONDS * rate)) * sr / rate
    return f"speech {voice}", np.interp(place, np.arange(len(x)), np.resize(x, len(x)), right=0) * 0.8


def noise(rng, rate, gen):
    slope = rng.choice([0.0, 0.5, 1.0, 1.5])
    spectrum = np.fft.rfft(gen.standard_normal(SECONDS * rate))
    spectrum /= np.maximum(1, np.arange(len(spectrum))) ** slope
    x = np.fft.irfft(spectrum)
    if rng.random() < 0.5:  # gusts
        x *= 1 + 0.8 * np.sin(2 * np.pi * rng.uniform(0.2, 6) * np.arange(len(x)) / rate)
    return f"noise of slope {slope}", x / np.max(np.abs(x)) * 10 ** (-rng.uniform(0, 2))


def hum(rng, rate, gen):
    t = np.arange(SECONDS * rate) / rate
    base = rng.choice([50, 60, 100, 120])
    x = sum(rng.random() / k * np.sin(2 * np.pi * base * k * t + rng.random() * 6) for k in range(1, 40))
    return f"hum {base} Hz", x / np.max(np.abs(x)) * 0.5 + gen.standard_normal(len(t)) * 10 ** (-rng.uniform(2, 5))


def tones(rng, rate, gen):
    t = np.arange(SECONDS * rate) / rate
    kind = rng.choice(["steady", "chord", "sweep", "beeps", "melody"])
    if kind == "sweep":
        low, high = rng.uniform(100, 500), rng.uniform(1000, 6000)
        x = np.sin(2 * np.pi * (low * t + (high - low) * t * t / 2 / SECONDS))
    elif kind == "melody":  # plain notes of the tempered scale on a beat
        step = rng.choice([0.125, 0.2, 0.25, 0.5])
        notes = [rng.randint(40, 84) for _ in range(math.ceil(SECONDS / step))]
        hertz = np.array([440 * 2 ** ((n - 69) / 12) for n in notes])[(t / step).astype(int)]
        x = sum(np.sin(2 * np.pi * k * np.cumsum(hertz) / rate) / k for k in (1, 2, 3)) * np.exp(-3 * (t % step))
    else:
        hertz = [rng.uniform(150, 4000) for _ in range(1 if kind in ("steady", "beeps") else rng.randint(2, 5))]
        x = sum(np.sin(2 * np.pi * h * t) for h in hertz)
        if kind == "beeps":
            x = x * (t % rng.uniform(0.2, 1.5) < 0.12)
    return f"tones {kind}", x / np.max(np.abs(x)) * 0.5 + gen.standard_normal(len(t)) * 10 ** (-rng.uniform(2, 5))


def silence(rng, rate, gen):
    level = rng.choice([0, 1e-5, 1e-4, 1e-3])
    return f"silence {level}", gen.standard_normal(SECONDS * rate) * level


class Listenings:
    def __init__(self, earshot, bench, out):
        sys.path.insert(0, str(bench))
        import corpus, queries
        self.corpus, self.queries = corpus, queries
        self.earshot, self.out = earshot, Path(out)
        self.cache = os.environ.get("EARSHOT_BENCH_CACHE", corpus.DEFAULT_CACHE)
        self.rows = corpus.read_split("dev")
        self.references = [r for r in self.rows if r["role"] == "reference"]
        self.package = {r["id"]: r["package"] for r in self.rows}
        self.whole = self.out / "whole.earshot"
        self.noise = queries.Noise(self.cache, 7)

    def run(self, *arguments):
        return subprocess.run([self.earshot, *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    def prepare(self):
        self.out.mkdir(parents=True, exist_ok=True)
        if not self.whole.exists():
            with tempfile.NamedTemporaryFile("w", suffix=".csv") as table:
                table.write("id,title,path\n")
                for r in self.references:
                    table.write(f"{r['id']},{r['id']},{self.corpus.track_path(self.cache, r)}\n")
                table.flush()
                self.run("catalog", "create", "--output", self.whole, "--items", table.name)

    def without(self, family):
        """The catalog without one family, made when it is first needed."""
        file = self.out / f"without-{family}.earshot"
        if not file.exists():
            gone = [r["id"] for r in self.references if r["family"] == family]
            part = file.with_suffix(".part")
            part.write_bytes(self.whole.read_bytes())
            self.run("catalog", "remove", part, *gone)
            part.rename(file)
        return file

    def music(self, number, seed):
        """The listening with that number: which reference, which place, which damage."""
        usable = [r for r in self.references if r["seconds"] > SECONDS * 1.06 + 6]
        rng = random.Random(f"{seed} {number}")
        order = usable[:]
        random.Random(f"{seed} order").shuffle(order)
        r = order[number // MUSIC % len(order)]
        at = rng.uniform(1, r["seconds"] - SECONDS * 1.06 - 3)
        names = list(self.queries.CONDITIONS)
        return r, at, names[(number + number // MUSIC // len(order)) % len(names)]

    def write_music(self, number, seed, path):
        r, at, condition = self.music(number, seed)
        x = self.queries.decode(self.corpus.track_path(self.cache, r), at, SECONDS * 1.06 + 0.5)
        peak = np.max(np.abs(x), initial=0)
        if peak < 1e-3:
            return None
        gen = np.random.default_rng([seed, number])
        y = self.queries.damage(x / peak, self.queries.CONDITIONS[condition], gen, self.noise)
        sf.write(path, y[:SECONDS * self.queries.RATE], self.queries.RATE, subtype="PCM_16")
        return {"kind": "music", "number": number, "source": r["id"], "at": round(at, 3), "condition": condition,
                "family": r["family"]}

    def write_other(self, number, seed, path):
        rng, gen = random.Random(f"{seed} other {number}"), np.random.default_rng([seed, 10 ** 6 + number])
        make = [speech, noise, hum, speech, tones, silence][number % 6]
        name, x = make(rng, 44100, gen)
        sf.write(path, np.clip(x, -1, 1), 44100, subtype="PCM_16")
        return {"kind": make.__name__, "number": number, "source": name}

    def write_excerpts(self, numbers, seed):
        """The music's listenings as files with a truth.tsv, as the benchmark's queries.py writes them."""
        self.out.mkdir(parents=True, exist_ok=True)
        with open(self.out / "truth.tsv", "w") as truth:
            truth.write("query\treference\toffset\tseconds\tcondition\tspeed\tsource\n")
            for number in numbers:
                name = f"l{number}.wav"
                made = self.write_music(number, seed, self.out / name)
                if made is not None:
                    # Who reads it leaves the family out, so that nobody asks for the speed.
                    truth.write("\t".join(map(str, (name, made["source"], made["at"], SECONDS, made["condition"], 1,
                                                    made["source"]))) + "\n")

    def listen(self, catalog, paths):
        """What is heard in each of the sounds."""
        ended = subprocess.run([self.earshot, "match", "--json", "--earliest", "--limit", str(SECONDS), "--catalog",
                                catalog, *paths], capture_output=True, text=True)
        answers = [json.loads(line) for line in ended.stdout.splitlines()]
        if len(answers) != len(paths):
            sys.exit(f"match gave {len(answers)} answers to {len(paths)} sounds: {ended.stderr}")
        return [{"outcome": a["outcome"], "heard": a["heard"], "found": [m["id"] for m in a["matches"]],
                 "confidence": max([m["confidence"] for m in a["matches"]], default=None)} for a in answers]


def bound(k, n):
    """The rate that k of n leaves possible with 95 % (Clopper and Pearson, one side)."""
    if n == 0 or k >= n:
        return 1.0
    low, high = k / n, 1.0
    for _ in range(100):
        p = (low + high) / 2
        tail = sum(math.exp(math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1)
                            + i * math.log(p) + (n - i) * math.log1p(-p)) for i in range(k + 1))
        low, high = (p, high) if tail > 0.05 else (low, p)
    return high


def summary(records, package):
    music = [r for r in records if r["kind"] == "music"]
    other = [r for r in records if r["kind"] != "music"]
    accepted = lambda rs: [r for r in rs if r["outcome"] in ("match", "ambiguous")]
    places = len({(r["source"], int(r["at"] / SECONDS)) for r in music})
    print(f"{len(records)} listenings of {SECONDS} s: {len(music)} to music whose family is not in the catalog, from "
          f"{places} stretches that do not overlap, in {len({r['condition'] for r in music})} conditions; {len(other)} to no music "
          f"({', '.join(f'{n} {k}' for k, n in sorted(collections.Counter(r['kind'] for r in other).items()))})")
    wrong = accepted(music)
    near = [r for r in wrong if any(package.get(f) == package.get(r["source"]) for f in r["found"])]
    excerpts = len({(r["source"], int(r["at"] / SECONDS)) for r in wrong})
    print(f"music: {len(wrong)} taken for something in the catalog ({len(near)} for music of the same band or game); "
          f"rate {len(wrong) / max(1, len(music)):.5f}, with 95 % below {bound(excerpts, places):.5f} by different stretches; "
          f"for other bands' music {bound(len(wrong) - len(near), places):.5f}")
    print(f"no music: {len(accepted(other))} taken for something; with 95 % below {bound(len(accepted(other)), len(other)):.5f}")
    for r in accepted(records):
        print("  ", json.dumps(r, ensure_ascii=False))
    print("outcomes:", dict(collections.Counter(r["outcome"] for r in records)),
          "mean seconds heard:", round(sum(r["heard"] for r in records) / max(1, len(records)), 2))


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("earshot")
    a.add_argument("bench")
    a.add_argument("out")
    a.add_argument("--count", type=int, default=5000)
    a.add_argument("--minutes", type=float, default=math.inf)
    a.add_argument("--seed", type=int, default=77)
    a.add_argument("--excerpts", type=int, nargs=2)
    o = a.parse_args()
    listenings = Listenings(o.earshot, Path(o.bench).resolve(), o.out)
    if o.excerpts:
        listenings.write_excerpts(range(*o.excerpts), o.seed)
        return
    listenings.prepare()
    journal = Path(o.out) / "listenings.jsonl"
    records = [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []
    done = {(r["kind"] == "music", r["number"]) for r in records}
    end = time.monotonic() + 60 * o.minutes
    with open(journal, "a") as file, tempfile.TemporaryDirectory() as folder:
        for batch in range(math.ceil(o.count / (MUSIC + OTHER))):
            for is_music, size in ((True, MUSIC), (False, OTHER)):
                made, paths = [], []
                for number in range(batch * size, (batch + 1) * size):
                    if (is_music, number) in done or time.monotonic() > end:
                        continue
                    path = Path(folder) / f"{number}.wav"
                    record = (listenings.write_music if is_music else listenings.write_other)(number, o.seed, path)
                    if record is not None:
                        made.append(record)
                        paths.append(path)
                if not made:
                    continue
                catalog = listenings.without(made[0]["family"]) if is_music else listenings.whole
                for record, path, answer in zip(made, paths, listenings.listen(catalog, paths)):
                    record.update(answer)
                    path.unlink()
                    records.append(record)
                    print(json.dumps(record, ensure_ascii=False), file=file, flush=True)
    summary(records, listenings.package)


if __name__ == "__main__":
    main()
