#!/usr/bin/env python3
"""The speed of a real spindle, from a trace of its responses: the period at which a model that knows
everything else predicts most of the rotational positions, the platter's phase set once for the trace.

    spindle_fit.py MODEL.json TRACE     PLATTER_BINARY names the program
"""

import json
import os
import subprocess
import sys
import tempfile

PLATTER = os.environ.get("PLATTER_BINARY", os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "build", "release", "platter"))
# Crystals and regulators keep a spindle within some 100 ppm of what its data sheet says. Over a trace
# of minutes 1 ppm is a good part of the window in which a position counts as known.
COARSE_PPM, FINE_PPM, REACH_PPM = 2, 0.25, 500


def phase_shares(model, trace, folder, ppm):
    """(with the phase set once, set anew at each completion) at a period longer by that many ppm."""
    changed = json.loads(json.dumps(model))
    rotation = changed["rotation"]
    rotation["numerator_ns"] = round(rotation["numerator_ns"] * 1000 * (1 + ppm * 1e-6))
    rotation["denominator"] *= 1000
    rotation.pop("period", None)
    path, result = os.path.join(folder, "model.json"), os.path.join(folder, "result.csv")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(changed, file)
    subprocess.run([PLATTER, "replay", trace, "--on", path, "--reference-reads", "0",
                    "--phase-from", trace, "-o", result], check=True, stderr=subprocess.DEVNULL)
    compared = subprocess.run([PLATTER, "compare", trace, result, "--json"], check=True,
                              capture_output=True, text=True)
    figures = json.loads(compared.stdout)["all"]
    return figures["folded_phase_share"], figures["folded_phase_share_reanchored"]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        model = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        def share(ppm):
            return phase_shares(model, sys.argv[2], folder, ppm)[0]
        coarse = max(range(-REACH_PPM, REACH_PPM + 1, COARSE_PPM), key=share)
        steps = range(round(-COARSE_PPM / FINE_PPM), round(COARSE_PPM / FINE_PPM) + 1)
        best = max((coarse + step * FINE_PPM for step in steps), key=share)
        once, anew = phase_shares(model, sys.argv[2], folder, best)
        nominal = 0, *phase_shares(model, sys.argv[2], folder, 0)
    print("| spindle, ppm of the nominal period | phase set once % | phase re-anchored % |")
    print("|---|---|---|")
    for ppm, *shares in (nominal, (best, once, anew)):
        print(f"| {ppm:+.2f} | " + " | ".join(f"{100 * share:.1f}" for share in shares) + " |")


if __name__ == "__main__":
    main()
