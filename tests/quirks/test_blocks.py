"""Physical blocks that a bridge hides: READ CAPACITY(16) is not there, and IDENTIFY DEVICE, word 106, tells them. What
is rewritten is journaled and written by whole physical blocks."""

import unittest

from quirks import QuirkTest, READS, WRITES, each, identify, lbn_and_blocks, name_of, refuses, rule, vpd

ATA = "trust:small-ata-512e"
HIDING = {
    "refused": [name_of("JMicron", "Generic"), rule("12 00", poke={"2": "04"}), *refuses("9E")],
    "refused, SPC-4": [name_of("ASMT", "2105"), *refuses("9E")],
    "invalid field": [name_of("Norelsys", "NS1066"), *refuses("9E", sense="05 24 00")],
    "aborted": [name_of("Prolific", "PL2773"), *refuses("9E", sense="0B 00 00")],
    "twelve bytes of it": [name_of("JMicron", "JMS578"), rule("9E", cut=12)],
    "no exponent": [name_of("VLI", "VL716"), rule("9E ?0", poke={"13": "00"})],
    "no VPD either": [name_of("ASMT", "1051"), *refuses("9E"), *refuses("12 01", sense="05 24 00")],
    "nothing gets through": [name_of("LSI", "SAS"), *refuses("9E"), *refuses("85", "A1")],
    "no page 89h": [name_of("Initio", "INIC-3609"), *refuses("9E"), vpd(0x00, "008083"),
                    *refuses("12 01 89", sense="05 24 00")],
}


# holds: safety.md: A physical block is as long
class Hidden(QuirkTest):
    @each(HIDING)
    def test_inspect(self, replies):
        self.assertEqual(self.inspect(self.quirk(replies, ATA))["identity"]["physical_block_bytes"], 4096)

    def test_the_shorter_ones_of_identify_device_do_not_count(self):
        self.assertEqual(self.inspect(self.quirk(identify(w106=0x4000), ATA))["identity"]["physical_block_bytes"], 4096)

    @each(HIDING)
    def test_single_blocks_are_journaled_by_eight(self, replies):
        trace = "".join(f"{i * 30} 0 {1003 + i * 397 % 8000} 1 0\n" for i in range(12))
        done = self.run_platter("replay", self.write("writes.trace", trace), "--on", self.quirk(replies, ATA),
                                "--allow-writes", "1000-10007")
        self.assertEqual(done.returncode, 0, done.stderr)
        sent = self.sent()
        first_write = next(i for i, s in enumerate(sent) if s.cdb[0] in WRITES)
        reads = [lbn_and_blocks(s.cdb) for s in sent[:first_write] if s.cdb[0] in READS]
        wanted = {(1003 + i * 397 % 8000) // 8 * 8 for i in range(12)}
        journaled = [(lbn, blocks) for lbn, blocks in reads if lbn in wanted]
        self.assertTrue(journaled, reads)
        self.assertEqual({(lbn % 8, blocks % 8) for lbn, blocks in journaled}, {(0, 0)}, reads)

    def test_as_without_the_table(self):
        self.characterize(self.quirk(HIDING["refused"], ATA))
        self.assert_same(self.reference(base=ATA))


if __name__ == "__main__":
    unittest.main()
