"""A command in a guest, as a user runs it."""

import json
import os
import subprocess
import sys
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from harness import OK, PLATTER, PlatterTest  # noqa: E402  pylint: disable=wrong-import-position
from schemas import faults  # noqa: E402  pylint: disable=wrong-import-position

DRIVE = "virtual:quantum-atlas10k"
PATIENCE_S = 300


def kernel():
    """The kernel of ours, if it has been built."""
    if not PLATTER:
        return None
    asked = subprocess.run([PLATTER, "cosim", "--build-kernel"], env=dict(os.environ, PATH="/nowhere"), text=True,
                           capture_output=True, check=False)
    return asked.stdout.strip() if asked.returncode == OK else None


KERNEL = kernel()


@unittest.skipUnless(KERNEL, "no kernel: platter cosim --build-kernel builds it")
class GuestTest(PlatterTest):
    def setUp(self):
        super().setUp()
        self.temporary = self.path("tmp")
        os.mkdir(self.temporary)
        self.environment["TMPDIR"] = self.temporary

    def command(self, *command, models=(DRIVE,), options=()):
        return [PLATTER, "cosim", *models, "--kernel", KERNEL, *map(str, options), "--", *command]

    def cosim(self, *command, models=(DRIVE,), options=(), **more):
        """A run with its report; output as bytes. The report is in `self.report`."""
        more.setdefault("env", self.environment)
        more.setdefault("stdin", subprocess.DEVNULL)
        if not more.keys() & {"stdout", "stderr"}:
            more["capture_output"] = True
        options = (*options, "--report", self.path("report.json"), "--force")
        done = subprocess.run(self.command(*command, models=models, options=options), cwd=self.folder,
                              timeout=PATIENCE_S, check=False, **more)
        self.report = self.read_json("report.json") if os.path.exists(self.path("report.json")) else None
        if self.report:
            self.assertEqual(faults("platter-cosim", self.report), [])
        return done

    def succeeds(self, *command, **more):
        """What it printed, as text."""
        done = self.cosim(*command, **more)
        self.assertEqual(done.returncode, OK, (done.stdout, done.stderr))
        return done.stdout.decode()

    def python(self, text, *arguments, **more):
        """A Python program in the guest that prints JSON."""
        return json.loads(self.succeeds("python3", "-c", text, *arguments, **more))

    def log(self, name="log"):
        with open(self.path(name), "rb") as file:
            return file.read()
