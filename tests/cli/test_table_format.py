"""The table file's promises, held by FlatBuffers' own compiler: its schema only grows from the frozen one, a table with
more in it is read and predicts the same times, another major version is refused by its name.
"""

import json
import os
import re
import subprocess
import unittest

import harness

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SCHEMA = os.path.join(ROOT, "emit", "table", "table.fbs")
FROZEN = os.path.join(ROOT, "tests", "golden", "table", "table-1.0.fbs")
READ_AHEAD = ("none", "to_track_end", "to_cylinder_end", "to_segment_full", "to_next_track_if_sequential")


def schema(*changes):
    """Its text, changed: what is replaced must be there."""
    with open(SCHEMA, encoding="utf-8") as file:
        text = file.read()
    for old, new in changes:
        if old not in text:
            raise AssertionError(f"{old} is not in the schema")
        text = text.replace(old, new, 1)
    return text


class TableFormat(harness.PlatterTest):
    def setUp(self):
        super().setUp()
        self.platter("truth", "virtual:quantum-atlas10k", "-o", "model.json")
        self.platter("emit", "table", "model.json", "-o", "m.ptab")

    def flatc(self, *arguments):
        return subprocess.run(["flatc", *arguments], cwd=self.folder, capture_output=True, text=True, check=False)

    def conforms(self, *changes):
        self.write("later.fbs", schema(*changes))
        return self.flatc("--cpp", "--conform", FROZEN, "later.fbs").returncode == 0

    def content(self):
        done = self.flatc("--json", "--strict-json", "--raw-binary", "--defaults-json", SCHEMA, "--", "m.ptab")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.read_json("m.json")

    def rewritten(self, change, *schema_changes):
        """The table as a program writes it that has another schema, its content changed by `change`."""
        content = self.content()
        change(content)
        self.write("other.json", json.dumps(content))
        self.write("other.fbs", schema(*schema_changes))
        done = self.flatc("--binary", "other.fbs", "other.json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return "other.ptab"

    def times(self, table):
        self.platter("replay", "t.trace", "--on", table, "-o", "r.csv", "--force")
        with open(self.path("r.csv"), encoding="utf-8") as file:
            return [line for line in file if not line.startswith("#")]

    def test_the_schema_only_grows(self):
        self.assertTrue(self.conforms())
        self.assertTrue(self.conforms(("hits_overtake:bool = true;", "hits_overtake:bool = true;\n  ageing:double;")))
        for change in (("depth:uint; ", "depth:ulong; "), ("preseeking:ubyte = 2;", "preseeking:ubyte = 1;"),
                       ("  read_block_ns:long;\n", ""), ("fcfs, sstf, look", "fcfs, look, sstf"),
                       ("  minor:ushort;\n", "  minor:ushort;\n  between:int;\n")):
            with self.subTest(change):
                self.assertFalse(self.conforms(change))

    def test_the_page_has_the_sizes_of_the_structs(self):
        with open(os.path.join(ROOT, "docs", "table.md"), encoding="utf-8") as file:
            page = re.sub(r"\s+", " ", file.read())
        sizes = {"ulong": 8, "int": 4, "uint": 4, "short": 2, "ushort": 2, "ubyte": 1, "NodeKind": 1}
        structs = re.findall(r"\nstruct (\w+) {(.*?)\n}", re.sub(r"//[^\n]*", "", schema()), re.DOTALL)
        self.assertEqual(len(structs), 5)
        told = [(name, sum(sizes[kind] for kind in re.findall(r":(\w+);", body))) for name, body in structs]
        (first, size), *others = told
        told = [f"{first} has {size} bytes"] + [f"{name} {size}" for name, size in others]
        self.assertIn(", ".join(told) + ".", page)

    def test_names_are_the_model_s(self):
        """Written by FlatBuffers' own compiler, so that no reader of ours has a part in it."""
        content = self.content()
        model = self.read_json("model.json")
        for name, parameter in model["overheads"].items():
            told = content["overheads"].get(name + "_ns", content["overheads"].get(name))
            if name != "address_translation" and "value" in parameter:
                self.assertEqual(told, round(parameter["value"] * 1e6), name)
        same = set(model["cache"]) & set(content["cache"])
        self.assertGreater(len(same), 15)
        for name in same:
            told = content["cache"][name]
            self.assertEqual(READ_AHEAD.index(told) if name == "read_ahead" else int(told),
                             model["cache"][name]["value"], name)

    def test_structs_and_enumerations_stay_as_they_are(self):
        """flatc looks at structs no closer than at tables, which may grow."""
        def fixed(path):
            with open(path, encoding="utf-8") as file:
                text = re.sub(r"//[^\n]*", "", file.read())
            return [re.sub(r"\s+", " ", part) for part in re.findall(r"(?:struct|enum)[^{]*{[^}]*}", text)]
        self.assertEqual([part for part in fixed(SCHEMA) if part in fixed(FROZEN)], fixed(FROZEN))
        self.assertGreater(len(fixed(FROZEN)), 8)

    def test_what_a_later_version_adds_is_passed_over(self):
        def add(content):
            content.update(format=9, minor=2, mood="good", more=[{}, {"depth": 4}])
            content["queue"]["ageing"] = 0.5
            content["cache"]["speculates"] = True
        other = self.rewritten(
            add, ("hits_overtake:bool = true;", "hits_overtake:bool = true;\n  ageing:double;"),
            ("  segments_grow:bool; ", "  segments_grow:bool;\n  speculates:bool; "),
            ("  shingling:Shingling; ", "  shingling:Shingling;\n  mood:string;\n  more:[Queue];\n  //"))
        self.platter("trace", "generate", "--workload", "mixed/read-write/uniform", "--for", "model.json", "--requests", 400,
                     "-o", "t.trace")
        self.assertEqual(self.platter_json("show", other)["format"], 9)
        self.assertEqual(self.times(other), self.times("m.ptab"))

    def test_what_cannot_be_read_is_refused_by_name(self):
        for change, sentence in (
                ({"major": 2}, "is a table of version 2.0, but this platter reads version 1"),
                ({"needs": ["two-arms"]}, 'needs a reader that knows "two-arms"'),
                ({"simplified": {"cylinders": 3}}, "is a small table, which says less than its model")):
            with self.subTest(change):
                other = self.rewritten(lambda content, change=change: content.update(change))
                self.fails(harness.BAD_INPUT, [sentence], "show", other)

    def test_a_table_of_before_the_first_version_is_refused_by_its_format(self):
        old = os.path.join(ROOT, "tests", "golden", "table", "small.6.ptab")
        self.fails(harness.BAD_INPUT, ["is a table of format 6, which is no longer read"], "show", old)


if __name__ == "__main__":
    unittest.main()
