"""A table as CSV and as a C header says what the table file says: to a C compiler, to a C++ compiler, to Python's csv."""

import collections
import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
import unittest

import harness

EXAMPLES = os.path.join(harness.HERE, "..", "..", "examples")
sys.path.insert(0, os.path.join(EXAMPLES, "python"))
import table_reader  # noqa: E402

CLASSIC = ("quantum-atlas10k", "hp-c2247", "ibm-ultrastar18es", "seagate-barracuda4lp", "seagate-cheetah9lp")
STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic", "-O1")


class TableText(harness.PlatterTest):
    def emit(self, model="drive.json"):
        for form, name in (("table", "t.ptab"), ("csv", "t.csv"), ("c", "t.h")):
            self.platter("emit", "table", model, "-o", name, "--format", form, "--force")
        with open(self.path("t.ptab"), "rb") as file:
            return table_reader.Table(file.read())

    def rows(self):
        with open(self.path("t.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def compile(self, source, program, *arguments, compiler="cc", standard="c99"):
        if shutil.which(compiler) is None:
            self.skipTest(f"there is no {compiler}")
        subprocess.run([compiler, "-std=" + standard, *STRICT, "-I", self.folder, *arguments, source, "-o",
                        self.path(program)], check=True)

    def constant(self):
        with open(self.path("t.h"), encoding="utf-8") as file:
            return re.search(r"^static const platter_drive (\w+) = ", file.read(), re.M).group(1)

    def told_by_c(self, lbns):
        """What the example prints of a drive in a header."""
        self.compile(os.path.join(EXAMPLES, "c", "drive_in_header.c"), "reads", '-DDRIVE_HEADER="t.h"',
                     f"-DDRIVE={self.constant()}")
        return subprocess.run([self.path("reads"), *map(str, lbns)], check=True, text=True,
                              capture_output=True).stdout.splitlines()

    def compare_c(self, table, blocks):
        """Place, seek and rotation, in whole numbers from the table file; of each the time that C told before."""
        draw = random.Random(blocks)
        lbns = [0, blocks - 1, *(draw.randrange(blocks) for _ in range(300))]
        numerator, denominator = table.motion.number("Q", 0), table.motion.number("Q", 1, 1)
        switch_ns, inward_ns = table.motion.number("q", 2), table.motion.number("q", 4)
        before, now_ns = table.place(table.slot(0)), 0
        told = self.told_by_c(lbns)
        self.assertEqual(len(told), len(lbns))
        for lbn, line in zip(lbns, told):
            place = table.place(table.slot(lbn))
            far = place.cylinder - before.cylinder
            ns = table.seek_ns(abs(far), outward=far <= 0)
            if far:
                ns += inward_ns if far > 0 else -inward_ns
            if place.head != before.head:
                ns = max(ns, switch_ns)
            begin = (f"{lbn}: cylinder {place.cylinder}, head {place.head}, sector {place.sector} of {place.sectors}, "
                     f"angle {place.angle / 2**64:.9f}, positioning {ns} ns, rotation ")
            self.assertTrue(line.startswith(begin), (line, begin))
            wait_ns = int(line[len(begin):].removesuffix(" ns"))
            turn = numerator << 64
            ahead = (place.angle * numerator - ((now_ns + ns) * denominator << 64)) % turn
            apart_ns = abs(wait_ns - ahead / (denominator << 64))
            self.assertLessEqual(min(apart_ns, numerator / denominator - apart_ns), 1.5, line)
            before, now_ns = place, now_ns + ns + wait_ns

    def compare_csv(self, table):
        rows = self.rows()
        of = collections.defaultdict(list)
        for row in rows:
            of[row["section"], row["field"]].append(row["value"])
        self.assertEqual([int(n) for n in of["seek", "cylinders"]], table.distances)
        self.assertEqual([int(n) for n in of["seek", "times_ns"]], [ns for curve in table.times_ns for ns in curve])
        for name in ("angle", "angle_step", "cylinder", "cylinder_step", "head", "head_step", "count", "sectors",
                     "first", "items"):
            self.assertEqual([int(n) for n in of["layout.nodes", name]], [getattr(n, name) for n in table.nodes])
        self.assertEqual([int(n) for n in of["layout", "piece_shifts"]], table.shifts)
        self.assertEqual(of["motion", "period_numerator_ns"], [str(table.motion.number("Q", 0))])
        self.assertEqual(of["identity", "name"], [table.name])
        self.assertEqual(of["provenance", "model_sha256"], [table.model_sha256])
        self.assertEqual({row["unit"] for row in rows if row["field"].endswith("_ns")}, {"ns"})

    def test_classic_drives(self):
        for drive in CLASSIC:
            with self.subTest(drive):
                self.platter("truth", f"virtual:{drive}", "-o", "drive.json")
                table = self.emit()
                self.compare_c(table, self.read_json("drive.json")["identity"]["blocks"])
                self.compare_csv(table)

    def test_every_kind_of_layout_and_curve(self):
        """Lists of runs, listed tracks, four curves."""
        for drive in ("seeks-apart", "maxtor-atlas10k4", "modern-500gb"):
            with self.subTest(drive):
                self.platter("truth", f"virtual:{drive}", "-o", "drive.json")
                table = self.emit()
                self.compare_c(table, self.read_json("drive.json")["identity"]["blocks"])
                self.compare_csv(table)

    def test_two_drives_in_one_program_and_in_cpp(self):
        for drive, name in (("quantum-atlas10k", "a.h"), ("hp-c2247", "b.h")):
            self.platter("truth", f"virtual:{drive}", "-o", "drive.json")
            self.platter("emit", "table", "drive.json", "-o", name, "--format", "c")
        text = ('#include <stdio.h>\n#include "a.h"\n#include "b.h"\n#include "a.h"\n'
                'int main(void) { printf("%d %d\\n", (int)(drive_quantum_atlas_10k.identity.blocks > 0),\n'
                "  (int)platter_seek_ns(&drive_hp_c2247a.seek, 0, 1)); return 0; }\n")
        for name, compiler, standard in (("two.c", "cc", "c99"), ("two.cpp", "c++", "c++20")):
            self.write(name, text)
            self.compile(self.path(name), "two", compiler=compiler, standard=standard)
            told = subprocess.run([self.path("two")], check=True, text=True, capture_output=True).stdout.split()
            self.assertEqual(told[0], "1")
            self.assertGreater(int(told[1]), 100_000)

    def test_hostile_names(self):
        """Of a model from a stranger: neither C nor CSV takes them for anything else."""
        self.platter("truth", "virtual:quantum-atlas10k", "-o", "drive.json")
        model = self.read_json("drive.json")
        model["identity"] |= {"name": '9*/ int x; "\\', "vendor": 'A,"B"\nC', "product": "??/*/ \\n"}
        self.write("drive.json", json.dumps(model))
        self.emit()
        self.assertEqual(self.constant(), "drive_9_int_x")
        self.told_by_c([0, 1])
        of = {(row["section"], row["field"]): row["value"] for row in self.rows()}
        self.assertEqual(of["identity", "vendor"], 'A,"B"\nC')
        self.assertEqual(of["identity", "name"], '9*/ int x; "\\')

    def test_what_was_written_may_be_written_again(self):
        self.platter("truth", "virtual:quantum-atlas10k", "-o", "drive.json")
        for form, name in (("csv", "t.csv"), ("c", "t.h")):
            for _ in range(2):
                self.platter("emit", "table", "drive.json", "-o", name, "--format", form)
            with open(self.path(name), "rb") as file:
                size = len(file.read())
            told = self.platter_json("emit", "table", "drive.json", "-o", name, "--format", form)
            self.assertEqual(told["bytes"], size)


if __name__ == "__main__":
    unittest.main()
