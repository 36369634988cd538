"""Threads, closing and fork, through the Python module: a call is served whole, one after the other, or refused."""

import unittest

import built

THREADS = """
import threading
wrong = []
def in_threads(count, work):
    def guarded(number):
        try:
            work(number)
        except Exception as failure:
            wrong.append(repr(failure))
    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
sys.setswitchinterval(1e-5)
"""

WRITTEN_MEANWHILE = """
import subprocess, tempfile
content = open(paths[0], "rb").read()
program = (f"import os\\ncontent = open({paths[0]!r}, 'rb').read()\\nfile = os.open(%r, os.O_RDWR)\\n"
           "for _ in range(10000):\\n    os.ftruncate(file, 0)\\n    os.pwrite(file, content, 0)\\n")
with tempfile.NamedTemporaryFile() as file:
    writer = subprocess.Popen([sys.executable, "-c", program % file.name])
    tried = 0
    while writer.poll() is None or tried < 200:
        tried += 1
        try:
            assert platter.Table(file.name).info().blocks == table.info().blocks
        except platter.Error as refusal:
            assert refusal.status == platter.BAD_TABLE, refusal
print(writer.returncode)
"""

FORKED_FROM_A_CALL = """
import os, threading
requests, times = [platter.Request(lbn=i, blocks=8) for i in range(20000)], [0] * 20000
done = threading.Event()
def serve():
    while not done.is_set():
        engine.service_batch(requests, times)
def refused(call):
    try:
        call()
    except platter.Error as refusal:
        return refusal.status == platter.BUSY
def child():
    answers = [refused(lambda: engine.service(requests[0], 0)), refused(engine.save), refused(engine.outstanding),
               refused(engine.queue)]
    engine.close()
    platter.Engine(table).service(requests[0], 0)
    return 0 if all(answers) else 2 if not any(answers) else 1
threading.Thread(target=serve).start()
answer = 2
while answer == 2:  # the call had ended before the fork
    while platter._outstanding(engine._handle) != 2**64 - 1:
        pass
    process = os.fork()
    if process == 0:
        os._exit(child())
    answer = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
done.set()
print(answer)
"""


class Threads(built.WithDrives):
    def test_eight_threads_serve_on_one_engine(self):
        told = self.run_alone(THREADS + """
done = []
def work(number):
    for i in range(1500):
        request = platter.Request(lbn=(number * 7919 + i * 104729) % 10**6, blocks=8, tag=number * 10000 + i)
        completion = engine.service(request, i * 10**6)
        assert completion.tag == request.tag
        done.append(completion.tag)
        if i % 50 == 0:
            kept = engine.save()
            engine.restore(kept)
            engine.dirty(i * 10**6)
            engine.service_batch([request] * 200, [i * 10**6] * 200)
in_threads(8, work)
print(wrong, len(set(done)), len(done))
""")
        self.assertEqual(told, "[] 12000 12000\n")

    def test_eight_threads_submit_and_take(self):
        told = self.run_alone(THREADS + """
taken = []
engine.set_queue(platter.FCFS)
def work(number):
    for i in range(600):
        request = platter.Request(lbn=i * 1000 + number, blocks=1, tag=number * 10000 + i)
        while engine.submit(request, 0) != 0:
            pass
        completion = engine.next_completion()
        if completion is not None:
            taken.append(completion.tag)
in_threads(8, work)
while (completion := engine.next_completion()) is not None:
    taken.append(completion.tag)
print(wrong, len(set(taken)), len(taken))
""")
        self.assertEqual(told, "[] 4800 4800\n")

    def test_eight_threads_open_and_close(self):
        told = self.run_alone(THREADS + """
def work(number):
    for i in range(100):
        with platter.Table(paths[0]) as mine:
            with platter.Engine(mine) as drive:
                drive.service(platter.Request(lbn=i, blocks=1), 0)
                assert mine.place_of_lbn(i).track_sectors > 0
in_threads(8, work)
print(wrong)
""")
        self.assertEqual(told, "[]\n")

    def test_closed_while_others_call_it(self):
        for thing, call in (("engine", "engine.service_batch([platter.Request(blocks=1)] * 500, [0] * 500)"),
                            ("engine", "engine.service(platter.Request(blocks=1), 0)"),
                            ("table", "table.place_of_lbn(5)"), ("table", "platter.Engine(table)")):
            told = self.run_alone(THREADS + f"""
import time
ended = []
def work(number):
    if number < 2:
        time.sleep(0.05)
        {thing}.close()
        return
    while True:
        try:
            {call}
        except ValueError as refusal:
            ended.append(str(refusal))
            return
in_threads(8, work)
print(wrong, len(ended), set(ended))
""")
            self.assertEqual(told, f"[] 6 {{'the {thing} is closed'}}\n")


class Closed(built.WithDrives):
    def refuse(self, thing, what):
        for name in dir(thing):
            if name.startswith("_") or name == "close":
                continue
            code = getattr(type(thing), name).__code__
            request = self.platter.Request(blocks=1)
            arguments = {"request": request, "requests": [request], "times_ns": [0], "checkpoint": self.checkpoint,
                         "snapshot": self.snapshot, "policies": self.policies, "ageing": 0.5}
            names = code.co_varnames[1:code.co_argcount]
            with self.assertRaises(ValueError, msg=name) as caught:
                getattr(thing, name)(*[arguments.get(argument, 1) for argument in names])
            self.assertEqual(str(caught.exception), f"the {what} is closed")

    def test_what_was_closed(self):
        table = self.platter.Table(self.paths[0])
        engine = self.platter.Engine(table)
        self.checkpoint, self.snapshot, self.policies = engine.save(), engine.snapshot(), engine.cache_policies()
        table.close()
        table.close()
        self.refuse(table, "table")
        with self.assertRaises(ValueError):
            self.platter.Engine(table)
        engine.service(self.platter.Request(blocks=1), 0)  # needs its table no more
        engine.close()
        engine.close()
        self.refuse(engine, "engine")

    def test_finalized_by_hand(self):
        self.run_alone("engine.__del__()\nengine.__del__()\ntable.__del__()\nfor call in (engine.save, table.info):\n"
                       "    try:\n        call()\n        sys.exit(1)\n    except ValueError:\n        pass\n")

    def test_never_opened(self):
        self.run_alone("for kind in (platter.Table, platter.Engine):\n    half = kind.__new__(kind)\n"
                       "    half.close()\n    del half\n")


class Opened(built.WithDrives):
    def test_a_file_that_is_written_meanwhile(self):
        """It is opened as it was or as it is, or refused."""
        self.assertEqual(self.run_alone(WRITTEN_MEANWHILE), "0\n")


class Forked(built.WithDrives):
    def test_a_child_goes_on_by_itself(self):
        told = self.run_alone("""
import os
request = platter.Request(lbn=12345, blocks=8)
kept = engine.snapshot()
read, write = os.pipe()
child = os.fork()
if child == 0:
    engine.roll_back(kept)
    os.write(write, str(engine.service(request, 0).completion_ns).encode())
    engine.close()
    os._exit(0)
print(os.waitpid(child, 0)[1], int(os.read(read, 100)) == engine.service(request, 0).completion_ns)
""")
        self.assertEqual(told, "0 True\n")

    def test_an_engine_that_another_thread_was_in(self):
        """The thread is not there in the child, so its call never ends: the engine is refused there, and nothing
        hangs."""
        told = self.run_alone(FORKED_FROM_A_CALL)
        self.assertEqual(told, "0\n")


if __name__ == "__main__":
    unittest.main()
