#!/usr/bin/env python3
"""Judges what iscsi-test-cu printed on stdin, of the suites that are for a direct-access disk.

A test counts if it ran and passed. Those that it skips, or that fail, have to be in the lists below, each with the
reason why a drive with the blocks and commands of ours cannot pass it.
"""
import re
import sys

LEAST_PASSED = 115
DISK_SUITES = """Inquiry Mandatory ModeSense6 NoMedia Prefetch10 Prefetch16 Read6 Read10 Read12 Read16 ReadCapacity10
    ReadCapacity16 ReadDefectData10 ReadDefectData12 ReportSupportedOpcodes StartStopUnit TestUnitReady Verify10
    Verify12 Verify16 Write10 Write12 Write16 WriteSame10 WriteSame16 WriteVerify10 WriteVerify12 WriteVerify16
    ReadOnly""".split()
DISK_TESTS = 134

FULLY_PROVISIONED = "all blocks have their places: there is no UNMAP"
SKIPPED = {
    "Inquiry.BlockLimits": FULLY_PROVISIONED,
    "ReadOnly.ReadOnlySBC": "the drive is not write-protected",
    "StartStopUnit.Simple": "the medium is not removable",
    **{f"WriteSame{size}.{test}": FULLY_PROVISIONED
       for size in (10, 16) for test in ("Unmap", "UnmapUnaligned", "UnmapUntilEnd", "InvalidDataOutSize")},
}
FAILED = {
    f"ReadDefectData{size}.Simple": "asks for the short block format, of which the drive has no list (1/1C/00)"
    for size in (10, 12)
}


def outcomes(lines):
    suite, test, found = "", "", {}
    for line in lines:
        if match := re.match(r"Suite: (\S+)", line):
            suite = match.group(1)
        if match := re.match(r"\s+Test: (\S+) \.\.\.", line):
            test = f"{suite}.{match.group(1)}"
            found[test] = "no outcome"
        if not test:
            continue
        if line.strip() == "FAILED" or line.rstrip().endswith("...FAILED"):
            found[test] = "failed"
        elif "[SKIPPED]" in line and found[test] != "failed":
            found[test] = "skipped"
        elif line.rstrip().endswith("passed") and found[test] == "no outcome":
            found[test] = "passed"
    return {test: outcome for test, outcome in found.items() if test.split(".")[0] in DISK_SUITES}


def main():
    found = outcomes(sys.stdin)
    passed = sum(outcome == "passed" for outcome in found.values())
    wrong = [f"{test}: {outcome}" for test, outcome in found.items()
             if outcome != "passed" and test not in {"skipped": SKIPPED, "failed": FAILED}.get(outcome, {})]
    print(f"{passed} of {len(found)} tests for a disk ran and passed, "
          f"{sum(o == 'skipped' for o in found.values())} skipped, {sum(o == 'failed' for o in found.values())} failed")
    for line in wrong:
        print(line)
    sys.exit(bool(wrong) or len(found) != DISK_TESTS or passed < LEAST_PASSED)


if __name__ == "__main__":
    main()
