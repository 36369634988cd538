"""Drives that misbehave on time under a real kernel, in simulated time: what it sees, what it does about it, and what the
check of the log says."""

import errno
import json
import math

from guest import DRIVE, GuestTest

EPISODES = {"schema": {"name": "platter-episodes", "version": "1.0"}, "seed": 4, "episodes": [
    {"what": "slow", "of": "read", "lbns": [0, 999999], "delay_ms": {"distribution": "exponential", "mean": 5}},
    {"what": "fail", "of": "read", "lbns": [2000000, 2000007]},
    {"what": "fail", "of": "write", "lbns": [2000008, 2000015]},
    {"what": "stall", "lbns": [3000000, 3000007], "from_s": 0, "for_s": 2, "every_s": 4}]}
PROGRAM = """
import json, mmap, os, random, time
drive = os.open("/dev/sda", os.O_RDWR | os.O_DIRECT)
block = mmap.mmap(-1, 4096)
def timed(lbn, ask=os.preadv):
    began = time.monotonic_ns()
    try:
        ask(drive, [block], 512 * lbn)
        error = 0
    except OSError as failure:
        error = failure.errno
    return error, (time.monotonic_ns() - began) / 1e9
random.seed(1)
for _ in range(READS):
    assert timed(8 * random.randrange(120000))[0] == 0
print(json.dumps({"read": timed(2000000)[0], "write": timed(2000008, os.pwritev)[0], "beside": timed(2000016)[0],
                  "stalled": [timed(3000000) for _ in range(4)]}))
"""


def p_of_exponential(delays, mean):
    """Of Kolmogorov and Smirnov's test."""
    count = len(delays)
    shares = [1 - math.exp(-delay / mean) for delay in sorted(delays)]
    distance = max(max((i + 1) / count - share, share - i / count) for i, share in enumerate(shares))
    scaled = (math.sqrt(count) + 0.12 + 0.11 / math.sqrt(count)) * distance
    return 2 * sum((-1) ** (k - 1) * math.exp(-2 * (k * scaled) ** 2) for k in range(1, 100))


class Episodes(GuestTest):
    READS = 10000

    def setUp(self):
        super().setUp()
        self.write("bad.json", json.dumps(EPISODES))

    def run_once(self, reads, log):
        return self.python(PROGRAM.replace("READS", str(reads)), options=(
            "--episodes", "bad.json", "--log", log, "--date", "2031-01-01"))

    # holds: emulators.md: A log of episodes is checked
    # holds: emulators.md: Delays and shares of many requests
    def test_a_kernel_outlives_ten_thousand_slow_reads_errors_and_stalls(self):
        seen = self.run_once(self.READS, "log")
        self.assertEqual((seen["read"], seen["write"], seen["beside"]), (errno.ENODATA, errno.EIO, 0))
        self.assertEqual({error for error, _ in seen["stalled"]}, {0})
        acted = {each["what"]: each["requests"] for each in self.report["episodes"]}
        self.assertGreaterEqual(acted["slow"], self.READS)
        self.assertGreater(acted["fail"], 0)

        checked = self.platter_json("emulate", DRIVE, "--check-log", "log", "--episodes", "bad.json")
        self.assertEqual(checked["differ"], 0, checked["first_difference"])
        self.assertGreater(checked["completions"], self.READS)
        self.assertEqual(checked["episodes"], sum(each["requests"] for each in self.report["episodes"]))
        self.assertGreater(p_of_exponential(self.delays("log"), 5), 0.01)

    def delays(self, name):
        """Of what is slow, in ms."""
        model, found = {}, []
        for line in self.log(name).decode().splitlines()[1:]:
            _, kind, tag, *words = line.split()
            if kind == "t":
                model[tag] = int(words[0])
            elif kind == "e" and words[1] == "slow":
                found.append((int(words[2]) - model[tag]) / 1e6)
        return found

    # holds: emulators.md: A request that is stuck can be aborted
    def test_a_kernel_waits_for_what_is_stuck_until_the_power_goes(self):
        self.write("bad.json", json.dumps({**EPISODES, "episodes": [{"what": "stuck", "lbns": [4000000, 4000000]}]}))
        self.succeeds("dd", "if=/dev/sda", "iflag=direct", "bs=4096", "count=1", "skip=500000", "of=/dev/null", options=(
            "--episodes", "bad.json", "--log", "log", "--power-cut-at", 100))
        self.assertTrue(self.report["power_cut"])
        self.assertEqual(self.report["episodes"], [{"drive": 0, "what": "stuck", "requests": 1}])
        checked = self.platter_json("emulate", DRIVE, "--check-log", "log", "--episodes", "bad.json")
        self.assertEqual((checked["differ"], checked["episodes"]), (0, 1))

    # holds: emulators.md: The same file, drive and requests
    def test_the_same_run_again(self):
        logs = []
        for seed in (4, 4, 4, 5):  # of the first one the folder has fewer files, which Python looks at
            self.write("bad.json", json.dumps({**EPISODES, "seed": seed}))
            self.run_once(300, "log")
            logs.append(self.log())
        self.assertEqual(logs[1], logs[2])
        self.assertNotEqual(logs[2], logs[3])
