#!/usr/bin/env python3
"""Whatever bytes come from outside, platter reads or refuses them quickly and in one sentence.

Valid files of each format, made by the program itself, are damaged - bytes, words, numbers, for JSON also
its structure - and given to it. A finding is a signal, status 1 (internal), an exit status that is none, more than
5 s of processor time or 1 GB of memory, or a byte in a sentence that a terminal would obey.

    bench/trust/mutants.py --count 5000                     # 5000 of each format
    bench/trust/mutants.py --count 100000 --state DIR       # goes on where DIR says that it was stopped
    bench/trust/mutants.py --formats model table --only 17  # one mutant of each again

Which mutant has which damage follows from the seed, the format and its number alone. What was found is kept
in the state's folder, with the command."""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time

import damage
import documents
import judging

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def mutant(formats, form, number, seed, folder):
    """Makes the mutant in a folder; returns the words of the command, and which file it damaged."""
    dice = random.Random(f"{seed}/{form}/{number}")
    files, targets, commands = formats.all[form]
    documents.copy_to(folder, formats.folder, files)
    name, kind = dice.choice(targets)
    command = dice.choice(commands)
    damage.damage_file(dice, os.path.join(folder, name), kind)
    return [word.replace("FILE", name) for word in command.split()], name


def campaign(platter, formats, names, count, seed, state, seconds, only, any_bytes):
    """So many mutants of each format. Returns the number of findings."""
    record_path = os.path.join(state, "mutants.json")
    record = {}
    if os.path.exists(record_path) and only is None:
        with open(record_path, encoding="utf-8") as file:
            record = json.load(file)
    begin, findings = time.monotonic(), 0
    for form in names:
        done = record.setdefault(form, {"next": 0, "refused": 0, "findings": 0})
        numbers = range(done["next"], count) if only is None else (only,)
        for number in numbers:
            if seconds and time.monotonic() - begin > seconds * (names.index(form) + 1) / len(names):
                break
            with tempfile.TemporaryDirectory() as folder:
                words, name = mutant(formats, form, number, seed, folder)
                judged = judging.judge(platter, words, folder, any_bytes)
                if judged.wrong:
                    findings += 1
                    done["findings"] += 1
                    kept = os.path.join(state, "findings", f"{form}-{number}")
                    os.makedirs(kept, exist_ok=True)
                    shutil.copy(os.path.join(folder, name), kept)
                    with open(os.path.join(kept, "command"), "w", encoding="utf-8") as file:
                        file.write(f"platter {' '.join(words)}\n{judged.wrong}\n")
                    print(f"{form} {number}: {judged.wrong}: platter {' '.join(words)} ({kept})", flush=True)
            done["refused"] += judged.status not in judging.SILENT
            done["next"] = number + 1
            if only is None and number % 100 == 99:
                save(record, record_path)
        if only is None:
            save(record, record_path)
        print(f"{form:16} {done['next']:>7} mutants, {done['refused']:>7} refused, {done['findings']} findings", flush=True)
    return findings


def save(record, path):
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(record, file, indent=1)
    os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build", "release", "platter"))
    parser.add_argument("--count", type=int, default=100_000, help="mutants of each format")
    parser.add_argument("--formats", nargs="+", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0, help="stop after about so long")
    parser.add_argument("--state", default="", help="the folder of what was done and found")
    parser.add_argument("--only", type=int, help="the mutant of this number alone")
    parser.add_argument("--allow-control-bytes", action="store_true", help="in sentences")
    options = parser.parse_args()
    platter = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as passing:
        state = options.state or passing
        os.makedirs(state, exist_ok=True)
        formats = documents.Documents(platter, folder)
        names = options.formats or list(formats.all)
        unknown = set(names) - set(formats.all)
        if unknown:
            parser.error(f"no format {', '.join(sorted(unknown))}; there are {', '.join(formats.all)}")
        found = campaign(platter, formats, names, options.count, options.seed, state, options.seconds, options.only,
                         options.allow_control_bytes)
        if found and not options.state:
            kept = tempfile.mkdtemp(prefix="mutants-")
            shutil.move(os.path.join(state, "findings"), kept)
            print(f"kept in {kept}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
