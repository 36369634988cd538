"""The drive of today (today/) as its protocol, its designs and its mechanisms should be.

TODAY_BINARY names it.
"""

import json
import os
import random
import struct
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import wire  # noqa: E402

TODAY = os.environ.get("TODAY_BINARY", "")
MS = 1e6


def truth_of(number, *settings):
    return json.loads(subprocess.run([TODAY, "--drive", str(number), *settings, "--truth"], check=True,
                                     capture_output=True, text=True).stdout)


class Drive:
    """A host that speaks the protocol with one process."""

    def __init__(self, number, *options):
        self.process = subprocess.Popen([TODAY, "--drive", str(number), *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        assert self.process.stdout.read(8) == b"SCSIDRV2"
        self.now = self.tag = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.status = self.process.wait(timeout=10)

    def send(self, cdb=b"", kind=0, more=0, issue=None, direction=0, length=0, data=b""):
        self.tag += 1
        issue = self.now if issue is None else issue
        self.process.stdin.write(wire.pack_request(wire.Request(
            issue_ns=0 if kind == 1 else issue, tag=self.tag if kind in (0, 2) else 0, kind=kind, more=more,
            direction=direction, transfer_length=length or len(data), cdb=cdb, data=data)))
        if more:
            return None
        self.process.stdin.flush()
        (length,) = struct.unpack("<I", self.process.stdout.read(4))
        reply = wire.unpack_reply(self.process.stdout.read(length))
        assert reply.complete_ns >= self.now, "time runs backwards"
        self.now = reply.complete_ns
        return reply

    def timed(self, *args, **kwargs):
        """The reply, and how many ms it took."""
        began = self.now
        reply = self.send(*args, **kwargs)
        return reply, (reply.complete_ns - began) / MS

    def read(self, lbn, count, block=512, force=False, **how):
        cdb = struct.pack(">BBQIBB", 0x88, 8 if force else 0, lbn, count, 0, 0)
        return self.timed(cdb, direction=1, length=count * block, **how)

    def write(self, lbn, data, block=512, force=False):
        cdb = struct.pack(">BBQIBB", 0x8A, 8 if force else 0, lbn, len(data) // block, 0, 0)
        return self.timed(cdb, direction=2, data=data)

    def synchronize(self):
        return self.timed(struct.pack(">B9x", 0x35))

    def pause(self, ms):
        self.send(kind=3, issue=self.now + int(ms * MS))


def quiet(number, *settings):
    changed = [word for setting in settings for word in ("--set", setting)]
    return Drive(number, "--no-noise", *changed)


class Today(unittest.TestCase):
    def test_the_designs_reach_from_100_gb_to_30_tb_over_every_path(self):
        truths = [truth_of(number) for number in range(20)]
        self.assertAlmostEqual(min(t["gigabytes"] for t in truths), 100, delta=1)
        self.assertAlmostEqual(max(t["gigabytes"] for t in truths), 30_000, delta=30)
        more = [truth_of(number) for number in range(80)]
        self.assertEqual({t["path"] for t in more}, {"libata", "libata without NCQ", "SAS", "USB"})
        for name in ("ahead_resumes", "zero_latency", "ahead_after_second", "write_cache", "destage_sweeps"):
            self.assertEqual({t[name] for t in more}, {True, False}, name)
        self.assertEqual(truths[7], truth_of(7), "a drive is decided by its number")

    def test_time_is_that_of_the_spindle_and_a_seed_is_a_run(self):
        period = truth_of(7)["period_ns"] / MS
        with quiet(7, "ignores_fua=0") as drive:
            drive.read(1000, 1)
            times = [drive.read(1000, 1, force=True)[1] for _ in range(5)]
        for took in times[1:]:
            self.assertAlmostEqual(took, period, delta=0.001)
        runs = []
        for seed in ("3", "3", "4"):
            with Drive(7, "--seed", seed) as drive:
                runs.append([drive.read(lbn, 8)[1] for lbn in range(10 ** 6, 10 ** 8, 10 ** 7)])
        self.assertEqual(runs[0], runs[1])
        self.assertNotEqual(runs[0], runs[2])

    def test_what_was_read_is_a_hit_and_what_lies_ahead_comes_by_itself(self):
        with quiet(7, "ahead_sectors=512", "ahead_after_second=0", "ahead_doubles=0") as drive:
            miss = drive.read(10 ** 6, 64)[1]
            self.assertLess(drive.read(10 ** 6, 64)[1], 1)
            drive.pause(100)
            self.assertLess(drive.read(10 ** 6 + 64, 64)[1], 1)
            drive.pause(100)
            self.assertLess(drive.read(10 ** 6 + 64 + 8 * 500, 64)[1], 1, "the limit moves with the hits")
            self.assertGreater(miss, 1)
            self.assertGreater(drive.read(10 ** 6 + 128 + 8 * 1600, 64)[1], 1, "far beyond it")

    def test_long_sequential_requests_run_at_the_media_s_rate(self):
        for count in (128, 2048):
            with quiet(7, "ahead_goes_on=1", "bytes_a_us=550", "ahead_sectors=1024", "ahead_after_second=0") as drive:
                lbn, began = 10 ** 7, None
                for i in range(40 * 2048 // count):
                    if i == 4:
                        began, first = drive.now, lbn
                    drive.read(lbn, count)
                    lbn += count
                rate = (lbn - first) * 512 / ((drive.now - began) / 1e9) / 1e6
            self.assertGreater(rate, 60, count)
            self.assertLess(rate, 400, count)

    def test_several_streams_keep_their_read_ahead(self):
        def share_of_hits(resumes):
            with quiet(7, f"ahead_resumes={resumes}", "ahead_goes_on=1", "ahead_sectors=1024",
                       "ahead_after_second=0") as drive:
                at, hits = [10 ** 6, 10 ** 8, 10 ** 9], 0
                for i in range(60):
                    hits += drive.read(at[i % 3], 64)[1] < 1
                    at[i % 3] += 64
                    drive.pause(20)
            return hits / 60
        self.assertGreater(share_of_hits(1), 0.9)

    def test_writes_are_answered_early_until_the_buffer_is_full_and_written_in_another_order(self):
        chance = random.Random(5)
        settings = ["write_cache=1", "dirty_sectors=400", "dirty_extents=100", "destage_idle_ms=1e6",
                    "destage_every=0", "ignores_fua=0"]
        with quiet(7, *settings) as drive:
            lbns = [chance.randrange(10 ** 8) * 8 for _ in range(101)]
            early = [drive.write(lbn, bytes([7]) * 4096)[1] for lbn in lbns]
            self.assertLess(max(early[:100]), 1)
            self.assertGreater(early[100], 1, "it waits until another is on the media")
            self.assertLess(drive.read(lbns[50], 8)[1], 1)
            flushed = drive.synchronize()[1]
            self.assertLess(drive.synchronize()[1], 1)
            self.assertEqual(drive.read(lbns[3], 8, force=True)[0].data, bytes([7]) * 4096)
        with quiet(7, "write_cache=0", "ignores_fua=0") as drive:
            one_by_one = sum(drive.write(lbn, bytes([7]) * 4096)[1] for lbn in lbns[:100])
        self.assertLess(flushed, 0.7 * one_by_one)

    def test_a_part_of_a_physical_block_is_read_first(self):
        with quiet(7, "write_cache=0", "ignores_fua=0") as drive:
            period = truth_of(7)["period_ns"] / MS
            drive.write(8 * 10 ** 6, bytes(4096))
            whole = drive.write(8 * 10 ** 6, bytes(4096))[1]
            drive.read(10 ** 8, 8)
            drive.send(struct.pack(">BBBBBB", 0x12, 0, 0, 0, 36, 0), direction=1, length=36)
            drive.read(8 * 10 ** 6 + 2 ** 20, 8)
            part = drive.write(8 * 10 ** 6 + 8001, bytes(512))[1]
        self.assertAlmostEqual(whole, period, delta=0.6)
        self.assertGreater(part, period)

    def test_32_at_once_are_served_in_an_order_of_its_own_and_the_33rd_is_refused(self):
        chance = random.Random(6)
        number = next(n for n in range(40) if truth_of(n)["path"] == "libata" and truth_of(n)["block_bytes"] == 512)
        lbns = [chance.randrange(truth_of(number)["blocks"] - 8) for _ in range(33)]

        def cdb(lbn):
            return struct.pack(">BBQIBB", 0x88, 0, lbn, 8, 0, 0)

        with quiet(number, "reorders=1", "ahead_sectors=1") as drive:
            tags = []
            for i, lbn in enumerate(lbns):
                first = drive.send(cdb(lbn), more=int(i < 32), direction=1, length=4096)
                tags.append(drive.tag)
            self.assertEqual((first.tag, first.status), (tags[32], 0x28))
            came = [drive.send(kind=1).tag for _ in range(32)]
            together = drive.now
            self.assertEqual(drive.send(kind=1).status, 0xFF)
        self.assertEqual(sorted(came), tags[:32])
        self.assertNotEqual(came, tags[:32])
        with quiet(number, "ahead_sectors=1") as drive:
            for lbn in lbns[:32]:
                drive.read(lbn, 8)
            self.assertLess(together, 0.8 * drive.now)

    def test_completions_lie_on_a_grid_where_there_is_one(self):
        with Drive(7, "--set", "grid_us=125") as drive:
            for lbn in range(10 ** 6, 10 ** 8, 10 ** 7):
                self.assertEqual(drive.read(lbn, 8)[0].complete_ns % 125_000, 0)

    def test_libata_answers_as_libata_does(self):
        number = next(n for n in range(40) if truth_of(n)["path"] == "libata without NCQ")
        with Drive(number) as drive:
            self.assertEqual(drive.send(struct.pack(">BBIBBBB", 0x2B, 0, 5, 0, 0, 0, 0)).status, 0, "SEEK does nothing")
            self.assertEqual(drive.read(1, 1, force=True)[0].status, 2, "no READ with FUA but by NCQ")
            page = drive.send(struct.pack(">BBBBBB", 0x1A, 0, 8, 0, 255, 0), direction=1, length=255).data
            self.assertEqual(page[4:12], bytes([0, 0, 0, 0, 0, 0, 2, 0]), "its descriptor has no number of blocks")
            changed = bytes([0] * 4) + page[12:14] + bytes([page[14] ^ 1]) + page[15:]
            refused = drive.send(struct.pack(">BBBBBB", 0x15, 0x10, 0, 0, len(changed), 0), direction=2, data=changed)
            self.assertEqual(refused.status, 2, "RCD cannot be changed")

    def test_requests_that_are_none_end_it(self):
        for bad in (struct.pack("<I", 5) + bytes(5), struct.pack("<I", 22) + bytes(12) + b"\x07" + bytes(9),
                    struct.pack("<I", 1 << 30)):
            done = subprocess.run([TODAY], input=bad, capture_output=True, check=False, timeout=10)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"today: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
