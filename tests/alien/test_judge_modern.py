"""The judge of modern aliens judged: a model made of the truth is right, and each planted fault is found.

PLATTER_BINARY names the program that tells a model's places.
"""

import copy
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import judge_modern  # noqa: E402
from modern_drive import ModernDrive  # noqa: E402
from modern_model import model_of  # noqa: E402
from modern_truth import truth  # noqa: E402
from modern_variants import designed  # noqa: E402

PLATTER = os.environ.get("PLATTER_BINARY", "")
LBNS = 20_000
EXACT = ("sectors", "track", "first LBN")


class Statistics(unittest.TestCase):
    def test_the_median_is_on_the_side_where_most_angles_are(self):
        chance = random.Random(1)
        for middle in (0.0, 0.01, 0.5, 0.99):
            angles = [(middle + chance.gauss(0, 0.003)) % 1.0 for _ in range(700)]
            angles += [(middle + 0.3 + chance.uniform(-0.1, 0.1)) % 1.0 for _ in range(300)]
            off = judge_modern.circular(judge_modern.circular_median(angles) - middle)
            self.assertLess(abs(off), 0.004)

    def test_the_binomial_distribution(self):
        self.assertAlmostEqual(judge_modern.at_most(1, 3, 0.5), 0.5)
        self.assertAlmostEqual(judge_modern.at_most(0, 400, 0.01), 0.99 ** 400)
        self.assertEqual(judge_modern.at_most(399, 400, 1.0), 0.0)
        self.assertEqual(judge_modern.at_most(400, 400, 1.0), 1.0)

    def test_intervals_hold_the_share_as_often_as_they_say(self):
        chance, held = random.Random(2), 0
        for _ in range(2000):
            low, high = judge_modern.wilson(sum(chance.random() < 0.97 for _ in range(400)), 400, 1.96)
            held += low <= 0.97 <= high
        self.assertTrue(0.93 < held / 2000 < 0.975, held)

    def test_honest_statements_are_hardly_ever_refuted_and_false_ones_are(self):
        chance = random.Random(3)
        result = {"lbns": 200_000, "right": {"within 1/100": 194_000}}
        refuted = outside = 0
        for _ in range(1000):
            count = sum(chance.random() < 0.97 for _ in range(400))
            stated = [("within 1/100", count / 400, *judge_modern.wilson(count, 400, 1.96), 400)]
            (judged,) = judge_modern.held_against(stated, result)
            refuted += judged["refuted"]
            outside += judged["outside"]
        self.assertLess(refuted, 5)
        self.assertTrue(15 < outside < 75, outside)
        for count in (400, 365):  # 100 % and 91.25 %
            stated = [("within 1/100", count / 400, *judge_modern.wilson(count, 400, 1.96), 400)]
            self.assertTrue(judge_modern.held_against(stated, result)[0]["refuted"])

    def test_rows(self):
        class Sized:
            def __init__(self, gigabytes):
                self.truth = {"blocks": gigabytes * 2_000_000, "block_bytes": 500}
        self.assertEqual([judge_modern.row_of(Sized(gb))[0] for gb in (40, 160, 500, 1000, 4000)],
                         ["147 GB", "147 GB", "500 GB", "5 TB", "5 TB"])
        result = {"lbns": 1000, "right": {"sectors": 994, "track": 999, "within 1/32": 990}}
        self.assertEqual(judge_modern.missed(result, judge_modern.ROWS[2][3]), ["sectors"])


@unittest.skipUnless(PLATTER, "PLATTER_BINARY names no program")
class Planted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # 320 GB, 512e, two surfaces of two pitches, with holes, tracks left out and moved sectors.
        cls.truth = truth(ModernDrive(designed(6), noise=False))
        cls.model = model_of(cls.truth, 0.37)
        zones = cls.model["layout"]["zones"]
        blocks, cls.middle = 0, next(i for i in range(len(zones)) if i > len(zones) / 2 and zones[i]["count"] > 9)
        for zone in zones[:cls.middle]:
            blocks += zone["count"] * zone["sectors"]
        skipped = sum(skip["length"] for skip in cls.model["layout"]["skips"] if skip["first_slot"] < blocks)
        cls.middle_slot, cls.behind = blocks, 1 - (blocks - skipped) / cls.truth["blocks"]

    def run_judge(self, model, *options):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("truth.json", "model.json")]
            for path, content in zip(paths, (self.truth, model)):
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(content, file)
            return subprocess.run(
                [sys.executable, "-B", os.path.join(HERE, "judge_modern.py"), "--truth", paths[0], paths[1],
                 "--binary", PLATTER, "--lbns", str(LBNS), *options], capture_output=True, text=True, check=False)

    def shares(self, model):
        done = self.run_judge(model, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        return {name: count / result["lbns"] for name, count in result["right"].items()}, result

    def spoiled(self, change):
        model = copy.deepcopy(self.model)
        change(model["layout"])
        return self.shares(model)[0]

    def test_the_truth_is_right_up_to_one_constant(self):
        shares, result = self.shares(self.model)
        self.assertEqual(set(shares.values()), {1.0})
        self.assertAlmostEqual(result["constant_rev"], 0.37, delta=0.001)
        self.assertLess(result["p99_error_rev"], 0.001)
        self.assertEqual((result["row"], result["missed"], result["stated"]), ("500 GB", [], []))

    def test_the_constant_may_be_any(self):
        shares, result = self.shares(model_of(self.truth, 0.995))
        self.assertEqual(set(shares.values()), {1.0})
        self.assertAlmostEqual(result["constant_rev"], 0.995, delta=0.001)

    def turn(self, by):
        def change(layout):
            for zone in layout["zones"][self.middle:]:
                zone["angle_rev"] = (zone["angle_rev"] + by) % 1.0
        return change

    def test_a_planted_shift_of_angles_is_found(self):
        for by, names in ((1 / 150, {"within 1/200"}), (1 / 64, {"within 1/100", "within 1/200"}),
                          (1 / 4, set(judge_modern.ANGLES))):
            with self.subTest(by):
                shares = self.spoiled(self.turn(by))
                most = max(self.behind, 1 - self.behind)
                for name, share in shares.items():
                    self.assertAlmostEqual(share, most if name in names else 1.0, delta=0.015, msg=name)

    def test_a_planted_shift_of_blocks_is_found(self):
        """The track in the middle loses a sector of eight blocks: all that follows begins elsewhere."""
        def change(layout):
            layout["skips"].append({"first_slot": self.middle_slot + 5, "length": 8})
            layout["skips"].sort(key=lambda skip: skip["first_slot"])
        shares = self.spoiled(change)
        self.assertAlmostEqual(shares["first LBN"], 1 - self.behind, delta=0.015)
        self.assertEqual(shares["sectors"], 1.0)
        self.assertGreater(shares["track"], 0.99)
        # A block in a few hundred has come to lie on the track before.
        self.assertGreater(shares["within 1/100"], 0.99)

    def test_blocks_on_a_wrong_track_are_found(self):
        """Six tenths of a track are lost in the middle, up to eight tenths of the smaller tracks that follow: the
        rest of each, 40 to 20 %, is nearer to the wrong track."""
        def change(layout):
            sectors = layout["zones"][self.middle]["sectors"]
            layout["skips"].append({"first_slot": self.middle_slot, "length": int(0.6 * sectors)})
            layout["skips"].sort(key=lambda skip: skip["first_slot"])
        shares = self.spoiled(change)
        self.assertTrue(0.2 < (1 - shares["track"]) / self.behind < 0.4, (shares["track"], self.behind))

    def test_a_planted_size_is_found(self):
        """The largest run's tracks have a sector more and as many blocks as before."""
        zones = self.model["layout"]["zones"]
        largest = max(range(len(zones)), key=lambda i: zones[i]["count"])

        def change(layout):
            layout["zones"][largest]["sectors"] += 8
        slots = zones[largest]["count"] * zones[largest]["sectors"]
        shares = self.spoiled(change)
        self.assertAlmostEqual(1 - shares["sectors"], slots / self.truth["blocks"], delta=0.01)
        self.assertLess(shares["first LBN"], 0.999)

    def test_what_a_model_states_is_held_against_the_truth(self):
        def stating(*shares):
            model = copy.deepcopy(self.model)
            self.turn(1 / 64)(model["layout"])
            model["layout"]["timed"] = {"blocks": 400, "shares": [
                dict(zip(("within_rev", "share", "low", "high"), share)) for share in shares]}
            model["schema"]["version"] = "1.99"  # so that a program ignores what it does not know
            return model
        result = {"lbns": LBNS, "right": {"within 1/32": LBNS, "within 1/100": LBNS // 2, "within 1/200": 0}}
        honest = judge_modern.stated_shares(stating((1 / 32, 1.0, 0.99, 1.0), (0.01, 0.49, 0.44, 0.54)))
        self.assertEqual([s["refuted"] for s in judge_modern.held_against(honest, result)], [False, False])
        false = judge_modern.stated_shares(stating((0.01, 0.9, 0.85, 0.93), (1 / 200, 0.3, 0.2, 0.4)))
        self.assertEqual([s["refuted"] for s in judge_modern.held_against(false, result)], [True, True])
        share = max(self.behind, 1 - self.behind)
        for stated, status in ((share, 0), (0.99, 1)):
            done = self.run_judge(stating((0.01, stated, stated - 0.05, min(1, stated + 0.05))))
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            self.assertEqual("REFUTED" in done.stdout, status == 1)
        with self.assertRaises(ValueError):
            judge_modern.stated_shares(stating((1 / 50, 0.9, 0.85, 0.93)))
        self.assertEqual(judge_modern.stated_shares({"layout": {}}), [])

    def test_statuses(self):
        self.assertEqual(self.run_judge(self.model).returncode, 0)
        bare = dict(self.model, layout={"reason": "nobody looked", "zones": []})
        done = self.run_judge(bare)
        self.assertEqual(done.returncode, 2)
        self.assertIn("nobody looked", done.stderr)
        other = copy.deepcopy(self.model)
        other["identity"]["blocks"] -= 8
        self.assertEqual(self.run_judge(other).returncode, 2)


# In the place of platter: its characterize writes the truth, all but what a fault changes.
PERFECT_RUN = """
import json, os, re, sys
if sys.argv[1] != "characterize":
    os.execv(os.environ["PLATTER_BINARY"], [os.environ["PLATTER_BINARY"]] + sys.argv[1:])
sys.path.insert(0, os.environ["ALIEN_FOLDER"])
from modern_drive import ModernDrive
from modern_model import model_of
from modern_truth import truth
from modern_variants import designed
number = int(re.search("modern:([0-9]+)", sys.argv[2]).group(1))
fault = sys.argv[-1]
if fault == "no-map":
    sys.exit("platter: nobody knows how")
model = model_of(truth(ModernDrive(designed(number))), 0.2)
model["schema"]["version"] = "1.99"
model["provenance"]["stages"] = [{"name": name, "drive_seconds": 9999.0 if fault == "slow" else 50.0, "commands": 1}
                                 for name in ("rotation", "layout", "seeks")]
for zone in model["layout"]["zones"][::2] if fault in ("turned", "boast") else ():
    zone["angle_rev"] = (zone["angle_rev"] + 0.4) % 1.0
if fault != "turned":
    model["layout"]["timed"] = {"blocks": 400, "shares": [{"within_rev": 0.01, "share": 1.0, "low": 0.99, "high": 1.0}]}
with open(sys.argv[sys.argv.index("-o") + 1], "w") as file:
    json.dump(model, file)
"""


@unittest.skipUnless(PLATTER, "PLATTER_BINARY names no program")
class Campaign(unittest.TestCase):
    def test_the_campaign_tells_what_was_reached(self):
        for fault, status, word in (("none", 0, "147 GB reached |"), ("turned", 1, "missed: within 1/32; states no"),
                                    ("boast", 1, "REFUTED: within 1/100"), ("slow", 1, "reached, too late"),
                                    ("no-map", 1, "no map: status 1: platter: nobody knows how")):
            with self.subTest(fault), tempfile.TemporaryDirectory() as folder:
                program = os.path.join(folder, "perfect")
                with open(program, "w", encoding="utf-8") as file:
                    file.write(f"#!{sys.executable}\n{PERFECT_RUN}")
                os.chmod(program, 0o755)
                done = subprocess.run(
                    [sys.executable, "-B", os.path.join(HERE, "../../bench/layout/modern_aliens.py"), "--binary", program,
                     "--first", "12", "--count", "1", "--lbns", "3000", "--", "--journal-note", fault],
                    capture_output=True, text=True, check=False, env=dict(os.environ, ALIEN_FOLDER=HERE))
                self.assertEqual(done.returncode, status, done.stdout + done.stderr)
                self.assertIn(word, done.stdout)


if __name__ == "__main__":
    unittest.main()
