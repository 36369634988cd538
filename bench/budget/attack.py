#!/usr/bin/env python3
"""Any document of at most 4 MB costs any subcommand that takes it at most 5 s of processor time and 1 GB of memory.

Documents that ask for far more than they are (bombs.py) are given to every subcommand that takes their kind
(bench/trust/documents.py). A finding is more than that, a signal, status 1, a failure without one sentence, or a file
that is left where the document was refused.

    bench/budget/attack.py                                   # all, for an hour
    bench/budget/attack.py --quick                           # those that were findings, and one of each kind
    bench/budget/attack.py --kinds study array --bombs points
    bench/budget/attack.py --kinds model --commands '^show' --verbose
"""

import argparse
import concurrent.futures
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../trust"))
import bombs as bombs_of  # noqa: E402
import documents  # noqa: E402
import judging  # noqa: E402


# 12: two models differ; 130 and 143: what served was stopped.
TAKEN = {0, 12, 130, 143}
# What ends otherwise with the valid document, once that was read: of which kinds, the command, how.
OTHERWISE = (("disksim", "--check$", 6),  # there are no statistics' definitions beside the files
             ("trace-validate", "^trace convert", 6),  # its times of service are not known
             ("study|array", "^study collect", 13),  # a part was computed
             ("registry", "^fleet --drive", 6),  # of one version
             ("registry", "^registry push", 10), ("remote", "^registry index", 10),  # of a remote that has no more
             ("table", "^emulate", 6),  # the log is of the model
             ("key", "^registry sign", 6))  # the public key, too, is given to what signs


def attack(platter, made, kind, content, command):
    """One document to one subcommand."""
    files, targets, _ = made.all[kind]
    with tempfile.TemporaryDirectory() as folder:
        documents.copy_to(folder, made.folder, files)
        if callable(content):
            content(folder)
            name = targets[0][0]
        else:
            for path, its in content.items():
                bombs_of.written(folder, path, its)
            name = next(iter(content))
        return judging.judge(platter, [word.replace("FILE", name) for word in command.split()], folder)


def taken(kind, command):
    return TAKEN | {status for kinds, commands, status in OTHERWISE
                    if re.match(kinds, kind) and re.search(commands, command)}


def untouched(_folder):
    """Nothing is attacked: what refuses the valid document would refuse every attack, unread."""


def sampled(made, kind):
    """What QUICK names of this kind; no further bombs are made."""
    wanted = [(bomb, beginning) for its_kind, bomb, beginning in QUICK if its_kind == kind]
    for name, content in bombs_of.of_kind(kind, made) if wanted else ():
        for bomb, beginning in [each for each in wanted if name.endswith(each[0])]:
            wanted.remove((bomb, beginning))
            yield kind, name, content, next(c for c in made.all[kind][2] if c.startswith(beginning))
        if not wanted:
            return
    if wanted:
        raise RuntimeError(f"there are no bombs {wanted} of {kind}")


def attacks(made, kinds, bombs, commands, quick):
    for kind in kinds:
        if quick:
            yield from sampled(made, kind)
            continue
        for name, content in [("valid", untouched), *bombs_of.of_kind(kind, made)]:
            if not re.search(bombs, name):
                continue
            for command in made.all[kind][2]:
                if re.search(commands, command):
                    yield kind, name, content, command


# One of each kind at least, and what once was a finding: kind, end of the bomb's name, beginning of the
# command.
QUICK = (
    ("model", "most-tracks-with-skips", "show FILE"), ("model", "json-deep-objects-100000", "show FILE"),
    ("model", "nested-pairs", "replay t.trace --on FILE -o"), ("model", "alternating-tracks", "plot zones"),
    ("model", "most-tracks", "calibrate"), ("model", "nested-15-deep", "calibrate"),
    ("model", "zone-of-shuffled-children", "report"), ("model", "seek-points", "report"), ("model", "source", "show FILE"),
    ("table", "zeros", "show FILE"),
    ("disksim", "sources-2^30", "import disksim"), ("disksim", "ranges-instantiated", "import disksim"),
    ("disksim", "list-slips", "import disksim HP_C2247A.parv --check"),
    ("disksim-g4", "index-3-wide-12-deep", "import disksim"), ("disksim-g2", "list", "import disksim"),
    ("trace-gzip", "zeros", "trace stats FILE"), ("trace-zstd", "line-ends", "trace lint FILE"),
    ("trace-ascii", "one-line", "trace lint FILE"), ("trace-ascii", "sizes", "trace stats FILE"), ("result-csv", "head-deep-members", "result show"),
    ("result-csv", "head-deep-members", "plot cdf"),
    ("result-zstd", "zstd-rows", "result show"), ("validation", "json-deep-100000", "report"),
    ("study", "points-65536", "study plan"), ("study", "points-10^9", "study plan"), ("study", "points-10^9", "study run"),
    ("study", "points-10^18", "study collect"), ("study", "requests-10^10", "study run"),
    ("study", "requests-2^53", "study slurm"), ("study", "sizes", "study plan"), ("study", "plots", "study collect"),
    ("study", "plot-series", "study collect"), ("array", "members", "study plan"), ("array", "members-1024", "study run"),
    ("points", "json-lists", "study collect"), ("samples", "first-line-json-deep-100000", "estimate"),
    ("samples-begun", "facts-again", "characterize"),
    ("journal", "one-line", "restore"), ("host-journal", "governors", "restore"),
    ("emulation-log", "one-line", "emulate"), ("episodes", "many", "emulate"), ("episodes", "empty", "cosim"),
    ("contents", "ext4-special-extents", "emulate model.json --vhost-user"),
    ("contents", "btrfs-large-items", "emulate model.json --vhost-user"), ("registry", "layers", "registry verify"),
    ("registry", "versions", "registry list"), ("registry", "versions-missing", "fleet --drive"), ("registry", "versions", "registry site"),
    ("remote-index", "entries-short", "registry refresh"),
    ("remote", "index-json-deep-objects", "registry refresh"),
    ("key", "nul", "registry trust add"), ("kept-key", "nul", "registry trust list"))


def campaign(options, made):
    kinds = options.kinds or list(made.all)
    unknown = set(kinds) - set(made.all)
    if unknown:
        raise SystemExit(f"no kind {', '.join(sorted(unknown))}; there are {', '.join(made.all)}")
    findings, count, slowest, largest = 0, 0, (0, ""), (0, "")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as workers:
        waiting = []

        def take(done, what):
            nonlocal findings, count, slowest, largest
            judged = done.result()
            if what[1] == "valid" and judged.status not in taken(what[0], what[2]):
                judged.wrong = judged.wrong or f"status {judged.status} for a valid document: {judged.sentence[:200]}"
            count += 1
            text = f"{what[0]} {what[1]}: platter {what[2]}"
            slowest, largest = max(slowest, (judged.seconds, text)), max(largest, (judged.bytes, text))
            if judged.wrong:
                findings += 1
                print(f"{text}: {judged.wrong}", flush=True)
            elif options.verbose:
                print(f"{text}: {judged.status}, {judged.seconds:.2f} s, {judged.bytes / 1e6:.0f} MB: "
                      f"{judged.sentence[:250]}", flush=True)
        for kind, name, content, command in attacks(made, kinds, options.bombs, options.commands, options.quick):
            if options.list:
                print(f"{kind} {name}: {command}")
                continue
            while len(waiting) > 2 * options.jobs:
                take(*waiting.pop(0))
            waiting.append((workers.submit(attack, options.binary, made, kind, content, command), (kind, name, command)))
        for done, what in waiting:
            take(done, what)
    print(f"{count} attacks, {findings} findings; the slowest {slowest[0]:.2f} s ({slowest[1]}), "
          f"the largest {largest[0] / 1e6:.0f} MB ({largest[1]})")
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(HERE, "../../build/release/platter"))
    parser.add_argument("--kinds", nargs="+", default=[])
    parser.add_argument("--bombs", default="", help="only those whose names match this")
    parser.add_argument("--commands", default="", help="only those that match this")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory() as folder:
        return 1 if campaign(options, documents.Documents(options.binary, folder)) else 0


if __name__ == "__main__":
    sys.exit(main())
