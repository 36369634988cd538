"""The modern alien judged by itself: where blocks are, what moves, what its memory holds, what it answers."""

import copy
import math
import os
import random
import statistics
import struct
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import judge_modern  # noqa: E402
import wire  # noqa: E402
from modern_disks import Flaws, rank_of_sector, runs_of, sector_of_rank  # noqa: E402
from modern_drive import ModernDrive  # noqa: E402
from modern_memory import ReadMemory  # noqa: E402
from modern_target import ModernTarget  # noqa: E402
from modern_truth import truth  # noqa: E402
from modern_variants import COMMON, designed  # noqa: E402
from target import Queue  # noqa: E402

ARM = {"g": 100.0, "mm_per_ms": 2.5, "outward_factor": 1.01, "settle_ms": 0.6, "switch_ms": 0.4,
       "write_settle_ms": 0.2, "overshoot_share": 0.0, "overshoot_ms": 0.0}


def full_at(sectors, radius_mm):
    """The density at which a track of this radius just holds so many."""
    return sectors / (0.4 * 2 * math.pi * radius_mm)


def small(**disk):
    """Some hundred tracks on surfaces of different pitch and density, without flaws."""
    config = copy.deepcopy(COMMON)
    config["disk"] = {
        "blocks": 24_000, "block_bytes": 512, "physical_bytes": 512, "outer_mm": 40.0, "inner_mm": 39.99,
        "wedges": 96, "burst_share": 0.06, "twist_rev": 0.002, "order": "FF", "band_mm": 0.0009,
        "borders": "anywhere", "sectors_per_mm": 0.4, "formats": [100, 99, 98],
        "surfaces": [{"pitch_nm": pitch, "density": density, "offset_um": offset, "index_rev": index}
                     for pitch, density, offset, index in
                     ((90.0, full_at(100, 39.996), 0.0, 0.0), (92.0, full_at(100, 39.9985), 1.0, 0.003),
                      (88.0, full_at(99, 39.993), -2.0, -0.002))],
        "track_skew": 11, "head_skew": 17, "ring_skew": 23}
    config["disk"].update(disk)
    config["arm"] = dict(ARM)
    config["spare"] = {"pools": 0, "tracks": 0, "moved": 0}
    return config


def changed(config, **sections):
    for name, values in sections.items():
        config[name].update(values)
    return config


def drive(config, noise=False, seed=1):
    return ModernDrive(config, seed, noise)


class Host:
    """One command at a time, through the session as a tool has it."""

    def __init__(self, config, noise=False, attention=False):
        self.drive = drive(config, noise)
        self.target = ModernTarget(self.drive)
        if not attention:
            self.target.attention = None
        self.session = wire.Session(Queue(self.target))
        self.now = self.tag = 0

    def send(self, cdb, room=0, data=b"", think_ns=0):
        self.now += think_ns
        self.tag += 1
        reply = self.session.answer(wire.Request(
            self.now, self.tag, cdb=bytes(cdb), direction=2 if data else 1 if room else 0,
            transfer_length=len(data) or room, data=data))
        self.took, self.now = reply.complete_ns - self.now, reply.complete_ns
        return reply

    def read(self, lbn, count=1, fua=False, think_ns=0):
        cdb = struct.pack(">BBQIBB", 0x88, 8 if fua else 0, lbn, count, 0, 0)
        return self.send(cdb, count * self.target.block_bytes, think_ns=think_ns)

    def hit(self, lbn, count=1, **more):
        self.read(lbn, count, **more)
        return self.drive.hit

    def verify(self, lbn, flags=0):
        return self.send(struct.pack(">BBIBHB", 0x2F, flags, lbn, 0, 1, 0))


def sense_of(reply):
    return reply.sense[2] & 0xF, reply.sense[12], reply.sense[13]


class Places(unittest.TestCase):
    def test_every_sector_has_a_place_of_its_own(self):
        config = changed(small(), flaws={"singles": 30, "scratches": 3, "losses": 4, "left_out": 5},
                         spare={"pools": 2, "tracks": 1, "moved": 9})
        disks = drive(config).disks
        places = {(p.head, p.cylinder, p.sector) for p in map(disks.place, range(disks.sectors))}
        self.assertEqual(len(places), disks.sectors)
        self.assertEqual(len(disks.moved), 9)
        for run, following in zip(disks.runs, disks.runs[1:]):
            held = run.tracks * run.sectors - sum(count for _, count in run.holes)
            self.assertEqual(run.first + held, following.first)

    def test_tracks_hold_no_more_than_their_circumference_and_nearly_that(self):
        for config in (small(), designed(6), designed(12)):
            disk = config["disk"]
            for number, surface in enumerate(drive(config).disks.surfaces):
                density = disk["sectors_per_mm"] * disk["surfaces"][number]["density"]
                for track in range(0, surface.tracks, 1 + surface.tracks // 50):
                    fits = density * 2 * math.pi * surface.radius_mm(track)
                    sectors = surface.sectors_at(track)
                    self.assertIn(sectors, disk["formats"])
                    if sectors != disk["formats"][-1]:
                        self.assertLessEqual(sectors, fits * 1.0001)
                    larger = [f for f in disk["formats"] if f > sectors]
                    if larger and disk["borders"] == "anywhere":
                        self.assertGreater(larger[-1], fits * 0.9999)

    def test_surfaces_have_borders_of_their_own(self):
        starts = [tuple(surface.zone_starts) for surface in drive(small()).disks.surfaces]
        self.assertEqual(len(set(starts)), 3)

    def test_orders(self):
        def bands(order):
            """Surfaces and directions; two bands in a row of one surface and direction are one here."""
            runs = drive(small(order=order)).disks.runs
            out = [f"{run.surface}{'+' if run.step == 1 else '-'}" for run in runs]
            return "".join(here for here, before in zip(out, [None] + out) if here != before)[:12]
        self.assertEqual(bands("FF"), "0+1+2+0+1+2+")
        self.assertEqual(bands("AF"), "0+1-2+0+1-2+")
        # Where the order of surfaces turns, a surface has two bands in a row.
        self.assertEqual(bands("FA"), "0+1+2+1+0+1+")
        self.assertEqual(bands("AA"), "0+1-2+1-0+1-")

    def test_bands_lie_between_the_same_radii(self):
        disks = drive(small()).disks
        for ring in range(5):
            for number, surface in enumerate(disks.surfaces):
                tracks = disks._tracks_of_band(ring, number)
                outside = 40.0 - ring * 0.0009
                self.assertLess(abs(outside - surface.radius_mm(tracks.start)), surface.pitch_mm)
                self.assertGreater(surface.radius_mm(tracks.stop - 1), outside - 0.0009)
        counts = {len(disks._tracks_of_band(ring, number)) for ring in range(9) for number in range(3)}
        self.assertEqual(counts, {9, 10, 11})

    def test_head_first_is_a_band_of_one_track(self):
        config = small(band_mm=90e-6, borders="bands", blocks=3000)
        for surface in config["disk"]["surfaces"]:
            surface["pitch_nm"] = 90.0
        order = [(disks_run.track, disks_run.surface) for disks_run in drive(config).disks.runs[:7]]
        self.assertEqual(order, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0)])

    def test_skews_are_whole_wedges(self):
        disks = drive(small(twist_rev=0.0)).disks
        ten = disks.runs[0]
        self.assertEqual((ten.angle, ten.tracks), (0.0, 10))
        self.assertAlmostEqual(ten.angle_step, 11 / 96)
        self.assertAlmostEqual(disks.runs[1].angle, (9 * 11 + 17) % 96 / 96 + 0.003)
        third = next(run for run in disks.runs[1:] if run.surface == 0)
        tracks = [len(disks._tracks_of_band(0, number)) - 1 for number in range(3)]
        self.assertAlmostEqual(third.angle, (sum(tracks) * 11 + 2 * 17 + 23) % 96 / 96)

    def test_skew_goes_on_across_the_runs_of_a_band(self):
        """...in both directions, over zone borders and tracks with holes."""
        config = changed(small(order="AA"), flaws={"singles": 40})
        surfaces = drive(config).disks.surfaces
        tracks = [(run.surface, run.track + k * run.step, run.step, (run.angle + k * run.angle_step))
                  for run in drive(config).disks.runs for k in range(run.tracks)]
        neighbours = {1: 0, -1: 0}
        for (surface, track, step, angle), (other, following, _, behind) in zip(tracks, tracks[1:]):
            if surface == other and following == track + step and following // 10 == track // 10:
                skew = 11 / 96 + step * 0.002 / surfaces[surface].tracks
                if abs(judge_modern.circular(behind - angle - 23 / 96)) > 1e-3:  # not from ring to ring
                    self.assertAlmostEqual(judge_modern.circular(behind - angle - skew), 0, places=9)
                    neighbours[step] += 1
        self.assertGreater(min(neighbours.values()), 50)

    def test_a_burst_lies_between_sectors_where_a_wedge_begins(self):
        disks = drive(small()).disks
        self.assertAlmostEqual(disks.ends(99, 100), 1.0)
        for sector in range(99):
            gap = disks.begins(sector + 1, 100) - disks.ends(sector, 100)
            at_wedge = (sector + 1) * 96 % 100 == 0
            self.assertAlmostEqual(gap, 0.06 / 96 if at_wedge else 0.0)

    def test_a_track_keeps_a_tenth(self):
        config = small()
        surfaces = drive(config).disks.surfaces
        flaws = Flaws(config, surfaces)
        flaws._hole(0, 5, 0, 60)
        flaws._hole(0, 5, 40, 60)
        flaws._hole(0, 5, 50, 20)
        self.assertEqual(flaws.by_surface[0], {5: [(0, 70)]})

    def test_a_track_that_is_left_out_doubles_the_skew(self):
        config = small(twist_rev=0.0)
        whole = drive(config).disks
        broken = drive(changed(config, flaws={"left_out": 40})).disks
        here = lambda disks: {(r.surface, r.track + r.step * k): (r.angle + k * r.angle_step) % 1  # noqa: E731
                              for r in disks.runs for k in range(r.tracks)}
        angles, other = here(broken), here(whole)
        common = angles.keys() & other.keys()
        self.assertGreater(len(other.keys() - angles.keys()), 20)
        for track in common:
            self.assertAlmostEqual(judge_modern.circular(angles[track] - other[track]), 0, places=9)

    def test_holes_keep_their_angle(self):
        self.assertEqual(runs_of([1, 2, 5, 7, 8, 9]), [(1, 2), (5, 1), (7, 3)])
        holes = ((3, 2), (9, 1))
        on_track = [sector_of_rank(holes, rank) for rank in range(9)]
        self.assertEqual(on_track, [0, 1, 2, 5, 6, 7, 8, 10, 11])
        self.assertEqual([rank_of_sector(holes, sector) for sector in on_track], list(range(9)))

    def test_flaws_of_each_kind_are_there(self):
        config = changed(small(), flaws={"losses": 25})
        lost = [sum(count for _, count in run.holes) / run.sectors for run in drive(config).disks.runs if run.holes]
        self.assertGreater(len(lost), 15)
        self.assertGreater(max(lost), 0.5)
        self.assertLessEqual(max(lost), 0.9)
        disks = drive(changed(small(), flaws={"losses": 0, "scratches": 3})).disks
        scratched = sorted((run.surface, run.track) for run in disks.runs if run.holes)
        self.assertGreater(sum((s, t + 1) in scratched for s, t in scratched), len(scratched) / 2)

    def test_designs(self):
        kinds, reaches, sizes = set(), set(), set()
        for number in range(1, 21):
            with self.subTest(number):
                config = designed(number)
                disks = drive(config).disks
                disk, scsi = config["disk"], config["scsi"]
                kinds.add("head-first" if len(disks._tracks_of_band(9, 0)) == 1 else disk["order"])
                reaches.add((scsi["force_reads"], scsi["ignores_force"], scsi["verify"]))
                size = disk["blocks"] * disk["block_bytes"] / 1e9
                sizes.add(round(size, -1))
                self.assertEqual(size > 2000, number == 20)
                self.assertLess(disks.bands, 120_000)
                self.assertEqual(designed(number), config)
        self.assertEqual(kinds, {"FF", "FA", "AF", "AA", "head-first"})
        self.assertGreater(len(sizes), 8)
        self.assertLessEqual({(True, False, "media"), (False, False, "media"), (True, True, "memory")}, reaches)


class Time(unittest.TestCase):
    def test_completions_tell_the_angles_of_the_truth(self):
        """...as the judge reckons them from the runs, without the drive's help."""
        for number in (3, 6, 10, 17, 20):
            with self.subTest(number):
                d = drive(designed(number))
                real, chance = judge_modern.Truth(truth(d)), random.Random(number)
                last = d.disks.blocks_a_sector - 1
                lbns = [lbn - lbn % (last + 1) for lbn in (chance.randrange(d.disks.blocks - 8) for _ in range(60))]
                lbns += [n * (last + 1) for n in d.disks.moved_numbers[:9]]
                lbns += [run.first * (last + 1) + 40 * (last + 1) for run in d.disks.runs if run.holes][:40]
                now, off = 1e9, []
                for lbn in lbns:
                    d.ahead = None
                    done = d.read(lbn, 1, now, True)
                    sectors = d.disks.place(lbn // (last + 1)).sectors  # in the spare area for a moved one
                    off.append(done / d.spindle.period - real.place(lbn)[3] - 1 / sectors)
                    place = d.disks.place(lbn // (last + 1))
                    begins = place.angle + d.disks.begins(place.sector, place.sectors)
                    self.assertAlmostEqual(judge_modern.circular(real.place(lbn)[3] - begins), 0, places=9)
                    now = done + chance.uniform(0, 1e7)
                constant = judge_modern.circular_median(off)
                self.assertLess(max(abs(judge_modern.circular(o - constant)) for o in off), d.disks.burst / d.disks.wedges * 1.05)

    def test_sequential_reads_lose_no_revolution(self):
        for number in (1, 2, 10, 11, 18, 20):
            with self.subTest(number):
                config = changed(designed(number), flaws={"singles": 0, "scratches": 0, "losses": 0, "left_out": 0},
                                 spare={"pools": 0})
                d = drive(config)
                for at in (0, d.disks.sectors // 3, d.disks.sectors * 9 // 10):
                    tracks, end = 0, at + 40 * d.disks.run_of(at).sectors
                    t = start = d.spindle.when(d.disks.place(at).angle, d._read_media(at, at + 1, 1e9, False))
                    while at < end:
                        _, count, _, t = d._take_from_track(at, end, t)
                        at += count
                        tracks += 1
                    self.assertLess((t - start) / d.spindle.period, tracks * 1.45 + 1)

    def test_the_spindle_wanders_and_its_time_is_found(self):
        config = changed(small())
        config["spindle"] = [{"ppm": 4.0, "seconds": 1000.0}]
        spindle = drive(config, noise=True).spindle
        steady = drive(config).spindle
        off = [spindle.turns(t) - t / spindle.period - spindle.phase for t in (i * 1e10 for i in range(100))]
        self.assertAlmostEqual(max(off) - min(off), 2 * 4e-6 * 1e12 / 6.2832 / spindle.period, delta=0.01)
        self.assertEqual(steady.waves, [])
        for i in range(50):
            t = i * 7.7e9
            then = spindle.when(0.4, t)
            self.assertAlmostEqual(judge_modern.circular(spindle.angle(then) - 0.4), 0, delta=1e-9)
            self.assertLess(then - t, spindle.period * 1.0001)

    def test_seeks_go_by_radius_not_by_track(self):
        arm = drive(designed(8)).arm
        a, b = arm.surfaces[0], arm.surfaces[1]
        arm.head, arm.cylinder = 0, a.tracks // 2
        level = round((b.outer_mm - a.radius_mm(a.tracks // 2) + b.offset_mm - a.offset_mm) / b.pitch_mm)
        self.assertNotEqual(level, arm.cylinder)
        self.assertGreater(abs(b.offset_mm - a.offset_mm) / b.pitch_mm, 8)
        beside = [arm.move_ms(1, level + step) for step in (-4, 0, 4)]
        self.assertAlmostEqual(beside[1], arm.config["settle_ms"] + arm.config["switch_ms"], delta=0.02)
        self.assertLess(beside[1], min(beside[0], beside[2]))
        self.assertAlmostEqual(arm.travel_ms(-1.0), 2 * (1 / (arm.config["g"] * 9.81e-3)) ** 0.5)
        self.assertGreater(arm.travel_ms(-20.0), arm.travel_ms(-10.0) + 9 / arm.config["mm_per_ms"])

    def test_the_arm_is_ready_at_a_wedge(self):
        d = drive(small())
        for head, cylinder in ((1, 3), (2, 70), (0, 5)):
            t = d.arm.move(head, cylinder, d.arm.busy_until + 123_456)
            at = (d.spindle.angle(t) - d.arm.surfaces[head].index_rev) * 96
            self.assertAlmostEqual(at, round(at), delta=1e-4)

    def test_delays_have_a_median_and_a_tail(self):
        config = changed(small(), noise={"host_median_us": 10.0, "host_spread": 0.99, "stall_share": 0.02})
        d = drive(config, noise=True)
        delays = sorted(d._host_delay() / 1e3 for _ in range(8000))
        self.assertAlmostEqual(statistics.median(delays), 10, delta=0.6)
        self.assertAlmostEqual(delays[7920], 100, delta=18)
        base = d.config["overhead"]["status_us"] * 1e3
        stalls = sum(d._end(0.0) - base > 300e3 for _ in range(4000))
        self.assertTrue(20 < stalls < 80, stalls)

    def test_runs_repeat_with_their_seed(self):
        def ends(seed, noise):
            d, now, out = drive(designed(6), noise, seed), 0, []
            for i in range(200):
                now = d.read(i * 7_919_777 % d.disks.blocks, 1, now)
                out.append(now)
            return out
        self.assertEqual(ends(1, True), ends(1, True))
        self.assertNotEqual(ends(1, True), ends(2, True))


class Memory(unittest.TestCase):
    def test_what_is_held_is_what_a_list_would_hold(self):
        """Against sets of sectors, without an index."""
        chance, memory, naive = random.Random(3), ReadMemory({"sectors": 9000, "stretches": 30}), []
        for _ in range(3000):
            first = chance.randrange(30_000)
            end = first + chance.randint(1, 2500)
            if chance.random() < 0.5:
                found = next((s for s in naive if s[0] <= first and end <= s[1]), None)
                self.assertEqual(memory.find(first, end) is not None, any(
                    s[0] <= first and end <= s[1] for s in naive))
                stretch = memory.find(first, end)
                if stretch:
                    found = next(s for s in naive if (s[0], s[1]) == (stretch.first, stretch.end))
                    naive.append(naive.pop(naive.index(found)))
            elif chance.random() < 0.1:
                memory.forget(first, end)
                naive = [s for s in naive if s[1] <= first or end <= s[0]]
            else:
                middle = chance.randint(first + 1, end)
                stretch = memory.add(first, middle)
                memory.extend(stretch, end)
                naive.append((first, end))
                while (sum(b - a for a, b in naive) > 9000 or len(naive) > 30) and len(naive) > 1:
                    naive.pop(0)
            self.assertEqual(memory.held, sum(b - a for a, b in naive))
        memory.clear()
        self.assertEqual((memory.held, memory.grains), (0, {}))

    def test_a_read_stays_and_force_unit_access_passes_it(self):
        host = Host(changed(small(), cache={"ahead_sectors": 0, "keeps_what_passes": False}))
        self.assertFalse(host.hit(1000))
        self.assertTrue(host.hit(1000))
        self.assertFalse(host.hit(1001))
        self.assertFalse(host.hit(1000, fua=True))
        period = host.drive.spindle.period
        host.read(1000, fua=True)
        self.assertAlmostEqual(host.took, period, delta=1000)
        host.verify(1000)
        host.verify(1000)
        self.assertAlmostEqual(host.took, period, delta=1000)

    def test_blocks_of_one_sector_are_read_together(self):
        host = Host(changed(small(physical_bytes=4096), cache={"ahead_sectors": 0}))
        self.assertFalse(host.hit(1001))
        self.assertTrue(host.hit(1007))
        self.assertTrue(host.hit(1000, 8))
        self.assertFalse(host.hit(1008))

    def test_drives_that_nothing_forces(self):
        host = Host(changed(small(), scsi={"ignores_force": True, "verify": "memory"}))
        host.read(1000)
        self.assertTrue(host.hit(1000, fua=True))
        host.verify(1000)
        self.assertLess(host.took, 0.2e6)
        host.verify(9000)
        host.verify(9000)
        self.assertGreater(host.took, 5e6)
        host = Host(changed(small(), scsi={"force_reads": False, "force_writes": False, "verify": "none"}))
        self.assertEqual(sense_of(host.read(7, fua=True)), (5, 0x24, 0))
        self.assertEqual(sense_of(host.verify(7)), (5, 0x20, 0))

    def test_reading_on_serves_what_follows_at_full_speed(self):
        host = Host(changed(small(), cache={"ahead_sectors": 300, "awaited_sectors": 100}))
        host.read(0, 10)
        start = host.now
        for lbn in range(10, 910, 10):
            self.assertTrue(host.hit(lbn, 10), lbn)
        self.assertLess((host.now - start) / host.drive.spindle.period, 9 * 1.2)
        host.read(5000, 10)
        self.assertTrue(host.hit(5100, 10, think_ns=50_000_000))
        self.assertFalse(host.hit(5400, 10, think_ns=50_000_000))

    def test_reading_on_past_holes_is_as_fast_as_the_disk(self):
        """The last block of a track with holes has passed when it passes for a read, too."""
        config = changed(small(), flaws={"losses": 12}, cache={"ahead_sectors": 3000, "awaited_sectors": 3000})
        seen = 0
        for run in drive(config).disks.runs:
            held = run.sectors - sum(count for _, count in run.holes)
            if not run.holes or held < 12 or run.holes[0][0] < 6 or run.first + held > 24_000:
                continue
            seen += 1
            d, other = drive(config), drive(config)
            d.read(run.first, 2, 10**9)
            ready = d._let_pass(math.inf, run.first + held)
            done = other._read_media(run.first, run.first + held, 10**9, False)
            self.assertAlmostEqual(judge_modern.circular((ready - done) / d.spindle.period), 0, delta=0.002)
        self.assertGreater(seen, 3)

    def test_what_passes_is_kept(self):
        config = changed(small(), cache={"ahead_sectors": 0, "keeps_what_passes": True})
        host = Host(config)
        kept = 0
        for track in range(3, 60, 3):
            lbn = host.drive.disks.runs[0].first + track * 100 + 90
            host.read(lbn, think_ns=1_234_567)
            kept += host.hit(lbn - 1)
        self.assertGreater(kept, 10)

    def test_the_cache_may_be_one_that_cannot_be_switched_off(self):
        host = Host(small())
        page = bytearray(host.send((0x1A, 8, 8, 0, 24, 0), 24).data[4:])
        mask = host.send((0x1A, 8, 0x48, 0, 24, 0), 24).data[4:]
        self.assertEqual((mask[2], mask[12]), (0x04, 0x20))
        page[2] |= 1
        reply = host.send((0x15, 0x10, 0, 0, 24, 0), data=bytes(4) + bytes(page))
        self.assertEqual(sense_of(reply), (5, 0x26, 0))
        page[2], page[12] = page[2] & ~5, page[12] | 0x20
        self.assertEqual(host.send((0x15, 0x10, 0, 0, 24, 0), data=bytes(4) + bytes(page)).status, 0)
        self.assertFalse(host.drive.write_cache or host.drive.read_ahead)
        self.assertTrue(host.drive.read_cache)

    def test_writes_wait_for_the_media_where_they_must(self):
        host = Host(small(physical_bytes=4096))
        host.read(1000, 8)
        host.send(struct.pack(">BBIBHB", 0x2A, 0, 1000, 0, 8, 0), data=b"x" * 4096)
        self.assertLess(host.took, 0.5e6)
        self.assertEqual(host.read(1000, 8).data, b"x" * 4096)
        self.assertFalse(host.drive.hit)
        host.send(struct.pack(">BBIBHB", 0x2A, 8, 1000, 0, 8, 0), data=b"y" * 4096, think_ns=10**8)
        whole = host.took
        host.send(struct.pack(">BBIBHB", 0x2A, 8, 1001, 0, 1, 0), data=b"z" * 512, think_ns=10**8)
        self.assertGreater(host.took, host.drive.spindle.period)
        self.assertLess(whole, host.drive.spindle.period * 1.1)


class Scsi(unittest.TestCase):
    def test_who_it_is(self):
        host = Host(small(), attention=True)
        self.assertEqual(host.send((0x12, 0, 0, 0, 36, 0), 36).data[8:16], b"ATA     ")
        self.assertEqual(struct.unpack(">H", host.send((0x12, 1, 0xB1, 0, 64, 0), 64).data[4:6])[0], 7200)
        self.assertEqual(sense_of(host.send((0,) * 6)), (6, 0x29, 1))
        words = host.send((0x85, 0x08, 0x0E) + (0,) * 3 + (1,) + (0,) * 7 + (0xEC, 0), 512).data
        self.assertEqual(sum(words) & 0xFF, 0)
        self.assertEqual(struct.unpack_from("<H", words, 434)[0], 7200)
        self.assertEqual(struct.unpack_from("<Q", words, 200)[0], host.drive.disks.blocks)

    def test_what_it_lacks(self):
        host = Host(small())
        self.assertEqual(sense_of(host.send((0x1D, 0x10, 0, 0, 14, 0), data=bytes(14))), (5, 0x24, 0))
        self.assertEqual(sense_of(host.send((0x2B,) + (0,) * 9)), (5, 0x20, 0))
        self.assertEqual(sense_of(host.send((0x37,) + (0,) * 9, 8)), (5, 0x20, 0))
        self.assertEqual(sense_of(host.verify(3, flags=2)), (5, 0x24, 0))
        self.assertEqual(sense_of(host.verify(24_000)), (5, 0x21, 0))
        able = Host(changed(small(), scsi={"seek": True}))
        self.assertEqual(able.send(struct.pack(">BBI4x", 0x2B, 0, 20_000)).status, 0)
        self.assertEqual(sense_of(able.send(struct.pack(">BBI4x", 0x2B, 0, 24_000))), (5, 0x21, 0))

    def test_blocks_and_sectors(self):
        for block, physical, exponent in ((512, 512, 0), (512, 4096, 3), (4096, 4096, 0)):
            host = Host(small(block_bytes=block, physical_bytes=physical))
            data = host.send((0x9E, 0x10) + (0,) * 11 + (32, 0, 0), 32).data
            self.assertEqual(struct.unpack(">QIBB", data[:14]), (23_999, block, 0, exponent))
            self.assertEqual(len(host.read(5, 3).data), 3 * block)
            self.assertEqual(struct.unpack(">II", host.send((0x25,) + (0,) * 9, 8).data), (23_999, block))
        large = Host(designed(20))
        self.assertEqual(struct.unpack(">I4x", large.send((0x25,) + (0,) * 9, 8).data)[0], 0xFFFFFFFF)
        self.assertEqual(large.read(large.drive.disks.blocks - 1).status, 0)
        self.assertEqual(large.read(large.drive.disks.blocks).status, 2)

    def test_a_queue_takes_what_comes_by_first(self):
        config = changed(small(), queue={"policy": "shortest"})
        host = Host(config)
        host.drive.read_ahead = False
        chance = random.Random(1)
        requests = [wire.Request(10**9, tag, more=1, direction=1, transfer_length=512, cdb=struct.pack(
            ">BBIBHB", 0x28, 0, chance.randrange(24_000), 0, 1, 0)) for tag in range(20)]
        for request in requests:
            host.session.answer(request)
        ends = [host.session.answer(wire.Request(kind=wire.WAIT)).complete_ns for _ in requests]
        self.assertLess((ends[-1] - 10**9) / host.drive.spindle.period, 9)


if __name__ == "__main__":
    unittest.main()
