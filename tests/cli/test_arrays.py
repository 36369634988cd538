"""Arrays of models: what `replay --array` says of them, and what it refuses."""

import json
import unittest

from harness import USAGE, PlatterTest


class Arrays(PlatterTest):
    def setUp(self):
        super().setUp()
        self.platter("truth", "virtual:quantum-atlas10k?imperfections=none", "-o", "drive.json")
        lines = [f"{'W' if i % 3 == 0 else 'R'} Miss {i * 7919 % 2000000 * 8} 8 0 0\n" for i in range(300)]
        with open(self.path("t.trace"), "w", encoding="ascii") as trace:
            trace.writelines(lines)

    def replay(self, *words, members=3):
        done = self.platter("replay", "t.trace", *words, "--json", "--force", "-o", "r.csv", "--on",
                            *["drive.json"] * members)
        return json.loads(done)

    def test_a_summary_and_a_result_say_what_array_it_was(self):
        said = self.replay("--array", "raid5", "--stripe", "64", "--missing", "1", "--phase-seed", "7")
        self.assertEqual(said["requests"], 300)
        array = said["array"]
        self.assertGreater(array.pop("commands"), 300)
        self.assertEqual(array, {"level": "raid5", "members": 3, "chunk_bytes": 65536, "stripe_cache": 256,
                                 "phase_seed": 7, "missing": 1})
        again = json.loads(self.platter("result", "show", "r.csv", "--json"))
        self.assertEqual(again["array"]["missing"], 1)

    def test_the_same_seed_is_the_same_array(self):
        means = [self.replay("--array", "raid1", "--phase-seed", seed)["all"]["mean_ms"] for seed in (1, 1, 2)]
        self.assertEqual(means[0], means[1])
        self.assertNotEqual(means[0], means[2])

    def test_more_members_read_sooner(self):
        two, five = (self.replay("--array", "raid0", "--depth", "8", members=n)["all"]["mean_ms"] for n in (2, 5))
        self.assertLess(five, two)

    def test_what_is_no_array_is_refused(self):
        other = self.read_json("drive.json")
        other["identity"]["block_bytes"] = 4096
        self.write("other.json", json.dumps(other))
        three = ["drive.json"] * 3
        for words, sentence in ((("--array", "raid5", *three[:2]), "at least 3 members"),
                                (("--array", "raid0", "--on", "drive.json"), "at least 2 members"),
                                (("--array", "raid1", "drive.json"), "at least 2 members"),
                                (("--array", "raid1", "drive.json", "other.json"), "of one block size"),
                                (("--array", "raid1", "--host-queue", "default", *three[:2]), "--host-queue"),
                                (("--array", "raid1", "--stripe", 64, *three[:2]), "is of raid0 and raid5"),
                                (("--array", "raid0", "--stripe-cache", 64, *three[:2]), "is of raid5"),
                                (("--array", "raid1", "--rebuild-tick", 4, *three[:2]), "paces a rebuild"),
                                (("--on", "drive.json", "drive.json"), "only an array has"),
                                (("--array", "raid0", "--missing", 0, *three), "can spare"),
                                (("--array", "raid1", "--missing", 2, *three[:2]), "0 to 1"),
                                (("--array", "raid5", "--missing", 0, "--rebuild", 1, *three), "cannot spare"),
                                (("--array", "raid5", "--stripe", 6, *three), "--stripe"),
                                (("--array", "raid0", "--on", "virtual:quantum-atlas10k"), "is a device"),
                                (("--array", "raid0", "--delay-seed", 2, "--on", "drive.json"), "--delay-seed"),
                                ((), "nothing says what the trace is replayed on")):
            with self.subTest(words=words):
                self.fails(USAGE, sentence, "replay", "t.trace", "-o", "r.csv", "--force", *words)


if __name__ == "__main__":
    unittest.main()
