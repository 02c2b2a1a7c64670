#!/usr/bin/env python3
"""Write Calibration+Trained.swift from rankings of sound whose answers are known.

    calibrate.py SPLIT RANKINGS QUERIES-FOLDER [RANKINGS QUERIES-FOLDER ...] > Calibration+Trained.swift

RANKINGS is what `earshot-train --do rank` wrote: a line for each look at each excerpt, with its name, the
seconds heard, the ranking of all tracks, and the ranking without the track's own family. What the figures mean
is told in Documentation/Recognition.md. Reported on standard error: what the weights and tails of one half of the
music's tracks find in the other half, and how well the certainty keeps its word there.
"""
import csv, math, os, sys, zlib

import numpy as np

# As Decision.swift and Discriminant.swift have them.
LOSERS = 15
HARMONIC = sum(1 / k for k in range(1, LOSERS + 1))
SCALE_MIN = 0.3
FIRST_STAGE_SECONDS = 1.0
SPREAD_FULL = 0.65  # at one second
DISCRIMINANT_SHARE = 0.8
DISCRIMINANT_REACH = 4.0
# What a look has to reach, by its kind.
ACCEPTED = np.array([8.2, 9.0, 7.9, 8.2])
# The listenings from whose largest certainties each tail is drawn.
TAIL = 20
# Units of certainty above the accepted one over which right answers are counted.
DENSITY_WIDTH = 3
# Of the margin's tails: a listening gives one chance in e for each unit of certainty, at most.
TAIL_SCALE_MIN = 1.0
# Tracks of different families that hold one recording, which a catalog's passages tell.
SHARING = [{"planetblupi-music001", "planetblupi-music003"}]
# Pieces that another track of the same band plays as well: no negatives for each other, and told apart in the reports.
SAME_PIECE = [{"drascula-track9", "drascula-track14"}, {"fretsonfire-song-5", "fretsonfire-song-8"}]
# The conditions of which most is missed weigh more in the discriminant.
BURIED, BURIED_WEIGHT = ("noise-5", "noise0", "far"), 3
KINDS = ["first second, own speed", "first second, other speeds", "later, own speed", "later, other speeds"]
TERMS = ["one", "weighedMargin", "weighedMarginSquared", "margin", "seconds", "isOwnSpeed", "spread", "spreadOfAll",
         "bands", "bandSpread", "coverage", "strongCoverage", "missed", "evidence", "clean", "noisy", "clarity",
         "explained", "explainedHeight", "coverageAtClarity", "missedAtClarity"]


class Track:
    """One entry of a ranking: see Ranker.swift."""

    def __init__(self, text):
        v = [float(x) for x in text.split(",")]
        self.index, self.evidence, self.bins, self.tempo = int(v[0]), v[1], v[3], v[4]
        self.peaks, self.hits = v[5], v[6]
        # Only the first few have what stands behind them.
        v = v[7:] + [0] * (21 - len(v))
        (self.bands, self.support, self.moving, self.spread, self.spread_of_all, self.band_spread, self.found,
         self.missed, self.clean, self.noisy, self.strong_coverage, self.clarity, self.explained,
         self.explained_height) = v[:14]

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


def own_scale(evidence):
    losers = evidence[1:LOSERS + 2]
    return max(SCALE_MIN, sum(e - losers[LOSERS] for e in losers[:LOSERS]) / LOSERS)


class Look:
    """What one look found: the best track, the others' evidence, and what is known of it."""
    __slots__ = ("listening", "seconds", "absent", "right", "best", "evidence", "margin", "kind")

    def __init__(self, listening, seconds, absent, right, ranking):
        self.listening, self.seconds, self.absent, self.right = listening, seconds, absent, right
        self.best = ranking[0]
        self.evidence = [t.evidence for t in ranking[:LOSERS + 2]]
        self.kind = (0 if seconds <= FIRST_STAGE_SECONDS else 2) + (not self.best.is_own_speed())

    def set_margin(self, usual):
        scale = (own_scale(self.evidence) + usual) / 2
        bar = (self.evidence[1] + self.evidence[LOSERS + 1] + HARMONIC * scale) / 2
        self.margin = (self.evidence[0] - bar) / scale

    def spread_share(self):
        return min(1, self.best.spread / (SPREAD_FULL / math.sqrt(max(1, self.seconds))))

    def weighed_margin(self):
        return self.margin * self.best.weight() if self.margin > 0 else self.margin

    def terms(self):
        """Discriminant.terms."""
        t, root = self.best, math.sqrt(max(1, self.seconds))
        weighed = math.log1p(max(0, self.margin) * t.weight() * self.spread_share())
        coverage = t.hits / max(1, t.peaks)
        missed = min(1.2, t.missed / max(1, t.found))
        clarity = t.clarity / 10
        return [1, weighed, weighed * weighed, math.log1p(min(20, max(0, self.margin))), math.log(self.seconds),
                float(t.is_own_speed()), math.log(max(0.05, t.spread * root)),
                math.log(max(0.05, t.spread_of_all * root)), min(1, t.bands / 6), t.band_spread, coverage,
                t.strong_coverage, missed, t.support / max(1, t.peaks), t.clean, t.noisy, clarity, t.explained,
                t.explained_height, (coverage - 0.6) * clarity, missed * clarity]


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
        self.path = path
        # Where only the rankings without the family were wanted, both are the same.
        self.has_present = any(everything != others for _, _, everything, others in self.lines())

    def lines(self):
        with open(self.path) as table:
            for line in table:
                yield line.rstrip("\n").split("\t")

    def looks(self):
        """All looks: of what is in the catalog, and of everything without its own family."""
        for name, seconds, everything, others in self.lines():
            truth, seconds = self.truth[name], float(seconds)
            kin = set().union(*(s for s in SHARING if truth["source"] in s))
            # An outsider with a relative in the catalog is no negative.
            if truth["reference"] or self.family.get(truth["source"]) not in set(self.references):
                ranking = [t for t in map(Track, others.split(";")) if self.ids[t.index] not in kin]
                if len(ranking) > LOSERS + 1:
                    yield Look((self.name, name), seconds, True, False, ranking)
            if truth["reference"] and self.has_present:
                ranking = self.by_family([Track(e) for e in everything.split(";") if e])
                if len(ranking) > LOSERS + 1:
                    yield Look((self.name, name), seconds, False, self.is_right(name, ranking[0]), ranking)

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

    def half(self, name):
        """A half of the music: all that is cut from one track lies in the same."""
        return zlib.crc32(self.truth[name]["source"].encode()) & 1

    def is_same_piece(self, look):
        pair = {self.truth[look.listening[1]]["source"], self.ids[look.best.index]}
        return any(pair <= piece for piece in SAME_PIECE)


class Rankings:
    """All looks as arrays."""

    def __init__(self, corpora):
        self.looks = [look for corpus in corpora for look in corpus.looks()]
        absent = [l for l in self.looks if l.absent]
        self.usual = {s: sum(own_scale(l.evidence) for l in absent if l.seconds == s)
                      / sum(l.seconds == s for l in absent) for s in {l.seconds for l in absent}}
        self.looks = [l for l in self.looks if l.seconds in self.usual]
        for look in self.looks:
            look.set_margin(self.usual[look.seconds])
        by_name = {c.name: c for c in corpora}
        self.terms = np.array([l.terms() for l in self.looks])
        self.margin = np.array([l.weighed_margin() for l in self.looks])
        self.spread = np.array([l.spread_share() for l in self.looks])
        self.seconds = np.array([l.seconds for l in self.looks])
        self.kind = np.array([l.kind for l in self.looks])
        self.absent = np.array([l.absent for l in self.looks])
        self.right = np.array([l.right for l in self.looks])
        self.best_wrong = np.array([l.evidence[0] for l in self.looks])
        self.half = np.array([by_name[l.listening[0]].half(l.listening[1]) for l in self.looks])
        self.same_piece = np.array([by_name[l.listening[0]].is_same_piece(l) for l in self.looks])
        names = sorted({l.listening for l in self.looks})
        number = {name: index for index, name in enumerate(names)}
        self.listening = np.array([number[l.listening] for l in self.looks])
        self.places = {(by_name[c].truth[n]["source"], by_name[c].truth[n]["offset"]) for c, n in names}
        self.condition = [by_name[c].truth[n]["condition"] for c, n in names]
        self.is_buried = np.array([c in BURIED for c in self.condition])[self.listening]

    def largest(self, values, mask):
        """The largest value of each listening that has one."""
        best = np.full(len(self.condition), -np.inf)
        np.maximum.at(best, self.listening[mask], values[mask])
        return np.sort(best[best > -np.inf])[::-1]


def logistic(terms, is_right, weight):
    """Weights of a logistic regression, for terms as they are: Newton's method to the one best point."""
    mean, deviation = terms.mean(0), terms.std(0) + 1e-9
    mean[0], deviation[0] = 0, 1
    scaled = (terms - mean) / deviation
    ridge = np.r_[0, np.full(scaled.shape[1] - 1, 0.02)]

    def loss(w):
        return (weight * np.logaddexp(0, -(scaled @ w) * (2 * is_right - 1))).sum() + (ridge * w * w).sum() / 2

    w = np.zeros(scaled.shape[1])
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(scaled @ w, -50, 50)))
        slope = scaled.T @ (weight * (p - is_right)) + ridge * w
        curvature = scaled.T @ (scaled * (weight * p * (1 - p))[:, None]) + np.diag(ridge)
        step = np.linalg.solve(curvature, slope)
        # A whole step may go too far while the best point is far away.
        while loss(w - step) > loss(w) and np.abs(step).max() > 1e-9:
            step = step / 2
        w = w - step
        if np.abs(step).max() < 1e-9:
            break
    w = w / deviation
    w[0] -= w[1:] @ mean[1:]
    return w


class Calibration:
    """What Calibration+Trained.swift holds, counted on the looks that `mask` chooses."""

    def __init__(self, rankings, mask):
        r = rankings
        mask = mask & ~(r.absent & r.same_piece)
        self.rankings, self.looks = r, {}
        for seconds in sorted(r.usual):
            look = mask & r.absent & (r.seconds == seconds)
            margins = np.sort(r.margin[look])
            m80 = margins[int(0.8 * len(margins))]
            tail = margins[margins > m80] - m80
            self.looks[seconds] = (r.usual[seconds], m80, tail.mean(), r.best_wrong[look].mean())
        self.weights = [self.discriminant(mask & (r.kind // 2 == stage)) for stage in (0, 1)]
        self.margin_tails = self.tails(self.margins(), mask, TAIL_SCALE_MIN)
        self.discriminant_tails = self.tails(self.discriminants(), mask, 0)

    def discriminant(self, mask):
        r = self.rankings
        chosen = mask & (r.absent | r.right)
        terms, right = r.terms[chosen], r.right[chosen] & ~r.absent[chosen]
        weight = np.where(right, 1 / right.sum(), 1 / (~right).sum()) * 1000
        weight[right & r.is_buried[chosen]] *= BURIED_WEIGHT
        w = logistic(terms, right.astype(float), weight)
        # Once more, with more weight on those that it gets wrong, or nearly.
        t = terms @ w
        weight *= 1 / (1 + np.exp(-(np.where(right, -t, t) + 3)))
        return logistic(terms, right.astype(float), weight * 2000 / weight.sum())

    def margins(self):
        r, result = self.rankings, np.zeros(len(self.rankings.looks))
        for seconds, (_, m80, scale, _) in self.looks.items():
            look = r.seconds == seconds
            c = math.log(5) + (r.margin[look] - m80) / scale
            result[look] = np.where(c > 0, c * r.spread[look], c)
        return result

    def discriminants(self):
        r = self.rankings
        return np.where(r.kind < 2, r.terms @ self.weights[0], r.terms @ self.weights[1])

    def tails(self, values, mask, scale_min):
        r, tails = self.rankings, []
        count = len(np.unique(r.listening[mask & r.absent]))
        for kind in range(len(KINDS)):
            largest = r.largest(values, mask & r.absent & (r.kind == kind))
            scale = max(scale_min, (largest[:TAIL] - largest[TAIL]).mean())
            tails.append((largest[TAIL], scale, math.log(count / TAIL)))
        return tails

    def by_tails(self, values, tails):
        beginning, scale, base = (np.array(column)[self.rankings.kind] for column in zip(*tails))
        return base + (values - beginning) / scale

    def certainties(self):
        margin = self.by_tails(self.margins(), self.margin_tails)
        discriminant = self.by_tails(self.discriminants(), self.discriminant_tails)
        return margin + np.clip(DISCRIMINANT_SHARE * (discriminant - margin), -DISCRIMINANT_REACH, DISCRIMINANT_REACH)


def first_answers(rankings, certainties, mask):
    """By listening: seconds, certainty, rightness and kind of the first certain answer."""
    r, answers = rankings, {int(n): None for n in np.unique(rankings.listening[mask & ~rankings.absent])}
    for index in np.flatnonzero(mask & ~r.absent & (certainties > ACCEPTED[r.kind])):
        known = answers[r.listening[index]]
        if known is None or r.seconds[index] < known[0]:
            answers[r.listening[index]] = (r.seconds[index], certainties[index], bool(r.right[index]), int(r.kind[index]))
    return answers


def report(rankings, certainties, chosen):
    r = rankings
    answers = {}
    for certainty, mask in zip(certainties, chosen):
        answers.update(first_answers(r, certainty, mask))
    by_condition = {}
    for listening, answer in answers.items():
        by_condition.setdefault(r.condition[listening], []).append(answer)
    moments = [0.6, 1, 2, 3, 5, 16]
    print("decided and right by  " + " ".join(f"{m:>4} s" for m in moments), file=sys.stderr)
    for name, group in [*sorted(by_condition.items()), ("all", list(answers.values()))]:
        decided = [100 * sum(a is not None and a[2] and a[0] <= m for a in group) / len(group) for m in moments]
        print(f"{name:21}" + "".join(f"{d:7.1f}" for d in decided), file=sys.stderr)
    print(f"wrong {sum(a is not None and not a[2] for a in answers.values())}", file=sys.stderr)
    largest = np.concatenate([r.largest(c, m & r.absent) for c, m in zip(certainties, chosen)])
    other = np.concatenate([r.largest(c, m & r.absent & ~r.same_piece) for c, m in zip(certainties, chosen)])
    print(f"of {len(largest)} absent, above the certainty / expected (without the same piece): " + ", ".join(
        f"{bar}: {(largest > bar).sum()} / {4 * len(largest) * math.exp(-bar):.1f} ({(other > bar).sum()})"
        for bar in (4, 5, 6, 7, 8, 9, 10, 11, 12)), file=sys.stderr)
    wrong = {r.listening[i] for c, m in zip(certainties, chosen)
             for i in np.flatnonzero(m & r.absent & (c > ACCEPTED[r.kind]))}
    print(f"accepted {len(wrong)} / {len(largest) * np.exp(-ACCEPTED).sum():.1f}", file=sys.stderr)


def main():
    split, pairs = sys.argv[1], sys.argv[2:]
    corpora = [Corpus(split, path, folder) for path, folder in zip(pairs[::2], pairs[1::2])]
    r = Rankings(corpora)
    halves = [r.half == 0, r.half == 1]
    print("each half of the tracks by the figures of the other", file=sys.stderr)
    report(r, [Calibration(r, other).certainties() for other in reversed(halves)], halves)
    everything = np.ones(len(r.looks), bool)
    calibration = Calibration(r, everything)
    certainties = calibration.certainties()
    print("all by all", file=sys.stderr)
    report(r, [certainties], [everything])
    answers = [a for a in first_answers(r, certainties, everything).values() if a is not None]
    known = len(first_answers(r, certainties, everything))
    # How certain right answers are when they are first certain enough: near the bar, per unit.
    densities = [sum(a[3] == kind and a[1] < ACCEPTED[kind] + DENSITY_WIDTH for a in answers) / known / DENSITY_WIDTH
                 for kind in range(len(KINDS))]
    absent = len(np.unique(r.listening[r.absent]))
    longest = max(r.usual)
    print(f"""extension Calibration {{
  // Made by `Scripts/train` from {absent} listenings of up to {longest:.0f} s, all speeds, to sound that is not in
  // the catalog, and {known} to sound that is, cut at {len(r.places)} places
  // ({", ".join(c.name for c in corpora)}). Never edited by hand.
""")
    for name, tails in (("marginTails", calibration.margin_tails),
                        ("discriminantTails", calibration.discriminant_tails)):
        what = "margin" if name == "marginTails" else "discriminant"
        print(f"""  /// The tails of the {what} in those listenings: in the first second, then after it, each first at the
  /// reference's own speed and then at others.
  static let {name} = [""")
        for beginning, scale, base in tails:
            print(f"    Tail(beginning: {beginning:.2f}, scale: {scale:.3f}, certainty: {base:.2f}),")
        print("  ]\n")
    print(f"""  /// The share of listenings to what is in the catalog that are decided within one unit of certainty, near the
  /// accepted one: in the first second, then after it, each first at the reference's own speed and then at others.
  static let rightDensities = [{", ".join(f"{d:.4f}" for d in densities)}]

  /// The discriminant's weights: in the first second, then after it, in the order of its terms.
  static let discriminantWeights: [[Double]] = [""")
    for weights in calibration.weights:
        print("    [\n" + "".join(f"      {w:.4f},  // {name}\n" for w, name in zip(weights, TERMS)) + "    ],")
    print("""  ]

  /// The figures of each look.
  static let looks: [Look] = [""")
    for seconds, (usual, m80, scale, best) in sorted(calibration.looks.items()):
        print(f"    Look(\n      seconds: {seconds}, scale: {usual:.2f}, margin80: {m80:.2f}, "
              f"marginScale: {scale:.2f}, bestWrong: {best:.1f}),")
    print("  ]\n}")


if __name__ == "__main__":
    main()
