#!/usr/bin/env python3
"""Mirrors of one, two and three emulated drives by Linux md, in simulated time (Agrawal 2012, table III).

Random reads of 4 KiB by 16 processes should scale 1 : 2 : 3 with the drives, random writes stay as they are.

    bench/emulators/raid1.py --build build/release [--model drive.json] [--seconds 60] [--mdadm PATH] [--json]

mdadm is looked for on PATH and in build/tools (scripts/unpack mdadm). Two minutes.
"""
import argparse
import json
import pathlib
import shutil
import tempfile

from simulated import Platter

GUEST = """set -e
mdadm=MDADM
$mdadm --create /dev/md0 --run --force --assume-clean --metadata=1.2 --bitmap=none --level=1 --raid-devices=COUNT DEVICES >/dev/null 2>&1
fio --name=r --filename=/dev/md0 --direct=1 --ioengine=psync --bs=4k --rw=MODE --numjobs=16 --group_reporting --time_based \
  --runtime=SECONDS --randseed=3 --norandommap --size=SIZE --output-format=json
$mdadm --stop /dev/md0 >/dev/null 2>&1
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--model", type=pathlib.Path, help="else: the catalogue's Quantum Atlas 10K, caches off")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--mdadm", type=pathlib.Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    platter = Platter(given.build)
    found = given.mdadm or shutil.which("mdadm") or given.build.resolve().parent / "tools/sbin/mdadm"
    rows = []
    with tempfile.TemporaryDirectory() as name:
        models = []
        for i in range(3):
            model = pathlib.Path(name) / f"drive{i}.json"
            if given.model:
                model.write_text(given.model.read_text())
            else:
                platter.run("truth", "virtual:quantum-atlas10k?imperfections=none", "-o", model)
            models.append(model)
        for mode in ("randread", "randwrite"):
            for count in (1, 2, 3):
                command = GUEST
                for word, value in (("MDADM", found), ("COUNT", count), ("MODE", mode), ("SECONDS", given.seconds),
                                    ("SIZE", "8g"), ("DEVICES", " ".join(f"/dev/sd{'abc'[i]}" for i in range(count)))):
                    command = command.replace(word, str(value))
                output, report = platter.cosim(models[:count], command)
                job = json.loads(output[output.index("{"):])["jobs"][0]
                side = job["read" if mode == "randread" else "write"]
                first = next((row for row in rows if row["mode"] == mode), None)
                rows.append({"mode": mode, "drives": count, "io_per_s": side["iops"],
                             "ratio": side["iops"] / first["io_per_s"] if first else 1.0,
                             "simulated_seconds": report["simulated_seconds"],
                             "wall_seconds": report["wall_seconds"]})
                if not given.json:
                    row = rows[-1]
                    print(f"{mode}, {count} drives: {row['io_per_s']:.2f} I/O a second, {row['ratio']:.3f} of one drive "
                          f"({row['simulated_seconds']:.0f} s in {row['wall_seconds']:.1f} s)", flush=True)
    if given.json:
        print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
