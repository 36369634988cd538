"""An optional command that a drive does not do, however it says so, is one that the drive lacks. The whole matrix is
quirk_matrix; here are a few of its cells, as users meet them, through the program."""

import os
import shlex
import unittest

from quirks import QuirkTest, each, refuses, rule

NO_SENSE = "700000000000000a00000000000000000000"
TRANSLATION = ("1C", "1D")


def mode_page(*pages):
    return [f"{opcode} ?? {control | page:02X}" for opcode in ("1A", "5A") for page in pages
            for control in (0x00, 0x40, 0x80, 0xC0)]


# {case: (what is not done, how that is said, what a note names)}
LACKING = {
    "seek aborted": (["2B"], {"sense": "0B 00 00"}, "SEEK"),
    "seek aborted, overlapped commands": (["2B"], {"sense": "0B 4E 00"}, "SEEK"),
    "seek, hardware error": (["2B"], {"sense": "04 44 00"}, "SEEK"),
    "seek, command sequence": (["2B"], {"sense": "05 2C 00"}, None),
    "seek, vendor specific": (["2B"], {"sense": "09 80 01"}, "SEEK"),
    "seek without sense": (["2B"], {"no_sense": True}, "SEEK"),
    "seek busy for ever": (["2B"], {"status": 0x08}, "SEEK"),
    "seek, a new beginning each time": (["2B"], {"sense": "06 29 00"}, "SEEK"),
    "mode pages 03h and 04h, a new beginning": (mode_page(0x03, 0x04), {"sense": "06 29 04"}, "MODE SENSE"),
    "defect list, data protected": (["37", "B7"], {"sense": "07 27 00"}, "READ DEFECT DATA"),
    "mode pages 03h and 04h aborted": (mode_page(0x03, 0x04), {"sense": "0B 00 00"}, "MODE SENSE"),
    "mode pages 03h and 04h, hardware error": (mode_page(0x03, 0x04), {"sense": "04 3E 01"}, "MODE SENSE"),
    "MODE SENSE(10) aborted": (["5A"], {"sense": "0B 47 00"}, None),
    "translation aborted": (TRANSLATION, {"sense": "0B 00 00"}, "DIAGNOSTIC"),
    "translation, no medium": (TRANSLATION, {"sense": "02 3A 00"}, "DIAGNOSTIC"),
    "defect list, internal failure": (["37", "B7"], {"sense": "04 44 00"}, "READ DEFECT DATA"),
    "READ CAPACITY(16) aborted": (["9E"], {"sense": "0B 00 00"}, "READ CAPACITY"),
    "VPD pages aborted": (["12 01"], {"sense": "0B 00 00"}, "INQUIRY"),
    "REPORT LUNS aborted": (["A0"], {"sense": "0B 00 00"}, None),
    "all unknown, with NO SENSE": (["1C", "1D", "2B", "37", "B7", "1A", "5A", "9E", "A0"],
                                   {"raw_sense": NO_SENSE}, None),
    "all unknown, in descriptor format": (["1C", "1D", "2B", "37", "B7", "9E", "A0"],
                                          {"sense": "05 20 00", "descriptor_sense": True}, None),
}


ALIEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "alien", "alien.py")
LARGE = "exec:" + shlex.join(["python3", "-B", ALIEN, "--variant", "modern:7", "--seed", "1"])


class Lacking(QuirkTest):
    @each(LACKING, sample=3)
    def test(self, case):
        opcodes, answer, named = case
        # Without translation it is mapped by timing, for which the small drive has too few blocks in some runs.
        base = LARGE if {"1C", "1D"} <= set(opcodes) else "trust:small"
        drive = self.quirk([rule(opcode, as_tur=True, **answer) for opcode in opcodes], base)
        self.inspect(drive)
        model, _ = self.characterize(drive)
        # Of the large one's figures, which its noise moves, those that are there.
        self.assert_same(self.reference(refuses(*opcodes), base), only_there=base == LARGE)
        if named:
            self.noted(model, named)

    @each({"once": {"times": 1}, "each third time": {"every": 3}}, sample=1)
    def test_a_command_that_is_aborted_now_and_then_is_there(self, when):
        """Drives abort what comes at a bad moment: that is tried again, and is none of the lacking ones."""
        drive = self.quirk([rule(opcode, sense="0B 00 00", as_tur=True, **when) for opcode in ("2B", "1A", "1C")])
        found = self.inspect(drive)
        self.assertTrue(found["capabilities"]["seek"])
        self.assertTrue(found["capabilities"]["address_translation"])

    def test_a_seek_that_does_nothing(self):
        drive = self.quirk([rule("2B", as_tur=True)])
        self.characterize(drive)
        self.assert_same(self.reference(refuses("2B")))

    def test_a_synchronize_cache_that_does_nothing(self):
        """It is answered at once while data wait: the cache is not taken for clean, and nothing is told by it."""
        model, _ = self.characterize(self.quirk([rule("35", as_tur=True)]), "--allow-writes", "1003-10001")
        self.assertEqual(model["cache"]["write_back_level"]["value"], 2)
        for figure in ("synchronize", "destage_behind", "destage_idle"):
            self.assertIn("while data wait", model["cache"][figure]["reason"])
        self.noted(model, "SYNCHRONIZE CACHE", "does not make them safe")

    def test_a_figure_that_is_missing_whatever_is_drawn_is_a_difference(self):
        """It has a reason, too: other random choices do not bring it back."""
        writes = ("--allow-writes", "1003-10001")
        self.characterize(self.quirk(refuses("35")), *writes)
        with self.assertRaisesRegex(AssertionError, r"cache\.(destage|synchronize)"):
            self.assert_same(self.reference(options=writes))

    def test_no_translation_and_tracks_of_14_physical_blocks(self):
        """Of so small a drive the map is there, and its positions do not hold: the status says so."""
        _, said = self.characterize(self.quirk(refuses(*TRANSLATION), "trust:small-512e"), status=13)
        self.assertIn("without rotational positions", said)
        self.assertTrue(self.read_json("drive.json")["layout"]["zones"])

    @each({"no more bits": "0812", "with vendor bits": "8812", "with a long list": "0830"}, sample=1)
    def test_mode_sense_6_with_the_header_of_10(self, begins):
        """The bridge sends the form of (10) for both: the page is read as it is, or is none; never another one."""
        body = begins + "1400ffff000001000100400801" + "00" * (int(begins[2:], 16) - 13)
        none = begins + "00" * int(begins[2:], 16)
        header = f"{6 + len(body) // 2:04x}" + "00" * 6
        replies = [rule(f"1A ?? {0x08 | control:02X}", data=header + (none if control == 0x40 else body))
                   for control in (0x00, 0x40, 0x80)]
        drive = self.quirk(replies + refuses("5A") + refuses("1A", sense="05 24 00"))
        pages = self.inspect(drive)["mode_pages"]
        self.assertLessEqual(set(pages), {"08h"})
        self.assertTrue(all(page["current"].startswith(begins) for page in pages.values()))
        self.characterize(drive)


class ShortReplies(QuirkTest):
    """Half a reply is none: nothing is read out of bytes that did not come."""

    def test_pages_of_eight_and_five_bytes(self):
        found = self.inspect(self.quirk([rule("12 01 80", cut=8), rule("12 01 B1", cut=5)]))
        self.assertEqual(found["identity"]["serial"], "")
        self.assertNotIn("characteristics", found)

    def test_a_capacity_of_four_bytes(self):
        done = self.run_platter("inspect", self.quirk([rule("25", cut=4), *refuses("9E")]))
        self.ends_with_a_sentence(done, (7, 9), "READ CAPACITY")


if __name__ == "__main__":
    unittest.main()
