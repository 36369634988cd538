"""READ CAPACITY that cannot be true: refused by a sentence, or what reads confirm is taken; never believed."""

import unittest

from quirks import BLOCKS, QuirkTest, capacity_10, capacity_16, each, refuses, rule

LAST = BLOCKS - 1

# {case: (last LBN, block length)} of READ CAPACITY(16), where (10) is right.
LONG_ONES = {
    "no length": (0x0000E40500002E97, 0),
    "the short form in the place of the long one": (LAST << 32 | 512, 0),
    "shifted by two bytes": (LAST << 16, 512 << 16),
    "shifted by four bytes": (LAST << 32, 512),
    "bytes the other way round": (int.from_bytes(LAST.to_bytes(8, "little"), "big"), 512),
    "all ones": (0xFFFFFFFFFFFFFFFF, 0xFFFFFFFF),
    "all ones, 512": (0xFFFFFFFFFFFFFFFF, 512),
    "nothing": (0, 0),
    "one block": (0, 512),
    "of another byte": (LAST | 0x7F << 56, 512),
    "blocks of 263 million bytes": (LAST, 263_192_576),
    "blocks of 1 byte": (LAST, 1),
    "blocks of 0 bytes": (LAST, 0),
    "blocks of 513 bytes": (LAST, 513),
    "blocks of 2 GiB": (LAST, 0x80000000),
}
# {case: block length} that both forms tell.
LENGTHS = {"0": 0, "1": 1, "7": 7, "511": 511, "263 million": 263_192_576, "all ones": 0xFFFFFFFF, "1 GiB": 1 << 30}


class Absurd(QuirkTest):
    def judge(self, replies, *numbers):
        done = self.run_platter("inspect", self.quirk(replies), "--json")
        if done.returncode == 0:
            identity = self.platter_json("inspect", self.quirk(replies))["identity"]
            self.assertEqual((identity["blocks"], identity["block_bytes"]), (BLOCKS, 512))
        else:
            self.ends_with_a_sentence(done, (7, 8, 9), *numbers)
        return done.returncode

    @each(LONG_ONES)
    def test_the_long_form(self, case):
        last, block_bytes = case
        replies = [capacity_16(last, block_bytes)]
        self.judge(replies, r"READ CAPACITY", rf"\b({LAST}|{BLOCKS})\b")

    @each(LENGTHS)
    def test_both_forms(self, block_bytes):
        self.judge([capacity_10(BLOCKS, block_bytes), capacity_16(LAST, block_bytes)],
                   r"READ CAPACITY|block", rf"\b{block_bytes or ''}\b")

    @each(LENGTHS)
    def test_the_short_form(self, block_bytes):
        self.judge([capacity_10(BLOCKS, block_bytes)], r"READ CAPACITY|block", rf"\b{block_bytes or ''}\b")

    @each({"no length": LONG_ONES["no length"], "shifted": LONG_ONES["shifted by four bytes"]}, sample=1)
    def test_a_run_takes_what_reads_confirm(self, case):
        done = self.run_platter("characterize", self.quirk([capacity_16(*case)]), "-o", "drive.json")
        if done.returncode == 0:
            self.assertEqual(self.read_json("drive.json")["identity"]["blocks"], BLOCKS)
        else:
            self.ends_with_a_sentence(done, (7, 8, 9), rf"\b({LAST}|{BLOCKS})\b")

    def test_a_short_reply_is_no_capacity(self):
        """Eight bytes where the long form has more: the bridge sends the short one for both."""
        short = f"{LAST:08x}00000200"
        for effect in ({}, {"pad": True}):
            self.assertEqual(self.judge([rule("9E ?0", data=short, **effect)], "READ CAPACITY"), 0)


TOO_MANY = {"one": 1, "two": 2, "eight": 8, "a cylinder's": 200}


class TooMany(QuirkTest):
    """Some bridges tell the number of blocks where the last LBN belongs."""

    @staticmethod
    def table(more, only=None):
        replies = [capacity_10(BLOCKS + more), capacity_16(LAST + more)]
        return replies if only is None else [replies[only]]

    @each({f"{name}, {form}": (count, only) for name, count in TOO_MANY.items()
           for form, only in (("both", None), ("the long one", 1), ("the short one", 0))}, sample=3)
    def test_characterize(self, case):
        count, only = case
        drive = self.quirk(self.table(count, only))
        done = self.run_characterize(drive)
        if done.returncode == 0:
            self.assertEqual(self.read_json("drive.json")["identity"]["blocks"], BLOCKS)
            self.assert_same(self.reference())
        else:
            self.ends_with_a_sentence(done, (8, 9), r"too many|too large|more (blocks )?than|beyond|ends (before|at|with)")
        self.assertEqual(self.journals(), [])

    @each(TOO_MANY)
    def test_inspect(self, count):
        done = self.run_platter("inspect", self.quirk(self.table(count)))
        if done.returncode == 0:
            self.assertRegex(done.stdout, r"too many|too large|more (blocks )?than|cannot be read|" + str(BLOCKS))
            self.assertNotIn("fitness of the drive: good", done.stdout)
        else:
            self.ends_with_a_sentence(done, (8, 9), r"too many|too large|more (blocks )?than|beyond")

    # In other words than "LBN out of range", which tell as much by their places.
    WORDS = {"aborted": {"sense": "0B 00 00"}, "ID not found": {"sense": "03 14 00"}}

    @each({f"{name}, {count} more": (words, count) for name, words in WORDS.items() for count in (1, 8)}, sample=1)
    def test_in_other_words(self, case):
        words, count = case
        beyond = [rule(code, lbn=[BLOCKS, 2 * BLOCKS], as_tur=True, **words)
                  for code in ("08", "28", "88", "2F", "8F", "2B")]
        drive = self.quirk(beyond + self.table(count))
        self.assertNotIn("fitness of the drive: good", self.run_platter("inspect", drive).stdout)
        done = self.run_characterize(drive)
        if done.returncode in (0, 13):
            model = self.read_json("drive.json")
            self.assertLessEqual(model["identity"]["blocks"], BLOCKS + count)
            self.noted(model, r"last .*(cannot be|not be) (read|addressed)|left out|too many")
        else:
            self.ends_with_a_sentence(done, (8, 9), r"too many|too large|more (blocks )?than|beyond|may be fewer")
        self.assertEqual(self.journals(), [])

    def test_only_the_short_form_is_there(self):
        found = self.inspect(self.quirk(refuses("9E")))
        self.assertEqual(found["identity"]["blocks"], BLOCKS)


if __name__ == "__main__":
    unittest.main()
