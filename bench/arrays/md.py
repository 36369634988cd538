#!/usr/bin/env python3
"""Arrays of models against Linux md over emulated drives, in simulated time.

The same random requests of 4 KiB go to md in `platter cosim`, by fio with DEPTH outstanding, and to `platter replay
--array`. One line each: md's mean response time as fio saw it, the replay's, their difference, and the commands that
the members got.

    bench/arrays/md.py --build build/release [--model drive.json] [--requests 3000] [--depth 1 4] [--only raid5]
                       [--mdadm PATH] [--kernel FILE] [--keep FOLDER] [--json]

mdadm is looked for on PATH and in build/tools (scripts/unpack mdadm). The guest's own time for a request is no part of
the model; of it, what a clock's reading takes (32 ns) is all that fio's times have.
"""
import argparse
import json
import pathlib
import random
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "emulators"))
from simulated import Platter, blocks_of, READS, WRITES  # noqa: E402

CHUNK_KIB = 64
PAGE = 4096
# level, members, what is missing or rebuilt (member)
CASES = [("raid0", 2, ""), ("raid0", 3, ""), ("raid1", 2, ""), ("raid1", 3, ""), ("raid5", 3, ""), ("raid5", 5, ""),
         ("raid1", 2, "missing"), ("raid1", 3, "missing"), ("raid5", 3, "missing"), ("raid5", 5, "missing"),
         ("raid1", 2, "rebuild"), ("raid1", 3, "rebuild"), ("raid5", 3, "rebuild"), ("raid5", 5, "rebuild")]
CHANGED = 1  # the member that is missing or rebuilt

# A first write makes md note in its superblocks that the array is in use; with safe_mode_delay 0 it stays so.
GUEST = """set -e
for disk in DISKS; do echo none > /sys/block/$disk/queue/scheduler; done
MDADM --create /dev/md0 --run --force --assume-clean --metadata=1.0 --bitmap=none --level=LEVEL CHUNK \
  --raid-devices=COUNT DEVICES >&2
echo 0 > /sys/block/md0/md/safe_mode_delay 2>/dev/null || true
dd if=/dev/zero of=/dev/md0 bs=4k count=1 oflag=direct 2>/dev/null
CHANGE
fio --name=r --filename=/dev/md0 --direct=1 --ioengine=libaio --iodepth=DEPTH --read_iolog=IOLOG --output-format=json
cat /proc/mdstat >&2
"""


def write_requests(folder, mode, count, pages):
    """The same requests as fio's log and as a closed trace for the replay."""
    chance = random.Random(7)
    at = [chance.randrange(pages) for _ in range(count)]
    iolog, trace = folder / f"{mode}.iolog", folder / f"{mode}.trace"
    iolog.write_text("fio version 2 iolog\n/dev/md0 add\n/dev/md0 open\n" +
                     "".join(f"/dev/md0 {mode} {page * PAGE} {PAGE}\n" for page in at) + "/dev/md0 close\n",
                     encoding="ascii")
    trace.write_text("".join(f"{'R' if mode == 'read' else 'W'} Miss {page * PAGE // 512} {PAGE // 512} 0 0\n"
                             for page in at), encoding="ascii")
    return iolog, trace


def change_of(state, mdadm):
    if not state:
        return ""
    disk = f"/dev/sd{chr(ord('a') + CHANGED)}"
    text = f"{mdadm} /dev/md0 --fail {disk} >&2\n{mdadm} /dev/md0 --remove {disk} >&2\n"
    if state == "rebuild":
        text += f"{mdadm} --zero-superblock {disk} >&2\n{mdadm} /dev/md0 --add {disk} >&2\n"
    return text


def commands_in(log, since_ns, until_ns):
    """Reads and writes of all drives that came in that time."""
    count = 0
    with open(log, encoding="ascii") as lines:
        next(lines)
        for line in lines:
            words = line.split()
            if words[1] == "c" and since_ns <= int(words[3]) <= until_ns:
                count += bytes.fromhex(words[7])[0] in READS | WRITES
    return count


def run_md(platter, models, case, mode, depth, iolog, given, folder):
    level, count, state = case
    command = GUEST
    disks = [f"sd{chr(ord('a') + i)}" for i in range(count)]
    for word, value in (("CHANGE", change_of(state, given.mdadm)), ("MDADM", given.mdadm), ("LEVEL", level[4:]),
                        ("COUNT", count), ("CHUNK", "" if level == "raid1" else f"--chunk={CHUNK_KIB}"),
                        ("DISKS", " ".join(disks)), ("DEVICES", " ".join(f"/dev/{disk}" for disk in disks)),
                        ("DEPTH", depth), ("IOLOG", iolog)):
        command = command.replace(word, str(value))
    log = folder / f"{level}-{count}-{state or 'whole'}-{mode}-{depth}.log"
    options = ["--log", log] + (["--kernel", given.kernel] if given.kernel else [])
    output, _ = platter.cosim(models[:count], command, options=options)
    job = json.loads(output[output.index("{"):])["jobs"][0]
    return job["read" if mode == "read" else "write"], log


def run_model(platter, models, case, mode, depth, trace, folder):
    level, count, state = case
    arguments = ["replay", trace, "--array", level, "--depth", depth, "--phase-seed", 0, "--json", "--force",
                 "-o", folder / "result.csv"]
    if level != "raid1":
        arguments += ["--stripe", CHUNK_KIB]
    if state:
        arguments += [f"--{state}", CHANGED]
    return json.loads(platter.run(*arguments, "--on", *models[:count]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--model", type=pathlib.Path, help="else: the catalogue's Quantum Atlas 10K")
    parser.add_argument("--requests", type=int, default=3000)
    parser.add_argument("--depth", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--only", default="", help="cases that begin so, such as raid5-3-missing")
    parser.add_argument("--mode", nargs="+", default=["read", "write"])
    parser.add_argument("--gib", type=float, default=8, help="the part of the array that is used")
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
            for mode in given.mode:
                iolog, trace = write_requests(folder, mode, given.requests, int(given.gib * 2**30) // PAGE)
                for depth in given.depth:
                    side, log = run_md(platter, models, case, mode, depth, iolog, given, folder)
                    ours = run_model(platter, models, case, mode, depth, trace, folder)
                    md_ms, our_ms = side["clat_ns"]["mean"] / 1e6, ours["all"]["mean_ms"]
                    rows.append({"case": label, "mode": mode, "depth": depth, "requests": given.requests,
                                 "md_ms": md_ms, "platter_ms": our_ms, "off_percent": 100 * (our_ms / md_ms - 1),
                                 "platter_commands": ours["array"]["commands"]})
                    if not given.json:
                        row = rows[-1]
                        print(f"{label} {mode} depth {depth}: md {md_ms:.4f} ms, platter {our_ms:.4f} ms, "
                              f"{row['off_percent']:+.3f} %, {row['platter_commands']} commands", flush=True)
    if given.json:
        print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
