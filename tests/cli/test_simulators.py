"""What other simulators take of a drive, from the command line."""

import json
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

    def test_means_are_those_of_a_replay(self):
        for name in ("hp-c2247", "quantum-atlas10k", "modern-500gb"):
            self.platter("truth", f"virtual:{name}", "-o", "m.json", "--force")
            summary = json.loads(self.platter("emit", "summary", "m.json", "--json"))
            for kind, share in (("read", "1"), ("write", "0")):
                self.platter("trace", "generate", "--workload", "random", "--for", "m.json", "--requests", "30k",
                             "--request-kb", "4", "--read-share", share, "-o", "t.trace", "--force")
                self.platter("replay", "t.trace", "--on", "m.json", "--caches", "off", "--reference-reads", "0", "-o",
                             "r.csv", "--force")
                mean = json.loads(self.platter("result", "show", "r.csv", "--json"))["all"]["mean_ms"]
                self.assertLess(abs(summary[f"random_{kind}_ms"] / mean - 1), 0.005, (name, kind))
                self.assertLess(summary[f"random_{kind}_error_ms"], 0.002 * mean)

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
