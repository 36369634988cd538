#!/usr/bin/env python3
"""Runs the tests of Python modules in the working directory, as `python3 -m unittest -q MODULE...` does, and says what
was not run: a line `not run: TEST: WHY` for each that was skipped, and status 77 where all were (ctest: Skipped)."""

import os
import sys
import unittest

SKIPPED = 77


def status_of(result):
    if not result.wasSuccessful():
        return 1
    return SKIPPED if result.skipped and result.testsRun <= len(result.skipped) else 0


def main(modules):
    sys.path.insert(0, os.getcwd())
    result = unittest.TextTestRunner(verbosity=0).run(unittest.defaultTestLoader.loadTestsFromNames(modules))
    for test, why in result.skipped:
        print(f"not run: {test.id()}: {why}", flush=True)
    return status_of(result)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
