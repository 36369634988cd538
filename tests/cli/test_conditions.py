"""Drives with conditions of their own, by the commands a user types: ATA drives, short commands, blocks
that are not on the media, other block lengths, and numbers that no drive can have."""

import json
import os
import statistics
import unittest

from harness import ALIEN, BAD_INPUT, INCOMPLETE, PlatterTest, REFUSED, UNSUPPORTED, USAGE, program_drive, served_drive


class Conditions(PlatterTest):
    def changed(self, name, **firmware):
        """A drive of the catalogue with another firmware, as a file."""
        self.platter("truth", f"virtual:{name}", "-o", f"{name}.json")
        model = self.read_json(f"{name}.json")
        model["firmware"].update(firmware)
        self.write("drive.json", json.dumps(model))
        return model

    def test_ata_drive(self):
        inspection = self.platter_json("inspect", "virtual:sat-disk")
        self.assertEqual(inspection["identity"]["vendor"], "ATA")
        self.assertEqual(inspection["ata"]["look_ahead"], True)
        self.assertEqual(inspection["ata"]["power_level"], 0x80)
        self.assertEqual(inspection["ata"]["power_mode"], "ffh")
        capabilities = inspection["capabilities"]
        self.assertTrue(capabilities["write_cache_changeable"] and capabilities["read_ahead_changeable"])
        self.assertFalse(capabilities["read_cache_changeable"])
        text = " ".join(self.platter("inspect", "virtual:sat-disk").split())
        self.assertIn("write yes (SET FEATURES), read no, read-ahead yes (SET FEATURES)", text)
        self.assertIn("power management 80h", text.lower())
        self.platter("characterize", "virtual:sat-disk?seed=3", "-o", "model.json")
        model = self.read_json("model.json")
        notes = " ".join(model["provenance"]["notes"])
        self.assertIn("switched off by SET FEATURES", notes)
        self.assertIn("advanced power management) were stopped", notes)
        demerit, _ = model["validity"]["demerits"]
        self.assertLess(demerit["demerit_percent"], 4)
        self.assertGreater(demerit["folded_phase_share"], 0.9)
        (random, mixed) = self.platter_json("validate", "virtual:sat-disk?seed=4", "model.json", "-o",
                                            "validation", "--requests", "1000")["comparisons"]
        self.assertGreater(random["all"]["folded_phase_share"], 0.9)
        self.assertEqual(mixed["all"]["n"], 1000)
        self.assertFalse([name for name in self.files() if name.endswith(".journal")])

    def test_ata_drive_whose_cache_only_verify_passes_by(self):
        """As behind a bridge without queued commands: no FUA. The same stages, the same cache facts."""
        for name, options in (("with", "seed=3"), ("without", "seed=3&fua=no&ncq=no")):
            self.platter("characterize", f"virtual:sat-disk?seed=1&{options}", "-o", f"{name}.json")
        with_fua, without = self.read_json("with.json"), self.read_json("without.json")
        self.assertTrue(without["provenance"]["complete"])
        self.assertIn("what was timed on the media are VERIFY commands", " ".join(without["provenance"]["notes"]))
        for fact in ("segments", "segment_blocks", "read_ahead", "read_ahead_max_blocks", "replacement",
                     "read_ahead_on_hit", "zero_latency_read", "read_free_blocks"):
            self.assertEqual(with_fua["cache"][fact]["value"], without["cache"][fact]["value"], fact)
        self.assertLess(without["validity"]["demerits"][0]["demerit_percent"], 4)
        with open(self.path("without.samples.jsonl"), encoding="utf-8") as lines:
            self.assertTrue(any(json.loads(line).get("timing", {}).get("verify") for line in lines))
        self.platter("estimate", "without.samples.jsonl", "-o", "again.json")
        self.assertEqual(self.read_json("again.json"), without)

    def test_a_cache_that_nothing_passes_by(self):
        """The alien knows no VERIFY: every block is read once, and the map's angles are right all the same."""
        drive = program_drive(os.path.join(ALIEN, "alien.py"), "--variant", "moderate", "--seed", 6, "--set",
                              "scsi.ata=true", "--set", "scsi.cache_page=false", "--without", "fua")
        self.platter("characterize", drive, "-o", "model.json")
        model = self.read_json("model.json")
        self.assertIn("READ with FUA is refused, VERIFY is refused", " ".join(model["provenance"]["notes"]))
        # What the drive does on its own, its recalibrations, is in the demerit.
        self.assertLess(model["validity"]["demerits"][0]["demerit_percent"], 6)
        self.assertGreater(model["validity"]["demerits"][0]["folded_phase_share"], 0.97)
        read, samples = set(), []
        with open(self.path("model.samples.jsonl"), encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                samples += [line["timing"]] if "timing" in line else []
                del samples[line.get("disturbed", {"from": len(samples)})["from"]:]  # before the way was known
        for sample in samples:
            if sample["blocks"] == 1 and sample["experiment"] not in ("hit", "other"):
                self.assertNotIn(sample["lbn"], read)
                read.add(sample["lbn"])
        self.assertGreater(len(read), 500)

    def test_a_drive_without_a_map(self):
        """What needs no map is there, and the status says that the rest is not."""
        shares = []  # of the drive time that was announced: how long the alien's wobble lasts is chance
        for drive in ("virtual:cache-base?page40h=no&seed=3",
                      *(program_drive(os.path.join(ALIEN, "alien.py"), "--variant", "moderate", "--seed", seed,
                                      "--without", "page40h") for seed in (3, 4, 5))):
            done = self.run_platter("characterize", drive, "-o", "model.json", "--force", "--no-map")
            self.assertEqual(done.returncode, INCOMPLETE, done.stderr)
            self.assertIn("is incomplete: the layout is not known", done.stderr)
            model = self.read_json("model.json")
            self.assertEqual([stage["name"] for stage in model["provenance"]["stages"]],
                             ["warm-up", "rotation", "layout", "cache", "queue", "rotation"])
            for name in ("read_enabled", "segments", "replacement"):
                self.assertIsNotNone(model["cache"][name]["value"])
                self.assertTrue(model["cache"][name]["method"])
            self.assertGreater(model["overheads"]["read_hit_after_read"]["error"], 0)
            self.assertGreater(model["bus"]["block_transfer"]["value"], 0)
            self.assertGreater(model["queue"]["depth"].get("value") or model["queue"]["depth"]["at_least"], 1)
            self.assertIn("map, which is not known", model["cache"]["zero_latency_read"]["reason"])
            expected = [note for note in model["provenance"]["notes"] if note.startswith("expected drive time")]
            seconds = float(expected[0].split()[-2])
            shares.append(seconds / model["provenance"]["drive_seconds"])
        self.assertAlmostEqual(shares[0], 1, delta=0.4)
        self.assertAlmostEqual(statistics.median(shares[1:]), 1, delta=0.4)

    def test_a_request_that_is_too_long(self):
        self.platter("trace", "generate", "--workload", "random", "--blocks", "1000000", "--block-bytes",
                     "512", "--reads-only", "--requests", "50", "--request-kb", "256", "-o", "long.trace")
        self.fails(BAD_INPUT, ["of 512 blocks", "256 in one command"], "replay", "long.trace", "--on",
                   "virtual:sat-disk", "-o", "result")

    def test_blocks_that_are_not_on_the_media(self):
        for level, words in (("SPC-3", ["30.0 %", "GET LBA STATUS"]), ("SPC", ["reads of random blocks at once"])):
            model = self.changed("hp-c2247", scsi_level=level)
            blocks = model["identity"]["blocks"]
            ranges = [(blocks // 10, blocks // 4 - 1), (blocks // 2, blocks // 2 + blocks * 15 // 100 - 1)]
            model["firmware"]["unwritten"] = [{"first": first, "last": last} for first, last in ranges]
            self.write("drive.json", json.dumps(model))
            self.fails(UNSUPPORTED, words + ["cannot be characterized as it is"], "characterize",
                       "virtual:drive.json", "-o", "model.json")

    # holds: safety.md: A drive that says that it does not rotate
    def test_a_drive_that_does_not_rotate(self):
        self.changed("hp-c2247", scsi_level="SPC-3")
        drive = served_drive("drive.json", "--solid-state", "--log", self.write("opcodes", ""))
        self.fails(UNSUPPORTED, ["does not rotate (VPD page B1h)", "solid-state"], "characterize", drive,
                   "-o", "model.json")
        with open(self.path("opcodes"), encoding="ascii") as file:
            sent = set(file.read().split())
        self.assertIn("12", sent)
        # No READ, WRITE, SEEK, VERIFY, SYNCHRONIZE CACHE, MODE SELECT.
        self.assertFalse(sent & set("08 0a 0b 15 28 2a 2b 2f 35 55 88 8a 8f 91".split()), sent)
        self.assertEqual(self.files(), ["drive.json", "hp-c2247.json", "opcodes"])
        self.assertIn("does not rotate", self.platter("inspect", drive))
        self.platter("trace", "generate", "--workload", "random", "--for", "drive.json", "--reads-only",
                     "--requests", "50", "-o", "random.trace")
        self.platter("replay", "random.trace", "--on", drive, "-o", "result.csv")
        self.platter("validate", drive, "drive.json", "-o", "validation", "--requests", "50")

    def test_long_reads_through_a_program(self):
        """Blocks of 4096 bytes, and a limit of the drive's that no message of the protocol holds."""
        model = self.changed("cache-large", scsi_level="SPC-3", most_transfer_blocks=4096)
        model["identity"]["block_bytes"] = model["identity"]["physical_block_bytes"] = 4096
        model["cache"]["segment_blocks"]["value"] = 8192
        model["cache"]["segments"]["value"] = 2
        self.write("drive.json", json.dumps(model))
        self.platter("characterize", served_drive("drive.json"), "-o", "model.json")
        self.assertEqual(self.read_json("model.json")["identity"]["block_bytes"], 4096)

    def test_a_time_below_zero(self):
        """The heads of this drive switch in no time, which comes out as a little less than that."""
        model = self.changed("cache-base")
        model["head_switch"]["value"] = 0.0
        self.write("drive.json", json.dumps(model))
        for seed in range(1, 13):  # half of all are a little more
            self.platter("characterize", f"virtual:drive.json?seed={seed}", "-o", "model.json", "--force")
            model = self.read_json("model.json")
            if model["head_switch"]["value"] is None:
                break
        self.assertIsNone(model["head_switch"]["value"])
        self.assertRegex(model["head_switch"]["reason"], r"^measured as -0\.00\d+ \+- [\d.]+ ms, below zero: ")
        self.assertIn(("impossible-value", ["head_switch"], "head_switch was " + model["head_switch"]["reason"]),
                      [(found["code"], found["touches"], found["text"]) for found in model["provenance"]["findings"]])
        self.platter("trace", "generate", "--workload", "random", "--for", "model.json", "--requests", "50",
                     "-o", "random.trace")
        self.platter("replay", "random.trace", "--on", "model.json", "-o", "result.csv")

    def test_places_in_bytes_from_the_index(self):
        capabilities = self.platter_json("inspect", "virtual:few-formats")["capabilities"]
        self.assertIn("bytes_from_index", capabilities["last_block"])
        self.assertNotIn("sector", capabilities["last_block"])
        self.assertIn("bytes from the index", self.platter("inspect", "virtual:few-formats"))
        self.assertIn("sector", self.platter_json("inspect", "virtual:hp-c2247")["capabilities"]["last_block"])

    def test_numbers_that_cannot_be(self):
        for seed in ("18446744073709551616", "99999999999999999999999", "-1", "1.5", ""):
            self.fails(USAGE, "--seed", "characterize", "virtual:hp-c2247?seed=1", "-o", "model.json",
                       f"--seed={seed}")
            self.fails(USAGE, "--delay-seed", "replay", "t.trace", "--on", "m.json", "-o", "r.csv",
                       f"--delay-seed={seed}")
        self.fails(USAGE, "--seed", "trace", "generate", "--workload", "random", "--blocks", "9999", "-o",
                   "t", "--seed", "18446744073709551616")
        for share in (1.0, 2, -0.1):
            model = self.changed("hp-c2247")
            model["imperfections"] = {"busy_share": share}
            self.write("drive.json", json.dumps(model))
            self.fails(BAD_INPUT, "busy_share", "characterize", "virtual:drive.json", "-o", "model.json")


if __name__ == "__main__":
    unittest.main()
