"""What a drive says of its own state: a corrupted format, why it is not ready, a failure that it foretells, reads that
it had to repeat."""

import re
import unittest

from quirks import QuirkTest, each, rule

EVERYWHERE = ("00", "08", "28", "88", "2F", "8F")


class Format(QuirkTest):
    CORRUPTED = {
        "everywhere": [rule(code, sense="03 31 00") for code in EVERYWHERE],
        "TEST UNIT READY only": [rule("00", sense="03 31 00")],
        "reads only": [rule(code, sense="03 31 00") for code in EVERYWHERE[1:]],
        "format failed": [rule(code, sense="03 31 01") for code in EVERYWHERE],
        "not ready": [rule(code, sense="02 31 00") for code in EVERYWHERE],
        "in descriptor format": [rule(code, sense="03 31 00", descriptor_sense=True) for code in EVERYWHERE],
        "capacity too": [rule(code, sense="03 31 00") for code in (*EVERYWHERE, "25", "9E")],
    }

    @each(CORRUPTED)
    def test_the_advice_is_to_format(self, replies):
        for command in (["inspect"], ["characterize", "-o", "drive.json"]):
            done = self.run_platter(command[0], self.quirk(replies), *command[1:])
            self.ends_with_a_sentence(done, (8, 9), r"format")
            self.assertNotIn("leave these blocks out", done.stderr)
            self.assertRegex(done.stderr, r"format (it|the drive)|formatted|sg_format")


class NotReady(QuirkTest):
    # {case: (sense, what the advice names)}
    KINDS = {
        "cause not reportable": ("02 04 00", "not ready|Not Ready"),
        "needs a start command": ("02 04 02", "start"),
        "needs somebody": ("02 04 03", "see to|intervention|somebody"),
        "format in progress": ("02 04 04", "format"),
        "self-test": ("02 04 09", "test"),
        "rebuild in progress": ("02 04 05", "rebuil|wait"),
        "offline": ("02 04 12", "offline|online"),
        "notify (enable spinup)": ("02 04 11", "start|enable"),
        "sanitize in progress": ("02 04 1B", "sanitize"),
        "no medium": ("02 3A 00", "medi|disk|empty|slot"),
        "no medium, tray closed": ("02 3A 01", "medi|disk|empty|slot"),
        "not self-configured": ("02 3E 00", "not ready|Not Ready"),
    }

    @each(KINDS)
    def test_why(self, kind):
        sense, advice = kind
        for codes in ("00",), EVERYWHERE, (*EVERYWHERE, "25", "9E"):
            drive = self.quirk([rule(code, sense=sense, as_tur=True) for code in codes])
            self.ends_with_a_sentence(self.run_platter("inspect", drive), (8,), advice)

    @each({"three times": 3, "ten times": 10})
    def test_becoming_ready_is_waited_for(self, times):
        self.inspect(self.quirk([rule(code, sense="02 04 01", as_tur=True, times=times) for code in EVERYWHERE]))


class Foretold(QuirkTest):
    FAILURES = {f"{sense} of {code}": [rule(code, sense=sense, keep_data=True, every=every)]
                for sense in ("01 5D 10", "01 5D 00", "01 5D 32", "01 5D FF")
                for code, every in (("00", 1), ("28", 10), ("12 00", 1))}
    FAILURES["06 5D 10, a unit attention"] = [rule("28", sense="06 5D 10", as_tur=True, times=1)]
    WARNINGS = {f"{sense} of {code}": [rule(code, sense=sense, keep_data=True)]
                for sense in ("01 0B 00", "01 0B 01", "01 0B 02") for code in ("00", "28")}
    WARNINGS["06 0B 01, a unit attention"] = [rule("28", sense="06 0B 01", as_tur=True, times=1)]

    @each(FAILURES)
    def test_a_failure_is_passed_on(self, replies):
        drive = self.quirk(replies)
        self.assertRegex(str(self.inspect(drive)["fitness"]["drive"]), r"(?i)fail")
        self.assertNotIn("fitness of the drive: good", self.platter("inspect", drive))

    @each(FAILURES, sample=1)
    def test_a_run_notes_it(self, replies):
        model, _ = self.characterize(self.quirk(replies))
        self.noted(model, r"(?i)fail")

    @each(WARNINGS)
    def test_a_warning_is_passed_on(self, replies):
        self.assertRegex(str(self.inspect(self.quirk(replies))["fitness"]["drive"]), r"(?i)warn|temperature|enclosure")

    def test_an_impending_failure_is_not_made_up(self):
        """A false prediction for testing (5D/FF) aside, a recovered error of other kinds foretells nothing."""
        found = self.inspect(self.quirk([rule("00", sense="01 17 01")]))
        self.assertNotRegex(str(found["fitness"]["drive"]), r"(?i)predict|failure")


class Recovered(QuirkTest):
    # With retries, with error correction, with both; a revolution late, of 6 ms.
    KINDS = {f"{sense} of {code}": [rule(code, every=50, sense=sense, keep_data=True, delay_ms=6.0)]
             for sense in ("01 17 01", "01 17 00", "01 18 00", "01 18 02", "01 17 05") for code in ("28",)}
    KINDS["in descriptor format"] = [rule("28", every=50, sense="01 17 01", keep_data=True, delay_ms=6.0,
                                          descriptor_sense=True)]
    KINDS["auto-reallocated"] = [rule("28", every=50, sense="01 17 06", keep_data=True, delay_ms=6.0)]

    @each(KINDS, sample=2)
    def test_the_model_is_the_same_and_says_how_many(self, replies):
        drive = self.quirk(replies)
        model, _ = self.characterize(drive)
        self.assert_same(self.reference())
        hit = len([s for s in self.sent() if s.rule == 0])
        self.assertGreater(hit, 5)
        told = [int(count) for note in model["provenance"]["notes"] for count in re.findall(r"recovered (\d+) ", note)]
        self.assertTrue(told and 0.9 * hit <= sum(told) <= hit, (told, hit))

    @each({"1/17/01": "01 17 01", "1/18/00": "01 18 00"})
    def test_inspect(self, sense):
        self.inspect(self.quirk([rule("28", sense=sense, keep_data=True, every=3)]))


if __name__ == "__main__":
    unittest.main()
