"""platter derive: a hypothetical drive is one for every subcommand, and each says what it is."""

import os
import unittest

from harness import BAD_INPUT, OUTPUT, USAGE, PlatterTest

DRIVE = "virtual:seagate-barracuda4lp?seed=1"
LABEL = "derived, not validated"


class Derive(PlatterTest):
    def setUp(self):
        super().setUp()
        self.platter("truth", DRIVE, "-o", "source.json")

    def derive(self, *changes, source="source.json"):
        sets = [word for change in changes for word in ("--set", change)]
        self.platter("derive", source, *sets, "-o", "derived.json")
        return self.read_json("derived.json")

    def differing(self):
        listed = self.platter_json("diff", "source.json", "derived.json", status=12)
        return {row["path"]: (row["a"], row["b"]) for row in listed["differences"] if not row["within_error"]}

    def test_only_what_was_asked_for_changes(self):
        self.derive("rotation.rpm=x5", "head_switch=/4", "overheads.read_completion=100us",
                    "cache.segments=16")
        changed = self.differing()
        self.assertEqual(set(changed), {"rotation.period", "head_switch", "cache.segments",
                                        "overheads.read_completion"})
        self.assertAlmostEqual(changed["rotation.period"][0] / changed["rotation.period"][1], 5)
        self.assertAlmostEqual(changed["head_switch"][0] / changed["head_switch"][1], 4)
        self.assertEqual(changed["overheads.read_completion"][1], 0.1)
        self.assertEqual(changed["cache.segments"][1], 16)

    def test_standard_output_is_the_model(self):
        model = self.platter_json("derive", "source.json", "--set", "rotation.rpm=5400")
        self.assertEqual(model["rotation"]["rpm"], 5400)
        self.assertEqual(self.files(), ["source.json"])

    def test_more_surfaces(self):
        before = self.read_json("source.json")["identity"]
        after = self.derive("identity.heads=x2")["identity"]
        self.assertEqual(after["heads"], 2 * before["heads"])
        self.assertGreater(after["blocks"], 1.99 * before["blocks"])
        tracks = [line.split() for line in self.platter("layout", "derived.json",
                                                        "--all-tracks").splitlines()]
        self.assertEqual({int(track[3]) for track in tracks}, set(range(after["heads"])))
        source = [line.split() for line in self.platter("layout", "source.json",
                                                        "--all-tracks").splitlines()]

        def skew(rows, head):  # from this head to the next, in the middle of the first zone
            angle = {int(row[3]): float(row[4]) for row in rows if row[2] == "50"}
            return (angle[head + 1] - angle[head]) % 1
        self.assertAlmostEqual(skew(tracks, 7), skew(source, 2), 5)

    def test_a_faster_drive_answers_faster(self):
        self.derive("rotation.rpm=x5", "seek.time_ms=/5", "head_switch=/5")
        self.platter("trace", "generate", "--workload", "random", "--for", "source.json",
                     "--reads-only", "--requests", "300", "-o", "t.trace")
        for target, name in ((DRIVE, "drive.csv"), ("virtual:derived.json", "fast.csv"),
                             ("source.json", "model.csv"), ("derived.json", "fast-model.csv")):
            self.platter("replay", "t.trace", "--on", target, "-o", name)
        for drive, model in (("drive.csv", "fast.csv"), ("model.csv", "fast-model.csv")):
            means = self.platter_json("compare", drive, model)["all"]["mean_ms"]
            self.assertGreater(means["drive"], 2.5 * means["model"])

    def test_every_subcommand_says_what_it_is(self):
        model = self.derive("rotation.rpm=x2")
        self.assertEqual(model["provenance"]["method"], "derived")
        self.assertEqual(model["validity"]["demerits"], [])
        self.assertIn(LABEL, self.platter("show", "derived.json"))
        self.assertEqual(self.platter_json("show", "derived.json")["standing"], LABEL)
        self.platter("report", "derived.json", "-o", "report.html")
        with open(self.path("report.html"), encoding="utf-8") as page:
            self.assertIn(LABEL, page.read())
        self.platter("emit", "disksim", "derived.json", "-o", "disksim", "--name", "fast")
        for ending in ("parv", "diskspecs", "model"):
            with open(self.path(f"disksim/fast.{ending}"), encoding="utf-8") as file:
                self.assertIn(LABEL, file.read(2000))
        done = self.run_platter("emit", "table", "derived.json", "-o", "fast.ptab")
        self.assertIn(LABEL, done.stderr)
        self.assertIn(LABEL, self.platter("show", "fast.ptab"))
        self.assertEqual(self.platter_json("show", "fast.ptab")["provenance"]["method"], "derived")

    def test_comparisons_say_what_it_is(self):
        self.derive("rotation.rpm=x2")
        self.platter("emit", "table", "derived.json", "-o", "fast.ptab")
        for comparison in self.platter_json("validate", "virtual:derived.json", "derived.json",
                                            "fast.ptab", "--requests", "100", "-o",
                                            "validation")["comparisons"]:
            self.assertIn(LABEL, comparison["model"])

    def test_a_registry_never_takes_it_for_the_real_drive(self):
        self.derive("rotation.rpm=x2")
        real = self.platter("publish", "source.json", "--registry", "reg").splitlines()[0]
        made = self.platter("publish", "derived.json", "--registry", "reg").splitlines()[0]
        self.derive("rotation.rpm=x3")
        other = self.platter("publish", "derived.json", "--registry", "reg").splitlines()[0]
        for reference in (real, made, other):
            self.assertTrue(reference.endswith(":v1"), reference)
        self.assertEqual(len({real, made, other}), 3)
        found = self.platter_json("registry", "search", "not validated", "--registry", "reg")
        self.assertEqual({entry["reference"] for entry in found["models"]}, {made, other})
        self.assertEqual(self.platter("registry", "list", "--registry", "reg").count(LABEL), 2)
        self.platter("registry", "verify", "--registry", "reg")

    def test_what_cannot_be_derived(self):
        for change, word in (("nonesuch=5", "nonesuch"), ("rotation=5", "rotation"),
                             ("head_switch", "PATH=VALUE"), ("head_switch=", "number"),
                             ("head_switch=fast", "number"), ("head_switch=1e-3", "plain"),
                             ("head_switch=5furlongs", "furlongs"), ("rotation.rpm=7200ms", "ms"),
                             ("cache.segments=-3", "cache.segments"),
                             ("cache.segments=x0.77", "whole number"),
                             ("rotation.rpm=x100000", "rotation.period"),
                             ("seek=/0", "0"), ("seek=4", "factor"),
                             ("identity.heads=x99999999", "heads"),
                             ("identity.heads=2.5", "heads"), ("identity.blocks=5", "identity")):
            self.fails(USAGE, [change, word], "derive", "source.json", "--set", change, "-o", "d.json")
        self.fails(USAGE, "--set", "derive", "source.json", "-o", "d.json")
        self.fails(BAD_INPUT, "none.json", "derive", "none.json", "--set", "seek=x2", "-o", "d.json")
        self.fails(OUTPUT, "nonesuch", "derive", "source.json", "--set", "seek=x2", "-o",
                   os.path.join("nonesuch", "d.json"))


if __name__ == "__main__":
    unittest.main()
