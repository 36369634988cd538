"""What moves: the spindle, the arm, and the sectors that pass under the head.

Times are nanoseconds (floats inside, whole numbers only where a command ends), angles are
revolutions.
"""

import math
import random

MS = 1e6


class Spindle:
    def __init__(self, config, phase, noise):
        self.period = 60e9 / config["rpm"]
        self.phase = phase
        wobble = config["wobble"] if noise else {"ppm": 0, "seconds": 1}
        self.wave = 2 * math.pi / (wobble["seconds"] * 1e9)
        # The speed is off by ppm * cos(wave * t), so the angle by the integral of it.
        self.swing = wobble["ppm"] * 1e-6 / self.wave / self.period

    def angle(self, t):
        """Which angle is under the heads."""
        turns = t / self.period + self.phase
        if self.swing:
            turns += self.swing * math.sin(self.wave * t)
        return turns % 1.0

    def when(self, angle, t):
        """The first time, not before `t`, at which `angle` comes under the heads."""
        then = t + (angle - self.angle(t)) % 1.0 * self.period
        if self.swing:
            late = (self.angle(then) - angle + 0.5) % 1.0 - 0.5
            then = max(t, then - late * self.period)
        return then


class Arm:
    """Moves to tracks. A move that has begun is not broken off."""

    def __init__(self, config, platters, spindle, chance, noise):
        self.config = config["arm"]
        self.spindle = spindle
        self.cylinders = platters.cylinders
        self.chance = chance
        self.sigma = config["noise"]["positioning_us"] * 1e3 if noise else 0.0
        self.wedges = self.config["servo_wedges"]
        self.switch = self._switch_times(platters.heads, config["individual"])
        self.track = platters.tracks[0]
        self.busy_until = 0.0

    def _switch_times(self, heads, individual):
        """Every pair of heads has its own switching time; the way back is not the same."""
        chance = random.Random(f"heads {individual}")
        c = self.config
        return [[0.0 if a == b else (c["switch_ms"] + c["switch_per_head_ms"] * (abs(a - b) - 1) +
                                     chance.uniform(0, c["switch_spread_ms"])) * MS
                 for b in range(heads)] for a in range(heads)]

    def seek_time(self, start, end):
        """From cylinder to cylinder, the settling on the new track included."""
        c = self.config
        distance = abs(end - start)
        if distance == 0:
            return 0.0
        ms = c["start_ms"] + c["root_ms"] * math.sqrt(min(distance, c["knee"]))
        if distance > c["knee"]:
            ms += c["linear_ms"] * (distance - c["knee"])
        if end > start:
            ms *= c["inward_factor"]
        depth = end / self.cylinders
        return (ms + c["landing_ms"] * depth + c["outer_settle_ms"] * (1 - depth) ** 2) * MS

    def move_time(self, track, write):
        """From where the arm is to another track, before noise and servo wedges."""
        t = max(self.seek_time(self.track.cylinder, track.cylinder),
                self.switch[self.track.head][track.head])
        if write:
            outer = 1 - track.cylinder / self.cylinders
            t += self.config["write_settle_ms"] * (1 + 0.2 * outer) * MS
        return t

    def move(self, track, t, write=False):
        """When the head is on the track."""
        if t < self.busy_until:
            t = self.busy_until
        if track is self.track:
            return t
        t += self.move_time(track, write)
        if self.sigma:
            t += max(-3 * self.sigma, self.chance.gauss(0, self.sigma))
        if self.wedges:
            # The servo knows where it is only when the next wedge has passed.
            t = self.spindle.when(math.ceil(self.spindle.angle(t) * self.wedges) / self.wedges, t)
        self.track = track
        self.busy_until = t
        return t


class Media:
    """Sectors passing under the head, one after the other."""

    def __init__(self, platters, spindle, arm):
        self.platters = platters
        self.spindle = spindle
        self.arm = arm

    def sectors(self, lbn, t, write=False, not_before=0.0):
        """Block after block from `lbn` on: (lbn, the time at which its sector has passed)."""
        while lbn < self.platters.blocks:
            track, sector = self.platters.find(lbn)
            t = max(self.arm.move(track, t, write), not_before)
            step = self.spindle.period / track.sectors
            end = self.spindle.when(track.angle_of(sector), t)
            for held in track.lbns[sector:]:
                end += step
                if held is None:
                    continue
                if held != lbn:
                    break
                t = end
                yield lbn, t
                lbn += 1

    def on_arrival(self, lbn, count, t, write=False, not_before=0.0):
        """The times of `count` blocks when each track is taken in whatever order it passes."""
        times = [0.0] * count
        wanted = lbn
        while wanted < lbn + count:
            track, first = self.platters.find(wanted)
            t = max(self.arm.move(track, t, write), not_before)
            here = set()  # sectors to take on this track
            for sector in range(first, track.sectors):
                held = track.lbns[sector]
                if held is None:
                    continue
                if held != wanted or wanted == lbn + count:
                    break
                here.add(sector)
                wanted += 1
            step = self.spindle.period / track.sectors
            sector = math.ceil((self.spindle.angle(t) - track.angle) % 1.0 * track.sectors)
            end = self.spindle.when(track.angle_of(sector), t)
            while here:
                end += step
                at = sector % track.sectors
                if at in here:
                    here.remove(at)
                    times[track.lbns[at] - lbn] = t = end
                sector += 1
        return times
