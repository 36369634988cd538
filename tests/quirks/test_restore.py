"""The journal of one disk, and another disk in its place: what cannot be told apart by name is told by its blocks, and
nothing is written where there is a doubt."""

import os
import unittest

from quirks import QuirkTest, WRITES, each, lbn_and_blocks, name_of, refuses, rule, serial
from test_identity import IGNORED

SAME = {number: [name_of("JMicron", "Generic"), serial(number)]
        for number in ("152D00539000", "000000000000", "0123456789AB", "AAAAAAAAAAAA", "DISK00000001")}
RANGE = "1003-10001"


# holds: safety.md: `platter restore` takes the drive
# holds: safety.md: `platter restore` reads and compares
class OtherDisk(QuirkTest):
    def journal_of_a(self, manners, vanishes_at=25):
        """Its path, and the LBNs that were written when the drive went."""
        trace = "".join(f"{i * 20} 0 {1003 + i * 397 % 8000} 8 {i % 4 // 3}\n" for i in range(80))
        gone = [rule(f"{code:02X}", after=vanishes_at, exit=True) for code in WRITES]
        drive = self.quirk(gone + manners, self.trust("--seed", "3", store="a"), "a")
        done = self.run_platter("replay", self.write("writes.trace", trace), "--on", drive, "--allow-writes", RANGE)
        self.assertIn(done.returncode, (7, 8), done.stderr)
        self.assertEqual(len(self.journals()), 1, done.stderr)
        written = [lbn_and_blocks(s.cdb) for s in self.sent("a") if s.cdb[0] in WRITES]
        self.forget("a")
        return self.journals()[0], written

    def disk_b(self, manners, unreadable=()):
        """Another one of the same kind, with other contents; some of its blocks cannot be read."""
        bad = [rule(code, lbn=[lbn, lbn], sense="03 11 00") for lbn in unreadable for code in ("28", "88", "2F", "8F")]
        return self.quirk(bad + manners, self.trust("--seed", "4", store="b"), "b")

    def refused(self, journal, device, *options, statuses=(5, 8)):
        before = open(journal, "rb").read()
        done = self.run_platter("restore", journal, "--device", device, *options)
        writes = [s for s in self.sent("b") if s.cdb[0] in WRITES] if os.path.exists(self.path("b.log")) else []
        self.assertEqual(writes, [], done.stderr)
        self.assertIn(done.returncode, statuses, done.stderr + done.stdout)
        self.assertTrue(os.path.exists(journal), done.stderr)
        with open(journal, "rb") as file:
            self.assertEqual(file.read(), before)
        return done

    @each(SAME)
    def test_one_unreadable_block(self, manners):
        journal, written = self.journal_of_a(manners)
        self.refused(journal, self.disk_b(manners, [written[0][0]]))

    @each(SAME, sample=2)
    def test_several_unreadable_blocks(self, manners):
        journal, written = self.journal_of_a(manners)
        self.refused(journal, self.disk_b(manners, [lbn + 3 for lbn, _ in written[::3]]))

    @each(SAME, sample=2)
    def test_all_can_be_read(self, manners):
        journal, _ = self.journal_of_a(manners)
        self.refused(journal, self.disk_b(manners))

    @each(SAME, sample=2)
    def test_said_to_be_the_drive(self, manners):
        """--yes speaks of the name; the blocks still are another drive's."""
        journal, written = self.journal_of_a(manners)
        self.refused(journal, self.disk_b(manners, [written[0][0]]), "--yes")

    @each(SAME, sample=1)
    def test_the_drive_itself_is_put_right(self, manners):
        journal, _ = self.journal_of_a(manners)
        again = self.quirk(manners, self.trust("--seed", "3", store="a"), "a")
        self.platter("restore", journal, "--device", again, "--yes")
        self.assertEqual(self.journals(), [])
        self.assertEqual(self.contents_that_differ("a")["differ"], [])

    @each({name: replies for name, replies in IGNORED.items() if name != "four bytes"}, sample=4)
    def test_without_serial_numbers_the_device_alone_is_not_enough(self, manners):
        journal, written = self.journal_of_a(manners)
        said = self.refused(journal, self.disk_b(manners, [written[0][0]]), statuses=(5,))
        self.assertIn("serial number", said.stderr)

    def test_nor_for_the_drive_itself(self):
        manners = refuses("12 01", sense="05 24 00")
        journal, _ = self.journal_of_a(manners)
        again = self.quirk(manners, self.trust("--seed", "3", store="a"), "b")
        self.refused(journal, again, statuses=(5,))
        self.platter("restore", journal, "--device", again, "--yes")
        self.assertEqual(self.contents_that_differ("a")["differ"], [])


if __name__ == "__main__":
    unittest.main()
