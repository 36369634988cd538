"""What publish takes and refuses, from the command line: every drive that ships and random ones that were
characterized are taken; samples, tables and results go along.
"""

import glob
import json
import os
import unittest

import harness

OK, REFUSED, BAD_INPUT, USAGE = 0, 5, 6, 2
DRIVE = "virtual:random-1?seed=1"
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
            self.platter("characterize", f"virtual:random-{seed}?seed={seed}", "-o", f"r{seed}.json")
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
        done = self.publish("bare.json", "--attach", "results/random.json", "--attach", "results/random.drive.csv")
        self.assertEqual(done.returncode, OK, done.stderr)
        reference = done.stdout.split()[0]
        shown = json.loads(self.platter("registry", "show", reference, "--registry", "registry", "--json"))
        demerits = json.loads(shown["annotations"]["vnd.platter.demerits"])
        self.assertEqual([(each["workload"], each["requests"]) for each in demerits], [("random", 60)])
        self.platter("registry", "pull", reference, "--registry", "registry", "-o", "p.json", "--files", "out")
        self.platter("result", "show", "out/random.drive.csv")  # its head is whole
        self.platter("truth", "virtual:random-2", "-o", "other.json")
        self.assert_one_sentence(self.publish("other.json", "--attach", "results/random.drive.csv"), REFUSED, "random.drive.csv")
        self.assert_one_sentence(self.publish("other.json", "--attach", "results/random.json"), REFUSED, "random.json")


class Many(harness.PlatterTest):
    """Forty drives are one command, and no number of anybody leaves by any way."""
    count = 14

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("drives"))
        self.platter("truth", "virtual:hp-c2247", "-o", "one.json")
        model = self.read_json("one.json")
        self.serials = [f"SECRET{number:04}X" for number in range(self.count)]
        for number, serial in enumerate(self.serials):
            model["identity"]["serial"] = serial
            model["provenance"]["source"] = f"/dev/disk/by-id/scsi-{serial.lower()}"
            self.write(f"drives/d{number:02}.json", json.dumps(model))
        self.models = sorted(glob.glob(self.path("drives/*.json")))

    def assert_no_number(self, serials):
        for base, _, names in os.walk(self.path("registry")):
            for name in names:
                with open(os.path.join(base, name), "rb") as file:
                    content = file.read().lower()
                for serial in serials:
                    pairs = "".join(b + a for a, b in zip(serial[::2], serial[1::2]))
                    for spelled in (serial, serial.encode().hex(), pairs):
                        self.assertNotIn(spelled.lower().encode(), content, name)
                    self.assertNotIn(serial.lower(), os.path.join(base, name).lower())

    def test_each_model_is_an_entry(self):
        told = self.platter("publish", *self.models, "--registry", "registry").splitlines()
        self.assertEqual((len(told), len(set(told))), (2 * self.count, 2 * self.count))
        found = self.platter_json("registry", "list", "--registry", "registry")["models"]
        self.assertEqual({one["reference"] for one in found}, set(told[::2]))
        self.assert_no_number(self.serials)
        again = self.platter_json("publish", *self.models, "--registry", "registry")
        self.assertEqual([one["reference"] for one in again], told[::2])
        self.assertEqual([one["added"] for one in again], [False] * self.count)

    def test_what_fails_is_named_and_the_others_are_there(self):
        self.write("drives/d03.json", "{}")
        done = self.run_platter("publish", *self.models, "--registry", "registry", "--json")
        self.assertEqual(done.returncode, harness.SOME_FAILED, done.stderr)
        self.assertIn("d03.json (status 6)", done.stderr)
        documents = json.loads(done.stdout)
        self.assertEqual([one["schema"]["name"] for one in documents].count("platter-publish"), self.count - 1)
        self.assertEqual((documents[3]["schema"]["name"], documents[3]["status"]), ("platter-error", BAD_INPUT))
        self.assert_no_number(self.serials)

    def test_what_lies_beside_goes_along(self):
        for model in self.models[:2]:
            self.platter("emit", "table", model, "-o", model[:-5] + ".ptab")
            self.write("drives/" + os.path.basename(model)[:-5] + ".txt", "in the basement\n")
        self.platter("publish", *self.models[:2], "--attach-beside", "--registry", "registry")
        for model in self.platter_json("registry", "list", "--registry", "registry")["models"]:
            self.assertEqual(sorted(name.partition(".")[2] for name in model["files"]), ["json", "ptab", "txt"])
        self.assert_no_number(self.serials)

    def test_numbers_of_other_drives_stay_at_home(self):
        other = self.serials[5]
        inspection = json.dumps({"schema": {"name": "platter-inspection"}, "identity": {"serial": "STRANGER77"}})
        self.platter("emit", "table", self.models[5], "-o", "other.ptab")
        with open(self.models[5], encoding="utf-8") as file:
            whole = file.read()
        for name, content, tells in (("notes.txt", f"beside {other.lower()}", False),
                                     ("dump.bin", other.encode().hex(), False), (f"of-{other}.txt", "x", False),
                                     ("model.txt", whole, True), ("i.json", inspection, True), ("other.ptab", None, True),
                                     ("i.html", "<td>serial number</td><td>STRANGER77</td>", True),
                                     ("i.txt", "serial number  STRANGER77 (by VPD page 80h)", True),
                                     ("x.gz", b"\x1f\x8b\x08", True)):
            with self.subTest(name):
                path = self.path(name) if content is None else self.write(name, content)
                done = self.run_platter("publish", self.models[0], self.models[5], "--attach", path,
                                        "--registry", "registry")
                self.assertEqual(done.returncode, harness.SOME_FAILED, done.stderr)
                if tells:  # of the others nobody could tell that they are numbers, if no model of the call had them
                    done = self.run_platter("publish", self.models[0], "--attach", path, "--registry", "registry")
                    self.assert_one_sentence(done, REFUSED, name)
        self.assert_no_number(["STRANGER77", self.serials[0]])

    def test_the_beginning_of_a_reference_is_enough(self):
        references = self.platter("publish", *self.models[:3], "--registry", "registry").splitlines()
        whole = references[0].partition(":")[0]
        unique = next(whole[:size] for size in range(1, len(whole) + 1)
                      if sum(one.startswith(whole[:size]) for one in references[::2]) == 1)
        for begun in (unique, unique + ":v1", references[1][:20]):
            shown = self.platter_json("registry", "show", begun, "--registry", "registry")
            self.assertEqual(shown["reference"], references[0])
        self.fails(BAD_INPUT, ["3 begin so"], "registry", "show", whole[:5], "--registry", "registry")
        self.fails(BAD_INPUT, ["is not in the registry"], "registry", "prune", unique + ":v1", "--registry", "registry")
        self.fails(BAD_INPUT, ["is not in the registry"], "registry", "show", "nonesuch", "--registry", "registry")


class Tables(harness.PlatterTest):
    def test_a_table_has_no_number_and_a_damaged_one_is_not_published(self):
        self.platter("truth", DRIVE, "-o", "model.json")
        self.platter("emit", "table", "model.json", "-o", "t.ptab")
        reference = self.platter("publish", "model.json", "--attach", "t.ptab", "--registry", "r").split()[0]
        self.platter("registry", "pull", reference, "--registry", "r", "-o", "m.json", "--files", "out")
        self.platter("emit", "table", "m.json", "-o", "t.ptab")
        with open(self.path("t.ptab"), "rb") as file, open(self.path("out/t.ptab"), "rb") as pulled:
            table = file.read()
            self.assertEqual(pulled.read(), table)
        with open(self.path("t.ptab"), "wb") as file:
            file.write(table[:-8])
        done = self.run_platter("publish", "model.json", "--attach", "t.ptab", "--registry", "r")
        self.assert_one_sentence(done, BAD_INPUT, "is a damaged table")


if __name__ == "__main__":
    unittest.main()
