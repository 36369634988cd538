"""What inspect tells of a drive and a host: what it tried, what to do about it, how long a run takes."""

import json
import os
import re
import unittest

from harness import INCOMPLETE, OK, PlatterTest

DRIVE = "virtual:quantum-atlas10k"


class Inspect(PlatterTest):
    def drive(self, name, imperfections=None, **firmware):
        self.platter("truth", f"virtual:{name}", "-o", "drive.json")
        model = self.read_json("drive.json")
        model["firmware"].update(firmware)
        model.setdefault("imperfections", {}).update(imperfections or {})
        self.write("drive.json", json.dumps(model))
        return "virtual:" + self.path("drive.json")

    def text(self, *words):
        return re.sub(r"\n +(?=[^-\s])", " ", self.platter("inspect", *words))

    def test_fua_is_tried(self):
        obeys, ignores = {}, {"force_reads": False}
        for firmware, reach, said in ((obeys, "READ with FUA", "the drive obeys FUA (tried)"),
                                      (ignores, "VERIFY", "FUA does nothing to its reads (tried), and VERIFY is sent")):
            found = self.platter_json("inspect", self.drive("sat-disk", **firmware))
            self.assertEqual(found["capabilities"]["media_reached_by"], reach)
            self.assertIn(said, " ".join(found["fitness"]["drive"]))
            self.assertIn("ATA drive", " ".join(found["fitness"]["drive"]))
        fixed = self.platter_json("inspect", self.drive("hp-c2247", cache_page_changeable=False, force_reads=False))
        self.assertIn("mode page 08h cannot switch off read cache or read-ahead; FUA does nothing",
                      " ".join(fixed["fitness"]["drive"]))

    def test_raw_pages_are_shown_when_asked_for(self):
        plain, raw = self.platter("inspect", DRIVE), self.platter("inspect", DRIVE, "--raw")
        found = self.platter_json("inspect", DRIVE)
        self.assertEqual(sorted(found["vpd_contents"]), sorted(found["vpd_pages"]))
        hexes = [views["current"] for views in found["mode_pages"].values()] + list(found["vpd_contents"].values())
        self.assertGreater(len(hexes), 3)
        for text in hexes:
            self.assertIn(text, raw)
            self.assertNotIn(text, plain)
        self.assertIn("write-back on, read on, read-ahead on", plain)

    def test_the_time_of_a_run_is_told(self):
        for words in ((), ("page40h=no",)):
            drive = DRIVE + "?" + "&".join(("seed=1", *words))
            expected = self.platter_json("inspect", drive)["characterize"]
            done = self.run_platter("characterize", drive, "-o", "m.json", "--budget", "100000", "--force")
            self.assertEqual(done.returncode, OK, done.stderr)
            told = float(re.search(r"the run will take about (\d+) s", done.stderr).group(1))
            self.assertAlmostEqual(expected["drive_seconds"], told, delta=1)
            self.assertIn("a map by timing" if words else "a map by address translation", expected["rests_on"])
        self.assertRegex(self.text(DRIVE), r"platter characterize takes about \d+ s of the drive's time; that rests on "
                                          r"100\d\d rpm \(mode page 04h\), a map by address translation")

    def test_a_noisy_host_is_told_for_what_it_is_enough(self):
        for median, p99, verdict, enough in ((10, 15, "quiet", "quiet enough for all that a model has"),
                                             (50, 1000, "noisy", "noisy: quiet enough for layout"),
                                             (200, 4000, "too noisy", "too noisy: enough for layout and rotation")):
            with self.subTest(verdict):
                drive = self.drive("quantum-atlas10k", {"host_delay_median_us": median, "host_delay_p99_us": p99})
                found = self.platter_json("inspect", drive)
                self.assertEqual(found["noise"]["verdict"], verdict)
                self.assertTrue(found["noise"]["enough_for"].startswith(enough))
                self.assertEqual("this host is noisy" in " ".join(found["fitness"]["host"]), verdict != "quiet")

    def test_a_run_on_a_host_that_is_too_noisy_says_so_first(self):
        drive = self.drive("quantum-atlas10k", {"seed": 1, "host_delay_median_us": 200, "host_delay_p99_us": 4000})
        done = self.run_platter("characterize", drive, "-o", "m.json")
        self.assertIn(done.returncode, (0, INCOMPLETE))  # enough may be measured all the same
        summary = done.stdout
        head = re.sub(r"\n {16}", " ", summary).splitlines()
        self.assertRegex(head[3], r"^  noise +the host is too noisy: of \d+ commands .* does not tell rotational positions "
                                  r"on this host; measure on an idle host, or with --quiet-host$")
        self.assertIn(("host-too-noisy", head[3].partition("noise")[2].strip()),
                      [(found["code"], found["text"]) for found in self.read_json("m.json")["provenance"]["findings"]])

    def test_a_host_of_which_much_can_be_said(self):
        for name, text in (("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n"),
                           ("proc/loadavg", "64.00 1 1 1/1 1\n"), ("proc/7/comm", "irqbalance\n"),
                           ("proc/swaps", "Filename\n/dev/sdz1 partition\n")):
            self.make("host/" + name, text)
        found = self.platter_json("inspect", DRIVE, "--host-root", self.path("host"))
        advice = {check["what"]: check["advice"] for check in found["checks"]["host"]}
        for what in ("governor", "load", "irqbalance", "swap", "idle states"):
            self.assertIsNotNone(advice[what], what)
            self.assertIn(advice[what], found["fitness"]["host"])
        text = self.text(DRIVE, "--host-root", self.path("host"))
        self.assertIn("cpupower frequency-set -g performance", text)
        self.assertNotIn("fitness of the host: good", text)

    def make(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        self.write(name, text)


if __name__ == "__main__":
    unittest.main()
