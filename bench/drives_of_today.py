#!/usr/bin/env python3
"""Drives of today (tests/alien/today): what a model says of its mixed load, against fresh requests on its drive.

    bench/drives_of_today.py [--binary PLATTER] [--today PROGRAM] [--drives N...] [--seeds N] [--reads | --writes]
                             [--requests N] [--jobs J] [--json FILE] [-- OPTION...]

Characterizes each drive N (1 to 20: 100 GB to 30 TB) with each seed, by reads only and with writes allowed everywhere
(OPTIONs such as --budget go to characterize), and replays the workloads random and mixed on the drive, with other noise
and phase, and on the model (platter validate); the mixed one also on the drive once more, for its floor. Prints a line
for each run. Status 1: a model says "good" of mixed load and is more than 5 % off, a run ended without a model,
or what the model says could not be tried. A partial model that calls mixed load unchecked is not tried.

Time: a run is 5 to 15 s of processor.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

from measuring import load, run, table

MOST = 5.0  # % of the mean, in the word "good" (docs/metrics.md)
INCOMPLETE = 13


def device(options, number, seed):
    settings = "".join(f" --set {each}" for each in options.set)
    return f"exec:{options.today} --drive {number} --seed {seed}{settings}"


def characterize(options, platter, number, seed, writes, work):
    """(status, path of the model)."""
    model = os.path.join(work, "model.json")
    done = subprocess.run([*platter, "characterize", device(options, number, seed), "-o", model, "--seed", str(seed),
                           *(["--allow-writes", "all"] if writes else []), *options.more],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, INCOMPLETE):
        said = done.stderr.strip().splitlines() or ["nothing was said"]
        raise RuntimeError(f"no model, status {done.returncode}: {said[-1]}")
    return done.returncode, model


def fresh(options, platter, number, seed, model, writes, work):
    """Demerits in % of both workloads, and of the mixed one the drive's own."""
    folder = os.path.join(work, "fresh")
    run(*platter, "validate", device(options, number, seed + 10_000), model, "-o", folder, "--requests",
        str(options.requests), "--seed", str(seed + 777), *(["--allow-writes", "all"] if writes else []))
    result = {workload: load(folder, workload + ".json")["all"]["demerit_percent"] for workload in ("random", "mixed")}
    again = os.path.join(work, "again.csv")
    mixed = os.path.join(folder, "mixed")
    run(*platter, "replay", mixed + ".trace", "--on", device(options, number, seed + 20_000), "-o", again,
        *(["--allow-writes", "all"] if writes else []))
    result["floor"] = json.loads(run(*platter, "compare", mixed + ".drive.csv", again, "--json"))["all"]["demerit_percent"]
    return result


def measured(options, number, seed, writes):
    truth = json.loads(run(options.today, "--drive", str(number), "--truth"))
    result = {"number": number, "seed": seed, "writes": writes, "gb": truth["gigabytes"], "path": truth["path"]}
    with tempfile.TemporaryDirectory() as work:
        platter = ["env", "XDG_STATE_HOME=" + work, options.binary]  # a journal of its own
        try:
            result["status"], model = characterize(options, platter, number, seed, writes, work)
            result["quality"] = json.loads(run(*platter, "show", model, "--json"))["quality"]
            result["stated"] = {each["workload"].split(",")[0]: each["demerit_percent"]
                                for each in load(model)["validity"]["demerits"]}
            result["findings"] = [each["code"] for each in load(model)["provenance"].get("findings", [])]
            result["wrong"] = False
            if result["status"] == INCOMPLETE and result["quality"]["mixed"] == "unchecked":
                return result  # it may lack what a replay needs, and says so
            result.update(fresh(options, platter, number, seed, model, writes, work))
            result["wrong"] = result["quality"]["mixed"] == "good" and result["mixed"] > MOST
        except (RuntimeError, OSError, KeyError) as error:
            result.update(error=str(error), wrong=True)
    return result


def row(result):
    cells = [str(result["number"]), f"{result['gb']:.0f}", result["path"], str(result["seed"]),
             "yes" if result["writes"] else "no"]
    if "error" in result:
        return cells + [""] * 7 + [result["error"].replace("|", " ")]
    stated, percent = result["stated"], lambda of, name: f"{of[name]:.1f}" if name in of else ""
    return cells + [str(result["status"]), result["quality"]["all"], percent(stated, "random"), percent(result, "random"),
                    result["quality"]["mixed"], percent(stated, "mixed"), percent(result, "mixed"),
                    percent(result, "floor") + (" WRONG" if result["wrong"] else "")]


HEADING = ["drive", "GB", "path", "seed", "writes", "status", "word", "random stated %", "fresh %", "mixed load", "stated %",
           "fresh %", "floor %"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--today", default="build/release/today")
    parser.add_argument("--drives", nargs="*", type=int, default=list(range(1, 21)))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=NUMBER", help="of each drive")
    parser.add_argument("--json", metavar="FILE")
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--reads", action="store_true", help="only the runs by reads")
    either.add_argument("--writes", action="store_true", help="only the runs with writes")
    parser.add_argument("more", nargs="*", metavar="OPTION")
    options = parser.parse_args()
    options.binary, options.today = os.path.abspath(options.binary), os.path.abspath(options.today)
    kinds = [False] if options.reads else [True] if options.writes else [False, True]
    runs = [(number, options.first_seed + seed, writes)
            for number in options.drives for seed in range(options.seeds) for writes in kinds]
    results = []
    print(table(HEADING, []), end="")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(measured, options, *one) for one in runs]):
            result = done.result()
            print("| " + " | ".join(row(result)) + " |", flush=True)
            results.append(result)
            if options.json:
                with open(options.json, "w", encoding="utf-8") as file:
                    json.dump(results, file)
    wrong = sum(result["wrong"] for result in results)
    within = sum(result.get("mixed", 100) <= MOST for result in results)
    modelled, tried = (sum(name in result for result in results) for name in ("status", "mixed"))
    failed = sum("error" in result for result in results)
    print(f"\n{len(results) - modelled} runs without a model, {failed - len(results) + modelled} models that failed when tried; "
          f"mixed load: {within} of {tried} at most {MOST:g} % off, {wrong - failed} are more and say \"good\"")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
