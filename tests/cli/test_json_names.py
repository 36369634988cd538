"""The names in JSON output that other programs rely on."""

import json
import unittest

from harness import DIFFERS, PlatterTest, recorded_alien

PARAMETER = {"value", "unit", "error", "method", "samples"}


class JsonNames(PlatterTest):
    def test_model_and_what_reads_it(self):
        model = json.loads(self.platter("characterize", recorded_alien("--variant", "bands"),
                                        "-o", "model.json", "--json"))
        self.assertEqual(model, self.read_json("model.json"))
        self.check_model(model)
        self.check_readers(model)

    def check_model(self, model):
        self.assertEqual(list(model)[:2], ["schema", "platter"])
        self.assertEqual(model["schema"], {"name": "platter-model", "version": "1.1"})
        for section in ("identity", "provenance", "rotation", "layout", "seek", "head_switch",
                        "write_settle", "cache", "overheads", "bus", "queue", "validity"):
            self.assertIn(section, model)
        self.assertNotIn("imperfections", model)
        for name in ("drive_seconds", "wall_seconds", "commands", "translations", "bytes_written",
                     "seed"):
            self.assertIsInstance(model["provenance"][name], (int, float), name)
        self.assertLessEqual(PARAMETER, set(model["head_switch"]))
        self.assertLessEqual(PARAMETER, set(model["rotation"]["period"]))

    def check_readers(self, model):
        places = self.platter_json("layout", "model.json", "--lbn", "0", "--lbn", "5000")["places"]
        self.assertEqual([place["lbn"] for place in places], [0, 5000])
        for name in ("cylinder", "head", "sector", "angle_rev", "track_first_lbn",
                     "track_last_lbn"):
            self.assertIn(name, places[0])
        place = places[1]
        back = self.platter_json("layout", "model.json", "--pbn",
                                 f"{place['cylinder']},{place['head']},{place['sector']}")
        self.assertEqual(back["places"][0]["lbn"], 5000)

        tracks = self.platter_json("layout", "model.json", "--all-tracks")["tracks"]
        lines = self.platter("layout", "model.json", "--all-tracks").splitlines()
        self.assertEqual(len(tracks), len(lines))
        names = ("first_lbn", "sectors", "cylinder", "head", "angle_rev")
        for track, line in zip(tracks[::500], lines[::500]):
            for name, word in zip(names, line.split(), strict=True):
                self.assertAlmostEqual(track[name], float(word), places=6)
        self.assertEqual(sum(track["sectors"] for track in tracks), model["identity"]["blocks"])
        self.assertIn("schema", self.platter_json("show", "model.json"))

    def test_diff(self):
        self.platter("truth", "virtual:hp-c2247", "-o", "a.json")
        self.platter("truth", "virtual:quantum-atlas10k", "-o", "b.json")
        told = self.platter_json("diff", "a.json", "b.json", status=DIFFERS)
        self.assertEqual(set(told), {"schema", "platter", "compared", "differing", "in_one_only", "not_judged",
                                     "with_error", "beyond_two_errors", "differences"})
        entries = told["differences"]
        for entry in entries:
            self.assertEqual(set(entry), {"path", "unit", "a", "b", "difference", "relative",
                                          "in_errors", "within_error", "instead", "not_judged"})
        self.assertFalse(next(e for e in entries if e["path"] == "head_switch")["within_error"])
        same = self.platter_json("diff", "a.json", "a.json")
        self.assertNotIn(False, [entry["within_error"] for entry in same["differences"]])

    def test_compare(self):
        self.platter("truth", "virtual:hp-c2247", "-o", "drive.json")
        self.platter("trace", "generate", "--workload", "random", "--for", "drive.json",
                     "--requests", "500", "-o", "t.trace")
        self.platter("replay", "t.trace", "--on", "virtual:hp-c2247?seed=2", "-o", "drive.csv",
                     "--allow-writes", "0-2054863")
        self.platter("replay", "t.trace", "--on", "drive.json", "--phase-from", "drive.csv",
                     "-o", "model.csv")
        comparison = self.platter_json("compare", "drive.csv", "model.csv")
        sizes = comparison["size_classes"]
        self.assertEqual(list(sizes), ["1-4", "5-8", "9-16", "17-32"])
        self.assertEqual(sum(figures["n"] for figures in sizes.values()), 500)
        for figures in (comparison["all"], comparison["read"], comparison["write"],
                        *sizes.values()):
            for figure in ("n", "mean_ms", "demerit_ms", "demerit_percent", "paired",
                           "folded_phase_share", "hits_agreed_share"):
                self.assertIn(figure, figures)
            self.assertEqual(set(figures["paired"]), {"bias_ms", "mae_ms", "rms_ms", "p50_ms",
                                                      "p95_ms", "p99_ms", "max_ms"})
        self.assertGreaterEqual(comparison["all"]["folded_phase_share"], 0.95)

    def test_devices_and_inspection(self):
        devices = self.platter_json("devices")
        self.assertEqual(list(devices)[0], "schema")
        names = [entry["device"] for entry in devices["virtual"]]
        self.assertIn("virtual:quantum-atlas10k", names)
        for name in names:
            identity = self.platter_json("inspect", name)["identity"]
            self.assertGreater(identity["blocks"], 500_000)


if __name__ == "__main__":
    unittest.main()
