"""What people type: the sentence that helps, for every wrong word; numbers with units; the help."""

import json
import os
import re
import shlex
import signal
import subprocess
import time
import unittest

from harness import BAD_INPUT, DIFFERS, NO_DEVICE, OK, PLATTER, USAGE, PlatterTest, leaves

DRIVE = "virtual:hp-c2247?seed=1"


class Typing(PlatterTest):
    def setUp(self):
        super().setUp()
        self.platter("truth", DRIVE, "-o", "m.json")
        self.platter("trace", "generate", "--workload", "random", "--blocks", "9e6", "--reads-only", "--requests", "60",
                     "-o", "big.trace")

    def said(self, status, *words):
        done = self.run_platter(*words)
        self.assert_one_sentence(done, status)
        self.assertLess(len(done.stderr), 400, words)
        return done.stderr

    def test_wrong_words_get_the_sentence_that_helps(self):
        os.mkdir(self.path("empty"))
        self.write("binary", bytes(range(256)))
        self.platter("publish", "m.json", "--registry", "reg")
        for status, words, sentence in (
                (USAGE, "chracterize", "no subcommand chracterize; did you mean characterize? platter --help"),
                (USAGE, "shwo m.json", "did you mean show?"),
                (USAGE, "show m.json --plotz x", "show has no option --plotz; did you mean --plots? platter show --help"),
                (USAGE, "show --plotz x", "did you mean --plots?"),
                (USAGE, "show", "show: MODEL is required; platter show --help"),
                (USAGE, "diff m.json m.json more", 'diff takes no "more" here; platter diff --help'),
                (USAGE, "show m.json -o", "show has no option -o"),
                (USAGE, "emit table m.json -o", "table: --output: its value is missing"),
                (USAGE, "characterize virtual:hp-c2247 --allow-writes -o x", "--allow-writes: its value is missing"),
                (USAGE, "characterize virtual:hp-c2247 --seed --allow-writes all -o x", "--seed: its value is missing"),
                (USAGE, "--jason", "platter has no option --jason"),
                (USAGE, "characterize virtual:hp-c2247 --allow-write 0-9 -o x", "did you mean --allow-writes?"),
                (USAGE, "replay big.trace --on m.json -o x --shceduler=fcfs", "no option --shceduler; did you mean "
                                                                             "--scheduler?"),
                (NO_DEVICE, "inspect virtual:quantum-atlas", "did you mean virtual:quantum-atlas10k?"),
                (NO_DEVICE, "inspect virtual:zzzz", "platter devices lists the drives"),
                (USAGE, "inspect sda", "'sda' names no device; did you mean /dev/sda?"),
                (USAGE, "inspect quantum-atlas10k", "did you mean virtual:quantum-atlas10k?"),
                (USAGE, "inspect m.json", "did you mean virtual:m.json?"),
                (USAGE, "emit foo", "emit has no subcommand foo; platter emit --help lists them"),
                (USAGE, "emit tabel", "did you mean table?"),
                (USAGE, "emit", "emit needs a subcommand: disksim, table, summary, 86box;"),
                (USAGE, "registry foo", "registry has no subcommand foo"),
                (BAD_INPUT, "registry prune hp-c2:v1 --registry reg", "did you mean hp-c2247"),
                (BAD_INPUT, "registry list --registry none", "none: is no registry"),
                (USAGE, "registry search --registry reg", "nothing says what is looked for; give words, or an option"),
                (USAGE, "registry search --rpm 7X --registry reg", '--rpm: "7X" is no range; write 7200, 15k'),
                (USAGE, "registry search --capacity 8T..4T --registry reg", "turn them round"),
                (USAGE, "registry search --demerit random --registry reg", "names no workload and range"),
                (USAGE, "registry search --annotation serial --registry reg", "names no annotation and value"),
                (USAGE, "registry search --date yesterday --registry reg", "is no date; write 2026"),
                (USAGE, "registry search --date 2026-13 --registry reg", "is no date; write 2026"),
                (USAGE, "registry search a --limit 0 --registry reg", "--limit"),
                (OK, "registry list --registry empty", "empty holds no models yet; platter publish"),
                (USAGE, "layout m.json --lbn -1", "--lbn: -1 is no whole number from 0"),
                (USAGE, "layout m.json --lbn 1,2", "--lbn: 1,2 is no whole number from 0"),
                (USAGE, "layout m.json --lbn 18446744073709551616", "is no whole number from 0 to 2^64 - 1"),
                (USAGE, "layout m.json --lbn 0x10", "0x10 is no whole number"),
                (USAGE, "layout m.json --lbn 5 --all-tracks", "--lbn excludes --all-tracks"),
                (USAGE, "layout m.json --pbn 0,0,1 --all-tracks", "excludes --all-tracks"),
                (USAGE, "characterize virtual:hp-c2247 --budget 5s -o x", "a budget of 5 s is too short"),
                (USAGE, "characterize virtual:hp-c2247 --budget 5x -o x", "5x is no time from 1 to 10000000 s; write 90, "
                                                                         "5m or 1.5h"),
                (USAGE, "characterize virtual:hp-c2247 --budget nan -o x", "nan is no time"),
                (USAGE, "characterize virtual:hp-c2247 --allow-writes 9-1 -o x", '"9-1" is no range of LBNs'),
                (USAGE, "characterize virtual:hp-c2247 --allow-writes al -o x", '"al" is no range of LBNs'),
                (USAGE, "trace generate --workload randon --blocks 9 -o x", "did you mean random?"),
                (USAGE, "trace generate --workload mixed --blocks 9 --read-share 170% -o x", "170% is no share from 0 to 1; "
                                                                                            "write 0.67 or 67%"),
                (USAGE, "trace generate --workload random --blocks 9 --request-kb 0.3 -o x", '"0.3" is no whole number of '
                                                                                            'sectors'),
                (USAGE, "trace generate --workload random --blocks 9 --requests 1e2.5 -o x", "1e2.5 is no number from 1 on"),
                (USAGE, "trace generate --workload random --blocks 9 --requests 1e99 -o x", "1e99 is no number that it can take"),
                (USAGE, "trace convert big.trace --to asci -o x", "asci is none of blktrace, hpl"),
                (BAD_INPUT, "replay big.trace --on m.json -o x", "past the end of the drive"),
                (USAGE, "validate virtual:hp-c2247 m.json --requests 3 -o v", "--requests: 3 is no number from 20 on"),
                (USAGE, "replay big.trace --on m.json -o x --scheduler fcsf", "fcsf is none of fcfs")):
            with self.subTest(words):
                self.assertIn(sentence, self.said(status, *words.split()))
        for command in (("registry", "list"), ("publish", "m.json")):
            self.assertIn("--registry: is empty; leave it out, or give it a value",
                          self.said(USAGE, *command, "--registry", ""))
        lint = self.run_platter("trace", "lint", "binary")
        self.assertEqual(lint.returncode, BAD_INPUT)
        self.assertIn("a binary file, and of no format that is known", lint.stdout)
        self.assertEqual(sorted(set(self.files()) & {"x", "v"}), [])

    def test_options_that_would_be_ignored_are_refused(self):
        self.platter("emit", "table", "m.json", "-o", "m.ptab")
        of_models = "--plots, --plot, --brief, --section and --explain are for models"
        for words, sentence in (
                ("show m.json --json --plot", "--plot excludes --json"),
                ("show m.json --json --brief", "--brief excludes --json"),
                ("show m.json --json --section cache", "--section excludes --json"),
                ("show m.json --json --explain rotation.period", "--explain excludes --json"),
                ("show m.json --plot --brief", "--brief excludes --plot"),
                ("show m.json --plot --section cache", "--section excludes --plot"),
                ("show m.json --plot --explain rotation.period", "--explain excludes --plot"),
                ("show m.json --brief --section cache", "--section excludes --brief"),
                ("show m.json --brief --explain rotation.period", "--explain excludes --brief"),
                ("show m.json --section cache --explain rotation.period", "--explain excludes --section"),
                ("show m.ptab --plot", of_models),
                ("show m.ptab --brief", of_models),
                ("show m.ptab --section cache", of_models),
                ("show m.ptab --explain rotation.period", of_models),
                ("diff m.json m.json --all --json", "--json excludes --all"),
                ("inspect virtual:hp-c2247 --raw --json", "--raw excludes --json"),
                ("inspect virtual:hp-c2247 --commands", "--commands excludes DEVICE"),
                ("inspect --commands --json", "--commands excludes --json"),
                ("inspect --commands --raw", "--commands excludes --raw"),
                ("inspect --commands --quiet-host", "--commands excludes --quiet-host"),
                ("inspect --json", "DEVICE is required; platter inspect --help"),
                ("restore x.journal --yes", "--yes requires --device"),
                ("replay big.trace --on m.json -o x --allow-writes all", "--allow-writes permits writes to a drive"),
                ("replay big.trace --on m.json -o x --quiet-host", "--quiet-host is for the times of drives"),
                ("replay big.trace --on m.json -o x --depth 4 --delay-seed 3", "--delay-seed draws a model's delays at "
                                                                               "--depth 1 only"),
                ("replay big.trace --on m.json -o x --ageing 2", "--ageing requires --scheduler"),
                ("replay big.trace --on virtual:hp-c2247 -o x --scheduler fcfs", "--scheduler sets a model's queue"),
                ("replay big.trace --on virtual:hp-c2247 -o x --phase-from y", "--phase-from sets a model's phase"),
                ("replay big.trace --on virtual:hp-c2247 -o x --delay-seed 3", "--delay-seed draws a model's delays"),
                ("replay big.trace --on m.json -o x --phase-from y --depth 2", "--phase-from excludes --depth"),
                ("replay big.trace --on m.json -o x --phase-from y --speed 2", "--phase-from excludes --speed"),
                ("validate virtual:hp-c2247 m.ptab --requests 20 -o v --update-model", "--update-model notes demerits in "
                                                                                       "model files"),
                ("validate virtual:hp-c2247 m.json --requests 20 -o v --tables --json", "--json excludes --tables"),
                ("compare a b --half first --from 3", "--from excludes --half"),
                ("cosim --build-kernel --kernel x", "--build-kernel excludes --kernel"),
                ("cosim --build-kernel --log x", "--build-kernel excludes --log"),
                ("cosim m.json --write-cache-loss -- true", "--write-cache-loss requires --power-cut-at"),
                ("characterize virtual:hp-c2247 -o x --no-map --full-map", "--no-map excludes --full-map"),
                ("emulate m.json --check-log x --speed 2", "--speed excludes --check-log")):
            with self.subTest(words):
                said = self.said(USAGE, *words.split())
                either = {sentence, " excludes ".join(reversed(sentence.split(" excludes ")))}
                self.assertTrue(any(words in said for words in either), said)
        self.assertEqual(sorted(set(self.files()) & {"x", "v"}), [])

    def test_numbers_with_units(self):
        same = [("--requests", "1e3", "--requests", "1000"), ("--requests", "1k", "--requests", "1000"),
                ("--read-share", "67%", "--read-share", "0.67"), ("--align-kb", "4K", "--align-kb", "4"),
                ("--think-ms", "2s", "--think-ms", "2000"), ("--local-blocks", "1e2", "--local-blocks", "100"),
                ("--within", "0-1e6", "--within", "0-1000000")]
        for unit, typed, plain, value in same:
            with self.subTest(typed):
                for name, words in (("a", (unit, typed)), ("b", (plain, value))):
                    self.platter("trace", "generate", "--workload", "mixed", "--blocks", "2e6", "-o", name, "--force",
                                 *words)
                with open(self.path("a"), encoding="utf-8") as a, open(self.path("b"), encoding="utf-8") as b:
                    self.assertEqual(a.read(), b.read())
        places = [self.platter("layout", "m.json", "--lbn", number) for number in ("1000", "1e3", "1k")]
        self.assertEqual(len(set(places)), 1)
        for budget in ("45", "45s", "0.75m"):
            done = self.run_platter("characterize", DRIVE, "--budget", budget, "-o", "b.json", "--force")
            self.assertIn("the run will take about 4", done.stderr)

    def test_writes_may_be_allowed_everywhere(self):
        self.platter("characterize", DRIVE, "--allow-writes", "all", "-o", "all.json")
        self.assertIsNotNone(self.read_json("all.json")["write_settle"].get("value"))

    def test_a_program_that_is_no_drive_is_waited_for_aloud(self):
        with subprocess.Popen([PLATTER, "inspect", "exec:cat"], stderr=subprocess.PIPE, text=True,
                              env=self.environment) as process:
            self.assertIn("waiting for exec:cat", process.stderr.readline())
            process.terminate()
            process.communicate()


class Show(PlatterTest):
    def test_figures_in_the_terminal(self):
        self.platter("truth", DRIVE, "-o", "m.json")
        text = self.platter("show", "m.json", "--plot")
        for said in ("Seek time of HP C2247A", "seek distance (cylinders)", "Zones of HP C2247A", "sectors per track"):
            self.assertIn(said, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        self.assertNotIn("figure", " ".join(self.files()))

    def test_parts(self):
        self.platter("truth", DRIVE, "-o", "m.json")
        whole, brief = self.platter("show", "m.json"), self.platter("show", "m.json", "--brief")
        self.assertLess(len(brief), len(whole) / 3)
        self.assertIn("capacity", brief)
        cache = self.platter("show", "m.json", "--section", "cache,seeks")
        self.assertTrue(cache.startswith("Cache\n"))
        self.assertIn("\nSeeks (", cache)
        self.assertNotIn("overheads.", cache)
        explained = self.platter("show", "m.json", "--explain", "cache.read_ahead")
        self.assertIn("how far the drive reads behind a request", explained)
        page = explained.split()[-1]
        self.assertEqual(page, "docs/methods/cache.md")
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
        self.assertTrue(os.path.isfile(os.path.join(root, page)))
        self.fails(USAGE, "did you mean rotation.period?", "show", "m.json", "--explain", "rotation.perod")
        self.fails(USAGE, "cashe is none of", "show", "m.json", "--section", "cashe")


class Failures(PlatterTest):
    # holds: exit-statuses.md: With `--json`
    def test_who_asks_for_json_gets_it(self):
        self.platter("truth", DRIVE, "-o", "m.json")
        for status, words in ((BAD_INPUT, "show none.json --json"), (USAGE, "show m.json --json --plotz x"),
                              (USAGE, "shwo m.json --json"), (USAGE, "characterize virtual:hp-c2247 -o x --budget 5 --json"),
                              (NO_DEVICE, "inspect virtual:none --json")):
            with self.subTest(words):
                done = self.run_platter(*words.split())
                self.assertEqual(done.returncode, status)
                told = json.loads(done.stdout)
                self.assertEqual(told["schema"]["name"], "platter-error")
                self.assertEqual(told["status"], status)
                self.assertEqual(done.stderr, f"platter: {told['error']}\n")
        # What was printed is a result, and stays the only document.
        self.platter("derive", "m.json", "--set", "head_switch=x2", "-o", "d.json")
        self.assertEqual(json.loads(self.platter("diff", "m.json", "d.json", "--json", status=DIFFERS))["differing"], 1)
        self.assertEqual(self.run_platter("show", "none.json").stdout, "")


class Progress(PlatterTest):
    def test_lines_are_few_never_far_apart_and_count_down(self):
        """A drive whose map takes the host some ten seconds, most of which it computes."""
        with subprocess.Popen([PLATTER, "characterize", "virtual:modern-20tb?page40h=no&seed=3", "-o", "m.json",
                               "--progress", "json"], cwd=self.folder, env=self.environment, text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            began, told = time.monotonic(), []
            for line in process.stderr:
                if line.startswith("{"):
                    told.append((time.monotonic() - began, json.loads(line)))
                    self.check_who_takes_signals(process.pid)
            elapsed = time.monotonic() - began
        self.assertEqual(process.returncode, OK)
        self.assertGreaterEqual(elapsed, 5, "too quick to show anything: take a larger drive")
        self.assertTrue(told)
        stages = {line["stage"] for _, line in told}
        self.assertLessEqual(len(told), elapsed / 10 + len(stages) + 1)
        times = [0, *(at for at, _ in told), elapsed]
        self.assertLess(max(b - a for a, b in zip(times, times[1:])), 15)
        shares = [line["share"] for _, line in told]
        self.assertEqual(shares, sorted(shares))
        self.assertLess(told[-1][1]["seconds_left"], 1000)

    def check_who_takes_signals(self, pid):
        """The main thread alone: it blocks them while a command is under way."""
        for thread in os.listdir(f"/proc/{pid}/task"):
            if int(thread) == pid:
                continue
            with open(f"/proc/{pid}/task/{thread}/status", encoding="utf-8") as file:
                blocked = int(re.search(r"^SigBlk:\s*([0-9a-f]+)", file.read(), re.M).group(1), 16)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                self.assertTrue(blocked >> (number - 1) & 1, number)

    def test_what_is_done_at_once_needs_none(self):
        for options in ((), ("--progress", "none"), ("--progress", "plain")):
            done = self.run_platter("characterize", DRIVE, "-o", "m.json", *options)
            self.assertEqual(done.returncode, OK)
            self.assertRegex(done.stderr, r"\Awritten: .*\n(overwritten: .*\n)?\Z|\Aoverwritten: .*\nwritten: .*\n\Z")
        self.fails(USAGE, "loud is none of plain, json, none", "characterize", DRIVE, "-o", "x", "--progress", "loud")


class Help(PlatterTest):
    def test_the_first_help_is_one_screen_and_names_everything(self):
        overview = self.platter("--help")
        self.assertLessEqual(len(overview.splitlines()), 24)
        self.assertLessEqual(max(map(len, overview.splitlines())), 80)
        needs = self.run_platter().stderr
        for name in re.search(r"needs a subcommand: ([^;]*);", needs).group(1).split(", "):
            self.assertRegex(overview, rf"\b{name}\b")

    def test_every_subcommand_has_two_examples_that_are_understood(self):
        found = leaves()
        self.assertGreater(len(found), 30)
        for leaf in [name.split() for name in found]:
            text = self.platter(*leaf, "--help")
            examples = re.findall(r"^  (platter .*)$", text.partition("Examples:")[2], re.M)
            self.assertEqual(len(examples), 2, leaf)
            for example in examples:
                with self.subTest(example):
                    self.new_folder()  # no input is there, so that nothing goes on to serve
                    words = shlex.split(example)[1:]
                    self.assertEqual(words[:len(leaf)], leaf)
                    done = self.run_platter(*words, stdin=subprocess.DEVNULL)
                    self.assertNotEqual(done.returncode, USAGE, done.stderr)


if __name__ == "__main__":
    unittest.main()
