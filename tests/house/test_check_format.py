"""The check of formats finds what it is for."""

import os
import tempfile
import unittest

import check_format


class Formats(unittest.TestCase):
    def test_sources(self):
        program = check_format.formatter()
        self.assertIsNotNone(program, "install clang-format-14")
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("good.cpp", "int a = 1;\n"), ("bad.cpp", "int  a=1 ;\n")):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual(check_format.unformatted(folder, ["good.cpp", "bad.cpp"], program), ["bad.cpp"])

    def test_documents(self):
        table = "| a | b |\n|---|:---:|\n| " + "x " * 100 + "| y |\n"
        code = "    " + "x " * 100 + "\n```\n| no table |\n" + "x " * 100 + "\n```\n"
        self.assertEqual(check_format.faults_of_document("# T\n\n" + table + "\n" + code + "http://" + "x" * 200), [])
        self.assertEqual([number for number, _ in check_format.faults_of_document("x " * 61 + "\n\n| a |\n| b |\n")],
                         [1, 3])


if __name__ == "__main__":
    unittest.main()
