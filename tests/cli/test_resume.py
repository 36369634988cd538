"""Runs that are interrupted, and gone on with from their samples."""

import json
import os
import resource
import signal
import unittest

from harness import (BAD_INPUT, DRIVE_ERROR, INTERRUPTED, OK, OUTPUT, PROTOCOL, REFUSED, USAGE, PlatterTest,
                     served_drive, checked, unchecked)

KILLED = -9
TURNED = ("--turned-for", "123456789012")  # another phase than at first


class ResumeTest(PlatterTest):
    def setUp(self):
        super().setUp()
        self.platter("truth", "virtual:hp-c2247?imperfections=default&seed=9", "-o", self.path("drive.json"))

    def device(self, *options, of="drive.json"):
        return served_drive(self.path(of), *options)

    def cut_off(self, at_s, what, status, *options):
        """The samples that a run left which ended so."""
        self.platter("characterize", self.device("--at", at_s, what), "-o", "m.json", "--seed", 3, *options,
                     status=status)
        return "m.running.samples.jsonl" if what == "kill" else "m.samples.jsonl"

    def resume(self, samples, *options, device=None):
        return self.run_platter("characterize", device or self.device(*TURNED), "-o", "m.json", "--resume", samples,
                                *options)

    def check_whole(self, *notes):
        self.assertEqual(self.files(), sorted({"drive.json", "m.json", "m.samples.jsonl"} | self.others))
        self.platter("estimate", "m.samples.jsonl", "-o", "again.json")
        with open(self.path("m.json"), "rb") as a, open(self.path("again.json"), "rb") as b:
            self.assertEqual(a.read(), b.read())
        provenance = self.read_json("m.json")["provenance"]
        self.assertTrue(provenance["complete"])
        for note in notes:
            self.assertIn(note, " ".join(provenance["notes"]))

    others = set()


def amid(name, model):
    """The drive's time at which a run like the model's is in a stage, in seconds."""
    begin_s = 0
    for stage in model["provenance"]["stages"]:
        if stage["name"] == name:
            return begin_s + stage["drive_seconds"] / 2
        begin_s += stage["drive_seconds"]
    raise ValueError(name)


class Resumed(ResumeTest):
    def test_a_run_that_was_ended_goes_on(self):
        self.platter("characterize", self.device(), "-o", "whole.json", "--seed", 3)
        whole = self.read_json("whole.json")
        os.remove(self.path("whole.samples.jsonl"))
        self.others = {"whole.json"}
        # With the check of the cache its tests are begun anew, too.
        for what, status, stage, anew in (("kill", KILLED, "cache", "cache"),
                                          ("interrupt", INTERRUPTED, "angles", "angles"),
                                          ("vanish", PROTOCOL, "seeks", "seeks"),
                                          ("interrupt", INTERRUPTED, "self-validation, caches on", "cache")):
            with self.subTest(stage):
                samples = self.cut_off(amid(stage, whole), what, status)
                done = self.resume(samples)
                self.assertEqual(done.returncode, OK, done.stderr)
                model = self.read_json("m.json")
                self.check_whole(f"interrupted and resumed once; begun anew: '{anew}'")
                stages = [stage["name"] for stage in model["provenance"]["stages"]]
                self.assertEqual(stages, [stage["name"] for stage in whole["provenance"]["stages"]])
                compared = json.loads(self.run_platter("diff", "whole.json", "m.json", "--json").stdout)
                differ = [figure["path"] for figure in compared["differences"]
                          if figure["b"] is not None and not figure["within_error"]]
                self.assertLess(len(differ), 4, differ)
                for name in ("m.json", "m.samples.jsonl", "again.json"):
                    os.remove(self.path(name))

    def test_a_run_with_writes_is_killed_twice(self):
        writes = ("--allow-writes", "0-60000")
        samples = self.cut_off(45, "kill", KILLED, *writes)
        self.assertTrue([name for name in self.files() if name.endswith(".journal")])
        again = self.device("--at", 20, "kill", *TURNED)
        self.assertEqual(self.resume(samples, *writes, device=again).returncode, KILLED)
        done = self.resume(samples, *writes)
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertIn("restored from ", done.stderr)
        self.check_whole("interrupted and resumed 2 times; begun anew: '")
        self.assertIsNotNone(self.read_json("m.json")["write_settle"]["value"])

    def test_a_write_that_failed_for_the_drive_was_gone(self):
        writes = ("--allow-writes", "0-60000")
        for at_s in (26, 27, 28, 29):
            done = self.run_platter("characterize", self.device("--at", at_s, "vanish"), "-o", "m.json", *writes)
            self.assertIn(done.returncode, (PROTOCOL, DRIVE_ERROR))
            if done.returncode == DRIVE_ERROR:
                break
            os.remove(self.path("m.json"))
            os.remove(self.path("m.samples.jsonl"))
            for journal in [name for name in self.files() if name.endswith(".journal")]:
                self.platter("restore", self.path(journal), "--device", self.device())
        done = self.resume("m.samples.jsonl", *writes)
        self.assertEqual(done.returncode, OK, done.stderr)
        self.check_whole()

    def test_a_last_line_that_is_not_whole_is_cut_off(self):
        samples = self.cut_off(45, "kill", KILLED)
        with open(self.path(samples), "a", encoding="utf-8") as file:
            file.write('{"timing":{"experiment":"see')
        done = self.resume(samples)
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertIn(samples + " ends in the middle of a line, which was cut off", done.stderr)
        self.check_whole("a last line of samples that was not whole was cut off")

    def test_a_disk_that_is_full_ends_the_run_and_keeps_what_there_is(self):
        for most in (150_000, 700_000):  # in the layout, behind it
            def full():
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

            done = self.run_platter("characterize", self.device(), "-o", "m.json", preexec_fn=full)
            self.assertEqual(done.returncode, OUTPUT, done.stderr)
            (samples,) = [name for name in self.files() if name.endswith(".jsonl")]
            self.assertIn("--resume " + samples, done.stderr)
            with open(self.path(samples), encoding="utf-8") as file:
                for line in file:
                    json.loads(line)
            done = self.resume(samples)
            self.assertEqual(done.returncode, OK, done.stderr)
            self.check_whole()
            for name in ("m.json", "m.samples.jsonl", "again.json"):
                os.remove(self.path(name))

    def test_samples_may_lie_elsewhere(self):
        os.mkdir(self.path("there"))
        self.cut_off(45, "kill", KILLED, "--samples", "there/s.jsonl")
        done = self.resume("there/s.running.jsonl")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.others = {"there/s.running.jsonl"}
        self.check_whole()


class Refused(ResumeTest):
    def setUp(self):
        super().setUp()
        self.samples = self.cut_off(25, "kill", KILLED)

    def other(self, **identity):
        model = self.read_json("drive.json")
        model["identity"].update(identity)
        self.write("other.json", json.dumps(model))
        return self.device(of="other.json")

    def read_text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def fails(self, status, *words, samples=None, device=None, options=()):
        with open(self.path(self.samples), "rb") as file:
            before = file.read()
        self.assert_one_sentence(self.resume(samples or self.samples, *options, device=device), status, *words)
        with open(self.path(self.samples), "rb") as file:
            self.assertEqual(file.read(), before)

    def test_another_drive(self):
        self.fails(REFUSED, "OTHER99", "the serial number", device=self.other(serial="OTHER99"))
        self.fails(REFUSED, "C9999", "this is a", device=self.other(product="C9999"))
        identity = self.read_json("drive.json")["identity"]
        self.platter("truth", "virtual:cache-base?imperfections=default&seed=9", "-o", "drive.json")
        keep = ("vendor", "product", "serial", "revision")
        self.fails(REFUSED, "had 2054864 blocks then and has", device=self.other(**{key: identity[key] for key in keep}))

    def test_another_firmware_or_format(self):
        self.fails(REFUSED, "firmware revision", "has 0002 now", device=self.other(revision="0002"))
        self.fails(REFUSED, "blocks of 512 bytes then and has blocks of 520 now",
                   device=self.other(block_bytes=520, physical_block_bytes=520))

    def test_other_conditions(self):
        self.fails(USAGE, "has the seed 3", options=("--seed", 4))
        self.fails(USAGE, "did not write", options=("--allow-writes", "0-9999"))
        lines = unchecked(self.read_text(self.samples))
        [session] = [line["session"] for line in lines if "session" in line]
        [page] = [page for page in session["settings"]["mode_pages"] if page.startswith("081210")]
        session["settings"]["mode_pages"] = ["081214" + page[6:]]  # with WCE
        self.write(self.samples, checked(*lines))
        for journal in [name for name in self.files() if name.endswith(".journal")]:
            os.remove(self.path(journal))
        self.fails(REFUSED, "the drive's settings")

    def test_a_budget_that_is_too_short(self):
        for journal in [name for name in self.files() if name.endswith(".journal")]:
            os.remove(self.path(journal))
        self.fails(USAGE, "a budget of 3 s is too short", "is still in " + self.samples, options=("--budget", 3))
        self.assertNotIn("m.samples.jsonl", self.files())

    def test_what_nothing_can_go_on_with(self):
        text = self.read_text(self.samples)
        lines = unchecked(text)
        older = {**lines[0], "schema": {"name": "platter-samples", "version": "5.1"}}
        self.write("older.jsonl", checked(older, *lines[1:]))
        self.fails(BAD_INPUT, "older.jsonl", 'version "5.1"', samples="older.jsonl")
        self.write("sessions.jsonl", checked(*(line for line in lines if "session" not in line)))
        self.fails(BAD_INPUT, "sessions.jsonl", "does not say under what its run began", samples="sessions.jsonl")
        self.write("edited.jsonl", text.replace('"blocks":1,', '"blocks":2,', 1))
        self.fails(BAD_INPUT, "edited.jsonl", "not as it was written", samples="edited.jsonl")
        self.fails(BAD_INPUT, "drive.json", samples="drive.json")
        self.fails(BAD_INPUT, "nothing.jsonl", "not there", samples="nothing.jsonl")
        self.assert_one_sentence(self.resume(""), USAGE, "--resume", "is empty")
        PlatterTest.fails(self, BAD_INPUT, ["sessions.jsonl: does not say under what its run began"], "estimate", "sessions.jsonl",
                          "-o", "e.json")
        edited = self.run_platter("estimate", "edited.jsonl", "-o", "e.json")
        self.assert_one_sentence(edited, BAD_INPUT, "edited.jsonl", "not as it was written")

    def test_a_finished_run(self):
        self.resume(self.samples)
        done = self.run_platter("characterize", self.device(), "-o", "n.json", "--resume", "m.samples.jsonl")
        self.assert_one_sentence(done, BAD_INPUT, "m.samples.jsonl", "is finished")

    def test_a_new_run_does_not_throw_an_interrupted_one_away(self):
        for journal in [name for name in self.files() if name.endswith(".journal")]:
            self.platter("restore", self.path(journal), "--device", self.device())
        done = self.run_platter("characterize", self.device(), "-o", "m.json")
        self.assert_one_sentence(done, REFUSED, self.samples, "--resume " + self.samples, "--force")
        self.platter("characterize", self.device(), "-o", "m.json", "--force")
        self.assertEqual(self.files(), ["drive.json", "m.json", "m.samples.jsonl"])


if __name__ == "__main__":
    unittest.main()
