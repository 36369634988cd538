"""The alien with two arms, characterized: its ranges, what one arm's work costs the other, and a demerit near that of
one arm. A drive that tells of two ranges and has one arm is no drive of two."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ALIEN = os.path.join(HERE, "alien.py")
PLATTER = os.environ["PLATTER_BINARY"]


class TwoArms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def characterized(self, variant, *more):
        truth, model = os.path.join(self.folder, "truth.json"), os.path.join(self.folder, "model.json")
        command = f"exec:{sys.executable} -B {ALIEN} --variant {variant} --truth {truth} --seed 3"
        done = subprocess.run([PLATTER, "characterize", command, "-o", model, *more], capture_output=True, text=True,
                              cwd=self.folder, env=dict(os.environ, HOME=self.folder))
        self.assertIn(done.returncode, (0, 13), done.stderr)
        with open(truth, encoding="utf-8") as file, open(model, encoding="utf-8") as made:
            return json.load(file), json.load(made)

    def test_two_arms_are_recognized_and_measured(self):
        truth, model = self.characterized("two-arms:1")
        ranges = [[r["first_lbn"], r["last_lbn"] - r["first_lbn"] + 1] for r in model["arms"]["ranges"]]
        self.assertEqual(ranges, truth["ranges"])
        self.assertGreaterEqual(model["arms"]["overlap"]["value"], 0.7)
        self.assertAlmostEqual(model["arms"]["interference"]["value"] * 1e3, truth["interference_us"], delta=20)
        random = next(d for d in model["validity"]["demerits"] if d["workload"].startswith("random"))
        self.assertLess(random["demerit_ms"] - random["error_ms"], 0.01 * random["drive_mean_ms"])
        self.assertNotIn("several-arms", [finding["code"] for finding in model["provenance"].get("findings", [])])


if __name__ == "__main__":
    unittest.main()
