#!/usr/bin/env python3
"""Power cuts at random moments under a file system, in simulated time: what the write cache held is gone. Then fsck must
mend all, and what was synchronized must be there.

A program in a guest writes, appends, renames and deletes small files on an emulated drive, synchronizes some of them, and
tells which. At a random moment the power goes. A second guest mounts (the journal is replayed), reads what was
synchronized, unmounts, and has the file system checked.

    bench/emulators/power_cuts.py --build build/release [--cuts 100] [--file-system ext4] [--model drive.json]
        [--contents file] [--options nobarrier] [--seed 1] [--json]

--contents generated: data are dropped, so that what was synchronized is judged by its name, length and nothing else.
A hundred cuts take ten minutes.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from simulated import Platter

LOAD = r"""
import os, random, sys
seed, drops = int(sys.argv[1]), sys.argv[2] == "generated"
r = random.Random(seed)
os.chdir("/mnt")
names, folder = [], os.open(".", os.O_RDONLY)
print("ready", flush=True)
for i in range(100000):
    what = r.random()
    if i % 50 == 0: os.mkdir(f"d{i}")
    if what < 0.6 or len(names) < 5:
        name = f"f{i}"
        if r.random() < 0.5: name = f"d{i - i % 50}/{name}"
        data = r.randbytes(r.choice((100, 3000, 20000, 200000)))
        with open(name, "wb") as f:
            f.write(data)
            if r.random() < 0.3:
                f.flush(); os.fsync(f.fileno()); os.fsync(folder)
                print("synchronized", name, len(data), __import__("zlib").crc32(data), flush=True)
            else:
                names.append(name)
    elif what < 0.75:
        with open(r.choice(names), "ab") as f: f.write(b"more" * 500)
    elif what < 0.9:
        os.remove(names.pop(r.randrange(len(names))))
    else:
        name = names.pop(r.randrange(len(names)))
        os.rename(name, name + "r"); names.append(name + "r")
    if r.random() < 0.01: os.sync()
"""
LOOK = r"""
import json, sys, zlib
drops, missing = sys.argv[2] == "generated", []
for name, length, sum in json.load(open(sys.argv[1])):
    try:
        data = open("/mnt/" + name, "rb").read()
    except OSError as error:
        missing.append([name, str(error)]); continue
    if len(data) != length or not drops and zlib.crc32(data) != sum:
        missing.append([name, f"{len(data)} bytes of {length}"])
print("missing " + json.dumps(missing))
"""
CHECK = {"ext4": "fsck.ext4 -f -n /dev/sda", "xfs": "xfs_repair -n /dev/sda", "btrfs": "btrfs check --readonly /dev/sda"}


def cached_drive(platter):
    """One whose cache holds many writes, and waits before it writes them."""
    model = json.loads(platter.run("truth", "virtual:quantum-atlas10k?imperfections=none"))
    model["cache"] = json.loads(platter.run("truth", "virtual:cache-write-burst?imperfections=none"))["cache"]
    model["cache"]["destage_idle"] = {**model["cache"]["segments"], "value": 500, "unit": "ms"}
    return model


def cut(platter, model, folder, seed, given):
    r = random.Random(seed)
    disk = folder / "disk"
    subprocess.run(["cp", "--sparse=always", folder / "made", disk], check=True)
    contents = f"generated:{disk}" if given.contents == "generated" else disk
    at = r.uniform(0.5, given.latest)
    told, report = platter.cosim(
        [model], f"mount -o {given.options} /dev/sda /mnt && {sys.executable} {folder}/load.py {seed} {given.contents}",
        options=["--contents", contents, "--power-cut-at", f"{at:.9f}", "--write-cache-loss"])
    if not report["power_cut"]:
        raise SystemExit("the load ended before its power went: raise its length")
    lines = [line.split() for line in told.splitlines()]
    synchronized = [(words[1], int(words[2]), int(words[3])) for words in lines if words[0] == "synchronized"]
    (folder / "synchronized.json").write_text(json.dumps(synchronized))
    after, _ = platter.cosim(
        [model], f"mount /dev/sda /mnt && {sys.executable} {folder}/look.py {folder}/synchronized.json {given.contents} && "
        f"umount /mnt && {CHECK[given.file_system]} >/tmp/check 2>&1; echo status $?; tail -n 5 /tmp/check; true",
        options=["--contents", contents])
    result = {"seed": seed, "at_s": at, "commands": report["commands"],
              "synchronized": len(synchronized), "missing": None, "checked": "status 0" in after.splitlines()}
    for line in after.splitlines():
        if line.startswith("missing "):
            result["missing"] = json.loads(line[len("missing "):])
    if result["missing"] != [] or not result["checked"]:
        result["said"] = after[-1000:]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--model", type=pathlib.Path, help="else: the catalogue's Quantum Atlas 10K with a cache of many writes")
    parser.add_argument("--cuts", type=int, default=100)
    parser.add_argument("--latest", type=float, default=30, help="second of the guest's time")
    parser.add_argument("--file-system", choices=sorted(CHECK), default="ext4")
    parser.add_argument("--options", default="defaults", help="of mount; nobarrier shows that a file system without it loses")
    parser.add_argument("--contents", choices=["file", "generated"], default="file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    platter, rows = Platter(given.build), []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "load.py").write_text(LOAD)
        (folder / "look.py").write_text(LOOK)
        model = folder / "drive.json"
        model.write_text(given.model.read_text() if given.model else json.dumps(cached_drive(platter)))
        made = folder / "made"
        platter.cosim([model], f"mkfs.{given.file_system} /dev/sda >/dev/null",
                      options=["--contents", f"generated:{made}" if given.contents == "generated" else made])
        for i in range(given.cuts):
            rows.append(cut(platter, model, folder, given.seed + i, given))
            if "said" in rows[-1] and not given.json:
                print(json.dumps(rows[-1], indent=2), flush=True)
    if given.json:
        print(json.dumps(rows, indent=2))
        return
    print(f"{given.file_system}, {given.options}, contents {given.contents}: {len(rows)} cuts; "
          f"{sum(row['checked'] for row in rows)} file systems without error after the journal's replay; "
          f"{sum(row['synchronized'] for row in rows)} files synchronized, "
          f"{sum(len(row['missing'] or []) for row in rows)} of them missing or other than they were, "
          f"{sum(row['missing'] is None for row in rows)} file systems that could not be mounted")


if __name__ == "__main__":
    main()
