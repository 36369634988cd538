#!/usr/bin/env python3
"""Caches: what `platter characterize` says of them, held against what the drives are.

Each drive is characterized with each seed (default imperfections, writes allowed everywhere). Printed are, for
each parameter of the cache, in how many seeds it is exact, in how many its interval (value -+ 1.96 errors) holds
the truth, and in how many it is wrong or not told; the drive's seconds of the stage; whether "adaptive" was told.
Then workloads with the caches on: the model against the drive, and the drive against itself with another noise
seed (the floor).

    bench/cache_campaign.py --seeds 20
    bench/cache_campaign.py --seeds 2 --drives quantum-atlas10k --workloads mixed streams-2
    bench/cache_campaign.py --random 500-559

Parameters are compared by what they do: a limit of read-ahead that the segment's size sets anyway, or a flag that
the drive's other policies make idle, is no difference (`effects`). What is not told and acts as the truth, or of
which the model says that it does not show, is counted as not told, but is no miss. Drives named alien:VARIANT are those of
tests/alien; their truth is in other words, so that they have the workloads only.

--random characterizes the random drives of these numbers, each once with its number as the seed, and prints one
table over all of them, without workloads.

--strict makes it fail where a drive of fixed segments has a parameter that is not exact, an adaptive one its bounds
or its window, a drive is wrongly called adaptive or not, or a workload is beyond what is asked of it (BARS).
"""

import argparse
import collections
import json
import os
import statistics
import sys
import tempfile

from measuring import run

DRIVES = ["quantum-atlas10k", "seagate-cheetah9lp", "seagate-barracuda4lp", "ibm-ultrastar18es", "hp-c2247"]
SIGMAS = 1.959964
# What an absent member acts as (docs/model.md); members without one here have no discrete value.
DEFAULTS = {
    "read_enabled": 0, "write_back_level": 0, "segments": 0, "segment_blocks": 0, "separate_write_segment": 0,
    "write_segments": None, "read_ahead": 0, "read_ahead_min_blocks": 0, "read_ahead_max_blocks": 0,
    "read_ahead_over_requested": 0, "read_ahead_on_hit": 0, "read_free_blocks": 0, "zero_latency_read": 0,
    "zero_latency_write": 0, "read_hit_on_written": 0, "combine_sequential_writes": 0,
    "stop_read_ahead_in_sector": 0, "write_hit_stops_read_ahead": 1, "almost_read_hits": 0,
    "discards_after_transfer": 0, "replacement": 0, "buffer_blocks": None, "adaptive_min_segments": 0,
    "adaptive_window_requests": 32, "read_ahead_by_request": 0, "read_ahead_ceiling_blocks": None,
    "read_ahead_longest_request_blocks": None,
    "read_ahead_after_sequential": 0, "read_ahead_abort": 1, "read_ahead_resumes": 0,
    "write_updates_segments": 0, "destage_behind": 0, "destage_idle": 0, "destage_order": 0,
    "destage_in_passing": 0, "written_blocks": None, "written_persist": 0,
}
TO_SEGMENT_FULL = 3
READING = ["segments", "segment_blocks", "read_ahead", "read_ahead_min_blocks", "read_ahead_max_blocks",
           "read_ahead_over_requested", "read_ahead_on_hit", "read_free_blocks", "separate_write_segment",
           "read_hit_on_written", "discards_after_transfer", "replacement", "buffer_blocks",
           "adaptive_min_segments", "adaptive_window_requests", "almost_read_hits", "stop_read_ahead_in_sector",
           "read_ahead_by_request", "read_ahead_ceiling_blocks", "read_ahead_longest_request_blocks",
           "read_ahead_after_sequential", "read_ahead_abort", "read_ahead_resumes"]
AHEAD = [name for name in READING if name.startswith("read_ahead_")] + [
    "almost_read_hits", "stop_read_ahead_in_sector", "write_hit_stops_read_ahead"]
NO_EFFECT = "no effect"
# Percent of the mean above the floor (or in all), and percent of the hits and misses agreed.
BARS = {"mixed": {"fixed": (1.5, 97.0), "adaptive": (4.0, 90.0)}, "others": 5.0}

Finding = collections.namedtuple("Finding", "name seed truth value error samples reason outcome narrow")
Replayed = collections.namedtuple("Replayed", "drive workload seed mean demerit floor hits")


def is_adaptive(model):
    return bool(value_of(model["cache"], "adaptive_min_segments")
                or model.get("imperfections", {}).get("adaptive_cache_min_segments"))


def value_of(cache, name):
    value = (cache.get(name) or {}).get("value")
    return DEFAULTS[name] if value is None else value


def longest(layout):
    """Sectors of the longest track, and of the most tracks of a cylinder that follow one another."""
    heads = 1

    def tracks_of(node):
        nonlocal heads
        if node.get("head_step") and node.get("children"):
            heads = max(heads, node.get("count", 1) * abs(node["head_step"]))
        return max([node.get("sectors", 0)] + [tracks_of(child) for child in node.get("children", [])])

    sectors = max(tracks_of(zone) for zone in layout["zones"])
    return sectors, sectors * heads


def tracks_follow(layout):
    """Whether anywhere two tracks of one cylinder follow each other."""
    def walk(node):
        first = last = 0
        any_follow, before = False, None
        for child in node.get("children", []):
            begins, ends, follow = walk(child)
            any_follow |= follow or begins == before
            first, last, before = (begins if before is None else first), ends, ends
        count, step = node.get("count", 1), node.get("cylinder_step", 0)
        any_follow |= count > 1 and last == first + step
        at = node.get("cylinder", 0)
        return first + at, last + at + step * (count - 1), any_follow

    return walk({"children": layout["zones"]})[2]


def effects(cache, layout):
    """What each parameter does, by DEFAULTS and the engine's rules (docs/model.md)."""
    does = {name: value_of(cache, name) for name in DEFAULTS}
    if does["read_ahead"] == 2 and not tracks_follow(layout):
        does["read_ahead"] = 1  # a cylinder's end is a track's
    none = lambda *names: does.update({name: NO_EFFECT for name in names})
    track, cylinder = longest(layout)
    kind, most, size = does["read_ahead"], does["read_ahead_max_blocks"], does["segment_blocks"]
    if kind in (1, 2, 4) and most >= {1: track, 2: cylinder, 4: 2 * track}[kind] - 1:
        does["read_ahead_max_blocks"] = 0  # the boundary comes first
    if does["read_ahead_over_requested"] < 0:
        does["discards_after_transfer"] = does["read_ahead_over_requested"] = 1
    if kind == TO_SEGMENT_FULL and most == 0 and does["read_ahead_over_requested"] != 0:
        does["read_ahead_max_blocks"] = size
    elif kind == TO_SEGMENT_FULL and most == 0:
        does["read_ahead_max_blocks"] = 0  # as far as the request's own blocks stay
    if does["read_ahead_over_requested"] == 0 and not (kind == TO_SEGMENT_FULL and most == 0):
        does["read_ahead_over_requested"] = 1  # nothing else stops it
    if kind == 0:
        none(*[name for name in AHEAD if name != "read_ahead_after_sequential"])
    if not does["read_enabled"]:
        none(*READING, "write_hit_stops_read_ahead")
    if does["segments"] == 1:
        none("separate_write_segment", "replacement")
    if not does["adaptive_min_segments"]:
        none("adaptive_window_requests")
    if does["separate_write_segment"] == 1:
        does["write_segments"] = does["write_segments"] or 1
    elif not does["destage_behind"]:
        none("write_segments")
    if not does["write_back_level"]:
        none("combine_sequential_writes", "destage_behind", "destage_idle", "destage_order", "destage_in_passing",
             "written_blocks", "written_persist", "write_hit_stops_read_ahead")
    if not does["destage_behind"]:
        does["write_back_level"] = min(1, does["write_back_level"])  # 1 and 2 are the same
        none("destage_idle", "destage_order", "destage_in_passing", "written_blocks")
    return does


def findings_of(found, truth, seed):
    cache, real = found["cache"], truth["cache"]
    is_so, was_found = effects(real, truth["layout"]), effects(cache, truth["layout"])
    for name in DEFAULTS:
        parameter = cache.get(name) or {}
        stated, error = parameter.get("value"), parameter.get("error")
        wanted, value = is_so[name], was_found[name]
        if wanted == NO_EFFECT or (wanted is None and stated is None):
            continue
        narrow = None
        if stated is None and value != wanted:
            outcome = "hidden" if "does not show" in parameter.get("reason", "") else "not told"
        elif stated is None:
            outcome = "not told, same"
        elif value == wanted or (value == NO_EFFECT and stated == wanted):
            outcome = "exact"
        elif error and isinstance(wanted, (int, float)) and abs(stated - wanted) <= SIGMAS * error:
            outcome = "held"
        else:
            outcome = "wrong"
        if error and stated and error >= 0.5:
            narrow = stated + SIGMAS * error <= 2 * (stated - SIGMAS * error)
        yield Finding(name, seed, wanted, value if stated is not None else None, error,
                      parameter.get("samples"), parameter.get("reason"), outcome, narrow)


def device_of(drive, seed, work):
    if drive.startswith("alien:"):
        return (f"exec:python3 -B tests/alien/alien.py --variant {drive[6:]} --seed {seed} "
                f"--truth {work}/alien.truth")
    return f"virtual:{drive}?imperfections=default&seed={seed}"


def all_blocks(options, drive, work):
    said = json.loads(run(options.binary, "inspect", device_of(drive, 1, work), "--json"))
    return f"0-{said['identity']['blocks'] - 1}"


def characterize(options, drive, seed, work, everything):
    path = os.path.join(options.keep or work, f"{drive.replace(':', '-')}.{seed}.json")
    if not (options.keep and os.path.exists(path)):
        run(options.binary, "characterize", device_of(drive, seed, work), "-o", path, "--seed", str(seed),
            "--allow-writes", everything, "--journal", work,
            *(["--samples", path[:-4] + "samples"] if options.keep else []))
    with open(path, encoding="utf-8") as file:
        return path, json.load(file)


def cache_kb(cache):
    """Of the drive or of the model, whichever is known."""
    blocks = value_of(cache, "buffer_blocks") or value_of(cache, "segments") * value_of(cache, "segment_blocks")
    return max(64, int(blocks) // 2)


# What is replayed: arguments of `platter trace generate`. Bursts are four times as large as the cache.
def workloads(cache):
    burst = min(4 * cache_kb(cache), 32768)
    return {
        "mixed": ["--workload", "mixed"],
        "sequential-64": ["--workload", "sequential", "--requests", "2000"],
        "sequential-128": ["--workload", "sequential", "--request-kb", "128", "--requests", "2000"],
        "streams-2": ["--workload", "streams", "--streams", "2", "--requests", "2000"],
        "streams-4": ["--workload", "streams", "--streams", "4", "--requests", "2000"],
        "write-burst": ["--workload", "write-burst", "--burst-kb", str(burst),
                        "--requests", str(4 * (burst // 8))],
    }


def replay(options, drive, seed, model_path, cache, names, work, everything):
    """Demerits in percent of the drive's mean, hits agreed in percent."""
    at = lambda name: os.path.join(work, name)
    for name, how in workloads(cache).items():
        if name not in names:
            continue
        run(options.binary, "trace", "generate", *how, "--for", model_path, "--seed", str(seed), "-o", at("trace"))
        for file, noise in (("drive.csv", seed), ("again.csv", seed + 7001)):
            run(options.binary, "replay", at("trace"), "--on", device_of(drive, noise, work),
                "--allow-writes", everything, "-o", at(file))
        # What waits only for the one before runs in the model's own time: issued when the drive was ready, requests
        # would pile up behind one revolution that the model loses.
        as_on_drive = ["--phase-from", at("drive.csv")] if name == "mixed" else []
        run(options.binary, "replay", at("trace"), "--on", model_path, *as_on_drive, "-o", at("model.csv"))
        judged = [json.loads(run(options.binary, "compare", at("drive.csv"), at(other), "--json"))
                  for other in ("model.csv", "again.csv")]
        classes = [one["all"] for one in judged]
        yield Replayed(drive, name, seed, classes[0]["mean_ms"]["drive"], classes[0]["demerit_percent"],
                       classes[1]["demerit_percent"], 100 * (classes[0]["hits_agreed_share"] or 0))


def shown(value):
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def print_parameters(drive, truth, findings, seeds):
    print(f"\n{drive}, {len(seeds)} seeds\n\n| parameter | truth | exact | held | factor 2 | wrong | not told | "
          "found |\n|---|---|---|---|---|---|---|---|")
    groups = collections.defaultdict(list)
    for finding in findings:
        groups[finding.name].append(finding)
    same = [name for name, mine in groups.items() if all(f.outcome == "not told, same" for f in mine)]
    for name, mine in groups.items():
        if name in same:
            continue
        count = collections.Counter(f.outcome for f in mine)
        wide = [f for f in mine if f.narrow is not None]
        narrow = f"{sum(f.narrow for f in wide)} / {len(wide)}" if wide else ""
        values = collections.Counter(
            shown(f.value) + (f" +- {f.error:.3g}" if f.error and f.error >= 0.1 else "")
            for f in mine if f.outcome in ("wrong", "held"))
        text = "; ".join(f"{value} ({n})" for value, n in values.most_common(4))
        reasons = collections.Counter(f.reason for f in mine if f.value is None and f.reason)
        if reasons:
            text += ("; " if text else "") + reasons.most_common(1)[0][0]
        missing = count["not told"] + count["not told, same"] + count["hidden"]
        print(f"| `{name}` | {shown(mine[0].truth)} | {count['exact']} | {count['held']} | {narrow} | "
              f"{count['wrong']} | {missing} | {text} |")
    if same:
        print("\nNever told, and acting as the truth: " + ", ".join(f"`{name}`" for name in same))


def print_totals(findings):
    """Over many drives: what was right, what was wrong and on which of them."""
    print("\n| parameter | exact | held | not told | wrong | random drives on which it is wrong: truth, found |"
          "\n|---|---|---|---|---|---|")
    groups = collections.defaultdict(list)
    for finding in findings:
        groups[finding.name].append(finding)
    total = collections.Counter()
    for name, mine in groups.items():
        count = collections.Counter("not told" if f.value is None else f.outcome for f in mine)
        if len(count) == 1 and count["not told"]:
            continue
        total += count
        wrong = "; ".join(f"{f.seed}: {shown(f.truth)}, {shown(f.value)}"
                          + (f" +- {f.error:.3g}" if f.error and f.error >= 0.1 else "")
                          for f in mine if f.outcome == "wrong")
        print(f"| `{name}` | {count['exact']} | {count['held']} | {count['not told']} | {count['wrong']} | {wrong} |")
    print(f"| all | {total['exact']} | {total['held']} | {total['not told']} | {total['wrong']} | |")


def random_drives(options):
    first, last = (int(number) for number in options.random.split("-"))
    findings, failed = [], []
    for number in range(first, last + 1):
        drive = f"random-{number}"
        with tempfile.TemporaryDirectory() as work:
            file = os.path.join(work, "truth.json")
            run(options.binary, "truth", device_of(drive, number, work), "-o", file)
            with open(file, encoding="utf-8") as text:
                truth = json.load(text)
            _, found = characterize(options, drive, number, work, all_blocks(options, drive, work))
        if found.get("cache"):
            findings += findings_of(found, truth, number)
        else:
            failed.append(number)
        print(f"\r{drive} ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print_totals(findings)
    if failed:
        print("\nWithout a cache in the model:", *failed)
    return 1 if options.strict and any(f.outcome == "wrong" for f in findings) else 0


def complaints(drive, adaptive, findings, replayed):
    kind = "adaptive" if adaptive else "fixed"
    for f in findings:
        judged = not adaptive or f.name.startswith("adaptive_")
        if judged and f.outcome in ("wrong", "not told"):
            yield f"{drive}: {f.name} is {shown(f.truth)}, seed {f.seed} says {shown(f.value)}"
    for one in replayed:
        if one.workload == "mixed":
            above, hits = BARS["mixed"][kind]
            if one.demerit > one.floor + above or one.hits < hits:
                yield (f"{drive}: mixed demerit {one.demerit:.2f} %, floor {one.floor:.2f} %, "
                       f"hits {one.hits:.1f} %, seed {one.seed}")
        elif one.demerit > max(BARS["others"], one.floor):
            yield f"{drive}: {one.workload} demerit {one.demerit:.2f} %, seed {one.seed}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--workload-seeds", type=int, default=1, help="so many of the seeds are replayed, too")
    parser.add_argument("--workloads", nargs="*", default=list(workloads({"segments": {"value": 1}})))
    parser.add_argument("--drives", nargs="*", default=DRIVES)
    parser.add_argument("--random", metavar="FIRST-LAST", help="numbers of random drives, instead of --drives")
    parser.add_argument("--keep", help="folder of the models; those that are there are not made again")
    parser.add_argument("--strict", action="store_true", help="fail where the bars are missed")
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    if options.random:
        return random_drives(options)
    overview, replays, misses = [], [], []
    for drive in options.drives:
        with tempfile.TemporaryDirectory() as work:
            truth = None
            if not drive.startswith("alien:"):
                file = os.path.join(work, "truth.json")
                run(options.binary, "truth", device_of(drive, 1, work), "-o", file)
                with open(file, encoding="utf-8") as text:
                    truth = json.load(text)
            everything = all_blocks(options, drive, work)
            findings, replayed, seconds, told, unexplained = [], [], [], 0, []
            for seed in seeds:
                path, found = characterize(options, drive, seed, work, everything)
                seconds += [stage["drive_seconds"] for stage in found["provenance"]["stages"]
                            if stage["name"] == "cache"]
                told += is_adaptive(found) or any(
                    "adaptive" in note for note in found["provenance"].get("notes", []))
                share = (found["cache"].get("unexplained_share") or {}).get("value")
                unexplained += [] if share is None else [100 * share]
                if truth:
                    findings += findings_of(found, truth, seed)
                if seed - options.first_seed < options.workload_seeds:
                    replayed += replay(options, drive, seed, path, (truth or found)["cache"], options.workloads,
                                       work, everything)
                print(f"\r{drive} {seed} ", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        adaptive = bool(truth and is_adaptive(truth))
        if truth:
            print_parameters(drive, truth, findings, seeds)
        count = collections.Counter(f.outcome for f in findings)
        overview.append(f"| {drive} | {count['exact']} / {count['held']} / {count['wrong']} / "
                        f"{count['not told']} | {'yes' if adaptive else 'no'} | {told} / {len(seeds)} | "
                        f"{statistics.mean(seconds):.1f} | {max(seconds):.1f} | "
                        + (f"{statistics.mean(unexplained):.1f} |" if unexplained else "- |"))
        replays += replayed
        misses += complaints(drive, adaptive, findings, replayed)
    print("\n| drive | exact / held / wrong / missed | adaptive | told so | drive s, mean | most | unexplained % |"
          "\n|---|---|---|---|---|---|---|")
    print("\n".join(overview))
    if replays:
        print("\n| drive | workload | seed | mean ms | demerit % | floor % | hits agreed % |"
              "\n|---|---|---|---|---|---|---|")
    for one in replays:
        print(f"| {one.drive} | {one.workload} | {one.seed} | {one.mean:.3f} | {one.demerit:.2f} | "
              f"{one.floor:.2f} | {one.hits:.1f} |")
    if options.strict:
        for miss in misses:
            print(miss, file=sys.stderr)
    return 1 if options.strict and misses else 0


if __name__ == "__main__":
    sys.exit(main())
