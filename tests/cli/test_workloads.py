"""Workloads: every one there is, made, described and replayed at depth; what is asked wrongly."""

import filecmp
import os
import unittest

from harness import BAD_INPUT, USAGE, PlatterTest

DRIVE = "virtual:hp-c2247"


class Workloads(PlatterTest):
    def generate(self, *arguments, blocks=2054864, output="t.trace"):
        self.platter("trace", "generate", "--blocks", blocks, "-o", output, *arguments)
        return self.platter_json("trace", "stats", output)

    def test_every_workload_of_the_list_is_what_the_list_says(self):
        workloads = self.platter_json("trace", "generate", "--list")["workloads"]
        text = self.platter("trace", "generate", "--list")
        self.assertEqual(sum("Wu 2016" in each["source"] for each in workloads), 18)
        for each in workloads:
            if each["place"]["kind"] == "tracks":  # which only a model knows
                self.fails(USAGE, "--for", "trace", "generate", "--workload", each["name"], "--blocks", 2054864,
                           "-o", "t.trace")
                continue
            with self.subTest(each["name"]):
                self.assertIn(each["name"], text)
                made = self.generate("--workload", each["name"])
                self.assertEqual(made["requests"], each["requests"])
                self.assertEqual(made["kind"], each["times"]["kind"])
                share = each["read_share"]
                five_errors = 5 * (share * (1 - share) / each["requests"]) ** 0.5
                self.assertLessEqual(abs(made["read_share"] - share), five_errors + 1e-12)
                self.assertEqual(made["min_blocks"] * 512, each["sizes"]["least_bytes"])
                self.assertEqual(made["max_blocks"] * 512, each["sizes"]["most_bytes"])

    def test_tracks_are_those_of_the_model(self):
        self.platter("truth", DRIVE, "-o", "drive.json")
        tracks = {}
        for line in self.platter("layout", "drive.json", "--all-tracks").splitlines():
            first, sectors = line.split()[:2]
            tracks[int(first)] = int(sectors)
        for workload, aligned in ("tracks", True), ("across-tracks", False):
            self.platter("trace", "generate", "--workload", workload, "--for", "drive.json", "-o", "t.ascii",
                         "--rate", 10, "--requests", 300)
            with open(self.path("t.ascii"), encoding="ascii") as file:
                requests = [[int(number) for number in line.split()[2:4]] for line in file]
            self.assertEqual(len(requests), 300)
            whole = sum(tracks.get(lbn) == blocks for lbn, blocks in requests)
            self.assertEqual(whole == 300, aligned)
            self.assertLess(abs(sum(blocks for _, blocks in requests) / 300 - sum(tracks.values()) / len(tracks)), 10)

    def test_a_queue_of_the_host_merges_what_arrives_together(self):
        self.platter("truth", DRIVE, "-o", "drive.json")
        with open(self.path("t.ascii"), "w", encoding="ascii") as file:
            file.write("".join(f"{10 * i // 4}.0 0 {1000 * (i // 4) + 8 * (i % 4)} 8 1\n" for i in range(80)))
        told = self.platter_json("replay", "t.ascii", "--on", "drive.json", "-o", "r.csv", "--host-queue", "default")
        self.assertEqual(told["host_queue"]["merged"] + told["host_queue"]["commands"], 80)
        self.assertEqual(self.platter_json("result", "show", "r.csv")["host_queue"], told["host_queue"])
        self.fails(USAGE, "plug_ms", "replay", "t.ascii", "--on", "drive.json", "--host-queue", "plug_ms=3")
        self.fails(USAGE, "--host-queue", "replay", "t.ascii", "--on", DRIVE, "--host-queue", "default")

    def test_windows_that_answer_nothing_are_told(self):
        self.platter("truth", DRIVE, "-o", "drive.json")
        self.generate("--workload", "sequential", "--requests", 50, output="in-a-row.trace")  # of 64 KB
        self.generate("--workload", "random", "--requests", 50, output="random.trace")
        for trace, window_kb, words in (("in-a-row.trace", 4, "answered no read: none lay whole in the"),
                                        ("in-a-row.trace", 128, None), ("in-a-row.trace", 0, None),
                                        ("random.trace", 128, "did nothing: no two reads")):
            done = self.run_platter("replay", trace, "--on", "drive.json", "--json", "--host-queue",
                                    f"prefetch-kb={window_kb}")
            self.assertEqual(done.returncode, 0)
            if words:
                self.assertRegex(done.stderr, rf"\Aplatter: --host-queue prefetch-kb={window_kb} {words}[^\n]*\n\Z")
            else:
                self.assertEqual(done.stderr, "")

    def test_parameters(self):
        made = self.generate("--workload", "streams", "--streams", 3, "--request-kb", 128,
                             "--read-share", 0)
        self.assertEqual(made["mean_blocks"], 256)
        self.assertEqual(made["writes"], 5000)
        self.assertEqual(made["sequentiality"]["interleaved_streams"], 3)
        made = self.generate("--workload", "random/write/large", "--rate", 100, "--within",
                             "1000-500000", "--writes-within", "2000-400000", "--requests", 2000)
        self.assertEqual(made["kind"], "open")
        self.assertGreaterEqual(made["first_lbn"], 2000)
        self.assertLessEqual(made["last_lbn"], 400000)
        made = self.generate("--workload", "write-burst", "--burst-kb", 1024, "--idle-ms", 500,
                             "--requests", 1280)
        self.assertEqual(made["times"]["span_ms"], 9 * 500)
        made = self.generate("--workload", "mixed", "--block-bytes", 4096, blocks=100000)
        self.assertLess(made["last_lbn"], 100000)

    def test_the_same_seed_makes_the_same_trace(self):
        for name in ("a", "b"):
            self.generate("--workload", "hot-spot", "--seed", 5, output=name)
        self.generate("--workload", "hot-spot", "--seed", 6, output="c")
        self.assertTrue(filecmp.cmp(self.path("a"), self.path("b"), shallow=False))
        self.assertFalse(filecmp.cmp(self.path("a"), self.path("c"), shallow=False))

    def test_a_closed_workload_replays_at_depth(self):
        self.generate("--workload", "random/read/small", "--requests", 400)
        seconds = {}
        for depth in (1, 8):
            output = f"depth{depth}.csv"
            self.platter("replay", "t.trace", "--on", DRIVE, "--depth", depth, "-o", output)
            with open(self.path(output), encoding="ascii") as file:
                rows = [line.split(",") for line in file if line.startswith("trace")]
            self.assertEqual(len(rows), 400)
            responses = [int(row[6]) for row in rows]
            seconds[depth] = sum(responses) / len(responses)
        # Eight outstanding wait for one another: a request takes about eight times as long.
        self.assertGreater(seconds[8], 4 * seconds[1])

    def test_the_tables_have_a_configuration_for_each_trace(self):
        for name in ("low", "heavy"):
            self.generate("--workload", "mixed/read-write/large", "--requests", 50,
                          output=name + ".trace")
        table = self.platter("trace", "stats", "low.trace", "heavy.trace", "--tables").splitlines()
        self.assertEqual(len(table), 5)
        self.assertTrue(table[1].startswith("low ") and table[3].startswith("heavy "))
        self.assertEqual(table[1].split()[1], "Read")
        self.assertEqual(table[1].split()[3:], ["131072"] * 4)
        both = self.platter_json("trace", "stats", "low.trace", "heavy.trace")
        self.assertEqual(list(both), ["schema", "platter", "traces"])
        self.assertEqual(both["schema"]["name"], "platter-trace-statistics-list")
        one = self.platter_json("trace", "stats", "low.trace")
        self.assertEqual(one.pop("schema")["name"], "platter-trace-statistics")
        self.assertEqual(one.pop("platter"), both["platter"])
        self.assertEqual([each["requests"] for each in both["traces"]], [50, 50])
        self.assertEqual(both["traces"][0], one)

    def test_strides_that_lead_nowhere(self):
        def ask(stride_kb, block_bytes=512):
            return ("trace", "generate", "--workload", "sequential", "--blocks", 1000, "--block-bytes", block_bytes,
                    "--stride-kb", stride_kb, "-o", "t.trace")
        self.platter(*ask("512B"))
        os.remove(self.path("t.trace"))
        self.fails(USAGE, "0 is no size from 0.5 KiB on", *ask(0))
        self.fails(USAGE, "abc is no size", *ask("abc"))
        self.fails(USAGE, "3.3 is no distance", *ask(3.3))
        self.fails(USAGE, "6 is no whole number of blocks of 4096 bytes; name a multiple of 4", *ask(6, 4096))
        self.fails(USAGE, "500 leads past the end of the 1000 blocks", *ask(500))

    def test_wrong_usage(self):
        make = ("trace", "generate", "-o", "t.trace", "--blocks", 100000)
        self.fails(USAGE, ["--workload", "--list"], *make)
        self.fails(USAGE, ["radnom", "--list"], *make, "--workload", "radnom")
        self.fails(USAGE, ["-o FILE"], "trace", "generate", "--workload", "random", "--blocks", 100)
        self.fails(USAGE, ["--for"], *make, "--workload", "random", "--for", "m.json")
        random = (*make, "--workload", "random")
        self.fails(USAGE, ["--read-share", "0 to 1"], *random, "--read-share", 66)
        self.fails(USAGE, ["--streams", "sequential"], *random, "--streams", 4)
        self.fails(USAGE, ["4-128:4"], *random, "--request-kb", "4KB")
        self.fails(USAGE, ["104 days"], *random, "--requests", 10**9, "--rate", 1)
        self.fails(USAGE, ["holds open traces", "--rate"], *make, "--workload", "sequential",
                   "--format", "ascii")
        self.fails(BAD_INPUT, "missing.trace", "trace", "stats", "missing.trace")


if __name__ == "__main__":
    unittest.main()
