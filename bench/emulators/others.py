#!/usr/bin/env python3
"""Twenty programs of others on a drive in simulated time (platter cosim), each twice: it ends well, and the second run is
the first to the byte, in its log and in what it prints.

    bench/emulators/others.py --build build/release [--drive virtual:...] [--only NAME,...] [--list] [--json]

Status 1: one ends otherwise, or its two runs differ. A program that is not installed is named, and its status is 1 too;
--list prints Debian's packages. Half an hour.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXT4 = "mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 /dev/sda && mount /dev/sda /mnt && cd /mnt && "
POSTGRES = EXT4 + """export PATH=$(ls -d /usr/lib/postgresql/*/bin | tail -1):$PATH HOME=/tmp && chown postgres /mnt && \
as() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; } && as initdb -D pg >/tmp/init && \
as pg_ctl -s -D pg -l log -o '-k /tmp' -w start && as createdb -h /tmp b && as pgbench -q -h /tmp -i b 2>/tmp/made && """

# Name, package, the program that has to be there, what is run.
PROGRAMS = [
    ("sqlite3", "sqlite3", "sqlite3", EXT4 + "(echo 'create table t(a,b);'; for i in $(seq 200); do "
     "echo \"insert into t values($i, hex(randomblob(200)));\"; done) | sqlite3 d.db && sqlite3 d.db 'select count(*) from t'"),
    ("git clone", "git", "git", EXT4 + "export HOME=/tmp && git config --global safe.directory '*' && "
     "git clone -q file:///mnt2/seed.git copy"),
    ("tar", "tar", "tar", EXT4 + "tar cf - -C /usr include | tar xf - && sync"),
    ("dd", "coreutils", "dd", EXT4 + "dd if=/dev/zero of=f bs=1M count=100 conv=fsync 2>&1"),
    ("hdparm -t", "hdparm", "hdparm", "hdparm -t /dev/sda"),
    ("hdparm -T", "hdparm", "hdparm", "hdparm -T /dev/sda"),
    ("ioping", "ioping", "ioping", EXT4 + "ioping -q -c 200 -i 0 -D ."),
    ("dbench", "dbench", "dbench", EXT4 + "dbench -D . -t 5 -c /usr/share/dbench/client.txt 2"),
    ("fio 4 x 32", "fio", "fio", "fio --name=r --filename=/dev/sda --rw=randread --bs=4k --direct=1 --ioengine=libaio "
     "--iodepth=32 --numjobs=4 --time_based --runtime=10 --group_reporting --randseed=3"),
    ("pgbench -i", "postgresql", "pgbench", POSTGRES + "as pg_ctl -s -D pg stop"),
    ("pgbench -c 8", "postgresql", "pgbench", POSTGRES + "as pgbench -h /tmp -c 8 -T 10 --random-seed=1 b && as pg_ctl -s -D pg stop"),
    ("pg_test_fsync", "postgresql", "pgbench", EXT4 + "$(ls /usr/lib/postgresql/*/bin/pg_test_fsync | tail -1) -f ./f -s 1"),
    ("bonnie++", "bonnie++", "bonnie++", EXT4 + "bonnie++ -d . -u root -r 32 -s 64 -n 2"),
    ("sysbench", "sysbench", "sysbench", EXT4 + "sysbench fileio --file-total-size=64M prepare >/dev/null && sysbench fileio "
     "--file-total-size=64M --file-test-mode=rndrw --time=10 --rand-seed=1 run"),
    ("stress-ng --hdd", "stress-ng", "stress-ng", EXT4 + "stress-ng --hdd 2 --hdd-bytes 32M --temp-path . -t 10s --seed 1 2>&1"),
    ("rsync", "rsync", "rsync", EXT4 + "rsync -a /usr/include . && sync"),
    ("redis AOF", "redis-server", "redis-server", EXT4 + "redis-server --dir /mnt --save '' --appendonly yes --appendfsync always "
     "--daemonize yes >/tmp/said && sleep 1 && redis-benchmark -q -t set -n 1000 -c 4 && redis-cli shutdown"),
    ("fs_mark", "fsmark", "fs_mark", EXT4 + "mkdir f && fs_mark -d f -n 100 -s 4096 -t 2 -k"),
    ("dpkg -i", "dpkg", "dpkg", EXT4 + "mkdir -p var/lib/dpkg/info var/lib/dpkg/updates && touch var/lib/dpkg/status && "
     "dpkg --root=/mnt --force-script-chrootless --force-depends -i /mnt2/package.deb"),
    ("btrfs cp", "btrfs-progs", "mkfs.btrfs", "mkfs.btrfs -q /dev/sda && mount /dev/sda /mnt && cp -r /usr/include /mnt && sync"),
]


def seed_files(folder):
    """What git clones and dpkg installs: a repository and a package of files that are made here."""
    tree = folder / "tree"
    for i in range(400):
        path = tree / "usr/share/seed" / str(i % 13) / f"{i}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(hashlib.sha256(f"{i} {j}".encode()).hexdigest() + "\n" for j in range(i % 97)), encoding="ascii")
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tree)]
    subprocess.run([*git, "init", "-q"], **quiet)
    subprocess.run([*git, "add", "."], **quiet)
    subprocess.run([*git, "commit", "-q", "-m", "seed"], **quiet)
    subprocess.run(["git", "clone", "-q", "--bare", str(tree), str(folder / "seed.git")], **quiet)
    shutil.rmtree(tree / ".git")
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN/control").write_text("Package: seed\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b>\nDescription: seed\n",
                                         encoding="ascii")
    subprocess.run(["dpkg-deb", "-b", str(tree), str(folder / "package.deb")], **quiet)


def run(platter, drive, command, folder, number):
    log, report = folder / f"{number}.log", folder / f"{number}.json"
    began = time.monotonic()
    done = subprocess.run([platter, "cosim", drive, "--memory", "1024", "--date", "2026-01-01", "--log", str(log), "--report",
                           str(report), "--", "bash", "-c", command.replace("/mnt2", str(folder))], text=True,
                          capture_output=True, check=False, timeout=1800, stdin=subprocess.DEVNULL)
    told = json.loads(report.read_text()) if report.exists() else {}
    return {"status": done.returncode, "output": done.stdout, "said": done.stderr, "told": told,
            "log": log.read_bytes() if log.exists() else b"", "host_s": time.monotonic() - began}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--drive", default="virtual:quantum-atlas10k?seed=1")
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true", help="the packages, and nothing else")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.list:
        return print(" ".join(sorted({package for _, package, _, _ in PROGRAMS}))) or 0
    platter = str(pathlib.Path(options.build).resolve() / "platter")
    wanted = [each for each in PROGRAMS if not options.only or each[0] in options.only.split(",")]
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    good, rows = True, []
    if not options.json:
        print("| program | status | simulated s | host s | commands | two runs |\n|---|---|---|---|---|---|", flush=True)
    for name, package, program, command in wanted:
        if not shutil.which(program):
            good = False
            print(f"| {name} | not installed: {package} | | | | |", flush=True)
            continue
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            seed_files(folder)
            try:
                first, second = (run(platter, options.drive, command, folder, i) for i in (1, 2))
            except subprocess.TimeoutExpired:
                good = False
                print(f"| {name} | does not end | | | | |", flush=True)
                continue
        same = first["log"] == second["log"] and first["output"] == second["output"]
        fine = first["status"] == second["status"] == 0 and same and bool(first["log"])
        good = good and fine
        row = {"program": name, "status": first["status"], "simulated_s": first["told"].get("simulated_seconds"),
               "host_s": round(first["host_s"], 1), "commands": first["log"].count(b" c "), "same": same,
               "ticks_of_the_host": first["told"].get("ticks_of_the_host")}
        rows.append(row)
        if not options.json:
            print(f"| {name} | {row['status']} | {row['simulated_s']} | {row['host_s']} | {row['commands']} | "
                  f"{'the same' if same else 'DIFFER'} |", flush=True)
            if not fine:
                print(first["said"][-600:], file=sys.stderr)
            for line in re.findall(r"^tps = .*without initial.*$", first["output"], re.MULTILINE):
                print(f"  {line}", flush=True)
    if options.json:
        print(json.dumps(rows, indent=1))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
