#!/usr/bin/env python3
"""DiskSim's own responses to the traces that were measured on five real drives, as results that
`platter compare` reads; bench/measured_traces.sh takes the folder.

    disksim_responses.py --disksim PROGRAM --platter PROGRAM DATA -o FOLDER

PROGRAM is Carnegie Mellon's DiskSim 4.0 or Western Digital's. DATA holds DiskSim 4.0's
validation sets. Each .parv is used as it is, but for the line that makes DiskSim write when each
request was issued and completed. A result's period and bus rate, by which hits are judged, are
those of the imported model.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile

SETS = ["quantum-atlas10k/atlas10k", "seagate-cheetah9LP/cheetah9LP", "ibm-18es/ibm18es",
        "seagate-barracuda/barracuda", "hp-c2247a/hp_c2247a"]


def run_disksim(program, source, name, work):
    """The execution trace of `name`'s validate trace, which is left in `work`."""
    shutil.copytree(source, work, copy_function=shutil.copyfile, dirs_exist_ok=True)
    parameters = os.path.join(work, f"{name}.parv")
    with open(parameters, encoding="latin-1") as file:
        text = file.read()
    text, lines = re.subn(r"(disksim_global\s+\w+\s*\{)",
                          rf"\1\n  Detailed execution trace = {name}.exec,", text, count=1)
    if lines != 1:
        raise SystemExit(f"{parameters} has no disksim_global block")
    with open(parameters, "w", encoding="latin-1") as file:
        file.write(text)
    subprocess.run([program, f"{name}.parv", f"{name}.out", "validate", f"{name}.trace", "0"],
                   cwd=work, check=True, stdout=subprocess.DEVNULL)
    return os.path.join(work, f"{name}.exec")


def responses(executed, trace):
    """(write, lbn, blocks, issue_ns, response_ns) of each request of the trace, one at a time."""
    issued, completed = [], []
    with open(executed, encoding="latin-1") as file:
        for line in file:
            if line.startswith("Request issue"):
                issued.append((int(re.search(r"blkno (\d+)", line)[1]), float(line.split()[-1])))
                continue
            done = (re.match(r"Request completion: simtime ([\d.]+),.*? blkno (\d+)", line)
                    or re.match(r"([\d.]+),\d+,\d+,(\d+),", line))  # Western Digital's
            if done is not None:
                completed.append((int(done[2]), float(done[1])))
    with open(trace, encoding="ascii") as file:
        requests = [line.split() for line in file if line.strip()]
    if not len(issued) == len(completed) == len(requests):
        raise SystemExit(f"{executed}: {len(completed)} of {len(requests)} requests were served")
    for (lbn, start), (done, end), request in zip(issued, completed, requests):
        if not lbn == done == int(request[2]):
            raise SystemExit(f"{executed}: LBN {lbn} is not the trace's {request[2]}")
        yield (request[0], lbn, int(request[3]), round(start * 1e6), round((end - start) * 1e6))


def head_of(platter, source, name, work):
    """The head of our own result of the trace, made DiskSim's."""
    model, result = os.path.join(work, "model.json"), os.path.join(work, "result.csv")
    for command in (["import", "disksim", os.path.join(source, f"{name}.parv"), "-o", model],
                    ["replay", os.path.join(source, f"{name}.trace"), "--on", model,
                     "--reference-reads", "0", "-o", result]):
        subprocess.run([platter, *command], check=True, stderr=subprocess.DEVNULL)
    with open(result, encoding="utf-8") as file:
        head = json.loads(file.readline().lstrip("# "))
    kept = ("schema", "platter", "target", "mode", "depth", "block_bytes", "period_ns",
            "block_transfer_ns")
    return {**{key: head[key] for key in kept if key in head}, "name": f"DiskSim, {name}",
            "trace": f"{name}.trace", "caches": "unknown"}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--disksim", required=True, help="DiskSim's program")
    parser.add_argument("--platter", default="build/release/platter")
    parser.add_argument("-o", "--output", required=True, help="the folder for NAME.result.csv")
    parser.add_argument("data")
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    for parameters in SETS:
        source, name = os.path.split(os.path.join(arguments.data, parameters))
        with tempfile.TemporaryDirectory() as work:
            executed = run_disksim(os.path.abspath(arguments.disksim), source, name, work)
            head = head_of(os.path.abspath(arguments.platter), source, name, work)
            rows = responses(executed, os.path.join(source, f"{name}.trace"))
            path = os.path.join(arguments.output, f"{name}.result.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"# {json.dumps(head)}\n"
                           "part,op,lbn,blocks,due_ns,issue_ns,response_ns,media,waited_ns\n")
                count = 0
                for op, lbn, blocks, issue_ns, response_ns in rows:
                    file.write(f"trace,{op},{lbn},{blocks},{issue_ns},{issue_ns},{response_ns},,0\n")
                    count += 1
        print(f"{path}: {count} requests")


if __name__ == "__main__":
    main()
