"""What a subcommand needs is looked for before anything is done, and named with its package (docs/needs.md)."""

import os
import unittest

from harness import MISSING_PROGRAM, OK, PlatterTest, recorded_alien

DRIVE = "virtual:hp-c2247?seed=1"


class Needs(PlatterTest):
    def setUp(self):
        super().setUp()
        self.platter("truth", DRIVE, "-o", "m.json")
        os.mkdir(self.path("empty"))
        self.environment["PATH"] = self.path("empty")

    def test_without_gnuplot_nothing_is_begun(self):
        self.platter("trace", "generate", "--workload", "random", "--requests", "40", "--for", "m.json", "-o", "t")
        self.platter("replay", "t", "--on", "m.json", "-o", "r.csv")
        self.write("study.json", '{"schema": {"name": "platter-study", "version": "1.0"}, "models": ["m.json"], "traces": ["t"]}')
        for command in ("show m.json --plots p", "show m.json --plot", "compare r.csv r.csv --plot c.svg",
                        "study run study.json --plots p", "study collect study.json --plots p"):
            self.fails(MISSING_PROGRAM, ["gnuplot", "apt-get install gnuplot-nox"], *command.split())

    def test_figures_are_given_without_pictures_which_are_named(self):
        done = self.run_platter("validate", DRIVE, "m.json", "--requests", "40", "-o", "v")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertIn("no random.svg, no mixed.svg", done.stderr)
        self.assertIn("apt-get install gnuplot-nox", done.stderr)
        self.assertIn("demerit", done.stdout)
        self.assertEqual([name for name in self.files() if name.endswith(".svg")], [])
        self.assertIn("v/random.json", self.files())
        done = self.run_platter("report", "m.json", "--results", "v", "-o", "report.html")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertIn("gnuplot-nox", done.stderr)
        with open(self.path("report.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("Not drawn, for gnuplot was not there", page)
        self.assertNotIn("<svg xmlns", page.replace('<svg class="own"', ""))

    def test_emulate_and_cosim_look_at_once(self):
        self.fails(MISSING_PROGRAM, ["nbdkit", "apt-get install nbdkit"], "emulate", "m.json", "--nbd", "s")
        for command in ("nonesuch", "./m.json", "/nonesuch/at/all"):
            done = self.run_platter("cosim", "m.json", "--", command)
            self.assert_one_sentence(done, MISSING_PROGRAM)
            self.assertRegex(done.stderr, f"{command}|cosim/init")
        self.fails(MISSING_PROGRAM, ["apt-get install e2fsprogs"], "cosim", "m.json", "--", "/nonesuch/mkfs.ext4")
        # The command is root in the guest, whose folders few users have on PATH.
        self.assertNotIn("is no program", self.run_platter("cosim", "m.json", "--kernel", "m.json", "--", "ldconfig").stderr)

    @unittest.skipIf(os.path.exists("/dev/ublk-control"), "this kernel has ublk")
    def test_without_ublk_nothing_is_read(self):
        self.fails(MISSING_PROGRAM, ["/dev/ublk-control", "modprobe ublk_drv"], "emulate", "nonesuch.json", "--ublk", "--log", "l")
        self.assertNotIn("l", self.files())

    def test_a_disksim_that_is_not_there_costs_no_command(self):
        drive = recorded_alien("--variant", "bands", "--record", self.path("record"))
        self.platter("truth", "virtual:hp-c2247", "-o", "m.json", "--force")
        done = self.run_platter("validate", drive, "m.json", "--disksim", "nonesuch", "-o", "v")
        self.assert_one_sentence(done, MISSING_PROGRAM, "nonesuch")
        self.assertFalse(os.path.exists(self.path("record")))


if __name__ == "__main__":
    unittest.main()
