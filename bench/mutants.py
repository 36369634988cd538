#!/usr/bin/env python3
"""Changes the engine in one small place at a time and counts how many of the changes its tests see.

    mutants.py [--count N] [--seed S] [--work DIR] [--jobs J] [--list]

Mutants are drawn by a seed from all that the operators below make of src/engine. Each is compiled
from a copy of its file (the sources are never touched), together with everything else that includes
the file, linked to the tests, and run: first the engine's own tests; if they pass, those of the rooms
that use the engine. A mutant that does not compile is replaced by the next one. A timeout counts as
seen, and how many there were is told. What survives is printed as a diff; mutants_judged.json says of
those that cannot be seen why. Results are kept in DIR (build/mutants): a run that was stopped goes on,
and only survivors are tried again when tests were added. The status is 1 below 90 %.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import time

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
ENGINE = os.path.join(ROOT, "src", "engine")
FIRST_LINE = "test_engine"
SECOND_LINE = ("test_emit_table", "test_emit_disksim", "test_virtual_drive", "test_replay")
BAR = 0.9
MEMORY = 4 << 30  # bytes of address space that a mutant may take

Mutant = collections.namedtuple("Mutant", "file line column operator before after")


# ---------------------------------------------------------------- operators

def code_only(text):
    """The text with all that does nothing at run time blanked: comments, strings, static_assert."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])\'', blank, text,
                  flags=re.DOTALL)
    return re.sub(r"^\s*#[^\n]*|\bstatic_assert\([^;]*;", blank, text, flags=re.MULTILINE)


# Binary operators stand between blanks, as .clang-format sets them; templates, references and
# pointers do not.
BINARY = {
    "arithmetic": {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "+=": "-=", "-=": "+="},
    "relational": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    "logical": {"&&": "||", "||": "&&"},
    "bits": {"&": "|", "|": "&", "<<": ">>", ">>": "<<"},
}
SIMPLE = r"[\w.:\[\]]+(?:->[\w.\[\]]+)*"


def replacements(code):
    """(start, end, operator, replacement) of everything that can be changed."""
    for operator, table in BINARY.items():
        for match in re.finditer(r"(?<= )(\+=|-=|<=|>=|==|!=|&&|\|\||<<|>>|[-+*/%<>&|])(?=[ \n])", code):
            if match.group() in table:
                yield *match.span(), operator, table[match.group()]
    for match in re.finditer(r"\+\+|--", code):
        yield *match.span(), "arithmetic", "--" if match.group() == "++" else "++"
    for match in re.finditer(r"(?<![\w.'])(\d[\d']*)([uUlL]*)(?![\w.'])", code):
        number = int(match.group(1).replace("'", ""))
        yield *match.span(), "constant", f"{number + 1}{match.group(2)}"
        if number > 0:
            yield *match.span(), "constant", f"{number - 1}{match.group(2)}"
    for match in re.finditer(r"\b(?:if|while) \(", code):
        end = closing(code, match.end() - 1)
        if end and ";" not in code[match.end():end]:
            yield match.end(), end, "condition", f"!({code[match.end():end]})"
    for match in re.finditer(r"\breturn (true|false)\b", code):
        yield *match.span(1), "constant", "false" if match.group(1) == "true" else "true"
    for match in re.finditer(r"\bstd::(min|max)\b", code):
        yield *match.span(1), "minmax", "max" if match.group(1) == "min" else "min"
    for match in re.finditer(rf"(?m)^ *((?:return|break|continue)|{SIMPLE} [-+*/%&|^]?= [^;\n]*|"
                             rf"(?:\+\+|--){SIMPLE}|{SIMPLE}\([^;\n]*\))(?=;$)", code):
        if match.group(1).count("(") == match.group(1).count(")"):
            yield *match.span(1), "deletion", ""
    for match in re.finditer(rf"(?<![\w:])([\w:.]+)\(({SIMPLE}), ({SIMPLE})(?=[,)])", code):
        first, second = match.group(2), match.group(3)
        if first != second and match.group(1) not in ("std::min", "std::max", "std::gcd", "static_assert"):
            yield match.start(2), match.end(3), "swap", f"{second}, {first}"
    for match in re.finditer(rf"(?<=[\w)\]])\[({SIMPLE})\]", code):
        yield *match.span(1), "index", f"{match.group(1)} + 1"


def closing(code, opening):
    depth = 0
    for place in range(opening, len(code)):
        depth += {"(": 1, ")": -1}.get(code[place], 0)
        if depth == 0:
            return place
    return None


def mutants_of(file):
    with open(os.path.join(ENGINE, file), encoding="utf-8") as source:
        text = source.read()
    for start, end, operator, after in replacements(code_only(text)):
        line = text.count("\n", 0, start) + 1
        yield Mutant(file, line, start - (text.rfind("\n", 0, start) + 1), operator, text[start:end], after)


def draw(seed):
    files = sorted(name for name in os.listdir(ENGINE) if name.endswith((".cpp", ".h")))
    everything = sorted(mutant for file in files for mutant in mutants_of(file))
    random.Random(seed).shuffle(everything)
    return everything


def mutate(text, mutant):
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[:mutant.line - 1]) + mutant.column
    assert text.startswith(mutant.before, start)
    return text[:start] + mutant.after + text[start + len(mutant.before):]


# ---------------------------------------------------------------- building

def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def must(command, **more):
    done = run(command, **more)
    if done.returncode:
        sys.exit(f"mutants.py: {' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


class Bench:
    """A build of the unchanged sources, and of one mutant after the other beside it."""

    def __init__(self, work, jobs):
        self.workers = concurrent.futures.ThreadPoolExecutor(jobs)
        self.build, self.overlay = os.path.join(work, "build"), os.path.join(work, "mutant")
        must(["cmake", "-S", ROOT, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None",
              "-DCMAKE_CXX_FLAGS=-O1 -DNDEBUG", "-DCMAKE_CXX_COMPILER_LAUNCHER=",
              "-DPLATTER_ENGINE_AS_ONE=OFF"])
        must(["cmake", "--build", self.build, "--target", FIRST_LINE, *SECOND_LINE])
        self.compiles, self.links, self.objects = {}, {}, {}
        for test in (FIRST_LINE, *SECOND_LINE):
            self.read_commands(test)
        self.includes = self.read_includes()
        self.patience = {}
        for test in (FIRST_LINE, *SECOND_LINE):
            start = time.monotonic()
            must([os.path.join(self.build, test)], cwd=self.build)
            self.patience[test] = 10 + 10 * (time.monotonic() - start)
        for file in ("engine.cpp", "engine.h"):
            unchanged = Mutant(file, 1, 0, "none", "", "")
            self.place(unchanged)
            if self.outcome_of(FIRST_LINE, unchanged) != "survived":
                sys.exit(f"mutants.py: the tests see a change in {file} where there is none")

    def read_commands(self, test):
        self.objects[test] = set()
        for line in must(["ninja", "-C", self.build, "-t", "commands", test]).splitlines():
            line = line.removeprefix(": && ").removesuffix(" && :")
            words = shlex.split(line)
            if "-c" in words and "-o" in words:
                output = words[words.index("-o") + 1]
                self.compiles[output] = [word for word in words if os.path.basename(word) != "ccache"]
                self.objects[test].add(output)
            elif "-o" in words and words[words.index("-o") + 1] == test:
                self.links[test] = words

    def read_includes(self):
        """Which objects every file of the engine goes into."""
        includes, output = collections.defaultdict(set), None
        for line in must(["ninja", "-C", self.build, "-t", "deps"]).splitlines():
            if line and not line.startswith(" "):
                output = line.partition(":")[0]
            elif line.strip():
                path = os.path.normpath(os.path.join(self.build, line.strip()))
                if os.path.dirname(path) == ENGINE:
                    includes[os.path.basename(path)].add(output)
        return includes

    def place(self, mutant):
        shutil.rmtree(self.overlay, ignore_errors=True)
        os.makedirs(os.path.join(self.overlay, "src", "engine"))
        with open(os.path.join(ENGINE, mutant.file), encoding="utf-8") as file:
            text = file.read()
        with open(os.path.join(self.overlay, "src", "engine", mutant.file), "w", encoding="utf-8") as file:
            file.write(mutate(text, mutant))

    def affected(self, test, mutant):
        def others(output):
            return not output.endswith(f"/{mutant.file.partition('.')[0]}.cpp.o"), output
        return sorted(self.objects[test] & self.includes[mutant.file], key=others)

    def compile(self, output, mutant):
        """Whether it compiles; an object that an earlier test needed is there already."""
        target = os.path.join(self.overlay, output)
        if os.path.exists(target):
            return True
        os.makedirs(os.path.dirname(target), exist_ok=True)
        words = list(self.compiles[output])
        words[words.index("-o") + 1] = target
        words[words.index("-MF") + 1] = target + ".d"
        source = os.path.join(ENGINE, mutant.file)
        words = [os.path.join(self.overlay, "src", "engine", mutant.file) if word == source else word
                 for word in words]
        words.insert(1, "-I" + os.path.join(self.overlay, "src"))
        words += ["-w", "-O0"] if output.startswith("tests/") else ["-w"]  # tests: the compiler's time counts
        return run(words, cwd=self.build).returncode == 0

    def link(self, test, objects):
        """The mutant's objects take the place of the test's own, and come before the libraries."""
        words = list(self.links[test])
        program = os.path.join(self.overlay, test)
        words[words.index("-o") + 1] = program
        own = {output for output in objects if output in words}
        words = [os.path.join(self.overlay, word) if word in own else word for word in words]
        libraries = [os.path.join(self.overlay, output) for output in objects if output not in own]
        words[1:1] = libraries
        done = run(words, cwd=self.build)
        if done.returncode:
            sys.exit(f"mutants.py: {test} does not link\n{done.stderr[-3000:]}")
        return program

    def outcome_of(self, test, mutant):
        """"survived", "killed", "crash", "timeout" or "not compiled"."""
        objects = self.affected(test, mutant)
        # The mutant's own object first: most that do not compile fail there.
        if not self.compile(objects[0], mutant) or not all(
                self.workers.map(lambda output: self.compile(output, mutant), objects[1:])):
            return "not compiled"
        program = self.link(test, objects)

        def limits():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            done = run([program, "--abort"], cwd=self.build, timeout=self.patience[test],
                       preexec_fn=limits, errors="replace")
        except subprocess.TimeoutExpired:
            return "timeout"
        if done.returncode == 0:
            return "survived"
        return "crash" if done.returncode < 0 else "killed"

    def judge(self, mutant):
        """(outcome, the test that saw it)."""
        self.place(mutant)
        for test in (FIRST_LINE, *SECOND_LINE):
            if not self.affected(test, mutant):
                continue
            outcome = self.outcome_of(test, mutant)
            if outcome != "survived":
                return outcome, test
        return "survived", None


# ---------------------------------------------------------------- results

def digest(*folders):
    total = hashlib.sha256()
    for folder in folders:
        for base, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
            for name in sorted(names):
                with open(os.path.join(base, name), "rb") as file:
                    total.update(name.encode() + b"\0" + file.read())
    return total.hexdigest()[:16]


def test_digest():
    return digest(*("tests/" + test.removeprefix("test_") for test in (FIRST_LINE, *SECOND_LINE)))


class Results:
    """One line of JSON for each mutant that was tried on these sources."""

    def __init__(self, work):
        self.path = os.path.join(work, f"results-{digest('src/engine')}.jsonl")
        self.known = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                for line in file:
                    entry = json.loads(line)
                    self.known[Mutant(*entry["mutant"])] = entry

    def get(self, mutant, tests):
        entry = self.known.get(mutant)
        if entry and entry["outcome"] == "survived" and entry["tests"] != tests:
            return None  # there are other tests now
        return entry

    def add(self, mutant, outcome, test, tests, seconds):
        entry = {"mutant": mutant, "outcome": outcome, "by": test, "tests": tests,
                 "seconds": round(seconds, 1)}
        self.known[mutant] = entry
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        return entry


def lines_of(mutant):
    """The line, or lines, before and after, without the blanks in front."""
    with open(os.path.join(ENGINE, mutant.file), encoding="utf-8") as file:
        text = file.read()
    last = mutant.line + mutant.before.count("\n")
    changed = mutate(text, mutant).split("\n")
    end = last + mutant.after.count("\n") - mutant.before.count("\n")

    def joined(lines):
        return " ".join(line.strip() for line in lines)
    return joined(text.split("\n")[mutant.line - 1:last]), joined(changed[mutant.line - 1:end])


def judgements():
    path = os.path.join(ROOT, "bench", "mutants_judged.json")
    with open(path, encoding="utf-8") as file:
        entries = json.load(file)
    return {(entry["file"], entry["line"], entry["mutant"]): entry["reason"] for entry in entries}


def report(entries, rejected):
    outcomes = collections.Counter(entry["outcome"] for entry in entries)
    seconds = sum(entry["seconds"] for entry in entries)
    judged = judgements()
    survivors = [Mutant(*entry["mutant"]) for entry in entries if entry["outcome"] == "survived"]
    for mutant in sorted(survivors):
        before, after = lines_of(mutant)
        reason = judged.get((mutant.file, before, after))
        print(f"src/engine/{mutant.file}:{mutant.line} ({mutant.operator}) "
              + (f"equivalent: {reason}" if reason else "NOT SEEN"))
        print(f"-  {before}\n+  {after}\n")
    equivalent = sum((mutant.file, *lines_of(mutant)) in judged for mutant in survivors)
    seen = len(entries) - len(survivors)
    second = sum(entry["outcome"] != "survived" and entry["by"] != FIRST_LINE for entry in entries)
    by_operator = collections.defaultdict(lambda: [0, 0])
    for entry in entries:
        by_operator[entry["mutant"][3]][0] += entry["outcome"] != "survived"
        by_operator[entry["mutant"][3]][1] += 1
    for operator, (killed, all_of_them) in sorted(by_operator.items()):
        print(f"{operator:12} {killed:4} of {all_of_them:4} seen")
    print(f"{len(entries)} mutants ({rejected} more did not compile), {seconds / 60:.0f} minutes: {seen} seen, "
          f"{100 * seen / len(entries):.1f} % ({outcomes['killed']} by a failed check, "
          f"{outcomes['crash']} by a crash, {outcomes['timeout']} by a timeout; {second} only by the tests "
          f"of other rooms); {len(survivors)} survived, {equivalent} of them judged equivalent")
    return seen / len(entries)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", default=os.path.join(ROOT, "build", "mutants"))
    parser.add_argument("--jobs", type=int, default=1, help="compilers at a time")
    parser.add_argument("--list", action="store_true", help="print the mutants and do nothing")
    options = parser.parse_args()
    everything = draw(options.seed)
    if options.list:
        for mutant in everything[:options.count]:
            before, after = lines_of(mutant)
            print(f"src/engine/{mutant.file}:{mutant.line} ({mutant.operator})\n-  {before}\n+  {after}\n")
        print(f"{options.count} of {len(everything)}")
        return 0
    os.makedirs(options.work, exist_ok=True)
    sources, tests = digest("src/engine"), test_digest()
    bench, results = Bench(os.path.abspath(options.work), options.jobs), Results(options.work)
    entries, rejected = [], 0
    for mutant in everything:
        if len(entries) == options.count:
            break
        entry = results.get(mutant, tests)
        if not entry:
            start = time.monotonic()
            outcome, test = bench.judge(mutant)
            if (digest("src/engine"), test_digest()) != (sources, tests):
                sys.exit("mutants.py: the sources changed in the middle of the run; start it again")
            entry = results.add(mutant, outcome, test, tests, time.monotonic() - start)
            print(f"{len(entries) + 1:4} {mutant.file}:{mutant.line} {mutant.operator}: {outcome}",
                  file=sys.stderr, flush=True)
        if entry["outcome"] == "not compiled":
            rejected += 1
        else:
            entries.append(entry)
    return 0 if report(entries, rejected) >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
