"""scripts/first-registry: the models that ship, with their sources and their validations."""

import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import unittest

from harness import PLATTER, PlatterTest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "scripts/first-registry")
DATA = os.environ.get("PLATTER_DATA", os.path.join(ROOT, "../shared/data"))


def script():
    loader = importlib.machinery.SourceFileLoader("first_registry", SCRIPT)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class FirstRegistry(PlatterTest):
    def make(self, folder):
        subprocess.run([sys.executable, "-B", SCRIPT, folder, "--platter", PLATTER], check=True, capture_output=True,
                       cwd=self.path(""))
        return self.platter_json("registry", "list", "--registry", folder)["models"]

    def test_the_same_each_time_each_with_source_licence_and_validation(self):
        models = self.make("one")
        self.assertEqual([model["digest"] for model in models], [model["digest"] for model in self.make("two")])
        self.platter("registry", "verify", "--registry", "one")
        self.assertEqual(len(models), 6)
        for model in models:
            said = model["annotations"]
            self.assertEqual(said["vnd.platter.method"], "imported")
            self.assertNotIn("vnd.platter.serial", said)
            self.assertTrue(said["vnd.platter.source"])
            self.assertTrue(said["org.opencontainers.image.licenses"])
        judged = [model for model in models if "vnd.platter.demerits" in model["annotations"]]
        self.assertEqual(len(judged), 5)  # there is no measured trace of the sixth
        for model in judged:
            self.assertEqual([name.split(".")[-2] for name in model["files"][1:]], ["validation", "NOTICE"])

    @unittest.skipUnless(os.path.isdir(DATA), "the measured traces are not here")
    def test_the_figures_are_what_the_replays_show(self):
        made = script()
        for name, drive in made.load(made.DRIVES).items():
            if "trace" not in drive:
                continue
            self.platter("truth", "virtual:" + name, "-o", name + ".json")
            model = made.real_drive(self.read_json(name + ".json"), drive["licence"])
            made.save(self.path(name + ".json"), model)
            trace = os.path.join(DATA, drive["trace"])
            measured = made.measure(PLATTER, self.path(name + ".json"), trace, self.path(""))
            kept = made.load(os.path.join(made.SHIPPED, name + ".validation.json"))
            self.assertEqual(made.demerit(measured, trace), made.demerit(kept, trace))
            self.assertEqual(made.checked_by(trace), drive["checked"])


if __name__ == "__main__":
    unittest.main()
