"""What the documents say is so: commands and options exist, programs can be run, statuses agree."""

import glob
import os
import re
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class ExitStatuses(unittest.TestCase):
    # holds: exit-statuses.md: A subcommand ends
    def test_the_table_is_the_enumeration(self):
        body = re.search(r"enum class ExitStatus : int \{(.*?)\};", read("src/model/error.h"),
                         re.DOTALL).group(1)
        coded = [(int(number), name) for name, number in
                 re.findall(r"^\s*(\w+) = (\d+),", body, re.MULTILINE)]
        told = [(int(number), name) for number, name in
                re.findall(r"^\| (\d+) \| `(\w+)` \|", read("docs/exit-statuses.md"), re.MULTILINE)]
        self.assertGreater(len(coded), 10)
        self.assertEqual(told, coded)


class Questions(unittest.TestCase):
    MOST_WORDS = 600

    @staticmethod
    def section(document, anchor):
        """What stands below a heading, or in front of a page's first part."""
        wanted, found, code = None, [], False
        for line in read(os.path.normpath(os.path.join("docs", document))).splitlines():
            code ^= line.startswith("```")
            if line.startswith("#") and not code:
                slug = re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-")
                wanted = slug == anchor if anchor else wanted is None
            if wanted:
                found.append(line)
        return " ".join(found).split()

    def test_each_is_answered_by_one_short_part_of_one_page(self):
        rows = [row for row in re.findall(r"^\| (.+?) \| (.+) \|$", read("docs/questions.md"), re.MULTILINE)
                if "](" in row[1]]
        self.assertGreaterEqual(len(rows), 26)
        for question, answer in rows:
            document, _, anchor = re.search(r"\]\(([^)]+)\)", answer).group(1).partition("#")
            words = self.section(document, anchor)
            with self.subTest(question):
                self.assertGreater(len(words), 10, answer)
                self.assertLessEqual(len(words) + len(question.split()), self.MOST_WORDS, answer)


class Documents(unittest.TestCase):
    DOCUMENTS = [os.path.relpath(path, ROOT) for pattern in ("*.md", "docs/*.md", "docs/methods/*.md", "tests/*/*.md")
                 for path in glob.glob(os.path.join(ROOT, pattern))]

    def test_programs_that_are_named_can_be_run(self):
        count = 0
        for document in self.DOCUMENTS:
            for program in re.findall(r"^    ((?:bench|tests)/[\w/]+\.(?:py|sh))\b", read(document),
                                      re.MULTILINE):
                count += 1
                self.assertTrue(os.access(os.path.join(ROOT, program), os.X_OK),
                                f"{document}: {program} is no program that can be run")
        self.assertGreater(count, 5)

    def test_commands_and_options_exist(self):
        sources = "".join(read(os.path.relpath(path, ROOT))
                          for path in glob.glob(os.path.join(ROOT, "src/cli/*.cpp")))
        known = set(re.findall(r'add_subcommand\(\s*"(\w+)"', sources))
        options = set(re.findall(r'"(?:-\w,)?(--[\w-]+)"', sources))
        lines = [line for line in read("README.md").splitlines()
                 if re.match(r"    platter \w", line)]
        self.assertGreater(len(lines), 10)
        for line in lines:
            line = line.partition("#")[0]
            self.assertIn(line.split()[1], known, line)
            for option in re.findall(r"(?<=\s)--[\w-]+", line):
                self.assertIn(option, options, line)


if __name__ == "__main__":
    unittest.main()
