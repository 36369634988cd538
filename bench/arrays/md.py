#!/usr/bin/env python3
"""Arrays of models against Linux md over emulated drives, in simulated time.

The same random requests of 4 KiB, DEPTH of them outstanding, go to md in `platter cosim` and to `platter replay
--array`. One line each: md's mean response time as the guest's program saw it, the replay's, and their difference.
During a rebuild a run's mean depends on when the rebuild gave way, which a microsecond can change: repeat.

    bench/arrays/md.py --build build/release [--model drive.json] [--requests 3000] [--depth 1 4] [--only raid5]
                       [--mdadm PATH] [--repeat 20] [--kernel FILE] [--keep FOLDER] [--json]

mdadm is looked for on PATH and in build/tools (scripts/unpack mdadm). The guest's computing takes no simulated time;
reading its clock takes 256 ns, which is in md's times.
"""
import argparse
import fractions
import json
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "emulators"))
from simulated import Platter  # noqa: E402

CHUNK_KIB = 64
MERGE_KIB = 64  # of a command at most; the guest's own limit is in pages that lie anyhow
DEVICE_QUEUE = 64  # commands that the guest's drives take at once
PAGE = 4096
# level, members, what is missing or rebuilt (member)
CASES = [("raid0", 2, ""), ("raid0", 3, ""), ("raid1", 2, ""), ("raid1", 3, ""), ("raid5", 3, ""), ("raid5", 5, ""),
         ("raid1", 2, "missing"), ("raid1", 3, "missing"), ("raid5", 3, "missing"), ("raid5", 5, "missing"),
         ("raid1", 2, "rebuild"), ("raid1", 3, "rebuild"), ("raid5", 3, "rebuild"), ("raid5", 5, "rebuild")]
CHANGED = 1  # the member that is missing or rebuilt
TICK_NS = 10 * 10**6  # the guest has HZ 100
GUEST_IS_READY_NS = 2 * 10**9
UNTIL_FIRST_COMMAND_NS = 9200  # of a rebuild: the clock's readings in between
ACTION = "/sys/block/md0/md/sync_action"  # closed_loop writes there when the rebuild begins

# A first write makes md note in its superblocks that the array is in use; with safe_mode_delay 0 it stays so.
GUEST = """set -e
for disk in DISKS; do
  echo none > /sys/block/$disk/queue/scheduler
  echo MERGE > /sys/block/$disk/queue/max_sectors_kb
done
MDADM --create /dev/md0 --run --force --metadata=1.0 --level=LEVEL OPTIONS \
  --raid-devices=COUNT DEVICES >&2
echo 0 > /sys/block/md0/md/safe_mode_delay 2>/dev/null || true
dd if=/dev/zero of=/dev/md0 bs=4k count=1 seek=UNUSED oflag=direct 2>/dev/null
CHANGE
RUNS
cat /proc/mdstat >&2
"""


def write_requests(folder, mode, count, pages, seed):
    """The same requests as a list for the guest's program and as a closed trace for the replay."""
    chance = random.Random(seed)
    at = [chance.randrange(pages) for _ in range(count)]
    letter = "R" if mode == "read" else "W"
    listed, trace = folder / f"{mode}.list", folder / f"{mode}.trace"
    listed.write_text("".join(f"{letter} {page * PAGE} {PAGE}\n" for page in at), encoding="ascii")
    trace.write_text("".join(f"{letter} Miss {page * PAGE // 512} {PAGE // 512} 0 0\n" for page in at), encoding="ascii")
    return listed, trace


def options_of(level):
    chunk = "" if level == "raid1" else f"--chunk={CHUNK_KIB} "
    return chunk + ("" if level == "raid0" else "--bitmap=none --assume-clean")


def change_of(state, mdadm):
    if not state:
        return ""
    disk = f"/dev/sd{chr(ord('a') + CHANGED)}"
    text = f"{mdadm} /dev/md0 --fail {disk} >&2\n{mdadm} /dev/md0 --remove {disk} >&2\n"
    if state == "rebuild":
        text += (f"{mdadm} --zero-superblock {disk} >&2\necho frozen > {ACTION}\n{mdadm} /dev/md0 --add {disk} >&2\n")
    return text


def begin_ns(models):
    """When the guest begins a rebuild: then the platters stand as at the replay's begin, and a tick begins.

    The guest's clock counts from the platters' phase 0. If there is no such time, one that nearly is.
    """
    rotation = json.loads(models[0].read_text())["rotation"]
    period_ns = fractions.Fraction(rotation["numerator_ns"], rotation["denominator"])
    times = range(GUEST_IS_READY_NS, GUEST_IS_READY_NS + 100 * 10**9, TICK_NS)
    return min(times, key=lambda time: min(time % period_ns, -time % period_ns)) - UNTIL_FIRST_COMMAND_NS


def run_md(platter, models, case, runs, given, folder):
    """The mean response times of one guest's runs, in ms; each run is (list of requests, depth)."""
    level, count, state = case
    command = GUEST
    disks = [f"sd{chr(ord('a') + i)}" for i in range(count)]
    begin = f" recover {ACTION} {begin_ns(models)}" if state == "rebuild" else ""
    lines = "\n".join(f"{folder}/closed_loop /dev/md0 {depth} {listed}{begin}" for listed, depth in runs)
    for word, value in (("CHANGE", change_of(state, given.mdadm)), ("MDADM", given.mdadm), ("LEVEL", level[4:]),
                        ("UNUSED", int(given.gib * 2**30) // PAGE),
                        ("COUNT", count), ("OPTIONS", options_of(level)), ("RUNS", lines),
                        ("MERGE", MERGE_KIB), ("DISKS", " ".join(disks)),
                        ("DEVICES", " ".join(f"/dev/{disk}" for disk in disks))):
        command = command.replace(word, str(value))
    options = ["--log", folder / f"{level}-{count}-{state or 'whole'}.log"] if given.keep else []
    if given.kernel:
        options += ["--kernel", given.kernel]
    output, _ = platter.cosim(models[:count], command, options=options)
    return [float(line.split()[1]) / 1e6 for line in output.splitlines()]


def run_model(platter, models, case, depth, trace, folder):
    level, count, state = case
    arguments = ["replay", trace, "--array", level, "--depth", depth, "--phase-seed", 0, "--merge", MERGE_KIB,
                 "--device-queue", DEVICE_QUEUE, "--json", "--force", "-o", folder / "result.csv"]
    if level != "raid1":
        arguments += ["--stripe", CHUNK_KIB]
    if state:
        arguments += [f"--{state}", CHANGED]
    if state == "rebuild":
        arguments += ["--rebuild-tick", TICK_NS / 1e6]
    return json.loads(platter.run(*arguments, "--on", *models[:count]))


def compared(pairs):
    """Means over the repetitions, their difference, and the standard error that it has by their scatter."""
    md_ms, our_ms = (statistics.fmean(means) for means in zip(*pairs))
    scatter = statistics.stdev(ours - md for md, ours in pairs) if len(pairs) > 1 else None
    return {"repetitions": len(pairs), "md_ms": md_ms, "platter_ms": our_ms, "off_percent": 100 * (our_ms / md_ms - 1),
            "off_error_percent": scatter and 100 * scatter / len(pairs)**0.5 / md_ms}


def print_row(row):
    error = f" (standard error {row['off_error_percent']:.3f})" if row["off_error_percent"] is not None else ""
    print(f"{row['case']} {row['mode']} depth {row['depth']}: md {row['md_ms']:.4f} ms, "
          f"platter {row['platter_ms']:.4f} ms, {row['off_percent']:+.3f} %{error}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--model", type=pathlib.Path, help="else: the catalogue's Quantum Atlas 10K")
    parser.add_argument("--requests", type=int, default=3000)
    parser.add_argument("--depth", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--only", default="", help="cases that begin so, such as raid5-3-missing")
    parser.add_argument("--mode", nargs="+", default=["read", "write"])
    parser.add_argument("--gib", type=float, default=8, help="the part of the array that is used")
    parser.add_argument("--seed", type=int, default=7, help="of the first repetition's requests")
    parser.add_argument("--repeat", type=int, default=1, help="repetitions, each with its own requests")
    parser.add_argument("--mdadm", type=pathlib.Path)
    parser.add_argument("--kernel", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, help="the folder where logs and requests stay")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    platter = Platter(given.build)
    given.mdadm = given.mdadm or shutil.which("mdadm") or given.build.resolve().parent / "tools/sbin/mdadm"
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = (given.keep or pathlib.Path(name)).resolve()
        folder.mkdir(exist_ok=True)
        subprocess.run(["cc", "-O2", "-pthread", "-o", folder / "closed_loop", HERE / "closed_loop.c"], check=True)
        models = []
        for i in range(5):
            model = folder / f"drive{i}.json"
            if given.model:
                model.write_text(given.model.read_text())
            else:
                platter.run("truth", "virtual:quantum-atlas10k?imperfections=none", "-o", model, "--force")
            models.append(model)
        for case in CASES:
            label = f"{case[0]}-{case[1]}-{case[2] or 'whole'}"
            if not label.startswith(given.only):
                continue
            plans = [(mode, depth) for mode in given.mode for depth in given.depth]
            # A rebuild is where it is: each run of it is a guest's first.
            for group in ([[plan] for plan in plans] if case[2] == "rebuild" else [plans]):
                pairs = {plan: [] for plan in group}
                for seed in range(given.seed, given.seed + given.repeat):
                    lists = {mode: write_requests(folder, mode, given.requests, int(given.gib * 2**30) // PAGE, seed)
                             for mode, _ in group}
                    means = run_md(platter, models, case, [(lists[mode][0], depth) for mode, depth in group], given,
                                   folder)
                    for (mode, depth), md_ms in zip(group, means):
                        ours = run_model(platter, models, case, depth, lists[mode][1], folder)
                        pairs[mode, depth].append((md_ms, ours["all"]["mean_ms"]))
                for (mode, depth), of_plan in pairs.items():
                    rows.append({"case": label, "mode": mode, "depth": depth, "requests": given.requests,
                                 **compared(of_plan)})
                    if not given.json:
                        print_row(rows[-1])
    if given.json:
        print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
