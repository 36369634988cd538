"""The alien judged by itself: geometry, time, buffers, SCSI and the protocol."""

import io
import json
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import compare_layout  # noqa: E402
import nonsense  # noqa: E402
import wire  # noqa: E402
from drive import Drive  # noqa: E402
from target import Queue, Target  # noqa: E402
from truth import truth  # noqa: E402
from variants import DIFFERENCES, MODERATE, drive as variant, merge  # noqa: E402

SMALL = {
    "heads": 3, "order": "head-first",
    "zones": [
        {"cylinders": 5, "sectors": 20, "track_skew": 3.5, "cylinder_skew": 5.25, "angle": 0.25,
         "spares": 7},
        {"cylinders": 4, "sectors": 16, "track_skew": 2.5, "cylinder_skew": 4.0, "angle": 0.75,
         "spares": 6},
    ],
    "slipped": [[1, 1, 4], [3, 0, 0]], "remapped": [123],
}


def small(**changes):
    return merge(merge(MODERATE, SMALL), changes)


def read_10(lbn, count, fua=False):
    return struct.pack(">BBIBHB", 0x28, 8 if fua else 0, lbn, 0, count, 0)


def write_10(lbn, count, fua=False):
    return struct.pack(">BBIBHB", 0x2A, 8 if fua else 0, lbn, 0, count, 0)


class Host:
    """One command at a time to a drive in this process."""

    def __init__(self, config, seed=1, noise=False, attention=False):
        self.drive = Drive(config, seed, noise)
        self.target = Target(self.drive)
        if not attention:
            self.target.attention = None
        self.session = wire.Session(Queue(self.target))
        self.now = 0
        self.tag = 0

    def send(self, cdb, room=0, data=b"", think_ns=0, lun=0):
        self.now += think_ns
        self.tag += 1
        direction = 2 if data else 1 if room else 0
        reply = self.session.answer(wire.Request(
            self.now, self.tag, cdb=bytes(cdb), direction=direction, lun=lun,
            transfer_length=len(data) or room, data=data))
        self.took = reply.complete_ns - self.now
        self.now = reply.complete_ns
        return reply

    def read(self, lbn, count=1, fua=False, think_ns=0):
        return self.send(read_10(lbn, count, fua), 512 * count, think_ns=think_ns)

    def write(self, lbn, data, fua=False, think_ns=0):
        return self.send(write_10(lbn, len(data) // 512, fua), data=data, think_ns=think_ns)

    def translate(self, address, supplied=0, wanted=5):
        page = struct.pack(">BBHBB", 0x40, 0, 10, supplied, wanted) + address
        sent = self.send((0x1D, 0x10, 0, 0, 14, 0), data=page)
        if sent.status:
            return sent
        return self.send((0x1C, 0x01, 0x40, 0, 14, 0), 14)

    def set_cache(self, wce, rcd, dra):
        page = bytearray(self.send((0x1A, 0x08, 0x08, 0, 24, 0), 24).data[4:])
        page[2] = (4 if wce else 0) | (1 if rcd else 0)
        page[12] = page[12] & ~0x20 | (0x20 if dra else 0)
        return self.send((0x15, 0x10, 0, 0, 24, 0), data=bytes(4) + bytes(page))


def sense_of(reply):
    return reply.sense[2] & 0xF, reply.sense[12], reply.sense[13]


class Geometry(unittest.TestCase):
    def test_every_block_has_one_place_and_every_place_one_block(self):
        for name in list(DIFFERENCES) + [f"random:{seed}" for seed in range(12)]:
            with self.subTest(name):
                platters = Drive(variant(name), noise=False).platters
                held = []  # [first, end) of what lies on the tracks
                for track in platters.tracks:
                    self.assertEqual(len(track.lbns), track.sectors)
                    if isinstance(track.lbns, range):
                        held.append((track.lbns.start, track.lbns.stop))
                    else:
                        held += [(lbn, lbn + 1) for lbn in track.lbns if lbn is not None]
                    for sector in range(0, track.sectors, 1 + track.sectors // 3):
                        if track.lbns[sector] is not None:
                            self.assertEqual(platters.find(track.lbns[sector]), (track, sector))
                held.sort()
                self.assertEqual([first for first, _ in held],
                                 [0] + [end for _, end in held[:-1]])
                self.assertEqual(held[-1][1], platters.blocks)
                for lbn, (track, sector) in platters.remaps.items():
                    self.assertEqual(track.lbns[sector], lbn)
                    self.assertEqual(platters.find(lbn), (track, sector))

    def test_defects_hold_nothing_and_no_block_is_lost(self):
        platters = Drive(small(), noise=False).platters
        self.assertEqual(platters.blocks, 5 * 3 * 20 - 7 + 4 * 3 * 16 - 6)
        track = platters.at[1, 1]
        self.assertIsNone(track.lbns[4])
        self.assertEqual(track.lbns[5], track.lbns[3] + 1)
        self.assertIn(123, platters.remaps)
        home, sector = platters.grown[0]
        self.assertIsNone(home.lbns[sector])
        self.assertEqual(home.lbns[sector - 1], 122)

    def test_skews_add_up_in_sectors(self):
        platters = Drive(small(slipped=0, remapped=0), noise=False).platters
        tracks = platters.tracks
        self.assertAlmostEqual(tracks[0].angle, 0.25)
        self.assertAlmostEqual(tracks[1].angle, 0.25 + 3.5 / 20)
        self.assertAlmostEqual(tracks[3].angle, (0.25 + 2 * 3.5 / 20 + 5.25 / 20) % 1)
        self.assertAlmostEqual(platters.at[5, 0].angle, 0.75)

    def test_orders(self):
        def first(order, **more):
            tracks = Drive(small(order=order, slipped=0, remapped=0, **more), noise=False)
            return [(t.cylinder, t.head) for t in tracks.platters.tracks[:7]]
        self.assertEqual(first("head-first"),
                         [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0)])
        self.assertEqual(first("cylinder-serpentine"),
                         [(0, 0), (0, 1), (0, 2), (1, 2), (1, 1), (1, 0), (2, 0)])
        self.assertEqual(first("surface-serpentine", band=3),
                         [(0, 0), (1, 0), (2, 0), (2, 1), (1, 1), (0, 1), (0, 2)])

    def test_sector_numbers_from_the_index_are_a_rotation(self):
        platters = Drive(small(sector_numbers="index"), noise=False).platters
        for track in platters.tracks:
            numbers = [platters.number_of(track, sector) for sector in range(track.sectors)]
            self.assertEqual(sorted(numbers), list(range(track.sectors)))
            # Sector 0 is the first to begin at or after the index mark.
            zero = numbers.index(0)
            self.assertLess((track.angle_of(zero) + 1e-6) % 1, 1 / track.sectors + 1e-9)
            for sector, number in enumerate(numbers):
                self.assertEqual(platters.sector_of(track, number), sector)

    def test_whole_skews_make_regular_sector_numbers(self):
        zone = {"cylinders": 300, "sectors": 270, "track_skew": 46, "cylinder_skew": 48,
                "angle": 0.5, "spares": 7}
        platters = Drive(merge(small(), {"zones": [zone], "slipped": 0, "remapped": 0,
                                         "sector_numbers": "index"}), noise=False).platters
        number = 135
        for before, track in zip(platters.tracks, platters.tracks[1:]):
            number = (number + (46 if before.cylinder == track.cylinder else 48)) % 270
            self.assertEqual(platters.number_of(track, 0), number)

    def test_an_impossible_drive_is_refused(self):
        with self.assertRaises(ValueError):
            Drive(small(slipped=14))
        with self.assertRaises(ValueError):
            merge(MODERATE, {"arms": {}})


class Time(unittest.TestCase):
    def test_the_same_block_comes_round_once_a_revolution(self):
        host = Host(small())
        host.set_cache(False, True, True)
        ends = []
        for _ in range(20):
            host.read(3)
            ends.append(host.now)
        for gap in (b - a for a, b in zip(ends[1:], ends[2:])):
            self.assertAlmostEqual(gap, 60e9 / MODERATE["rpm"], delta=2)

    def test_completions_tell_angles(self):
        """The time between two blocks, modulo a revolution, is the angle between them."""
        host = Host(variant("serpentine"))
        host.set_cache(False, True, True)
        platters = host.drive.platters
        period = host.drive.spindle.period
        ends = {}
        for lbn in (0, 777, 300_000, 2_000_000, platters.blocks - 1):
            host.read(lbn)
            track, sector = platters.find(lbn)
            ends[lbn] = (host.now / period - track.angle_of(sector) - 1 / track.sectors) % 1
        for value in ends.values():
            difference = compare_layout.circular(value - ends[0])
            self.assertAlmostEqual(difference, 0, delta=1e-5)

    def test_seeks_depend_on_distance_and_direction(self):
        arm = Drive(variant("moderate"), noise=False).arm
        self.assertEqual(arm.seek_time(5, 5), 0)
        curve = [arm.seek_time(0, d) for d in (1, 10, 100, 600, 1000, 3000)]
        self.assertEqual(curve, sorted(curve))
        self.assertGreater(arm.seek_time(1000, 1400), arm.seek_time(1400, 1000))

    def test_the_arm_lands_on_servo_wedges(self):
        drive = Drive(variant("moderate"), noise=False)
        for cylinder in (7, 900, 2000, 1999):
            t = drive.arm.move(drive.platters.at[cylinder, 1], drive.arm.busy_until + 12345)
            wedge = drive.spindle.angle(t) * 96
            self.assertAlmostEqual(wedge, round(wedge), delta=1e-4)

    def test_every_pair_of_heads_differs(self):
        switch = Drive(variant("bands")).arm.switch
        times = {switch[a][b] for a in range(8) for b in range(8) if a != b}
        self.assertEqual(len(times), 56)

    def test_sequential_reads_lose_no_revolution(self):
        """Skews suffice: a long read takes its tracks' time plus the skews, on every variant."""
        for name in list(DIFFERENCES) + [f"random:{seed}" for seed in range(12)]:
            with self.subTest(name):
                drive = Drive(variant(name), noise=False)
                count = 12 * max(track.sectors for track in drive.platters.tracks)
                for lbn in (0, drive.platters.blocks // 2):
                    sectors = drive.media.sectors(lbn, drive.arm.busy_until + 1e9)
                    ends = [end for _, end in zip(range(count), (end for _, end in sectors))]
                    gaps = [b - a for a, b in zip(ends, ends[1:])]
                    remaps = sum(lbn <= r < lbn + count for r in drive.platters.remaps)
                    lost = sum(gap > 0.75 * drive.spindle.period for gap in gaps)
                    self.assertLessEqual(lost, 3 * remaps)

    def test_noise_is_of_the_size_asked_for_and_repeats_with_its_seed(self):
        def ends(seed, noise):
            host = Host(variant("moderate"), seed, noise)
            host.set_cache(False, True, True)
            out = []
            for i in range(300):
                host.read((i * 7919 * 1013) % host.drive.platters.blocks)
                out.append(host.now)
            return out
        self.assertEqual(ends(3, True), ends(3, True))
        self.assertNotEqual(ends(3, True), ends(4, True))
        self.assertEqual(ends(5, False), ends(5, False))
        drive = Drive(variant("moderate"), 1, True)
        drive.arm.wedges = 0
        deviations = []
        for cylinder in range(0, 3000, 3):
            track = drive.platters.at[cylinder, 0]
            start = drive.arm.busy_until
            expected = drive.arm.move_time(track, False)
            if track is not drive.arm.track:
                deviations.append(drive.arm.move(track, start) - start - expected)
        self.assertAlmostEqual(statistics.pstdev(deviations), 22e3, delta=2.5e3)

    @staticmethod
    def completions_of_one_block(config):
        """Modulo the revolution. They would else come at exact whole ones, noise or no noise."""
        host = Host(config, noise=True)
        host.drive.spindle.swing = 0
        host.set_cache(False, True, True)
        late = []
        for _ in range(400):
            host.read(3)
            late.append(host.now % host.drive.spindle.period)
        return late

    def test_completions_are_seen_late_by_the_host_s_delay(self):
        late = self.completions_of_one_block(variant("moderate"))
        middle = statistics.median(late)
        self.assertAlmostEqual(middle - min(late), 6e3, delta=4.5e3)
        self.assertLess(max(late) - middle, 200e3)

    def test_some_completions_are_seen_very_late(self):
        late = self.completions_of_one_block(
            merge(variant("moderate"), {"noise": {"stall_share": 0.1, "stall_mean_us": 2000.0}}))
        middle = statistics.median(late)
        stalled = sum(abs(t - middle) > 200e3 for t in late)  # nine of ten that are
        self.assertTrue(18 < stalled < 60, stalled)

    def test_on_arrival_is_never_slower_and_one_track_takes_one_revolution(self):
        drive = Drive(variant("bands"), noise=False)
        other = Drive(variant("bands"), noise=False)
        for start in range(10**9, 10**9 + 4_000_000, 333_333):
            for d in (drive, other):
                d.arm.track, d.arm.busy_until = d.platters.tracks[0], 0
            arrival = max(drive.media.on_arrival(0, 280, start))
            in_order = [end for _, end in zip(range(280), (e for _, e in
                        other.media.sectors(0, start)))][-1]
            self.assertLessEqual(arrival, in_order + 1)
            self.assertLessEqual(arrival - start, drive.spindle.period * 289 / 288 + 1)

    def test_a_first_command_after_idle_is_slow(self):
        host = Host(small(slow_after_idle={"seconds": 1.0, "ms": 50.0}))
        host.read(3)
        host.read(3, think_ns=10**8)
        quick = host.took
        host.read(3, think_ns=2 * 10**9)
        self.assertGreater(host.took, quick + 45e6)

    def test_recalibration_comes_by_the_clock(self):
        config = small(recalibration={"seconds": 1.0, "ms": 300.0})
        host = Host(config, noise=True)
        host.set_cache(False, True, True)
        slow = 0
        while host.now < 10e9:
            host.read(3)
            slow += host.took > 250e6
        self.assertIn(slow, (9, 10))

    def test_overhead_grows_in_steps(self):
        host = Host(small(bus={"block_us": 0.0}))
        host.read(0, 40)
        host.read(0, 40, think_ns=10**8)
        times = []
        for count in (1, 16, 17, 32, 33):
            host.read(0, count, think_ns=10**7)
            times.append(host.took)
        self.assertEqual(times[0], times[1])
        self.assertEqual(times[2], times[3])
        self.assertAlmostEqual(times[2] - times[1], 13e3, delta=1)
        self.assertAlmostEqual(times[4] - times[3], 13e3, delta=1)


class Buffers(unittest.TestCase):
    def hit(self, host, lbn, count=1, think_ns=0):
        host.read(lbn, count, think_ns=think_ns)
        return host.drive.hit

    def test_hits_and_settings(self):
        host = Host(variant("moderate"))
        self.assertFalse(self.hit(host, 1000, 8))
        self.assertTrue(self.hit(host, 1000, 8))
        self.assertTrue(self.hit(host, 1100, 8, 10**8))   # read ahead
        self.assertFalse(self.hit(host, 999, 2))
        self.assertEqual(host.set_cache(False, False, True).status, 0)
        self.assertFalse(self.hit(host, 20000, 8))
        self.assertTrue(self.hit(host, 20000, 8))
        self.assertFalse(self.hit(host, 20008, 8, 10**8))  # not read ahead
        self.assertEqual(host.set_cache(False, True, True).status, 0)
        for _ in range(3):
            self.assertFalse(self.hit(host, 20000, 8))

    def test_force_unit_access_goes_to_the_media(self):
        host = Host(variant("moderate"))
        host.read(1000, 8)
        host.read(1000, 8, fua=True)
        self.assertFalse(host.drive.hit)
        self.assertGreater(host.took, 1e6)

    def test_read_ahead_stops_where_it_should(self):
        for where, last in (("track", "last_of_track"), ("cylinder", "last_of_cylinder")):
            config = merge(variant("moderate"), {"cache": {
                "read_ahead_ends_at": where, "read_ahead_multiple": 1, "segment_blocks": 5000,
                "read_ahead_blocks": 5000, "read_ahead_on_hit": False}})
            host = Host(config)
            host.read(410)
            end = getattr(host.drive.platters, last)(410)
            self.assertTrue(self.hit(host, end, 1, 10**9))
            self.assertFalse(self.hit(host, end + 1, 1))

    def test_read_ahead_is_lost_when_the_next_miss_comes_too_soon(self):
        config = merge(variant("moderate"), {"cache": {"read_ahead_idle_ms": 5.0}})
        host = Host(config)
        host.read(1000, 4)
        host.read(3_000_000, 1, think_ns=4_000_000)
        self.assertFalse(self.hit(host, 1004, 4))
        host = Host(config)
        host.read(1000, 4)
        host.read(3_000_000, 1, think_ns=6_000_000)
        self.assertTrue(self.hit(host, 1004, 4))

    def test_segments_are_as_many_as_promised(self):
        for replacement in ("lru", "clock"):
            config = merge(variant("moderate"), {"cache": {"replacement": replacement}})
            host = Host(config)
            host.set_cache(False, False, True)
            for i in range(10):
                host.read(i * 100_000)
            self.assertTrue(all(self.hit(host, i * 100_000) for i in range(10)))
            host.read(10 * 100_000)
            held = [host.drive.reads.find(i * 100_000) is not None for i in range(11)]
            self.assertEqual(held, [False] + 10 * [True])

    def test_random_replacement_keeps_the_count(self):
        config = merge(variant("moderate"), {"cache": {"replacement": "random", "segments": 4}})
        host = Host(config)
        host.set_cache(False, False, True)
        for i in range(40):
            host.read(i * 50_000)
            held = sum(host.drive.reads.find(j * 50_000) is not None for j in range(i + 1))
            self.assertEqual(held, min(i + 1, 4))

    def test_writes_are_remembered_and_forget_what_was_read(self):
        for wce in (False, True):
            host = Host(variant("moderate"))
            host.set_cache(wce, False, False)
            host.read(500, 8)
            data = bytes(range(256)) * 8
            host.write(502, data)
            if not wce:
                self.assertGreater(host.took, 0.5e6)
            reply = host.read(500, 8)
            self.assertEqual(reply.data, bytes(1024) + data + bytes(1024))

    def test_a_cached_write_is_quick_until_the_buffer_is_full(self):
        host = Host(merge(variant("moderate"), {"cache": {"write_blocks": 64}}))
        host.set_cache(True, False, False)
        times = []
        for i in range(12):
            host.write(i * 200_000, bytes(512 * 16))
            times.append(host.took)
        self.assertLess(max(times[:4]), 1e6)
        self.assertGreater(statistics.median(times[5:]), 2e6)

    def test_synchronize_empties_the_write_buffer(self):
        host = Host(variant("moderate"))
        host.set_cache(True, False, False)
        host.write(900_000, bytes(4096))
        self.assertTrue(host.drive.writes.runs)
        host.send((0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        self.assertFalse(host.drive.writes.runs)
        self.assertGreater(host.took, 1e6)
        host.send((0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        self.assertLess(host.took, 1e6)

    def test_sequential_reading_streams_at_the_media_rate(self):
        host = Host(variant("moderate"))
        start = host.now
        for i in range(200):
            host.read(i * 16, 16)
        revolutions = (host.now - start) / host.drive.spindle.period
        ideal = 3200 / 402 * (1 + 0.12)
        self.assertLess(revolutions, ideal * 1.6 + 2)


class Scsi(unittest.TestCase):
    def test_unit_attention_once(self):
        host = Host(small(), attention=True)
        self.assertEqual(host.send((0x12, 0, 0, 0, 36, 0), 36).status, 0)
        reply = host.send((0, 0, 0, 0, 0, 0))
        self.assertEqual((reply.status, sense_of(reply)), (2, (6, 0x29, 1)))
        self.assertEqual(host.send((0, 0, 0, 0, 0, 0)).status, 0)

    def test_request_sense_takes_the_attention(self):
        host = Host(small(), attention=True)
        self.assertEqual(host.send((3, 0, 0, 0, 18, 0), 18).data[2], 6)
        self.assertEqual(host.send((0, 0, 0, 0, 0, 0)).status, 0)

    def test_identity(self):
        host = Host(small())
        data = host.send((0x12, 0, 0, 0, 255, 0), 255).data
        self.assertEqual((data[0], data[4], data[8:16]), (0, 31, b"ALIEN   "))
        self.assertEqual(len(data), 36)
        self.assertEqual(host.send((0x12, 1, 0, 0, 255, 0), 255).data[4:], bytes((0, 0x80, 0x83)))
        self.assertIn(b"XN0000001", host.send((0x12, 1, 0x80, 0, 255, 0), 255).data)
        pages = host.send((0x12, 1, 0x83, 0, 255, 0), 255).data
        self.assertEqual(len(pages), 4 + pages[3])
        self.assertEqual(sense_of(host.send((0x12, 1, 0x99, 0, 255, 0), 255)), (5, 0x24, 0))

    def test_capacity(self):
        host = Host(small())
        last, size = struct.unpack(">II", host.send((0x25,) + (0,) * 9, 8).data)
        self.assertEqual((last, size), (host.drive.platters.blocks - 1, 512))
        partial = struct.pack(">BBI2xBx", 0x25, 0, 5, 1)
        (last,) = struct.unpack(">I4x", host.send(partial, 8).data)
        self.assertEqual(last, 59)
        data = host.send((0x9E, 0x10) + (0,) * 11 + (32, 0, 0), 32).data
        self.assertEqual(struct.unpack(">QI20x", data), (host.drive.platters.blocks - 1, 512))

    def test_errors_have_their_sense(self):
        host = Host(small())
        blocks = host.drive.platters.blocks
        reply = host.read(blocks)
        self.assertEqual((reply.status, sense_of(reply)), (2, (5, 0x21, 0)))
        self.assertEqual(struct.unpack(">I", reply.sense[3:7])[0], blocks)
        self.assertEqual(reply.residual, 512)
        self.assertEqual(sense_of(host.read(blocks - 1, 2)), (5, 0x21, 0))
        self.assertEqual(host.read(blocks - 1).status, 0)
        for opcode in (0x04, 0x07, 0x3B, 0xF0):
            length = (6, 10, 10, 16, 16, 12, 10, 10)[opcode >> 5]
            self.assertEqual(sense_of(host.send((opcode,) + (0,) * (length - 1))), (5, 0x20, 0))
        self.assertEqual(sense_of(host.send((0, 0, 0, 0, 0, 0), lun=2)), (5, 0x25, 0))
        self.assertEqual(host.send((0x12, 0, 0, 0, 36, 0), 36, lun=2).data[0], 0x7F)

    def test_medium_error(self):
        host = Host(small(medium_errors=[77]))
        reply = host.read(70, 16)
        self.assertEqual((reply.status, sense_of(reply)), (2, (3, 0x11, 0)))
        self.assertEqual(struct.unpack(">I", reply.sense[3:7])[0], 77)
        self.assertEqual(len(reply.data), 7 * 512)
        self.assertEqual(reply.residual, 9 * 512)
        self.assertEqual(host.read(60, 16).status, 0)
        host.write(77, bytes(512))
        self.assertEqual(host.read(70, 16).status, 0)

    def test_short_forms(self):
        host = Host(small())
        host.send((0x0A, 0, 0, 9, 2, 0), data=b"a" * 512 + b"b" * 512)
        self.assertEqual(host.send((0x08, 0, 0, 10, 1, 0), 512).data, b"b" * 512)
        self.assertEqual(len(host.send((0x08, 0, 0, 10, 0, 0), 1 << 20).data), 256 * 512)
        reply = host.send(read_10(0, 4), 1000)
        self.assertEqual((len(reply.data), reply.residual), (1000, 0))

    def test_mode_pages(self):
        host = Host(variant("serpentine"))
        six = host.send((0x1A, 0, 0x3F, 0, 255, 0), 255).data
        ten = host.send((0x5A, 0, 0x3F, 0, 0, 0, 0, 2, 0, 0), 512).data
        self.assertEqual(six[0], len(six) - 1)
        self.assertEqual(struct.unpack(">H", ten[:2])[0], len(ten) - 2)
        self.assertEqual(six[4:], ten[8:])
        self.assertEqual(sense_of(host.send((0x1A, 0, 0xC8, 0, 255, 0), 255)), (5, 0x39, 0))
        mask = host.send((0x1A, 8, 0x48, 0, 255, 0), 255).data[4:]
        self.assertEqual((mask[2], mask[12]), (5, 0x20))
        geometry = host.send((0x1A, 8, 0x04, 0, 255, 0), 255).data[4:]
        self.assertEqual(int.from_bytes(geometry[2:5], "big"), 2501)
        self.assertEqual(geometry[5], 6)

    def test_mode_select_changes_only_what_may_change(self):
        host = Host(small())
        self.assertEqual(host.set_cache(True, True, True).status, 0)
        page = host.send((0x1A, 8, 0x08, 0, 255, 0), 255).data[4:]
        self.assertEqual((page[2] & 5, page[12] & 0x20), (5, 0x20))
        default = host.send((0x1A, 8, 0x88, 0, 255, 0), 255).data[4:]
        self.assertEqual((default[2] & 5, default[12] & 0x20), (0, 0))
        changed = bytearray(page)
        changed[13] += 1
        reply = host.send((0x15, 0x10, 0, 0, 24, 0), data=bytes(4) + bytes(changed))
        self.assertEqual(sense_of(reply), (5, 0x26, 0))
        reply = host.send((0x15, 0x11, 0, 0, 24, 0), data=bytes(4) + page)
        self.assertEqual(sense_of(reply), (5, 0x24, 0))
        host.session.answer(wire.Request(host.now, 9999, wire.RESET))
        self.assertTrue(host.drive.read_cache)

    def test_translation_there_and_back(self):
        for name in ("moderate", "bands", "old"):
            host = Host(variant(name))
            platters = host.drive.platters
            for lbn in list(range(0, platters.blocks, platters.blocks // 40)) + \
                    list(platters.remaps):
                there = host.translate(struct.pack(">I4x", lbn)).data
                track, sector = platters.find(lbn)
                self.assertEqual(int.from_bytes(there[6:9], "big"), track.cylinder)
                self.assertEqual(there[9], track.head)
                self.assertEqual(struct.unpack(">I", there[10:14])[0],
                                 platters.number_of(track, sector))
                self.assertEqual(bool(there[5] & 0x40), lbn in platters.remaps)
                back = host.translate(there[6:14], 5, 0).data
                self.assertEqual(struct.unpack(">I", back[6:10])[0], lbn)

    def test_translation_of_what_holds_no_block(self):
        host = Host(small())
        place = (1).to_bytes(3, "big") + struct.pack(">BI", 1, 4)
        reply = host.translate(place, 5, 0)
        self.assertEqual((reply.status, reply.data[5] & 0x80, len(reply.data)), (0, 0x80, 6))
        nowhere = (1).to_bytes(3, "big") + struct.pack(">BI", 1, 20)
        self.assertEqual(sense_of(host.translate(nowhere, 5, 0)), (5, 0x26, 0))
        self.assertEqual(sense_of(host.translate(struct.pack(">I4x", 10**6))), (5, 0x21, 0))

    def test_defect_lists(self):
        host = Host(small())

        def listed(bits):
            data = host.send((0x37, 0, bits, 0, 0, 0, 0, 16, 0, 0), 4096).data
            self.assertEqual(struct.unpack(">H", data[2:4])[0], len(data) - 4)
            return [(int.from_bytes(data[i:i + 3], "big"), data[i + 3],
                     struct.unpack(">I", data[i + 4:i + 8])[0]) for i in range(4, len(data), 8)]
        self.assertEqual(listed(0x15), [(1, 1, 4), (3, 0, 0)])
        home, sector = host.drive.platters.grown[0]
        self.assertEqual(listed(0x0D), [(home.cylinder, home.head, sector)])
        self.assertEqual(len(listed(0x1D)), 3)
        reply = host.send((0x37, 0, 0x18, 0, 0, 0, 0, 16, 0, 0), 4096)
        self.assertEqual((reply.status, sense_of(reply)), (2, (1, 0x1C, 0)))
        self.assertEqual(len(reply.data), 4 + 3 * 8)

    def test_what_a_drive_may_lack(self):
        host = Host(small(scsi={"address_translation": False, "defect_list": False, "seek": False,
                                "cache_page": False}))
        self.assertEqual(sense_of(host.translate(bytes(8))), (5, 0x24, 0))
        self.assertEqual(sense_of(host.send((0x37,) + (0,) * 9, 8)), (5, 0x20, 0))
        self.assertEqual(sense_of(host.send((0x2B,) + (0,) * 9)), (5, 0x20, 0))
        self.assertEqual(sense_of(host.set_cache(True, True, True)), (5, 0x26, 0))

    def test_force_unit_access_may_be_lacking(self):
        for reads in (True, False):
            for writes in (True, False):
                host = Host(small(scsi={"force_reads": reads, "force_writes": writes}))
                self.assertEqual(host.send(read_10(1, 1), 512).status, 0)
                self.assertEqual(host.send(read_10(1, 1, fua=True), 512).status, 0 if reads else 2)
                self.assertEqual(host.send(write_10(1, 1, fua=True), data=bytes(512)).status, 0 if writes else 2)
                pages = host.send((0x1A, 0, 0x3F, 0, 255, 0), 255).data
                self.assertEqual(pages[2], 0x10 if reads and writes else 0)

    def test_a_nominal_speed_may_be_told(self):
        host = Host(small(scsi={"nominal_rpm": 7200}))
        self.assertIn(0xB1, host.send((0x12, 1, 0, 0, 255, 0), 255).data[4:])
        self.assertEqual(host.send((0x12, 1, 0xB1, 0, 255, 0), 255).data[4:6], struct.pack(">H", 7200))

    def test_seek_takes_the_arm_there(self):
        host = Host(variant("moderate"))
        host.send(struct.pack(">BBI4x", 0x2B, 0, 3_900_000))
        long = host.took
        host.send(struct.pack(">BBI4x", 0x2B, 0, 3_900_001))
        self.assertGreater(long, 5e6)
        self.assertLess(host.took, 0.5e6)


class Protocol(unittest.TestCase):
    def session(self, name="moderate"):
        target = Target(Drive(variant(name), noise=False))
        target.attention = None
        return wire.Session(Queue(target))

    @staticmethod
    def request(t, tag, lbn, **more):
        return wire.Request(t, tag, cdb=read_10(lbn, 1), direction=1, transfer_length=512, **more)

    def test_frames_survive_packing(self):
        request = wire.Request(123456789012, 7, wire.COMMAND, 1, 2, 1, 2, 4, b"abcdef", b"data")
        again = wire.read_request(io.BytesIO(wire.pack_request(request)))
        for name in wire.Request.__slots__:
            self.assertEqual(getattr(again, name), getattr(request, name))
        reply = wire.Reply(5, 6, 2, b"sense", 9, b"data")
        again = wire.unpack_reply(wire.pack_reply(reply)[4:])
        for name in wire.Reply.__slots__:
            self.assertEqual(getattr(again, name), getattr(reply, name))

    def test_the_layout_of_a_frame(self):
        frame = wire.pack_request(wire.Request(1, 2, 0, 1, 3, 2, 1, 512, b"\x28" + bytes(9)))
        self.assertEqual(frame.hex(), "20000000" "0100000000000000" "02000000" "00" "01" "03" "02"
                         "01" "0a" "00020000" "28000000000000000000")
        frame = wire.pack_reply(wire.Reply(1, 2, 0, b"", 3, b"x"))
        self.assertEqual(frame.hex(), "19000000" "0100000000000000" "02000000" "00" "00" "0000"
                         "03000000" "01000000" "78")

    def test_several_outstanding(self):
        session = self.session()
        for tag in (1, 2, 3):
            self.assertIsNone(session.answer(self.request(100, tag, tag * 900_000, more=1)))
        replies = [session.answer(self.request(100, 4, 5))]
        replies += [session.answer(wire.Request(kind=wire.WAIT)) for _ in range(3)]
        self.assertEqual([reply.tag for reply in replies], [1, 2, 3, 4])
        times = [reply.complete_ns for reply in replies]
        self.assertEqual(times, sorted(times))
        nothing = session.answer(wire.Request(kind=wire.WAIT))
        self.assertEqual((nothing.status, nothing.tag, nothing.complete_ns), (0xFF, 0, times[-1]))

    def test_arrivals_while_others_are_in_service(self):
        session = self.session()
        self.assertIsNone(session.answer(self.request(0, 1, 900_000, more=1)))
        none = session.answer(wire.Request(500_000, kind=wire.ADVANCE))
        self.assertEqual((none.status, none.tag, none.complete_ns), (0xFF, 0, 500_000))
        first = session.answer(self.request(500_000, 2, 1_800_000))
        self.assertEqual(first.tag, 1)
        self.assertGreater(first.complete_ns, 500_000)
        second = session.answer(wire.Request(10**9, kind=wire.ADVANCE))
        self.assertEqual(second.tag, 2)
        self.assertLess(second.complete_ns, 10**9)

    def test_attributes_and_policies(self):
        session = self.session("serpentine")  # shortest seek first
        session.answer(self.request(0, 1, 10, more=1))
        session.answer(self.request(0, 2, 4_000_000, more=1))
        session.answer(self.request(0, 3, 500_000, more=1))
        session.answer(self.request(0, 4, 2_000_000, more=1, attribute=2))
        session.answer(self.request(0, 5, 20, more=1))
        session.answer(self.request(0, 6, 3_000_000, more=1, attribute=1))
        order = [session.answer(wire.Request(kind=wire.WAIT)).tag for _ in range(6)]
        self.assertEqual(order[0], 6)
        self.assertEqual(set(order[1:4]), {1, 2, 3})
        self.assertEqual(order[4:], [4, 5])
        self.assertEqual(order[1], 2)

    def test_a_full_queue_says_so(self):
        session = self.session()
        for tag in range(32):
            session.answer(self.request(0, tag, tag * 1000, more=1))
        full = session.answer(self.request(0, 99, 5))
        self.assertEqual((full.tag, full.status, full.complete_ns), (99, 0x28, 0))

    def test_reset_drops_everything(self):
        session = self.session()
        session.answer(self.request(0, 1, 900_000, more=1))
        reply = session.answer(wire.Request(1000, 77, wire.RESET))
        self.assertEqual((reply.tag, reply.status), (77, 0))
        nothing = session.answer(wire.Request(kind=wire.WAIT))
        self.assertEqual(nothing.status, 0xFF)
        attention = session.answer(self.request(reply.complete_ns, 1, 0))
        self.assertEqual(sense_of(attention), (6, 0x29, 3))

    def test_rules_that_a_tool_may_break(self):
        def broken(*requests):
            session = self.session()
            with self.assertRaises(wire.ProtocolError):
                for request in requests:
                    session.answer(request)
        broken(self.request(10**6, 1, 0), self.request(0, 2, 0))
        broken(self.request(0, 1, 0, more=1), self.request(0, 1, 9))
        for spoiled in ({"kind": 4}, {"kind": 1, "more": 1}, {"direction": 3}, {"cdb": b"12345"},
                        {"kind": 1, "issue_ns": 5}, {"kind": 3, "tag": 1}):
            with self.assertRaises(wire.ProtocolError, msg=str(spoiled)):
                wire.read_request(io.BytesIO(wire.pack_request(wire.Request(**{
                    **({"cdb": bytes(6)} if "kind" not in spoiled else {}), **spoiled}))))
        with self.assertRaises(wire.ProtocolError):
            wire.read_request(io.BytesIO(b"\x20\0\0\0abc"))

    def test_as_a_program(self):
        program = [sys.executable, os.path.join(HERE, "alien.py"), "--no-noise"]
        requests = b"".join(wire.pack_request(r) for r in (
            wire.Request(0, 1, cdb=bytes(6)), self.request(10**7, 2, 1234)))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "truth.json")
            done = subprocess.run(program + ["--truth", path, "--set", "heads=2"], input=requests,
                                  capture_output=True, check=True)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(json.load(file)["heads"], 2)
        self.assertEqual(done.stdout[:8], b"SCSIDRV2")
        at, replies = 8, []
        while at < len(done.stdout):
            (length,) = struct.unpack_from("<I", done.stdout, at)
            replies.append(wire.unpack_reply(done.stdout[at + 4:at + 4 + length]))
            at += 4 + length
        self.assertEqual([r.tag for r in replies], [1, 2])
        self.assertEqual([r.status for r in replies], [2, 0])
        self.assertEqual(len(replies[1].data), 512)
        bare = subprocess.run(program + ["--without", "page40h", "--without", "ncq"], input=wire.pack_request(
            wire.Request(0, 1, cdb=bytes(6))), capture_output=True, check=True)
        self.assertEqual(bare.stdout[:8], b"SCSIDRV2")
        bad = subprocess.run(program + ["--variant", "nobody"], capture_output=True, check=False)
        self.assertEqual(bad.returncode, 1)
        self.assertIn(b"nobody", bad.stderr)


class Truth(unittest.TestCase):
    def test_seek_times_are_what_the_arm_takes(self):
        drive = Drive(variant("moderate"), noise=False)
        points = {point["cylinders"]: point for point in truth(drive)["seek"]}
        for distance in (1, 10):
            times = []
            for i in range(400):
                start = (i * 37) % (drive.platters.cylinders - distance)
                drive.arm.track = drive.platters.at[start, 0]
                begin = drive.arm.busy_until + i * 100_003
                there = drive.platters.at[start + distance, 0]
                times.append((drive.arm.move(there, begin) - begin) / 1e6)
            point = points[distance]
            # Outward seeks, half of the truth's mean, are the quicker ones by 2 %.
            self.assertAlmostEqual(statistics.mean(times), point["mean_ms"] * 1.01, delta=0.02)
            self.assertGreater(min(times), point["min_ms"] - 1e-6)
            self.assertLess(max(times), point["max_ms"] + 1e-3)

    def test_tracks_are_in_the_order_of_blocks(self):
        for name in DIFFERENCES:
            drive = Drive(variant(name), noise=False)
            tracks = truth(drive)["tracks"]
            lbn = 0
            moved = sorted(drive.platters.remaps)
            for first, count, *_ in tracks:
                # A moved block leaves a hole in the sequence.
                while lbn in moved:
                    lbn += 1
                self.assertEqual(first, lbn)
                lbn = first + count + sum(first <= m < first + count + 1 for m in moved)
            self.assertGreaterEqual(lbn, drive.platters.blocks - 1)


class Comparison(unittest.TestCase):
    def setUp(self):
        self.truth = truth(Drive(small(), noise=False))
        self.layout = [(t[0], t[1], t[4], t[5], (t[7] + 0.37) % 1) for t in self.truth["tracks"]]
        self.bounds = dict(missing=0, invented=0, size_wrong=0, place_wrong=0,
                           angle_max_rev=0.01, angle_rms_rev=0.003)

    def broken(self, layout):
        return [s.split(":")[0] for s in
                compare_layout.beyond(compare_layout.compare(self.truth, layout), self.bounds)]

    def test_the_truth_agrees_with_itself_up_to_one_offset(self):
        self.assertEqual(self.broken(self.layout), [])
        result = compare_layout.compare(self.truth, self.layout)
        self.assertAlmostEqual(result["offset_rev"], 0.37)
        self.assertLess(result["angle_max_rev"], 1e-9)

    def test_each_kind_of_error_is_seen(self):
        def spoil(index, **changes):
            names = ("first", "sectors", "cylinder", "head", "angle")
            track = dict(zip(names, self.layout[index]), **changes)
            return self.layout[:index] + [tuple(track.values())] + self.layout[index + 1:]
        self.assertEqual(self.broken(self.layout[:-1]), ["missing"])
        self.assertEqual(self.broken(spoil(3, first=self.layout[3][0] + 1)),
                         ["missing", "invented"])
        self.assertEqual(self.broken(spoil(3, sectors=99)), ["size_wrong"])
        self.assertEqual(self.broken(spoil(3, head=2)), ["place_wrong"])
        self.assertIn("angle_max_rev", self.broken(spoil(3, angle=self.layout[3][4] + 0.03)))

    def test_as_a_program(self):
        lines = ["first_lbn sectors cylinder head angle_rev"] + \
            [f"{t[0]} {t[1]} {t[2]} {t[3]} {t[4]:.9f}" for t in self.layout]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "truth.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(self.truth, file)

            def status(text):
                return subprocess.run(
                    [sys.executable, os.path.join(HERE, "compare_layout.py"), "--truth", path],
                    input=text.encode(), capture_output=True, check=False).returncode
            self.assertEqual(status("\n".join(lines)), 0)
            self.assertEqual(status("\n".join(lines[:-1])), 1)
            self.assertEqual(status("nothing"), 2)
            self.assertEqual(status("1 2 3"), 2)


class Nonsense(unittest.TestCase):
    """Each fault shows on the wire or in an answer; what the tool does with it is tested elsewhere."""

    def run_fault(self, fault, requests, after=0):
        done = subprocess.run(
            [sys.executable, os.path.join(HERE, "nonsense.py"), "--fault", fault, "--no-noise",
             "--after", str(after), "--set", "scsi.unit_attention=false"],
            input=b"".join(map(wire.pack_request, requests)), capture_output=True, check=False)
        return done.stdout

    def test_broken_frames(self):
        honest = self.run_fault("tape", [wire.Request(5, 1, cdb=bytes(6))])
        for fault, (_, statuses) in nonsense.FAULTS.items():
            if statuses is nonsense.BROKEN:
                with self.subTest(fault):
                    out = self.run_fault(fault, [wire.Request(5, 1, cdb=bytes(6))])
                    self.assertNotEqual(out, honest)

    def test_lies_in_answers(self):
        cdbs = {"garbage-inquiry": (0x12, 0, 0, 0, 36, 0), "short-inquiry": (0x12, 0, 0, 0, 36, 0),
                "tape": (0x12, 0, 0, 0, 36, 0), "capacity-zero": (0x25,) + (0,) * 9,
                "block-size-zero": (0x25,) + (0,) * 9, "capacity-changes": (0x25,) + (0,) * 9,
                "lba-lies": (0x25,) + (0,) * 9, "not-ready": (0,) * 6, "always-busy": (0,) * 6,
                "attention-for-ever": (0,) * 6, "unreadable": read_10(0, 1),
                "garbage-sense": (0,) * 6, "mode-garbage": (0x1A, 8, 8, 0, 24, 0),
                "defects-garbage": (0x37, 0, 0x1D, 0, 0, 0, 0, 4, 0, 0), "no-time": (0,) * 6,
                "random-time": (0,) * 6}
        for fault, (_, statuses) in nonsense.FAULTS.items():
            if statuses is nonsense.BROKEN or fault.startswith("translation"):
                continue
            with self.subTest(fault):
                host = Host(variant("moderate"))
                honest = host.send(cdbs[fault], 512)
                host = Host(variant("moderate"))
                host.target = nonsense.LyingTarget(host.drive, fault)
                host.target.attention = None
                host.session = wire.Session(Queue(host.target))
                lie = host.send(cdbs[fault], 512)
                self.assertNotEqual((honest.complete_ns, honest.status, honest.sense, honest.data),
                                    (lie.complete_ns, lie.status, lie.sense, lie.data))

    def test_false_translations(self):
        for fault in ("translation-garbage", "translation-constant"):
            host = Host(variant("moderate"))
            host.target = nonsense.LyingTarget(host.drive, fault)
            host.target.attention = None
            host.session = wire.Session(Queue(host.target))
            answers = {host.translate(struct.pack(">I4x", lbn)).data for lbn in (5, 10**6, 5, 7)}
            self.assertEqual(len(answers), 4 if fault == "translation-garbage" else 1)


class Independence(unittest.TestCase):
    def test_only_python_s_own_library_and_this_folder(self):
        own = {name[:-3] for name in os.listdir(HERE) if name.endswith(".py")}
        for name in sorted(own):
            with open(os.path.join(HERE, name + ".py"), encoding="utf-8") as file:
                for line in file:
                    words = line.split()
                    if words[:1] in (["import"], ["from"]) and not line.startswith(" "):
                        modules = line.replace(",", " ").split()[1:] if words[0] == "import" \
                            else [words[1]]
                        for module in modules:
                            if module in ("as", "#", "noqa:", "E402"):
                                continue
                            self.assertTrue(module in own or module in sys.stdlib_module_names,
                                            f"{name}.py imports {module}")


if __name__ == "__main__":
    unittest.main()
