#!/usr/bin/env python3
"""search.py DIR [--times N] [--cold]: what searching a registry costs; make_folder.py made DIR. Prints a table.

Wall and CPU time are medians, memory is the largest of all runs. Entries are published into DIR and stay there;
--cold drops the kernel's caches (as root). PLATTER_BINARY names the program (else `platter`).
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

PLATTER = os.environ.get("PLATTER_BINARY", "platter")


def run(*words):
    """Wall seconds, CPU seconds and MB of one run."""
    begun = time.monotonic()
    process = subprocess.Popen((PLATTER, *words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"search.py: {' '.join(words)}: status {process.returncode}")
    return time.monotonic() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def row(name, runs):
    wall, cpu, memory = zip(*runs)
    print(f"| {name} | {statistics.median(wall) * 1e3:,.0f} | {statistics.median(cpu) * 1e3:,.0f} | {max(memory):,.0f} |", flush=True)


def drop_caches():
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
        file.write("3")


class Publisher:
    """New versions of the first drive's model: another seed each."""

    def __init__(self, registry, folder):
        self.registry, self.path = registry, os.path.join(folder, "model.json")
        drive = sorted(os.listdir(os.path.join(registry, "drives")))[0]
        self.model = json.loads(subprocess.run((PLATTER, "registry", "pull", drive, "--registry", registry), check=True,
                                               capture_output=True, text=True).stdout)

    def __call__(self):
        self.model["provenance"]["seed"] = time.time_ns() % 2 ** 50
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(self.model, file)
        return run("publish", self.path, "--registry", self.registry)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("registry")
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--cold", action="store_true")
    options = parser.parse_args()
    at, times = ("--registry", options.registry), range(options.times)
    searches = (("words: `seagate nm0012`", ("seagate", "nm0012")), ("a word that most hold: `characterized`", ("characterized",)),
                ("a word of two letters: `z1`", ("z1",)), ("a word that none holds", ("nonesuch",)),
                ("a digest's beginning", ("sha256:00ab",)),
                ("ranges: `--rpm 10k --capacity '>9G' --demerit 'random:<2%'`",
                 ("--rpm", "10k", "--capacity", ">9G", "--demerit", "random:<2%")),
                ("ranges that none fulfils", ("--rpm", ">15k", "--date", "2024")),
                ("an annotation", ("--annotation", "vnd.platter.revision=SN07")))
    print("| | wall, ms | CPU, ms | memory, MB |\n|---|--:|--:|--:|")
    row("`rebuild-index`", [run("registry", "rebuild-index", *at)])
    for name, words in searches:
        search = ("registry", "search", *words, "--limit", "50", *at)
        run(*search)
        row(f"{name}, warm", [run(*search) for _ in times])
    if options.cold:
        for name, words in searches:
            colds = []
            for _ in range(3):
                drop_caches()
                colds.append(run("registry", "search", *words, "--limit", "50", *at))
            row(f"{name}, cold", colds)
    with tempfile.TemporaryDirectory() as folder:
        publish = Publisher(options.registry, folder)
        published, after = [], []
        for _ in times:
            published.append(publish())
            after.append(run("registry", "search", *searches[0][1], "--limit", "50", *at))
        row("`publish`", published)
        row("the first search after it", after)
    row("`list`", [run("registry", "list", *at) for _ in range(3)])
    row("`list --json`", [run("registry", "list", "--json", *at) for _ in range(3)])
    size = os.path.getsize(os.path.join(options.registry, "search.sqlite")) / 1e6
    print(f"\n{len(os.listdir(os.path.join(options.registry, 'drives'))):,} drives; search.sqlite has {size:,.0f} MB")


if __name__ == "__main__":
    main()
