"""What a run does to a drive, seen from the drive: which commands it sends, which settings and
sectors it leaves behind, also when it is stopped in the middle."""

import fcntl
import json
import os
import signal
import subprocess
import unittest

from harness import (BAD_INPUT, DRIVE_ERROR, INTERRUPTED, OK, PlatterTest, REFUSED, SOME_FAILED, USAGE, checked,
                     recorded_alien, unchecked)
from judge import between, mean_absolute, mean_seek, read_layout
from recorded_drive import MODE_SELECTS, PASS_THROUGHS, WRITES
import compare_layout

# READ, WRITE, SEEK, SYNCHRONIZE CACHE, and what asks the drive about itself.
READ_ONLY = {0x00, 0x03, 0x08, 0x12, 0x1A, 0x1C, 0x1D, 0x25, 0x28, 0x2B, 0x35, 0x37, 0x5A, 0x88,
             0x9E, 0xA0, 0xB7} | set(PASS_THROUGHS)  # of these what ATA_COMMANDS has
LAYOUT = dict(missing=0, invented=0, size_wrong=0, place_wrong=0,
              angle_max_rev=1 / 200, angle_rms_rev=0.001)
RANGES = ((40_000, 60_000), (3_000_000, 3_050_000))
# IDENTIFY DEVICE by PIO data-in; CHECK POWER MODE; SET FEATURES of write cache, look-ahead, power level.
ATA_COMMANDS = {(0xEC, 4, 0), (0xE5, 3, 0)} | {(0xEF, 3, f) for f in (0x02, 0x82, 0xAA, 0x55, 0x05, 0x85)}
CACHES_OFF = {"read": False, "write": False, "read_ahead": False}
# One of them, which no model foretells, is most of a short trace's demerit, and by chance in it or not.
WITHOUT_RECALIBRATION = ("--set", "recalibration.seconds=0")
AS_IT_WAS = {"read": True, "write": True, "read_ahead": True}


class RecordedTest(PlatterTest):
    def drive(self, *arguments):
        return recorded_alien("--variant", "serpentine", "--record", self.path("record"),
                              "--state", self.path("kept"), *arguments)

    def record(self):
        with open(self.path("record"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def kept(self):
        return self.read_json("kept")

    def check_commands(self, allowed, ranges=()):
        """The commands of one run, after the checks that hold for every run."""
        record = self.record()
        self.assertLessEqual({int(line["cdb"][:2], 16) for line in record}, allowed)
        for line in record:
            cdb = bytes.fromhex(line["cdb"])
            if cdb[0] in MODE_SELECTS:
                self.assertEqual(cdb[1], 0x10, "PF = 1, SP = 0")
            if cdb[0] in PASS_THROUGHS:
                self.assertIn(self.ata_command(cdb), ATA_COMMANDS)
            if cdb[0] == 0x1D:  # SEND DIAGNOSTIC: translations, never a self-test
                self.assertEqual(cdb[1], 0x10)
            if cdb[0] in WRITES:
                self.assertTrue(line["same"], "a write changes nothing")
                last = line["lbn"] + line["blocks"] - 1
                self.assertTrue(any(low <= line["lbn"] and last <= high for low, high in ranges))
        return record

    @staticmethod
    def ata_command(cdb):
        """Command, protocol, and of SET FEATURES its subcommand."""
        command, feature = (cdb[14], cdb[4]) if cdb[0] == 0x85 else (cdb[9], cdb[3])
        return command, cdb[1] >> 1, feature

    def journals(self):
        return [name for name in self.files() if name.endswith(".journal")]


class RecordedRuns(RecordedTest):
    # holds: safety.md: No command leaves but
    # holds: safety.md: Without `--allow-writes`
    # holds: safety.md: Settings are in the journal
    def test_reads_only(self):
        self.platter("characterize", self.drive("--variant", "bands"), "-o", "model.json")
        record = self.check_commands(READ_ONLY | set(MODE_SELECTS))
        self.assertIn(CACHES_OFF, [line["cache"] for line in record])
        self.assertEqual(record[-1]["cache"], AS_IT_WAS)
        self.assertEqual(self.kept()["blocks"], {})
        # Behind the last measurement the drive is only asked whether it is still the same.
        # Of those that were sent at once the drive executes as many as it takes.
        provenance = self.read_json("model.json")["provenance"]
        at_once = sum(stage["commands"] for stage in provenance["stages"] if stage["name"] == "queue")
        self.assertIn(len(record) - provenance["commands"], range(-at_once, 10))
        self.assertFalse(self.journals())

    # holds: safety.md: What is written is what was read
    # holds: safety.md: Settings are in the journal
    def test_writes_stay_in_their_ranges_and_change_nothing(self):
        fill = [word for first, last in RANGES for word in ("--fill", f"{first}-{last}")]
        writes = [word for first, last in RANGES
                  for word in ("--allow-writes", f"{first}-{last}")]
        drive = self.drive("--truth", self.path("truth"), "--seed", "4", *WITHOUT_RECALIBRATION, *fill)
        self.platter("characterize", drive, "-o", "model.json", *writes)
        record = self.check_commands(READ_ONLY | set(MODE_SELECTS) | set(WRITES), RANGES)
        written = sum(line["blocks"] for line in record if "lbn" in line)
        provenance = self.read_json("model.json")["provenance"]
        self.assertEqual(provenance["bytes_written"], 512 * written)
        self.assertGreater(written, 1000)
        self.assertEqual(record[-1]["cache"], AS_IT_WAS)
        self.assertFalse(self.journals())
        self.check_model_of_an_alien()
        self.check_validation(drive, writes)

    def check_model_of_an_alien(self):
        model, truth = self.read_json("model.json"), self.read_json("truth")
        self.assertLess(abs(model["rotation"]["period"]["value"] / truth["period_ns"] - 1), 2e-6)
        ours = read_layout(self.platter("layout", "model.json", "--all-tracks").splitlines())
        self.assertEqual(compare_layout.beyond(compare_layout.compare(truth, ours), LAYOUT), [])
        curve = [(p["cylinders"], p["mean_ms"]) for p in truth["seek"]]
        seeks = [time - between(curve, distance) for distance, time in mean_seek(model)
                 if between(curve, distance)]
        self.assertLess(mean_absolute(seeks), 0.04)
        self.assertAlmostEqual(model["head_switch"]["value"], truth["head_switch_neighbours_mean_ms"],
                               delta=0.06)
        self.assertAlmostEqual(model["write_settle"]["value"], truth["write_settle_mean_ms"],
                               delta=0.1)
        cache = model["cache"]
        self.assertEqual(cache["segment_blocks"]["value"], truth["cache"]["segment_blocks"])
        # Replaced at random, segments can only be counted by the share of reads that survive.
        self.assertLess(cache["segments"]["error"], truth["cache"]["segments"] / 2)
        self.assertLess(abs(cache["segments"]["value"] - truth["cache"]["segments"]),
                        3 * cache["segments"]["error"])

    def check_validation(self, drive, writes):
        comparisons = self.platter_json("validate", drive, "model.json", "-o", "validation",
                                        "--requests", "2000", *writes)["comparisons"]
        self.check_commands(READ_ONLY | set(MODE_SELECTS) | set(WRITES), RANGES)
        self.assertEqual(self.record()[-1]["cache"], AS_IT_WAS)
        for comparison, percent in zip(comparisons, (3, 6)):
            self.assertGreater(comparison["write"]["n"], 500)
            self.assertLess(comparison["all"]["demerit_percent"], percent)
            self.assertGreaterEqual(comparison["read"]["folded_phase_share"], 0.9)

    def test_a_page_that_may_not_change_is_left_alone(self):
        drive = self.drive("--set", "scsi.cache_page=false", *WITHOUT_RECALIBRATION)
        self.platter("characterize", drive, "-o", "model.json")
        model = self.read_json("model.json")
        self.assertIn("reads were sent with FUA", " ".join(model["provenance"]["notes"]))
        self.assertLess(model["validity"]["demerits"][0]["demerit_percent"], 3)
        self.check_commands(READ_ONLY | set(MODE_SELECTS))
        self.assertEqual(self.kept()["cache"], AS_IT_WAS)


class Interrupted(RecordedTest):
    """Early (rotation), in the middle (angles, seeks) and late; the settings always come back."""

    def interrupt(self, name, at, *options):
        drive = self.drive("--signal", f"{name}@{at}", *options)
        return subprocess.run([os.environ["PLATTER_BINARY"], "characterize", drive, "-o",
                               "model.json", *self.writes], cwd=self.folder, text=True,
                              capture_output=True, timeout=600, check=False,
                              env=self.environment, start_new_session=True)

    writes = ()

    # holds: safety.md: Settings are in the journal
    # holds: exit-statuses.md: What sends commands to a drive
    def test_settings_are_restored(self):
        for name, at in (("INT", 350), ("TERM", 1500), ("HUP", 5000), ("+INT", 4000)):
            with self.subTest(name):
                self.new_folder()
                self.assert_one_sentence(self.interrupt(name, at), INTERRUPTED)
                record = self.check_commands(READ_ONLY | set(MODE_SELECTS))
                self.assertIn(CACHES_OFF, [line["cache"] for line in record])
                self.assertLess(len(record), at + 20)
                self.assertEqual(self.kept()["cache"], AS_IT_WAS)
                # From the rotation on there is something to go on with.
                running = ["model.running.samples.jsonl"] if at > 1000 else []
                self.assertEqual(self.files(), ["kept", *running, "record"])

    # holds: safety.md: Settings are in the journal
    def test_while_the_settings_come_back_at_the_end(self):
        # The first run finds a drive that keeps nothing yet; those after it are alike.
        self.platter("characterize", self.drive(), "-o", "first.json")
        self.platter("characterize", self.drive(), "-o", "whole.json")
        last = max(number for number, line in enumerate(self.record(), 1)
                   if int(line["cdb"][:2], 16) in MODE_SELECTS)
        done = self.interrupt("INT", last)
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(self.kept()["cache"], AS_IT_WAS)
        self.assertEqual(self.journals(), [])
        self.assertEqual(len(self.read_json("model.json")["layout"]["zones"]),
                         len(self.read_json("whole.json")["layout"]["zones"]))

    # holds: exit-statuses.md: What sends commands
    # holds: safety.md: Settings are in the journal
    def test_a_replay(self):
        self.write("t.trace", "".join(f"{i} 0 {100 * i} 8 1\n" for i in range(500)))
        done = self.run_platter("replay", "t.trace", "--caches", "off", "-o", "result", "--on",
                                self.drive("--signal", "TERM@200"), start_new_session=True)
        self.assertEqual(done.returncode, INTERRUPTED, done.stderr)
        self.assertIn(CACHES_OFF, [line["cache"] for line in self.record()])
        self.assertLess(len(self.record()), 250)
        self.assertEqual(self.kept()["cache"], AS_IT_WAS)
        self.assertEqual(self.files(), ["kept", "record", "t.trace"])

    # holds: exit-statuses.md: A second signal
    def test_a_second_signal_ends_at_once_and_leaves_the_journal(self):
        done = self.interrupt("INT,TERM", 1500)
        self.assertEqual(done.returncode, INTERRUPTED)
        self.assertIn("stopped by a second signal", done.stderr)
        self.assertEqual(self.kept()["cache"], CACHES_OFF)
        (journal,) = self.journals()
        self.platter("restore", journal, "--device", self.drive())
        self.assertEqual(self.kept()["cache"], AS_IT_WAS)

    # holds: safety.md: What is written is what was read
    # holds: safety.md: An error or a signal after the layout
    def test_while_writing(self):
        self.writes = ("--allow-writes", "40000-60000")
        self.assert_one_sentence(self.interrupt("INT", "w20", "--fill", "40000-60000"),
                                 INTERRUPTED)
        self.check_commands(READ_ONLY | set(MODE_SELECTS) | set(WRITES), [(40000, 60000)])
        self.assertEqual(self.kept()["cache"], AS_IT_WAS)
        self.assertEqual(self.files(), ["kept", "model.json", "model.samples.jsonl", "record"])
        model = self.read_json("model.json")
        self.assertFalse(model["provenance"]["complete"])
        self.assertIn("self-validation", [stage["name"] for stage in model["provenance"]["missing"]])
        for command in (("replay", "t.trace", "--on", "model.json", "-o", "r.csv"),
                        ("emit", "table", "model.json", "-o", "m.ptab"),
                        ("emit", "disksim", "model.json", "-o", "disksim"),
                        ("publish", "model.json", "--registry", "registry"),
                        ("inspect", "virtual:model.json")):
            self.write("t.trace", "0 0 5 1 1\n")
            self.fails(BAD_INPUT, ["model.json is an incomplete model", "cache"], *command)
        self.platter("show", "model.json")


class KilledAndRestored(RecordedTest):
    # holds: safety.md: Settings are in the journal
    # holds: safety.md: `platter restore` puts back
    # holds: safety.md: `platter restore` deletes
    # holds: safety.md: `platter restore` takes the drive
    def test_restore_brings_back_settings_and_torn_sectors(self):
        drive = self.drive("--fill", "40000-60000", "--signal", "KILL@w20")
        done = self.run_platter("characterize", drive, "-o", "model.json", "--allow-writes",
                                "40000-60000")
        self.assertEqual(done.returncode, -signal.SIGKILL)
        written = [line["lbn"] for line in self.record() if "lbn" in line]
        self.assertTrue(written, "the kill must come after the first write")
        kept = self.kept()
        self.assertEqual(kept["cache"], CACHES_OFF)
        (journal,) = [name for name in self.files() if name.endswith(".journal")]
        self.assertNotIn("model.json", self.files())

        whole = dict(kept["blocks"])
        kept["blocks"][str(written[-1])] = "ee" * 512  # readable: somebody's newer data, not a tear
        self.write("kept", json.dumps(kept))
        stranger = recorded_alien("--variant", "bands")
        self.fails(REFUSED, "journal belongs to", "restore", journal, "--device", stranger)
        self.fails(DRIVE_ERROR, ["holds something else than the journal", f"LBN {written[-1]}"], "restore",
                   journal, "--device", self.drive())
        self.assertEqual(self.kept()["blocks"], kept["blocks"])
        self.assertIn(journal, self.files())
        report = self.platter_json("restore", journal, "--overwrite", "--device", self.drive())
        self.assertEqual((report["rewritten"], report["settings"]), (1, True))
        self.assertEqual(self.kept(), {**kept, "cache": AS_IT_WAS, "blocks": whole})
        self.assertNotIn(journal, self.files())

    # holds: safety.md: Settings are in the journal
    def test_settings_are_in_the_journal_before_the_first_is_changed(self):
        self.write("t.trace", "".join(f"{i} 0 {100 * i} 8 1\n" for i in range(20)))
        replay = ("replay", "t.trace", "--caches", "off", "-o", "result", "--on")
        self.platter(*replay, self.drive())
        first = next(number for number, line in enumerate(self.record(), 1)
                     if int(line["cdb"][:2], 16) in MODE_SELECTS)
        done = self.run_platter(*replay, self.drive("--signal", f"KILL@{first}"))
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.assertNotEqual(self.kept()["cache"], AS_IT_WAS)
        (journal,) = self.journals()
        self.platter("restore", journal, "--device", self.drive())
        self.assertEqual(self.kept()["cache"], AS_IT_WAS)

    # holds: safety.md: `platter restore` opens no
    def test_a_journal_alone_opens_nothing_but_a_device(self):
        self.run_platter("characterize", self.drive("--signal", "KILL@1500"), "-o", "model.json")
        (journal,) = self.journals()
        with open(self.path(journal), encoding="utf-8") as file:
            head, *_ = unchecked(file.read())
        for device in (self.drive("--record", self.path("started")), self.path("kept"), "kept",
                       "/dev/.." + self.path("kept"), "virtual:hp-c2247"):
            self.write("other.journal", checked({**head, "device": device}, {**head, "device": device}))
            self.fails(REFUSED, ["names no device in /dev", "--device"], "restore", "other.journal")
        self.assertNotIn("started", self.files())
        self.assertEqual(self.kept()["cache"], CACHES_OFF)

    def test_of_several_journals_one_that_fails_stops_no_other(self):
        self.run_platter("characterize", self.drive("--signal", "KILL@1500"), "-o", "model.json")
        (journal,) = self.journals()
        self.run_platter("characterize", recorded_alien("--variant", "bands", "--signal", "KILL@1500"), "-o", "b.json")
        (strangers,) = [name for name in self.journals() if name != journal]
        restore = ("restore", "none.journal", strangers, journal, "--device", self.drive())
        self.fails(USAGE, "--yes is of one journal", *restore, "--yes")
        self.assertEqual(self.kept()["cache"], CACHES_OFF)
        done = self.run_platter(*restore, "--json")
        self.assert_one_sentence(done, SOME_FAILED, "2 of 3 journals", "none.journal (status ", strangers)
        told = json.loads(done.stdout)
        self.assertEqual(told["not_done"], 2)
        self.assertEqual([one["journal"] for one in told["journals"]], ["none.journal", strangers, journal])
        self.assertEqual([one["status"] for one in told["journals"]], [BAD_INPUT, REFUSED, OK])
        self.assertIn("journal belongs to", told["journals"][1]["error"])
        self.assertEqual((told["journals"][2]["error"], told["journals"][2]["settings"]), (None, True))
        self.assertEqual(self.kept()["cache"], AS_IT_WAS)
        self.assertEqual(self.journals(), [strangers])
        text = self.platter(*restore[:3], *restore[4:], status=SOME_FAILED)
        self.assertRegex(text, r"\Anone.journal: status 6: .*\n.*: status 5: the journal belongs to .*\n\Z")

    # holds: safety.md: A new run is refused
    def test_no_run_takes_what_a_killed_one_left_for_the_drive_s_own_settings(self):
        self.run_platter("characterize", self.drive("--signal", "KILL@1500"), "-o", "model.json")
        self.assertEqual(self.kept()["cache"], CACHES_OFF)
        (journal,) = [self.path(name) for name in self.journals()]
        self.platter("trace", "generate", "--workload", "random", "-o", "t.trace", "--requests", "20",
                     "--blocks", "200000", "--reads-only")
        replay = ("replay", "t.trace", "--on", self.drive(), "-o", "result", "--caches", "off")
        words = [f"platter restore {journal}"]
        self.fails(REFUSED, words, "characterize", self.drive(), "-o", "other.json")
        self.fails(REFUSED, words, *replay)
        self.check_commands(READ_ONLY)
        with open(journal, encoding="utf-8") as held:  # as by a run that is not over
            fcntl.flock(held, fcntl.LOCK_EX)
            self.platter(*replay)
        self.platter("restore", journal, "--device", self.drive())
        os.mkfifo(journal)  # whoever opens it waits
        self.platter(*replay)
        self.assertEqual(self.kept()["cache"], AS_IT_WAS)


# holds: safety.md: Settings are in the journal
class NotTakenBack(RecordedTest):
    @staticmethod
    def turns_on(line):
        if int(line["cdb"][:2], 16) not in MODE_SELECTS:
            return False
        page = bytes.fromhex(line["data"])[4 if line["cdb"].startswith("15") else 8:]
        return page[0] & 0x3F == 0x08 and not page[2] & 0x01

    def test_the_model_is_not_lost_and_the_journal_is_named(self):
        # Of all the times that the read cache comes on, the last is at the end.
        self.platter("characterize", self.drive(), "-o", "whole.json")
        on = [line for line in self.record() if self.turns_on(line)]
        self.assertGreater(len(on), 2)
        done = self.run_platter("characterize", self.drive("--deny", len(on)), "-o", "model.json")
        (journal,) = [name for name in self.files() if name.endswith(".journal")]
        self.assertEqual(done.returncode, DRIVE_ERROR, done.stderr)
        self.assertIn(f"run platter restore {self.path(journal)}", done.stderr)
        self.assertIn("model.json is written", done.stderr)
        self.assertGreater(len(self.read_json("model.json")["seek"]["points"]), 10)
        self.assertEqual(self.kept()["cache"], CACHES_OFF)
        self.fails(DRIVE_ERROR, "is kept", "restore", journal, "--device", self.drive("--deny", "1"))
        report = self.platter_json("restore", journal, "--device", self.drive())
        self.assertTrue(report["settings"])
        self.assertEqual(self.kept()["cache"], AS_IT_WAS)
        self.assertNotIn(journal, self.files())

    def test_in_the_middle_of_the_run(self):
        done = self.run_platter("characterize", self.drive("--deny", "1"), "-o", "model.json")
        (journal,) = [name for name in self.files() if name.endswith(".journal")]
        self.assert_one_sentence(done, DRIVE_ERROR, f"run platter restore {self.path(journal)}")
        self.assertFalse(self.read_json("model.json")["provenance"]["complete"])


# holds: safety.md: Settings are in the journal
class AtaDrives(RecordedTest):
    """Behind a translation that takes no MODE SELECT of the caching page: SET FEATURES, and FUA."""

    allowed = READ_ONLY | set(MODE_SELECTS) | set(PASS_THROUGHS)
    # Reads from the cache cannot be switched off on an ATA drive.
    as_it_was = AS_IT_WAS | {"power_level": 0x80}
    off = {"read": True, "write": False, "read_ahead": False, "power_level": 0}

    def ata_drive(self, *arguments):
        return self.drive("--set", "scsi.ata=true", "--set", "scsi.cache_page=false", *arguments)

    def test_characterized_and_put_in_order(self):
        drive = self.ata_drive("--truth", self.path("truth"))
        self.platter("characterize", drive, "-o", "model.json")
        record = self.check_commands(self.allowed)
        self.assertIn(self.off, [line["cache"] for line in record])
        self.assertEqual(record[-1]["cache"], self.as_it_was)
        self.assertFalse(self.journals())
        model, truth = self.read_json("model.json"), self.read_json("truth")
        self.assertIn("SET FEATURES", " ".join(model["provenance"]["notes"]))
        self.assertLess(abs(model["rotation"]["period"]["value"] / truth["period_ns"] - 1), 2e-6)
        ours = read_layout(self.platter("layout", "model.json", "--all-tracks").splitlines())
        self.assertEqual(compare_layout.beyond(compare_layout.compare(truth, ours), LAYOUT), [])

    def test_killed_and_restored(self):
        done = self.run_platter("characterize", self.ata_drive("--signal", "KILL@2500"), "-o", "model.json")
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.assertEqual(self.kept()["cache"], self.off)
        (journal,) = [name for name in self.files() if name.endswith(".journal")]
        report = self.platter_json("restore", journal, "--device", self.ata_drive())
        self.assertTrue(report["settings"])
        self.check_commands(self.allowed)
        self.assertEqual(self.kept()["cache"], self.as_it_was)
        self.assertNotIn(journal, self.files())

    def test_interrupted(self):
        drive = self.ata_drive("--signal", "INT@1500")
        done = subprocess.run([os.environ["PLATTER_BINARY"], "characterize", drive, "-o", "model.json"],
                              cwd=self.folder, text=True, capture_output=True, timeout=600, check=False,
                              env=self.environment, start_new_session=True)
        self.assert_one_sentence(done, INTERRUPTED)
        self.assertEqual(self.kept()["cache"], self.as_it_was)
        self.assertEqual(self.files(), ["kept", "model.running.samples.jsonl", "record"])

    def test_replayed_with_caches_off(self):
        self.platter("trace", "generate", "--workload", "random", "-o", "t.trace", "--requests", "200",
                     "--blocks", "200000", "--block-bytes", "512", "--reads-only")
        self.platter("replay", "t.trace", "--on", self.ata_drive(), "-o", "result", "--caches", "off")
        record = self.check_commands(self.allowed)
        self.assertIn(self.off | {"power_level": 0x80}, [line["cache"] for line in record])
        self.assertEqual(record[-1]["cache"], self.as_it_was)


if __name__ == "__main__":
    unittest.main()
