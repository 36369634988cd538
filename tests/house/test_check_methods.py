"""A test of the test: faults planted into a copy of the documents must be found, each by its rule."""

import os
import shutil
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../.."))
sys.path.insert(0, HERE)

import check_methods  # noqa: E402


class Planted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = cls.folder.name
        for name in ("docs", "src"):
            shutil.copytree(os.path.join(ROOT, name), os.path.join(cls.root, name))
        cls.before = set(cls.faults())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def faults(cls):
        return (check_methods.faults_of_pages(cls.root) + check_methods.faults_of_explanations(cls.root) +
                check_methods.faults_of_links(cls.root))

    def plant(self, path, old, new):
        """What is found in addition when `new` stands in the place of the first `old`."""
        full = os.path.join(self.root, path)
        text = check_methods.read(self.root, path)
        self.assertIn(old, text)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))
        try:
            return "\n".join(set(self.faults()) - self.before)
        finally:
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)

    def test_a_name_that_the_code_does_not_have(self):
        self.assertEqual(self.plant("docs/methods/rotation.md", "`fit_line`", "`fit_no_line`"),
                         "docs/methods/rotation.md: src/estimate/rotation.cpp has no fit_no_line")

    def test_a_name_that_leaves_the_code(self):
        self.assertIn("docs/methods/seeks.md: src/model/seek_fit.cpp has no fit_seek",
                      self.plant("src/model/seek_fit.cpp", "fit_seek(", "fitted_seek("))

    def test_a_file_that_is_not_there(self):
        self.assertIn("there is no src/mtbrc/rotations.cpp",
                      self.plant("docs/methods/rotation.md", "`src/mtbrc/rotation.cpp`", "`src/mtbrc/rotations.cpp`"))

    def test_a_page_without_code(self):
        self.assertIn("docs/methods/queue.md: no code is named",
                      self.plant("docs/methods/queue.md", "## Code", "## Programs"))

    def test_a_page_without_one_of_its_parts(self):
        self.assertIn("zones.md: it has no part 'Equation'",
                      self.plant("docs/methods/zones.md", "## Equation", "## Sums"))

    def test_a_page_that_shows_no_accuracy(self):
        self.assertIn("zones.md: it does not say where its accuracy is shown",
                      self.plant("docs/methods/zones.md", "Accuracy: ", "See "))

    def test_a_page_that_the_index_lacks(self):
        self.assertEqual(self.plant("docs/methods/README.md", "| [queue.md](queue.md) |", "| queue |"),
                         "docs/methods/README.md: the index lacks queue")

    def test_a_link_to_nothing(self):
        self.assertIn("docs/methods/queue.md: there is no ../validations.md#characterization-models-against",
                      self.plant("docs/methods/queue.md", "(../validation.md#", "(../validations.md#"))

    def test_a_link_to_no_heading(self):
        self.assertEqual(self.plant("docs/metrics.md", "(#the-hosts-queue)", "(#strikes)"),
                         "docs/metrics.md: docs/metrics.md has no heading #strikes")

    def test_a_heading_that_has_another_name_now(self):
        self.assertIn("docs/validation.md has no heading #the-cache-stage",
                      self.plant("docs/validation.md", "## The cache stage", "## The stage of the cache"))

    def test_an_explanation_whose_page_is_not_there(self):
        self.assertEqual(self.plant("src/report/explanations.cpp", '"rotation."', '"rotation.", "spin"}, {"rotation."'),
                         "src/report/explanations.cpp: there is no docs/methods/spin.md")

    def test_links_within_code_are_none(self):
        self.assertEqual(self.plant("docs/metrics.md", "### Hits", "`[x](nowhere.md)`\n\n    [y](nowhere.md)\n\n### Hits"),
                         "")


if __name__ == "__main__":
    unittest.main()
