"""The small table and what other simulators take, from the command line."""

import json
import os
import re
import subprocess
import unittest

import harness

# The fields of 86Box' hdd_preset_t (src/include/86box/hdd.h), in its order.
PRESET = """
#include <stdint.h>
typedef struct {
    const char *name, *internal_name, *vendor, *model, *version;
    uint32_t zones, avg_spt, heads, rpm, rcache_num_seg, rcache_seg_size, max_multiple;
    double full_stroke_ms, track_seek_ms;
} preset;
const preset presets[] = {
%s
};
"""


class SmallTable(harness.PlatterTest):
    def setUp(self):
        super().setUp()
        self.platter("truth", "virtual:quantum-atlas10k", "-o", "m.json")

    def test_it_fits_states_how_far_it_is_and_show_says_the_same(self):
        self.platter("emit", "table", "m.json", "-o", "whole.ptab")
        told = json.loads(self.platter("emit", "table", "m.json", "-o", "s.ptab", "--profile", "small", "--json"))
        self.assertLessEqual(os.path.getsize(self.path("s.ptab")), 4096)
        self.assertGreater(os.path.getsize(self.path("whole.ptab")), 4096)
        shown = json.loads(self.platter("show", "s.ptab", "--json"))
        self.assertEqual(shown["simplified"], told["simplified"])
        whole = json.loads(self.platter("show", "whole.ptab", "--json"))
        self.assertNotIn("simplified", whole)
        self.assertEqual(told["simplified"]["from"], whole["provenance"]["model_sha256"])
        self.assertEqual([demerit["workload"] for demerit in told["simplified"]["demerits"]],
                         ["random", "mixed", "sequential"])
        self.assertGreater(told["simplified"]["seek_ms"], 0)
        self.assertIn("simplified    of the whole model: seeks within ", self.platter("show", "s.ptab"))

    def test_it_is_the_same_each_time(self):
        for name in ("a.ptab", "b.ptab"):
            self.platter("emit", "table", "m.json", "-o", name, "--profile", "small")
        with open(self.path("a.ptab"), "rb") as one, open(self.path("b.ptab"), "rb") as other:
            self.assertEqual(one.read(), other.read())

    def test_a_drive_that_fits_loses_nothing_and_says_so(self):
        self.platter("truth", "virtual:cache-base", "-o", "c.json")
        self.platter("emit", "table", "c.json", "-o", "whole.ptab")
        done = self.run_platter("emit", "table", "c.json", "-o", "s.ptab", "--profile", "small")
        self.assertIn("nothing was left out", done.stderr)
        with open(self.path("whole.ptab"), "rb") as whole, open(self.path("s.ptab"), "rb") as small:
            self.assertEqual(whole.read(), small.read())


class Simulators(harness.PlatterTest):
    def setUp(self):
        super().setUp()
        self.platter("truth", "virtual:hp-c2247", "-o", "m.json")

    def test_the_words_have_what_the_json_has(self):
        summary = json.loads(self.platter("emit", "summary", "m.json", "--json"))
        words = self.platter("emit", "summary", "m.json")
        for simulator in summary["simulators"]:
            self.assertIn(simulator["text"], words)
        self.assertIn(f"average over all blocks {summary['average_seek_ms']:.3f} ms", words)
        self.assertEqual(sum(zone["blocks"] for zone in summary["zones"]), summary["blocks"])
        self.assertAlmostEqual(summary["rotational_latency_ms"], 30000 / summary["rpm"])

    def test_a_preset_is_an_entry_of_86box(self):
        entry = self.platter("emit", "86box", "m.json")
        self.write("preset.c", PRESET % entry)
        done = subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers",
                               "-c", "preset.c", "-o", "preset.o"], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(".heads = 13, .rpm = 5400,", re.sub(r"\s+", " ", entry))


if __name__ == "__main__":
    unittest.main()
