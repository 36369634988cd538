"""What is attacked by failing_calls.py: subcommands with what they are given, and what each promises to leave."""

import csv
import json
import os
import subprocess

from drives import Folder
from judged_calls import parses


class Subject:
    """Made once, in a folder that each run gets a copy of."""

    BUILD, RANGES = ["--drive", "small", "--seed", "3"], [(1003, 10001)]

    def __init__(self, programs, path):
        self.programs, self.path = programs, path
        self.prepare()

    def platter(self, *arguments):
        done = subprocess.run([self.programs.platter, *arguments], cwd=self.path, text=True, capture_output=True,
                              check=False, env=dict(os.environ, XDG_STATE_HOME=os.path.join(self.path, "state")))
        if done.returncode != 0:
            raise RuntimeError(f"platter {arguments}: {done.stderr}")

    def drive(self):
        return Folder(self.programs, self.path, self.BUILD, self.RANGES)

    def again(self, folder, arguments):
        return arguments


class Characterize(Subject):
    NAME = "characterize"

    def prepare(self):
        self.drive()

    def arguments(self, folder):
        return ["characterize", folder.exec_name(), "-o", "m.json"]

    def judge(self, left):
        wrong = []
        model = next((name for name in ("m.json", "m.partial.json") if left.there(name)), None)
        if left.status == 0:
            if not model or not json.loads(open(left.path(model), encoding="utf-8").read())["provenance"].get(
                    "complete", True):
                wrong.append("no whole model")
            if not left.there("m.samples.jsonl"):
                wrong.append("no samples")
        if left.marks & 1 and not model:
            if not left.failed_on("m.json"):
                wrong.append("the layout was known, and there is no model")
            elif "m.json: cannot be written" not in left.said:
                wrong.append("nobody says that the model cannot be written")
            elif not any(left.there(name) and parses(left.path(name))
                         for name in ("m.samples.jsonl", "m.running.samples.jsonl")):
                wrong.append("neither the model nor the samples are there")
        if "nothing was written to files" in left.said and any(
                name.startswith("m.") for name in left.names() if left.calls != "unlink"):
            wrong.append("files were written")
        return wrong


class CharacterizeWrites(Characterize):
    NAME = "characterize-writes"

    def arguments(self, folder):
        return [*super().arguments(folder), "--allow-writes", "1003-10001"]


class Replay(Subject):
    NAME = "replay"

    def prepare(self):
        self.drive().trace(1, requests=20)

    def arguments(self, folder):
        return ["replay", "writes.trace", "--on", folder.exec_name(), "--allow-writes", "1003-10001", "--depth", "4",
                "--caches", "off", "-o", "r.csv"]

    def judge(self, left):
        if not left.there("r.csv"):
            # With a journal that cannot be written the replay does not begin; one that stays costs nothing.
            began = left.calls == "unlink" and not left.failed_on("r.csv")
            return ["no result"] if began or left.status == 0 else []
        with open(left.path("r.csv"), encoding="utf-8") as file:
            rows = [row for row in csv.reader(file) if row and not row[0].startswith("#")]
        return [] if len(rows) >= 21 and len({len(row) for row in rows}) == 1 else ["r.csv is not whole"]


class Restore(Subject):
    NAME = "restore"

    def prepare(self):
        folder = self.drive()
        folder.trace(1, requests=60)
        folder.platter("replay", "writes.trace", "--on", folder.exec_name(["kill-host:at=20,of=write"]),
                       "--allow-writes", "1003-10001", "--caches", "off")
        if not folder.journals():
            raise RuntimeError("the run that was to be killed left no journal")

    def arguments(self, folder):
        journal = folder.journals()[0] if folder.journals() else "gone"
        return ["restore", os.path.relpath(journal, folder.path), "--device", folder.exec_name(), "--yes"]

    def again(self, folder, arguments):
        return arguments if folder.journals() else ["--version"]  # nothing is left to restore

    def judge(self, left):
        if left.status == 0 and left.folder.journals():
            return ["it ended well, and the journal is there"]
        return []


class StudyRun(Subject):
    NAME = "study"

    def prepare(self):
        self.platter("truth", "virtual:hp-c2247", "-o", "c2247.json")
        self.platter("trace", "generate", "--workload", "random", "--for", "c2247.json", "--requests", "50", "--rate",
                     "40", "-o", "r.trace")
        with open(os.path.join(self.path, "study.json"), "w", encoding="utf-8") as file:
            json.dump({"schema": {"name": "platter-study", "version": "1.0"}, "models": ["c2247.json"],
                       "traces": ["r.trace"], "options": {"scheduler": ["fcfs", "sptf"], "depth": [1, 4]}}, file)

    def arguments(self, folder):
        return ["study", "run", "study.json", "-C", "s", "--jobs", "2", "--keep-results"]

    def judge(self, left):
        wrong = []
        if left.there("s/table.csv"):
            with open(left.path("s/table.csv"), encoding="utf-8") as file:
                if len(list(csv.reader(file))) != 5:
                    wrong.append("s/table.csv is not whole")
        elif left.status == 0:
            wrong.append("no table")
        return wrong


class Publish(Subject):
    NAME = "publish"

    def prepare(self):
        self.platter("characterize", "virtual:cache-base", "-o", "m.json")

    def arguments(self, folder):
        return ["publish", "m.json", "--samples", "m.samples.jsonl", "--registry", "reg"]

    def judge(self, left):
        """Whoever opens the registry sees the whole of it, or nothing yet."""
        done = subprocess.run([self.programs.platter, "registry", "list", "--registry", "reg", "--json"],
                              cwd=left.folder.path, text=True, capture_output=True, check=False)
        if left.status == 0 and (done.returncode != 0 or "cache-base" not in done.stdout):
            return [f"it is not in the registry: {done.stderr[-200:]!r}"]
        # A folder that holds no registry yet is told so.
        return [] if done.returncode == 0 or "is no registry" in done.stderr else [f"registry list: {done.stderr!r}"]


SUBJECTS = {subject.NAME: subject for subject in (Characterize, CharacterizeWrites, Replay, Restore, StudyRun, Publish)}
