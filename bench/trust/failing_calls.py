#!/usr/bin/env python3
"""Attacks on the program with calls that fail: the nth write, fsync, close, rename or unlink of a run, for every n.

    bench/trust/failing_calls.py
    bench/trust/failing_calls.py --subcommands replay --calls unlink,fsync --places 20 --stays
    bench/trust/failing_calls.py --subcommands characterize --calls write --only 17 --keep /tmp/run17

tests/trust/failing_calls.c is preloaded: the nth call of its kind on a file of the run's folder fails, odd ones
with EIO and even ones with ENOSPC; with --stays all behind it, too. Each place is a run of its own in a folder of its
own. Judged is what it leaves (judged_calls.py), and that the same command, run again with calls that work, ends well.
"""

import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

from drives import PATIENCE, Folder, Programs
from judged_calls import Left, judge
from subcommands_under_failure import SUBJECTS

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "../../build/release")
CALLS = ["write", "fsync", "close", "rename", "unlink"]
EIO, ENOSPC = 5, 28
MOST_AGAIN = 4  # what was told to do, and then the command again


def run(subject, folder, arguments, failing=None):
    """The status, and what it said on standard error."""
    environment = dict(os.environ, XDG_STATE_HOME=folder.state, TMPDIR=folder.path, XDG_DATA_HOME=folder.path,
                       ASAN_OPTIONS="verify_asan_link_order=0", **(failing or {}))
    done = subprocess.run([folder.programs.platter, *arguments], cwd=folder.path, env=environment, text=True, check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, errors="replace", timeout=PATIENCE)
    return done.returncode, done.stderr


class Attack:
    def __init__(self, programs, preloaded, subject, calls, stays):
        self.programs, self.preloaded, self.subject = programs, preloaded, subject
        self.calls, self.stays = calls, stays

    def environment(self, path, at):
        board, log = os.path.join(path, "board"), os.path.join(path, "calls")
        with open(board, "wb") as file:
            file.truncate(4096)
        open(log, "wb").close()
        return {"LD_PRELOAD": self.preloaded, "FAILING_CALLS_PROGRAM": os.path.basename(self.programs.platter),
                "FAILING_CALLS_FOLDER": os.path.join(path, "run"), "FAILING_CALLS_KIND": self.calls,
                "FAILING_CALLS_AT": str(at), "FAILING_CALLS_ERRNO": str(EIO if at % 2 else ENOSPC),
                "FAILING_CALLS_STAYS": str(int(self.stays)), "FAILING_CALLS_BOARD": board, "FAILING_CALLS_LOG": log,
                "FAILING_CALLS_MARKS": '{"stage":{"name":"layout"|"lbn":'}

    def at(self, template, place, path):
        """What is wrong at this place; None: the run has no such call. With the status and the failed call's file."""
        where = os.path.join(path, "run")
        shutil.copytree(template, where, symlinks=True)
        folder = Folder(self.programs, where, self.subject.BUILD, self.subject.RANGES, new=False)
        arguments = self.subject.arguments(folder)
        status, said = run(self.subject, folder, arguments, self.environment(path, place))
        with open(os.path.join(path, "calls"), encoding="utf-8", errors="replace") as file:
            failed = [line.rstrip("\n").split(" ", 3) for line in file if line.startswith("1 ")]
        if not failed:
            return None
        left = Left(folder, status, said, [os.path.relpath(call[3], where) if call[3].startswith("/") else call[3]
                                           for call in failed], self.calls, int(failed[0][2]))
        wrong = judge(self.subject, left)
        if status >= 0:
            wrong += self.again(folder, arguments, said)
        return wrong, status, left.failed[0], said

    def again(self, folder, arguments, said):
        """What was advised is done, and the same command must end well then."""
        resumed = re.search(r"--resume (\S+) goes on with it", said)
        for journal in folder.journals():
            status, told = run(self.subject, folder, ["restore", journal, "--device", folder.exec_name(), "--yes"])
            if status != 0:
                return [f"restore ends with {status}: {told[-300:]!r}"]
        more = ["--resume", resumed.group(1)] if resumed else []
        status, told = run(self.subject, folder, self.subject.again(folder, arguments) + more)
        return [] if status == 0 else [f"again {more}: status {status}: {told[-400:]!r}"]


def sweep(attack, places, jobs, template, keep):
    """(place, what at() gives) of one kind of calls, until the run has no such call any more."""
    ended = []

    def one(place):
        if ended and place > min(ended):
            return place, None
        with tempfile.TemporaryDirectory() as path:
            found = attack.at(template, place, path)
            if found and found[0] and keep:
                shutil.copytree(path, os.path.join(keep, f"{attack.subject.NAME}-{attack.calls}-{place}"), symlinks=True)
        if found is None:
            ended.append(place)
        return place, found

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return [(place, found) for place, found in pool.map(one, places) if found is not None]


def options_of(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--platter", default=os.path.join(BUILD, "platter"))
    parser.add_argument("--drive", default=os.path.join(BUILD, "trust_drive"), help="tests/trust's drive program")
    parser.add_argument("--preload", default=os.path.join(BUILD, "failing_calls.so"))
    parser.add_argument("--calls", default=",".join(CALLS))
    parser.add_argument("--subcommands", default=",".join(SUBJECTS))
    parser.add_argument("--places", type=int, default=200, help="of each kind of call in each subcommand, at most")
    parser.add_argument("--growing", type=int, help="places 1, N, N * N and so on alone")
    parser.add_argument("--only", type=int, help="this place alone")
    parser.add_argument("--stays", action="store_true", help="all calls behind it fail, too")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="a folder for the runs that are judged wrong")
    return parser.parse_args(words)


def chosen_places(options):
    if options.only:
        return [options.only]
    if options.growing:
        return [options.growing**power for power in range(64) if options.growing**power <= options.places]
    return range(1, options.places + 1)


def main(words=None):
    options = options_of(words)
    programs, wrong_runs = Programs(options.platter, options.drive), 0
    print(f"{'subcommand':<20} {'call':<7} {'runs':>5} {'ended well':>10} {'status 10':>9} {'others':>7} {'wrong':>6}")
    for name in options.subcommands.split(","):
        with tempfile.TemporaryDirectory() as path:
            template = os.path.join(path, "template")
            os.mkdir(template)
            subject = SUBJECTS[name](programs, template)
            for calls in options.calls.split(","):
                attack = Attack(programs, os.path.abspath(options.preload), subject, calls, options.stays)
                found = sweep(attack, chosen_places(options), options.jobs, template, options.keep)
                statuses = collections.Counter(status for _, (_, status, _, _) in found)
                wrong = [(place, *rest) for place, rest in found if rest[0]]
                others = len(found) - statuses[0] - statuses[10]
                print(f"{name:<20} {calls:<7} {len(found):>5} {statuses[0]:>10} {statuses[10]:>9} {others:>7} "
                      f"{len(wrong):>6}", flush=True)
                for place, why, status, file, said in wrong:
                    print(f"  place {place}, {file}: status {status}: {'; '.join(why)}\n    {said.strip()[-500:]}")
                wrong_runs += len(wrong)
    print(f"{wrong_runs} runs are wrong")
    return 1 if wrong_runs else 0


if __name__ == "__main__":
    sys.exit(main())
