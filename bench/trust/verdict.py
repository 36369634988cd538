"""What a run did to a drive: intact, named, or a silent loss."""

import json
import re

NUMBERS = r"\d+(?:\s*(?:-|to)\s*\d+)?(?!\d|\s+more)"
NAMED = re.compile(rf"\bLBNs?:?\s+({NUMBERS}(?:(?:,\s*|\s+and\s+|,\s*and\s+){NUMBERS})*)")
INTERVAL = re.compile(r"(\d+)(?:\s*(?:-|to)\s*(\d+))?")


def named_lbns(text):
    """Intervals of LBNs that a text for people names: "LBN 5", "LBN 5 to 9", "LBNs 1-3, 7 and 12"."""
    intervals = []
    for listed in NAMED.findall(text):
        for first, last in INTERVAL.findall(listed):
            intervals.append((int(first), int(last or first)))
    return intervals


def covers(intervals, lbns):
    return all(any(first <= lbn <= last for first, last in intervals) for lbn in lbns)


def events(log):
    """The drive's own record, line by line; a line that is cut off was never finished."""
    try:
        with open(log, encoding="utf-8") as file:
            for line in file:
                try:
                    yield json.loads(line)
                except ValueError:
                    return
    except FileNotFoundError:
        return


def outside(lbn, blocks, ranges):
    return not any(first <= lbn and lbn + blocks - 1 <= last for first, last in ranges)


def written_outside(log, ranges):
    """Writes that lay outside of what was allowed."""
    return [(event["lbn"], event["blocks"]) for event in events(log)
            if event["event"] == "write" and outside(event["lbn"], event["blocks"], ranges)]


def cut(log, in_physical, lowest_aligned):
    """Writes that begin or end within a physical block, which makes a drive read the rest of it first."""
    return [(event["lbn"], event["blocks"]) for event in events(log) if event["event"] == "write"
            and (event["blocks"] % in_physical or (event["lbn"] - lowest_aligned) % in_physical)]


def bad_status(status):
    """A status that no run may end with: a defect of the program, or a signal that nobody sent."""
    return status == 1 or status < 0


def judge(differ, settings, texts, journals):
    """`differ`: LBNs that are not as they were. `settings`: whether any is other than it may be. `texts`:
    all that was said on standard error. `journals`: those that are kept."""
    if not differ and not settings:
        return "intact"
    said = "\n".join(texts)
    known = covers(named_lbns(said), differ) and (not settings or "setting" in said or "mode page" in said)
    return "named" if known and journals else "silent"
