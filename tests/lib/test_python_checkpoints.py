"""Checkpoints as bytes, through the Python module: what is damaged or another's is refused, and changes nothing."""

import os
import pickle
import tempfile
import unittest

import built

DAMAGED = """
import random
draw = random.Random(20260802)
def used(over, seed):
    drive, draw = platter.Engine(over), random.Random(seed)
    for i in range(20):
        drive.submit(platter.Request(lbn=draw.randrange(over.info().blocks - 8), blocks=8, flags=draw.randrange(2), tag=i),
                     i * 10**5)
    drive.advance(10**7)
    return drive
engine = used(table, 1)
before, whole = engine.save(), used(table, 2).save()
others = [used(platter.Table(path), 3).save() for path in paths[1:]]
settled = used(table, 4)
policies = settled.cache_policies()
policies.maximum_prefetch = 5
settled.set_cache_policies(policies, 10**9)
others.append(settled.save())
def damaged():
    at, kind = draw.randrange(len(whole)), draw.randrange(7)
    if kind == 0:
        return whole[:at]
    if kind == 1:
        return whole + draw.randbytes(1 + draw.randrange(64))
    if kind == 2:
        return whole[:at] + whole[at + 1:]
    if kind == 3:
        return draw.randbytes(len(whole))
    if kind == 4:
        return draw.choice(others)
    if kind == 5:
        other = draw.choice(others)
        return whole[:at] + other[at:]
    flipped = bytearray(whole)
    flipped[at] ^= 1 << draw.randrange(8)
    return bytes(flipped)
tried = 0
while tried < 2000:
    checkpoint = damaged()
    if checkpoint == whole:
        continue
    tried += 1
    try:
        engine.restore(checkpoint)
    except platter.Error as refusal:
        assert refusal.status == platter.BAD_CHECKPOINT, refusal
        assert isinstance(refusal, ValueError)
    else:
        raise AssertionError("a damaged checkpoint was restored")
    assert engine.save() == before
for form in (whole, bytearray(whole), memoryview(whole)):
    engine.restore(form)
    assert engine.save() == whole
    engine.service(platter.Request(blocks=1), 0)
print(tried)
"""


class Checkpoints(built.WithDrives):
    def test_2000_damaged_ones(self):
        self.assertEqual(self.run_alone(DAMAGED), "2000\n")

    def test_what_is_none(self):
        engine = self.platter.Engine(self.table)
        for value in (None, 5, "x" * 5000, [1, 2], object(), True, engine.snapshot()):
            with self.assertRaises(TypeError) as caught:
                engine.restore(value)
            self.assertIn("checkpoint", str(caught.exception))
        for value in (b"", b"x", bytes(5000)):
            with self.assertRaises(self.platter.Error) as caught:
                engine.restore(value)
            self.assertEqual(caught.exception.status, self.platter.BAD_CHECKPOINT)

    def test_a_file(self):
        """Another process goes on where this one was."""
        engine = self.platter.Engine(self.table)
        request = self.platter.Request(lbn=777, blocks=8)
        engine.service(request, 0)
        with tempfile.NamedTemporaryFile(delete=False) as file:
            self.addCleanup(os.remove, file.name)
            file.write(engine.save())
        told = self.run_alone(f"engine.restore(open({file.name!r}, 'rb').read())\n"
                              "print(engine.service(platter.Request(lbn=555555, blocks=8), 10**8).completion_ns)")
        self.assertEqual(int(told), engine.service(self.platter.Request(lbn=555555, blocks=8), 10**8).completion_ns)

    def test_snapshots_stay_in_their_process(self):
        engine = self.platter.Engine(self.table)
        kept = engine.snapshot()
        first = engine.service(self.platter.Request(lbn=777, blocks=8), 0).completion_ns
        engine.roll_back(kept)
        self.assertEqual(engine.service(self.platter.Request(lbn=777, blocks=8), 0).completion_ns, first)
        other = self.platter.Engine(self.platter.Table(self.paths[1]))
        with self.assertRaises(self.platter.Error) as caught:
            other.roll_back(kept)
        self.assertEqual(caught.exception.status, self.platter.BAD_CHECKPOINT)
        with self.assertRaises(TypeError):
            pickle.dumps(kept)


if __name__ == "__main__":
    unittest.main()
