"""What a model is worth is one word, and a run that lacks what it was for does not end with 0."""

import json
import os
import unittest

from harness import BAD_INPUT, INCOMPLETE, PlatterTest


class Quality(PlatterTest):
    def poor(self):
        """A model that its own check refutes, made from one that is good."""
        self.platter("characterize", "virtual:hp-c2247?seed=3", "-o", "good.json")
        model = self.read_json("good.json")
        for demerit in model["validity"]["demerits"]:
            demerit.update(demerit_ms=demerit["drive_mean_ms"] / 2, demerit_percent=50)
        self.write("poor.json", json.dumps(model))

    def test_one_word_everywhere(self):
        self.poor()
        for name, word in (("good", "good"), ("poor", "poor")):
            self.assertEqual(self.platter_json("show", name + ".json")["quality"]["all"], word)
            self.assertRegex(self.platter("show", name + ".json", "--brief"), rf"(?m)^  quality +{word}")
        os.mkdir(self.path("fleet"))
        for name in ("good.json", "poor.json"):
            model = self.read_json(name)
            model["identity"]["serial"] = name
            self.write("fleet/" + name, json.dumps(model))
        self.assertEqual(self.platter_json("fleet", "fleet")["products"][0]["qualities"], ["good", "poor"])
        self.assertIn("<b>Poor.</b>", self.report_of("poor.json"))
        self.assertIn("<b>Good.</b>", self.report_of("good.json"))

    def report_of(self, model):
        self.platter("report", model, "-o", "report.html", "--force")
        with open(self.path("report.html"), encoding="utf-8") as file:
            return file.read()

    def test_a_registry_takes_no_poor_model_unless_told_and_finds_models_by_the_word(self):
        self.poor()
        self.fails(BAD_INPUT, "its quality is poor", "publish", "poor.json", "--registry", "reg")
        self.platter("publish", "poor.json", "--registry", "reg", "--force", "quality")
        self.platter("publish", "good.json", "--registry", "reg")
        for word, version in (("good", 2), ("poor", 1)):
            found = self.platter_json("registry", "search", "--quality", word, "--registry", "reg")["models"]
            self.assertEqual([model["tag"] for model in found], [f"v{version}"])
            self.assertEqual(found[0]["annotations"]["vnd.platter.quality"], word)

    def test_a_run_that_ends_without_positions_says_so_and_is_no_success(self):
        drive = "virtual:modern-random-8?seed=1"
        done = self.run_platter("characterize", drive, "--budget", "120", "-o", "m.json")
        self.assertEqual(done.returncode, INCOMPLETE, done.stderr)
        self.assertRegex(done.stderr, "is incomplete: layout: the time ended when .* of the blocks were mapped")
        self.assertRegex(done.stdout, r"\nquality: poor: ")
        self.assertEqual(self.platter_json("show", "m.json")["quality"]["all"], "poor")

    def test_a_whole_run_ends_with_its_word(self):
        done = self.run_platter("characterize", "virtual:hp-c2247?seed=3", "-o", "m.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\nquality: good: writes unchecked, queues unchecked\n$")

    def test_a_later_validation_answers_the_runs_own_check(self):
        drive = "virtual:hp-c2247?seed=3"
        self.platter("characterize", drive, "-o", "m.json")
        self.assertIn("within the run", self.platter("show", "m.json", "--brief"))
        self.platter("validate", drive, "m.json", "--requests", "400", "--update-model", "-o", "v")
        brief = self.platter("show", "m.json", "--brief")
        for words in ("within the run", "in the run that measured it", "nothing was learned from"):
            self.assertNotIn(words, brief)


if __name__ == "__main__":
    unittest.main()
