"""The table of docs/exit-statuses.md says what src/model/error.h says."""

import os
import re
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class ExitStatuses(unittest.TestCase):
    def test_the_table_is_the_enumeration(self):
        body = re.search(r"enum class ExitStatus : int \{(.*?)\};", read("src/model/error.h"),
                         re.DOTALL).group(1)
        coded = [(int(number), name) for name, number in
                 re.findall(r"^\s*(\w+) = (\d+),", body, re.MULTILINE)]
        told = [(int(number), name) for number, name in
                re.findall(r"^\| (\d+) \| `(\w+)` \|", read("docs/exit-statuses.md"), re.MULTILINE)]
        self.assertGreater(len(coded), 10)
        self.assertEqual(told, coded)


if __name__ == "__main__":
    unittest.main()
