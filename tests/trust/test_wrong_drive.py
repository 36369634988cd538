"""Docks and bridges give all drives one serial number, or none: a journal on another drive than its own, and a drive
that takes the place of the first while a run ends. By the drive's own record nothing is written to it, and no setting
is changed; on its own drive the same journal puts right what there is to put right."""

import json
import os
import random
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../bench/trust"))

import verdict  # noqa: E402
from drives import Folder, Programs  # noqa: E402

PLATTER, DRIVE = os.environ.get("PLATTER_BINARY", ""), os.environ.get("TRUST_DRIVE", "")
REFUSED, DRIVE_ERROR, SOME_FAILED = 5, 8, 14
RANGES = [(1003, 1500)]
REWRITTEN = "hold something else"


def journaled(path):
    """{LBN: what the journal has of it}"""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    size, blocks = 2 * lines[0]["block_bytes"], {}
    for line in (line for line in lines if "lbn" in line):
        for number in range(len(line["bytes"]) // size):
            blocks[line["lbn"] + number] = line["bytes"][number * size:(number + 1) * size]
    return blocks


@unittest.skipUnless(PLATTER and DRIVE, "PLATTER_BINARY and TRUST_DRIVE name no programs")
class WrongDrive(unittest.TestCase):
    def drive(self, seed, *build):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        return Folder(Programs(PLATTER, DRIVE), holder.name, ["--seed", str(seed), *(build or ["--serial", "DOCK"])],
                      RANGES)

    def hold(self, drive, contents):
        """{LBN: its bytes, None where they cannot be read}, behind the back of everybody."""
        with open(drive.store, encoding="utf-8") as file:
            state = json.load(file)
        media = dict(state["contents"]["media"])
        media.update(contents)
        state["contents"] |= {"media": sorted(media.items()), "dirty": [], "clean": []}
        with open(drive.store, "w", encoding="utf-8") as file:
            json.dump(state, file)

    def cut_off(self, drive, job="replay-8-off", at=40):
        drive.job(job, [f"power-loss:at={at},of=write"])
        [journal] = drive.journals()
        return journal, journaled(journal)

    def changes(self, drive):
        return [event for event in verdict.events(drive.log) if event["event"] in ("write", "select")]

    def restore(self, drive, *journals_and_options):
        before = len(drive.texts)
        status = drive.platter("restore", *journals_and_options, "--device", drive.exec_name())
        return status, "".join(drive.texts[before:])

    def assert_untouched(self, drive, journal, *options, says=REWRITTEN):
        unreadable = drive.check("host")["unreadable"]
        changes = len(self.changes(drive))
        status, said = self.restore(drive, journal, *options)
        self.assertEqual(status, REFUSED, said)
        self.assertIn(says, said)
        self.assertIn("nothing was written, the journal is kept", said)
        self.assertTrue(os.path.exists(journal))
        self.assertEqual(len(self.changes(drive)), changes, "commands that write or set")
        self.assertEqual(drive.check("host")["unreadable"], unreadable)

    # holds: safety.md: `platter restore` reads and compares
    def test_on_another_drive_nothing_is_put_back(self):
        for build, options in ((["--serial", "DOCK"], []), (["--no-serial"], ["--yes"])):
            first, other = self.drive(1, *build), self.drive(2, *build)
            journal, blocks = self.cut_off(first)
            self.hold(other, {min(blocks): None})
            for more in ([], ["--overwrite"]):
                self.assert_untouched(other, journal, *options, *more,
                                      says=f"{len(blocks) - 1} of {len(blocks) - 1} journaled blocks")
            status, said = self.restore(first, journal, *options)
            self.assertEqual(status, 0, said)
            self.assertFalse(os.path.exists(journal))
            self.assertEqual(first.check("media")["differ"], [])

    def test_one_block_that_is_the_same_changes_nothing(self):
        first, other = self.drive(1), self.drive(2)
        journal, blocks = self.cut_off(first)
        same = sorted(blocks)[3]
        self.hold(other, {min(blocks): None, same: blocks[same]})
        self.assert_untouched(other, journal, says=f"{len(blocks) - 2} of {len(blocks) - 1} journaled blocks")

    def test_on_its_own_drive_what_is_torn_is_put_back(self):
        drive = self.drive(1)
        journal, blocks = self.cut_off(drive)
        self.hold(drive, {min(blocks): None, max(blocks): None})
        self.assertEqual(self.restore(drive, journal)[0], 0)
        self.assertEqual(drive.check("media")["differ"], [])

    # holds: safety.md: `platter restore` puts back
    def test_what_its_owner_has_changed_is_left_alone(self):
        drive, dice = self.drive(1), random.Random(1)
        journal, blocks = self.cut_off(drive)
        changed = dice.sample(sorted(blocks), 3 * len(blocks) // 10)
        torn = min(set(blocks) - set(changed))
        self.hold(drive, {lbn: dice.randbytes(len(blocks[lbn]) // 2).hex() for lbn in changed} | {torn: None})
        status, said = self.restore(drive, journal)
        self.assertEqual(status, DRIVE_ERROR, said)
        self.assertIn("they were left alone", said)
        self.assertEqual(drive.check("media")["differ"], sorted(changed))
        self.assertEqual(self.restore(drive, journal, "--overwrite")[0], 0)
        self.assertEqual(drive.check("media")["differ"], [])

    def test_a_tiny_journal_is_judged_as_strictly(self):
        for at in (1, 2, 3):
            first, other = self.drive(at), self.drive(at + 10)
            journal, blocks = self.cut_off(first, "characterize", at)
            self.assertLessEqual(len(blocks), 3 * 8)
            self.assert_untouched(other, journal, "--overwrite")
            if len(blocks) > 1:
                self.hold(other, {min(blocks): None})
                self.assert_untouched(other, journal)
            self.hold(first, {min(blocks): None})
            self.assertEqual(self.restore(first, journal)[0], 0)
            self.assertEqual(first.check("media")["differ"], [])

    def test_zeros_tell_nothing_where_they_are_the_same(self):
        zeros = {lbn: "00" * 512 for lbn in range(900, 1600)}
        first, empty, other = self.drive(1), self.drive(2), self.drive(3)
        self.hold(first, zeros)
        self.hold(empty, zeros)
        journal, blocks = self.cut_off(first)
        self.assertEqual(set(blocks.values()), {"00" * 512})
        self.assert_untouched(other, journal)  # it holds something there
        self.hold(empty, {min(blocks): None})
        self.assertEqual(self.restore(empty, journal)[0], 0)  # whose serial number says that it is the one
        self.assertEqual(empty.check("host")["unreadable"], [])

    def test_of_several_journals_each_is_judged_by_itself(self):
        first, other = self.drive(1), self.drive(2)
        [mine, _], [strangers, _] = self.cut_off(first), self.cut_off(other)
        status, said = self.restore(first, strangers, mine)
        self.assertEqual(status, SOME_FAILED, said)
        self.assertIn(f"1 of 2 journals are not done: {strangers} (status 5)", said)
        self.assertTrue(os.path.exists(strangers))
        self.assertFalse(os.path.exists(mine))
        self.assertEqual(first.check("media")["differ"], [])

    # holds: safety.md: The same at the end of a run
    def test_a_drive_that_takes_the_place_of_the_first_as_a_run_ends(self):
        drive = self.drive(1, "--no-serial")
        status = drive.job("replay-1-default", ["replaced:at=1,of=sync"])
        self.assertEqual(status, DRIVE_ERROR, drive.texts)
        self.assertIn("this is not the drive that was written to", drive.texts[-1])
        self.assertEqual(len(drive.journals()), 1)
        events = list(verdict.events(drive.log))
        swap = next(number for number, event in enumerate(events) if event["event"] == "fault")
        self.assertFalse([event for event in events[swap:] if event["event"] in ("write", "select")])
        self.assertEqual(drive.check("media")["other"], [])
        self.assertFalse(os.path.exists(os.path.join(drive.path, "drive.csv")))
        self.assertEqual(drive.restore(), [0])  # the first one is in its place again
        self.assertEqual(drive.check("media")["differ"], [])


if __name__ == "__main__":
    unittest.main()
