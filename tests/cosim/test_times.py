"""What time it is in a guest, and how long things take there."""

import csv
import datetime
import json
import os

from guest import DRIVE, GuestTest
from harness import PLATTER

CLOCKS = """
import ctypes, json, mmap, time
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex("0f31" "48c1e220" "4809d0" "c3"))  # RDTSC, in one register
stamp = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
kinds = (time.CLOCK_MONOTONIC, time.CLOCK_MONOTONIC_RAW, time.CLOCK_BOOTTIME, time.CLOCK_REALTIME)
def look():
    return [time.clock_gettime_ns(kind) for kind in kinds] + [stamp()]
before = look()
time.sleep(3600)
after = look()
print(json.dumps([b - a for a, b in zip(before, after)]))
"""


class Clocks(GuestTest):
    def test_an_hour_of_sleep_is_an_hour_of_all_clocks_and_none_of_ours(self):
        for took in self.python(CLOCKS):
            self.assertAlmostEqual(took / 1e9, 3600, delta=0.001)
        self.assertAlmostEqual(self.report["simulated_seconds"], 3600, delta=60)
        self.assertLess(self.report["wall_seconds"], 600)

    def test_the_guest_s_day_begins_at_the_date(self):
        date = int(self.succeeds("date", "+%s", options=("--date", "2031-02-03")))
        self.assertEqual(date, datetime.datetime(2031, 2, 3, tzinfo=datetime.timezone.utc).timestamp())
        now = datetime.datetime.now(datetime.timezone.utc).timestamp()
        ahead = int(self.succeeds("date", "+%s")) - now
        self.assertTrue(-60 < ahead < 86400 + 60, ahead)

    def test_chance_is_the_seed_s(self):
        ask = ("sh", "-c", "head -c 16 /dev/urandom | od -An -tx1; cat /proc/sys/kernel/random/uuid")
        first = self.succeeds(*ask)
        self.assertEqual(self.succeeds(*ask), first)
        self.assertEqual(self.succeeds(*ask, options=("--seed", 1)), first)
        self.assertNotEqual(self.succeeds(*ask, options=("--seed", 2)), first)


class Requests(GuestTest):
    REQUESTS = 2000

    def setUp(self):
        super().setUp()
        self.platter("truth", DRIVE, "-o", "m.json")

    def log_times(self):
        """The drive's model times of its reads, and of all commands."""
        came, reads = {}, []
        for line in self.log().decode().splitlines()[1:]:
            _, kind, tag, *values = line.split()
            if kind == "c":
                came[tag] = (int(values[0]), values[4][:2])
            elif kind == "t" and came[tag][1] == "28":
                reads.append(int(values[0]) - came[tag][0])
        return reads

    def test_reads_through_sg_io_take_the_model_s_time_within_a_microsecond(self):
        self.platter("trace", "generate", "--workload", "random", "--for", "m.json", "--requests", self.REQUESTS,
                     "--reads-only", "-o", "random.trace")
        os.mkdir(self.path("shared"))
        self.succeeds(PLATTER, "replay", "random.trace", "--on", "/dev/sg0", "--depth", "1", "--reference-reads", "0",
                      "-o", "shared/guest.csv", models=("m.json",),
                      options=("--share", "shared", "--log", "log", "--syscall-ns", 0))
        measured = self.responses("shared/guest.csv")
        self.assertEqual(len(measured), self.REQUESTS)
        model = self.log_times()[-self.REQUESTS:]
        self.assertEqual(len(model), self.REQUESTS)
        worst = max(abs(a - b) for a, b in zip(measured, model))
        self.assertLess(worst, 1000)
        self.assertLessEqual(self.report["messages"] / self.report["commands"], 2.5)

    def test_a_queue_serves_as_the_engine_does(self):
        """A trace at depth 16, of requests that wait: each at its time, in the order of each policy."""
        model = json.loads(self.platter("truth", DRIVE + "?imperfections=none"))
        os.mkdir(self.path("shared"))
        for name, policy in (("fcfs", 1), ("look", 2), ("sptf", 8)):
            with self.subTest(policy=name):
                model["queue"]["depth"]["value"], model["queue"]["policy"]["value"] = 32, policy
                self.write("q.json", json.dumps(model))
                self.platter("trace", "generate", "--workload", "random", "--for", "q.json", "--requests", 600, "--rate", 180,
                             "--reads-only", "-o", "random.trace", "--force")
                self.succeeds(PLATTER, "replay", "random.trace", "--on", "/dev/sg0", "--depth", "16", "-o", "shared/guest.csv",
                              "--force", models=("q.json",), options=("--share", "shared"))
                # Issued when the guest issued them, on a platter that stands where the guest's stood.
                self.platter("replay", "random.trace", "--on", "q.json", "--phase-from", "shared/guest.csv", "-o", "model.csv",
                             "--force")
                guest, engine = self.responses("shared/guest.csv"), self.responses("model.csv")
                self.assertEqual(len(guest), 600)
                self.assertGreater(max(guest), 3 * min(guest[1:]))  # they did wait for each other
                self.assertLess(max(abs(a - b) for a, b in zip(guest, engine, strict=True)), 1000)

    def responses(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return [int(row["response_ns"]) for row in csv.DictReader(line for line in file if not line.startswith("#"))
                    if row["part"] == "trace"]

    def test_drives_may_be_faster(self):
        read = ("python3", "-c", "import os, time\nfd = os.open('/dev/sda', os.O_RDONLY)\n"
                "for i in range(50):\n  os.pread(fd, 1, i * 7919 % 50 * 10 ** 8)\n")
        times = []
        for speed in (1, 10, 1000):
            self.succeeds(*read, models=("m.json",), options=("--speed", speed, "--log", "log"))
            self.assertGreaterEqual(len(self.log_times()), 50)
            times.append(self.report["simulated_seconds"])
            checked = json.loads(self.platter("emulate", "m.json", "--check-log", "log", "--json"))
            self.assertEqual(checked["differ"], 0)
        self.assertGreater(times[0] / times[1], 6)
        self.assertGreater(times[0] / times[2], 20)

    def test_processor_time_is_charged_where_it_is_asked_for(self):
        compute = ("python3", "-c", "import os\nfd = os.open('/dev/sda', os.O_RDONLY)\n"
                   "for i in range(20):\n  sum(range(100000))\n  os.pread(fd, 4096, i << 24)")
        self.succeeds(*compute)
        without = self.report["simulated_seconds"]
        self.succeeds(*compute, options=("--cpu-factor", 100))
        self.assertGreater(self.report["simulated_seconds"], without + 1)
        self.succeeds(*compute)
        self.assertEqual(self.report["simulated_seconds"], without)
