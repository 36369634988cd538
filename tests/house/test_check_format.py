"""The check of formats finds what it is for."""

import json
import os
import tempfile
import unittest

import check_format
import schema_layout

LAID_OUT = """{
  "type": "object", "required": ["a_long_name_0", "a_long_name_1", "a_long_name_2", "a_long_name_3", "a_long_name_4",
      "a_long_name_5", "a_long_name_6", "a_long_name_7", "a_long_name_8"], "additionalProperties": false,
  "properties": {
    "it": {"type": "boolean"},
    "number": {"description": "a number of which there are so many words that no line holds it all", "type": "integer",
        "minimum": 0, "exclusiveMaximum": 1},
    "list": {"type": "array", "items": {"type": "object", "required": ["a_long_name_0"], "properties": {
      "a_long_name_0": {"description": "a number of which there are so many words that no line holds it all",
          "type": "integer", "minimum": 0, "exclusiveMaximum": 1}
    }}}
  }
}
"""


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

    def test_words_of_the_documents(self):
        texts = {"README.md": "a " * 1000, "docs/validation.md": "b " * 5000, "docs/methods/x.md": "c " * 54000,
                 "CONTRIBUTING.md": "d " * 9000}
        self.assertEqual(list(check_format.too_long(texts)), [])
        texts["docs/validation.md"] += "b"
        self.assertEqual([line.partition(",")[0] for line in check_format.too_long(texts)],
                         ["README.md and docs/: 60001 words", "docs/validation.md: 5001 words"])

    def test_schemas(self):
        names = [f"a_long_name_{number}" for number in range(9)]
        number = {"description": "a number of which there are so many words that no line holds it all", "type": "integer",
                  "minimum": 0, "exclusiveMaximum": 1}
        laid_out = schema_layout.layout(json.dumps({
            "type": "object", "required": names, "additionalProperties": False,
            "properties": {"it": {"type": "boolean"}, "number": number, "list": {"type": "array", "items": {
                "type": "object", "required": names[:1], "properties": {name: number for name in names[:1]}}}}}))
        self.assertEqual(laid_out, LAID_OUT)
        self.assertEqual(schema_layout.layout(laid_out), laid_out)

    def test_the_projects_schemas_are_looked_at(self):
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "one.json")
            for text, expected in ((LAID_OUT, True), (LAID_OUT.replace("{\n", "{ \n"), False)):
                with open(place, "w", encoding="utf-8") as file:
                    file.write(text)
                self.assertEqual(schema_layout.is_laid_out(place), expected)
            schema_layout.main([place])
            self.assertTrue(schema_layout.is_laid_out(place))


if __name__ == "__main__":
    unittest.main()
