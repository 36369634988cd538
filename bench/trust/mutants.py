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
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DRIVE = "virtual:hp-c2247"
MOST_SECONDS, MOST_BYTES = 5.0, 10**9
STATUSES = {0, *range(2, 14), 130}
TRACES = ("ascii", "validate", "hpl", "blktrace", "blkparse", "iolog2", "iolog3", "spc", "msr", "etw")

# ---------------------------------------------------------------- damage

NUMBERS = ["0", "1", "-1", "2", "7", "255", "256", "65535", "65536", "1000000", "16777216", "2147483647",
           "2147483648", "4294967295", "4294967296", "9007199254740993", "1152921504606846976",
           "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
           "-2147483648", "-9223372036854775808", "1e308", "1e309", "-1e308", "1e-320", "0.1", "-0.0", "1e15",
           "nan", "NaN", "inf", "Infinity", "0x10", "00", "1e", "--1", "''", "null", "true"]
VALUES = [0, 1, -1, 0.5, -0.0, 1e-300, 1e300, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1,
          2**64, -2**31, -2**63, True, False, None, "", "x", "1", "\x00", "\x1b[31m", "é" * 50, [], {}, [[]], [0] * 50,
          {"value": 1}, {"value": None, "reason": ""}]


def damage_bytes(dice, data):
    """A few changes of single bytes, or of pieces."""
    data = bytearray(data)
    for _ in range(dice.choice((1, 1, 1, 2, 3, 8))):
        at = dice.randrange(len(data) + 1)
        kind = dice.randrange(7)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << dice.randrange(8)
        elif kind == 1 and data:
            data[at % len(data)] = dice.choice((0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)))
        elif kind == 2:
            data[at:at] = bytes(dice.randrange(256) for _ in range(dice.choice((1, 2, 4, 8, 100))))
        elif kind == 3:
            del data[at:at + dice.choice((1, 2, 4, 8, 64, 1000))]
        elif kind == 4:
            del data[at:]
        elif kind == 5:  # a piece again, somewhere
            piece = bytes(data[at:at + dice.choice((1, 4, 16, 256))])
            there = dice.randrange(len(data) + 1)
            data[there:there] = piece * dice.choice((1, 1, 2, 50))
        elif len(data) >= 8:  # a binary number
            width = dice.choice((1, 2, 4, 8))
            value = dice.choice((0, 1, 2**(8 * width) - 1, 2**(8 * width - 1), 2**(8 * width - 1) - 1))
            at = min(at, len(data) - width)
            data[at:at + width] = value.to_bytes(width, dice.choice(("little", "big")))
    return bytes(data)


def damage_text(dice, data):
    """Numbers and words in place of others; lines twice, away, in another order."""
    for _ in range(dice.choice((1, 1, 2, 4))):
        if dice.random() < 0.75:
            words = list(re.finditer(rb"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?|[A-Za-z_]+", data))
            if words:
                found = dice.choice(words)
                number = chr(found.group()[0]) in "-0123456789"
                other = dice.choice(NUMBERS).encode() if number or dice.random() < 0.3 \
                    else dice.choice(words).group()
                data = data[:found.start()] + other + data[found.end():]
            continue
        lines = data.split(b"\n")
        at = dice.randrange(len(lines))
        kind = dice.randrange(4)
        if kind == 0:
            lines[at:at] = [lines[at]] * dice.choice((1, 2, 300))
        elif kind == 1:
            del lines[at]
        elif kind == 2:
            there = dice.randrange(len(lines))
            lines[at], lines[there] = lines[there], lines[at]
        else:
            lines[at] = lines[at] * dice.choice((2, 200)) if dice.random() < 0.5 else lines[at][:3]
        data = b"\n".join(lines)
    return data


def places_in(value, path=()):
    """The way to every value in a document."""
    found = [path]
    if isinstance(value, dict):
        for name, inner in value.items():
            found += places_in(inner, path + (name,))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += places_in(inner, path + (index,))
    return found


def damage_json(dice, data):
    """Values of another kind or size, lists long, members away, twice or elsewhere, nested."""
    try:
        document = json.loads(data)
    except ValueError:
        return damage_text(dice, data)
    twice = False
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        places = places_in(document)
        path = dice.choice(places)
        if not path:
            continue
        holder = document
        for step in path[:-1]:
            holder = holder[step]
        last, kind = path[-1], dice.randrange(10)
        if kind < 4:
            holder[last] = dice.choice(VALUES)
        elif kind == 4 and isinstance(holder[last], (int, float)) and not isinstance(holder[last], bool):
            holder[last] = dice.choice((holder[last] * 2, -holder[last], holder[last] + 1, holder[last] * 10**6))
        elif kind == 5:
            del holder[last]
        elif kind == 6 and isinstance(holder, list):
            holder[last:last] = [holder[last]] * dice.choice((1, 3, 1000))
        elif kind == 7:
            other = dice.choice(places)
            value = document
            try:
                for step in other:
                    value = value[step]
                holder[last] = json.loads(json.dumps(value))
            except (KeyError, IndexError, TypeError):
                pass
        elif kind == 8:
            for _ in range(dice.choice((1, 3, 20))):
                holder[last] = [holder[last]] if dice.random() < 0.5 else {"children": [holder[last]]}
        else:
            twice = True
    text = json.dumps(document)
    if twice:  # a member twice
        members = list(re.finditer(r'"[a-z_]+": [^,\[\]{}]+,', text))
        if members:
            found = dice.choice(members)
            text = text[:found.end()] + " " + text[found.start():]
    return text.encode("utf-8", "surrogatepass")


def damaged(dice, data, kind):
    ways = {"json": (damage_json, damage_json, damage_text, damage_bytes),
            "lines": (damage_text, damage_text, damage_bytes), "bytes": (damage_bytes,)}[kind]
    return dice.choice(ways)(dice, data)


# ---------------------------------------------------------------- the formats

class Formats:
    """Valid files, made once; of a format: (its files, which of them may be damaged and how, commands).
    In a command FILE is the damaged one's name in the folder of this mutant."""

    def __init__(self, platter, folder):
        self.platter, self.folder = platter, folder
        run = self.run
        run("truth", DRIVE, "-o", "model.json")
        run("trace", "generate", "--workload", "mixed", "--for", "model.json", "--requests", "60", "-o", "t.trace")
        run("trace", "generate", "--workload", "sequential", "--for", "model.json", "--requests", "60", "-o", "s.trace")
        self.all = {}
        self.model()
        self.table()
        self.disksim()
        self.traces()
        self.results()
        self.samples()
        self.journal()
        self.registry()

    def run(self, *words, **more):
        done = subprocess.run([self.platter, *words], cwd=self.folder, capture_output=True, text=True, **more)
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")

    def model(self):
        self.all["model"] = (["model.json", "t.trace"], [("model.json", "json")], [
            "show FILE", "show --json FILE", "layout FILE --lbn 0 1000", "layout FILE --all-tracks",
            "layout FILE --pbn 3,1,2", "diff FILE model.json", "diff valid.json FILE", "emit table FILE -o x.ptab",
            "emit disksim FILE -o disksim", "inspect virtual:FILE", "replay t.trace --on FILE -o x.csv",
            "replay t.trace --on virtual:FILE -o x.csv --allow-writes 0-1000",
            "derive FILE --set identity.heads=9 -o x.json",
            "trace generate --workload random --requests 50 --for FILE -o x.trace", "publish FILE --registry r"])
        shutil.copy(os.path.join(self.folder, "model.json"), os.path.join(self.folder, "valid.json"))
        self.all["model"][0].append("valid.json")

    def samples(self):
        self.run("characterize", f"{DRIVE}?seed=1", "--allow-writes", "0-100000", "-o", "whole.json",
                 "--samples", "run.jsonl", "--journal", self.folder)
        self.all["samples"] = (["run.jsonl"], [("run.jsonl", "lines"), ("run.jsonl", "bytes")], [
            "estimate FILE -o x.json"])

    def table(self):
        self.run("emit", "table", "model.json", "-o", "drive.ptab")
        self.all["table"] = (["drive.ptab", "t.trace"], [("drive.ptab", "bytes")], [
            "show FILE", "layout FILE --lbn 0 77", "layout FILE --pbn 3,1,2", "replay t.trace --on FILE -o x.csv"])

    def disksim(self):
        self.run("emit", "disksim", "model.json", "-o", "disksim")
        files = sorted(name for name in os.listdir(os.path.join(self.folder, "disksim"))
                       if name.endswith((".parv", ".diskspecs", ".model", ".seek")))
        for name in files:
            shutil.copy(os.path.join(self.folder, "disksim", name), self.folder)
        g4 = os.path.join(ROOT, "tests", "golden", "disksim", "g4-serpentine")
        g4_files = [n for n in sorted(os.listdir(g4)) if n.endswith((".diskspecs", ".model", ".seek"))]
        g4_files += [n for n in sorted(os.listdir(g4)) if n.endswith(".parv")][-1:]
        for name in g4_files:
            shutil.copy(os.path.join(g4, name), self.folder)
        maps = os.path.join(ROOT, "tests", "golden", "layout", "synthetic")
        g2_files = ["g2holes.model", "g2holes.map"]
        for name in g2_files:
            shutil.copy(os.path.join(maps, name), self.folder)
        for form, its in (("disksim", files), ("disksim-g4", g4_files), ("disksim-g2", g2_files)):
            top = next(n for ext in (".parv", ".model") for n in its if n.endswith(ext))
            self.all[form] = (its, [(name, "lines") for name in its], [f"import disksim {top} -o x.json"])

    def traces(self):
        for form in TRACES:
            name = f"trace.{form}"
            source = "s.trace" if form in ("spc",) else "t.trace"
            try:
                self.run("trace", "convert", source, "--to", form, "-o", name)
            except RuntimeError:  # what has no times of service, or of arrival
                golden = {"validate": "validate.trace", "ascii": "ascii.trace", "hpl": "hpl.srt", "spc": "spc.csv",
                          "blktrace": "little.blktrace.0", "blkparse": "blkparse.txt", "iolog2": "fio2.log",
                          "iolog3": "fio3.log", "msr": "msr.csv", "etw": "tracedmp.csv"}[form]
                shutil.copy(os.path.join(ROOT, "tests", "golden", "traces", golden), os.path.join(self.folder, name))
            kind = "bytes" if form in ("hpl", "blktrace") else "lines"
            self.all[f"trace-{form}"] = ([name, "model.json"], [(name, kind)], [
                "trace lint FILE", "trace stats FILE", "trace convert FILE --to ascii -o x.trace",
                f"trace lint --format {form} FILE", "trace convert FILE --round --reorder 3 --to msr -o x.csv",
                "replay FILE --on model.json -o x.csv"])
        for form, end in (("gzip", ".gz"), ("zstd", ".zst")):
            name = "trace.ascii" + end
            self.run("trace", "convert", "trace.ascii", "--to", "ascii", "-o", name)
            self.all[f"trace-{form}"] = ([name], [(name, "bytes")], ["trace lint FILE", "trace stats FILE"])

    def results(self):
        for form, name in (("result-csv", "result.csv"), ("result-columns", "result.res")):
            self.run("replay", "t.trace", "--on", "model.json", "-o", name)
            self.all[form] = ([name, "model.json", "t.trace"], [(name, "lines" if form.endswith("csv") else "bytes")], [
                "result show FILE", "result export FILE -o x.csv", "compare FILE FILE",
                "replay t.trace --on model.json --phase-from FILE -o x.csv",
                "calibrate model.json --with FILE -o x.json --budget 1"])

    def journal(self):
        """Of a run that is killed once it has written something down."""
        folder = os.path.join(self.folder, "journals")
        process = subprocess.Popen([self.platter, "characterize", DRIVE, "--allow-writes", "0-2000", "--journal", folder,
                                    "-o", "x.json"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        kept = b""
        while process.poll() is None and kept.count(b"\n") < 6:
            time.sleep(0.002)
            for name in os.listdir(folder) if os.path.isdir(folder) else ():
                try:
                    with open(os.path.join(folder, name), "rb") as file:
                        kept = max(kept, file.read(), key=len)
                except FileNotFoundError:
                    pass
        process.kill()
        process.wait()
        if not kept:
            raise RuntimeError("no journal was seen")
        with open(os.path.join(self.folder, "run.journal"), "wb") as file:
            file.write(kept)
        self.all["journal"] = (["run.journal"], [("run.journal", "lines"), ("run.journal", "bytes")], [
            f"restore FILE --device {DRIVE}"])

    def registry(self):
        self.run("publish", "model.json", "drive.ptab", "--registry", "registry")
        self.run("registry", "list", "--registry", "registry")
        files = sorted(os.path.relpath(os.path.join(base, name), self.folder)
                       for base, _, names in os.walk(os.path.join(self.folder, "registry")) for name in names)
        drive = os.listdir(os.path.join(self.folder, "registry", "drives"))[0]
        self.all["registry"] = (["registry", "model.json"], [(f, "json") for f in files if not f.endswith("lock")], [
            "registry verify --registry registry", "registry list --registry registry",
            f"registry show {drive} --registry registry", f"registry pull {drive} --registry registry -o x.json",
            f"registry verify {drive} --registry registry", "registry search hp --registry registry",
            "publish model.json drive.ptab --registry registry"])


# ---------------------------------------------------------------- one mutant

def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (int(4 * MOST_SECONDS), int(4 * MOST_SECONDS)))
    resource.setrlimit(resource.RLIMIT_AS, (4 * MOST_BYTES, 4 * MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES, MOST_BYTES))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def judge(platter, words, folder, any_bytes):
    """None, or what is wrong with how the program took it; and its exit status."""
    environment = dict(os.environ, XDG_STATE_HOME=os.path.join(folder, "state"))
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([platter, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=said,
                                   stdin=subprocess.DEVNULL, preexec_fn=limited, env=environment)
        _, ended, usage = os.wait4(process.pid, 0)
        process.returncode = status = os.waitstatus_to_exitcode(ended)
        said.seek(0)
        sentence = said.read()
    seconds, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
    if status < 0:
        return f"signal {-status}", status
    if status not in STATUSES:
        return f"status {status}: {sentence[:200]!r}", status
    if seconds > MOST_SECONDS:
        return f"{seconds:.1f} s of processor time", status
    if memory > MOST_BYTES:
        return f"{memory / 1e6:.0f} MB", status
    if status and not sentence and status != 12:
        return f"status {status} without a sentence", status
    if not any_bytes and re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", sentence):
        return "a control byte in its sentence", status
    return None, status


def mutant(formats, form, number, seed, folder):
    """Makes the mutant in a folder; returns the words of the command, and which file it damaged."""
    dice = random.Random(f"{seed}/{form}/{number}")
    files, targets, commands = formats.all[form]
    for name in files:
        source, there = os.path.join(formats.folder, name), os.path.join(folder, name)
        if os.path.isdir(source):
            shutil.copytree(source, there, symlinks=True)
        else:
            shutil.copy(source, there)
    name, kind = dice.choice(targets)
    command = dice.choice(commands)
    with open(os.path.join(folder, name), "rb") as file:
        data = file.read()
    with open(os.path.join(folder, name), "wb") as file:
        file.write(damaged(dice, data, kind))
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
                wrong, status = judge(platter, words, folder, any_bytes)
                if wrong:
                    findings += 1
                    done["findings"] += 1
                    kept = os.path.join(state, "findings", f"{form}-{number}")
                    os.makedirs(kept, exist_ok=True)
                    shutil.copy(os.path.join(folder, name), kept)
                    with open(os.path.join(kept, "command"), "w", encoding="utf-8") as file:
                        file.write(f"platter {' '.join(words)}\n{wrong}\n")
                    print(f"{form} {number}: {wrong}: platter {' '.join(words)} ({kept})", flush=True)
            done["refused"] += status not in (0, 12)
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
        formats = Formats(platter, folder)
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
