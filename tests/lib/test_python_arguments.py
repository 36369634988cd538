"""Every argument of the Python module: what is of another type, outside of its range or not a number is refused with a
sentence that names it. Nothing wraps, and the engine stays as it was."""

import ctypes
import decimal
import inspect
import unittest

import built

U32, U64, I64 = (0, 2**32 - 1), (0, 2**64 - 1), (-2**63, 2**63 - 1)
INTEGERS = {"lbn": U64, "angle": U64, "cylinder": U32, "head": U32, "sector": U32, "tag": U32, "flags": U32,
            "scheduler": U32, "depth": U32, "episode": U32, "time_ns": I64, "phase_ns": I64, "arrival_ns": I64}
NO_INTEGERS = (None, True, False, 1.0, 3.7, float("nan"), float("inf"), "7", b"7", [], (1,), {}, object(), 1j,
               decimal.Decimal(3), range(3), len, int)
NO_NUMBERS = (None, True, "0.5", b"1", [], object(), 1j)


class Five:
    def __index__(self):
        return 5


class Arguments(built.WithDrives):
    def setUp(self):
        self.engine = self.platter.Engine(self.table)
        self.engine.submit(self.platter.Request(lbn=5, blocks=8), 0)
        self.episodes = self.platter.Episodes(built.EPISODES)

    def good(self, name):
        """A value that the argument of that name takes."""
        platter = self.platter
        others = {"source": built.LIBRARY, "table": self.table, "request": platter.Request(lbn=1, blocks=1),
                  "requests": [platter.Request(lbn=1, blocks=1)], "times_ns": [0], "ageing": 0.5,
                  "policies": self.engine.cache_policies(), "checkpoint": self.engine.save(),
                  "snapshot": self.engine.snapshot(), "asked": platter.Asked(ordinal=1)}
        return others[name] if name in others else 1

    def methods(self):
        """(bound method, its arguments' names), of all that is public."""
        for thing in (self.table, self.engine, self.episodes):
            for name, method in inspect.getmembers(thing, inspect.ismethod):
                if not name.startswith("_") and name != "close":
                    yield method, list(inspect.signature(method).parameters)

    def refused(self, kinds, name, call, *arguments, **more):
        before = self.engine.save()
        with self.assertRaises(kinds) as caught:
            call(*arguments, **more)
        self.assertRegex(str(caught.exception), rf"\b{name}\b")
        self.assertEqual(self.engine.save(), before)
        return str(caught.exception)

    def test_every_integer(self):
        seen = set()
        for method, names in self.methods():
            for at, name in enumerate(names):
                if name not in INTEGERS:
                    continue
                seen.add(name)
                low, high = INTEGERS[name]
                values = [self.good(other) for other in names]

                def call(value):
                    return method(*values[:at], value, *values[at + 1:])
                for value in NO_INTEGERS:
                    with self.subTest(method=method.__name__, argument=name, value=value):
                        self.refused(TypeError, name, call, value)
                for value in (low - 1, high + 1, low - 2**70, 2**70, -2**70, high + 2**32, 10**5000, -10**5000):
                    with self.subTest(method=method.__name__, argument=name, bits=value.bit_length()):
                        sentence = self.refused(OverflowError, name, call, value)
                        self.assertIn(f"{low} to {high}", sentence)
        self.assertEqual(seen, set(INTEGERS))

    def test_no_argument_is_forgotten(self):
        others = {"request", "requests", "times_ns", "ageing", "policies", "checkpoint", "snapshot", "asked"}
        names = {name for _, names in self.methods() for name in names}
        self.assertEqual(names, set(INTEGERS) | others)

    def test_what_is_no_struct_of_that_kind(self):
        for method, names in self.methods():
            for at, name in enumerate(names):
                if name not in ("request", "policies", "snapshot", "asked"):
                    continue
                values = [self.good(other) for other in names]
                for value in (None, 5, "x", b"", self.platter.Completion(), self.platter.Queue(), ctypes.c_int(5), []):
                    with self.subTest(method=method.__name__, value=value):
                        self.refused(TypeError, name, method, *values[:at], value, *values[at + 1:])

    def test_batches(self):
        request = self.platter.Request(lbn=1, blocks=1)
        batch = self.engine.service_batch
        for requests in (None, 5, [None], [request, 5], [self.platter.Completion()], request):
            self.refused(TypeError, "requests", batch, requests, [0] * 2)
        for times in (None, 5, [None], [1.0], [True], ["1"]):
            self.refused(TypeError, "times_ns", batch, [request], times)
        for time in (2**63, -2**63 - 1, 2**70):
            self.assertIn(r"times_ns[1]", self.refused(OverflowError, "times_ns", batch, [request] * 2, [0, time]))
        self.refused(ValueError, "times", batch, [request], [0, 1])
        self.refused(ValueError, "times", batch, [request], [])
        self.assertEqual(batch([], []), [])
        self.assertEqual(len(batch(iter([request] * 3), iter([0] * 3))), 3)
        self.assertEqual(len(batch((self.platter.Request * 2)(request, request), (0, 1))), 2)

    def test_a_batch_that_fails_keeps_what_was_served(self):
        good, bad = self.platter.Request(lbn=1, blocks=1, tag=3), self.platter.Request(lbn=1)
        with self.assertRaises(self.platter.Error) as caught:
            self.engine.service_batch([good, good, bad, good], [0, 1, 2, 3])
        self.assertEqual([done.tag for done in caught.exception.completions], [3, 3])

    def test_numbers(self):
        for value in NO_NUMBERS:
            self.refused(TypeError, "ageing", self.engine.set_queue, 4, 0, value)
        for value in (float("nan"), float("inf"), -float("inf")):
            self.refused(ValueError, "ageing", self.engine.set_queue, 4, 0, value)
        for value in (-1, 1e300):
            self.refused(ValueError, "ageing", self.engine.set_queue, 4, 0, value)
        self.refused(OverflowError, "ageing", self.engine.set_queue, 4, 0, 10**400)
        self.engine.set_queue(4, 0, 1)
        self.assertEqual(self.engine.queue().ageing, 1.0)

    def test_members_of_structs(self):
        bounds = {ctypes.c_uint32: U32, ctypes.c_uint64: U64, ctypes.c_int64: I64}
        tried = 0
        for struct in (self.platter.Request, self.platter.CachePolicies, self.platter.Queue, self.platter.Extent):
            for at, (name, kind) in enumerate(struct._fields_):
                if kind not in bounds:
                    continue
                low, high = bounds[kind]
                there = struct()

                def ways(value):
                    yield lambda: struct(**{name: value})
                    yield lambda: struct(*[0] * at, value)
                    yield lambda: setattr(there, name, value)
                for value in NO_INTEGERS:
                    for way in ways(value):
                        self.refused(TypeError, name, way)
                for value in (low - 1, high + 1, 2**70, -2**70, 10**5000):
                    for way in ways(value):
                        self.refused(OverflowError, name, way)
                for value in (low, high, 7):
                    setattr(there, name, value)
                    self.assertEqual(getattr(there, name), value)
                tried += 1
        self.assertGreater(tried, 15)

    def test_members_that_are_not_there(self):
        for call in (lambda: self.platter.Request(lba=5), lambda: setattr(self.platter.Request(), "lba", 5)):
            self.refused(AttributeError, "lba", call)
        with self.assertRaises(TypeError):
            self.platter.Request(*range(20))
        with self.assertRaises(TypeError):
            self.platter.Request(5, lbn=5)

    def test_what_the_drive_does_not_have(self):
        """The library's own ranges: its sentence, as an error that is a ValueError, too."""
        blocks = self.table.info().blocks
        request = self.platter.Request
        for kind in (self.platter.Error, ValueError):
            for method in (self.engine.service, self.engine.submit):
                self.refused(kind, "lbn", method, request(lbn=blocks, blocks=1), 0)
                self.refused(kind, "lbn", method, request(lbn=2**64 - 1, blocks=2**32 - 1), 0)
                self.refused(kind, "blocks", method, request(lbn=blocks - 1, blocks=2), 0)
                self.refused(kind, "blocks", method, request(lbn=0), 0)
                self.refused(kind, "flags", method, request(blocks=1, flags=4), 0)
                self.refused(kind, "media_delay_ns", method, request(blocks=1, media_delay_ns=-1), 0)
                self.refused(kind, "(time|arrival)_ns", method, request(blocks=1), 2**62)
                self.refused(kind, "reserved_1", method, request(blocks=1, reserved_1=1), 0)
            self.refused(kind, "lbn", self.engine.seek, blocks, 0)
            self.refused(kind, "lbn", self.table.place_of_lbn, blocks)
            self.refused(kind, "cylinder", self.table.track_at, 2**32 - 1, 0)
            self.refused(kind, "scheduler", self.engine.set_queue, 5)
            self.refused(kind, "depth", self.engine.set_queue, 0, 65)

    def test_integers_of_others(self):
        """What says that it is an integer (numpy's are such) is one."""
        self.assertEqual(self.table.place_of_lbn(Five()).sector, self.table.place_of_lbn(5).sector)
        self.assertEqual(self.platter.Request(lbn=Five()).lbn, 5)

    def test_sources(self):
        for source in (None, 5, 1.5, [], object(), True):
            self.refused(TypeError, "source", self.platter.Table, source)
        self.refused(ValueError, "source", self.platter.Table, self.paths[0] + "\0.bak")
        for table in (None, 5, self.paths[0], self.engine):
            self.refused(TypeError, "table", self.platter.Engine, table)
        with open(self.paths[0], "rb") as file:
            content = file.read()
        for whole in (content, bytearray(content), memoryview(content)):
            self.assertEqual(self.platter.Table(whole).info().blocks, self.table.info().blocks)
        for part in (b"", content[:-1], content[:100], bytearray(8)):
            with self.assertRaises(self.platter.Error):
                self.platter.Table(part)

    def test_texts_outlive_their_table(self):
        program = "info, demerits = table.info(), table.demerits()\ndel table, engine\n" \
                  "others = [platter.Table(paths[0]) for _ in range(50)]\ndel others\n" \
                  "print(info.name, info.method, info.date, info.note, len(info.model_sha256), demerits)"
        self.assertIn("Atlas", self.run_alone(program))

    def test_any_calls_with_any_arguments(self):
        self.assertIn("served", self.run_alone(RANDOM_CALLS))


RANDOM_CALLS = """
import inspect, random
draw = random.Random(20260801)
served = refused = 0
def integer():
    edge = 2 ** draw.choice((0, 1, 4, 8, 13, 24, 31, 32, 33, 61, 62, 63, 64, 70))
    return draw.choice((1, 1, -1)) * draw.choice((edge + draw.randrange(-2, 3), draw.randrange(edge), draw.randrange(5000)))
def anything():
    return draw.choice((None, True, 1.5, float("nan"), "x", b"x", [], (), object, integer(), integer()))
def request():
    if draw.random() < 0.1:
        return anything()
    r = platter.Request(lbn=draw.randrange(10**6), blocks=draw.randrange(1, 64))
    for name in ("lbn", "blocks", "flags", "tag", "positioning_ns", "media_delay_ns", "phase_ns"):
        if draw.random() < 0.3:
            setattr(r, name, anything() if draw.random() < 0.3 else draw.randrange(4))
    return r
checkpoints = [engine.save()]
def argument(name):
    if name == "request":
        return request()
    if name == "requests":
        return [request() for _ in range(draw.randrange(4))]
    if name == "times_ns":
        return [integer() for _ in range(draw.randrange(4))]
    if name == "checkpoint":
        return draw.choice((checkpoints[0], checkpoints[0][:-1], anything()))
    if name == "policies":
        return draw.choice((engine.cache_policies(), anything()))
    if name == "snapshot":
        return draw.choice((engine.snapshot(), anything()))
    if name == "ageing":
        return draw.choice((0, 0.5, anything()))
    return draw.randrange(100) if draw.random() < 0.4 else integer() if draw.random() < 0.7 else anything()
methods = [method for thing in (table, engine) for name, method in inspect.getmembers(thing, inspect.ismethod)
           if not name.startswith("_") and name != "close"]
for i in range(20000):
    method = draw.choice(methods)
    try:
        answer = method(*[argument(name) for name in inspect.signature(method).parameters])
        served += 1
        if isinstance(answer, platter.Completion):
            assert answer.completion_ns >= answer.arrival_ns, answer
    except (TypeError, ValueError, OverflowError) as refusal:
        assert str(refusal), method
        refused += 1
    if i % 500 == 0:
        engine.reset(0)
assert served > 3000 and refused > 3000, (served, refused)
print("served", served, "refused", refused)
"""

if __name__ == "__main__":
    unittest.main()
