#!/usr/bin/env python3
"""Attacks on the program with a drive that keeps its contents and fails as drives fail (tests/trust).

    bench/trust/campaign.py power --runs 2000 --continue power.jsonl --jobs 2
    bench/trust/campaign.py failed-write --only 17 --keep /tmp/run17

Each run characterizes a small drive, or replays writes on it, and is cut off or disturbed. Then the drive is
powered again, `platter restore` is run until it ends, and every block and setting is compared with what the drive
held at first: `intact`; `named` (every block that differs was named, and the journal is kept); or `silent`, which
is a failure. So are a status 1, a signal that nobody sent, and a write outside of --allow-writes; in `late-fault` also
a run that gets a fault behind its layout and leaves no model that says what it lacks.

A run is a line of the file that --continue names; those that are there are not run again. Everything follows from
the campaign's name and the run's number.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import sys
import tempfile
import threading

import late_fault
import plans
from drives import Folder, Programs, failures_of, recover_and_judge, timed

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "../../build/release")
KINDS = ["power", "power-shingled", "kill", "failed-write", "any-fault", "late-fault"]


class Baselines:
    """What an undisturbed run does: its commands of each class, and its seconds. Each is run once."""

    def __init__(self, programs):
        self.programs, self.lock, self.known = programs, threading.Lock(), {}

    def of(self, plan):
        # Contents and what happens at failures do not change what a run does.
        build = list(plan["build"])
        build[build.index("--seed") + 1] = "1"
        key = json.dumps([build, plan["ranges"], plan["job"], plan["trace"]])
        with self.lock:
            entry = self.known.setdefault(key, threading.Lock())
        if not isinstance(entry, dict):
            with entry:
                if not isinstance(self.known[key], dict):
                    self.known[key] = self.measured(plan)
            entry = self.known[key]
        return entry

    def measured(self, plan):
        with tempfile.TemporaryDirectory() as path:
            folder = Folder(self.programs, path, plan["build"], plan["ranges"])
            status, seconds = timed(lambda: folder.job(plan["job"], seed=plan["trace"]))
            return {"status": status, "counts": folder.counts(), "seconds": seconds,
                    "said": folder.texts[0], "check": folder.check("media")["differ"]}


@contextlib.contextmanager
def folder_at(keep):
    if keep:
        os.makedirs(keep, exist_ok=True)
        if os.listdir(keep):
            raise SystemExit(f"{keep} is not empty")
        yield keep
    else:
        with tempfile.TemporaryDirectory() as path:
            yield path


def run_one(kind, number, programs, baselines, keep):
    plan = plans.plan(kind, number)
    baseline = baselines.of(plan)
    record = {"kind": kind, "number": number, "plan": plan}
    if baseline["status"] not in (0, 5, 8, 9, 13) or baseline["check"]:
        return record | {"verdict": "broken", "failures": ["the undisturbed run"], "baseline": baseline}
    faults, more, restore_faults = plans.faults_of(kind, plan, baseline["counts"])
    kill_after = restore_kill = None
    if kind == "kill" and plan["aim"] == "host-time":
        faults, kill_after = [], max(0.02, plan["where"] * baseline["seconds"])
    with folder_at(keep) as path:
        folder = Folder(programs, path, plan["build"], plan["ranges"])
        folder.job(plan["job"], faults, more, kill_after, plan["trace"])
        # Of a run in order nothing is left to bring settings back that the drive itself loses with its power.
        in_order = not folder.journals()
        if plan.get("again"):
            again = [f"{plan['fault']}:at={plans.place(baseline['counts']['any'], plan['more'])},of=any"]
            folder.job(plan["job"], again if plan["again"] == "cut off" else [], seed=plan["trace"] + 1)
        finding = recover_and_judge(folder, restore_faults, restore_kill,
                                    first_in_order=bool(plan.get("again")) and in_order)
        record |= finding | {"faults": faults + more, "restore_faults": restore_faults,
                             "failures": failures_of(finding, plans.signals_of(plan))}
        if record["failures"] or keep:
            record["said"] = [text[-600:] for text in folder.texts]
            record["commands"] = folder.commands
    return record


class State:
    """Finished runs, one a line."""

    def __init__(self, path):
        self.path, self.lock, self.records = path, threading.Lock(), {}
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    with contextlib.suppress(ValueError):  # the last one may be cut off
                        record = json.loads(line)
                        self.records[(record["kind"], record["number"])] = record

    def add(self, record):
        with self.lock:
            self.records[(record["kind"], record["number"])] = record
            if self.path:
                with open(self.path, "a", encoding="utf-8") as file:
                    file.write(json.dumps(record) + "\n")


def summary(records, kind):
    table = collections.defaultdict(collections.Counter)
    failed = []
    for (of, number), record in sorted(records.items()):
        if of != kind:
            continue
        for row in (record["plan"]["aim"], "all"):
            table[row][record["verdict"]] += 1
            table[row]["runs"] += 1
            table[row]["failed"] += bool(record["failures"])
        if record["failures"]:
            failed.append((number, record))
    verdicts = sorted({v for counts in table.values() for v in counts} - {"runs", "failed"})
    print(f"{kind:28}" + "".join(f"{column:>10}" for column in ["runs", *verdicts, "failed"]))
    for row in sorted(table, key=lambda name: (name == "all", name)):
        print(f"  {row:26}" + "".join(f"{table[row][column]:10}" for column in ["runs", *verdicts, "failed"]))
    for number, record in failed[:20]:
        print(f"  {kind} --only {number}: {', '.join(record['failures'])}; {record['plan']['job']}, "
              f"{' '.join(record['plan']['build'])}, {' '.join(record.get('faults', []))} "
              f"{' '.join(record.get('restore_faults', []))}; statuses {record.get('statuses')}, "
              f"{len(record.get('differ', []))} blocks differ")
    return len(failed)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--only", type=int, help="this run alone")
    parser.add_argument("--continue", dest="state", help="the file of finished runs, FILE.jsonl")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="with --only: a folder in which all files stay")
    parser.add_argument("--binary", default=os.path.join(BUILD, "platter"))
    parser.add_argument("--drive-program", default=os.path.join(BUILD, "trust_drive"))
    options = parser.parse_args(arguments)
    programs = Programs(options.binary, options.drive_program)
    baselines = Baselines(programs)
    state = State(options.state)
    numbers = [options.only] if options.only is not None else range(options.first, options.first + options.runs)
    todo = [number for number in numbers if (options.kind, number) not in state.records]

    def one(number):
        if options.kind == "late-fault":
            record, seconds = timed(lambda: late_fault.run_one(number, programs, lambda: folder_at(options.keep)))
        else:
            record, seconds = timed(lambda: run_one(options.kind, number, programs, baselines, options.keep))
        state.add(record | {"seconds": seconds})

    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        futures = [pool.submit(one, number) for number in todo]
        try:
            for future in concurrent.futures.as_completed(futures):
                future.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    chosen = {key: record for key, record in state.records.items() if key[1] in set(numbers)}
    if options.only is not None:
        print(json.dumps(chosen[(options.kind, options.only)], indent=1))
    return 1 if summary(chosen, options.kind) else 0


if __name__ == "__main__":
    sys.exit(main())
