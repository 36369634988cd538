"""docs/table.md and the schema suffice to write a reader: one that was written from them alone places blocks where the
program does."""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import unittest

import harness

sys.path.insert(0, os.path.join(harness.HERE, "..", "..", "examples", "python"))
import table_reader  # noqa: E402

DRIVES = ("quantum-atlas10k", "hp-c2247", "ibm-ultrastar18es", "seagate-barracuda4lp",
          "seagate-cheetah9lp")


class TableReader(harness.PlatterTest):
    def table_of(self, model):
        self.platter("emit", "table", model, "-o", "drive.ptab")
        with open(self.path("drive.ptab"), "rb") as file:
            return table_reader.Table(file.read())

    def compare(self, model, lbns):
        table = self.table_of(model)
        places = self.platter_json("layout", model, "--lbn", *lbns)["places"]
        self.assertEqual(len(places), len(lbns))
        for told in places:
            slot = table.slot(told["lbn"])
            place = table.place(slot)
            self.assertEqual((place.cylinder, place.head, place.sector),
                             (told["cylinder"], told["head"], told["sector"]), told)
            apart = abs(place.angle / 2**64 - told["angle_rev"])
            self.assertLess(min(apart, 1 - apart), 1e-12, told)
            self.assertEqual(table.lbn(slot), told["lbn"])
        self.compare_c(table, lbns[:1000])
        return table, places

    def compare_c(self, table, lbns):
        """examples/c/table_reader.c says the same, and of seeks, too."""
        if shutil.which("cc") is None:
            self.skipTest("there is no C compiler")
        if not os.path.exists(self.path("reader")):
            source = os.path.join(harness.HERE, "..", "..", "examples", "c", "table_reader.c")
            subprocess.run(["cc", "-O1", "-std=c11", "-Wall", "-Wextra", "-Werror", source, "-o", self.path("reader")],
                           check=True)
        told = subprocess.run([self.path("reader"), self.path("drive.ptab"), *map(str, lbns)], check=True, text=True,
                              capture_output=True).stdout.splitlines()
        before, expected = 0, []
        for lbn in lbns:
            place = table.place(table.slot(lbn))
            seek_ns = table.seek_ns(abs(place.cylinder - before))
            expected.append(f"{lbn}: cylinder {place.cylinder}, head {place.head}, sector {place.sector} of "
                            f"{place.sectors}, angle {place.angle / 2**64:.9f}, seek {seek_ns} ns")
            before = place.cylinder
        self.assertEqual(told, expected)

    def compare_seeks(self, table, model):
        """At the points themselves; between them a rounded line is checked by its neighbours."""
        with open(self.path(model), encoding="utf-8") as file:
            model = json.load(file)
        self.assertEqual(table.curves, 4 if "write_seek" in model else 1)
        for curve, kind in (("seek", {}), ("outward_seek", {"outward": True}),
                            ("write_seek", {"write": True})):
            points = model.get(curve, {"points": []})["points"]
            for point in points:
                self.assertEqual(table.seek_ns(point["cylinders"], **kind),
                                 round(point["time_ms"] * 1e6))
            for low, high in zip(points, points[1:]):
                middle = (low["cylinders"] + high["cylinders"]) // 2
                share = (middle - low["cylinders"]) / (high["cylinders"] - low["cylinders"])
                straight = (1 - share) * low["time_ms"] + share * high["time_ms"]
                self.assertAlmostEqual(table.seek_ns(middle, **kind) / 1e6, straight, delta=2e-6)

    def test_the_catalogue(self):
        for drive in DRIVES:
            with self.subTest(drive):
                self.platter("truth", f"virtual:{drive}", "-o", f"{drive}.json")
                blocks = self.read_json(f"{drive}.json")["identity"]["blocks"]
                draw = random.Random(drive)
                lbns = [0, blocks - 1] + [draw.randrange(blocks) for _ in range(9_998)]
                table, _ = self.compare(f"{drive}.json", lbns)
                self.compare_seeks(table, f"{drive}.json")
                with open(self.path(f"{drive}.json"), "rb") as file:
                    text = file.read()
                self.assertEqual(table.model_sha256, hashlib.sha256(text).hexdigest())
                self.assertEqual(table.name, json.loads(text)["identity"]["name"])

    def test_seeks_of_each_kind(self):
        self.platter("truth", "virtual:seeks-apart", "-o", "drive.json")
        table, _ = self.compare("drive.json", [0, 1000])
        self.compare_seeks(table, "drive.json")
        in_out = table.seek_ns(100) - table.seek_ns(100, outward=True)
        self.assertGreater(abs(in_out), 10_000)
        self.assertAlmostEqual(table.seek_ns(100, write=True) - table.seek_ns(100, True, True),
                               in_out, delta=2)

    def test_skips_in_steps_and_remapped_blocks(self):
        """Every kind of piece: single shifts, regular steps, remapped blocks within them."""
        self.platter("truth", "virtual:quantum-atlas10k", "-o", "drive.json")
        model = self.read_json("drive.json")
        layout = model["layout"]
        held = model["identity"]["blocks"] + sum(s.get("length", 1) * s.get("count", 1)
                                                 for s in layout["skips"])
        layout["skips"] = [{"first_slot": 5, "length": 2},
                           {"first_slot": 1000, "length": 3, "count": 4000, "stride": 334},
                           {"first_slot": 3_000_000, "length": 7}]
        layout["remaps"] = [{"lbn": 3, "slot": 5}, {"lbn": 2000, "slot": 3_000_001},
                            {"lbn": 2100, "slot": 1000}, {"lbn": 2_500_000, "slot": 3_000_000}]
        model["identity"]["blocks"] = held - 2 - 3 * 4000 - 7
        self.write("drive.json", json.dumps(model))
        remapped = [remap["lbn"] for remap in layout["remaps"]]
        draw = random.Random(1)
        lbns = [*range(3000), 2_500_000, *(draw.randrange(3_100_000) for _ in range(7_000))]
        table, places = self.compare("drive.json", lbns)
        self.assertGreater(len(table.stretches), len(remapped))
        self.assertEqual([told["lbn"] for told in places if told["remapped"]], remapped)
        # The way back, slots without blocks included.
        slots = list(range(0, 3000))
        spots = [table.place(slot) for slot in slots]
        told = self.platter_json("layout", "drive.json", "--pbn",
                                 *(f"{p.cylinder},{p.head},{p.sector}" for p in spots))["places"]
        self.assertEqual([table.lbn(slot) for slot in slots], [place["lbn"] for place in told])
        self.assertIn(None, [place["lbn"] for place in told])

    @staticmethod
    def bands(draw, count, tracks):
        """On surface after surface, each of a size and at an angle of its own."""
        return [{"count": draw.choice(tracks), "cylinder": 40 * (band // 7), "cylinder_step": 1,
                 "head": band % 7, "angle_rev": draw.random(), "angle_step_rev": 31 / 384,
                 "sectors": draw.randrange(200, 230)} for band in range(count)]

    @staticmethod
    def blocks_in(zone):
        runs = zone.get("children", ())
        return zone["count"] * (zone.get("sectors", 0) + sum(r["count"] * r["sectors"] for r in runs))

    def compare_zones(self, table, zones):
        first = 0
        for number, zone in enumerate(zones):
            end = first + self.blocks_in(zone)
            self.assertEqual([table.place(slot).zone for slot in (first, end - 1)], [number] * 2)
            first = end

    def with_layout(self, zones):
        self.platter("truth", "virtual:quantum-atlas10k", "-o", "drive.json")
        model = self.read_json("drive.json")
        blocks = sum(map(self.blocks_in, zones))
        model["layout"] |= {"zones": zones, "skips": [], "remaps": []}
        model["identity"] |= {"blocks": blocks, "heads": 7, "cylinders": 100_000}
        model["validity"] = {}
        self.write("drive.json", json.dumps(model))
        return blocks

    def test_bands_in_rounds(self):
        """Zones that differ in the sizes of their bands alone: lists of runs that share."""
        draw = random.Random(5)
        bands = self.bands(draw, 21, (30, 40))
        zones = [{"count": 5, "cylinder": 600 * zone, "cylinder_step": 120, "angle_rev": draw.random(),
                  "angle_step_rev": 0.3, "children": [band | {"sectors": band["sectors"] - 2 * zone}
                                                      for band in bands]} for zone in range(60)]
        blocks = self.with_layout(zones)
        table, _ = self.compare("drive.json",
                                [0, blocks - 1] + draw.sample(range(blocks), 5000))
        self.assertEqual(len(table.lists), 60)
        self.assertEqual(len(table.drive.table(15).numbers("i", 7)), 21)
        self.compare_zones(table, zones)

    def test_bands_that_are_zones(self):
        draw = random.Random(6)
        zones = self.bands(draw, 1100, (38, 39, 40))
        blocks = self.with_layout(zones)
        table, _ = self.compare("drive.json",
                                [0, blocks - 1] + draw.sample(range(blocks), 5000))
        self.assertEqual(table.root_zones[-1], 1100)
        self.assertLess(table.roots, 10)
        self.compare_zones(table, zones)

    def test_tracks_that_follow_no_rule(self):
        """Every head with its own number of sectors and its own angle: listed tracks."""
        self.platter("truth", "virtual:quantum-atlas10k", "-o", "drive.json")
        model = self.read_json("drive.json")
        draw = random.Random(2)
        zones = [{"count": 100, "cylinder": 100 * zone, "cylinder_step": 1,
                  "angle_rev": draw.random(), "angle_step_rev": draw.random(),
                  "children": [{"head": head, "angle_rev": draw.random(),
                                "sectors": draw.randrange(200, 300)} for head in range(6)]}
                 for zone in range(5)]
        blocks = sum(100 * track["sectors"] for zone in zones for track in zone["children"])
        model["layout"] |= {"zones": zones, "skips": [], "remaps": []}
        model["identity"] |= {"blocks": blocks, "heads": 6, "cylinders": 500}
        model["validity"] = {}
        self.write("drive.json", json.dumps(model))
        table, _ = self.compare("drive.json", [0, blocks - 1] + draw.sample(range(blocks), 5000))
        self.assertEqual(len(table.tracks), 30)


if __name__ == "__main__":
    unittest.main()
