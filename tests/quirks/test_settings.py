"""A drive, or a write blocker before it, that takes no MODE SELECT: nothing was changed, so nothing is left behind."""

import unittest

from quirks import QuirkTest, SELECTS, each, rule

REFUSALS = {
    "write protected": {"sense": "07 27 00"},
    "hardware write protected": {"sense": "07 27 01"},
    "software write protected": {"sense": "07 27 02"},
    "aborted": {"sense": "0B 00 00"},
    "unknown opcode": {"sense": "05 20 00"},
    "access denied": {"sense": "05 20 02"},
    "invalid field in the CDB": {"sense": "05 24 00"},
    "invalid field in the list": {"sense": "05 26 00"},
    "list length": {"sense": "05 1A 00"},
    "saving not supported": {"sense": "05 39 00"},
    "hardware error": {"sense": "04 44 00"},
    "medium not present": {"sense": "02 3A 00"},
    "medium write protected, descriptors": {"sense": "07 27 00", "descriptor_sense": True},
    "no sense data": {"no_sense": True},
    "NO SENSE": {"raw_sense": "700000000000000a00000000000000000000"},
    "blank check": {"sense": "08 00 00"},
    "vendor specific": {"sense": "09 81 00"},
    "a new beginning each time": {"sense": "06 29 00"},
    "GOOD, and nothing done": {},
}
# In the changeable values of page 08h nothing: a drive that tells so before.
UNCHANGEABLE = [rule("1A ?? 48", poke={"6": "00" * 16}), rule("5A ?? 48", poke={"10": "00" * 16})]


class WriteBlockers(QuirkTest):
    @each(REFUSALS, sample=3)
    def test_nothing_is_done(self, refusal):
        drive = self.quirk([rule(f"{opcode:02X}", as_tur=True, **refusal) for opcode in SELECTS])
        self.inspect(drive)
        self.characterize(drive)
        self.assert_same(self.reference(UNCHANGEABLE))

    @each(REFUSALS, sample=1)
    def test_with_writes(self, refusal):
        """The blocker lets no write through either: what cannot be written is missing, with its reason."""
        drive = self.quirk([rule(f"{opcode:02X}", as_tur=True, **refusal) for opcode in (*SELECTS, 0x0A, 0x2A, 0x8A)])
        done = self.run_platter("characterize", drive, "--allow-writes", "1003-10001", "-o", "drive.json")
        self.assertIn(done.returncode, (0, 13, 5, 8, 9), done.stderr)
        self.assertEqual(self.journals(), [], done.stderr)
        self.assertNotIn("could not be put back", done.stderr)

    @each({name: REFUSALS[name] for name in ("write protected", "aborted", "invalid field in the list")}, sample=1)
    def test_it_is_done_all_the_same(self, refusal):
        """The drive behind took the page, and the bridge says that it did not."""
        drive = self.quirk([rule(f"{opcode:02X}", **refusal) for opcode in SELECTS])
        self.characterize(drive)
        self.assertEqual(self.journals(), [])


if __name__ == "__main__":
    unittest.main()
