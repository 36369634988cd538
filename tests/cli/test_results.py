"""Results: their two forms, the reader in docs/metrics.md, their summary; replays at depth."""

import json
import os
import re
import signal
import subprocess
import time
import unittest

from harness import BAD_INPUT, HERE, INTERRUPTED, OK, OUTPUT, PLATTER, USAGE, PlatterTest

DRIVE = "virtual:hp-c2247?seed=2"


def documented_reader():
    """read_result() as docs/metrics.md has it."""
    with open(os.path.join(HERE, "..", "..", "docs", "metrics.md"), encoding="utf-8") as file:
        source = re.search(r"```python\n(.*?)```", file.read(), re.DOTALL)[1]
    names = {}
    exec(source, names)  # pylint: disable=exec-used
    return names["read_result"]


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

    def test_the_documented_reader_reads_columns_as_the_export_writes_them(self):
        self.replayed("r.pres", "--depth", "4", "--speed", "3")
        self.platter("result", "export", "r.pres", "-o", "r.csv")
        head, columns = documented_reader()(self.path("r.pres"))
        rows = self.csv_rows("r.csv")
        self.assertEqual(len(rows), 3016)
        self.assertEqual(head["rows"], 3016)
        self.assertEqual(head["speed"], 3)
        self.assertGreater(max(columns["waited_ns"]), 0)
        for i, (part, op, lbn, blocks, due, issue, response, media, waited) in enumerate(rows):
            flags = columns["flags"][i]
            self.assertEqual([part == "reference", op == "W", media],
                             [bool(flags & 8), bool(flags & 1), str(flags >> 2 & 1)])
            self.assertEqual([int(lbn), int(blocks), int(due), int(response), int(waited)],
                             [columns[name][i] for name in
                              ("lbn", "blocks", "due_ns", "response_ns", "waited_ns")])
            self.assertEqual(int(issue), sum(columns[name][i] for name in
                                             ("due_ns", "waited_ns", "late_ns")))
        self.platter("result", "export", "r.csv", "-o", "again.pres")
        with open(self.path("r.pres"), "rb") as first, open(self.path("again.pres"), "rb") as second:
            self.assertEqual(first.read()[head["head_bytes"]:-8],
                             second.read()[head["head_bytes"]:-8])

    def test_every_consumer_takes_both_forms(self):
        self.replayed("r.pres")
        self.platter("result", "export", "r.pres", "-o", "r.csv")
        figures = [self.platter_json("compare", drive, model)["all"]
                   for drive in ("r.pres", "r.csv") for model in ("r.csv", "r.pres")]
        self.assertEqual(figures, [figures[0]] * 4)
        self.assertEqual(figures[0]["demerit_ms"], 0)
        for like in ("r.pres", "r.csv"):
            self.platter("replay", "t.trace", "--on", "m.json", "--phase-from", like, "-o", "f")
        shown = [self.platter_json("result", "show", name) for name in ("r.pres", "r.csv")]
        self.assertEqual(shown[0], shown[1])

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
        run = self.replayed("r.pres", "--depth", "5000")
        self.assertRegex(run.stderr, r"takes at most \d+ at once, not 5000")
        head, _ = documented_reader()(self.path("r.pres"))
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
        self.replayed("r.pres")
        replay = ("replay", "t.trace", "--on", "m.json", "-o", "x")
        for words in (("--scheduler", "sptf", "--ageing", "nan"), ("--scheduler", "elevator"),
                      ("--speed", "0"), ("--speed", "nan"), ("--speed", "-1"), ("--limit", "0"),
                      ("--depth", "nan"), ("--reference-reads", "4294967295"),
                      ("--reference-reads", "-1"), ("--reorder", "-1")):
            self.fails(USAGE, [words[-1], "is no number"] if words[-1].isdigit() else [words[-1]],
                       *replay, *words)
        for words in (("--speed", "2"), ("--depth", "2")):  # the drive's times are taken
            self.fails(USAGE, ["--phase-from", words[0]], *replay, "--phase-from", "r.pres", *words)
        for words in (("--half", "third"), ("--from", "2", "--half", "first"), ("--from", "3001"),
                      ("--from", "7", "--to", "6"), ("--hits-by", "luck")):
            self.fails(USAGE, [], "compare", "r.pres", "r.pres", *words)
        self.fails(OUTPUT, ["none/x"], "result", "export", "r.pres", "-o", "none/x")
        wrong = self.fails(BAD_INPUT, ["m.json", "platter replay"], "result", "show", "m.json")
        self.assertNotIn("json.exception", wrong.stderr)
        self.fails(BAD_INPUT, ["t.trace is neither a result"], "result", "show", "t.trace")
        self.fails(BAD_INPUT, ["file"], "result", "show", ".")
        with open(self.path("r.pres"), "rb") as file:
            whole = file.read()
        for name, content in (("cut", whole[:20000]), ("changed", whole[:20000] + b"!" + whole[20001:]),
                              ("long", whole + b"\n"), ("empty", b"")):
            self.write(name, content)
            for command in (("result", "show", name), ("result", "export", name, "-o", "x.csv"),
                            ("compare", "r.pres", name)):
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
                (("replay", "-", "--on", "m.json", "-o", "x"), requests),
                (("replay", "-", "--on", "m.json", "--phase-from", "r.csv", "-o", "x"), replayed),
                (("replay", "-", "--on", "m.json", "-o", "x"), ""),
                (("trace", "convert", "-", "--to", "msr", "-o", "x.gz"), requests),
                (("result", "export", "-", "-o", "x"), rows)):
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


if __name__ == "__main__":
    unittest.main()
