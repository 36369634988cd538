"""Several drives in one call of characterize: a model of each, one summary, and what fails alone."""

import json
import os
import pty
import re
import signal
import subprocess
import time
import unittest

from harness import (INTERRUPTED, NO_DEVICE, OK, OUTPUT, PLATTER, PROTOCOL, REFUSED, SOME_FAILED, USAGE, PlatterTest,
                     recorded_alien, served_drive)

SMALL = ["virtual:hp-c2247?seed=1", "virtual:spare-zone?seed=2", "virtual:few-formats?seed=3", "virtual:random-1?seed=6",
         "virtual:random-3?seed=8", "virtual:cache-base?seed=4", "virtual:spare-track?seed=5"]
AS_IT_WAS = {"read": True, "write": True, "read_ahead": True}
PATIENCE_S = 300  # of a busy machine's clock


class ManyTest(PlatterTest):
    def many(self, *arguments, status=OK, **more):
        done = self.run_platter("characterize", *arguments, **more)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done

    def summary(self, *arguments, status=OK):
        return json.loads(self.many(*arguments, "--json", status=status).stdout)

    def by_device(self, *arguments, status=OK):
        return {drive["device"]: drive for drive in self.summary(*arguments, status=status)["drives"]}

    def without_dates(self, path):
        with open(self.path(path), encoding="utf-8") as file:
            return re.sub(r'"(date|wall_seconds)": [^,\n]*', r'"\1"', file.read())

    def models(self, folder="d"):
        return sorted(name for name in os.listdir(self.path(folder))
                      if name.endswith(".json") and not name.endswith(".partial.json"))

    def hp(self, name, serial):
        """The model file of a drive of one product with a serial number of its own."""
        if not os.path.exists(self.path("hp.json")):
            self.platter("truth", "virtual:hp-c2247?imperfections=default&seed=9", "-o", "hp.json")
        model = self.read_json("hp.json")
        model["identity"]["serial"] = serial
        return self.write(name, json.dumps(model))


class Several(ManyTest):
    def test_seven_of_eight(self):
        """One vanishes in the middle of its run; the others' models are those of single runs."""
        vanishes = served_drive(self.hp("vanishes.json", "VANISHES"), "--at", 20, "vanish")
        done = self.many(*SMALL[:3], vanishes, *SMALL[3:], "-o", "d/", "--seed", 7, status=SOME_FAILED)
        self.assertEqual(len(self.models()), 8)  # the eighth is incomplete
        self.check_table(done.stdout, vanishes)
        [last] = [line for line in done.stderr.splitlines() if line.startswith("platter: ")]
        self.assertIn("1 of 8 drives are not done: " + vanishes, last)
        whole = {model["provenance"]["source"]: name for name in self.models()
                 if (model := self.read_json(f"d/{name}"))["provenance"]["complete"]}
        self.assertEqual(set(whole), set(SMALL))
        for device, name in whole.items():
            self.platter("characterize", device, "-o", "single.json", "--seed", 7, "--force")
            self.assertEqual(self.without_dates(f"d/{name}"), self.without_dates("single.json"))
            stem = name.removesuffix(".json")
            self.assertEqual({other for other in os.listdir(self.path("d")) if other.startswith(stem)},
                             {f"{stem}.json", f"{stem}.samples.jsonl"})

    def check_table(self, text, failed):
        heads, *rows = text.partition("\n\nNot done\n")[0].splitlines()
        self.assertEqual(heads.split(), "device drive status time capacity rpm avg seek noise quality model".split())
        self.assertEqual([row.split()[0] for row in rows if "..." not in row], SMALL)
        for row in rows[:3] + rows[4:]:
            self.assertRegex(row, r" ok .* GB +[\d.]+ +[\d.]+ ms .* d/[\w.-]+\.json$")
        self.assertIn(f"failed, {PROTOCOL}", rows[3])
        self.assertIn(f"status {PROTOCOL}: ", re.sub(r"\s+", " ", text.partition("Not done")[2]))
        self.assertIn(failed.split()[-1], text.partition("Not done")[2])

    def test_two_drives_of_one_model(self):
        for serial in ("HP0A", "HP0B"):
            self.hp(f"{serial}.json", serial)
        drives = self.by_device("virtual:HP0A.json", "virtual:HP0B.json", "-o", "d")
        files = [drive["model"] for drive in drives.values()]
        self.assertEqual(len(set(files)), 2)
        self.assertEqual({file.rpartition("-")[0] for file in files}, {"d/C2247A"})
        for device, drive in drives.items():
            model = self.read_json(drive["model"])
            self.assertEqual(model["identity"]["serial"], device[len("virtual:"):].removesuffix(".json"))
            self.assertFalse(drive["model"].count(model["identity"]["serial"] + ".json"))

    def test_without_a_serial_number_the_device_names_the_file(self):
        self.hp("nobody.json", " ")
        drives = self.by_device("virtual:nobody.json", SMALL[0], "-o", "d")
        self.assertEqual(drives["virtual:nobody.json"]["model"], "d/C2247A-virtual-nobody.json.json")
        # Nobody can tell that it is the same drive: its model is left alone.
        drives = self.by_device("virtual:nobody.json", SMALL[0], "-o", "d", status=SOME_FAILED)
        self.assertEqual(drives["virtual:nobody.json"]["status"], REFUSED)
        self.assertIn("serial number", drives["virtual:nobody.json"]["error"])

    def test_one_drive_into_a_folder(self):
        os.mkdir(self.path("d"))
        for output in ("d", "e/"):
            self.many(SMALL[0], "-o", output)
            self.assertEqual(len(self.models(output)), 1)
        done = self.many("virtual:nonesuch", "-o", "d", status=NO_DEVICE)
        self.assertRegex(done.stderr.splitlines()[-1], r"\Aplatter: virtual:nonesuch is not in the catalogue")

    def test_every_option_is_every_drives(self):
        done = self.many(*SMALL[:2], "-o", "d/", "--seed", "17", "--skip=7-9",
                         "--allow-writes", "0-1e5", "--allow-writes", "150k-2e5", "--budget", "2m")
        self.assertEqual(len(re.findall("the run will take about", done.stderr)), 2)  # said of a budget
        for name in self.models():
            provenance = self.read_json(f"d/{name}")["provenance"]
            self.assertEqual(provenance["seed"], 17)
            self.assertGreater(provenance["bytes_written"], 0)
            self.assertIn("LBN 7 to 9", " ".join(provenance["notes"]))

    def test_one_at_a_time_and_at_once(self):
        for options, most in ((("--jobs", 1), 1), (("--jobs", 3), 3)):
            with subprocess.Popen([PLATTER, "characterize", *SMALL[:3], "-o", "d", *map(str, options)],
                                  cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                seen = 0
                while process.poll() is None:
                    seen = max(seen, len(children(process.pid)))
                    time.sleep(0.005)
            self.assertEqual((process.returncode, seen), (OK, most))


class Refused(ManyTest):
    def test_a_drive_twice(self):
        self.hp("A.json", "HP0A")
        os.symlink(self.path("A.json"), self.path("link.json"))
        for one, other in ((SMALL[0], SMALL[0]), ("virtual:A.json", "virtual:link.json"),
                           ("virtual:hp-c2247?seed=1", "virtual:hp-c2247?seed=2"), ("/dev/null", "/dev/./null"),
                           (served_drive(self.path("A.json")), "virtual:A.json")):
            self.fails(USAGE, [one, other, "are the same drive"], "characterize", SMALL[1], one, other, "-o", "d/")

    def test_what_is_of_one_drive(self):
        self.write("file", "mine")
        two = ("characterize", *SMALL[:2])
        self.fails(USAGE, "--samples names the file of one drive", *two, "-o", "d/", "--samples", "s.jsonl")
        self.fails(USAGE, "--resume", *two, "-o", "d/", "--resume", "file")
        self.fails(USAGE, "file: is a file", *two, "-o", "file")
        self.fails(USAGE, "'hp-c2247' names no device; did you mean virtual:hp-c2247?", *two, "hp-c2247", "-o", "d/")
        self.fails(USAGE, "--jobs", *two, "-o", "d/", "--jobs", "0")

    def test_where_nothing_can_be_written(self):
        self.fails(OUTPUT, "/proc/nonesuch", "characterize", *SMALL[:2], "-o", "/proc/nonesuch/")
        self.fails(OUTPUT, "/sys", "characterize", *SMALL[:2], "-o", "/sys/")

    def test_a_strangers_file_fails_its_drive_alone(self):
        drives = self.by_device(*SMALL[:2], "-o", "d/")
        theirs = drives[SMALL[0]]["model"]
        self.write(theirs, "what I must not forget")
        drives = self.by_device(*SMALL[:2], "-o", "d/", status=SOME_FAILED)
        self.assertEqual([drive["status"] for drive in drives.values()], [REFUSED, OK])
        self.assertIsNone(drives[SMALL[0]]["model"])
        drives = self.by_device(*SMALL[:2], "-o", "d/", "--force")
        self.assertEqual([drive["status"] for drive in drives.values()], [OK, OK])


class Told(ManyTest):
    FIGURES = ("rpm", "capacity_bytes", "seek_average_ms")

    def test_json(self):
        told = self.summary(*SMALL[:2], "virtual:nonesuch", "-o", "d/", status=SOME_FAILED)
        self.assertEqual(list(told), ["schema", "platter", "folder", "not_done", "drives"])
        self.assertEqual((told["schema"]["name"], told["folder"], told["not_done"]), ("platter-drives", "d/", 1))
        for drive in told["drives"]:
            self.assertEqual(list(drive), ["device", "vendor", "product", "serial", "status", "error", "done_before",
                                           "wall_seconds", "capacity_bytes", "rpm", "seek_average_ms",
                                           "delay_spread_us", "noisy", "quality", "model"])
        self.assertEqual([drive["status"] for drive in told["drives"]], [OK, OK, NO_DEVICE])
        self.assertIn("is not in the catalogue", told["drives"][2]["error"])
        self.assertAlmostEqual(told["drives"][0]["rpm"], 5400, delta=20)
        self.assertEqual(told["drives"][0]["capacity_bytes"], 2054864 * 512)
        shown = self.platter_json("show", told["drives"][0]["model"])
        self.assertEqual(told["drives"][0]["product"], shown["identity"]["product"])

    def test_progress_as_json(self):
        slow = "virtual:random-3?seed=8"
        told = []
        with subprocess.Popen([PLATTER, "characterize", slow, SMALL[0], "-o", "d/", "--progress", "json"], cwd=self.folder,
                              env=self.environment, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            runs = []
            while not runs and process.poll() is None:
                runs = children(process.pid)
            time.sleep(0.2)  # they have begun
            for run in runs:  # drives that are slow by the wall's clock: a line is due each 10 s
                os.kill(run, signal.SIGSTOP)
            time.sleep(10.5)
            for run in runs:
                os.kill(run, signal.SIGCONT)
            told = process.stderr.read().splitlines()
        self.assertEqual(process.returncode, OK)
        lines = [json.loads(line) for line in told]
        self.assertEqual({line["device"] for line in lines}, {slow, SMALL[0]})
        ends = [line for line in lines if "status" in line]
        self.assertEqual([(line["status"], line["error"]) for line in ends], [(OK, None)] * 2)
        stands = [line for line in lines if "stage" in line]
        self.assertTrue(stands)
        for line in stands:
            self.assertEqual(list(line), ["device", "stage", "share", "seconds_left"])

    def test_progress_for_people(self):
        done = self.many(*SMALL[:2], "virtual:nonesuch", "-o", "d/", status=SOME_FAILED)
        for line in (rf"^{re.escape(SMALL[0])}: done, \d+ s$",
                     rf"^virtual:nonesuch: status {NO_DEVICE}: virtual:nonesuch is not in the catalogue"):
            self.assertRegex(done.stderr, re.compile(line, re.MULTILINE))
        done = self.many(*SMALL[:2], "-o", "d/", "--progress", "none")
        self.assertEqual(done.stderr, "")

    def test_a_bar_for_each_on_a_terminal(self):
        ours, theirs = pty.openpty()
        with subprocess.Popen([PLATTER, "characterize", *SMALL[:2], "-o", "d/"], cwd=self.folder,
                              env=self.environment, stdout=subprocess.DEVNULL, stderr=theirs) as process:
            os.close(theirs)
            seen = b""
            while True:
                try:
                    seen += os.read(ours, 4096)
                except OSError:  # the terminal's other end is closed
                    break
        os.close(ours)
        self.assertEqual(process.returncode, OK)
        self.assertIn(SMALL[0].encode() + b"    [....", seen)
        self.assertIn(b"0 of 2 drives have ended, 2 under way", seen)
        self.assertIn(b"\x1b[3A\x1b[J", seen)  # drawn over
        # What stays is how each ended.
        self.assertRegex(seen, rb"done, \d+ s\r\n2 of 2 drives have ended, 0 under way\r\n\x1b\[1A\x1b\[J\Z")


def children(parent):
    """Running platter processes that this one has started."""
    try:
        with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:
            found = [int(word) for word in file.read().split()]
        return [child for child in found if state(child) != "Z"]
    except FileNotFoundError:
        return []


def state(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return "Z"


class Stopped(ManyTest):
    """Two drives that keep their settings between runs; where a call ends early they have them back."""

    def alien(self, name):
        return recorded_alien("--variant", "serpentine" if name == "a" else "bands", "--record",
                              self.path(name + ".record"), "--state", self.path(name + ".kept"))

    def records(self):
        """How many commands each drive has been given in this run."""
        counts = []
        for name in "ab":
            try:
                with open(self.path(name + ".record"), encoding="utf-8") as file:
                    counts.append(sum(1 for _ in file))
            except FileNotFoundError:
                counts.append(0)
        return counts

    def wait_until(self, what):
        end = time.monotonic() + PATIENCE_S
        while not what():
            self.assertLess(time.monotonic(), end, "nothing happens")
            time.sleep(0.05)

    def begin(self, **more):
        process = subprocess.Popen([PLATTER, "characterize", self.alien("a"), self.alien("b"), "-o", "d/", "--jobs",
                                    "2", "--json"], cwd=self.folder, env=self.environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        self.addCleanup(process.kill)
        self.wait_until(lambda: min(self.records()) > 1500 or process.poll() is not None)
        self.assertIsNone(process.poll(), "it has ended too soon")
        return process

    def journals(self):
        return [name for name in self.files() if name.endswith(".journal")]

    def check_settings(self):
        for name in "ab":
            self.assertEqual(self.read_json(name + ".kept")["cache"], AS_IT_WAS)
        self.assertEqual(self.journals(), [])

    # holds: exit-statuses.md: What sends commands
    def test_a_signal_reaches_each(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number.name):
                self.new_folder()
                process = self.begin()
                self.assertEqual(len(self.journals()), 2)
                process.send_signal(number)
                told, said = process.communicate(timeout=PATIENCE_S)
                self.assertEqual(process.returncode, INTERRUPTED, said)
                self.assertEqual([drive["status"] for drive in json.loads(told)["drives"]], [INTERRUPTED] * 2)
                self.assertRegex(said.splitlines()[-1], r"\Aplatter: stopped by a signal: 2 of 2 drives")
                self.check_settings()

    # holds: exit-statuses.md: Under `nohup`
    def test_under_nohup_a_hangup_is_none(self):
        process = self.begin(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        for child in children(process.pid):
            os.kill(child, signal.SIGHUP)
        before = self.records()
        self.wait_until(lambda: min(self.records()) > max(before) + 200 or process.poll() is not None)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, INTERRUPTED)

    def test_where_it_is_killed_each_notices(self):
        process = self.begin()
        runs = children(process.pid)
        self.assertEqual(len(runs), 2)
        process.kill()
        process.communicate(timeout=PATIENCE_S)
        self.wait_until(lambda: all(state(run) == "Z" for run in runs))
        self.check_settings()
        for name in self.models():  # the runs did not just go on to their ends
            self.assertFalse(self.read_json(f"d/{name}")["provenance"]["complete"])

    def test_not_begun(self):
        process = subprocess.Popen([PLATTER, "characterize", self.alien("a"), SMALL[0], SMALL[1], "-o", "d/", "--jobs",
                                    "1", "--json"], cwd=self.folder, env=self.environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.wait_until(lambda: max(self.records()) > 1000)
        process.send_signal(signal.SIGINT)
        told, said = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, INTERRUPTED, said)
        self.assertEqual([drive["error"] for drive in json.loads(told)["drives"]][1:], ["not begun"] * 2)
        self.assertEqual(self.read_json("a.kept")["cache"], AS_IT_WAS)

    def test_one_that_is_killed_stops_none_and_all_is_gone_on_with(self):
        for name in "AB":
            self.hp(name + ".json", f"HP0{name}")
        killed = served_drive(self.path("A.json"), "--at", 30, "kill")
        drives = self.by_device(killed, "virtual:B.json", SMALL[1], "-o", "d", status=SOME_FAILED)
        self.assertEqual([drive["status"] for drive in drives.values()], [128 + signal.SIGKILL, OK, OK])
        self.assertIn("signal 9 (Killed)", drives[killed]["error"])
        before = {drive: self.without_dates(told["model"]) for drive, told in drives.items() if told["model"]}
        self.assertEqual(len(before), 2)

        again = served_drive(self.path("A.json"), "--turned-for", "123456789")
        after = self.by_device(again, "virtual:B.json", SMALL[1], "-o", "d", "--resume", "d")
        self.assertEqual([drive["done_before"] for drive in after.values()], [False, True, True])
        self.assertIn("interrupted and resumed once",
                      " ".join(self.read_json(after[again]["model"])["provenance"]["notes"]))
        self.assertEqual({drive: self.without_dates(after[drive]["model"]) for drive in before}, before)
        self.assertEqual(len(self.models()), 3)
        done = self.many(again, "virtual:B.json", "-o", "d", "--resume", "d/")
        self.assertEqual(len(re.findall(" done before ", done.stdout)), 2)


if __name__ == "__main__":
    unittest.main()
