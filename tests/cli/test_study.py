"""Studies (docs/studies.md): every point once, whoever computes it; a table that is the same whoever did; what fails is
a row; processes that are killed, interrupted, or beside each other."""

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from harness import BAD_INPUT, INCOMPLETE, INTERRUPTED, OK, OUTPUT, PLATTER, SOME_FAILED, USAGE, PlatterTest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
TABLES = ("table.csv", "table.jsonl")
# Debian's, which has python3-pandas, may not be the first of the path.
PYTHON_WITH_PANDAS = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable
# As docs/studies.md says: nothing is told of columns or types.
READ_BY_PANDAS = """
import pandas
table = pandas.read_csv("s/table.csv")
lines = pandas.read_json("s/table.jsonl", lines=True)
assert len(table) == len(lines) == 8
for read in (table, lines):
    for column, kind in {"depth": "i", "requests": "i", "mean_ms": "f", "p99_ms": "f"}.items():
        assert read[column].dtype.kind == kind, (column, read[column].dtype)
    assert read["limit"].isna().all() and read["host_queue"].isna().all() and (read["status"] == 0).all()
    assert list(read.groupby("scheduler")["mean_ms"].mean().index) == ["fcfs", "sptf"]
assert ((table["mean_ms"] / lines["mean_ms"] - 1).abs() < 1e-14).all()  # its usual parser is off by a last bit
exact = pandas.read_csv("s/table.csv", float_precision="round_trip")
assert (exact["mean_ms"] == pandas.read_json("s/table.jsonl", lines=True, precise_float=True)["mean_ms"]).all()
assert table["model"][4] == 'a "quoted", name'
print("read")
"""


class StudyTest(PlatterTest):
    def setUp(self):
        super().setUp()
        self.platter("truth", "virtual:hp-c2247", "-o", "c2247.json")
        self.platter("trace", "generate", "--workload", "random", "--for", "c2247.json", "--requests", "300", "--rate",
                     "40", "-o", "r.trace")

    def study(self, name="study.json", **more):
        document = {"schema": {"name": "platter-study", "version": "1.0"}, "models": ["c2247.json"],
                    "traces": ["r.trace"], "options": {"scheduler": ["fcfs", "sptf"], "depth": [1, 4]}}
        document.update(more)
        self.write(name, json.dumps(document))
        return name

    def run_study(self, *more, name="study.json", folder="s", status=OK):
        done = self.run_platter("study", "run", name, "-C", folder, "--json", *more)
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout)

    def table(self, folder="s"):
        with open(self.path(folder + "/table.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def assert_same_tables(self, one, other):
        for table in TABLES:
            self.assertEqual(self.content(f"{one}/{table}"), self.content(f"{other}/{table}"))

    def points(self, folder="s"):
        inodes = {}
        for base, _, names in os.walk(self.path(folder + "/points")):
            for name in names:
                try:
                    inodes[name] = os.stat(os.path.join(base, name)).st_ino
                except FileNotFoundError:  # an unfinished one, that was finished meanwhile
                    pass
        return inodes


class Tables(StudyTest):
    def test_a_point_says_what_a_replay_says(self):
        self.study()
        self.run_study()
        summary = self.platter_json("replay", "r.trace", "--on", "c2247.json", "--scheduler", "sptf", "--depth", "4")
        row = next(row for row in self.table() if (row["scheduler"], row["depth"]) == ("sptf", "4"))
        self.assertEqual(float(row["mean_ms"]), summary["all"]["mean_ms"])
        self.assertEqual(float(row["p99_ms"]), summary["all"]["p99_ms"])
        self.assertEqual(int(row["read_requests"]), summary["read"]["n"])
        point = self.read_json("s/points/{0:.2}/{0}.json".format(row["platter_study_table_1"]))
        quantiles = dict(zip(point["result"]["shares"], point["result"]["quantiles_ms"]))
        for share, name in ((0.5, "p50_ms"), (0.95, "p95_ms"), (1, "max_ms")):
            self.assertEqual(quantiles[share], summary["all"][name])
        self.assertEqual(point["result"]["quantile_error"], 0)

    def test_every_program_reads_the_tables(self):
        self.study(models=["c2247.json", {"file": "c2247.json", "name": "a \"quoted\", name"}])
        self.run_study()
        rows = self.table()
        self.assertEqual(len(rows), 8)
        self.assertEqual(rows[4]["model"], "a \"quoted\", name")
        with open(self.path("s/table.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        for row, line in zip(rows, lines, strict=True):
            self.assertEqual(line.pop("schema"), {"name": "platter-study-table", "version": "1.0"})
            self.assertEqual(list(line), list(row))
            for name, value in line.items():
                self.assertEqual(row[name], "" if value is None else value if isinstance(value, str) else
                                 str(row[name]))
                if isinstance(value, (int, float)):
                    self.assertEqual(float(row[name]), value)
        for program in (["R", "--vanilla", "-s", "-e",
                         "t <- read.csv('s/table.csv'); stopifnot(nrow(t) == 8, is.numeric(t$mean_ms)); cat('read')"],
                        ["gnuplot", "-e", "set datafile separator ','; stats 's/table.csv' using 'mean_ms' nooutput; "
                         "if (STATS_records == 8) {print 'read'}"],
                        [PYTHON_WITH_PANDAS, "-c", READ_BY_PANDAS]):
            with self.subTest(program=program[0]):
                try:
                    done = subprocess.run(program, cwd=self.folder, capture_output=True, text=True, check=False)
                except FileNotFoundError:
                    self.skipTest(f"no {program[0]}")
                if "No module named 'pandas'" in done.stderr:
                    self.skipTest("no pandas")
                self.assertIn("read", done.stdout + done.stderr, done.stderr)

    def test_the_columns_are_those_of_the_documents(self):
        with open(os.path.join(ROOT, "docs/studies.md"), encoding="utf-8") as file:
            columns = file.read().partition("## The table")[2].partition("\n## ")[0]
        told = [name for names in re.findall(r"^\| (`.*?`) \|", columns, re.MULTILINE)
                for name in re.findall(r"`(\w+)`", names)]
        self.study()
        self.run_study()
        self.assertEqual(self.content("s/table.csv").split(b"\n")[0].decode().split(","), told)

    def test_what_there_is_not_is_empty(self):
        self.study(traces=[{"workload": "random", "reads_only": True, "requests": 200}])
        self.run_study()
        row = next(csv.DictReader(self.content("s/table.csv").decode().splitlines()))
        self.assertEqual((row["read_requests"], row["write_requests"]), ("200", "0"))
        self.assertEqual((row["write_mean_ms"], row["write_p99_ms"]), ("", ""))
        self.assertEqual((row["depth"], row["served_depth"]), ("1", "1"))

    def test_a_part_whose_points_failed_says_so(self):
        self.study(traces=["t.trace"])
        self.write("t.trace", "this is no trace\n")
        done = self.run_platter("study", "run", "study.json", "-C", "s", "--part", "1/1")
        self.assertEqual(done.returncode, SOME_FAILED)
        self.assert_one_sentence(done, SOME_FAILED, "4 of 4 points of the part failed: t.trace, line 1")

    def test_a_trace_that_was_replaced_is_another(self):
        self.study()
        self.run_study()
        before = self.content("s/table.csv")
        stamp = os.stat(self.path("r.trace"))
        self.write("r.trace", self.content("r.trace").decode().replace(" 1\n", " 0\n"))  # as long, writes now
        os.utime(self.path("r.trace"), ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        self.run_study()
        self.assertNotEqual(self.content("s/table.csv"), before)

    def test_what_replay_would_refuse_is_refused(self):
        for change, sentence in (({"options": {"ageing": [0, 5]}}, "is of a given"),
                                 ({"traces": [{"workload": "random", "requests": 0}]}, "ask for 1 at least"),
                                 ({"traces": [{"workload": "sequential", "stride_kb": 0.0003}]}, '"stride_kb" 0.0003 is no distance'),
                                 ({"models": [{"file": "c2247.json", "name": "a\nb"}]}, "control character"),
                                 ({"traces": [{"workload": "random", "requests": 1e15}]},
                                  "study.json: trace 1: 1000000000000000 requests are estimated to take 31.7 years")):
            self.study(**change)
            self.fails(BAD_INPUT, sentence, "study", "run", "study.json", "-C", "s")
        self.fails(BAD_INPUT, "is no folder of results", "study", "collect", "study.json", "-C", "nowhere")
        self.fails(USAGE, "write I/N", "study", "run", "study.json", "--part", "")

    def test_figures(self):
        self.study(plots=[{"x": "depth", "y": "mean_ms", "series": "scheduler", "title": "a title"},
                          {"x": "scheduler", "y": "p99_ms", "series": "depth", "panel": ["model", "trace"]}])
        told = self.run_study("--plots", "figures")
        name = told["study"].replace(" ", "-") or "study"
        self.assertEqual(told["figures"], [f"figures/{name}-1-mean_ms-by-depth.svg",
                                           f"figures/{name}-2-p99_ms-by-scheduler.svg"])
        self.assertIn(b"a title", self.content(told["figures"][0]))
        self.assertIn(b"sptf", self.content(told["figures"][0]))


class Once(StudyTest):
    def test_only_what_is_missing_is_computed(self):
        self.study()
        self.assertEqual(self.run_study()["computed"], 4)
        before = self.points()
        self.assertEqual(self.run_study()["computed"], 0)
        self.study(name="larger.json", options={"scheduler": ["fcfs", "sptf"], "depth": [1, 4, 8]},
                   models=["c2247.json", {"file": "c2247.json", "derive": {"rotation.rpm": "x2"}, "name": "fast"}])
        told = self.run_study(name="larger.json")
        self.assertEqual((told["computed"], told["found"]), (8, 4))
        self.assertEqual({name: inode for name, inode in self.points().items() if name in before}, before)
        self.run_study(name="larger.json", folder="other")
        self.assert_same_tables("s", "other")

    def test_a_table_of_another_study_is_not_replaced_without_a_word(self):
        self.study()
        self.run_study()
        self.assertNotIn("rows of another", self.run_platter("study", "run", "study.json", "-C", "s").stderr)
        self.study(name="deeper.json", options={"scheduler": ["fcfs", "sptf"], "depth": [4, 8]})
        for verb in ("run", "collect"):
            done = self.run_platter("study", verb, "deeper.json", "-C", "s")
            self.assertIn("s/table.csv: had 2 rows of another study or of deeper.json before", done.stderr)
            self.platter("study", "collect", "study.json", "-C", "s")
            self.assertEqual([row["depth"] for row in self.table()], ["1", "4", "1", "4"])

    def test_how_json_and_traces_are_called_does_not_count(self):
        self.study()
        self.run_study()
        self.write("same.json", json.dumps(self.read_json("c2247.json"), indent=7))
        os.rename(self.path("r.trace"), self.path("renamed.trace"))
        self.study(models=["same.json"], traces=["renamed.trace"])
        self.assertEqual(self.run_study()["computed"], 0)

    def test_a_trace_that_changed_is_another(self):
        self.study()
        self.run_study()
        with open(self.path("r.trace"), "a", encoding="utf-8") as file:
            file.write("999999.0 0 0 1 1\n")
        self.assertEqual(self.run_study()["computed"], 4)

    def test_two_runs_at_once_share_the_work(self):
        self.study(traces=[{"workload": "random", "requests": 5000, "seed": seed} for seed in range(10)])
        runs = [subprocess.Popen([PLATTER, "study", "run", "study.json", "-C", "s", "--jobs", "2", "--json"],
                                 cwd=self.folder, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        told = [json.loads(run.communicate(timeout=600)[0]) for run in runs]
        self.assertEqual([run.returncode for run in runs], [OK, OK])
        self.assertEqual(sum(each["computed"] for each in told), 40)
        self.run_study(folder="alone")
        self.assert_same_tables("s", "alone")

    def test_parts_make_the_whole(self):
        self.study(options={"scheduler": ["fcfs", "sptf"], "depth": [1, 2, 3, 4, 5, 6, 7]})
        self.run_study(folder="alone")
        plan = self.platter_json("study", "plan", "study.json", "-C", "s", "--parts", "3", "--least", "0")
        self.assertEqual([part["part"] for part in plan["parts"]], ["1/3", "2/3", "3/3"])
        self.assertEqual(sum(part["points"] for part in plan["parts"]), 14)
        self.assertEqual(len(self.platter_json("study", "plan", "study.json", "-C", "s", "--parts", "3")["parts"]), 1)
        for part in ("3/3", "1/3"):
            self.run_study("--part", part)
        done = self.run_platter("study", "collect", "study.json", "-C", "s")
        self.assertEqual(done.returncode, INCOMPLETE)
        self.assertIn("missing: r.trace on c2247.json, scheduler", done.stderr)
        self.assertEqual(len(self.table()), 14 - plan["parts"][1]["points"])
        self.run_study("--part", "2/3")
        self.platter("study", "collect", "study.json", "-C", "s")
        self.assert_same_tables("s", "alone")

    @unittest.skipIf(os.getuid() != 0, "only root becomes somebody who may not write")
    def test_a_folder_that_is_only_read(self):
        self.study()
        self.run_study()
        shutil.rmtree(self.path("s/traces"))
        for folder in (self.folder, *(os.path.join(self.folder, name) for name in os.listdir(self.folder))):
            os.chmod(folder, 0o755)
        try:
            self.run_platter("--version", user="nobody")
        except PermissionError:
            self.skipTest("nobody may not run it where it lies")
        for folder in ("s", "nowhere"):
            done = self.run_platter("study", "plan", "study.json", "-C", folder, "--parts", "2", "--least", "0",
                                    user="nobody")
            self.assertEqual((done.returncode, done.stdout.count(" 2 points")), (OK, 2), done.stderr)
        done = self.run_platter("study", "slurm", "study.json", "-C", "s", "--parts", "2", user="nobody")
        self.assertIn("#SBATCH", done.stdout, done.stderr)
        done = self.run_platter("study", "collect", "study.json", "-C", "s", user="nobody")
        self.assert_one_sentence(done, OUTPUT, "s/table.csv", "cannot be written")
        os.mkdir(self.path("theirs"))
        os.chmod(self.path("theirs"), 0o777)
        done = self.run_platter("study", "collect", "study.json", "-C", "s", "-o", "theirs/here", user="nobody")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assert_same_tables("s", "theirs/here")

    def test_results_that_are_kept(self):
        self.study()
        self.run_study()
        told = self.run_study("--keep-results")
        self.assertEqual(told["computed"], 4)
        key = self.table()[0]["platter_study_table_1"]
        self.platter("replay", "r.trace", "--on", "c2247.json", "--scheduler", "fcfs", "-o", "alone.csv.zst")
        comparison = self.platter_json("compare", "alone.csv.zst", f"s/results/{key}.csv.zst")
        self.assertEqual(comparison["all"]["demerit_ms"], 0)
        self.assertEqual(self.run_study("--keep-results")["computed"], 0)


    def test_what_takes_long_is_told_before(self):
        long = {"workload": "random", "requests": 3e9}
        self.study(traces=["r.trace", long], options={})
        run = subprocess.Popen([PLATTER, "study", "run", "study.json", "-C", "s", "--jobs", "2"], cwd=self.folder,
                               stderr=subprocess.PIPE, text=True)
        said = run.stderr.readline()
        run.terminate()
        run.communicate(timeout=60)
        self.assertRegex(said, r"study.json: 2 points are to be computed, by estimate 0\.417 hours with --jobs 2")
        self.study(traces=["r.trace", long], options={"limit": 100})
        self.assertNotIn("hours", self.run_platter("study", "run", "study.json", "-C", "s").stderr)


class Models(StudyTest):
    """Options that change the model, before it is replayed on."""

    def mean_ms(self, model):
        return self.platter_json("replay", "row.trace", "--on", model)["all"]["mean_ms"]

    def setUp(self):
        super().setUp()
        self.platter("trace", "generate", "--workload", "sequential", "--request-kb", "4", "--for", "c2247.json",
                     "--requests", "300", "-o", "row.trace")

    def test_read_ahead_and_other_changes(self):
        self.study(traces=["row.trace"], options={"read_ahead": ["default", "off"],
                                                  "derive": [None, "overheads.read_hit_after_read=x2 rotation.rpm=/2"]})
        self.run_study()
        self.platter("derive", "c2247.json", "--set", "cache.read_ahead=0", "-o", "off.json")
        for model, to in (("c2247.json", "slow.json"), ("off.json", "off-slow.json")):
            self.platter("derive", model, "--set", "overheads.read_hit_after_read=x2", "--set", "rotation.rpm=/2",
                         "-o", to)
        self.assertEqual([float(row["mean_ms"]) for row in self.table()],
                         [self.mean_ms(model) for model in ("c2247.json", "slow.json", "off.json", "off-slow.json")])
        self.assertEqual(len({row["mean_ms"] for row in self.table()}), 4)
        self.assertEqual(self.run_study()["computed"], 0)

    def test_calibrated_by_a_drives_result(self):
        self.platter("trace", "generate", "--workload", "random", "--reads-only", "--for", "c2247.json", "--requests",
                     "2000", "-o", "learn.trace")
        os.mkdir(self.path("measured"))
        self.platter("replay", "learn.trace", "--on", "virtual:hp-c2247", "-o", "measured/drive.csv.zst")
        self.platter("derive", "c2247.json", "--set", "overheads.read_hit_after_read=x2", "--set",
                     "overheads.read_miss_after_read=x3", "-o", "wrong.json")
        for only in ("", "positioning"):
            self.platter("calibrate", "wrong.json", "--with", "measured/drive.csv.zst", "-o", f"right{only}.json",
                         *(("--only", only) if only else ()))
        self.study(traces=["row.trace", "learn.trace"], models=["wrong.json"], options={
            "calibrate_with": "measured/drive.csv.zst", "calibrate_only": [None, "positioning", "rotation,angles"]})
        self.run_study("--jobs", "2")
        means = [float(row["mean_ms"]) for row in self.table()]
        learned = {model: self.platter_json("replay", "learn.trace", "--on", model)["all"]["mean_ms"]
                   for model in ("wrong.json", "right.json", "rightpositioning.json")}
        self.assertEqual(means[3:5], [learned["right.json"], learned["rightpositioning.json"]])
        self.assertNotEqual(learned["right.json"], learned["wrong.json"])
        self.assertEqual(len(os.listdir(self.path("s/models"))), 6)  # models, and their sums
        self.assertEqual(self.run_study()["computed"], 0)
        for name in os.listdir(self.path("s/models")):  # what was damaged since is made again
            os.truncate(self.path("s/models/" + name), 2000 if name.endswith(".json") else 80)
        shutil.rmtree(self.path("s/points"))
        self.run_study("--jobs", "2")
        self.assertEqual([float(row["mean_ms"]) for row in self.table()], means)
        os.rename(self.path("measured"), self.path("elsewhere"))
        self.study(traces=["row.trace", "learn.trace"], models=["wrong.json"], options={
            "calibrate_with": "elsewhere/drive.csv.zst", "calibrate_only": [None, "positioning", "rotation,angles"]})
        self.assertEqual(self.run_study()["computed"], 0)
        self.platter("replay", "learn.trace", "--on", "virtual:hp-c2247", "--limit", "1900", "-o",
                     "elsewhere/drive.csv.zst", "--force")
        self.assertEqual(self.run_study()["computed"], 6)

    def test_an_array_of_models_is_a_model(self):
        other = {"file": "c2247.json", "derive": {"rotation.rpm": "x2"}, "name": "fast"}
        self.platter("derive", "c2247.json", "--set", "rotation.rpm=x2", "-o", "fast.json")
        self.study(traces=["r.trace"], options={"depth": [1, 8]}, models=[
            "c2247.json",
            {"array": "raid5", "members": ["c2247.json", "c2247.json", other], "stripe_kb": 64, "missing": 1},
            {"array": "raid1", "members": ["c2247.json", other], "read_balance": "least-pending", "name": "two"}])
        self.run_study("--keep-results")
        rows = self.table()
        self.assertEqual([row["model"] for row in rows[::2]], ["c2247.json", "raid5 of 3 x c2247.json, fast", "two"])
        for row, arguments in ((rows[3], ("c2247.json", "--on", "c2247.json", "--on", "fast.json", "--array", "raid5",
                                          "--stripe", "64", "--missing", "1")),
                               (rows[5], ("c2247.json", "--on", "fast.json", "--array", "raid1", "--read-balance",
                                          "least-pending"))):
            alone = self.platter_json("replay", "r.trace", "--depth", "8", "-o", "alone.csv.zst", "--force",
                                      "--on", *arguments)
            self.assertEqual((float(row["mean_ms"]), float(row["max_ms"])),
                             (alone["all"]["mean_ms"], alone["all"]["max_ms"]))
            kept = f"s/results/{row['platter_study_table_1']}.csv.zst"
            self.assertEqual(self.platter_json("compare", "alone.csv.zst", kept)["all"]["demerit_ms"], 0)
        self.assertEqual(self.run_study("--keep-results")["computed"], 0)
        self.study(traces=[{"workload": "random", "requests": 100}], models=[
            {"array": "raid0", "members": ["c2247.json", "c2247.json"], "stripe_kb": 64, "name": name,
             "phase_seed": seed} for name, seed in (("a", 1), ("b", 2))], options={"read_ahead": ["default", "off"]})
        self.run_study(folder="t")
        self.assertEqual(len({row["mean_ms"] for row in self.table("t")}), 2)  # of random reads the phase decides

    def test_what_is_no_array(self):
        two = ["c2247.json", "c2247.json"]
        for model, words in (({"array": "raid6", "members": two}, "raid0, raid1, raid5"),
                             ({"array": "raid0"}, "members"), ({"array": "raid0", "members": []}, "members"),
                             ({"array": "raid0", "members": [{"array": "raid1", "members": two}]}, "among its members"),
                             ({"array": "raid1", "members": two, "stripe_kb": 64}, "of raid0 raid5, not of raid1"),
                             ({"array": "raid0", "members": two, "stripe_kb": 0.5}, "whole number from 1"),
                             ({"array": "raid0", "members": two, "file": "c2247.json"}, "does not know")):
            self.study(models=[model])
            self.fails(BAD_INPUT, ["study.json: model 1", words], "study", "run", "study.json", "-C", "s")
        self.study(models=[{"array": "raid5", "members": two}], traces=[{"workload": "random", "requests": 10}],
                   options={"host_queue": [None, "default"]})
        done = self.run_platter("study", "run", "study.json", "-C", "s", "--json")
        self.assert_one_sentence(done, SOME_FAILED, "2 of 2 points failed: ", "raid5")

    def test_what_cannot_be_changed_so(self):
        for options, words in (({"read_ahead": "on"}, "default (the model's) or off"),
                               ({"derive": "head_switch"}, "PATH=VALUE"), ({"derive": ""}, "PATH=VALUE"),
                               ({"calibrate_with": "nonesuch.csv.zst"}, ["calibrate_with", "nonesuch.csv.zst"]),
                               ({"calibrate_only": "rotation"}, "name the drive's results"),
                               ({"calibrate_with": "r.trace", "calibrate_only": "spindle"}, "rotation,angles")):
            self.study(traces=[{"workload": "random"}], options=options)
            self.fails(BAD_INPUT, words, "study", "run", "study.json", "-C", "s")
        self.platter("emit", "table", "c2247.json", "-o", "c2247.ptab")
        self.study(models=["c2247.ptab"], options={"read_ahead": ["default", "off"]})
        done = self.run_platter("study", "run", "study.json", "-C", "s", "--json")
        self.assert_one_sentence(done, SOME_FAILED, "1 of 2 points failed: c2247.ptab: is a table, of which nothing")
        self.study(options={"derive": "head_swich=x2"})
        done = self.run_platter("study", "run", "study.json", "-C", "t", "--json")
        self.assert_one_sentence(done, SOME_FAILED, "1 of 1 points failed: head_swich=x2: ")
        self.assertEqual(self.table("t")[0]["status"], str(BAD_INPUT))


class Devices(StudyTest):
    def test_each_volume_of_a_trace(self):
        lines = "".join(f"{time_ms}.0 {time_ms // 20 * 7 % 5} {time_ms * 97 % 5000} 8 {time_ms % 2}\n"
                        for time_ms in range(0, 4000, 20))
        self.write("volumes.trace", lines)
        self.study(traces=[{"file": "volumes.trace", "split_by": "device"}], options={"depth": [1, 4]})
        self.assertEqual(self.run_study()["points"], 10)
        for row in self.table():
            alone = self.platter_json("replay", "volumes.trace", "--device-number", row["device"], "--on", "c2247.json",
                                      "--depth", row["depth"])
            self.assertEqual(float(row["mean_ms"]), alone["all"]["mean_ms"])
            self.assertEqual(float(row["max_ms"]), alone["all"]["max_ms"])

    def test_a_damaged_volume_is_taken_out_of_the_trace_again(self):
        self.write("volumes.trace", "".join(f"{ms}.0 {ms % 3} {ms} 8 1\n" for ms in range(300)))
        self.study(traces=[{"file": "volumes.trace", "split_by": "device"}], options={})
        self.run_study()
        whole = self.table()
        traces = self.path("s/traces")
        folder = next(os.path.join(traces, name) for name in os.listdir(traces) if name.endswith(".devices"))
        os.truncate(os.path.join(folder, "1.trace.zst"), 20)
        shutil.rmtree(self.path("s/points"))
        self.assertEqual(self.run_study(status=SOME_FAILED)["failed"], 1)
        self.assertRegex(self.table()[1]["error"], "^volumes.trace, device 1")
        self.assertEqual(self.run_study()["computed"], 1)
        self.assertEqual(self.table(), whole)


class Failures(StudyTest):
    def test_a_point_that_fails_is_a_row(self):
        self.write("far.trace", "0.0 0 10 8 1\n1.0 0 999999999 8 1\n")
        self.study(traces=["r.trace", "far.trace"])
        told = self.run_study(status=SOME_FAILED)
        self.assertEqual((told["computed"], told["failed"], told["missing"]), (8, 4, 0))
        failed = [row for row in self.table() if row["status"] != "0"]
        self.assertEqual({row["trace"] for row in failed}, {"far.trace"})
        self.assertEqual({row["status"] for row in failed}, {str(BAD_INPUT)})
        self.assertRegex(failed[0]["error"], "^far.trace.*999999999")
        self.assertEqual(failed[0]["mean_ms"], "")
        told = self.run_study(status=SOME_FAILED)
        self.assertEqual((told["computed"], told["found"]), (4, 4))
        os.mkdir(self.path("below"))  # the same from elsewhere
        done = subprocess.run([PLATTER, "study", "run", "../study.json"], cwd=self.path("below"), check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, SOME_FAILED)
        self.assert_same_tables("s", "below/study.study")

    def test_what_many_points_fail_by_is_told_once(self):
        self.write("none.trace", "this is no trace\n")
        self.write("far.trace", "0.0 0 10 8 1\n1.0 0 999999999 8 1\n")
        self.study(traces=["r.trace", "none.trace"])
        done = self.run_platter("study", "run", "study.json", "-C", "s", "--json")
        self.assert_one_sentence(done, SOME_FAILED, "4 of 8 points failed: none.trace, line 1")
        self.study(traces=["none.trace", "far.trace"])
        for verb in (["run"], ["collect"], ["run", "--part", "1/1"]):
            done = self.run_platter("study", *verb, "study.json", "-C", "t", "--json")
            self.assertEqual(done.returncode, SOME_FAILED)
            self.assertEqual(len(re.findall("^platter: failed: 4 points: none.trace, line 1", done.stderr, re.M)), 1)
            self.assertEqual(done.stderr.count("far.trace"), 1)
            self.assertEqual(len(done.stderr.splitlines()), 3)

    def test_sentences_speak_of_the_studys_members(self):
        self.write("odd.csv", "0,R,100,300\n")
        self.write("two.trace", "0.0 0 10 8 1\n1.0 1 10 8 1\n")
        self.write("far.trace", "0.0 0 10 8 1\n1.0 0 999999999 8 1\n")
        csv_of = {"file": "odd.csv", "format": "csv"}
        columns = "time:us,op,offset:bytes,size:bytes"
        for number, (trace, member) in enumerate(((csv_of, "csv_columns"), ("two.trace", "split_by"),
                                                  (dict(csv_of, csv_columns=columns), "round"), ("far.trace", "fit"),
                                                  (dict(csv_of, csv_columns=columns, round=True, time_unit="s"), "time_unit"))):
            self.study(traces=[trace], options={})
            self.run_study(folder=f"s{number}", status=SOME_FAILED)
            error = self.table(f"s{number}")[0]["error"]
            self.assertNotIn("--", error)
            self.assertIn(f'"{member}"', error)
        self.study(traces=[{"workload": "sequential", "hot_share": 0.5}])
        self.fails(BAD_INPUT, '"hot_share" does not go with', "study", "run", "study.json")

    def test_what_is_no_study(self):
        self.fails(USAGE, "--folder: is empty; leave it out, or give it a value", "study", "run", "study.json", "-C", "")
        self.fails(BAD_INPUT, ["nonesuch.json", "no such file"], "study", "run", "nonesuch.json")
        self.fails(BAD_INPUT, ["c2247.json", "is no study"], "study", "run", "c2247.json")
        self.study(models=["nonesuch.json"])
        self.fails(BAD_INPUT, "nonesuch.json", "study", "run", "study.json")
        self.study(traces=["nonesuch.trace"])
        self.fails(BAD_INPUT, ["study.json: trace 1: nonesuch.trace: no such file"], "study", "run", "study.json")
        self.study(models=["c2247.json", {"file": "c2247.json", "derive": {"rotation.rpmm": "x2"}, "name": "fast"}])
        self.fails(BAD_INPUT, ["study.json: model 2: ", "rotation.rpmm=x2: "], "study", "run", "study.json")
        self.study(options={"depth": ["deep"]})
        self.fails(BAD_INPUT, ["\"depth\"", "deep"], "study", "run", "study.json")
        self.study()
        for part in ("0/3", "4/3", "3", "x/y", "-1/2"):
            self.fails(USAGE, part, "study", "run", "study.json", "--part=" + part)

    def test_a_strangers_table_stays(self):
        self.study()
        os.mkdir(self.path("s"))
        self.write("s/table.csv", "mine\n")
        done = self.run_platter("study", "run", "study.json", "-C", "s")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(self.content("s/table.csv"), b"mine\n")


class Ended(StudyTest):
    def setUp(self):
        super().setUp()
        self.study(traces=[{"workload": "random", "requests": 12000, "seed": seed} for seed in range(5)],
                   options={"scheduler": ["fcfs", "sptf", "look"], "depth": [1, 4, 8, 16]})

    def begin(self):
        return subprocess.Popen([PLATTER, "study", "run", "study.json", "-C", "s", "--jobs", "2"], cwd=self.folder,
                                stderr=subprocess.PIPE, text=True)

    def wait_for_points(self, many, run):
        while len([name for name in self.points() if name.endswith(".json")]) < many and run.poll() is None:
            time.sleep(0.002)

    def unfinished(self):
        return [name for name in self.files() if name.endswith(".part")]

    def test_killed_ten_times(self):
        self.run_study(folder="alone")
        before = {}
        for kill in range(10):
            run = self.begin()
            self.wait_for_points(3 * kill + 3, run)
            run.kill()
            self.assertEqual(run.wait(), -9)
            run.stderr.close()
            now = self.points()
            self.assertEqual({name: now.get(name) for name in before}, before)
            before = {name: inode for name, inode in now.items() if name.endswith(".json")}
        told = self.run_study("--jobs", "2")
        self.assertGreater(told["computed"], 0)
        self.assertEqual({name: self.points()[name] for name in before}, before)
        self.assertEqual(len(self.points()), 60)
        self.assertEqual(self.unfinished(), [])
        self.assert_same_tables("s", "alone")

    # holds: exit-statuses.md: Behind a failure
    def test_interrupted(self):
        run = self.begin()
        self.wait_for_points(5, run)
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=60)
        self.assertEqual(run.returncode, INTERRUPTED, said)
        self.assertIn("are computed and kept", said)
        self.assertEqual(self.unfinished(), [])
        kept = len(self.points())
        self.assertGreaterEqual(kept, 5)
        self.assertEqual(self.run_study()["found"], kept)


if __name__ == "__main__":
    unittest.main()
