#!/usr/bin/env python3
"""How true to its model's times a client sees an emulated drive as a block device (ublk), and over NBD.

Random reads of 4 KiB, one outstanding: of the block device past the page cache, and by libnbd. The model's times are
those of the log, which is checked against the engine.

    bench/emulators/ublk_real_time.py --build build/release [--requests 2000] [--model drive.json] [--guest]

As root, where the kernel has ublk. --guest: in user-mode Linux with the module that tests/uml/ublk_module.sh builds; its
clock and scheduling are an ordinary process's: its rows say which is the truer, not how true either is on a host.
"""
import argparse
import json
import mmap
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from client_matrix import Load, latencies_ns, model_times_ns, summary, wait_for

ROOT = pathlib.Path(__file__).resolve().parents[2]
BYTES = 4096


def block_device_ns(path, requests, seed):
    """The time of each read."""
    device, dice, page = os.open(path, os.O_RDONLY | os.O_DIRECT), random.Random(seed), mmap.mmap(-1, BYTES)
    places = os.lseek(device, 0, os.SEEK_END) // BYTES
    times = []
    for _ in range(requests):
        at = dice.randrange(places) * BYTES
        began = time.monotonic_ns()
        os.preadv(device, [page], at)
        times.append(time.monotonic_ns() - began)
    os.close(device)
    return times


def row(kind, build, model, requests, folder, fifo):
    socket, log = folder / "socket", folder / "log"
    where = ["--ublk"] if kind == "ublk" else ["--nbd", socket]
    with open(folder / "said", "w+") as said:
        server = subprocess.Popen([build / "platter", "emulate", model, *where, "--log", log, "--json"],
                                  stdout=subprocess.PIPE, stderr=said, text=True)
        said_so_far = lambda: (folder / "said").read_text()
        wait_for(lambda: "ready" in said_so_far(), 60)
        if kind == "ublk":
            seen = block_device_ns(re.search(r"is (/dev/ublkb\d+)$", said_so_far(), re.MULTILINE)[1], requests, 1)
        else:
            seen = latencies_ns(build / "nbd_load", f"nbd+unix:///?socket={socket}",
                                Load("", BYTES, 1, False, requests), 1, fifo, folder)
        server.send_signal(signal.SIGTERM)
        report = json.loads(server.communicate()[0])
    subprocess.run([build / "platter", "emulate", model, "--check-log", log], check=True, stdout=subprocess.DEVNULL)
    times = model_times_ns(log)[-requests:]  # before them the kernel looked for partitions
    assert len(times) == len(seen), (len(times), len(seen))
    return summary([s - t for s, t in zip(seen, times)], times), report


def in_guest(build, requests):
    done = subprocess.run([ROOT / "tests/uml/run.sh", build, "ublk_times.sh", f"platter_requests={requests}"], check=False,
                          env={**os.environ, "PLATTER_UML_MEMORY": "512M"})
    sys.exit(done.returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--model", type=pathlib.Path, help="else: the catalogue's Quantum Atlas 10K")
    parser.add_argument("--guest", action="store_true")
    given = parser.parse_args()
    build = given.build.resolve()
    if given.guest:
        in_guest(build, given.requests)
    fifo = subprocess.run(["chrt", "-f", "50", "true"], stderr=subprocess.DEVNULL).returncode == 0
    if fifo:
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(50))
    print(f"random reads of 4 KiB, one outstanding; SCHED_FIFO: {'yes' if fifo else 'no'}; load {os.getloadavg()[0]:.1f} on "
          f"{os.cpu_count()} cores")
    print("| front end | reads | client less model, median (us) | absolute: median | 98 % | within 60 us (%) | within 2 % (%) | "
          "the report: median at the client (us) | way in, back (us) |\n|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = given.model or folder / "drive.json"
        if given.model is None:
            subprocess.run([build / "platter", "truth", "virtual:quantum-atlas10k", "-o", model], check=True)
        for kind in ("ublk", "nbd"):
            s, report = row(kind, build, model, given.requests, folder, fifo)
            told = report["at_client"] or {}
            print(f"| {kind} | {s['requests']} | {s['median_error_us']:+.1f} | {s['median_absolute_error_us']:.1f} | "
                  f"{s['p98_us']:.1f} | {100 * s['share_within_60_us']:.1f} | {100 * s['share_within_2_percent']:.1f} | "
                  f"{told.get('error_median_us')} | {report['inbound_us']}, {report['outbound_us']} |",
                  flush=True)


if __name__ == "__main__":
    main()
