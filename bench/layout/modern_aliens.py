#!/usr/bin/env python3
"""Maps of modern alien drives by timing alone, each held against what its drive really is.

    bench/layout/modern_aliens.py [--binary PLATTER] [--first N] [--count N] [--lbns N] [--jobs J]
                                  [--bridge] [--least SHARE] [--json FILE] [-- OPTION...]

Characterizes modern:N of tests/alien for --count values of N from --first on (reads only; OPTIONs such as
--budget go to characterize), and judges each map at 200,000 random LBNs (tests/alien/judge_modern.py).
--bridge has every host delay of a USB bridge (median 30 us, 99 % 300 us) and no FUA. Prints a line for each
drive: what reaches its media, the shares that are right, drive time until the map, and the row of its size,
reached or by what missed. Then how many stated shares lay outside their 95 % interval, and how many the
truth refutes. A run that ends without a map states nothing and reaches nothing. Status 1: a share is
refuted, or fewer than --least (3/4) of the drives reach their row within its time.

Time: the drive answers 11,000 commands a second through its pipes, judging takes 6 to 10 s a drive. So 20
drives whose maps take 200,000 commands each are, by arithmetic, 5 minutes on two processors, and what
platter itself takes.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "..", "tests", "alien")]

import judge_modern  # noqa: E402
from measuring import ALIEN, load, run  # noqa: E402

INCOMPLETE = 13  # docs/exit-statuses.md: a model, but not all of it
BRIDGE = ["--without", "fua", "--set", "noise.host_median_us=30", "--set", "noise.host_spread=0.99"]


def reaches_media(scsi):
    if scsi["force_reads"] and not scsi["ignores_force"]:
        return "FUA"
    return "VERIFY" if scsi["verify"] == "media" else "nothing"


def program_of(options, number):
    return ["python3", "-B", ALIEN, "--variant", f"modern:{number}", "--seed", str(number),
            *(BRIDGE if options.bridge else [])]


def truth_of(program, work):
    run(*program, "--truth", os.path.join(work, "truth.json"), "--truth-only")
    return load(work, "truth.json")


def characterize(options, program, number, work):
    """The path of the model."""
    model = os.path.join(work, "model.json")
    done = subprocess.run([options.binary, "characterize", "exec:" + " ".join(program), "-o", model,
                           "--journal", work, "--seed", str(number), *options.more],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, INCOMPLETE):
        said = done.stderr.strip().splitlines() or ["nothing was said"]
        raise RuntimeError(f"status {done.returncode}: {said[-1]}")
    return model


def measured(options, number):
    """What is judged of one drive; `error` where there is no map."""
    with tempfile.TemporaryDirectory() as work:
        program = program_of(options, number)
        truth = truth_of(program, work)
        result = {"number": number, "gigabytes": truth["blocks"] * truth["block_bytes"] / 1e9,
                  "order": truth["order"], "surfaces": len(truth["surfaces"]),
                  "tracks_a_band": truth["tracks_a_band"], "media": reaches_media(truth["scsi"])}
        try:
            model = characterize(options, program, number, work)
            result.update(judge_modern.judge(options.binary, model, truth, options.lbns, number))
        except (RuntimeError, ValueError, OSError) as error:
            result["error"] = str(error).replace(work + os.sep, "")
        return result


def reached(result):
    return "error" not in result and not result["missed"] and result["map_seconds"] <= result["row_seconds"]


def line(result):
    cells = [str(result["number"]), f"{result['gigabytes']:.0f}",
             f"{result['surfaces']} {result['order']} {result['tracks_a_band']}", result["media"]]
    if "error" in result:
        return "| " + " | ".join(cells + [""] * 7 + [f"no map: {result['error']}"]) + " |"
    cells += [f"{100 * result['right'][name] / result['lbns']:.2f}" for name in judge_modern.SHARES]
    cells.append(f"{result['map_seconds']:.0f} of {result['row_seconds']}")
    refuted = [s["name"] for s in result["stated"] if s["refuted"]]
    verdict = f"{result['row']} " + ("reached" if not result["missed"] else "missed: " + ", ".join(result["missed"]))
    if result["map_seconds"] > result["row_seconds"]:
        verdict += ", too late"
    if refuted:
        verdict += "; REFUTED: " + ", ".join(refuted)
    elif not result["stated"]:
        verdict += "; states no shares"
    return "| " + " | ".join(cells + [verdict]) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--lbns", type=int, default=200_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--bridge", action="store_true")
    parser.add_argument("--least", type=float, default=0.75)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("more", nargs="*", metavar="OPTION")
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.count)
    names = [f"{name} %" for name in judge_modern.SHARES]
    heading = ["modern", "GB", "surfaces, order, band", "media by", *names, "s until the map", "row"]
    print("| " + " | ".join(heading) + " |\n|" + "---|" * len(heading))
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda number: measured(options, number), numbers):
            print(line(result), flush=True)
            results.append(result)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file)
    stated = [s for result in results for s in result.get("stated", ())]
    refuted, outside = (sum(s[word] for s in stated) for word in ("refuted", "outside"))
    rows = sum(map(reached, results))
    print(f"\n{rows} of {len(results)} drives reach their row; of {len(stated)} stated shares {outside} lie outside "
          f"their interval (one in twenty by chance), {refuted} are refuted by the truth")
    return 1 if refuted or rows < options.least * len(results) else 0


if __name__ == "__main__":
    sys.exit(main())
