#!/usr/bin/env python3
"""Every Python module of tests is run by a test, and no two tests have one name.

    tests/house/registered.py SOURCE BUILD
"""

import collections
import json
import os
import subprocess
import sys


def tests_of(build):
    """Of each test the name, the words of its command, and where it runs."""
    told = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True,
                                     capture_output=True, text=True).stdout)
    for test in told["tests"]:
        where = next((p["value"] for p in test.get("properties", ()) if p["name"] == "WORKING_DIRECTORY"), "")
        yield test["name"], test.get("command", []), where


def problems(modules, tests):
    """`modules`: paths of Python files with tests; `tests`: as tests_of() gives them. Both absolute."""
    found = [f"{name}: {number} tests have this name"
             for name, number in collections.Counter(name for name, _, _ in tests).items() if number > 1]
    run = {os.path.join(where, word) for _, command, where in tests for word in command}
    found += [f"{module}: no test runs it" for module in modules if not {module, module[:-len(".py")]} & run]
    return found


def main(source, build):
    listed = subprocess.run(["git", "ls-files", "tests/**/test_*.py", "tests/**/*_test.py"], cwd=source, check=True,
                            capture_output=True, text=True).stdout.split()
    found = problems([os.path.join(source, name) for name in listed], list(tests_of(build)))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*map(os.path.realpath, sys.argv[1:3])))
