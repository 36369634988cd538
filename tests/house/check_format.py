"""Holds every tracked C and C++ source against .clang-format (version 14; later ones format otherwise), schemas against
schema_layout.py, prose of the documents against a width of 120 columns, and the words of what users read against what
they may have (as `wc -w` counts). Prints what to run, and ends with 1, where something differs."""

import re
import shutil
import subprocess
import sys

from schema_layout import is_laid_out

WIDTH = 120
MOST_WORDS = {"README.md and docs/": (("README.md", "docs/"), 60000),  # one reads them, or nobody does
              "docs/validation.md": (("docs/validation.md",), 5000)}
CODE = re.compile(r"\s*```|    ")
FORMATTERS = ("clang-format-14", "clang-format")


def sources(root):
    try:
        listed = subprocess.run(["git", "-c", "safe.directory=*", "-C", root, "ls-files", "*.cpp", "*.c", "*.h", "*.md",
                                 "schemas/*.json"],
                                check=True, text=True, capture_output=True).stdout.split("\n")
    except (OSError, subprocess.CalledProcessError) as failure:
        sys.exit(f"which files are the project's cannot be told without git and a clone: {failure}")
    return [name for name in listed if name]


def formatter():
    for name in FORMATTERS:
        path = shutil.which(name)
        if path and " version 14." in subprocess.run([path, "--version"], text=True, stdout=subprocess.PIPE,
                                                     check=True).stdout:
            return path
    return None


def unformatted(root, names, program):
    """Names of the sources that the formatter would change."""
    told = subprocess.run([program, "--dry-run", *names], cwd=root, text=True, stderr=subprocess.PIPE, check=True).stderr
    return sorted(set(re.findall(r"^(\S+?):\d+:\d+: warning: code should be clang-formatted", told, re.M)))


def faults_of_document(text):
    """(line number, what is wrong): lines of prose that are too long, tables without a header."""
    faults, fenced, in_table = [], False, False
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        table = line.lstrip().startswith("|") and not fenced
        if table and not in_table:
            following = lines[number] if number < len(lines) else ""
            if not re.fullmatch(r"\s*\|(\s*:?-+:?\s*\|)+\s*", following):
                faults.append((number, "a table begins without a header"))
        in_table = table
        prose = not (fenced or table or CODE.match(line) or line.startswith("#"))
        # One word, a link for instance, may be longer.
        if prose and len(line) > WIDTH and " " in line.strip()[: WIDTH - 1]:
            faults.append((number, f"{len(line)} columns of prose, more than {WIDTH}"))
    return faults


def too_long(texts):
    """Sentences on what has too many words: texts by name of the document."""
    for what, (beginnings, most) in MOST_WORDS.items():
        words = sum(len(text.split()) for name, text in texts.items() if name.startswith(beginnings))
        if words > most:
            yield f"{what}: {words} words, more than {most}: say it shorter, or once"


def main(root):
    names = sources(root)
    program = formatter()
    if program is None:
        print("there is no clang-format 14; install the package clang-format-14", file=sys.stderr)
        return 1
    bad = unformatted(root, [name for name in names if not name.endswith((".md", ".json"))], program)
    for name in bad:
        print(f"{name}: not formatted; run clang-format-14 -i {name}")
    texts = {}
    for name in names:
        if name.endswith(".md"):
            with open(f"{root}/{name}", encoding="utf-8") as file:
                texts[name] = file.read()
            for number, what in faults_of_document(texts[name]):
                bad.append(name)
                print(f"{name}:{number}: {what}")
        elif name.endswith(".json") and not is_laid_out(f"{root}/{name}"):
            bad.append(name)
            print(f"{name}: laid out otherwise; run tests/house/schema_layout.py {name}")
    long = list(too_long(texts))
    print("".join(line + "\n" for line in long), end="")
    return 1 if bad or long else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
