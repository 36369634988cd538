#!/usr/bin/env python3
"""How true to its model's times clients see emulated drives, by their own clocks: drives of 512 bytes a block, of 512
emulated and of 4 KiB, over NBD and vhost-user, random and sequential, one and more outstanding. Each row's log is asked
of the engine again (--check-log); what is printed beside it is what the emulator's report says of its clients.

    bench/emulators/client_matrix.py --build build/release [--drives NAME...] [--busy] [--json]

36 rows in some six minutes. --busy: another process takes each processor.
"""
import argparse
import collections
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

DRIVES = ["quantum-atlas10k", "modern-1tb", "modern-20tb"]
Load = collections.namedtuple("Load", "words bytes depth sequential requests")
LOADS = [Load("random 4 KiB", 4096, 1, False, 1000), Load("sequential 4 KiB", 4096, 1, True, 4000),
         Load("sequential 256 KiB", 256 << 10, 1, True, 250), Load("sequential 1 MiB", 1 << 20, 1, True, 100),
         Load("random 4 KiB, 8 outstanding", 4096, 8, False, 1000),
         Load("random 4 KiB, 32 outstanding", 4096, 32, False, 1500)]
WARM = 50  # requests before the ones that count
LIMIT_US, LIMIT_PART = 20, 0.02


def wait_for(what, seconds=10):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            raise SystemExit("a server did not start in time")
        time.sleep(0.05)


def summary(errors_ns, times_ns):
    absolute = sorted(abs(error) for error in errors_ns)
    at = lambda share: absolute[min(len(absolute) - 1, int(share * len(absolute)))] / 1e3
    within = lambda part: sum(abs(e) <= t * part for e, t in zip(errors_ns, times_ns)) / len(errors_ns)
    return {"requests": len(errors_ns), "median_error_us": statistics.median(errors_ns) / 1e3,
            "median_absolute_error_us": at(0.5), "p98_us": at(0.98), "p99_us": at(0.99), "p999_us": at(0.999),
            "share_within_60_us": sum(a <= 60_000 for a in absolute) / len(absolute),
            "share_within_2_percent": within(0.02), "share_within_half_percent": within(0.005)}


def latencies_ns(client, where, what, seed, fifo, folder):
    """Of `what.requests` requests, in the order of their starts."""
    out = folder / "latencies"
    words = [client, where, "--requests", what.requests, "--depth", what.depth, "--bytes", what.bytes, "--seed", seed,
             "--latencies", out, *(["--sequential"] if what.sequential else []), *(["--fifo"] if fifo else [])]
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)
    return [int(line) for line in out.read_text().split()]


def model_times_ns(log):
    """Of the reads, in the order in which they came."""
    arrived, times = {}, []
    for number, line in enumerate(log.read_text().splitlines()[1:]):
        words = line.split()
        if words[1] == "s":
            arrived[words[2]] = int(words[6]), number
        elif words[1] == "c" and words[7][:2] in ("28", "88"):
            arrived[words[2]] = int(words[3]), number
        elif words[1] == "t" and words[2] in arrived:
            arrival, at = arrived.pop(words[2])
            times.append((arrival, at, int(words[3]) - arrival))
    return [took for _, _, took in sorted(times)]


def row(build, drive, front, what, fifo, folder):
    what = what._replace(requests=what.requests + WARM)
    model, log, socket = folder / f"{drive}.json", folder / "log", folder / "socket"
    if not model.exists():
        subprocess.run([build / "platter", "truth", f"virtual:{drive}", "-o", model], check=True)
    # What waits before a drive's queue is not the model's.
    depth = ["--depth", str(what.depth)] if front == "nbd" and what.depth > 1 else []
    with open(folder / "said", "w") as said:
        server = subprocess.Popen([build / "platter", "emulate", model, f"--{front}", socket, "--log", log, *depth,
                                   "--json"], stdout=subprocess.PIPE, stderr=said, text=True)
        wait_for(lambda: "ready" in (folder / "said").read_text())
        if front == "nbd":
            seen = latencies_ns(build / "nbd_load", f"nbd+unix:///?socket={socket}", what, 1, fifo, folder)
        else:
            seen = latencies_ns(build / "vhost_load", socket, what, 1, fifo, folder)
        server.send_signal(signal.SIGTERM)
        report = json.loads(server.communicate()[0])
    checked = subprocess.run([build / "platter", "emulate", model, "--check-log", log, "--json"], check=True,
                             capture_output=True, text=True)
    times = model_times_ns(log)
    assert len(times) == len(seen), (len(times), len(seen))
    log.unlink()
    times, seen = times[WARM:], seen[WARM:]
    result = summary([s - t for s, t in zip(seen, times)], times)
    median = sorted(times)[len(times) // 2] / 1e3
    told = report["at_client"]
    return {"drive": drive, "front": front, "load": what.words, "model_median_us": median, **result,
            "differ": json.loads(checked.stdout)["differ"], "report_median_us": told and told["error_median_us"],
            "true": abs(result["median_error_us"]) <= LIMIT_US + LIMIT_PART * median
            and (what.bytes > 4096 or what.sequential or what.depth > 1 or result["p98_us"] <= 60)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--drives", nargs="+", default=DRIVES)
    parser.add_argument("--fronts", nargs="+", default=["nbd", "vhost-user"])
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    build = given.build.resolve()
    fifo = subprocess.run(["chrt", "-f", "50", "true"], stderr=subprocess.DEVNULL).returncode == 0
    rows = []
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() * given.busy)]
    if not given.json:
        print(f"SCHED_FIFO: {'yes' if fifo else 'no'}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
              f"{'; each of them busy' if given.busy else ''}\n"
              "| drive | front end | load | model: median (us) | client less model: median (us) | absolute: 98 % | within 60 us "
              "(%) | the report: median (us) | differ |\n|---|---|---|---|---|---|---|---|---|")
    try:
        with tempfile.TemporaryDirectory() as name:
            for drive in given.drives:
                for front in given.fronts:
                    for what in LOADS:
                        r = row(build, drive, front, what, fifo, pathlib.Path(name))
                        rows.append(r)
                        if not given.json:
                            print(f"| {drive} | {front} | {what.words} | {r['model_median_us']:.1f} | {r['median_error_us']:+.1f} | "
                                  f"{r['p98_us']:.1f} | {100 * r['share_within_60_us']:.1f} | {r['report_median_us']} | "
                                  f"{r['differ']} |", flush=True)
    finally:
        for other in others:
            other.kill()
    if given.json:
        print(json.dumps(rows, indent=2))
    else:
        for r in rows:
            if not r["true"]:
                print(f"not as asked: {r['drive']}, {r['front']}, {r['load']}: {r['median_error_us']:+.1f} us, 98 % "
                      f"{r['p98_us']:.1f} us")
        print(f"rows as asked: {sum(r['true'] for r in rows)} of {len(rows)} (median within {LIMIT_US} us + {LIMIT_PART:.0%} of "
              f"the model's; 98 % of random reads, one outstanding, within 60 us)")
    sys.exit(0 if all(r["true"] and r["differ"] == 0 for r in rows) else 1)


if __name__ == "__main__":
    main()
