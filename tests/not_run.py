#!/usr/bin/env python3
"""What a run of ctest did not run, from tests.xml in its folder, which it wrote with --output-junit: whole tests, parts
of tests that said `not run: ...` themselves, and tests that it was not asked for.

    tests/not_run.py BUILD
"""

import json
import os
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as xml


def not_run(root):
    """One line each."""
    lines = []
    for case in root.iter("testcase"):
        said = [line.partition("not run: ")[2] for line in (case.findtext("system-out") or "").splitlines()
                if line.startswith("not run: ")]
        if case.get("status") in ("notrun", "disabled") or case.find("skipped") is not None:
            why = (case.findtext("system-out") or "").strip().splitlines()[-1:]
            lines.append(f"{case.get('name')}, all of it" + (f": {said[0] if said else why[0]}" if said or why else ""))
        else:
            lines += [f"of {case.get('name')}: {part}" for part in said]
    return lines


def not_asked_for(root, names):
    """Of all tests of these names those that the run was not asked for."""
    return sorted(set(names) - {case.get("name") for case in root.iter("testcase")})


def names_of(build):
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True, text=True)
    return [test["name"] for test in json.loads(shown.stdout)["tests"]]


def main(build):
    root = xml.parse(os.path.join(build, "tests.xml")).getroot()
    lines = not_run(root)
    left = not_asked_for(root, names_of(build))
    if left:
        print("\n".join(textwrap.wrap(f"left to ./check --long: {len(left)} ({', '.join(left)})", 120,
                                      subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)))
    print(f"not run: {len(lines)}")
    for line in lines:
        print(f"  {line}")


if __name__ == "__main__":
    main(sys.argv[1])
