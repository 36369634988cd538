#!/usr/bin/env python3
"""Wu's eighteen workloads (Wu 2016, tables 4.2 and 4.3) in simulated time, and the same requests through the replay.

fio in a guest, past the page cache, one request outstanding without pause, SECONDS of simulated time each: all random or
80 % random; reads, writes or half and half; 4 KiB, 128 KiB or 4 to 128 KiB. What the guest asked is then replayed on
the model, each request as long after the one before as the guest took to ask it. Requests a second of both should agree;
Wu's are those of another drive.

    bench/emulators/wu_profiles.py --build build/release [--model drive.json] [--seconds 180] [--json]

With 180 seconds it takes about ten minutes.
"""
import argparse
import json
import pathlib
import tempfile

from simulated import Platter, requests_of, write_closed_trace

WU_IO_PER_S = {  # his table 4.2, a Cheetah 15K.5 in DiskSim
    ("random", "read"): (172.75, 140.74, 155.06), ("random", "write"): (171.51, 142.76, 156.09),
    ("random", "both"): (170.45, 140.15, 153.99), ("mixed", "read"): (243.19, 186.37, 211.22),
    ("mixed", "write"): (195.20, 160.27, 176.60), ("mixed", "both"): (210.87, 169.69, 188.50)}
WU_SPEEDUP = {  # his table 4.3: simulated over wall time
    ("random", "read"): (2.27, 1.33, 1.62), ("random", "write"): (2.37, 1.30, 1.62),
    ("random", "both"): (2.37, 1.33, 1.62), ("mixed", "read"): (2.19, 1.13, 1.45),
    ("mixed", "write"): (1.57, 1.07, 1.22), ("mixed", "both"): (1.76, 1.10, 1.33)}
SIZES = {"4 KB": "--bs=4k", "128 KB": "--bs=128k", "uniform": "--bsrange=4k-128k --bs_unaligned=0"}
OPERATIONS = {"read": "randread", "write": "randwrite", "both": "randrw"}


def profile(platter, model, folder, order, operation, size, seconds):
    log, trace, result = folder / "log", folder / "trace", folder / "result"
    fio = (f"fio --name=wu --filename=/dev/sda --direct=1 --ioengine=psync --rw={OPERATIONS[operation]} {SIZES[size]} "
           f"--percentage_random={100 if order == 'random' else 80} --norandommap --time_based --runtime={seconds} "
           f"--randseed=7 --output-format=json")
    output, report = platter.cosim([model], fio, log=log)
    job = json.loads(output[output.index("{"):])["jobs"][0]
    requests = requests_of(log)[-(job["read"]["total_ios"] + job["write"]["total_ios"]):]  # before: the kernel's own
    write_closed_trace(requests, trace)
    summary = json.loads(platter.run("replay", trace, "--format", "validate", "--on", model, "-o", result, "--json",
                                     "--force", "--reference-reads", 0, "--delay-seed", 0))
    checked = platter.check_log([model], log)
    thought_ns = sum(after.issued_ns - before.completed_ns for before, after in zip(requests, requests[1:]))
    replayed = 1e3 / (summary["all"]["mean_ms"] + thought_ns / 1e6 / len(requests))
    guest = job["read"]["iops"] + job["write"]["iops"]
    return {"order": order, "operation": operation, "size": size, "requests": len(requests),
            "guest_io_per_s": guest, "replay_io_per_s": replayed, "differ": checked["differ"],
            "difference_percent": 100 * (guest / replayed - 1),
            "speedup": report["simulated_seconds"] / report["wall_seconds"],
            "cpu_ms_a_command": 1e3 * sum(report["processor_seconds"].values()) / report["commands"],
            "messages_a_command": report["messages"] / report["commands"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--model", type=pathlib.Path, help="else: the catalogue's Maxtor Atlas 10K IV")
    parser.add_argument("--seconds", type=int, default=180)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    platter, rows = Platter(given.build), []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = folder / "drive.json"
        if given.model:
            model.write_text(given.model.read_text())
        else:
            platter.run("truth", "virtual:maxtor-atlas10k4?imperfections=none", "-o", model)
        if not given.json:
            print("| workload | size | requests | guest, I/O a second | replay | difference | speedup | Wu: I/O a second "
                  "| his speedup |\n|---|---|---|---|---|---|---|---|---|")
        for order in ("random", "mixed"):
            for operation in OPERATIONS:
                for i, size in enumerate(SIZES):
                    row = profile(platter, model, folder, order, operation, size, given.seconds)
                    rows.append(row)
                    if not given.json:
                        print(f"| {order}, {operation} | {size} | {row['requests']} | {row['guest_io_per_s']:.2f} | "
                              f"{row['replay_io_per_s']:.2f} | {row['difference_percent']:+.2f} % | "
                              f"{row['speedup']:.1f} | {WU_IO_PER_S[order, operation][i]:.2f} | "
                              f"{WU_SPEEDUP[order, operation][i]:.2f} |", flush=True)
    if given.json:
        print(json.dumps(rows, indent=2))
    else:
        worst = max(abs(row["difference_percent"]) for row in rows)
        print(f"\nguest and replay differ by {worst:.2f} % at most; "
              f"{sum(row['differ'] for row in rows)} model times differ from the engine's")


if __name__ == "__main__":
    main()
