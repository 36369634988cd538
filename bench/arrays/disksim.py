#!/usr/bin/env python3
"""RAID 5 of a model's DiskSim files: DiskSim's own logical organisation against `platter replay --array raid5`.

Random requests of 4 KiB arrive as a Poisson stream. DiskSim stripes with rotated parity, left-symmetric, and with its
`Synch writes for safety`, so that all writes of a request wait for all its reads, as md does. One line each: the mean
response time of both, and the difference.

    bench/arrays/disksim.py --disksim PROGRAM [--build build/release] [--model drive.json] [--requests 10000] [--json]
"""
import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "emulators"))
from simulated import Platter  # noqa: E402

CHUNK_KIB = 64
BLOCKS = 8  # of a request, and the grid that it lies on


def array_parameters(text, members, chunk_blocks):
    """The files' parameters, made those of an array: each drive with controller and bus of its own."""
    drive = re.search(r"instantiate \[ disk0 \] as (\S+)", text)[1]
    begin, end = text.index("instantiate [ host0 ]"), text.index("instantiate [ device0 ]")
    numbers = range(members)
    lines = ["instantiate [ host0 ] as HOST", "instantiate [ hostbus0 ] as HOST_BUS"]
    for i in numbers:
        lines += [f"instantiate [ controller{i} ] as CONTROLLER", f"instantiate [ drivebus{i} ] as DRIVE_BUS",
                  f"instantiate [ disk{i} ] as {drive}"]
    controllers = ",\n    ".join(f"disksim_ctlr controller{i} [ disksim_bus drivebus{i} [ disksim_disk disk{i} [] ] ]"
                                 for i in numbers)
    lines.append(f"topology disksim_iodriver host0 [\n  disksim_bus hostbus0 [\n    {controllers}\n  ]\n]")
    lines.append(f"""disksim_logorg DEVICE {{
  Addressing mode = Array,
  Distribution scheme = Striped,
  Redundancy scheme = Parity_rotated,
  devices = [ {", ".join(f"disk{i}" for i in numbers)} ],
  Stripe unit = {chunk_blocks},
  Synch writes for safety = 1,
  Number of copies = 2,
  Copy choice on read = 6,
  RMW vs. reconstruct = 0.5,
  Parity stripe unit = {chunk_blocks},
  Parity rotation type = 1,
  Time stamp interval = 0.0,
  Time stamp start time = 0.0,
  Time stamp stop time = 0.0
}}
""")
    text = text[:begin] + "\n".join(lines) + "\n" + text[end:]
    # Transfers of several controllers share the host's bus.
    return re.sub(r"(disksim_bus HOST_BUS \{\s*type = )1", r"\g<1>2", text)


def run_disksim(program, folder, name, trace, requests):
    """The mean response time in ms."""
    subprocess.run([program, f"{name}.parv", f"{name}.out", "ascii", trace, "0"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    text = (folder / f"{name}.out").read_text(encoding="latin-1")
    served = int(re.search(r"Overall I/O System Total Requests handled:\s*(\d+)", text)[1])
    if served < requests - 1:  # Western Digital's stops when it issues the last
        raise SystemExit(f"DiskSim served {served} of {requests} requests")
    return float(re.search(r"Overall I/O System Response time average:\s*([\d.]+)", text)[1])


def write_trace(path, mode, count, pages, mean_ms):
    chance = random.Random(3)
    now = 0.0
    with open(path, "w", encoding="ascii") as trace:
        for _ in range(count):
            now += chance.expovariate(1 / mean_ms)
            trace.write(f"{now:.6f} 0 {chance.randrange(pages) * BLOCKS} {BLOCKS} {1 if mode == 'read' else 0}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--disksim", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--model", type=pathlib.Path, help="else: the catalogue's Quantum Atlas 10K")
    parser.add_argument("--requests", type=int, default=10000)
    parser.add_argument("--gap-ms", type=float, nargs="+", default=[100.0, 20.0], help="between arrivals, in the mean")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    platter = Platter(given.build)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = given.model or folder / "drive.json"
        if not given.model:
            platter.run("truth", "virtual:quantum-atlas10k?imperfections=none", "-o", model)
        platter.run("emit", "disksim", model, "--force", "--name", "drive", "-o", folder)
        alone = (folder / "drive.parv").read_text(encoding="latin-1")
        for members in (3, 5):
            (folder / "array.parv").write_text(array_parameters(alone, members, CHUNK_KIB * 2), encoding="latin-1")
            for mode in ("read", "write"):
                for gap_ms in given.gap_ms:
                    trace = folder / "array.trace"
                    write_trace(trace, mode, given.requests, 8 * 2**30 // 4096, gap_ms)
                    disksim_ms = run_disksim(given.disksim.resolve(), folder, "array", trace.name, given.requests)
                    ours = json.loads(platter.run(
                        "replay", trace, "--format", "ascii", "--array", "raid5", "--stripe", CHUNK_KIB, "--phase-seed", 0,
                        "--depth", 4096, "--json", "--force", "-o", folder / "r.csv",
                        "--on", *[folder / "drive.parv"] * members))
                    our_ms = ours["all"]["mean_ms"]
                    rows.append({"members": members, "mode": mode, "gap_ms": gap_ms, "requests": given.requests,
                                 "disksim_ms": disksim_ms, "platter_ms": our_ms,
                                 "off_percent": 100 * (our_ms / disksim_ms - 1)})
                    if not given.json:
                        print(f"{members} members, {mode}, every {gap_ms:g} ms: DiskSim {disksim_ms:.4f} ms, platter "
                              f"{our_ms:.4f} ms, {rows[-1]['off_percent']:+.2f} %", flush=True)
    if given.json:
        print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
