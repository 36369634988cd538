#!/usr/bin/env python3
"""Programs on a real file system on emulated drives in simulated time, as Griffin (2004, chapter 6) and Wu (2016,
tables 4.8 to 4.10) ran them: a PostMark-like load, unpacking, configuring and compiling on a synchronous ext2, on a
drive and on three derived from it; unpacking on drives 1, 10, 100 and 200 times as fast with each I/O scheduler; hdparm,
and a count of the words of what was unpacked.

Beside the run time stand Griffin's errors of the requests: the signed mean of what the guest's disk took less the
model (EI_avg), its root mean square (EI_rms), and the root mean square of the sorted times (EA_rms, the demerit).

    bench/emulators/programs.py --build build/release [--model drive.json] [--files 300] [--json] [EXPERIMENT...]

EXPERIMENT: griffin, schedulers, tools (all). Twenty minutes.
"""
import argparse
import json
import math
import pathlib
import sys
import tempfile

from simulated import Platter, requests_of

# Deterministic files of 0.5 to 64 KB in folders, and a small C program of many files with its Makefile.
PREPARE = r"""
import os, random, sys
folder, files = sys.argv[1], int(sys.argv[2])
r = random.Random(5)
for i in range(files):
    path = f"{folder}/tree/{i % 17}/{i % 5}"
    os.makedirs(path, exist_ok=True)
    words = " ".join(str(r.getrandbits(24)) for _ in range(r.choice((60, 300, 1000, 3000, 8000))))
    open(f"{path}/file{i}", "w").write(words + "\n")
os.makedirs(f"{folder}/source", exist_ok=True)
for i in range(40):
    open(f"{folder}/source/part{i}.c", "w").write(
        "#include <stdio.h>\n" + "".join(f"int f{i}_{k}(int x) {{ return x * {k} + {i}; }}\n" for k in range(60)))
open(f"{folder}/source/Makefile", "w").write(
    "parts := $(patsubst %.c,%.o,$(wildcard part*.c))\nlibparts.a: $(parts)\n\tar rcs $@ $^\n"
    "%.o: %.c config.h\n\tgcc -O1 -include config.h -c $< -o $@\n")
open(f"{folder}/source/configure", "w").write('''#!/bin/sh
: > config.h
for header in stdio stdlib string unistd fcntl errno math time signal locale ctype limits; do
  echo "#include <$header.h>
int main(void) { return 0; }" > conftest.c
  if gcc -c conftest.c -o conftest.o 2> conftest.err; then echo "#define HAVE_$header 1" >> config.h; fi
  rm -f conftest.c conftest.o conftest.err
done
''')
os.chmod(f"{folder}/source/configure", 0o755)
"""

# Create, delete, read and append among small files (Katcher 1997), without its command language.
POSTMARK = r"""
import os, random, sys
folder, files, transactions = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
r = random.Random(9)
os.makedirs(folder)
names, next_name = [], 0
def create():
    global next_name
    path = f"{folder}/{next_name}"
    next_name += 1
    with open(path, "wb") as f: f.write(b"x" * r.randint(500, 10000))
    names.append(path)
for _ in range(files): create()
for _ in range(transactions):
    if r.random() < 0.5:
        with open(r.choice(names), "rb") as f: f.read()
    else:
        with open(r.choice(names), "ab") as f: f.write(b"y" * r.randint(100, 3000))
    if r.random() < 0.5: create()
    else: os.remove(names.pop(r.randrange(len(names))))
for path in names: os.remove(path)
"""

MOUNT = "mkfs.ext2 -q -F /dev/sda SIZE && mount -t ext2 -o sync /dev/sda /mnt && cd /mnt && "
TIMED = "s=$(date +%s%N); ( COMMAND ) >/dev/null || exit 1; e=$(date +%s%N); echo NAME $((e - s)); "


def errors(requests):
    """Griffin's equations 5.2 to 5.8, of what was delivered against the model, in ms and % of the model's mean."""
    got = [r.delivered_ns - r.issued_ns for r in requests]
    model = [r.response_ns for r in requests]
    mean = sum(model) / len(model)
    rms = math.sqrt(sum((g - m) ** 2 for g, m in zip(got, model)) / len(model))
    demerit = math.sqrt(sum((g - m) ** 2 for g, m in zip(sorted(got), sorted(model))) / len(model))
    return {"requests": len(model), "model_ms": mean / 1e6, "ei_avg_percent": 100 * (sum(got) / len(got) - mean) / mean,
            "ei_rms_ms": rms / 1e6, "ea_rms_ms": demerit / 1e6}


def timed(pairs):
    return "".join(TIMED.replace("COMMAND", command).replace("NAME", name) for name, command in pairs)


def times_of(output):
    return {words[0]: int(words[1]) / 1e9 for words in (line.split() for line in output.splitlines()) if len(words) == 2}


class Experiments:
    def __init__(self, given, folder):
        self.platter, self.given, self.folder = Platter(given.build), given, folder
        self.model = folder / "drive.json"
        if given.model:
            self.model.write_text(given.model.read_text())
        else:
            self.platter.run("truth", "virtual:quantum-atlas10k?imperfections=none", "-o", self.model)
        for name, text in (("prepare.py", PREPARE), ("postmark.py", POSTMARK)):
            (folder / name).write_text(text)
        self.setup = (f"{sys.executable} {folder}/prepare.py /tmp {given.files} && tar -C /tmp -cf /tmp/tree.tar tree && "
                      f"tar -C /tmp -cf /tmp/source.tar source && ")

    def run(self, model, command, speed=1):
        log = self.folder / "log"
        output, report = self.platter.cosim([model], self.setup + command, log=log,
                                            options=["--speed", speed])
        checked = self.platter.check_log([model], log)
        return {"seconds": times_of(output), "differ": checked["differ"], **errors(requests_of(log)),
                "simulated_seconds": report["simulated_seconds"], "wall_seconds": report["wall_seconds"]}

    def griffin(self):
        drives = {"the drive": [], "50,000 rpm": ["rotation.rpm=x5", "head_switch=/5"],
                  "seeks halved": ["seek.time_ms=/2"], "both": ["rotation.rpm=x5", "head_switch=/5", "seek.time_ms=/2"]}
        command = MOUNT.replace("SIZE", "200M") + timed([
            ("postmark", f"{sys.executable} {self.folder}/postmark.py /mnt/mail 200 1000"), ("unpack", "tar -xf /tmp/source.tar"),
            ("configure", "cd source && ./configure"), ("make", "cd source && make -s")])
        for name, changes in drives.items():
            model = self.model
            if changes:
                model = self.folder / "derived.json"
                words = [word for change in changes for word in ("--set", change)]
                self.platter.run("derive", self.model, *words, "-o", model, "--force")
            yield {"experiment": "griffin", "drive": name, **self.run(model, command)}

    def schedulers(self):
        for factor in (1, 10, 100, 200):
            for scheduler in ("none", "mq-deadline", "bfq"):
                command = (f"echo {scheduler} > /sys/block/sda/queue/scheduler && " + MOUNT.replace("SIZE", "400M") +
                           timed([("untar", "tar -xf /tmp/tree.tar")]))
                yield {"experiment": "schedulers", "faster": factor, "scheduler": scheduler,
                       **self.run(self.model, command, speed=factor)}

    def tools(self):
        command = timed([("hdparm", "hdparm --direct -t /dev/sda > /tmp/hdparm")]) + "cat /tmp/hdparm >&2; " + \
            MOUNT.replace("SIZE", "400M") + timed([
                ("untar", "tar -xf /tmp/tree.tar")]) + "cd / && umount /mnt && mount -t ext2 /dev/sda /mnt && " + timed([
                    ("words", "find /mnt/tree -type f | xargs cat | wc -w")])
        yield {"experiment": "tools", **self.run(self.model, command)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--model", type=pathlib.Path, help="else: the catalogue's Quantum Atlas 10K")
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    names = given.experiments or ["griffin", "schedulers", "tools"]
    for name in names:
        if name not in ("griffin", "schedulers", "tools"):
            parser.error(f"there is no experiment {name}")
    rows = []
    with tempfile.TemporaryDirectory() as name:
        experiments = Experiments(given, pathlib.Path(name))
        for wanted in names:
            for row in getattr(experiments, wanted)():
                rows.append(row)
                if not given.json:
                    print(json.dumps(row), flush=True)
    if given.json:
        print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
