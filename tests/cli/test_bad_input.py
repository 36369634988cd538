"""What goes wrong ends with one sentence and a status of its own, and leaves nothing behind."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import (ALIEN, BAD_INPUT, MISSING_PROGRAM, NO_DEVICE, OUTPUT, PERMISSION, PLATTER, checked,
                     PROTOCOL, REFUSED, USAGE, PlatterTest, program_drive)

DRIVE = "virtual:hp-c2247?seed=1"


def changed(model, path, value):
    """A copy of a model with one member set, added, or (value None) taken away."""
    copy = json.loads(json.dumps(model))
    *way, last = path
    at = copy
    for step in way:
        at = at[step]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return copy


class Doubts(PlatterTest):
    def test_times_below_zero_are_told_by_what_shows_or_publishes_them(self):
        self.platter("truth", DRIVE, "-o", "model.json")
        sound = self.read_json("model.json")
        doubtful = changed(sound, ("overheads", "read_miss_after_read", "value"), -0.3)
        self.write("doubtful.json", json.dumps(doubtful))
        for command in (("show",), ("publish", "--registry", "registry")):
            self.assertNotIn("below zero", self.run_platter(command[0], "model.json", *command[1:]).stderr)
            done = self.run_platter(command[0], "doubtful.json", *command[1:])
            self.assertEqual(done.returncode, 0)
            self.assertIn("overheads.read_miss_after_read came out as -0.3", done.stderr)


class ReadToTheEnd(PlatterTest):
    """A byte of 0 is no end of a text, and what stands behind it is read by no one."""

    def test_each_reader_of_json(self):
        self.platter("truth", DRIVE, "-o", "model.json")
        self.platter("trace", "generate", "--workload", "random", "--requests", "40", "--reads-only",
                     "--for", "model.json", "-o", "t")
        self.platter("replay", "t", "--on", DRIVE, "-o", "drive.csv")
        self.platter("characterize", DRIVE, "-o", "run.json")
        self.platter("publish", "model.json", "--registry", "registry")
        self.write("study.json", json.dumps({"schema": {"name": "platter-study", "version": "1.0"},
                                             "models": ["model.json"], "traces": ["t"]}))
        [index] = [name for name in self.files() if name.endswith("index.json") and "drives" in name]
        for name, command in (("model.json", ("show", "{}")), ("model.json", ("emit", "table", "{}", "-o", "x.ptab")),
                              ("model.json", ("inspect", "virtual:{}")), ("model.json", ("publish", "{}", "--registry", "r")),
                              ("drive.csv", ("result", "show", "{}")), ("study.json", ("study", "run", "{}")),
                              ("run.samples.jsonl", ("estimate", "{}", "-o", "again.json")),
                              (index, ("registry", "pull", "hp-c2247a", "--registry", "registry"))):
            with self.subTest(name=name, command=command):
                with open(self.path(name), "rb") as file:
                    whole = file.read()
                line, rest = whole.partition(b"\n")[::2] if not name.endswith(".json") else (whole.rstrip(), b"")
                target = self.write(name if name == index else "ended." + name.partition(".")[2],
                                    line + b"\0garbage" + (b"\n" + rest if rest else b""))
                self.fails(BAD_INPUT, os.path.basename(target), *[word.format(target) for word in command])
                self.write(name, whole)

    def test_heads_that_the_layout_does_not_have(self):
        self.platter("truth", DRIVE, "-o", "model.json")
        sound = self.read_json("model.json")
        for heads in (sound["identity"]["heads"] + 1, sound["identity"]["heads"] - 1, 1):
            self.write("wrong.json", json.dumps(changed(sound, ("identity", "heads"), heads)))
            for command in (("show", "wrong.json"), ("emit", "disksim", "wrong.json", "-o", "d"),
                            ("emit", "table", "wrong.json", "-o", "t.ptab"), ("publish", "wrong.json", "--registry", "r"),
                            ("layout", "wrong.json", "--lbn", "0"), ("emit", "summary", "wrong.json")):
                self.fails(BAD_INPUT, ["identity.heads", f"is {heads}"], *command)
        self.write("unsaid.json", json.dumps(changed(sound, ("identity", "heads"), None)))
        self.platter("show", "unsaid.json")


# holds: exit-statuses.md: Every failure ends
# holds: exit-statuses.md: A subcommand ends
class CommandLine(PlatterTest):
    def test_wrong_usage(self):
        for arguments in ((), ("frobnicate",), ("show",), ("show", "--frobnicate", "x"),
                          ("characterize", DRIVE), ("layout", "x", "--lbn", "minus"),
                          ("layout", "x", "--lbn", "-1"),
                          ("trace",), ("replay", "t", "--on", DRIVE, "-o", "r", "--depth", "0"),
                          ("characterize", DRIVE, "-o", "m.json", "--seed", "-1"),
                          ("characterize", DRIVE, "-o", "m.json", "--budget", "nan"),
                          ("characterize", DRIVE, "-o", "m.json", "--budget", "0"),
                          ("replay", "t", "--on", DRIVE, "-o", "r", "--caches", "sometimes"),
                          ("trace", "generate", "--workload", "random", "-o", "t")):
            with self.subTest(arguments):
                done = self.run_platter(*arguments)
                self.assert_one_sentence(done, USAGE)
                self.assertEqual(done.stdout, "")
        self.assertEqual(self.files(), [])

    def test_what_is_wrong_is_named(self):
        self.fails(USAGE, "frobnicate", "frobnicate")
        for number in ("-1", "0", "1e99", "many"):
            message = self.fails(USAGE, number, "trace", "generate", "--workload", "random",
                                 "--blocks", "1000", f"--requests={number}", "-o", "t")
            self.assertLess(len(message.stderr), 200)

    def test_device_names(self):
        self.fails(NO_DEVICE, "virtual:nonesuch", "inspect", "virtual:nonesuch")
        self.fails(NO_DEVICE, "/dev/sg99", "inspect", "/dev/sg99")
        self.fails(NO_DEVICE, "/dev/null", "inspect", "/dev/null")
        self.fails(USAGE, "nonesuch", "inspect", "nonesuch")
        self.fails(USAGE, "colour", "inspect", DRIVE + "&colour=blue")
        self.fails(USAGE, "seed", "inspect", "virtual:hp-c2247?seed=x")
        self.fails(BAD_INPUT, "missing.json", "inspect", "virtual:missing.json")
        for command in ("characterize", "truth"):
            self.fails(NO_DEVICE, "nonesuch", command, "virtual:nonesuch", "-o", "m.json")

    def test_write_ranges(self):
        for text in ("x", "7-3", "1-", "-4", "0-99999999", "2054864-2054864",
                     "0-18446744073709551616", "1-2-3", ""):
            self.fails(USAGE, text, "characterize", DRIVE, "-o", "m.json", "--allow-writes=" + text)

    def test_programs_that_are_no_drives(self):
        self.fails(NO_DEVICE, "nonesuch", "inspect", "exec:/nonesuch/drive")
        self.fails(USAGE, "exec:", "inspect", "exec:")
        self.fails(USAGE, "unclosed", "inspect", "exec:'unclosed")
        self.fails(PROTOCOL, "status 1", "inspect", "exec:false")
        self.fails(PROTOCOL, "SCSIDRV2", "inspect", "exec:echo hello world")
        self.fails(PROTOCOL, "signal 9", "inspect",
                   f"exec:{sys.executable} -c 'import os; os.kill(os.getpid(), 9)'")

    def test_drives_that_fail_in_the_middle_of_a_run(self):
        nonsense = os.path.join(ALIEN, "nonsense.py")
        for fault in ("hang-up", "truncated", "backwards", "badtag", "huge-length"):
            for after in (40, 700, 3000):
                with self.subTest(fault=fault, after=after):
                    self.new_folder()
                    drive = program_drive(nonsense, "--fault", fault, "--after", after)
                    done = self.run_platter("characterize", drive, "-o", "model.json")
                    self.assert_one_sentence(done, PROTOCOL, "exec:")
                    # The drive is gone; once its settings were changed, what restores them stays, from the
                    # rotation on what a later run goes on with, and from the layout on a model.
                    left = [os.path.splitext(name)[1] for name in self.files()]
                    self.assertEqual(left, [".json", ".jsonl", ".journal"] if after >= 3000 else
                                     [".jsonl", ".journal"] if after >= 700 else [])


# holds: exit-statuses.md: Every failure ends
# holds: exit-statuses.md: A subcommand ends
class Models(PlatterTest):
    def setUp(self):
        super().setUp()
        self.model = json.loads(self.platter("truth", DRIVE))

    def refused(self, content, *words):
        self.write("bad.json", content)
        for command in (("show", "bad.json"), ("layout", "bad.json", "--lbn", "0"),
                        ("diff", "bad.json", "bad.json"), ("inspect", "virtual:bad.json"),
                        ("validate", DRIVE, "bad.json", "-o", "validation"),
                        ("trace", "generate", "--workload", "random", "--for", "bad.json",
                         "-o", "t.trace")):
            self.fails(BAD_INPUT, ["bad.json", *words], *command)

    def test_files_that_are_no_models(self):
        whole = json.dumps(self.model)
        self.refused("")
        self.refused(bytes(range(256)) * 16)
        self.refused("null")
        self.refused("[1, 2, 3]")
        self.refused('{"hello": "world"}', "schema")
        self.refused(whole[:len(whole) // 2])
        self.refused(whole + "}")
        self.refused("[" * 200_000)
        self.refused('{"a":' * 200_000)

    def test_validations_that_fail_leave_no_folder(self):
        self.platter("truth", "virtual:quantum-atlas10k", "-o", "other.json")
        self.write("its.json", json.dumps(self.model))
        os.mkdir(os.path.join(self.folder, "there"))
        for folder in ("new", "new/in/it", "there", "there/new/"):
            self.fails(BAD_INPUT, "another drive", "validate", DRIVE, "other.json", "-o", folder)
            self.fails(USAGE, "last LBN", "validate", DRIVE, "its.json", "-o", folder, "--allow-writes", "0-99999999")
            self.assertEqual(sorted(os.listdir(self.folder)), ["its.json", "other.json", "there"])
            self.assertEqual(os.listdir(os.path.join(self.folder, "there")), [])

    def test_models_of_another_kind(self):
        def of(path, value):
            return json.dumps(changed(self.model, path, value))
        self.refused(of(["schema", "version"], "9.0"), "9.0")
        self.refused(of(["schema", "name"], "platter-journal"))
        self.refused(of(["layout"], None), "layout")
        self.refused(of(["identity", "blocks"], "many"), "identity.blocks")
        self.refused(of(["colour"], "blue"), "colour")

    def test_hostile_numbers(self):
        zone = ["layout", "zones", 0]
        for path, value in ((["identity", "blocks"], 1 << 60), (["identity", "blocks"], -1),
                            (["identity", "block_bytes"], 0),
                            (["identity", "block_bytes"], 1 << 40),
                            ([*zone, "count"], 1 << 62), ([*zone, "count"], 0),
                            ([*zone, "cylinder_step"], 1 << 62),
                            (["rotation", "denominator"], 0),
                            (["rotation", "numerator_ns"], -5),
                            (["seek", "points", 1, "cylinders"], 0),
                            (["cache", "segments", "value"], 1e300)):
            with self.subTest(path=path, value=value):
                self.refused(json.dumps(changed(self.model, path, value)))
        # What the engine would refuse, under another name than the file's.
        for section, name, value in (("cache", "segment_blocks", 1 << 32),
                                     ("cache", "read_ahead_min_blocks", 1 << 32),
                                     ("cache", "buffer_blocks", 1 << 32),
                                     ("cache", "written_blocks", 1 << 32),
                                     ("bus", "watermark_by_request_size", -1),
                                     ("bus", "block_transfer", 1000)):
            with self.subTest(section=section, name=name):
                self.refused(json.dumps(changed(self.model, [section, name],
                                                {"value": value, "unit": "", "error": None,
                                                 "method": "imported", "samples": 0})),
                             f"{section}.{name}")

    def test_questions_that_have_no_answer(self):
        self.write("good.json", json.dumps(self.model))
        self.fails(USAGE, "2054864", "layout", "good.json", "--lbn", "2054864")
        self.fails(USAGE, "9999", "layout", "good.json", "--pbn", "9999,0,0")


# holds: exit-statuses.md: Every failure ends
class Traces(PlatterTest):
    def setUp(self):
        super().setUp()
        self.write("model.json", self.platter("truth", DRIVE))

    def refused(self, content, *words):
        self.write("bad.trace", content)
        for target, writes in (("model.json", ()), (DRIVE, ("--allow-writes", "0-2054863"))):
            self.fails(BAD_INPUT, ["bad.trace", *words], "replay", "bad.trace", "--on", target,
                       "-o", "result.csv", *writes)

    def test_garbled(self):
        good = "0.5 0 100 8 1\n10.25 0 2000 8 1\n"
        self.refused("")
        self.refused(b"\x00\xff\x17garbage\x80" * 100)
        self.refused(good + "20.0 0 30", "line 3")
        self.refused(good + "20.0 0 thirty 8 1\n", "line 3")
        self.refused(good + "5.0 0 30 8 1\n", "line 3")  # time runs backwards
        self.refused(good + "20.0 0 30 0 1\n", "line 3")
        self.refused(good + "nan 0 30 8 1\n", "line 3")
        self.refused(good + "1e300 0 30 8 1\n", "line 3")
        self.refused(good + "20.0 0 -30 8 1\n", "line 3")
        validate = "R 2a 100 8 12000.0 500.0\n"
        self.refused(validate + "W 2a 100 8 12000.0", "line 2")
        self.refused(validate + "X 2a 100 8 12000.0 500.0\n", "line 2")
        self.refused(validate + "R 2a 100 8 -12000.0 500.0\n", "line 2")

    def test_beyond_the_drive(self):
        self.refused("0.5 0 100 8 1\n1.0 0 2054860 8 1\n", "2054")
        self.refused("R 2a 99999999999 8 12000.0 500.0\n")

    def test_results_and_journals(self):
        for name, content in (("empty", ""), ("binary", bytes(range(256))), ("json", "{}"),
                              ("cut", '# {"schema": {"name": "platter-replay-result", "version": "1.0"}}\npart,op\n')):
            self.write(name, content)
            self.fails(BAD_INPUT, name, "compare", name, name)
            self.fails(BAD_INPUT, name, "restore", name)
            self.fails(BAD_INPUT, name, "import", "disksim", name, "-o", "m.json")
        head = {"schema": {"name": "platter-journal", "version": "2.0"}, "device": DRIVE,
                "vendor": "HP", "product": "C2247A", "serial": "VIRTUAL-C2247A", "blocks": 2054864,
                "block_bytes": 512}
        for change in ({"block_bytes": 0}, {"blocks": -1}, {"mode_pages": ["zz"]},
                       {"device": 5}, {"mode_pages": ["08"]}):
            bad = {**head, **change}
            self.write("bad.journal", checked(bad, bad, {"lbn": 5, "bytes": "00" * 512}))
            self.fails(BAD_INPUT, "bad.journal", "restore", "bad.journal")
        for entry in ({"lbn": 5, "bytes": ""}, {"lbn": 5, "bytes": "00" * 100},
                      {"lbn": 2054864, "bytes": "00" * 512}, {"lbn": -1, "bytes": "00" * 512},
                      {"lbn": (1 << 64) - 1, "bytes": "00" * 512}, {"lbn": 5, "bytes": "0g" * 512}):
            self.write("bad.journal", checked(head, head, entry, entry))
            self.fails(BAD_INPUT, "bad.journal", "restore", "bad.journal")


class Outputs(PlatterTest):
    def commands(self, output):
        self.write("m.json", self.platter("truth", DRIVE))
        self.write("t.trace", "0.5 0 100 8 1\n")
        yield "truth", DRIVE, "-o", output
        yield "characterize", DRIVE, "-o", output, "--samples", "/dev/null"
        yield "trace", "generate", "--workload", "mixed", "--blocks", "9999", "-o", output
        yield "replay", "t.trace", "--on", DRIVE, "-o", output
        yield "replay", "t.trace", "--on", "m.json", "-o", output

    # holds: exit-statuses.md: What was not done
    def test_missing_folder(self):
        for command in self.commands("nonesuch/out"):
            self.fails(OUTPUT, "nonesuch/out", *command)

    def test_a_folder_in_the_way(self):
        os.mkdir(self.path("folder"))
        for command in self.commands("folder"):
            # Characterize writes into it.
            self.fails(USAGE if command[0] == "characterize" else OUTPUT, "folder", *command)

    # holds: exit-statuses.md: What was not done
    def test_full_disk(self):
        for command in self.commands("/dev/full"):
            self.fails(OUTPUT, "/dev/full", *command)

    def test_calibrate_does_not_write_over_what_it_reads(self):
        self.write("m.json", self.platter("truth", DRIVE))
        self.write("t.trace", "0.5 0 100 8 1\n" * 400)
        os.symlink(self.path("m.json"), self.path("link.json"))
        for output in ("m.json", "./m.json", "link.json", "t.trace"):
            before = self.files()
            self.fails(USAGE, output, "calibrate", "m.json", "--with", "t.trace", "-o", output)
            self.assertEqual(self.files(), before)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root and setpriv")
    def test_without_permission(self):
        os.chmod(self.folder, 0o755)
        self.write("secret.json", self.platter("truth", DRIVE))
        os.chmod(self.path("secret.json"), 0o600)
        with tempfile.TemporaryDirectory() as place:
            # The program itself may lie where another user cannot reach it.
            os.chmod(place, 0o755)
            program = shutil.copy(PLATTER, place)
            for status, arguments in ((PERMISSION, ("show", "secret.json")),
                                      (OUTPUT, ("truth", DRIVE, "-o", "m.json")),
                                      (OUTPUT, ("characterize", DRIVE, "-o", "m.json"))):
                done = subprocess.run(
                    ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program,
                     *arguments], cwd=self.folder, text=True, capture_output=True, check=False,
                    env=dict(self.environment, XDG_STATE_HOME="/tmp"))
                self.assert_one_sentence(done, status, arguments[-1])
        self.assertEqual(self.files(), ["secret.json"])

    def test_no_gnuplot(self):
        self.write("m.json", self.platter("truth", DRIVE))
        without = dict(self.environment, PATH=self.folder)
        self.fails(MISSING_PROGRAM, "gnuplot", "show", "m.json", "--plots", "plots", env=without)

    # holds: safety.md: Without `--allow-writes`
    # holds: safety.md: A range of `--allow-writes`
    def test_writes_that_were_not_allowed(self):
        self.write("w.trace", "0.5 0 100 8 0\n")
        self.fails(REFUSED, "--allow-writes", "replay", "w.trace", "--on", DRIVE, "-o", "r.csv")


if __name__ == "__main__":
    unittest.main()
