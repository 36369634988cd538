"""What moves in a modern drive: a spindle that wanders, and an arm that knows millimetres only."""

import math

MS = 1e6


class Spindle:
    """Its speed is off by the sum of ppm * cos(2 pi t / seconds + phase) over its waves."""

    def __init__(self, config, chance, noise):
        self.period = 60e9 / config["rpm"]
        self.phase = chance.random()
        self.waves = []
        for wave in config["spindle"] if noise else ():
            turn = 2 * math.pi / (wave["seconds"] * 1e9)
            self.waves.append((turn, chance.uniform(0, 2 * math.pi), wave["ppm"] * 1e-6 / turn / self.period))

    def turns(self, t):
        turns = t / self.period + self.phase
        for turn, phase, swing in self.waves:
            turns += swing * math.sin(turn * t + phase)
        return turns

    def angle(self, t):
        return self.turns(t) % 1.0

    def when(self, angle, t):
        """The first time, not before `t`, at which `angle` comes under the heads."""
        then = t + (angle - self.turns(t)) % 1.0 * self.period
        late = (self.turns(then) - angle + 0.5) % 1.0 - 0.5
        return max(t, then - late * self.period)


class Arm:
    """Accelerates for half of the way and brakes for the other half, with a greatest speed. All heads
    hang on it, each a few micrometres from where it should be."""

    def __init__(self, config, disks, spindle, chance, noise):
        self.config = config["arm"]
        self.surfaces = disks.surfaces
        self.wedges = disks.wedges
        self.spindle = spindle
        self.chance = chance
        self.sigma = config["noise"]["positioning_us"] * 1e3 if noise else 0.0
        self.head = self.cylinder = 0
        self.busy_until = 0.0

    @property
    def track(self):
        """Where it stands, for the log."""
        return self

    def position_mm(self, head, cylinder):
        surface = self.surfaces[head]
        return surface.outer_mm - surface.pitch_mm * cylinder + surface.offset_mm

    def travel_ms(self, distance_mm):
        """From rest to rest; `g` of acceleration are mm per ms squared times 0.00981."""
        c = self.config
        acceleration, speed = c["g"] * 9.81e-3, c["mm_per_ms"]
        outwards = distance_mm > 0
        distance = abs(distance_mm)
        ms = 2 * math.sqrt(distance / acceleration) if distance < speed * speed / acceleration else \
            speed / acceleration + distance / speed
        return ms * (c["outward_factor"] if outwards else 1.0)

    def move_ms(self, head, cylinder):
        """To another track, before noise and wedges."""
        c = self.config
        ms = self.travel_ms(self.position_mm(head, cylinder) - self.position_mm(self.head, self.cylinder))
        return ms + c["settle_ms"] + (c["switch_ms"] if head != self.head else 0.0)

    def move(self, head, cylinder, t, write=False):
        """When the head is on the track."""
        if t < self.busy_until:
            t = self.busy_until
        if head == self.head and cylinder == self.cylinder:
            return t
        t += (self.move_ms(head, cylinder) + (self.config["write_settle_ms"] if write else 0.0)) * MS
        if self.sigma:
            t += max(-2 * self.sigma, self.chance.gauss(0, self.sigma))
            if self.chance.random() < self.config["overshoot_share"]:
                t += self.config["overshoot_ms"] * MS
        # Nobody knows where the head is before a wedge has passed.
        surface = self.surfaces[head]
        wedge = math.ceil((self.spindle.turns(t) - surface.index_rev) * self.wedges)
        t = self.spindle.when((wedge / self.wedges + surface.index_rev) % 1.0, t)
        self.head, self.cylinder = head, cylinder
        self.busy_until = t
        return t
