"""The third judge: what platter finds out about alien drives, against what they are.

PLATTER_BINARY names the program.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import compare_layout  # noqa: E402

PLATTER = os.environ.get("PLATTER_BINARY", "")
BOUNDS = dict(missing=0, invented=0, size_wrong=0, place_wrong=0,
              angle_max_rev=0.01, angle_rms_rev=0.002)


def between(points, distance):
    """Linear interpolation in [(distance, time)]."""
    for (low, t_low), (high, t_high) in zip(points, points[1:]):
        if low <= distance <= high:
            return t_low + (t_high - t_low) * (distance - low) / (high - low)
    return None


def mean_of_directions(model):
    """Read seeks as [(distance, ms)], as the truth has them: over both directions."""
    curves = [[(p["cylinders"], p["time_ms"]) for p in model[name]["points"]]
              for name in ("seek", "outward_seek") if name in model]
    ways = {distance: [between(curve, distance) for curve in curves] for distance, _ in curves[0]}
    return [(distance, sum(times) / len(times)) for distance, times in ways.items()
            if None not in times]


@unittest.skipUnless(PLATTER, "PLATTER_BINARY names no program")
class Judge(unittest.TestCase):
    def characterize(self, variant, seed, *more):
        """(model, truth, layout) of one run on a noisy alien drive."""
        with tempfile.TemporaryDirectory() as folder:
            truth, model = os.path.join(folder, "truth.json"), os.path.join(folder, "model.json")
            drive = (f"exec:{sys.executable} -B {os.path.join(HERE, 'alien.py')} "
                     f"--variant {variant} --seed {seed} --truth {truth} {' '.join(more)}")
            subprocess.run([PLATTER, "characterize", drive, "-o", model, "--journal", folder],
                           capture_output=True, check=True)
            tracks = subprocess.run([PLATTER, "layout", model, "--all-tracks"],
                                    capture_output=True, text=True, check=True).stdout
            with open(truth, encoding="utf-8") as file, open(model, encoding="utf-8") as other:
                return (json.load(other), json.load(file),
                        compare_layout.read_layout(tracks.splitlines()))

    def judge(self, variant, seed=1):
        model, truth, layout = self.characterize(variant, seed)
        self.assertEqual(model["identity"]["blocks"], truth["blocks"])
        self.assertEqual(compare_layout.beyond(compare_layout.compare(truth, layout), BOUNDS), [])
        # Noise and a wandering spindle are in the truth, so these bounds are not tight.
        period = model["rotation"]["numerator_ns"] / model["rotation"]["denominator"]
        self.assertAlmostEqual(period / truth["period_ns"], 1, delta=3e-6)
        self.assertAlmostEqual(model["head_switch"]["value"], truth["head_switch_neighbours_mean_ms"],
                               delta=0.06)
        curve = mean_of_directions(model)
        errors = [abs(between(curve, p["cylinders"]) - p["mean_ms"]) for p in truth["seek"]
                  if between(curve, p["cylinders"]) is not None]
        self.assertGreater(len(errors), 0.9 * len(truth["seek"]))
        self.assertLess(sum(errors) / len(errors), 0.04)
        self.assertLess(max(errors), 0.25)
        return model, truth

    def test_moderate(self):
        model, truth = self.judge("moderate")
        cache = model["cache"]
        for name in ("segments", "segment_blocks"):
            self.assertEqual(cache[name]["value"], truth["cache"][name], name)
        self.assertEqual(cache["read_ahead"]["value"], 2)  # to the cylinder's end
        self.assertEqual(cache["read_ahead_max_blocks"]["value"], 280)

    def test_serpentine(self):
        self.judge("serpentine", seed=3)

    def unexplained(self, *drive):
        """The share of the cache's answers that the model contradicts, its error, and what is said of it."""
        model = self.characterize(*drive)[0]
        share = model["cache"]["unexplained_share"]
        return share["value"], share["error"], [found for found in model["provenance"].get("findings", [])
                                                if found["code"] == "cache-unexplained"]

    def test_a_cache_that_no_model_describes(self):
        """Replacement by the clock; read-ahead is lost when the next miss comes within 8 ms."""
        share, error, notes = self.unexplained("moderate", 2, "--set", "cache.read_ahead_idle_ms=8")
        self.assertGreater(share, 2 * error)
        self.assertEqual(len(notes), 1)

    def test_caches_that_other_ideas_govern(self):
        """What a few answers leave open is asked for until it is told."""
        for setting in ("forgets_ms=60", "read_ahead_doubles_from=16"):
            with self.subTest(setting):
                share, error, notes = self.unexplained("moderate", 2, "--set", f"cache.{setting}")
                self.assertGreater(share, error)  # about three errors, give or take one by chance
                self.assertEqual(len(notes), 1)

    def test_a_cache_that_holds_some_places_only(self):
        """The answers of four runs in ten fit a model all the same; of others those of one kind alone do not."""
        told = 0
        for seed in range(2, 7):
            share, error, notes = self.unexplained("moderate", seed, "--set", "cache.set_blocks=3000")
            if notes:
                self.assertTrue(share > 2 * error or "; of " in notes[0]["text"], notes)
                told += 1
        self.assertGreater(told, 0)

    def test_a_cache_that_the_model_describes(self):
        """One segment, filled to the track's end."""
        share, error, notes = self.unexplained("old", 1)
        self.assertLess(share, 2 * error)
        self.assertEqual(notes, [])

    def test_strangers(self):
        for number in (6, 8):
            with self.subTest(number):
                self.judge(f"random:{number}", seed=number)


if __name__ == "__main__":
    unittest.main()
