"""platter registry site: pages that need nothing but each other."""

import json
import os
import re
import unittest

from harness import PlatterTest


class RegistrySite(PlatterTest):
    def setUp(self):
        super().setUp()
        for drive in ("hp-c2247", "quantum-atlas10k", "modern-500gb"):
            self.platter("truth", f"virtual:{drive}", "-o", "m.json", "--force")
            model = self.read_json("m.json")
            model["identity"]["serial"] = "SERIAL-" + drive
            with open(self.path("m.json"), "w", encoding="utf-8") as file:
                json.dump(model, file)
            self.platter("publish", "m.json", "--registry", "reg")

    def files(self):
        found = {}
        for folder, _, names in os.walk(self.path("site")):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    found[os.path.relpath(path, self.path("site"))] = file.read()
        return found

    def test_every_link_leads_to_a_file_of_the_site(self):
        said = self.platter("registry", "site", "--registry", "reg", "-o", "site")
        self.assertIn("3 models", said)
        files = self.files()
        self.assertEqual(len([name for name in files if name.endswith(".json")]), 3)
        for name, text in files.items():
            self.assertNotIn("SERIAL-", text)
            if not name.endswith(".html"):
                continue
            self.assertNotRegex(text, r"https?://")
            self.assertNotIn("<li>model.json</li>", text)  # the model is no file that lies beside it
            for target in re.findall(r'(?:href|src)="([^"#]+)', text):
                self.assertIn(os.path.normpath(os.path.join(os.path.dirname(name), target)), files, (name, target))

    def test_a_model_that_is_downloaded_is_the_published_one(self):
        self.platter("registry", "site", "--registry", "reg", "-o", "site")
        for name, text in self.files().items():
            if name.endswith(".json"):
                drive, version = os.path.basename(name)[:-len(".json")].rsplit(".", 1)
                self.assertEqual(text, self.platter("registry", "pull", f"{drive}:{version}", "--registry", "reg").rstrip("\n"))

    def test_made_again_it_is_the_same_and_nothing_of_a_strangers_is_replaced(self):
        self.platter("registry", "site", "--registry", "reg", "-o", "site")
        before = self.files()
        self.platter("registry", "site", "--registry", "reg", "-o", "site")
        self.assertEqual(self.files(), before)
        with open(self.path("site/index.html"), "w", encoding="utf-8") as file:
            file.write("mine")
        done = self.run_platter("registry", "site", "--registry", "reg", "-o", "site")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.files()["index.html"], "mine")

    def test_pictures_are_on_the_pages(self):
        self.platter("registry", "site", "--registry", "reg", "-o", "site")
        plain = self.files()
        self.platter("registry", "site", "--registry", "reg", "-o", "site", "--pictures")
        for name, text in self.files().items():
            if name.startswith("models/") and name.endswith(".html"):
                self.assertGreaterEqual(text.count("<svg"), plain[name].count("<svg") + 2, name)
                self.assertIn("Seek", text)

    def test_pictures_without_gnuplot(self):
        done = self.run_platter("registry", "site", "--registry", "reg", "-o", "site", "--pictures",
                                env=dict(self.environment, PATH="/nowhere"))
        self.assertEqual(done.returncode, 11)
        self.assertIn("gnuplot", done.stderr)
        self.assertFalse(os.path.exists(self.path("site")))

    def test_a_registry_that_is_not_there_is_said(self):
        done = self.run_platter("registry", "site", "--registry", "none", "-o", "site")
        self.assertNotIn(done.returncode, (0, 1))
        self.assertFalse(os.path.exists(self.path("site")))


if __name__ == "__main__":
    unittest.main()
