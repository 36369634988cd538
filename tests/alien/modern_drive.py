"""A modern drive at work. It offers what target.py asks of a drive; nothing is stored by sector or track.

What passes under the head between two commands (read-ahead) is reckoned when the next command comes.
"""

import bisect
import math
import random

from modern_disks import Disks, rank_of_sector
from modern_mechanics import MS, Arm, Spindle
from modern_memory import ReadMemory


class ReadAhead:
    def __init__(self, number, limit, begins, stretch):
        self.number = number    # the sector that passes next
        self.limit = limit      # reading ends in front of this one
        self.begins = begins    # when it begins to pass
        self.stretch = stretch
        self.awaits = None      # the sector for which `begins` holds behind a hole


class ModernDrive:
    def __init__(self, config, seed=1, noise=True):
        self.config = config
        self.noise = config["noise"] if noise else None
        self.chance = random.Random(f"run {seed}")
        self.platters = self.disks = Disks(config)
        self.spindle = Spindle(config, self.chance, noise)
        self.arm = Arm(config, self.disks, self.spindle, self.chance, noise)
        self.memory = ReadMemory(config["cache"])
        self.read_cache = self.write_cache = self.read_ahead = True
        self.media_free = 0.0
        self.ahead = None
        self.hit = False

    # Time that the host and the firmware take.

    def _host_delay(self):
        if not self.noise:
            return 0.0
        return self.noise["host_median_us"] * 1e3 * math.exp(self.chance.gauss(0, self.noise["host_spread"]))

    def _begin(self, now, kind):
        return now + self.config["overhead"][kind + "_us"] * 1e3 + self._host_delay()

    def _end(self, t, blocks=0):
        t += (self.config["overhead"]["status_us"] + blocks * self.config["overhead"]["block_us"]) * 1e3
        t += self._host_delay()
        if self.noise and self.chance.random() < self.noise["stall_share"]:
            t += self.chance.expovariate(1) * self.noise["stall_mean_us"] * 1e3
        return t

    def other(self, now, ms):
        self._pass_time(now)
        return self._end(self._begin(now, "other") + ms * MS)

    # Reading.

    def _extent(self, lbn, count):
        a_sector = self.disks.blocks_a_sector
        return lbn // a_sector, (lbn + count - 1) // a_sector + 1

    def read(self, lbn, count, now, from_media=False):
        first, end = self._extent(lbn, count)
        self._pass_time(now)
        self.hit = False
        if self.read_cache and not from_media:
            ready = self._ready_in_memory(first, end)
            if ready is not None:
                self.hit = True
                return self._end(max(ready, self._begin(now, "hit")), count)
        self.ahead = None
        return self._end(self._read_media(first, end, self._begin(now, "read"), self.read_cache), count)

    def verify(self, lbn, count, now):
        """Nothing is sent and nothing kept; some drives believe what they hold in memory."""
        first, end = self._extent(lbn, count)
        self._pass_time(now)
        self.hit = False
        if self.config["scsi"]["verify"] == "memory" and self._ready_in_memory(first, end) is not None:
            self.hit = True
            return self._end(self._begin(now, "hit"))
        self.ahead = None
        return self._end(self._read_media(first, end, self._begin(now, "read"), False))

    def _ready_in_memory(self, first, end):
        ahead = self.ahead
        if ahead and ahead.stretch.first <= first and ahead.number < end <= ahead.limit and \
                end - ahead.number <= self.config["cache"]["awaited_sectors"]:
            ready = self._let_pass(math.inf, end)
            ahead.limit = max(ahead.limit, self._read_ahead_limit(end))
            return ready
        return 0.0 if self.memory.find(first, end) else None

    def _read_media(self, first, end, t, keep):
        t = max(t, self.media_free)
        kept_from, number = first, first
        while number < end:
            asked = t
            run, taken, begins, t = self._take_from_track(number, end, t)
            if number == first and keep and self.config["cache"]["keeps_what_passes"] and self.read_ahead:
                kept_from = self._first_that_passed(number, run, begins - max(asked, self.arm.busy_until))
            number += taken
        self.media_free = t
        if keep:
            stretch = self.memory.add(kept_from, end)
            self._read_on(end, stretch, t)
        return t

    def _take_from_track(self, number, end, t, write=False):
        """(run, how many sectors, when the first begins to pass, when the last has passed)."""
        disks = self.disks
        place = disks.place(number)
        if number in disks.moved:
            run, count, last = None, 1, place.sector
        else:
            run, _, rank = disks.home(number)
            held = run.sectors - sum(count for _, count in run.holes)
            count = min(end, self._next_moved(number)) - number
            count = min(count, held - rank)
            last = place.sector + count - 1
            if run.holes and count > 1:
                last = disks.place(number + count - 1).sector
        ready = self.arm.move(place.head, place.cylinder, t, write)
        from_start = disks.begins(place.sector, place.sectors)
        begins = self.spindle.when((place.angle + from_start) % 1.0, ready)
        return run, count, begins, begins + (disks.ends(last, place.sectors) - from_start) * self.spindle.period

    def _next_moved(self, number):
        moved = self.disks.moved_numbers
        at = bisect.bisect_left(moved, number)
        return moved[at] if at < len(moved) else self.disks.sectors

    def _first_that_passed(self, number, run, waited):
        """The sector from which on all has passed since the head was ready."""
        if run is None:
            return number
        _, k, rank = self.disks.home(number)
        sectors_passed = int(waited / self.spindle.period * run.sectors)
        if run.holes:
            sector = self.disks.place(number).sector
            return number - rank + rank_of_sector(run.holes, max(0, sector - sectors_passed))
        return number - min(rank, sectors_passed)

    # Reading on.

    def _read_ahead_limit(self, number):
        return min(number + self.config["cache"]["ahead_sectors"], self._next_moved(number))

    def _read_on(self, number, stretch, t):
        limit = self._read_ahead_limit(number)
        self.ahead = ReadAhead(number, limit, t, stretch) if self.read_ahead and number < limit else None

    def _let_pass(self, until, end):
        """Reads on until a time, or up to a sector; the time when it has passed."""
        ahead, disks, period = self.ahead, self.disks, self.spindle.period
        end = min(end, ahead.limit)
        while ahead.number < end:
            run, k, rank = disks.home(ahead.number)
            place = disks.place(ahead.number)
            if self.arm.head != place.head or self.arm.cylinder != place.cylinder:
                if ahead.begins > until:
                    break
                ready = self.arm.move(place.head, place.cylinder, ahead.begins)
                ahead.begins = self.spindle.when(
                    (place.angle + disks.begins(place.sector, place.sectors)) % 1.0, ready)
            elif run.holes and rank and ahead.awaits != ahead.number:
                gap = place.sector - disks.place(ahead.number - 1).sector - 1
                ahead.begins += gap / run.sectors * period
            ahead.awaits = ahead.number
            took = period / run.sectors
            held = run.sectors - sum(count for _, count in run.holes) - rank
            if run.holes:
                held = min(held, 1)
            passed = held if until == math.inf else int(max(0.0, until - ahead.begins) / took)
            passed = min(passed, held, end - ahead.number)
            if passed == 0:
                break
            ahead.number += passed
            ahead.begins += passed * took
            self.memory.extend(ahead.stretch, ahead.number)
            if ahead.number - ahead.stretch.first > self.memory.room // 4:
                ahead.stretch = self.memory.add(ahead.number, ahead.number)
        self.media_free = max(self.media_free, min(ahead.begins, until))
        return ahead.begins

    def _pass_time(self, now):
        if self.ahead:
            self._let_pass(now, self.ahead.limit)
            if self.ahead.number >= self.ahead.limit:
                self.ahead = None

    # Everything else.

    def write(self, lbn, count, now, to_media=False):
        first, end = self._extent(lbn, count)
        self._pass_time(now)
        self.ahead, self.hit = None, False
        self.memory.forget(first, end)
        t = self._begin(now, "write")
        received = t + count * self.config["overhead"]["block_us"] * 1e3
        self.media_free = t = self._write_media(lbn, count, max(t, self.media_free), received)
        # Data in the buffer go to the media at once: the next command waits, the host does not.
        return self._end(received if self.write_cache and not to_media else max(t, received))

    def _write_media(self, lbn, count, t, received):
        first, end = self._extent(lbn, count)
        whole = lbn % self.disks.blocks_a_sector == 0 == count % self.disks.blocks_a_sector
        if not whole:  # what surrounds the blocks has to be read first
            t = self._read_media(first, end, t, False)
        number = first
        t = max(t, received)
        while number < end:
            _, taken, _, t = self._take_from_track(number, end, t, True)
            number += taken
        return t

    def seek(self, lbn, now):
        self._pass_time(now)
        self.ahead, self.hit = None, False
        place, _ = self.disks.find(lbn)
        t = max(self._begin(now, "seek"), self.media_free)
        self.media_free = self.arm.move(place.head, place.cylinder, t)
        return self._end(self.media_free)

    def synchronize(self, now):
        self._pass_time(now)
        return self._end(max(self._begin(now, "other"), self.media_free))

    def set_cache(self, read_cache, write_cache, read_ahead, now):
        self._pass_time(now)
        t = self._begin(now, "other")
        if not write_cache:
            t = max(t, self.media_free)
        if not read_cache or not read_ahead:
            self.ahead = None
        if not read_cache:
            self.memory.clear()
        self.read_cache, self.write_cache, self.read_ahead = read_cache, write_cache, read_ahead
        return self._end(t)

    def distance(self, lbn):
        """By which a queue chooses: how long until the block could begin to pass."""
        place, sector = self.disks.find(lbn)
        ready = max(self.media_free, self.arm.busy_until) + self.arm.move_ms(place.head, place.cylinder) * MS
        angle = place.angle + self.disks.begins(sector, place.sectors)
        return self.spindle.when(angle % 1.0, ready)
