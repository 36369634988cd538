#!/usr/bin/env python3
"""How true to its model's times an NBD client sees an emulated drive, in turn with nbdkit's delay filter.

Random reads of 4 KiB, one outstanding, in rounds: on the emulated drive, then on a disk in memory behind the delay
filter. The drive's model times are those of its log, which is checked against the engine afterwards. Both sides run
under SCHED_FIFO where the host allows it; where it does not, what is printed says little about the emulator.

    bench/emulators/nbd_real_time.py --build build/release [--requests 20000] [--model drive.json] [--json]

20,000 requests take about six minutes.
"""
import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import tempfile
import time

DELAY_MS = 6


def wait_for(what, seconds=10):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            raise SystemExit("nbd_real_time: a server did not start in time")
        time.sleep(0.05)


def latencies_ns(build, uri, requests, seed, folder, fifo):
    out = folder / "latencies"
    command = [build / "nbd_load", uri, "--requests", str(requests), "--seed", str(seed), "--latencies", out]
    subprocess.run([*map(str, command), *(["--fifo"] if fifo else [])], check=True, stdout=subprocess.DEVNULL)
    return [int(line) for line in out.read_text().split()]


def model_times_ns(log):
    """In the order of the requests: one is outstanding at a time."""
    times, arrival = [], 0
    for line in log.read_text().splitlines()[1:]:
        words = line.split()
        if words[1] == "s":
            arrival = int(words[6])
        elif words[1] == "t":
            times.append(int(words[3]) - arrival)
    return times


def summary(errors_ns, times_ns):
    absolute = sorted(abs(error) for error in errors_ns)
    at = lambda share: absolute[min(len(absolute) - 1, int(share * len(absolute)))] / 1e3
    within = lambda part: sum(abs(e) <= t * part for e, t in zip(errors_ns, times_ns)) / len(errors_ns)
    return {"requests": len(errors_ns), "median_error_us": statistics.median(errors_ns) / 1e3,
            "median_absolute_error_us": at(0.5), "p98_us": at(0.98), "p99_us": at(0.99), "p999_us": at(0.999),
            "share_within_60_us": sum(a <= 60_000 for a in absolute) / len(absolute),
            "share_within_2_percent": within(0.02), "share_within_half_percent": within(0.005)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--requests", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--model", type=pathlib.Path, help="else: the catalogue's Quantum Atlas 10K")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    build = given.build.resolve()
    fifo = subprocess.run(["chrt", "-f", "50", "true"], stderr=subprocess.DEVNULL).returncode == 0
    first = ["chrt", "-f", "50"] if fifo else []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = given.model or folder / "drive.json"
        if given.model is None:
            subprocess.run([build / "platter", "truth", "virtual:quantum-atlas10k", "-o", model], check=True)
        log, socket, other = folder / "log", folder / "drive.sock", folder / "delay.sock"
        with open(folder / "said", "w") as said:
            server = subprocess.Popen([build / "platter", "emulate", model, "--nbd", socket, "--log", log, "--json"],
                                      stdout=subprocess.PIPE, stderr=said, text=True)
            delay = subprocess.Popen([*first, "nbdkit", "-f", "-U", other, "--filter=delay", "memory", "1G",
                                      f"rdelay={DELAY_MS}ms"], stderr=subprocess.DEVNULL)
            wait_for(lambda: "ready" in (folder / "said").read_text() and other.exists())
            seen, delayed = [], []
            for turn in range(given.rounds):
                part = given.requests // given.rounds
                seen += latencies_ns(build, f"nbd+unix:///?socket={socket}", part, 2 * turn, folder, fifo)
                delayed += latencies_ns(build, f"nbd+unix:///?socket={other}", part // 4, 2 * turn + 1, folder, fifo)
            delay.terminate()
            server.send_signal(signal.SIGTERM)
            report = json.loads(server.communicate()[0])
        checked = subprocess.run([build / "platter", "emulate", model, "--check-log", log, "--json"], check=True,
                                 capture_output=True, text=True)
        times = model_times_ns(log)
        assert len(times) == len(seen), (len(times), len(seen))
        result = {"fifo": fifo, "cores": os.cpu_count(), "load": os.getloadavg()[0],
                  "differ_offline": json.loads(checked.stdout)["differ"],
                  "emulated": summary([s - t for s, t in zip(seen, times)], times),
                  "delay_filter": summary([s - DELAY_MS * 1_000_000 for s in delayed],
                                          [DELAY_MS * 1_000_000] * len(delayed)),
                  "emulator_says": report["drives"][0]["delivery_against_model"],
                  "inbound_us": report["inbound_us"], "outbound_us": report["outbound_us"]}
    if given.json:
        print(json.dumps(result, indent=2))
        return
    print(f"SCHED_FIFO: {'yes' if fifo else 'no'}; load {result['load']:.1f} on {result['cores']} cores; "
          f"differing offline: {result['differ_offline']}; the way here {result['inbound_us']:.1f} us, "
          f"back {result['outbound_us']:.1f} us")
    for name in ("emulated", "delay_filter"):
        s = result[name]
        print(f"{name}: {s['requests']} reads; client less model: median {s['median_error_us']:+.1f} us, absolute "
              f"{s['median_absolute_error_us']:.1f} us, 98 % {s['p98_us']:.1f}, 99 % {s['p99_us']:.1f}, 99.9 % "
              f"{s['p999_us']:.1f}; {100 * s['share_within_60_us']:.2f} % within 60 us, "
              f"{100 * s['share_within_2_percent']:.2f} % within 2 % of the model's time, "
              f"{100 * s['share_within_half_percent']:.2f} % within 0.5 %")


if __name__ == "__main__":
    main()
