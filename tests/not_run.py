#!/usr/bin/env python3
"""What a run of ctest did not run, from the file that it wrote with --output-junit: whole tests, and parts of tests that
said `not run: ...` themselves.

    tests/not_run.py FILE.xml
"""

import sys
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


def main(file):
    lines = not_run(xml.parse(file).getroot())
    print(f"not run: {len(lines)}")
    for line in lines:
        print(f"  {line}")


if __name__ == "__main__":
    main(sys.argv[1])
