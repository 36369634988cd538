"""What can be sent: docs/safety.md names it, and nothing in it destroys."""

import os
import re
import unittest

from harness import HERE, PlatterTest

SAFETY = os.path.normpath(os.path.join(HERE, "../../docs/safety.md"))
ROW = re.compile(r"^\| [^|]+ \| `[0-9A-F]{2}(?: [0-9A-F]{2})+` \| [^|]+ \| [^|]+ \|$")


def rows(text):
    return [line for line in text.splitlines() if ROW.match(line)]


class Commands(PlatterTest):
    # holds: safety.md: No command leaves but
    def test_the_document_names_each(self):
        table = self.platter("inspect", "--commands")
        told = rows(table)
        self.assertEqual(len(told), len(table.splitlines()) - 2)  # but for the head
        self.assertGreater(len(told), 25)
        names = {re.sub(r"\(\d+\)", "", row.split("|")[1].strip()) for row in told}
        names = {part for name in names for part in name.split(" of ")}
        with open(SAFETY, encoding="utf-8") as file:
            page = " ".join(file.read().partition("## Every command")[2].split())
        self.assertEqual([name for name in sorted(names) if name not in page], [])

    # holds: safety.md: No command leaves but
    def test_nothing_in_it_destroys(self):
        """By opcode (SPC-4, SBC-3): FORMAT UNIT, REASSIGN BLOCKS, START STOP UNIT, WRITE AND VERIFY, WRITE BUFFER,
        WRITE LONG, WRITE SAME, UNMAP, SANITIZE, EXTENDED COPY, COMPARE AND WRITE, XDWRITE, ORWRITE, WRITE ATOMIC."""
        destroying = {0x04, 0x07, 0x1B, 0x2E, 0x3B, 0x3F, 0x41, 0x42, 0x48, 0x50, 0x83, 0x89, 0x8E, 0x93, 0x9F,
                      0xAE, 0x8B, 0x9C}
        table = self.platter("inspect", "--commands")
        opcodes = {int(row.split("`")[1][:2], 16) for row in rows(table)}
        self.assertFalse(opcodes & destroying)
        writes = {int(row.split("`")[1][:2], 16) for row in rows(table) if row.split("|")[3] == " write "}
        self.assertEqual(writes, {0x0A, 0x2A, 0x8A})

    def test_of_what_virtual_drives_answer_only_verify_is_sent(self):
        """WRITE(12), READ(12), VERIFY(12), PRE-FETCH, SYNCHRONIZE CACHE(16), LOG SENSE, MAINTENANCE IN are not; and
        VERIFY(10) and (16) only without BYTCHK, as reads."""
        sent = {}
        for row in rows(self.platter("inspect", "--commands")):
            sent.setdefault(int(row.split("`")[1][:2], 16), []).append(row)
        self.assertFalse(sent.keys() & {0xAA, 0xA8, 0xAF, 0x34, 0x90, 0x91, 0x4D, 0xA3})
        for opcode in (0x2F, 0x8F):
            self.assertEqual(len(sent[opcode]), 1)
            self.assertEqual(int(sent[opcode][0].split("`")[1].split()[1], 16), 0)
            self.assertEqual(sent[opcode][0].split("|")[3], " read ")


if __name__ == "__main__":
    unittest.main()
