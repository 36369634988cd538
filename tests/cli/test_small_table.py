"""The small table, from the command line."""

import json
import os
import unittest

import harness


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


if __name__ == "__main__":
    unittest.main()
