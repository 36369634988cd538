"""One voice at the terminal: results on standard output, lines that fit, and silence where nobody reads on."""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import unittest

from harness import BAD_INPUT, OK, PLATTER, PlatterTest, leaves

DRIVE = "virtual:hp-c2247"
# What is printed as it is: a word that is longer than a line stays whole.
COMMANDS = ("--help", "help show", "version", "devices", f"inspect {DRIVE}", "show m.json",
            "show m.json --brief", "show m.json --section seeks", "show m.json --explain cache.read_ahead",
            "show m.json m.json", "show m.ptab", "layout m.json --lbn 0 77", "layout m.json --all-tracks",
            "diff m.json o.json", "compare drive.csv model.csv", "replay t --on m.json", "result show drive.csv",
            "trace stats t", "trace lint t", "trace generate --list", "emit summary m.json", "registry list --registry r",
            "registry search c2247 --registry r", "fleet r", "emit table m.json -o again.ptab --force",
            "study run study.json -C studied", f"registry match {DRIVE} --registry r", "show nonesuch")


class Terminal(PlatterTest):
    def setUp(self):
        super().setUp()
        self.platter("truth", DRIVE, "-o", "m.json")
        self.platter("truth", "virtual:quantum-atlas10k", "-o", "o.json")
        self.platter("emit", "table", "m.json", "-o", "m.ptab")
        self.platter("trace", "generate", "--workload", "random", "--requests", "60", "--reads-only", "--for", "m.json",
                     "-o", "t")
        self.platter("replay", "t", "--on", DRIVE, "-o", "drive.csv")
        self.platter("replay", "t", "--on", "m.json", "--phase-from", "drive.csv", "-o", "model.csv")
        self.platter("publish", "m.json", "o.json", "--registry", "r")
        self.write("study.json", json.dumps({"schema": {"name": "platter-study", "version": "1.0"}, "models": ["m.json"],
                                             "traces": ["t"], "options": {"depth": [1, 4]}}))

    def on_terminal(self, columns, *arguments):
        """What a terminal of so many columns gets."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with subprocess.Popen([PLATTER, *arguments], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=theirs, stderr=subprocess.DEVNULL):
            os.close(theirs)
            shown = b""
            try:
                while got := os.read(ours, 65536):
                    shown += got
            except OSError:  # EIO: the other end is closed
                pass
        os.close(ours)
        return shown.decode().replace("\r\n", "\n")

    def assert_fits(self, text, columns):
        for line in text.splitlines():
            longest = max(map(len, line.split()), default=0)
            self.assertLessEqual(len(line), max(columns, 40 + longest if longest > columns / 2 else 0), line)

    def test_without_a_terminal_no_line_is_broken(self):
        model = json.loads(self.platter("truth", "virtual:hp-c2247"))
        self.assertEqual(model["schema"]["name"], "platter-model")
        self.assertGreater(max(map(len, self.platter("self", "statuses").splitlines())), 80)

    def test_lines_fit_the_terminal_or_the_columns_that_are_asked_for(self):
        for command in COMMANDS:
            with self.subTest(command):
                said = self.run_platter(*command.split(), env={**self.environment, "COLUMNS": "80"}).stdout
                self.assert_fits(said, 80)
                if command.startswith(("show", "inspect", "registry", "trace")):
                    for columns in (60, 132):
                        self.assert_fits(self.on_terminal(columns, *command.split()), columns)

    def test_json_is_as_it_is(self):
        for command in ("show m.json --json", "registry pull " + self.first_reference() + " --registry r"):
            text = self.platter(*command.split())
            self.assertGreater(max(map(len, text.splitlines())), 80)
            json.loads(text)

    def first_reference(self):
        return self.platter_json("registry", "list", "--registry", "r")["models"][0]["reference"]

    def test_a_replays_summary_is_a_result(self):
        done = self.run_platter("replay", "t", "--on", "m.json")
        self.assertIn("mean", done.stdout)
        self.assertNotIn("mean", done.stderr)
        done = self.run_platter("replay", "t", "--on", "m.json", "-o", "/dev/stdout")
        self.assertTrue(done.stdout.startswith("# {"))
        self.assertIn("mean", done.stderr)

    def test_both_streams_in_one_have_whole_lines(self):
        for command in COMMANDS:
            with self.subTest(command):
                apart = self.run_platter(*command.split())
                both = subprocess.run([PLATTER, *command.split()], cwd=self.folder, env=self.environment, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False).stdout
                alone = set(apart.stdout.splitlines()) | set(apart.stderr.splitlines())
                if not command.startswith(("registry match", "study", "inspect virtual")):  # each time anew
                    self.assertEqual(set(both.splitlines()), alone)

    def test_who_reads_the_beginning_only_gets_no_sentence(self):
        for command in ("layout m.json --all-tracks", "show m.json", "show m.json --json", "--help", "help show"):
            with self.subTest(command):
                read, write = os.pipe()
                os.close(read)
                with os.fdopen(write, "wb") as closed:
                    done = subprocess.run([PLATTER, *command.split()], cwd=self.folder, env=self.environment,
                                          stdout=closed, stderr=subprocess.PIPE, check=False)
                self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, b""))
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, "wb") as closed:  # what failed otherwise has its own status
            done = subprocess.run([PLATTER, "show", "nonesuch"], cwd=self.folder, stdout=closed, stderr=subprocess.PIPE,
                                  check=False)
        self.assertEqual(done.returncode, BAD_INPUT)


class Help(PlatterTest):
    def groups(self):
        """Every name that has --help."""
        names = {""} | set(leaves())
        return names | {" ".join(name.split()[:-1]) for name in names}

    def test_each_help_fits_80_columns_and_says_what_options_take(self):
        for command in sorted(self.groups()):
            with self.subTest(command):
                text = self.platter(*command.split(), "--help")
                self.assertLessEqual(max(map(len, text.splitlines())), 80)
                for kind in ("TEXT", "FLOAT", "UINT", "INT"):
                    self.assertNotRegex(text, rf"\b{kind}\b")
        text = self.platter("characterize", "--help")
        for shown in ("--output FILE", "--journal DIR", "--budget SECONDS"):
            self.assertRegex(text, shown)

    def test_words_for_help_and_version(self):
        self.assertEqual(self.platter("help"), self.platter("--help"))
        self.assertEqual(self.platter("version"), self.platter("--version"))
        for command in leaves():
            self.assertEqual(self.platter("help", *command.split()), self.platter(*command.split(), "--help"))
        self.fails(2, "no subcommand shwo; did you mean show?", "help", "shwo")
        self.assertEqual(self.run_platter("version").returncode, OK)

    def test_examples_stand_on_one_line(self):
        for command in leaves():
            for line in re.findall(r"^  platter .*$", self.platter(*command.split(), "--help"), re.MULTILINE):
                self.assertIn(f"platter {command}", line)


if __name__ == "__main__":
    unittest.main()
