"""The alien with two arms judged by itself: what each arm does alone, both at once, and what it tells."""

import os
import random
import struct
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import wire  # noqa: E402
from modern_drive import ModernDrive  # noqa: E402
from modern_two_arms import TwoArmDrive, TwoArmTarget, TwoQueues, two_arms  # noqa: E402
from test_modern import small  # noqa: E402


def config(interference_us):
    return dict(small(), interference_us=interference_us)


def queue_of(interference_us=0.0):
    settings = config(interference_us)
    settings["scsi"]["unit_attention"] = False
    settings["scsi"]["ata"] = False
    return TwoQueues(TwoArmTarget(TwoArmDrive(settings, 1, False)))


def read(lbn, tag, issue_ns, count=1):
    cdb = struct.pack(">BBIBHB", 0x28, 0x08, lbn, 0, count, 0)
    return wire.Request(issue_ns=issue_ns, tag=tag, direction=1, transfer_length=512 * count, cdb=cdb)


def ends(queue, *requests):
    for request in requests:
        queue.submit(request)
    found = {}
    while (reply := queue.next_completion(None)) is not None:
        assert reply.status == 0, reply.sense
        found[reply.tag] = reply.complete_ns
    return found


class TwoArms(unittest.TestCase):
    def test_both_work_at_once_as_each_does_alone(self):
        chance = random.Random(3)
        for _ in range(50):
            together = queue_of()
            half = together.target.drive.first_blocks
            first, second = chance.randrange(half), half + chance.randrange(half)
            both = ends(together, read(first, 1, 1000), read(second, 2, 2000))
            self.assertEqual(both[1], ends(queue_of(), read(first, 1, 1000))[1])
            self.assertEqual(both[2], ends(queue_of(), read(second, 2, 2000))[2])

    def test_an_arm_that_sets_off_beside_a_busy_one_is_late(self):
        chance, later = random.Random(5), 0
        for _ in range(100):
            shaken, still = queue_of(100.0), queue_of(0.0)
            half = shaken.target.drive.first_blocks
            requests = [(half + chance.randrange(half), 1, 1000), (half // 2 + chance.randrange(half // 2), 2, 3000)]
            of_shaken, of_still = (ends(queue, *[read(*request) for request in requests]) for queue in (shaken, still))
            self.assertEqual(of_shaken[1], of_still[1])
            self.assertGreaterEqual(of_shaken[2], of_still[2])
            later += of_shaken[2] > of_still[2]
        self.assertGreater(later, 0)  # a turn later, where the sector was missed

    def test_a_read_of_both_ranges_waits_for_both(self):
        queue = queue_of()
        half = queue.target.drive.first_blocks
        whole = ends(queue, read(half - 2, 1, 1000, 4))[1]
        parts = [ends(queue_of(), read(half - 2, 1, 1000, 2))[1], ends(queue_of(), read(half, 1, 1000, 2))[1]]
        self.assertEqual(whole, max(parts))

    def test_they_turn_together_and_have_disks_of_their_own(self):
        drive = TwoArmDrive(two_arms(1), 1, True)
        self.assertIs(drive.halves[0].spindle, drive.halves[1].arm.spindle)
        self.assertNotEqual(*[[run.angle for run in half.disks.runs[:50]] + [len(half.disks.runs)]
                              for half in drive.halves])
        self.assertIsInstance(drive.halves[0], ModernDrive)

    def test_page_b9h_tells_of_both(self):
        target = queue_of().target
        page = target._vital_product_data(0xB9)
        half = target.drive.first_blocks
        self.assertEqual(struct.unpack(">H", page[2:4])[0], 60 + 64)
        self.assertEqual(struct.unpack(">BB6xQQ", page[64:88]), (0, 3, 0, half))
        self.assertEqual(struct.unpack(">BB6xQQ", page[96:120]), (1, 3, half, target.blocks - half))
        self.assertIn(0xB9, target._vital_product_data(0x00)[4:])


if __name__ == "__main__":
    unittest.main()
