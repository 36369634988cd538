"""The Python module of the tree over the library of the build, tables, and programs that may crash: each in a
process of its own, so that a crash is a test that fails."""

import importlib.util
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../.."))
MODULE = os.path.join(ROOT, "lib/python/platter.py")
EPISODES = b'''{"schema": {"name": "platter-episodes", "version": "1.0"}, "seed": 3, "episodes": [
    {"what": "throttle", "factor": 2, "of": "read"}, {"what": "fail", "lbns": [100, 199], "probability": 0.5},
    {"what": "stuck", "requests": [7, 7]}]}'''
LIBRARY = os.environ.get("PLATTER_LIBRARY", "")


def load():
    spec = importlib.util.spec_from_file_location("platter", MODULE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table_path(name):
    """Of a table that is kept: quantum-atlas10k, bands."""
    return os.path.join(ROOT, "tests/golden/table", name + ".ptab")


@unittest.skipUnless(LIBRARY, "PLATTER_LIBRARY names no build")
class WithDrives(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.platter = load()
        cls.paths = [table_path(name) for name in ("quantum-atlas10k.7", "bands.7")]
        cls.table = cls.platter.Table(cls.paths[0])

    def run_alone(self, program):
        """What a program prints that has `platter`, `paths` of tables, `table` and `engine`; it ends well or fails."""
        head = f"import sys\nsys.path.insert(0, {os.path.dirname(MODULE)!r})\nimport platter\npaths = {self.paths!r}\n" \
               "table = platter.Table(paths[0])\nengine = platter.Engine(table)\n"
        done = subprocess.run([sys.executable, "-B", "-X", "faulthandler", "-c", head + program], text=True,
                              capture_output=True, check=False, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        return done.stdout
