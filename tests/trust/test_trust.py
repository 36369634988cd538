"""The attacker on trial: a loss that nobody mends is called silent; then some runs of each campaign."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../bench/trust"))

import campaign  # noqa: E402
import verdict  # noqa: E402
from drives import Folder, Programs, failures_of, recover_and_judge  # noqa: E402

PLATTER, DRIVE = os.environ.get("PLATTER_BINARY", ""), os.environ.get("TRUST_DRIVE", "")
RANGES = [(1003, 10001)]


class Named(unittest.TestCase):
    def test_what_a_sentence_names(self):
        for text, named in [("LBN 5 is lost", [(5, 5)]), ("of LBN 5 to 9 with", [(5, 9)]),
                            ("LBNs 5, 7-9 and 12 hold", [(5, 5), (7, 9), (12, 12)]),
                            ("LBN 1-2, 4-5, and 9", [(1, 2), (4, 5), (9, 9)]),
                            ("LBNs 1, 2-4, 7 and 120 more (in the journal)", [(1, 1), (2, 4), (7, 7)]),
                            ("8 blocks at 9", []), ("LBN of 8", [])]:
            self.assertEqual(verdict.named_lbns(text), named, text)

    def test_all_must_be_named_and_the_journal_kept(self):
        self.assertEqual(verdict.judge([], False, [], []), "intact")
        self.assertEqual(verdict.judge([5], False, ["LBN 5"], ["journal"]), "named")
        self.assertEqual(verdict.judge([5], False, ["LBN 5"], []), "silent")
        self.assertEqual(verdict.judge([5, 6], False, ["LBN 5"], ["journal"]), "silent")
        self.assertEqual(verdict.judge([], True, ["LBN 5"], ["journal"]), "silent")
        self.assertEqual(verdict.judge([], True, ["its settings"], ["journal"]), "named")

    def test_statuses_that_no_run_may_end_with(self):
        self.assertTrue(verdict.bad_status(1) and verdict.bad_status(-11))
        self.assertFalse(verdict.bad_status(0) or verdict.bad_status(8))


@unittest.skipUnless(PLATTER and DRIVE, "PLATTER_BINARY and TRUST_DRIVE name no programs")
class Planted(unittest.TestCase):
    def folder(self, *build, ranges=RANGES):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        return Folder(Programs(PLATTER, DRIVE), holder.name, ["--seed", "3", *build], ranges)

    def test_a_run_that_nothing_disturbs_is_intact(self):
        folder = self.folder()
        self.assertEqual(folder.job("replay-8-default"), 0)
        finding = recover_and_judge(folder)
        self.assertEqual((finding["verdict"], failures_of(finding)), ("intact", []))

    # holds: safety.md: A range of `--allow-writes`
    def test_characterize_cuts_no_physical_block(self):
        for lowest in (0, 1, 7):
            folder = self.folder("--drive", "small-512e", "--lowest-aligned", str(lowest))
            self.assertEqual(folder.job("characterize"), 0)
            self.assertEqual(verdict.cut(folder.log, 8, lowest), [])
            self.assertTrue(verdict.written_outside(folder.log, []))  # there were writes
            self.assertTrue(verdict.cut(folder.log, 8, (lowest + 1) % 8))
            with open(os.path.join(folder.path, "drive.json"), encoding="utf-8") as file:
                self.assertIn("those that lie in them as a whole were used", file.read())

    # holds: safety.md: Blocks of [`--skip`]
    def test_nothing_reaches_blocks_that_are_skipped(self):
        gone = [f"vanish:at=1,of=media,lbn={lbn}" for lbn in (0, 99, 5000, 5050, 5100, 7777)]
        skip = ["--skip", "0-99,5000-5100", "--skip", "7777"]
        for writes in ([], ["--allow-writes", "1003-10001"]):
            for options, statuses in ((skip, (0,)), (["--skip", "0-98"], (7, 8))):
                folder = self.folder()
                self.assertIn(folder.platter("characterize", folder.exec_name(gone), *writes, *options,
                                             "-o", "drive.json"), statuses, folder.texts)

    # holds: safety.md: What differs or cannot be read is put
    def test_of_a_drive_that_vanishes_all_is_said_once(self):
        folder = self.folder()
        self.assertEqual(folder.job("characterize", ["vanish:at=300,of=write"]), 8)
        said = folder.texts[-1]
        self.assertRegex(said, r"what was written, LBNs (\S+, ){4}\S+ and \d+ more \(in the journal\), could not be read")
        for once in ("what was written", "ended its reply", "platter restore", "in the journal:", "could not be put"):
            self.assertEqual(said.count(once), 1, said)
        self.assertEqual(recover_and_judge(folder)["verdict"], "intact")

    def test_a_block_that_the_drive_loses_is_a_silent_loss(self):
        for torn in ("unreadable", "garbage"):
            folder = self.folder("--torn", torn)
            folder.job("replay-1-default", ["lose-block:at=60,lbn=77"])
            finding = recover_and_judge(folder)
            self.assertEqual((finding["verdict"], finding["differ"]), ("silent", [77]))
            self.assertEqual(failures_of(finding), ["silent"])

    # holds: safety.md: Settings are in the journal before
    def test_timers_of_a_run_that_was_killed_are_put_back(self):
        whole = self.folder("--drive", "small-power")
        self.assertEqual(whole.platter("characterize", whole.exec_name(), "--power", "-o", "drive.json"), 0, whole.texts)
        with open(whole.log, encoding="utf-8") as file:
            selects = [event["data"] for event in map(json.loads, file) if event["event"] == "select"]
        self.assertEqual(whole.check("host")["settings"], [])
        timers = [n for n, data in enumerate(selects, 1) if bytes.fromhex(data)[4] & 0x3f == 0x1a]
        self.assertGreaterEqual(len(timers), 7)  # off, each condition, off again, as they were
        for at in timers[1:6:2]:
            folder = self.folder("--drive", "small-power")
            self.assertEqual(folder.platter("characterize", folder.exec_name([f"kill-host-after:at={at},of=select"]),
                                            "--power", "-o", "drive.json"), -9, folder.texts)
            self.assertIn(0x1a, folder.check("host")["settings"])
            self.assertEqual(folder.platter("restore", *folder.journals(), "--device", folder.exec_name(), "--yes"), 0,
                             folder.texts)
            self.assertEqual(folder.check("host")["settings"], [])

    def test_a_setting_that_is_another_is_a_silent_loss(self):
        folder = self.folder()
        folder.job("replay-1-default")
        with open(folder.store, encoding="utf-8") as file:
            state = json.load(file)
        page = bytearray.fromhex(state["current"]["8"])
        page[2] ^= 0x04
        state["current"]["8"] = page.hex()
        with open(folder.store, "w", encoding="utf-8") as file:
            json.dump(state, file)
        self.assertEqual(recover_and_judge(folder)["verdict"], "silent")

    def test_a_journal_that_is_taken_away_shows(self):
        folder = self.folder()
        folder.job("replay-1-off", ["power-loss:at=100,of=write"])
        self.assertTrue(folder.check("media")["differ"])
        for journal in folder.journals():
            os.unlink(journal)
        self.assertEqual(recover_and_judge(folder)["verdict"], "silent")

    def test_writes_outside_of_what_is_allowed_show(self):
        folder = self.folder()
        folder.job("replay-1-default")
        self.assertEqual(verdict.written_outside(folder.log, RANGES), [])
        folder.ranges = [(1003, 5000)]
        finding = recover_and_judge(folder)
        self.assertTrue(finding["outside"])
        self.assertEqual(failures_of(finding), ["written outside"])


@unittest.skipUnless(PLATTER and DRIVE, "PLATTER_BINARY and TRUST_DRIVE name no programs")
class Campaigns(unittest.TestCase):
    def campaign(self, kind, runs, first=0):
        said = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(said):
            state = os.path.join(folder, "state.jsonl")
            arguments = [kind, "--runs", str(runs), "--first", str(first), "--jobs", "2", "--continue", state,
                         "--binary", PLATTER, "--drive-program", DRIVE]
            failed = campaign.main(arguments)
            with open(state, encoding="utf-8") as file:
                self.assertEqual(len(file.readlines()), runs)
            self.assertEqual(campaign.main(arguments), failed)  # those that are there are not run again
            with open(state, encoding="utf-8") as file:
                self.assertEqual(len(file.readlines()), runs)
        self.assertEqual(failed, 0, said.getvalue())

    # holds: safety.md: What differs or cannot be read is put
    # holds: safety.md: Writes in flight
    def test_power(self):
        self.campaign("power", 7)

    # holds: safety.md: Settings are in the journal
    def test_kill(self):
        self.campaign("kill", 6)

    # holds: safety.md: What differs or cannot be read is put
    def test_failed_write(self):
        self.campaign("failed-write", 7, 4)

    def test_late_fault(self):
        self.campaign("late-fault", 2)


if __name__ == "__main__":
    unittest.main()
