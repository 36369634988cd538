"""What a drive says that can be changed of its cache, and what a change of it does."""

import unittest

from harness import PlatterTest

UNSUPPORTED = 9


class CachePage(PlatterTest):
    def freedoms(self, drive):
        self.platter("characterize", drive, "-o", "model.json", "--force", "--allow-writes", "100000-400000")
        self.summary = self.platter("show", "model.json")
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

    def test_a_read_cache_that_stays_on_is_passed_by(self):
        for name in ("cache-ignores-rcd-wce", "cache-fixed-page"):
            drive = f"virtual:{name}?seed=3"
            freedoms = self.freedoms(drive)
            model = self.read_json("model.json")
            notes = " ".join(model["provenance"]["notes"])
            for commands in ("reads", "writes"):
                self.assertIn(f"all {commands} were sent with FUA", notes)
            self.assertEqual("read-ahead could not be switched off" in notes, name == "cache-fixed-page")
            for field in ("RCD", "WCE"):
                self.assertEqual(freedoms[field]["changeable"], name == "cache-ignores-rcd-wce")
                self.assertNotEqual(freedoms[field]["effect"], "seen")
            if name == "cache-ignores-rcd-wce":
                self.assertEqual({freedoms[field]["effect"] for field in ("RCD", "WCE")}, {"none"})
            random = model["validity"]["demerits"][0]
            # A revolution's error of one request in 240 is 4 %.
            self.assertLess(random["demerit_ms"], 0.06 * random["drive_mean_ms"], name)

    def test_replay_passes_by_what_stays_on(self):
        drive = "virtual:cache-fixed-page?seed=3"
        model = "truth.json"
        self.platter("truth", drive, "-o", model)
        self.platter("trace", "generate", "--workload", "random", "--for", model, "--requests", "3000",
                     "--think-ms", "0.5", "--writes-within", "100000-400000", "-o", "t.trace")
        writes = ("--allow-writes", "100000-400000")
        self.fails(UNSUPPORTED, "replay with --caches forced", "replay", "t.trace", "--on", drive, "-o", "no.csv",
                   "--caches", "off", *writes)
        self.platter("replay", "t.trace", "--on", drive, "-o", "drive.csv", "--caches", "forced", *writes)
        errors_ms = {}
        for caches in ("off", "forced"):
            self.platter("replay", "t.trace", "--on", model, "-o", "model.csv", "--caches", caches)
            compared = self.platter_json("compare", "drive.csv", "model.csv")
            errors_ms[caches] = compared["all"]["paired"]["mae_ms"]
        # Read-ahead goes on behind a read with FUA, on the drive and in the model. It changes few answers,
        # by a revolution each; noise is the same in both comparisons.
        self.assertLess(errors_ms["forced"], errors_ms["off"], errors_ms)


if __name__ == "__main__":
    unittest.main()
