#!/usr/bin/env python3
"""Tell how well the product's certainty and confidence keep their word, on rankings of known and unknown sound.

    reliability.py SPLIT RANKINGS QUERIES-FOLDER [RANKINGS QUERIES-FOLDER ...]

RANKINGS is what `earshot-train --do rank` wrote. Everything is judged by the figures that stand in
Calibration+Trained.swift, nothing is counted anew. An answer is what a listening would have been told if so much
certainty were enough: the first look above it. Confidence is for half of what is heard being in no catalog, so
answers to unknown sound count as if there were as many such listenings as others.
"""
import math, os, re, sys

import numpy as np

import calibrate

TRAINED = os.path.join(os.path.dirname(__file__), "../../Sources/EarshotMatch/Calibration+Trained.swift")
NUMBER = r"(-?[\d.]+)"


class Product:
    """The figures of Calibration+Trained.swift."""

    def __init__(self, path):
        with open(path) as file:
            text = file.read()
        tail = rf"beginning: {NUMBER}, scale: {NUMBER}, certainty: {NUMBER}"
        part = lambda name: text[text.index("static let " + name):].split("\n  ]")[0]
        self.margin_tails = [tuple(map(float, t)) for t in re.findall(tail, part("marginTails"))]
        self.discriminant_tails = [tuple(map(float, t)) for t in re.findall(tail, part("discriminantTails"))]
        weights = [float(w) for w in re.findall(rf"^ +{NUMBER},  //", part("discriminantWeights"), re.M)]
        self.weights = np.array(weights).reshape(2, -1)
        look = rf"seconds: {NUMBER}, scale: {NUMBER}, margin80: {NUMBER},\s*marginScale: {NUMBER}"
        self.looks = {float(s): tuple(map(float, rest)) for s, *rest in re.findall(look, text)}
        self.densities = [float(d) for d in re.findall(NUMBER, re.search(r"rightDensities = \[(.*)\]", text).group(1))]

    def certainty(self, look):
        usual, margin80, scale = self.looks[look.seconds]
        look.set_margin(usual)
        margin = math.log(5) + (look.weighed_margin() - margin80) / scale
        if margin > 0:
            margin *= look.spread_share()
        discriminant = float(np.dot(look.terms(), self.weights[look.kind // 2]))
        by_margin = self.by_tail(margin, self.margin_tails[look.kind])
        drawn = calibrate.DISCRIMINANT_SHARE * (self.by_tail(discriminant, self.discriminant_tails[look.kind]) - by_margin)
        return by_margin + min(calibrate.DISCRIMINANT_REACH, max(-calibrate.DISCRIMINANT_REACH, drawn))

    def by_tail(self, value, tail):
        beginning, scale, base = tail
        return base + (value - beginning) / scale

    def confidence(self, certainty, kind):
        return 1 / (1 + math.exp(-certainty) / self.densities[kind])


class Listening:
    def __init__(self, absent, same_piece):
        self.absent, self.same_piece, self.looks = absent, same_piece, []


def listenings(split, pairs, product):
    for path, folder in pairs:
        corpus = calibrate.Corpus(split, path, folder)
        # A larger catalog's further tracks are families of their own.
        more = [f"more-{n}" for n in range(100_000)]
        corpus.ids += more
        corpus.references += more
        found = {}
        for look in corpus.looks():
            if look.seconds not in product.looks:
                continue
            one = found.setdefault((look.listening, look.absent), Listening(look.absent, False))
            certainty = product.certainty(look)
            one.looks.append((look.seconds, certainty, look.right, look.kind))
            one.same_piece |= look.absent and certainty > 7 and corpus.is_same_piece(look)
        yield from found.values()


def answer(listening, bars):
    """The first look above the bar of its kind."""
    return next((look for look in sorted(listening.looks) if look[1] > bars[look[3]]), None)


def main():
    split, names = sys.argv[1], sys.argv[2:]
    product = Product(TRAINED)
    known, unknown = [], []
    for one in listenings(split, zip(names[::2], names[1::2]), product):
        (unknown if one.absent else known).append(one)
    print(f"{len(known)} listenings to what is in the catalog, {len(unknown)} to what is not")
    bars = [(str(bar), [bar] * 4) for bar in (4, 5, 6, 7, 8, 9, 10)] + [("what is accepted", calibrate.ACCEPTED)]
    print("\ncertainty above      unknown: found  expected  of them the same piece")
    for name, bar in bars:
        over = [one for one in unknown if answer(one, bar)]
        expected = len(unknown) * sum(math.exp(-b) for b in bar)
        print(f"{name:>16} {len(over):18} {expected:9.1f} {sum(o.same_piece for o in over):9}")
    if not known:
        return
    weight = len(known) / len(unknown)
    print("\nanswers at the first look above a certainty, less than one above it")
    print("            from   known: right  wrong   unknown   confidence told   share right")
    for name, bar in bars:
        answers = [(answer(one, bar), one.absent) for one in known + unknown]
        answers = [(a, absent) for a, absent in answers if a and a[1] <= bar[a[3]] + 1]
        right = sum(a[2] and not absent for a, absent in answers)
        wrong = sum(not a[2] and not absent for a, absent in answers)
        false = sum(absent for _, absent in answers)
        told = sum(product.confidence(a[1], a[3]) * (weight if absent else 1) for a, absent in answers)
        total = right + wrong + weight * false
        if total:
            print(f"{name:>16} {right:13} {wrong:6} {false:9} {100 * told / total:16.2f} % {100 * right / total:11.2f} %")
    decided = [answer(one, calibrate.ACCEPTED) for one in known]
    moments = (0.6, 1, 2, 3, 5, 16)
    shares = [100 * sum(bool(a and a[2] and a[0] <= m) for a in decided) / len(known) for m in moments]
    print("\ndecided and right by  " + "  ".join(f"{m} s {s:.1f}" for m, s in zip(moments, shares)))


if __name__ == "__main__":
    main()
