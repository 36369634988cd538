"""platter registry match, diff, prune, gc: which model is meant, and what is no longer needed."""

import json
import os
import unittest

from harness import BAD_INPUT, USAGE, PlatterTest

DRIVE = "virtual:quantum-atlas10k"
DIFFERS = 12


class RegistryKeep(PlatterTest):
    def publish(self, name, **identity):
        """A version whose longest seek is its own."""
        self.platter("truth", DRIVE, "-o", "truth.json")
        model = self.read_json("truth.json")
        model["identity"].update(identity)
        model["seek"]["points"][-1]["time_ms"] += len(self.references) / 8
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(model, file)
        self.references.append(self.platter("publish", name, "--registry", "reg").splitlines()[0])
        return self.references[-1]

    def setUp(self):
        super().setUp()
        self.references = []

    def registry(self, *words, **options):
        return self.platter("registry", *words, "--registry", "reg", **options)

    def match(self, device=DRIVE):
        return [(model["reference"], model["closeness"]) for model in self.platter_json(
            "registry", "match", device, "--registry", "reg")["models"]]

    def test_an_attached_drive_finds_its_model_and_is_told_how_near_that_is(self):
        other = self.publish("other.json", product="ATLAS V", serial="other")
        self.assertEqual(self.match(), [(other, "nearest by figures")])
        brother = self.publish("brother.json", serial="brother")
        self.assertEqual(self.match(), [(brother, "same product and firmware")])
        own = self.publish("own.json")
        self.assertEqual(self.match(), [(own, "same drive"), (brother, "same product and firmware")])
        done = self.run_platter("registry", "match", "virtual:seagate-cheetah9lp", "--registry", "reg")
        self.assertEqual(done.returncode, 0)
        self.assertIn("no model is of this very drive", done.stderr)

    def test_no_model_is_near(self):
        self.publish("own.json", block_bytes=4096, product="4K", physical_block_bytes=4096)
        self.registry("list")
        self.fails(BAD_INPUT, "no published model is of QUANTUM", "registry", "match", DRIVE, "--registry", "reg")

    def test_versions_side_by_side(self):
        one, two = self.publish("one.json"), self.publish("two.json")
        self.registry("diff", one, one)
        done = self.run_platter("registry", "diff", one, two, "--registry", "reg")
        self.assertEqual(done.returncode, DIFFERS)
        self.assertIn("seek", done.stdout)

    def test_what_is_pruned_and_collected_is_gone_and_the_rest_is_whole(self):
        one, two = self.publish("one.json"), self.publish("two.json")
        before = len(os.listdir(self.path("reg/blobs/sha256")))
        self.assertIn(one, self.registry("prune", "--keep", "1", "--dry-run"))
        self.assertIn(one, self.registry("list"))
        self.assertIn(one, self.registry("prune", "--keep", "1"))
        self.assertNotIn(one, self.registry("list"))
        self.assertIn("2 files", self.registry("gc", "--dry-run"))
        self.assertIn("2 files", self.registry("gc"))
        self.assertEqual(len(os.listdir(self.path("reg/blobs/sha256"))), before - 2)
        self.assertIn("0 files", self.registry("gc"))
        self.registry("verify")
        self.registry("pull", two, "-o", "pulled.json")
        self.platter("diff", "two.json", "pulled.json")

    def test_another_registry_comes_in(self):
        one, two = self.publish("one.json"), self.publish("two.json")
        self.assertIn(two, self.platter("registry", "import", "reg", "--registry", "other"))
        self.platter("registry", "verify", "--registry", "other")
        self.assertIn("was there", self.platter("registry", "import", "reg", "--registry", "other"))
        self.registry("prune", one)
        self.assertIn("was there", self.platter("registry", "import", "reg", "--registry", "other"))
        self.fails(BAD_INPUT, "neither an OCI image layout", "registry", "import", ".", "--registry", "other")

    def test_wrong_input(self):
        one = self.publish("one.json")
        self.fails(USAGE, "nothing says what goes", "registry", "prune", "--registry", "reg")
        self.fails(USAGE, "--keep", "registry", "prune", "--keep", "0", "--registry", "reg")
        self.fails(BAD_INPUT, "is not in the registry", "registry", "prune", one, "nobody:v1", "--registry", "reg")
        self.fails(BAD_INPUT, "none: is no registry", "registry", "gc", "--registry", "none")
        self.fails(BAD_INPUT, "is no registry", "registry", "match", DRIVE, "--registry", "none")
        self.assertIn(one, self.registry("list"))


if __name__ == "__main__":
    unittest.main()
