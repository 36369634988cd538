"""What publish takes and refuses, from the command line: every drive that ships and random ones that were
characterized are taken; samples, tables and results go along.
"""

import json
import os
import unittest

import harness

OK, REFUSED, BAD_INPUT, USAGE = 0, 5, 6, 2
DRIVE = "virtual:random-1"
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared", "data")
SETS = ("hp-c2247a/hp_c2247a.parv", "ibm-18es/ibm18es.parv", "maxtor-atlas10k4-146g/maxtor146g.parv",
        "quantum-atlas10k/atlas10k.parv", "seagate-barracuda/barracuda.parv", "seagate-cheetah9LP/cheetah9LP.parv")


class Taken(harness.PlatterTest):
    def taken(self, *arguments):
        done = self.run_platter("publish", *arguments, "--registry", "registry")
        self.assertEqual(done.returncode, OK, (arguments, done.stderr))
        return done

    def test_every_drive_that_ships(self):
        drives = json.loads(self.platter("devices", "--json"))
        names = sorted({word for word in json.dumps(drives).replace('"', " ").split()
                        if word.startswith("virtual:") and "N" not in word})
        self.assertGreater(len(names), 60)
        for name in names:
            self.platter("truth", name, "-o", "model.json", "--force")
            self.taken("model.json")

    # bench/publish_random.sh takes fifty.
    def test_random_drives_with_their_samples(self):
        for seed in (1, 3, 5, 7):
            self.platter("characterize", f"virtual:random-{seed}", "-o", f"r{seed}.json")
            done = self.taken(f"r{seed}.json", "--samples", f"r{seed}.samples.jsonl")
            self.assertNotIn("too few", done.stderr)

    @unittest.skipUnless(os.path.isdir(DATA), "the published parameter sets are not here")
    def test_the_published_parameter_sets(self):
        for name in SETS:
            self.platter("import", "disksim", os.path.join(DATA, name), "-o", "model.json", "--force")
            self.taken("model.json")


class Characterized(harness.PlatterTest):
    def setUp(self):
        super().setUp()
        self.platter("characterize", DRIVE, "-o", "drive.json")

    def publish(self, *arguments):
        return self.run_platter("publish", *arguments, "--registry", "registry")

    def changed(self, factor):
        """The drive turning so much slower, all its figures of that agreeing."""
        model = self.read_json("drive.json")
        rotation = model["rotation"]
        rotation["numerator_ns"] = round(rotation["numerator_ns"] * factor)
        rotation["period"]["value"] *= factor
        rotation["rpm"] /= factor
        self.write("changed.json", json.dumps(model))

    def test_samples_that_do_not_wait_half_a_revolution(self):
        self.changed(1.2)
        self.assertEqual(self.publish("changed.json").returncode, OK)
        done = self.publish("changed.json", "--samples", "drive.samples.jsonl")
        self.assert_one_sentence(done, BAD_INPUT, "half-revolution")
        done = self.publish("changed.json", "--samples", "drive.samples.jsonl", "--force", "half-revolution")
        self.assertEqual(done.returncode, OK, done.stderr)
        shown = json.loads(self.platter("registry", "show", done.stdout.split()[0], "--registry", "registry", "--json"))
        self.assertEqual(shown["annotations"]["vnd.platter.forced"], "half-revolution")
        self.assert_one_sentence(self.publish("drive.json", "--force", "luck"), USAGE, "seek-order")

    def test_samples_go_along_without_the_number_and_still_make_the_model(self):
        serial = self.read_json("drive.json")["identity"]["serial"]
        reference = self.publish("drive.json", "--samples", "drive.samples.jsonl").stdout.split()[0]
        self.assertIn("hidden-", reference)
        self.platter("registry", "pull", reference, "--registry", "registry", "-o", "pulled.json", "--files", "out")
        with open(self.path("out/drive.samples.jsonl"), encoding="utf-8") as file:
            self.assertNotIn(serial, file.read())
        self.platter("estimate", "out/drive.samples.jsonl", "-o", "again.json")
        again, pulled = self.read_json("again.json"), self.read_json("pulled.json")
        self.assertEqual(again["identity"], pulled["identity"])
        self.assertEqual(again["seek"], pulled["seek"])
        # What was pulled is published again as what it is.
        self.assertEqual(self.publish("pulled.json", "--samples", "out/drive.samples.jsonl").stdout.split()[0], reference)

    def test_results_and_the_comparison(self):
        self.platter("validate", DRIVE, "drive.json", "--requests", "60", "-o", "results")
        model = self.read_json("drive.json")
        model["validity"]["demerits"] = []
        self.write("bare.json", json.dumps(model))
        done = self.publish("bare.json", "results/random.json", "results/random.drive.csv")
        self.assertEqual(done.returncode, OK, done.stderr)
        reference = done.stdout.split()[0]
        shown = json.loads(self.platter("registry", "show", reference, "--registry", "registry", "--json"))
        demerits = json.loads(shown["annotations"]["vnd.platter.demerits"])
        self.assertEqual([(each["workload"], each["requests"]) for each in demerits], [("random", 60)])
        self.platter("registry", "pull", reference, "--registry", "registry", "-o", "p.json", "--files", "out")
        self.platter("result", "show", "out/random.drive.csv")  # its head is whole
        self.platter("truth", "virtual:random-2", "-o", "other.json")
        self.assert_one_sentence(self.publish("other.json", "results/random.drive.csv"), REFUSED, "random.drive.csv")
        self.assert_one_sentence(self.publish("other.json", "results/random.json"), REFUSED, "random.json")


class Tables(harness.PlatterTest):
    def test_a_table_has_no_number_and_a_damaged_one_is_not_published(self):
        self.platter("truth", DRIVE, "-o", "model.json")
        self.platter("emit", "table", "model.json", "-o", "t.ptab")
        reference = self.platter("publish", "model.json", "t.ptab", "--registry", "r").split()[0]
        self.platter("registry", "pull", reference, "--registry", "r", "-o", "m.json", "--files", "out")
        self.platter("emit", "table", "m.json", "-o", "t.ptab")
        with open(self.path("t.ptab"), "rb") as file, open(self.path("out/t.ptab"), "rb") as pulled:
            table = file.read()
            self.assertEqual(pulled.read(), table)
        with open(self.path("t.ptab"), "wb") as file:
            file.write(table[:-8])
        done = self.run_platter("publish", "model.json", "t.ptab", "--registry", "r")
        self.assert_one_sentence(done, BAD_INPUT, "is a damaged table")


if __name__ == "__main__":
    unittest.main()
