"""What a drive says that can be changed of its cache, and what a change of it does."""

import unittest

from harness import PlatterTest

UNSUPPORTED = 9


class CachePage(PlatterTest):
    def freedoms(self, drive):
        self.summary = self.platter("characterize", drive, "-o", "model.json",
                                    "--allow-writes", "100000-400000")
        return {freedom["field"]: freedom
                for freedom in self.read_json("model.json")["cache"]["freedoms"]}

    def effects(self, drive):
        return {field: freedom["effect"] for field, freedom in self.freedoms(drive).items()
                if freedom["changeable"]}

    def test_obeyed_and_ignored(self):
        base = self.effects("virtual:cache-base?seed=3")
        self.assertEqual(set(base.values()), {"seen"}, base)
        self.assertGreaterEqual(len(base), 11)
        self.assertIn("Mode page 08h", self.summary)
        ignores = self.effects("virtual:cache-ignores-dra?seed=3")
        self.assertEqual({field for field, effect in ignores.items() if effect != "seen"}, {"DRA"})
        self.assertEqual(ignores["DRA"], "none")
        segments = self.effects("virtual:cache-ignores-segments?seed=3")
        self.assertEqual(segments.pop("NUMBER OF CACHE SEGMENTS"), "none")
        self.assertEqual(set(segments.values()), {"seen"}, segments)

    def test_a_read_cache_that_stays_on(self):
        for name in ("cache-ignores-rcd-wce", "cache-fixed-page"):
            self.fails(UNSUPPORTED, "cache cannot be switched off", "characterize",
                       f"virtual:{name}?seed=3", "-o", "model.json")


if __name__ == "__main__":
    unittest.main()
