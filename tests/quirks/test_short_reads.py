"""Reads that come short with GOOD: a bridge that moves so many blocks in one command, and no more."""

import unittest

from quirks import QuirkTest, READS, each, lbn_and_blocks, rule

LIMITS = {"8": 8, "64": 64, "120": 120, "128": 128, "240": 240, "255": 255, "256": 256}


def cut_at(limit):
    return [rule(opcode, longer_than=limit, short_read=limit) for opcode in ("08", "28", "88")]


class ShortReads(QuirkTest):
    def longer_than(self, limit):
        return [s for s in self.sent() if s.cdb[0] in READS and lbn_and_blocks(s.cdb)[1] > limit]

    @each(LIMITS, sample=2)
    def test_a_run_notices_and_obeys(self, limit):
        """As a drive that tells it in VPD page B0h: MAXIMUM TRANSFER LENGTH."""
        model, _ = self.characterize(self.quirk(cut_at(limit)))
        self.assert_same(self.reference([rule("12 01 B0", poke={"8": f"{limit:08x}"})]))
        longer = self.longer_than(limit)
        # The first one, and the search by halving; each is asked three times before it counts.
        self.assertLessEqual(len(longer), 100, "noticed at the first")
        if longer:
            self.noted(model, rf"\b{limit}\b")

    @each({f"{sense} above {limit}": (sense, limit) for sense in ("05 24 00", "0B 00 00", "0B 4B 00", "04 44 00")
           for limit in (64, 240)}, sample=2)
    def test_long_reads_that_are_refused_in_any_words(self, case):
        sense, limit = case
        refused = [rule(opcode, longer_than=limit, sense=sense, as_tur=True) for opcode in ("08", "28", "88")]
        model, _ = self.characterize(self.quirk(refused))
        self.assert_same(self.reference([rule("12 01 B0", poke={"8": f"{limit:08x}"})]))
        self.noted(model, rf"more than {limit} blocks")

    @each(LIMITS, sample=3)
    def test_replay_names_them(self, limit):
        """Forty reads, each of twice as much as the path carries."""
        blocks = max(2 * limit, 256) if limit < 256 else 512
        trace = "".join(f"{i * 20} 0 {(i * 271) % 11000} {blocks} 1\n" for i in range(40))
        done = self.run_platter("replay", self.write("reads.trace", trace), "--on", self.quirk(cut_at(limit)),
                                "-o", "result.csv")
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stderr + done.stdout, r"\b40\b[^\n]*(short|fewer)|(short|fewer)[^\n]*\b40\b")

    def test_128_kb_cut_at_64(self):
        trace = "".join(f"{i * 20} 0 {(i * 271) % 11000} 256 1\n" for i in range(40))
        done = self.run_platter("replay", self.write("reads.trace", trace), "--on", self.quirk(cut_at(64)))
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stderr + done.stdout, r"\b40\b")

    @each({"every 50th": {"every": 50, "half": True}, "every 50th, nothing": {"every": 50, "cut": 0},
           "some blocks": {"lbn": [5000, 5007], "cut": 0}}, sample=1)
    def test_now_and_then_at_any_length(self, when):
        """A read without its data is none; nothing that did not come is measured or believed."""
        done = self.run_characterize(self.quirk([rule("28", **when)]))
        self.assertEqual(self.journals(), [])
        if done.returncode == 0:
            self.noted(self.read_json("drive.json"), r"short|fewer|without (all|their)")
            self.assert_same(self.reference())
        else:
            self.ends_with_a_sentence(done, (8,), r"short|fewer|\d+ of (the )?\d+ bytes")

    # holds: safety.md: What is written is what was read
    @each({"8": 8, "64": 64})
    def test_nothing_is_written_back_that_did_not_come(self, limit):
        trace = "".join(f"{i * 20} 0 {1003 + i * 271 % 8000} {3 * limit} 0\n" for i in range(30))
        drive = self.quirk(cut_at(limit), self.trust())
        done = self.run_platter("replay", self.write("writes.trace", trace), "--on", drive,
                                "--allow-writes", "1003-10001")
        self.assertIn(done.returncode, (0, 8, 9), done.stderr)
        self.assertEqual(self.contents_that_differ()["differ"], [])


if __name__ == "__main__":
    unittest.main()
