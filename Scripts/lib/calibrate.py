#!/usr/bin/env python3
"""Write Calibration+Trained.swift from rankings of sound that is not in the catalog.

    calibrate.py SPLIT RANKINGS QUERIES-FOLDER [RANKINGS QUERIES-FOLDER ...] > Calibration+Trained.swift

RANKINGS is what `earshot-train --do rank` wrote: a line for each look at each excerpt, with its name, the
seconds heard, the ranking of all tracks, and the ranking without the track's own family. What the figures mean
is told in Documentation/Recognition.md. The tails, and how well the certainty keeps its word where each folder is
judged by the figures of the others, are reported on standard error.
"""
import csv, math, os, sys

# As Decision.swift has them.
LOSERS = 15
HARMONIC = sum(1 / k for k in range(1, LOSERS + 1))
SCALE_MIN = 0.3
FIRST_STAGE_SECONDS = 1.0
ACCEPTED = 12.0
SPREAD_FULL = 0.65  # at one second
# The listenings from whose largest certainties each tail is drawn.
TAIL = 20
# A listening gives one chance in e for each unit of certainty, at most: less would be luck.
TAIL_SCALE_MIN = 1.0
# Tracks of different families that hold one recording, which a catalog's passages tell.
SHARING = [{"planetblupi-music001", "planetblupi-music003"}]
KINDS = ["first second, own speed", "first second, other speeds", "later, own speed", "later, other speeds"]


class Track:
    """One entry of a ranking: see Ranker.swift."""

    def __init__(self, text):
        v = [float(x) for x in text.split(",")]
        self.index, self.evidence, self.bins, self.tempo = int(v[0]), v[1], v[3], v[4]
        self.bands, self.support, self.moving, self.spread = v[7], v[9], v[10], v[11]

    def weight(self):
        """Decision.weight."""
        moving = self.moving / max(self.support, 1)
        return min(1, self.bands / 6) * min(1, max(0, moving / 0.1))

    def is_own_speed(self):
        """Alignment.isAboutOwnSpeed."""
        return abs(self.tempo - 1) <= 0.012 and abs(self.bins) <= 1


def rows(path):
    with open(path, newline="") as table:
        return list(csv.DictReader(table, delimiter="\t"))


def rankings(path):
    looks = {}
    for line in open(path):
        name, seconds, everything, others = line.rstrip("\n").split("\t")
        both = [[Track(e) for e in text.split(";") if e] for text in (everything, others)]
        looks.setdefault(name, {})[float(seconds)] = both
    return looks


def own_scale(ranking):
    losers = [t.evidence for t in ranking[1:LOSERS + 2]]
    return max(SCALE_MIN, sum(e - losers[LOSERS] for e in losers[:LOSERS]) / LOSERS)


def margin(ranking, usual):
    scale = (own_scale(ranking) + usual) / 2
    bar = (ranking[1].evidence + ranking[LOSERS + 1].evidence + HARMONIC * scale) / 2
    value = (ranking[0].evidence - bar) / scale
    return value * ranking[0].weight() if value > 0 else value


def look_figures(rankings):
    """scale, margin80, marginScale and bestWrong of one look."""
    usual = sum(own_scale(r) for r in rankings) / len(rankings)
    margins = sorted(margin(r, usual) for r in rankings)
    m80 = margins[int(0.8 * len(margins))]
    tail = [m - m80 for m in margins if m > m80]
    return usual, m80, sum(tail) / len(tail), sum(r[0].evidence for r in rankings) / len(rankings)


class Calibration:
    def __init__(self, absent):
        """absent: by listening, by seconds, a ranking without the listening's own family."""
        self.looks = {}
        for seconds in sorted({s for looks in absent.values() for s in looks}):
            self.looks[seconds] = look_figures([l[seconds] for l in absent.values() if seconds in l])
        self.tails, self.largest = [], []
        for kind in range(len(KINDS)):
            largest = []
            for name, looks in absent.items():
                certain = [self.at_look(r, s) for s, r in looks.items() if self.kind(r, s) == kind]
                largest.append((max(certain, default=-math.inf), name))
            largest.sort(reverse=True)
            beginning = largest[TAIL][0]
            scale = max(TAIL_SCALE_MIN, sum(c - beginning for c, _ in largest[:TAIL]) / TAIL)
            self.tails.append((beginning, scale, math.log(len(largest) / TAIL)))
            self.largest.append(largest)

    @staticmethod
    def kind(ranking, seconds):
        return (0 if seconds <= FIRST_STAGE_SECONDS else 2) + (not ranking[0].is_own_speed())

    def at_look(self, ranking, seconds):
        usual, m80, scale, _ = self.looks[seconds]
        certainty = math.log(5) + (margin(ranking, usual) - m80) / scale
        full = SPREAD_FULL / math.sqrt(max(1, seconds))
        return certainty * min(1, ranking[0].spread / full) if certainty > 0 else certainty

    def certainty(self, ranking, seconds):
        beginning, scale, base = self.tails[self.kind(ranking, seconds)]
        return base + (self.at_look(ranking, seconds) - beginning) / scale


class Corpus:
    """Rankings of excerpts whose answers are known, and which tracks share sound."""

    def __init__(self, split, path, folder):
        tracks = rows(split)
        self.name = os.path.basename(os.path.normpath(folder))
        self.family = {t["id"]: t["family"] for t in tracks}
        references = [t for t in tracks if t["role"] == "reference"]
        self.ids = [t["id"] for t in references]
        self.references = [t["family"] for t in references]
        self.truth = {t["query"]: t for t in rows(os.path.join(folder, "truth.tsv"))}
        self.rankings = rankings(path)

    def absent(self):
        """Rankings of sound that is not in the catalog, or of which the catalog lacks the family."""
        found = {}
        for name, looks in self.rankings.items():
            truth = self.truth[name]
            # An outsider with a relative in the catalog is no negative.
            if not truth["reference"] and self.family.get(truth["source"]) in set(self.references):
                continue
            kin = set().union(*(s for s in SHARING if truth["source"] in s))
            both = {s: [t for t in others if self.ids[t.index] not in kin] for s, (_, others) in looks.items()}
            found[self.name, name] = {s: others for s, others in both.items() if len(others) > LOSERS + 1}
        return found

    def by_family(self, ranking):
        """The best track of each family."""
        seen, best = set(), []
        for track in ranking:
            if self.references[track.index] not in seen:
                seen.add(self.references[track.index])
                best.append(track)
        return best

    def is_right(self, name, track):
        return self.references[track.index] == self.family.get(self.truth[name]["reference"])

    def first_answers(self, calibration):
        """By listening: seconds, certainty and rightness of the first certain answer, or None."""
        answers = {}
        for name, looks in self.rankings.items():
            if not self.truth[name]["reference"]:
                continue
            answers[self.name, name] = None
            for seconds in sorted(looks):
                best = self.by_family(looks[seconds][0])
                if len(best) <= LOSERS + 1 or seconds not in calibration.looks:
                    continue
                certainty = calibration.certainty(best, seconds)
                if certainty > ACCEPTED:
                    answers[self.name, name] = (seconds, certainty, self.is_right(name, best[0]))
                    break
        return answers


def merged(tables):
    return {key: value for table in tables for key, value in table.items()}


def report_tails(calibration):
    for kind, largest, tail in zip(KINDS, calibration.largest, calibration.tails):
        print(f"{kind}: tail from {tail[0]:.2f}, scale {tail[1]:.2f}; largest "
              + " ".join(f"{c:.1f} {n[1]}" for c, n in largest[:4]), file=sys.stderr)


def report_answers(answers, corpora):
    condition = {(c.name, n): t["condition"] for c in corpora for n, t in c.truth.items()}
    by_condition = {}
    for name, answer in answers.items():
        by_condition.setdefault(condition[name], []).append(answer)
    moments = [0.6, 1, 2, 3, 5, 16]
    print("decided and right by  " + " ".join(f"{m:>4} s" for m in moments), file=sys.stderr)
    for name, group in [*sorted(by_condition.items()), ("all", list(answers.values()))]:
        decided = [100 * sum(a is not None and a[2] and a[0] <= m for a in group) / len(group) for m in moments]
        print(f"{name:21}" + "".join(f"{d:7.1f}" for d in decided), file=sys.stderr)
    print(f"wrong {sum(a is not None and not a[2] for a in answers.values())}", file=sys.stderr)


def report_word(corpora):
    """How many absent listenings get past each certainty, of each folder by the figures of the others."""
    bars = [4, 5, 6, 7, 8, 9, 10, 10.6]
    for corpus in corpora:
        others = [c for c in corpora if c is not corpus] or [corpus]
        calibration = Calibration(merged(c.absent() for c in others))
        absent = corpus.absent()
        largest = [max((calibration.certainty(r, s) for s, r in looks.items() if s in calibration.looks),
                       default=-math.inf) for looks in absent.values()]
        print(f"{corpus.name}: of {len(largest)} absent, more than the certainty / expected: " + ", ".join(
            f"{bar}: {sum(c > bar for c in largest)} / {4 * len(largest) * math.exp(-bar):.1f}" for bar in bars),
            file=sys.stderr)


def main():
    split, pairs = sys.argv[1], sys.argv[2:]
    corpora = [Corpus(split, path, folder) for path, folder in zip(pairs[::2], pairs[1::2])]
    absent = merged(c.absent() for c in corpora)
    calibration = Calibration(absent)
    report_tails(calibration)
    answers = merged(c.first_answers(calibration) for c in corpora)
    report_answers(answers, corpora)
    report_word(corpora)
    certainties = [a[1] for a in answers.values() if a is not None]
    # How certain right answers are when they are first certain enough: near the bar, per unit.
    density = sum(c < ACCEPTED + 5 for c in certainties) / len(certainties) / 5
    places = len({(c.truth[n]["source"], c.truth[n]["offset"]) for c in corpora for _, n in absent if n in c.truth})
    longest = max(s for looks in absent.values() for s in looks)
    print(f"""extension Calibration {{
  // Made by `Scripts/train` from {len(absent)} listenings of up to {longest:.0f} s, all speeds, to sound that is not in
  // the catalog, cut at {places} places ({", ".join(c.name for c in corpora)}). Never edited by hand.

  /// The tails of those listenings: in the first second, then after it, each first at the reference's
  /// own speed and then at others.
  static let tails = [""")
    for beginning, scale, base in calibration.tails:
        print(f"    Tail(beginning: {beginning:.2f}, scale: {scale:.2f}, certainty: {base:.2f}),")
    print(f"""  ]

  /// The share of right answers that are decided within one unit of certainty above the accepted one.
  static let rightDensity = {density:.3f}

  /// The figures of each look.
  static let looks: [Look] = [""")
    for seconds, (usual, m80, scale, best) in sorted(calibration.looks.items()):
        print(f"    Look(\n      seconds: {seconds}, scale: {usual:.2f}, margin80: {m80:.2f}, "
              f"marginScale: {scale:.2f}, bestWrong: {best:.1f}),")
    print("  ]\n}")


if __name__ == "__main__":
    main()
