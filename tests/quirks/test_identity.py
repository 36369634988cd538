"""Who a drive is: bridges that ignore EVPD, that give one serial number to all, that hide the drive behind their own
name, or whose pass-through reaches another disk."""

import unittest

from quirks import (BLOCKS, QuirkTest, PASS_THROUGHS, each, identify, name_of, refuses, rule, serial, text, vpd)

ATA = "trust:small-ata"


def standard_data(vendor, product, second="80", level="00"):
    return f"00{second}{level}011f000000" + text(vendor, 8) + text(product, 16) + text("1.04")


# {case: rules}: what comes in the place of vital product data.
IGNORED = {
    "RMB set": [rule("12", data=standard_data("Generic", "External"))],
    "RMB set, SPC-3": [rule("12 01", data=standard_data("USB3.0", "Super Speed", "80", "05"))],
    "RMB not set": [rule("12 01", data=standard_data("Generic", "Flash HS", "00"))],
    "RMB set, padded": [rule("12 01", data=standard_data("SAMSUNG", "Portable"), pad=True)],
    "its own page code": [rule("12 01 80", data="0080ffff" + text("Generic External")),
                          rule("12 01", data=standard_data("Generic", "External"))],
    "the list is the standard data": [rule("12 01 00", data=standard_data("Generic", "Dock")), *refuses("12 01")],
    "refused": refuses("12 01", sense="05 24 00"),
    "refused as unknown": refuses("12 01"),
    "aborted": refuses("12 01", sense="0B 00 00"),
    "without sense": [rule("12 01", no_sense=True, as_tur=True)],
    "empty": [rule("12 01", cut=0)],
    "four bytes": [rule("12 01", data="00000000"), ],
    "zeros": [rule("12 01", cut=0, pad=True)],
    "page 00h for all": [rule("12 01", data="0000000400808389")],
}


class EvpdIgnored(QuirkTest):
    @each(IGNORED)
    def test_no_serial_number(self, replies):
        found = self.inspect(self.quirk(replies))
        self.assertEqual(found["identity"]["serial"], "")
        self.assertLessEqual(len(found["vpd_contents"]), 1)
        self.assertEqual(found["identity"]["names"], [])
        self.assertNotIn("characteristics", found)

    # holds: safety.md: Who a drive is
    @each({name: IGNORED[name] for name in ("RMB set", "RMB set, SPC-3", "zeros", "refused")}, sample=1)
    def test_another_run_does_not_replace_the_model(self, replies):
        self.characterize(self.quirk(replies))
        done = self.run_characterize(self.quirk(replies))
        self.assert_one_sentence(done, 5, "drive.json", "--force")

    @each({name: IGNORED[name] for name in ("RMB set", "refused", "empty")}, sample=1)
    def test_the_same_model_as_of_a_drive_without_the_pages(self, replies):
        self.characterize(self.quirk(replies))
        self.assert_same(self.reference(refuses("12 01")))


# Of bridges and enclosures, and of those who never wrote one.
GIVEN_TO_ALL = ("152D00539000", "152D20337A0C", "000000000000", "00000000000000000000", "0123456789AB",
                "0123456789ABCDEF", "0123456789", "123456789012", "012345678901234", "AAAAAAAAAAAA", "FFFFFFFFFFFF",
                "XXXXXXXXXXXXXXXX", "1111111111", "ABCDEF0123456789", "DB98765432100", "0", "-", "????????????",
                "SERIAL NUMBER", "PROLIFICMP000000001")
# As makers of drives write them.
OWN = ("WD-WCC4E5KDXL93", "WD-WMC30D9F2PH1", "Z1D5XYZ7", "5QE3A1B2", "S00JJ10XA12345", "MN1220F30MNHUD", "K52A3HDT9873",
       "GEK033RBSZ1WEX", "9XG4H2ZR", "VAGGNKLL", "YFGTB7DA0W5Z", "17SGK3LNS", "3RV0QAT7000075242RTK", "31TKT2NIT")


# holds: safety.md: Who a drive is
class SerialNumbers(QuirkTest):
    @staticmethod
    def warned(found):
        return [said for said in found["fitness"]["drive"] if "serial number" in said]

    @each({number: number for number in GIVEN_TO_ALL})
    def test_a_number_given_to_all_is_warned_of(self, number):
        for base in ("JMicron", "Generic"), ("ASMT", "2105"), ("Inateck", "FE2001"):
            found = self.inspect(self.quirk([name_of(*base), serial(number)]))
            self.assertTrue(self.warned(found), found["fitness"]["drive"])

    @each({number: number for number in OWN})
    def test_a_number_of_its_own_is_not(self, number):
        self.assertEqual(self.warned(self.inspect(self.quirk([serial(number)]))), [])

    @each({number: number for number in GIVEN_TO_ALL[:12]})
    def test_identify_device_has_the_drives_own(self, number):
        replies = [name_of("JMicron", "Generic"), serial(number),
                   *identify(serial="WD-WCC7K0ABCDEF", model="WDC WD40EFRX-68N32N0", revision="82.00A82")]
        found = self.inspect(self.quirk(replies, ATA))
        self.assertEqual(found["identity"]["serial"], "WD-WCC7K0ABCDEF")
        self.assertEqual(self.warned(found), [])

    def test_two_in_one_call(self):
        replies = [name_of("JMicron", "Generic"), serial("152D00539000")]
        drives = [self.quirk(replies, name=name) for name in ("one", "two")]
        done = self.run_platter("characterize", *drives, "-o", "both")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len([name for name in self.files() if name.startswith("both/") and
                              name.endswith(".json") and "summary" not in name]), 2, self.files())


DRIVE = {"serial": "WD-WX11A0000001", "model": "WDC WD20EZRX-00D8PB0", "revision": "80.00A80"}
BRIDGES = {
    "ASMT 2105": [name_of("ASMT", "2105", "0"), serial("000000000000")],
    "ASMT 1153, no page 80h": [name_of("ASMT", "ASM1153E", "0"), *refuses("12 01 80", sense="05 24 00")],
    "JMicron": [name_of("JMicron", "Tech", "0209"), serial("DB123456789699")],
    "Inateck": [name_of("Inateck", "SA01003", "1.01"), serial("20170500006C")],
    "Norelsys": [name_of("Norelsys", "NS1066X", "0"), serial("0123456789ABCDE")],
    "Prolific": [name_of("Prolific", "ATAPI-6 Bridge", "0001"), *refuses("12 01")],
    "no page 89h": [name_of("TOSHIBA", "External USB 3.0", "5438"), serial("0123456789ABCDE"), vpd(0x00, "008083"),
                    *refuses("12 01 89", sense="05 24 00")],
    "no VPD at all": [name_of("SABRENT", "", "2210"), *refuses("12 01", sense="05 24 00")],
}


class Bridges(QuirkTest):
    @each(BRIDGES)
    def test_the_drives_own_name(self, replies):
        found = self.platter("inspect", self.quirk(replies + identify(**DRIVE), ATA), "--json")
        for words in DRIVE["model"], f'"serial": "{DRIVE["serial"]}"':
            self.assertIn(words, found)
        said = self.platter("inspect", self.quirk(replies + identify(**DRIVE), ATA))
        self.assertIn(DRIVE["model"], said)
        self.assertRegex(said, r"serial number +" + DRIVE["serial"])

    @each(BRIDGES, sample=2)
    def test_the_model_has_it(self, replies):
        model, _ = self.characterize(self.quirk(replies + identify(**DRIVE), ATA))
        self.assertEqual(model["identity"]["serial"], DRIVE["serial"])
        self.assertIn("WD20EZRX-00D8PB0", str(model["identity"]))
        self.assertTrue(self.features_set(), "its caches are switched by SET FEATURES")
        self.assert_same(self.reference(base=ATA))

    MINIMAL = {
        "no page 89h": [vpd(0x00, "008083"), *refuses("12 01 89", "12 01 B0", "12 01 B1", sense="05 24 00")],
        "no mode pages": [vpd(0x00, "0080"), *refuses("12 01 83", "12 01 89", "12 01 B0", "12 01 B1", sense="05 24 00"),
                          *refuses("1A", "5A", "55", "15", "35", "A0")],
        "no VPD": refuses("12 01", sense="05 24 00"),
        "twelve bytes only": [*refuses("12 01", sense="05 24 00"), *refuses("85")],
    }

    @each(MINIMAL)
    def test_identify_is_tried(self, replies):
        found = self.inspect(self.quirk([name_of("Inateck", "SA01003"), *replies], ATA))
        self.assertIn("ata", found)
        self.assertIsNotNone(found["ata"]["write_cache"])

    @each(MINIMAL, sample=1)
    def test_a_minimal_bridge_is_characterized(self, replies):
        self.characterize(self.quirk([name_of("Inateck", "SA01003"), *replies], ATA))
        self.assertTrue(self.features_set())

    NO_PASS_THROUGH = {
        "unknown": refuses("85", "A1"), "invalid field": refuses("85", "A1", sense="05 24 00"),
        "aborted": refuses("85", "A1", sense="0B 00 00"), "hardware error": refuses("85", "A1", sense="04 44 00"),
        "empty": [rule("85", cut=0), rule("A1", cut=0)], "zeros": [rule("85", cut=0, pad=True), rule("A1", cut=0, pad=True)],
        "ones": [rule(code, data="ff" * 512) for code in ("85", "A1")],
        "half": [rule("85", cut=256), rule("A1", cut=256)],
        "the standard data": [rule(code, data=standard_data("Generic", "Dock"), pad=True) for code in ("85", "A1")],
    }

    @each(NO_PASS_THROUGH, sample=4)
    def test_where_it_does_not_work_nothing_is_set_by_it(self, replies):
        drive = self.quirk([name_of("Prolific", "PL2773"), *replies], ATA)
        self.inspect(drive)
        self.forget()
        self.characterize(drive)
        self.assertEqual(self.features_set(), [])


    # The translation tells of its disk, and lets nothing through to it.
    @each(NO_PASS_THROUGH)
    def test_its_page_names_the_disk(self, replies):
        found = self.inspect(self.quirk([name_of("Prolific", "PL2773"), *replies, *identify(**DRIVE)], ATA))
        self.assertEqual(found["identity"]["serial"], DRIVE["serial"])
        self.assertEqual(found["identity"]["product"], DRIVE["model"])


LISTS = {
    "no 00h": "8083b0b1", "unsorted": "b183008980b0"[:12], "twice": "00808083b0b0b1", "backwards": "b1b0838000",
    "00h last": "8083b0b100", "zeros behind": "008083b0b1000000", "all twice": "00008080838380b0b0b1b1",
}


class Lists(QuirkTest):
    @each(LISTS)
    def test_sorted_and_once(self, pages):
        found = self.inspect(self.quirk([vpd(0x00, pages)]))
        codes = [int(code.rstrip("h"), 16) if isinstance(code, str) else code for code in found["vpd_pages"]]
        wanted = sorted({0x00} | set(bytes.fromhex(pages)))
        self.assertEqual(codes, wanted)
        self.assertIn("b1h", found["vpd_contents"])

    @each(LISTS, sample=1)
    def test_the_same_model(self, pages):
        self.characterize(self.quirk([vpd(0x00, pages)]))
        self.assert_same(self.reference())


    @each({"too many": "80838689b0b1b2b9c0c7", "one of no page": "008083b0b1ff"})
    def test_pages_that_do_not_come_are_told(self, pages):
        found = self.inspect(self.quirk([vpd(0x00, pages), *refuses("12 01 C?", "12 01 FF", "12 01 B9")]))
        self.assertRegex(str(found["fitness"]["drive"]), r"VPD page 00h says .* says no [^;]*(C7|FF)h")

    @each({"none": refuses("12 01 00"), "its length is another": [rule("12 01 00", data="000000ff008083b0b1")],
           "empty": [vpd(0x00, "")], "of another page": [rule("12 01 00", data="00800005008083b0b1")]})
    def test_without_a_list_the_pages_are_asked_for_all_the_same(self, replies):
        found = self.inspect(self.quirk(replies))
        self.assertIn("b1h", found["vpd_contents"])
        self.assertIn("characteristics", found)
        self.assertTrue(found["identity"]["names"])


OTHER_DISKS = {
    "of 1 TB": identify(serial="TOHERDRIVE0001", model="WDC WD10EZEX-08WN4A0", blocks=1_953_525_168),
    "of 120 GB": identify(serial="S21JNXAG123456", model="Samsung SSD 850 EVO 120GB", blocks=234_441_648),
    "larger than 2 TB": identify(serial="ZA1234567", model="ST8000DM004-2CX188", blocks=15_628_053_168),
    "smaller": identify(serial="Q0000002", model="QUANTUM FIREBALL", blocks=6000),
    "the pair as one": identify(serial="WD-WCC1T0000001", model="WDC WD20EFRX", blocks=BLOCKS // 2),
}
DOCKS = {f"{name}, {dock}": [name_of(*words), *disk] for name, disk in OTHER_DISKS.items()
         for dock, words in (("ASM1352R", ("ASMT", "ASM1352R-Safe")), ("JMS561", ("JMicron", "H/W RAID1")))}


# holds: safety.md: SET FEATURES leave only
class OtherDisk(QuirkTest):
    @each(DOCKS, sample=3)
    def test_nothing_is_set_on_it(self, replies):
        drive = self.quirk(replies, ATA)
        found = self.inspect(drive)
        self.assertEqual(found["identity"]["serial"], "T0001")
        self.assertEqual(found["identity"]["blocks"], BLOCKS)
        model, _ = self.characterize(drive)
        self.assertEqual(self.features_set(), [])
        self.noted(model, r"IDENTIFY DEVICE|pass-through|PASS-THROUGH", r"another|other|not this")
        self.assertTrue([s for s in self.sent() if s.cdb[0] in PASS_THROUGHS], "it was asked who it is")

    def test_of_the_same_size_and_without_a_number(self):
        """The translation names its disk: vendor ATA, and the model's beginning."""
        drive = self.quirk([*refuses("12 01 80"), *identify(serial="TOHERDRIVE0002", model="ST4000DM004-2CV104")], ATA)
        found = self.inspect(drive)
        self.assertNotIn("ST4000DM004", found["identity"]["product"])
        self.assertEqual(found["identity"]["serial"], "")
        self.characterize(drive)
        self.assertEqual(self.features_set(), [])

    @each(DOCKS, sample=1)
    def test_with_writes(self, replies):
        self.characterize(self.quirk(replies, ATA), "--allow-writes", "1003-10001")
        self.assertEqual(self.features_set(), [])


if __name__ == "__main__":
    unittest.main()
