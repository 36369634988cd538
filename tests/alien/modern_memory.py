"""A modern drive's read cache: hundreds of megabytes of stretches of sectors, the least recently used go."""

import collections

GRAIN = 1024  # sectors; a stretch is found by the grains that it touches


class Stretch:
    __slots__ = ("first", "end", "kept")

    def __init__(self, first, end):
        self.first = first
        self.end = end
        self.kept = True

    def last_grain(self):
        return max(self.first, self.end - 1) // GRAIN


class ReadMemory:
    def __init__(self, config):
        self.room = config["sectors"]
        self.most = config["stretches"]
        self.held = 0
        self.stretches = collections.OrderedDict()  # in the order of use; values are of no use
        self.grains = {}                            # grain -> stretches that touch it

    def find(self, first, end):
        """The stretch that holds all of these sectors, or None."""
        for stretch in self.grains.get(first // GRAIN, ()):
            if stretch.first <= first and end <= stretch.end:
                self.stretches.move_to_end(stretch)
                return stretch
        return None

    def add(self, first, end):
        stretch = Stretch(first, first)
        self.stretches[stretch] = None
        self.grains.setdefault(first // GRAIN, []).append(stretch)
        self.extend(stretch, end)
        return stretch

    def extend(self, stretch, end):
        """More of a stretch has been read, unless it has been given up meanwhile."""
        if not stretch.kept or end <= stretch.end:
            return
        for grain in range(stretch.last_grain() + 1, (end - 1) // GRAIN + 1):
            self.grains.setdefault(grain, []).append(stretch)
        self.held += end - stretch.end
        stretch.end = end
        while (self.held > self.room or len(self.stretches) > self.most) and len(self.stretches) > 1:
            self.drop(next(iter(self.stretches)))

    def drop(self, stretch):
        stretch.kept = False
        del self.stretches[stretch]
        self.held -= stretch.end - stretch.first
        for grain in range(stretch.first // GRAIN, stretch.last_grain() + 1):
            those = self.grains[grain]
            those.remove(stretch)
            if not those:
                del self.grains[grain]

    def forget(self, first, end):
        """These sectors were written."""
        touched = {stretch for grain in range(first // GRAIN, (end - 1) // GRAIN + 1)
                   for stretch in self.grains.get(grain, ()) if stretch.first < end and first < stretch.end}
        for stretch in touched:
            self.drop(stretch)

    def clear(self):
        for stretch in list(self.stretches):
            self.drop(stretch)
