"""Results: their files, their summary; replays at depth."""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from harness import BAD_INPUT, INTERRUPTED, OK, OUTPUT, PLATTER, REFUSED, USAGE, PlatterTest

DRIVE = "virtual:hp-c2247?seed=2"


def state_of(process):
    """S: it waits."""
    with open(f"/proc/{process}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0]


def until(condition):
    while not condition():
        time.sleep(0.01)


class Results(PlatterTest):
    def replayed(self, name, *options):
        self.platter("truth", DRIVE, "-o", "m.json")
        self.platter("trace", "generate", "--workload", "mixed", "--for", "m.json", "--requests",
                     "3000", "-o", "t.trace")
        done = self.run_platter("replay", "t.trace", "--on", "m.json", "-o", name, *options)
        self.assertEqual(done.returncode, OK, done.stderr)
        return done

    def csv_rows(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return [line.rstrip("\n").split(",") for line in file][2:]

    def test_a_model_gets_its_requests_with_the_delays_of_its_host(self):
        self.platter("truth", DRIVE, "-o", "steady.json")
        model = self.read_json("steady.json")
        model["overheads"]["per_request"] = {"value": 0.02, "unit": "ms"}
        self.write("steady.json", json.dumps(model))
        model["delay_spread"] = {"quantiles": [{"share": 0, "ms": -0.01}, {"share": 1, "ms": 0.05}]}
        self.write("m.json", json.dumps(model))
        self.platter("trace", "generate", "--workload", "mixed", "--for", "m.json", "--requests", "300",
                     "-o", "t.trace")

        def rows(subject, *options):
            self.platter("replay", "t.trace", "--on", subject, "-o", "r.csv", *options)
            return self.csv_rows("r.csv")

        as_usual = rows("m.json")
        with open(self.path("r.csv"), encoding="utf-8") as file:
            self.assertEqual(json.loads(file.readline()[2:])["delay_seed"], 1)
        self.assertEqual(rows("m.json", "--delay-seed", "1"), as_usual)
        self.assertNotEqual(rows("m.json", "--delay-seed", "2"), as_usual)
        self.assertNotEqual(rows("steady.json"), as_usual)
        self.assertEqual(rows("m.json", "--delay-seed", "0"), rows("steady.json"))

    def test_every_consumer_takes_it_compressed(self):
        names = ("r.csv", "r.csv.gz", "r.csv.zst")
        for name in names:
            self.replayed(name, "--depth", "4", "--speed", "3")
        for name, tool in (("r.csv.gz", "gzip"), ("r.csv.zst", "zstd")):
            text = subprocess.run([tool, "-dc", self.path(name)], check=True, capture_output=True, text=True).stdout
            head, _, rows = text.partition("\n")
            self.assertEqual(json.loads(head[2:])["rows"], 3016)
            self.assertEqual([row.split(",") for row in rows.splitlines()[1:]], self.csv_rows("r.csv"))
            self.platter("result", "export", name, "-o", "again.csv", "--force")
            self.assertEqual(self.csv_rows("again.csv"), self.csv_rows("r.csv"))
        figures = [self.platter_json("compare", drive, model)["all"] for drive in names for model in names]
        self.assertEqual(figures, [figures[0]] * 9)
        self.assertEqual(figures[0]["demerit_ms"], 0)
        shown = [self.platter_json("result", "show", name) for name in names]
        self.assertEqual(shown, [shown[0]] * 3)
        for like in names:
            self.platter("replay", "t.trace", "--on", "m.json", "--phase-from", like, "-o", "f.csv", "--force")
        for name in ("r.csv.gz", "r.csv.zst"):
            shutil.copy(self.path(name), self.path("packed.csv"))
            self.assertEqual(self.platter_json("result", "show", "packed.csv"), shown[0])

    def test_another_name_is_refused_before_the_work(self):
        self.platter("truth", DRIVE, "-o", "m.json")
        before = self.files()
        for name in ("r.json", "r.pres", "r.csv.zip", "r.trace.gz", "r.CSV"):
            with self.subTest(name):
                said = [f"{name}: a result is CSV, and its name says something else", ".csv.zst"]
                self.fails(USAGE, said, "replay", "nonesuch.trace", "--on", "m.json", "-o", name)
                self.fails(USAGE, said, "result", "export", "nonesuch.csv", "-o", name)
        self.assertEqual(self.files(), before)

    def test_a_compressed_result_of_a_drive_is_replaced_by_its_like_alone(self):
        self.replayed("model.csv.zst")
        reads = ("trace", "generate", "--workload", "random", "--for", "m.json", "--requests", "20", "--reads-only")
        self.platter(*reads, "-o", "reads.trace")
        for name in ("drive.csv.gz", "drive.csv.zst"):
            replay = ("replay", "reads.trace", "-o", name, "--on")
            self.platter(*replay, DRIVE)
            self.platter(*replay, DRIVE)
            self.fails(REFUSED, ["cannot be made again"], *replay, "m.json")
            self.fails(REFUSED, ["another drive"], *replay, "virtual:quantum-atlas10k")
        self.replayed("model.csv.zst")

    def test_the_summary_is_that_of_the_rows(self):
        run = self.replayed("r.csv", "--depth", "8", "--scheduler", "sptf", "--ageing", "0.5", "--json")
        summary = json.loads(run.stdout)
        self.assertEqual(self.platter_json("result", "show", "r.csv"), summary)
        rows = [row for row in self.csv_rows("r.csv") if row[0] == "trace"]
        responses = sorted(int(row[6]) for row in rows)
        self.assertEqual(summary["requests"], 3000)
        self.assertEqual(summary["scheduler"], "sptf")
        self.assertEqual(summary["ageing"], 0.5)
        self.assertAlmostEqual(summary["all"]["mean_ms"], sum(responses) / 3000 / 1e6, places=9)
        self.assertAlmostEqual(summary["all"]["p50_ms"], (responses[1499] + responses[1500]) / 2e6, places=9)
        self.assertAlmostEqual(summary["all"]["max_ms"], responses[-1] / 1e6, places=9)
        self.assertEqual(summary["write"]["n"], sum(row[1] == "W" for row in rows))
        self.assertAlmostEqual(summary["hits_share"], sum(row[7] == "0" for row in rows) / 3000, places=9)
        self.assertEqual(summary["lateness"]["host"]["max_ms"], 0)

    def test_the_summary_needs_no_file(self):
        with_file = self.replayed("r.csv", "--json").stdout
        self.platter("trace", "generate", "--workload", "streams", "--for", "m.json", "--requests",
                     "100", "-o", "reads.trace")
        before = sorted(os.listdir(self.path(".")))
        self.assertEqual(self.platter("replay", "t.trace", "--on", "m.json", "--json"), with_file)
        self.platter("replay", "reads.trace", "--on", DRIVE)
        self.assertEqual(sorted(os.listdir(self.path("."))), before)

    def test_an_open_trace_has_no_think_times_in_front(self):
        run = self.replayed("r.csv", "--think-times", "in-front")
        self.assertNotIn("think times", run.stderr)

    def test_a_replay_in_the_drives_time_has_the_drives_speed(self):
        self.replayed("r.csv", "--speed", "3")
        self.replayed("f.csv", "--phase-from", "r.csv")
        self.assertEqual(self.platter_json("result", "show", "f.csv")["speed"], 3)

    def test_a_depth_that_is_not_taken_is_told(self):
        run = self.replayed("r.csv", "--depth", "5000")
        self.assertRegex(run.stderr, r"takes at most \d+ at once, not 5000")
        with open(self.path("r.csv"), encoding="utf-8") as file:
            head = json.loads(file.readline()[2:])
        self.assertEqual(head["asked_depth"], 5000)
        self.assertLess(head["depth"], 5000)

    def test_hits_by_the_response_and_parts_of_a_trace(self):
        self.replayed("r.csv")
        rows = [row for row in self.csv_rows("r.csv") if row[0] == "trace"]
        comparison = self.platter_json("compare", "r.csv", "r.csv", "--hits-by", "response",
                                       "--hit-threshold-ms", "2", "--half", "second")
        self.assertEqual(comparison["hits_by"], "response")
        self.assertEqual((comparison["from"], comparison["to"]), (1501, 3000))
        self.assertEqual(comparison["all"]["n"], 1500)
        self.assertEqual(comparison["all"]["drive_hits"],
                         sum(int(row[6]) < 2000000 for row in rows[1500:]))
        self.assertEqual(comparison["all"]["hits_agreed_share"], 1)

    def test_wrong_words_are_one_sentence(self):
        self.replayed("r.csv.zst")
        replay = ("replay", "t.trace", "--on", "m.json", "-o", "x.csv")
        for words in (("--scheduler", "sptf", "--ageing", "nan"), ("--scheduler", "elevator"),
                      ("--speed", "0"), ("--speed", "nan"), ("--speed", "-1"), ("--limit", "0"),
                      ("--depth", "nan"), ("--reference-reads", "4294967295"),
                      ("--reference-reads", "-1"), ("--reorder", "-1")):
            self.fails(USAGE, [words[-1], "is no number"] if words[-1].isdigit() else [words[-1]],
                       *replay, *words)
        for words in (("--speed", "2"), ("--depth", "2")):  # the drive's times are taken
            self.fails(USAGE, ["--phase-from", words[0]], *replay, "--phase-from", "r.csv.zst", *words)
        for words in (("--half", "third"), ("--from", "2", "--half", "first"), ("--from", "3001"),
                      ("--from", "7", "--to", "6"), ("--hits-by", "luck")):
            self.fails(USAGE, [], "compare", "r.csv.zst", "r.csv.zst", *words)
        self.fails(OUTPUT, ["none/x.csv"], "result", "export", "r.csv.zst", "-o", "none/x.csv")
        wrong = self.fails(BAD_INPUT, ["m.json", "platter replay"], "result", "show", "m.json")
        self.assertNotIn("json.exception", wrong.stderr)
        self.fails(BAD_INPUT, ["t.trace", "no measured service time"], "result", "show", "t.trace")
        self.fails(BAD_INPUT, ["file"], "result", "show", ".")
        with open(self.path("r.csv.zst"), "rb") as file:
            whole = file.read()
        for name, content in (("cut", whole[:20000]), ("changed", whole[:20000] + b"!" + whole[20001:]),
                              ("long", whole + b"trace,R,0,1,0,0,0,,0\n"), ("empty", b"")):
            self.write(name, content)
            for command in (("result", "show", name), ("result", "export", name, "-o", "x.csv"),
                            ("compare", "r.csv.zst", name)):
                self.fails(BAD_INPUT, [name], *command)
        self.assertFalse(os.path.exists(self.path("x.csv")))

    def stopped(self, process):
        """One signal ends it, and leaves no file that was not there before."""
        process.send_signal(signal.SIGTERM)
        with process.stderr:
            self.assertRegex(process.stderr.read(), r"\Aplatter: stopped by a signal[^\n]+\n\Z")
        self.assertEqual(process.wait(), INTERRUPTED)

    def started(self, *arguments, **more):
        return subprocess.Popen([PLATTER, *arguments], cwd=self.folder, stderr=subprocess.PIPE,
                                text=True, **more)

    def test_a_signal_leaves_nothing_while_input_is_waited_for(self):
        self.replayed("r.csv")
        requests = "".join(f"{i}.5 0 {i} 2 1\n" for i in range(50000))
        with open(self.path("r.csv"), encoding="utf-8") as file:
            rows = file.read()
        with open(self.path("t.trace"), encoding="utf-8") as file:
            replayed = file.read()
        before = self.files()
        for arguments, beginning in (
                (("replay", "-", "--on", "m.json", "-o", "x.csv.zst"), requests),
                (("replay", "-", "--on", "m.json", "--phase-from", "r.csv", "-o", "x.csv.zst"), replayed),
                (("replay", "-", "--on", "m.json", "-o", "x.csv.zst"), ""),
                (("trace", "convert", "-", "--to", "msr", "-o", "x.gz"), requests),
                (("result", "export", "-", "-o", "x.csv.zst"), rows)):
            with self.subTest(arguments):
                process = self.started(*arguments, stdin=subprocess.PIPE)
                with process.stdin:
                    process.stdin.write(beginning)
                    process.stdin.flush()
                    until(lambda number=process.pid: state_of(number) == "S")
                    self.stopped(process)
                self.assertEqual(self.files(), before)

    def test_a_signal_leaves_nothing_in_the_middle_of_work(self):
        self.platter("truth", DRIVE, "-o", "m.json")
        before = self.files()
        process = self.started("trace", "generate", "--workload", "random/read/small", "--for", "m.json",
                               "--requests", "100000000", "-o", "t.trace")
        until(lambda: self.files() != before)
        self.stopped(process)
        self.assertEqual(self.files(), before)

    def test_a_pipe_gets_csv(self):
        self.replayed("r.csv")
        text = self.platter("result", "export", "r.csv", "-o", "/dev/stdout")
        with open(self.path("r.csv"), encoding="utf-8") as file:
            self.assertEqual(text.splitlines()[1:], file.read().splitlines()[1:])
        self.write("piped", text)
        self.assertEqual(self.platter("result", "show", "piped"), self.platter("result", "show", "r.csv"))


if __name__ == "__main__":
    unittest.main()
