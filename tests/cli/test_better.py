"""A model is replaced by one that is as good, and with its samples; a poorer one is kept beside it."""

import os
import unittest

from harness import REFUSED, PlatterTest

DRIVE = "virtual:hp-c2247?seed=1"


class Better(PlatterTest):
    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_a_poorer_run_stays_beside_the_better_model(self):
        self.platter("characterize", DRIVE, "--allow-writes", "0-200000", "-o", "m.json")
        before = [self.content(name) for name in ("m.json", "m.samples.jsonl")]
        done = self.run_platter("characterize", DRIVE, "-o", "m.json")
        self.assert_one_sentence(done, REFUSED, "m.json", "writes good, not unchecked", "m.poorer.json", "--force")
        self.assertEqual([self.content(name) for name in ("m.json", "m.samples.jsonl")], before)
        self.assertEqual(self.read_json("m.poorer.json")["provenance"]["method"], "characterized")
        self.assertIn("m.poorer.samples.jsonl", self.files())
        self.fails(REFUSED, ["m.json", "writes good, not unchecked"], "estimate", "m.poorer.samples.jsonl", "-o", "m.json")
        self.assertEqual(self.content("m.json"), before[0])
        self.platter("characterize", DRIVE, "-o", "m.json", "--force")
        self.assertNotEqual([self.content(name) for name in ("m.json", "m.samples.jsonl")], before)
        self.platter("characterize", DRIVE, "--allow-writes", "0-200000", "-o", "m.json")  # a better one needs no force

    def test_a_run_ends_with_the_brief_summary_and_its_quality(self):
        done = self.run_platter("characterize", DRIVE, "-o", "m.json")
        brief = self.platter("show", "m.json", "--brief")
        self.assertLessEqual(len(brief.splitlines()), 16)
        self.assertTrue(done.stdout.startswith(brief), done.stdout)
        self.assertRegex(done.stdout[len(brief):], r"\A\nquality: good: [^\n]+\n\Z")

    def test_behind_a_link_model_and_samples_stay_together(self):
        os.mkdir(self.path("real"))
        os.symlink("real/drive.json", self.path("link.json"))
        for _ in range(2):  # the second finds it there
            self.platter("characterize", DRIVE, "-o", "link.json")
            self.assertTrue(os.path.islink(self.path("link.json")))
            self.assertIn("real/drive.json", self.files())
            self.assertIn("real/drive.samples.jsonl", self.files())
        self.assertEqual([name for name in self.files() if name.endswith(".samples.jsonl") and "/" not in name], [])


if __name__ == "__main__":
    unittest.main()
