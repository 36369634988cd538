#!/usr/bin/env python3
"""Types every command of documents, in a folder of each: it completes, or ends within a second with status 11 and the
name of a package, no drive being named. Prints each with its status and seconds; ends with 1 where one does otherwise.

    tour.py [--complete STATUS-11-BEGINNINGS] README.md docs/howto-paper.md ...

With --complete only commands that begin so may end with 11. Commands of the host's, or of a reader's own registry, are
left out, and named. bench/on-debian and tests/packages run it where the packages are installed."""

import argparse
import gzip
import os
import re
import signal
import subprocess
import sys
import time

from nbd_client import NbdClient

MISSING_PROGRAM = 11
MOST_SECONDS = 1  # of a command that ends with 11
DIFFERS = ("platter diff", "platter fleet")  # 12: what was found, of figures of which some differ by chance
LEFT_OUT = {
    "./quickstart": "the packages take its place", "./check": "its tests are of the sources",
    "scripts/package": "it made the packages", "apt-get install": "they are installed",
    "export PATH=": "it is of a build", "modprobe nbd": "the kernel is the host's",
    "mkfs.ext4 /dev/nbd0": "the kernel is the host's",
}
# README's own files, and examples where it has them.
TRACE = "".join(f"{128166372003061629 + 90000 * i},usr,0,{'Read' if i % 3 else 'Write'},"
                f"{4096 * (977 * i % 4001)},{4096 * (1 + i % 4)},{40000 + i}\n" for i in range(200))
OWN_FILES = """set -e
platter truth virtual:hp-c2247 -o own/truth.json
platter emit disksim own/truth.json --name drive -o .
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out me.pem
openssl pkey -in me.pem -pubout -out lab.pub
mkdir examples
ln -s /usr/share/doc/libplatter-dev/examples examples/c
ln -s /usr/share/doc/python3-platter/examples examples/python
"""


def commands(path):
    """The lines of code that are typed; one with an open quote goes on in the next."""
    with open(path, encoding="utf-8") as file:
        lines = [line[4:].rstrip("\n") for line in file if line.startswith("    ")]
    found, begun = [], ""
    for line in lines:
        begun += line if not begun else "\n" + line
        if begun.count("'") % 2 == 0:
            found.append(begun.partition("  #")[0].strip())
            begun = ""
    assert not begun, f"{path}: a quote is open: {begun}"
    return found


def typed(line):
    return subprocess.run(["bash", "-c", line], text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL)


def served(line):
    """An emulation: until it is ready, a request, then Ctrl-C."""
    said = ""
    with subprocess.Popen(["bash", "-c", "exec " + line], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        while more := process.stdout.readline():
            said += more
            if "platter: ready" in more:
                client = NbdClient(re.search(r"--nbd (\S+)", line)[1])
                client.read(1 << 20, 4096)
                client.socket.close()
                process.send_signal(signal.SIGINT)
    return subprocess.CompletedProcess(line, process.returncode, "", said)


def fault(line, done, seconds, lacking):
    """What is wrong with how it ended, or nothing."""
    status = done.returncode
    if status == 0 or (status == 12 and line.startswith(DIFFERS)):
        return ""
    if status != MISSING_PROGRAM:
        return f"status {status}"
    if lacking is not None and not line.startswith(tuple(lacking)):
        return "what it needs is installed"
    if seconds > MOST_SECONDS:
        return f"11 after {seconds:.1f} s"
    if re.search(r"virtual:|exec:|/dev/", line.partition(" -- ")[0]):
        return "a drive is named, and may have got a command"
    return "" if re.search(r"apt-get install \S|modprobe \S", done.stderr) else "no package is named"


def tour(document, lacking):
    """(commands, those that ended with 11, faults)"""
    folder = os.path.splitext(os.path.basename(document))[0]
    lines = commands(document)
    os.makedirs(folder + "/own")
    os.chdir(folder)
    own = typed(OWN_FILES)
    assert own.returncode == 0, own.stderr
    with gzip.open("usr_0.csv.gz", "wt") as file:
        file.write(TRACE)
    count = missing = faults = 0
    unmade = set()  # what commands that ended with 11 were to write
    for line in lines:
        reason = next((why for begin, why in LEFT_OUT.items() if line.startswith(begin)), None)
        if not reason and unmade & set(line.split()):
            reason = "an earlier command, which ended with 11, was to write what it reads"
        if reason:
            print(f"left out ({reason})  {line}")
            continue
        if "cc examples" in line:
            typed("platter truth virtual:quantum-atlas10k -o own/t.json && platter emit table own/t.json -o drive.ptab --force")
        begun = time.monotonic()
        done = served(line) if re.match(r"platter emulate .*--nbd", line) else typed(line)
        seconds = time.monotonic() - begun
        if done.returncode == MISSING_PROGRAM:
            unmade.update(re.findall(r"(?:--log|-o) (\S+)", line.partition(" -- ")[0]))
        wrong = fault(line, done, seconds, lacking)
        count, missing, faults = count + 1, missing + (done.returncode == MISSING_PROGRAM), faults + bool(wrong)
        print(f"{done.returncode:3} {seconds:6.2f} s  {line}" + (f"\n    WRONG: {wrong}\n{done.stderr[-1500:]}" if wrong else ""),
              flush=True)
    os.chdir("..")
    return count, missing, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--complete", nargs="*", metavar="BEGINNING")
    parser.add_argument("--in", dest="folder", required=True)
    parser.add_argument("documents", nargs="+")
    options = parser.parse_args()
    documents = [os.path.abspath(path) for path in options.documents]
    os.makedirs(options.folder)
    os.chdir(options.folder)
    os.environ["XDG_DATA_HOME"] = os.path.abspath("data")  # a registry of its own
    counts = [tour(document, options.complete) for document in documents]
    count, missing, faults = map(sum, zip(*counts))
    print(f"{count} commands, {missing} ended with 11, {faults} wrong")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
