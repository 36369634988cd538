"""What platter does with drives that misbehave: one clear sentence, a status of its own, no model.

PLATTER_BINARY names the program.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from nonsense import BROKEN, FAULTS, FINE, NEVER_A_MODEL  # noqa: E402

PLATTER = os.environ.get("PLATTER_BINARY", "")


@unittest.skipUnless(PLATTER, "PLATTER_BINARY names no program")
class Misbehaviour(unittest.TestCase):
    def run_platter(self, subcommand, fault, *more):
        drive = f"exec:{sys.executable} -B {os.path.join(HERE, 'nonsense.py')} --fault {fault}"
        return subprocess.run([PLATTER, subcommand, drive, *more], capture_output=True, text=True,
                              timeout=200, check=False)

    def judge(self, fault, done, statuses):
        self.assertIn(done.returncode, statuses, done.stderr)
        if done.returncode != FINE:
            self.assertRegex(done.stderr, r"\Aplatter: exec:[^\n]+\n\Z")
            self.assertFalse(re.search(r"terminate|Aborted|std::", done.stderr), done.stderr)

    def test_inspect(self):
        for fault, (_, statuses) in FAULTS.items():
            with self.subTest(fault):
                self.judge(fault, self.run_platter("inspect", fault), statuses)

    def test_characterize(self):
        for fault, (_, statuses) in FAULTS.items():
            if statuses is BROKEN:
                continue  # the same wherever it happens
            with self.subTest(fault), tempfile.TemporaryDirectory() as folder:
                model = os.path.join(folder, "model.json")
                done = self.run_platter("characterize", fault, "-o", model, "--journal", folder)
                allowed = statuses - {FINE} if fault in NEVER_A_MODEL else statuses
                self.judge(fault, done, allowed)
                self.assertEqual(os.path.exists(model), done.returncode == FINE)


if __name__ == "__main__":
    unittest.main()
