#!/usr/bin/env python3
"""Tell what each part of the evidence tables is worth, on rankings that were made without it.

    ablation.py SPLIT QUERIES-FOLDER PART=RANKINGS [PART=RANKINGS ...]

RANKINGS is what `earshot-train --do rank` wrote with tables of `--do ablate`. Of each part: how often the right track
is ranked first, its mean lead over the best other in nats, and how much is decided when everything else is counted
anew on the same rankings, each half of the music's tracks by the other.
"""
import sys

import numpy as np

import calibrate

MOMENTS = (0.6, 1.0, 3.0)


def main():
    split, folder, parts = sys.argv[1], sys.argv[2], [part.split("=", 1) for part in sys.argv[3:]]
    moments = "".join(f"{m:>6} s" for m in MOMENTS)
    print(f"{'without':12}ranked first{moments}   lead{moments}   decided{moments}")
    for name, path in parts:
        corpus = calibrate.Corpus(split, path, folder)
        leads = {m: [] for m in MOMENTS}
        for look in corpus.looks():
            if not look.absent and look.seconds in leads:
                leads[look.seconds].append((look.right, (look.evidence[0] - look.evidence[1]) * (1 if look.right else -1)))
        r = calibrate.Rankings([corpus])
        halves = [r.half == 0, r.half == 1]
        answers = {}
        for mask, other in zip(halves, reversed(halves)):
            answers.update(calibrate.first_answers(r, calibrate.Calibration(r, other).certainties(), mask))
        first = [100 * np.mean([right for right, _ in leads[m]]) for m in MOMENTS]
        lead = [np.mean([nats for _, nats in leads[m]]) for m in MOMENTS]
        decided = [100 * np.mean([bool(a and a[2] and a[0] <= m) for a in answers.values()]) for m in MOMENTS]
        row = ["".join(f"{value:8.1f}" for value in values) for values in (first, lead, decided)]
        print(f"{name:24}{row[0]}       {row[1]}          {row[2]}", flush=True)


if __name__ == "__main__":
    main()
