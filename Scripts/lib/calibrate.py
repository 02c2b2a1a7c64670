#!/usr/bin/env python3
"""Write Calibration+Trained.swift from rankings of sound that is not in the catalog.

    calibrate.py NEGATIVES POSITIVES QUERIES-FOLDER SPLIT > Calibration+Trained.swift

NEGATIVES and POSITIVES are what `earshot-train --do rank` wrote: a line for each look at each excerpt, with
its name, the seconds heard, the ranking of all tracks, and the ranking without the track's own family. What
the figures mean is told in Documentation/Recognition.md. The tails are reported on standard error.
"""
import csv, math, os, sys

# As Decision.swift has them.
LOSERS = 15
HARMONIC = sum(1 / k for k in range(1, LOSERS + 1))
SCALE_MIN = 0.3
FIRST_STAGE_SECONDS = 1.0
ACCEPTED = 13.0
# The listenings from whose largest certainties each tail is drawn.
TAIL = 20
# A listening gives one chance in e for each unit of certainty, at most: less would be luck.
TAIL_SCALE_MIN = 1.0
KINDS = ["first second, own speed", "first second, other speeds", "later, own speed", "later, other speeds"]


class Track:
    """One entry of a ranking: see Ranker.swift."""

    def __init__(self, text):
        v = [float(x) for x in text.split(",")]
        self.index, self.evidence, self.bins, self.tempo = int(v[0]), v[1], v[3], v[4]
        self.bands, self.support, self.moving = v[7], v[9], v[10]

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
        return math.log(5) + (margin(ranking, usual) - m80) / scale

    def certainty(self, ranking, seconds):
        beginning, scale, base = self.tails[self.kind(ranking, seconds)]
        return base + (self.at_look(ranking, seconds) - beginning) / scale


class Corpus:
    """The answers, and which tracks share sound."""

    def __init__(self, folder, split):
        tracks = rows(split)
        self.family = {t["id"]: t["family"] for t in tracks}
        self.references = [t["family"] for t in tracks if t["role"] == "reference"]
        self.truth = {t["query"]: t for t in rows(os.path.join(folder, "truth.tsv"))}

    def absent(self, looks_by_name):
        """Rankings of sound that is not in the catalog, or of which the catalog lacks the family."""
        return {
            name: {s: others for s, (_, others) in looks.items() if len(others) > LOSERS + 1}
            for name, looks in looks_by_name.items()
            # An outsider with a relative in the catalog is no negative.
            if self.truth[name]["reference"]
            or self.family.get(self.truth[name]["source"]) not in set(self.references)}

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


def first_answers(corpus, calibration, positives):
    """By listening: seconds, certainty and rightness of the first certain answer, or None."""
    answers = {}
    for name, looks in positives.items():
        if not corpus.truth[name]["reference"]:
            continue
        answers[name] = None
        for seconds in sorted(looks):
            best = corpus.by_family(looks[seconds][0])
            if len(best) <= LOSERS + 1 or seconds not in calibration.looks:
                continue
            certainty = calibration.certainty(best, seconds)
            if certainty > ACCEPTED:
                answers[name] = (seconds, certainty, corpus.is_right(name, best[0]))
                break
    return answers


def report(corpus, calibration, answers):
    for kind, largest, tail in zip(KINDS, calibration.largest, calibration.tails):
        print(f"{kind}: tail from {tail[0]:.2f}, scale {tail[1]:.2f}; largest certainties "
              + " ".join(f"{c:.1f} {n}" for c, n in largest[:4]), file=sys.stderr)
    by_condition = {}
    for name, answer in answers.items():
        by_condition.setdefault(corpus.truth[name]["condition"], []).append(answer)
    moments = [0.6, 1, 2, 3, 5]
    total = [0] * len(moments)
    for condition, listenings in sorted(by_condition.items()):
        decided = [sum(a is not None and a[2] and a[0] <= m for a in listenings) for m in moments]
        total = [t + d for t, d in zip(total, decided)]
        print(f"{condition:10}" + "".join(f"{100 * d / len(listenings):6.0f}" for d in decided), file=sys.stderr)
    print("all       " + "".join(f"{100 * t / len(answers):6.1f}" for t in total)
          + f"   wrong {sum(a is not None and not a[2] for a in answers.values())}", file=sys.stderr)


def main():
    negatives, positives, folder, split = sys.argv[1:]
    corpus = Corpus(folder, split)
    absent = corpus.absent(rankings(negatives))
    calibration = Calibration(absent)
    answers = first_answers(corpus, calibration, rankings(positives))
    report(corpus, calibration, answers)
    certainties = [a[1] for a in answers.values() if a is not None]
    # How certain right answers are when they are first certain enough: near the bar, per unit.
    density = sum(c < ACCEPTED + 5 for c in certainties) / len(certainties) / 5
    places = len({(corpus.truth[n]["source"], corpus.truth[n]["offset"]) for n in absent})
    longest = max(s for looks in absent.values() for s in looks)
    print(f"""extension Calibration {{
  // Made by `Scripts/train` from {len(absent)} listenings of up to {longest:.0f} s, all speeds, to sound that is not in
  // the catalog, cut at {places} places ({os.path.basename(os.path.normpath(folder))}). Never edited by hand.

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
