"""Files and folders under odd names: nothing, too long, a loop of links, below a file, of bytes that are no UTF-8. Every
place of the command line that names one ends with a sentence and a status of its own, and JSON stays JSON."""

import json
import os
import shutil
import subprocess
import unittest

from harness import PLATTER
from test_outputs import DRIVE, OUTPUTS, PRINTS, Case

FOREIGN = os.fsdecode(b"\xff.json")
UNUSABLE = ("loop", "x" * 300, "long/" * 1000, "truth.json/in")
UNREAL = (*UNUSABLE, "/proc/self/mem", "/proc/self/task/x", ".")
NAMES_FILE = {"--on", "--with", "--for", "--key", "--results", "--phase-from", "-C", "--registry", "--samples"}


class OddPaths(Case):
    def setUp(self):
        super().setUp()
        os.symlink("loop", self.path("loop"))

    def ends_well(self, *arguments):
        """Done or failed, but with no defect: a status of its own, and one sentence of platter's."""
        done = subprocess.run([PLATTER, *arguments], cwd=self.folder, env=self.environment, capture_output=True,
                              timeout=60, check=False)
        told = done.stderr.decode(errors="surrogateescape")
        with self.subTest(arguments=[word[:30] for word in arguments]):
            self.assertGreaterEqual(done.returncode, 0, told)
            self.assertNotEqual(done.returncode, 1, told)
            for word in ("filesystem error", "json.exception", "basic_string", "bad_alloc"):
                self.assertNotIn(word, told)
            if done.returncode not in (0, 12, 13, 14):
                self.assertRegex(told.splitlines()[-1], r"\Aplatter: .+")
        return done

    def test_outputs(self):
        for row in OUTPUTS.values():
            odd = (*UNUSABLE, "") if row.quick else UNUSABLE
            for name in odd:
                if row.command.startswith("emulate") and not name:
                    continue
                words = [word.format(out=name, drive=self.published) for word in row.command.split()]
                done = self.ends_well(*words)
                with self.subTest(command=row.command, name=name[:30]):
                    self.assertNotEqual(done.returncode, 0)

    def inputs(self, line):
        """Numbers of the words that name a file or a folder which is there."""
        words = self.words(line)
        return [at for at, word in enumerate(words) if at > 0 and os.path.exists(self.path(word)) and
                words[at - 1] not in ("-o", "-C")], words

    def test_inputs(self):
        for line in filter(None, PRINTS.values()):
            places, words = self.inputs(line)
            for at in places:
                for name in (*UNREAL, ""):
                    done = self.ends_well(*words[:at], name, *words[at + 1:])
                    with self.subTest(line=line, name=name[:30]):
                        if words[at - 1] != "--registry" and name != ".":
                            self.assertNotEqual(done.returncode, 0)

    def test_folders(self):
        for line in ("publish truth.json --registry {}", "registry import --registry {} registry",
                     "registry import --registry new {}", "registry list --registry {}", "registry verify --registry {}",
                     "registry gc --registry {}", "registry rebuild-index --registry {}", "fleet {}",
                     "study run study.json -C {}", "study collect study.json -C {}", "validate " + DRIVE +
                     " truth.json --requests 20 -o {}", "report truth.json --results {} -o r.html",
                     "registry refresh lab --registry {}", "registry remote list --registry {}"):
            for name in UNUSABLE:
                done = self.ends_well(*(word.format(name) for word in line.split()))
                with self.subTest(line=line, name=name[:30]):
                    self.assertNotEqual(done.returncode, 0)

    def test_names_of_bytes_that_are_no_utf8(self):
        for name in ("truth.json", "truth.ptab", "t.trace", "drive.csv", "mine.samples.jsonl", "study.json"):
            shutil.copy(self.path(name), os.path.join(self.folder, os.fsdecode(b"\xff-") + name))
        for command, line in PRINTS.items():
            if not line:
                continue
            places, words = self.inputs(line)
            for at in places:
                odd = os.path.join(os.path.dirname(words[at]), os.fsdecode(b"\xff-") + os.path.basename(words[at]))
                if not os.path.exists(self.path(odd)):
                    continue
                json_too = [] if "--json" in words or "--json" not in self.options[command] else ["--json"]
                done = self.ends_well(*words[:at], odd, *words[at + 1:], *json_too)
                if json_too or "--json" in words:
                    with self.subTest(line=line):
                        self.assertIn("schema", json.loads(done.stdout.decode("utf-8")))
        done = self.ends_well("show", os.fsdecode(b"\xff-truth.ptab"), "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("schema", json.loads(done.stdout.decode("utf-8")))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        from harness import leaves
        cls.options = leaves()

    def test_a_present_folder_that_is_gone(self):
        gone = self.path("gone")
        for line in ("truth virtual:hp-c2247 -o m.json", "show m.json", "registry list --registry r", "fleet .",
                     "study plan study.json --parts 2 -C studied", "emit table truth.json -o t.ptab", "trace stats t"):
            os.mkdir(gone)
            done = subprocess.run(["sh", "-c", 'cd "$1" && rmdir "$1" && shift && exec "$@"', "sh", gone, PLATTER,
                                   *line.split()], env=self.environment, capture_output=True, text=True, timeout=60,
                                  check=False)
            with self.subTest(line):
                self.assertNotIn(done.returncode, (0, 1), done.stderr)
                self.assertRegex(done.stderr.splitlines()[-1], r"\Aplatter: .+")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_folders_that_may_not_be_read(self):
        for name in ("registry/drives", "registry/remotes", "registry"):
            os.chmod(self.path(name), 0)
            done = self.ends_well("registry", "list", "--registry", "registry")
            os.chmod(self.path(name), 0o755)
            self.assertEqual(done.returncode, 4, done.stderr)


if __name__ == "__main__":
    unittest.main()
