"""How a run ended of which a call failed: by its status, its sentence, the files that it left, and the drive."""

import json
import os
import re

import verdict

HERE = os.path.dirname(os.path.abspath(__file__))
ROOM_FOR_FILES = {0, 10}  # a failed call that matters is an output that cannot be written
TEMPORARY = re.compile(r"\.(?:(?!sqlite$)\w{6}|begun|unfinished)$|-XXXXXX")
PATH = r"([^\s;,:()]+?)"


class Left:
    """`failed`: files of the calls that failed; `marks`: 1: the layout was known by then, 2: a block was journaled."""

    def __init__(self, folder, status, said, failed, calls, marks):
        self.folder, self.status, self.said, self.failed, self.calls, self.marks = folder, status, said, failed, calls, marks

    def path(self, name):
        return os.path.join(self.folder.path, name)

    def there(self, name):
        return os.path.exists(self.path(name))

    def failed_on(self, name):
        """The call was of this file, or of what was to become it."""
        return any(file == name or file.startswith(name + ".") for file in self.failed)

    def names(self):
        return sorted(os.path.relpath(os.path.join(base, name), self.folder.path)
                      for base, _, names in os.walk(self.folder.path) for name in names)


def parses(path, cut=False):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not text:
        return "/traces/" in path  # of a study: a lock, until what is known of the trace is in it
    try:
        if path.endswith(".json"):
            json.loads(text)
        elif path.endswith(".jsonl"):
            lines = text.split("\n")
            if lines.pop() and not cut:
                return False
            for line in lines:
                json.loads(line)
    except ValueError:
        return False
    return True


def of_status(left):
    if left.status < 0:
        return [f"signal {-left.status}"]
    wrong = []
    if left.status not in ROOM_FOR_FILES:
        wrong.append(f"status {left.status}")
    last = left.said.strip().split("\n")[-1]
    if left.status != 0 and not (last.startswith("platter: ") and len(last) > 20):
        wrong.append(f"no sentence: {last!r}")
    return wrong


def of_files(left):
    wrong = []
    for name in left.names():
        if name.endswith((".json", ".jsonl")) and not parses(left.path(name), cut=".running." in name):
            wrong.append(f"{name} is not whole")
        if TEMPORARY.search(name) and left.calls != "unlink":
            wrong.append(f"{name} is left behind")
    return wrong


# What a sentence says is there, is there.
NAMED = [rf"--resume {PATH} goes on with it", rf"raw samples are kept, in {PATH}(?:[;\s]|$)",
         rf"samples are in {PATH}:", rf"kept until then is in {PATH}:", rf"platter restore (\S+?)(?:[;,\s]|$)",
         rf"(?:^|[\s(]){PATH} is written", rf"{PATH} has (?:all that|what) was", rf"{PATH} cannot be removed",
         rf"written: {PATH} and its raw samples", rf"and its raw samples, {PATH}$"]


def of_sentence(left):
    wrong = []
    for form in NAMED:
        for name in re.findall(form, left.said, re.MULTILINE):
            if not os.path.exists(os.path.join(left.folder.path, name.strip("\"'"))):
                wrong.append(f"{name} is named, and is not there")
    if "nothing was written to the drive" in left.said and any(
            event["event"] == "write" for event in verdict.events(left.folder.log)):
        wrong.append("the drive was written to")
    return wrong


def of_journals(left):
    """What stays is named; what may have to be put back stays."""
    wrong = []
    for journal in left.folder.journals():
        if os.path.basename(journal) not in left.said:
            wrong.append(f"{os.path.basename(journal)} stays, and nobody says so")
    if os.path.exists(left.folder.store):
        found = left.folder.check("host")
        if (found["differ"] or found["settings"]) and not left.folder.journals():
            wrong.append(f"the drive is not as it was, and no journal is left: {found['differ']} {found['settings']}")
        if found["differ"] and not verdict.covers(verdict.named_lbns(left.said), found["differ"]):
            wrong.append("blocks differ, and are not named")
    return wrong


def judge(subject, left):
    wrong = of_status(left)
    if left.status < 0:
        return wrong
    return wrong + of_files(left) + of_sentence(left) + of_journals(left) + subject.judge(left)
