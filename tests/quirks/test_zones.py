"""Shingled drives: host-managed ones that do not tell of their zones are refused, device-managed ones are told of, since
their map may move."""

import unittest

from quirks import BLOCKS, QuirkTest, each, identify, refuses, rule, vpd

ATA = "trust:small-ata"
ZONE_BLOCKS = 2048


def host_managed(first, sense, urswrz=0, model_field=0):
    """From `first` on nothing is written yet: reads there fail, unless URSWRZ."""
    b6 = f"{urswrz:02x}" + "00" * 3 + "00000000" * 2 + f"{8:08x}" + "00" * 44
    replies = [rule("12 00", poke={"0": "14", "2": "07"}),
               vpd(0x00, "008083b0b1b6"),
               rule("12 01 B1", poke={"0": "14", "8": f"{model_field << 4:02x}"}),
               rule("12 01 B6", data="14b6003c" + b6)]
    if not urswrz:
        replies += [rule(code, lbn=[first, BLOCKS], sense=sense) for code in ("28", "88", "2F", "8F")]
    return replies


HOST_MANAGED = {
    "unwritten zones": host_managed(4096, "05 21 06"),
    "unwritten zones, early": host_managed(64, "05 21 06"),
    "unwritten zones, another sense": host_managed(4096, "05 21 07"),
    "read boundary": host_managed(4096, "05 21 05"),
    "all can be read": host_managed(0, "", urswrz=1),
    "no page B6h": [rule("12 00", poke={"0": "14"})],
    "no pages": [rule("12 00", poke={"0": "14", "2": "07"}), *refuses("12 01", sense="05 24 00")],
}


class HostManaged(QuirkTest):
    @each(HOST_MANAGED)
    def test_inspect_says_so(self, replies):
        done = self.run_platter("inspect", self.quirk(replies))
        if done.returncode == 0:
            self.assertIn("host-managed", done.stdout)
            self.assertNotIn("fitness of the drive: good", done.stdout)
        else:
            self.ends_with_a_sentence(done, (9,), "host-managed")

    @each(HOST_MANAGED, sample=2)
    def test_a_run_names_it(self, replies):
        done = self.run_platter("characterize", self.quirk(replies), "-o", "drive.json")
        if done.returncode in (0, 13):
            self.noted(self.read_json("drive.json"), "host-managed")
        else:
            self.ends_with_a_sentence(done, (9,), "host-managed")

    @each(HOST_MANAGED, sample=1)
    def test_nothing_is_written(self, replies):
        self.run_platter("characterize", self.quirk(replies), "--allow-writes", "1003-10001", "-o", "drive.json")
        self.assertEqual([s for s in self.sent() if s.cdb[0] in (0x2A, 0x8A)], [])


def zoned(field, where="B1"):
    """SBC-4: ZONED of page B1h; ACS-4: word 69, bits 1-0."""
    return [rule("12 01 B1", poke={"8": f"{field << 4:02x}"})] if where == "B1" else identify(w69=field)


ZONED = {
    "B1h, device-managed": (zoned(2), "trust:small"),
    "B1h, host-aware": (zoned(1), "trust:small"),
    "B1h of an ATA drive": (zoned(2), ATA),
    "IDENTIFY word 69, device-managed": (zoned(2, "word"), ATA),
    "IDENTIFY word 69, host-aware": (zoned(1, "word"), ATA),
    "IDENTIFY word 69, no page B1h": (zoned(2, "word") + refuses("12 01 B1", sense="05 24 00"), ATA),
    "IDENTIFY word 169, it trims": (identify(w169=0x0001), ATA),
    "both": (zoned(2) + identify(w69=2, w169=1), ATA),
}


class Zoned(QuirkTest):
    @each(ZONED)
    def test_inspect_says_so(self, case):
        replies, base = case
        drive = self.quirk(replies, base)
        self.assertRegex(self.platter("inspect", drive), "shingled")
        self.assertIn("shingled", self.platter("inspect", drive, "--json"))

    @each(ZONED, sample=2)
    def test_model_and_report_say_so(self, case):
        replies, base = case
        model, _ = self.characterize(self.quirk(replies, base))
        self.assertIn("shingled", str(model))
        self.assertRegex(self.platter("show", "drive.json"), "shingled")
        self.assert_same(self.reference(base=base))

    @each({"SCSI": ("trust:small",), "ATA": (ATA,)})
    def test_others_are_not(self, base):
        self.assertNotIn("shingled", self.platter("inspect", self.quirk([], *base)))


if __name__ == "__main__":
    unittest.main()
