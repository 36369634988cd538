"""One drive at work: what it does for a command, and what it does by itself between commands.

Deliberate habits that no published model has: overhead in steps of the transfer buffer, read-ahead
that is thrown away when the next miss comes too soon, recalibrations, a sleepy first command.
"""

import itertools
import math
import random

from buffers import ReadBuffer, WriteBuffer
from mechanics import MS, Arm, Media, Spindle
from platters import Platters


class MediumError(Exception):
    def __init__(self, lbn, t):
        super().__init__(f"block {lbn} cannot be read")
        self.lbn = lbn
        self.t = t


class Stream:
    """Reading on, after a request, into that request's segment."""

    def __init__(self, sectors, segment, first, stop):
        self.sectors = sectors
        self.segment = segment
        self.next = first       # the next block to come
        self.stop = stop        # reading ends before this block
        self.peeked = None      # a sector that is on its way
        self.keep = first       # blocks from here on are lost if a miss comes before...
        self.kept_at = 0.0      # ...this time

    def take(self, until):
        """The next block's time, or None if it has not passed by `until`."""
        if self.peeked is None:
            self.peeked = next(self.sectors, None)
        if self.peeked is None or self.peeked[1] > until:
            return None
        end = self.peeked[1]
        self.peeked = None
        self.next += 1
        self.segment.ready.append(end)
        return end


class Drive:
    def __init__(self, config, seed=1, noise=True):
        self.config = config
        self.noise = config["noise"] if noise else None
        self.chance = random.Random(f"run {seed}")
        self.platters = Platters(config)
        self.spindle = Spindle(config, self.chance.random(), noise)
        self.arm = Arm(config, self.platters, self.spindle, self.chance, noise)
        self.media = Media(self.platters, self.spindle, self.arm)
        self.reads = ReadBuffer(config["cache"], self.chance)
        self.writes = WriteBuffer(config["cache"])
        self.stream = None
        self.media_free = 0.0
        self.last_done = 0.0
        self.last_was_write = False
        self.hit = False  # whether the last read was one
        self.read_end = None  # of the last read
        self.ahead_blocks = config["cache"]["read_ahead_doubles_from"]
        self.read_cache = self.write_cache = self.read_ahead = True
        self.bad = set(config["medium_errors"])
        self.recalibration_due = config["recalibration"]["seconds"] * 1e9 \
            if noise and config["recalibration"]["seconds"] else math.inf
        self.block_ns = config["bus"]["block_us"] * 1e3

    # What happens by itself.

    def pass_time(self, until):
        """Everything that begins before `until`."""
        self._read_ahead(until)
        self.reads.now = until
        if forgets := self.config["cache"]["forgets_ms"]:
            self.reads.forget(until - forgets * MS, self.stream and self.stream.segment)
        self._write_back(until)
        while self.recalibration_due < until:
            self._recalibrate(self.recalibration_due)

    def _read_ahead(self, until):
        stream = self.stream
        if stream is None:
            return
        while stream.next < stream.stop:
            end = stream.take(until)
            if end is None:
                if stream.peeked is None:
                    break
                return
            self.media_free = max(self.media_free, end)
            self.reads.trim(stream.segment)
        self.stream = None

    def _stop_reading_ahead(self, t):
        stream = self.stream
        if stream is None:
            return
        if t < stream.kept_at and stream.keep < stream.next:
            segment = stream.segment
            del segment.ready[max(0, stream.keep - segment.first):]
        self.reads.trim(stream.segment)
        self.stream = None

    def _write_back(self, until):
        idle = self.config["cache"]["write_idle_ms"] * MS
        while self.writes.runs and self.stream is None:
            start = max(self.media_free, self.last_done + idle)
            if start >= until:
                return
            self._write_oldest(start)

    def _write_oldest(self, start):
        lbn, count = self.writes.runs.pop(0)
        self.media_free = self._write_media(lbn, count, max(start, self.media_free), 0.0)

    def _empty_write_buffer(self, t):
        while self.writes.runs:
            self._stop_reading_ahead(t)
            self._write_oldest(t)
        return max(t, self.media_free)

    def _recalibrate(self, t):
        self._stop_reading_ahead(t)
        start = max(t, self.media_free, self.arm.busy_until)
        self.media_free = start + self.config["recalibration"]["ms"] * MS
        self.arm.track = self.platters.tracks[len(self.platters.tracks) // 2]
        self.arm.busy_until = self.media_free
        self.recalibration_due += self.config["recalibration"]["seconds"] * 1e9

    # What the host asks for.

    def _begin(self, now, kind, blocks):
        """When the firmware has understood a command."""
        c = self.config["overhead"]
        t = now + c[kind + "_ms"] * MS
        t += c["step_ms"] * MS * math.ceil(blocks / c["step_blocks"])
        if self.last_was_write != (kind == "write") and kind != "other":
            t += c["turnaround_ms"] * MS
        if kind != "other":
            self.last_was_write = kind == "write"
            slow = self.config["slow_after_idle"]
            if slow["seconds"] and now - self.last_done > slow["seconds"] * 1e9:
                t += slow["ms"] * MS
        return t + self._host_delay()

    def _host_delay(self):
        """Log-normal, on the way in and on the way out: a completion is seen late."""
        if not self.noise or not self.noise["host_median_us"]:
            return 0.0
        return self.noise["host_median_us"] * 1e3 * math.exp(
            self.chance.gauss(0, self.noise["host_spread"]))

    def _host_stall(self):
        """Now and then the host has something else to do, and sees a completion much later."""
        if not self.noise or not self.noise["stall_share"] or self.chance.random() >= self.noise["stall_share"]:
            return 0.0
        return self.chance.expovariate(1) * self.noise["stall_mean_us"] * 1e3

    def _end(self, t):
        t += self.config["overhead"]["status_ms"] * MS + self._host_delay() + self._host_stall()
        self.last_done = max(self.last_done, t)
        return t

    def _media_start(self, t):
        """When the media are free for a command that needs them from `t` on."""
        if self.recalibration_due <= t:
            self._recalibrate(t)
        t = max(t, self.media_free)
        if self.noise and self.chance.random() < self.noise["slow_share"]:
            t += self.chance.expovariate(1) * self.noise["slow_mean_ms"] * MS
        return t

    def other(self, now, ms):
        """A command that touches neither the media nor the buffers."""
        self.pass_time(now)
        return self._end(self._begin(now, "other", 0) + ms * MS)

    def read(self, lbn, count, now, from_media=False):
        self.pass_time(now)
        self.hit = False
        self._grow_read_ahead(lbn, count)
        if self.writes.touches(lbn, count):
            if self.writes.holds(lbn, count) and not from_media:
                self.hit = True
                t = self._begin(now, "hit", count)
                return self._end(t + count * self.block_ns)
            self._empty_write_buffer(now)
        if self.read_cache and not from_media:
            ready = self._ready_in_memory(lbn, count)
            if ready is not None:
                self.hit = True
                t = self._begin(now, "hit", count)
                self._read_on(lbn, count, t)
                return self._end(self._to_host(ready, t))
        self._stop_reading_ahead(now)
        ready = self._read_media(lbn, count, self._begin(now, "read", count))
        done = self._end(self._to_host(ready, now))
        if self.stream is not None:
            self.stream.kept_at = done + self.config["cache"]["read_ahead_idle_ms"] * MS
        return done

    def _grow_read_ahead(self, lbn, count):
        least = self.config["cache"]["read_ahead_doubles_from"]
        self.ahead_blocks = 2 * self.ahead_blocks if lbn == self.read_end else least
        self.read_end = lbn + count

    def _ready_in_memory(self, lbn, count):
        """When each wanted block is (or will be, reading on) in memory; None for a miss."""
        segment = self.reads.find(lbn)
        if segment is None and self.stream is not None and self.stream.next == lbn:
            segment = self.stream.segment
            self.reads.touch(segment)
        if segment is None:
            return None
        stream = self.stream
        if stream is not None and stream.segment is segment:
            if lbn + count > stream.next:
                if lbn + count > stream.stop:
                    return None
                while stream.next < lbn + count:
                    self.media_free = max(self.media_free, stream.take(math.inf))
            stream.keep = max(stream.keep, lbn + count)
            stream.stop = max(stream.stop, self._read_ahead_stop(lbn, count, lbn))
        elif lbn + count > segment.end():
            return None
        at = lbn - segment.first
        ready = segment.ready[at:at + count]
        self.reads.trim(segment)
        return ready

    def _read_on(self, lbn, count, t):
        """A hit near the end of its segment makes an idle drive read on from there."""
        segment = self.reads.find(lbn)
        if not (self.config["cache"]["read_ahead_on_hit"] and self.read_ahead and segment and
                self.stream is None and not self.writes.runs):
            return
        stop = self._read_ahead_stop(lbn, count, lbn)
        end = segment.end()
        if stop > end:
            sectors = self.media.sectors(end, max(t, self.media_free))
            self.stream = Stream(sectors, segment, end, stop)

    def _read_ahead_stop(self, lbn, count, kept_from):
        """The block before which reading on ends, for a request just read."""
        c = self.config["cache"]
        end = lbn + count
        stop = min(self.platters.blocks, end + c["read_ahead_blocks"])
        if self.ahead_blocks:
            stop = min(stop, end + self.ahead_blocks)
        if c["read_ahead_ends_at"] == "cylinder":
            stop = min(stop, self.platters.last_of_cylinder(end - 1) + 1)
        elif c["read_ahead_ends_at"] == "track":
            stop = min(stop, self.platters.last_of_track(end - 1) + 1)
        if c["read_ahead_multiple"] > 1:
            stop -= stop % c["read_ahead_multiple"]
        if not c["read_ahead_drops_requested"]:
            stop = min(stop, max(kept_from, end - self.reads.capacity) + self.reads.capacity)
        return max(stop, end)

    def _read_media(self, lbn, count, t):
        start = self._media_start(t)
        on_arrival = self.config["cache"]["read_on_arrival"] and count > 1
        if on_arrival:
            ready = self.media.on_arrival(lbn, count, start)
            sectors = self.media.sectors(lbn + count, max(ready))
        else:
            sectors = self.media.sectors(lbn, start)
            ready = [end for _, end in itertools.islice(sectors, count)]
        self.media_free = max(ready)
        self._fail_if_bad(lbn, count)
        if self.read_cache:
            segment = self.reads.claim(lbn)
            segment.ready = list(ready)
            self.reads.trim(segment)
            if self.read_ahead:
                stop = self._read_ahead_stop(lbn, count, segment.first)
                self.stream = Stream(sectors, segment, lbn + count, stop)
        return ready

    def _fail_if_bad(self, lbn, count):
        for bad in self.bad:
            if lbn <= bad < lbn + count:
                self.media_free += self.config["retries"] * self.spindle.period
                raise MediumError(bad, self._end(self.media_free))

    def _to_host(self, ready, t):
        """When the last of the blocks has crossed the bus, one firmware buffer after the other."""
        size = self.config["bus"]["buffer_blocks"]
        for at in range(0, len(ready), size):
            chunk = ready[at:at + size]
            t = max(t, max(chunk)) + len(chunk) * self.block_ns
        return t

    def write(self, lbn, count, now, to_media=False):
        self.pass_time(now)
        t = self._begin(now, "write", count)
        self.reads.drop(lbn, count)
        stream = self.stream
        if stream is not None and (not stream.segment.ready or
                                   stream.segment.first < lbn + count and lbn < stream.stop):
            self._stop_reading_ahead(now)
        self.bad.difference_update(range(lbn, lbn + count))
        if self.write_cache and not to_media and count <= self.writes.capacity:
            while self.writes.blocks() + count > self.writes.capacity:
                self._stop_reading_ahead(t)
                self._write_oldest(t)
                t = max(t, self.media_free)
            self.writes.add(lbn, count)
            return self._end(t + count * self.block_ns)
        self._stop_reading_ahead(now)
        if self.writes.runs:
            self._empty_write_buffer(t)
        start = self._media_start(t)
        first = min(count, self.config["bus"]["buffer_blocks"]) * self.block_ns
        self.media_free = self._write_media(lbn, count, start, t + first)
        return self._end(max(self.media_free, t + count * self.block_ns))

    def _write_media(self, lbn, count, start, not_before):
        if self.config["cache"]["write_on_arrival"] and count > 1:
            return max(self.media.on_arrival(lbn, count, start, True, not_before))
        sectors = self.media.sectors(lbn, start, True, not_before)
        for _, end in itertools.islice(sectors, count):
            last = end
        return last

    def seek(self, lbn, now):
        self.pass_time(now)
        self._stop_reading_ahead(now)
        t = self._media_start(self._begin(now, "seek", 0))
        self.media_free = self.arm.move(self.platters.find(lbn)[0], t)
        return self._end(self.media_free)

    def distance(self, lbn):
        """By which a queue chooses the shortest seek."""
        return abs(self.platters.find(lbn)[0].cylinder - self.arm.track.cylinder)

    def synchronize(self, now):
        self.pass_time(now)
        return self._end(self._empty_write_buffer(self._begin(now, "other", 0)))

    def set_cache(self, read_cache, write_cache, read_ahead, now):
        """Takes effect when the buffers are in order; when that is."""
        self.pass_time(now)
        t = self._begin(now, "other", 0)
        if not write_cache:
            t = self._empty_write_buffer(t)
        if not read_cache or not read_ahead:
            self._stop_reading_ahead(now)
        if not read_cache:
            self.reads.clear()
        self.read_cache, self.write_cache, self.read_ahead = read_cache, write_cache, read_ahead
        return self._end(t)
