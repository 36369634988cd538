"""The Python module against the C header that it speaks for, and a drive through it."""

import os
import re
import subprocess
import tempfile
import unittest

import built

HEADER = os.path.join(built.ROOT, "lib/platter.h")
COMPILER = os.environ.get("CC", "cc")


def header():
    with open(HEADER, encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)


class Module(built.WithDrives):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)

    def evaluated(self, expressions):
        """C's values of expressions over the header."""
        source, program = (os.path.join(self.holder.name, name) for name in ("ask.c", "ask"))
        lines = "".join(f'  printf("%lld\\n", (long long)({text}));\n' for text in expressions)
        with open(source, "w", encoding="utf-8") as file:
            file.write(f'#include <stdio.h>\n#include "{HEADER}"\nint main(void) {{\n{lines}}}\n')
        subprocess.run([COMPILER, source, "-o", program], check=True)
        return [int(line) for line in subprocess.run([program], check=True, text=True, capture_output=True).stdout.split()]

    def test_every_function_is_there(self):
        functions = set(re.findall(r"PLATTER_API [\w* ]*?\bplatter_(\w+)\(", header()))
        self.assertGreater(len(functions), 30)
        with open(built.MODULE, encoding="utf-8") as file:
            spoken_for = set(re.findall(r'_function\("(\w+)"', file.read()))
        self.assertEqual(spoken_for, functions)

    def test_constants_are_the_headers(self):
        names = [name for name in re.findall(r"\bPLATTER_(\w+) =", header()) if name != "OK"]
        self.assertGreater(len(names), 25)
        self.assertEqual([getattr(self.platter, name) for name in names],
                         self.evaluated([f"PLATTER_{name}" for name in names]))

    def test_structs_lie_as_in_c(self):
        structs = re.findall(r"typedef struct platter_(\w+) \{", header())
        self.assertGreater(len(structs), 8)
        for struct in structs:
            ours = getattr(self.platter, "".join(word.title() for word in struct.split("_")))
            members = [name for name, _ in ours._fields_ if not name.startswith("reserved")]
            asked = [f"sizeof(platter_{struct})"]
            for name in members:
                asked += [f"offsetof(platter_{struct}, {name})", f"sizeof(((platter_{struct} *)0)->{name})"]
            told = [getattr(ours, name) for name in members]
            self.assertEqual([self.platter.ctypes.sizeof(ours)] + [n for field in told for n in (field.offset, field.size)],
                             self.evaluated(asked), struct)

    def test_a_place_and_the_way_back(self):
        last = self.table.info().blocks - 1
        for lbn in (0, 123456, last):
            place = self.table.place_of_lbn(lbn)
            self.assertEqual(self.table.lbn_of_place(place.cylinder, place.head, place.sector), lbn)
            track = self.table.track_of_lbn(lbn)
            self.assertEqual((track.cylinder, track.head), (place.cylinder, place.head))
            self.assertEqual(self.table.track_at(track.cylinder, track.head).first_lbn, track.first_lbn)
            passage = self.table.next_passage(place.angle, 10**9)
            off = (self.table.angle_at(passage) - place.angle + 2**63) % 2**64 - 2**63
            self.assertLess(abs(off), 2**64 // 10**6)

    def test_a_failure_has_the_librarys_sentence(self):
        with self.assertRaises(self.platter.Error) as caught:
            self.table.place_of_lbn(2**40)
        self.assertEqual(caught.exception.status, self.platter.OUT_OF_RANGE)
        self.assertIn("block", str(caught.exception))
        with self.assertRaises(self.platter.Error) as caught:
            self.platter.Table(b"no table")
        self.assertEqual(caught.exception.status, self.platter.BAD_TABLE)

    def test_one_by_one_in_a_batch_and_outstanding(self):
        requests = [self.platter.Request(lbn=1000003 * i, blocks=8, tag=i) for i in range(1, 9)]
        times = [20_000_000 * i for i in range(1, 9)]  # the drive is idle again
        engine = self.platter.Engine(self.table)
        single = [engine.service(request, at).completion_ns for request, at in zip(requests, times)]
        engine = self.platter.Engine(self.table)
        batch = [done.completion_ns for done in engine.service_batch(requests, times)]
        self.assertEqual(batch, single)
        engine = self.platter.Engine(self.table)
        outstanding = []
        for request, at in zip(requests, times):
            self.assertEqual(engine.submit(request, at), 0)
            self.assertEqual(engine.next_completion_time(), single[len(outstanding)])
            outstanding += [done.completion_ns for done in engine.completions_until(at + 20_000_000)]
        self.assertEqual(outstanding, single)
        self.assertIsNone(engine.next_completion())

    def test_a_rollback(self):
        engine = self.platter.Engine(self.table)
        engine.set_queue(self.platter.SPTF, depth=4)
        self.assertEqual((engine.queue().scheduler, engine.queue().depth), (self.platter.SPTF, 4))
        checkpoint = engine.save()
        request = self.platter.Request(lbn=5_000_000, blocks=16, flags=self.platter.WRITE)
        first = engine.service(request, 10**6).completion_ns
        engine.restore(checkpoint)
        self.assertEqual(engine.service(request, 10**6).completion_ns, first)
        with self.assertRaises(self.platter.Error):
            engine.restore(checkpoint[:-1])

    def test_episodes(self):
        platter = self.platter
        with platter.Episodes(built.EPISODES) as episodes:
            about = episodes.about()
            self.assertEqual((about.episodes, about.seed, len(about.sha256)), (3, 3, 64))
            self.assertEqual([episodes.what(i) for i in range(4)], [platter.THROTTLE, platter.FAIL, platter.STUCK, None])
            failed = 0
            for ordinal in range(1, 401):
                outcome, actions = episodes.outcome(platter.Asked(ordinal=ordinal, lbn=98, blocks=8, arrival_ns=5,
                                                                  completion_ns=25))
                self.assertEqual(actions[0].due_ns, 45)
                if ordinal == 7:
                    self.assertEqual((outcome.due_ns, outcome.flags & platter.NEVER), (2**63 - 1, platter.NEVER))
                    self.assertEqual(actions[-1].what, platter.STUCK)
                    continue
                fails = bool(outcome.flags & platter.FAILS)
                self.assertEqual((outcome.due_ns, len(actions), outcome.failed_lbn), (45, 1 + fails, 100 * fails))
                failed += fails
            self.assertTrue(150 < failed < 250, failed)
            with self.assertRaises(platter.ArgumentError):
                episodes.outcome(platter.Asked())
        with self.assertRaises(ValueError):
            episodes.about()
        with self.assertRaises(platter.Error) as caught:
            platter.Episodes(b"{}")
        self.assertEqual(caught.exception.status, platter.BAD_EPISODES)


if __name__ == "__main__":
    unittest.main()
