"""`platter cosim` on the command line: what it refuses, without a guest. With one: tests/cosim."""

import os
import subprocess
import unittest

from fake_kernel import fake_kernel
from harness import BAD_INPUT, MISSING_PROGRAM, OK, REFUSED, USAGE, PlatterTest

DRIVE = "virtual:hp-c2247"
KERNEL = fake_kernel()


class Cosim(PlatterTest):
    def setUp(self):
        super().setUp()
        for name in ("tmp", "bin"):
            os.mkdir(self.path(name))
        os.symlink("/bin/true", self.path("bin/true"))
        # Without a compiler nothing is built, whatever else goes wrong.
        self.environment.update(XDG_CACHE_HOME=self.path("cache"), TMPDIR=self.path("tmp"), PATH=self.path("bin"))

    def refuses(self, status, words, *arguments):
        self.fails(status, words, "cosim", *arguments)
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_models_and_a_command_are_needed(self):
        self.refuses(USAGE, "-- COMMAND", DRIVE)
        self.refuses(USAGE, "-- COMMAND", DRIVE, "--")
        self.refuses(USAGE, "-- COMMAND", "--", "true")
        self.refuses(USAGE, "no models and no command", "--build-kernel", DRIVE, "--", "true")
        self.refuses(USAGE, "--help", "--no-such-option", DRIVE, "--", "true")

    def test_what_is_behind_the_dashes_is_the_command_s(self):
        self.refuses(BAD_INPUT, "nothing.json", "nothing.json", "--", "true", "--help", "--", "--report")

    def test_numbers_and_dates_are_checked(self):
        self.refuses(USAGE, "--memory", DRIVE, "--memory", "10", "--", "true")
        self.refuses(USAGE, "--cpu-factor", DRIVE, "--cpu-factor", "-1", "--", "true")
        self.refuses(USAGE, "--seed", DRIVE, "--seed", "1.5", "--", "true")
        self.write("kernel", KERNEL)
        for date in ("yesterday", "2031-13-01", "2031-01-01T00:00", "31-01-01x", "2030-02-31", "1969-12-31",
                     "2200-01-01"):
            self.refuses(USAGE, date, DRIVE, "--kernel", "kernel", "--date", date, "--", "true")

    def test_files_are_checked(self):
        self.platter("emit", "table", self.model(), "-o", "m.ptab")
        self.refuses(BAD_INPUT, ["m.ptab", "the model that it was made of"], "m.ptab", "--", "true")
        self.refuses(USAGE, "one for each", DRIVE, "--contents", "a", "b", "--", "true")
        self.write("kernel", KERNEL)
        self.refuses(BAD_INPUT, "no folder", DRIVE, "--kernel", "kernel", "--share", "nowhere", "--", "true")
        for share in ("/", "/dev", "/proc/self", "/sys/.", "/run"):
            self.refuses(USAGE, [share, "the guest's own"], DRIVE, "--kernel", "kernel", "--share", share, "--", "true")
        self.write("wrong.json", '{"schema": {"name": "platter-episodes", "version": "1.0"}, "episodes": [{"what": "stall"}]}')
        self.refuses(BAD_INPUT, ["wrong.json", "for_s"], DRIVE, "--episodes", "wrong.json", "--", "true")
        self.refuses(USAGE, "one for each", DRIVE, "--episodes", "a", "b", "--", "true")
        self.write("stripped", fake_kernel("another_function"))
        for kernel in ("no-kernel", self.model(), "/bin/true", "stripped"):
            self.refuses(BAD_INPUT, [kernel, "--build-kernel"], DRIVE, "--kernel", kernel, "--", "true")
        for contents in ("new", "generated:new"):
            self.refuses(USAGE, "two outputs", DRIVE, "--contents", contents, "--log", "./new", "--", "true")
            self.refuses(USAGE, "two outputs", DRIVE, "--contents", contents, "--report", "new", "--", "true")
        self.refuses(USAGE, "two outputs", DRIVE, DRIVE, "--contents", "new", "./new", "--", "true")
        self.assertFalse(os.path.exists(self.path("new")))
        self.write("mine", "not platter's")
        self.refuses(REFUSED, "mine", DRIVE, "--log", "mine", "--", "true")
        self.refuses(REFUSED, "mine", DRIVE, "--report", "mine", "--", "true")
        self.refuses(USAGE, "m.json", "m.json", "--log", "m.json", "--force", "--", "true")

    def model(self):
        if not os.path.exists(self.path("m.json")):
            self.platter("truth", DRIVE, "-o", "m.json")
        return "m.json"

    def test_what_the_kernel_is_built_of_is_named_where_it_is_missing(self):
        for arguments in (["--build-kernel"], [DRIVE, "--", "true"]):
            done = self.run_platter("cosim", *arguments, stdin=subprocess.DEVNULL)
            self.assert_one_sentence(done, MISSING_PROGRAM, "apt-get install", "gcc", "flex", "bison", "bc")
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_help_shows_where_the_command_stands(self):
        done = self.run_platter("cosim", "--help")
        self.assertEqual(done.returncode, OK)
        self.assertIn("behind `--`", done.stdout)


if __name__ == "__main__":
    unittest.main()
