"""The drive's memory: segments of blocks that were read, and blocks still to be written."""


class Segment:
    __slots__ = ("first", "ready", "referenced", "used", "touched")

    def __init__(self):
        self.first = 0
        self.ready = []          # for each block, when it was in memory
        self.referenced = False  # for the clock
        self.used = 0            # for least recently used
        self.touched = 0.0       # for what is forgotten

    def end(self):
        return self.first + len(self.ready)

    def holds(self, lbn):
        return self.first <= lbn < self.end()


class ReadBuffer:
    def __init__(self, config, chance):
        self.capacity = config["segment_blocks"]
        self.replacement = config["replacement"]
        self.set_blocks = config["set_blocks"]
        self.segments = [Segment() for _ in range(config["segments"])]
        self.chance = chance
        self.hand = 0
        self.uses = 0
        self.now = 0.0

    def find(self, lbn):
        """The segment that holds a block, or None."""
        for segment in self.segments:
            if segment.holds(lbn):
                self.touch(segment)
                return segment
        return None

    def touch(self, segment):
        self.uses += 1
        segment.touched = self.now
        segment.used = self.uses
        segment.referenced = True

    def claim(self, lbn):
        """An emptied segment for data from `lbn` on."""
        segment = self._victim(self._may_hold(lbn))
        segment.first = lbn
        segment.ready = []
        self.touch(segment)
        return segment

    def _may_hold(self, lbn):
        """All segments; or two of them, by where the data lie."""
        if not self.set_blocks or len(self.segments) < 4:
            return self.segments
        at = lbn // self.set_blocks % (len(self.segments) // 2)
        return self.segments[2 * at:2 * at + 2]

    def _victim(self, segments):
        for segment in segments:
            if not segment.ready:
                return segment
        if self.replacement == "lru" or segments is not self.segments:
            return min(segments, key=lambda segment: segment.used)
        if self.replacement == "random":
            return self.chance.choice(segments)
        if self.replacement != "clock":
            raise ValueError(f"replacement {self.replacement!r} is unknown")
        while self.segments[self.hand].referenced:
            self.segments[self.hand].referenced = False
            self.hand = (self.hand + 1) % len(self.segments)
        victim = self.segments[self.hand]
        self.hand = (self.hand + 1) % len(self.segments)
        return victim

    def trim(self, segment):
        """Keeps a segment within its size: the oldest blocks go."""
        over = len(segment.ready) - self.capacity
        if over > 0:
            del segment.ready[:over]
            segment.first += over

    def drop(self, lbn, count):
        """Forgets every segment that touches these blocks."""
        for segment in self.segments:
            if segment.first < lbn + count and lbn < segment.end():
                segment.ready = []

    def forget(self, unused_since, but):
        for segment in self.segments:
            if segment.touched < unused_since and segment is not but:
                segment.ready = []

    def clear(self):
        for segment in self.segments:
            segment.ready = []


class WriteBuffer:
    """Blocks that the host believes written: a list of [lbn, count], oldest first."""

    def __init__(self, config):
        self.capacity = config["write_blocks"]
        self.runs = []

    def blocks(self):
        return sum(count for _, count in self.runs)

    def add(self, lbn, count):
        if self.runs and sum(self.runs[-1]) == lbn:
            self.runs[-1][1] += count
        else:
            self.runs.append([lbn, count])

    def touches(self, lbn, count):
        return any(first < lbn + count and lbn < first + n for first, n in self.runs)

    def holds(self, lbn, count):
        return any(first <= lbn and lbn + count <= first + n for first, n in self.runs)
