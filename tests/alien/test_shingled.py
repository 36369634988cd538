"""The shingled alien judged by itself: where its sectors are, and when they come home."""

import os
import random
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from modern_mechanics import MS  # noqa: E402
from modern_shingled import ShingledDrive, shingled  # noqa: E402
from test_modern import small  # noqa: E402


def drive(**different):
    config = dict(small(), shingles={"band_kib": 64, "log_mb": 0.5, "entries": 40, "eager": True, "idle_ms": 500.0})
    config["shingles"].update(different)
    made = ShingledDrive(config, 1, False)
    made.set_cache(False, False, False, 0.0)
    return made


class Shingled(unittest.TestCase):
    def test_blocks_are_where_the_last_write_put_them(self):
        made, chance, now = drive(eager=False), random.Random(3), 1e6
        for _ in range(100):
            lbn, count = chance.randrange(made.blocks - 20), chance.randint(1, 20)
            now = made.write(lbn, count, now)
            self.assertEqual([blocks for _, blocks in made._pieces(lbn, count)], [count])
            pieces = list(made._pieces(max(0, lbn - 10), 30))
            self.assertEqual(sum(blocks for _, blocks in pieces), 30)
        self.assertLessEqual(made.entries, 40)

    def test_an_eager_drive_comes_home_when_nothing_is_asked_for(self):
        made = drive()
        now = made.write(5000, 4, 1e6)
        self.assertTrue(made.where)
        now = made.read(100, 1, now + 400 * MS)
        self.assertTrue(made.where)
        made.read(100, 1, now + 5000 * MS)
        self.assertFalse(made.where)
        self.assertEqual(made.entries, 0)

    def test_an_idle_one_when_its_list_is_full(self):
        made, now = drive(eager=False), 1e6
        for i in range(40):
            before, now = now, made.write(100 + 200 * i, 1, now + 10 * MS)
            self.assertLess(now - before, 60 * MS)
        made.read(100, 1, now + 60e3 * MS)
        self.assertEqual(made.entries, 40)
        before, now = now, made.write(9000, 1, now + 70e3 * MS)
        self.assertLess(made.entries, 41)

    def test_each_number_is_a_drive(self):
        self.assertEqual(shingled(3), shingled(3))
        self.assertNotEqual(shingled(3)["shingles"], shingled(4)["shingles"])


if __name__ == "__main__":
    unittest.main()
