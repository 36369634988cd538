"""--quiet-host on a fake host: set while a drive is measured, put back however the run ends, told in the model."""

import json
import os
import signal
import unittest

from harness import BAD_INPUT, INTERRUPTED, OK, PlatterTest, REFUSED, USAGE, recorded_alien, checked

DRIVE = "virtual:hp-c2247?seed=1"
JOURNAL = "host/run/platter/host.journal"


class QuietHost(PlatterTest):
    def setUp(self):
        super().setUp()
        for policy, name in (("policy0", "schedutil"), ("policy4", "powersave")):
            os.makedirs(self.path(f"host/sys/devices/system/cpu/cpufreq/{policy}"))
            self.choose(policy, name)
        os.mkdir(self.path("host/run"))
        os.mkdir(self.path("host/dev"))
        self.write("host/dev/cpu_dma_latency", "")
        self.quiet = ("--quiet-host", "--host-root", self.path("host"))

    def choose(self, policy, name):
        self.write(f"host/sys/devices/system/cpu/cpufreq/{policy}/scaling_governor", name + "\n")

    def governors(self):
        names = []
        for policy in ("policy0", "policy4"):
            path = self.path(f"host/sys/devices/system/cpu/cpufreq/{policy}/scaling_governor")
            with open(path, encoding="utf-8") as file:
                names.append(file.read().strip())
        return names

    def assert_as_it_was(self):
        self.assertEqual(self.governors(), ["schedutil", "powersave"])
        self.assertFalse(os.path.exists(self.path(JOURNAL)))

    def recorded(self, *arguments):
        return recorded_alien("--variant", "serpentine", "--record", self.path("record"),
                              "--state", self.path("kept"), *arguments)

    def test_a_run_says_what_was_done_and_puts_it_back(self):
        done = self.run_platter("characterize", DRIVE, "-o", "m.json", *self.quiet)
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertIn("platter: --quiet-host: no real-time scheduling and no processor of its own: the drive computes",
                      done.stderr)
        with open(self.path("host/dev/cpu_dma_latency"), "rb") as file:
            self.assertEqual(file.read(), bytes(4), "0, as the kernel takes it")
        self.assert_as_it_was()
        notes = " ".join(self.read_json("m.json")["provenance"]["notes"])
        self.assertIn("the host was kept quiet (--quiet-host): governor performance (was schedutil of policy0, "
                      "powersave of policy4), processors out of idle states", notes)
        self.assertIn("kept quiet", self.platter("show", "m.json").replace("\n    ", " "))
        # The samples have it, too.
        self.platter("estimate", "m.samples.jsonl", "-o", "again.json")
        self.assertEqual(self.read_json("again.json"), self.read_json("m.json"))

    def test_validate_replay_and_inspect(self):
        self.platter("truth", DRIVE, "-o", "truth.json")
        self.platter("trace", "generate", "--workload", "random", "-o", "t", "--requests", "20", "--for", "truth.json",
                     "--reads-only")
        for words in (("validate", DRIVE, "truth.json", "--requests", "20", "-o", "v"),
                      ("replay", "t", "--on", DRIVE, "-o", "r.csv"), ("inspect", DRIVE)):
            with self.subTest(words[0]):
                done = self.run_platter(*words, *self.quiet)
                self.assertEqual(done.returncode, OK, done.stderr)
                self.assertIn("--quiet-host: no real-time scheduling", done.stderr)
                self.assertTrue(os.path.exists(self.path("host/run/platter/change.lock")))
                self.assert_as_it_was()

    def test_a_drive_with_a_time_of_its_own_needs_none(self):
        done = self.run_platter("inspect", DRIVE, "--quiet-host")
        self.assertEqual(done.returncode, OK)
        self.assertEqual(done.stderr, f"platter: --quiet-host: {DRIVE} keeps a time of its own, which no host disturbs; "
                                      "nothing was changed\n")

    # holds: safety.md: The last run that wanted
    def test_a_signal(self):
        for command, at in (("characterize", "TERM@1500"), ("inspect", "TERM@40")):
            self.new_folder()
            self.setUp()
            output = ("-o", "m.json") if command == "characterize" else ()
            done = self.run_platter(command, self.recorded("--signal", at), *output, *self.quiet)
            self.assertEqual(done.returncode, INTERRUPTED, done.stderr)
            self.assertTrue(os.path.exists(self.path("host/run/platter/change.lock")), "it had begun")
            self.assert_as_it_was()

    def kill(self):
        done = self.run_platter("characterize", self.recorded("--signal", "KILL@1500"), "-o", "m.json", *self.quiet)
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.assertEqual(self.governors(), ["performance", "performance"])
        self.assertTrue(os.path.exists(self.path(JOURNAL)))
        return next(name for name in self.files() if name.endswith(".journal") and name != JOURNAL)

    # holds: safety.md: After SIGKILL or a crash
    def test_a_kill_and_restore_by_the_drives_journal(self):
        journal = self.kill()
        told = self.platter_json("restore", journal, "--device", self.recorded(), *self.quiet[1:])
        self.assertEqual(told["schema"]["name"], "platter-restore")
        self.assertEqual(told["governors"], {"policy0": "schedutil", "policy4": "powersave"})
        self.assert_as_it_was()

    def test_a_kill_and_restore_by_the_hosts_journal_for_a_program(self):
        self.kill()
        self.assertEqual(list(self.read_json(JOURNAL)), ["schema", "platter", "boot", "governors", "line"])
        told = self.platter_json("restore", JOURNAL, *self.quiet[1:])
        self.assertEqual(list(told), ["schema", "platter", "governors"])
        self.assertEqual(told["schema"]["name"], "platter-restore-host")
        self.assertEqual(told["governors"], {"policy0": "schedutil", "policy4": "powersave"})
        self.assert_as_it_was()

    # holds: safety.md: After SIGKILL or a crash
    def test_a_kill_and_restore_by_the_hosts_journal(self):
        self.kill()
        self.fails(USAGE, "of no drive", "restore", JOURNAL, "--device", DRIVE, *self.quiet[1:])
        self.assertIn("governor is schedutil of policy0, powersave of policy4 again",
                      self.platter("restore", JOURNAL, *self.quiet[1:]))
        self.assert_as_it_was()

    # holds: safety.md: A governor that is not
    def test_a_kill_and_what_somebody_chose_since(self):
        self.kill()
        self.choose("policy4", "ondemand")
        done = self.run_platter("restore", JOURNAL, *self.quiet[1:])
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertIn("set to ondemand by somebody else meanwhile, and is left so", done.stderr)
        self.assertEqual(self.governors(), ["schedutil", "ondemand"])

    # holds: safety.md: After SIGKILL or a crash
    def test_a_kill_and_another_run(self):
        self.kill()
        told = self.platter("inspect", DRIVE, "--host-root", self.path("host"))
        self.assertIn("platter restore " + self.path(JOURNAL), " ".join(told.split()))
        self.platter("inspect", DRIVE, *self.quiet)
        self.assert_as_it_was()

    def test_journals_that_are_none(self):
        os.mkdir(self.path("host/run/platter"))
        self.write(JOURNAL, '{"schema": {"name": "platter-host-journal", "version": 1}, "governors": {"..": "x"}}')
        self.fails(BAD_INPUT, "no journal of what --quiet-host changed", "restore", JOURNAL, *self.quiet[1:])
        done = self.run_platter("inspect", DRIVE, *self.quiet)
        self.assertEqual(done.returncode, OK)
        self.assertEqual(self.governors(), ["schedutil", "powersave"])

    def test_a_journal_of_another_place(self):
        self.write("copy.journal", checked({"schema": {"name": "platter-host-journal", "version": "1.0"}, "boot": "",
                                            "governors": {"policy0": "powersave"}}))
        self.choose("policy0", "performance")
        self.fails(REFUSED, "not in its place", "restore", "copy.journal", *self.quiet[1:])
        self.assertEqual(self.governors(), ["performance", "powersave"])


if __name__ == "__main__":
    unittest.main()
