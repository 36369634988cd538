#!/usr/bin/env python3
"""Every Python module of tests is run by a test, no two tests have one name, every subcommand is on its list, and every
program of bench is named by a list: the nightly one, a test, or a page of the docs.

    tests/house/registered.py SOURCE BUILD
"""

import collections
import glob
import json
import os
import re
import subprocess
import sys


def tests_of(build):
    """Of each test the name, the words of its command, and where it runs."""
    told = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True,
                                     capture_output=True, text=True).stdout)
    for test in told["tests"]:
        where = next((p["value"] for p in test.get("properties", ()) if p["name"] == "WORKING_DIRECTORY"), "")
        yield test["name"], test.get("command", []), where


def problems(modules, tests):
    """`modules`: paths of Python files with tests; `tests`: as tests_of() gives them. Both absolute."""
    found = [f"{name}: {number} tests have this name"
             for name, number in collections.Counter(name for name, _, _ in tests).items() if number > 1]
    run = {os.path.join(where, word) for _, command, where in tests for word in command}
    found += [f"{module}: no test runs it" for module in modules if not {module, module[:-len(".py")]} & run]
    return found


def subcommand_problems(listed, sources):
    """`listed`: subcommands.h; `sources`: the texts of src/cli/*.cpp by path. A function add_X() of the command line alone
    is a subcommand: on the list, and added once."""
    form = r"^void (add_\w+)\(CLI::App& \w+\)"
    names = set(re.findall(form + ";", listed, re.MULTILINE))
    open_to_all = {path: re.sub(r"^namespace \{.*?^\}  // namespace$", "", text, flags=re.MULTILINE | re.DOTALL)
                   for path, text in sources.items() if "add_subcommand(" in text}
    defined = {name: path for path, text in open_to_all.items() for name in re.findall(form + r" \{", text, re.MULTILINE)}
    found = [f"{path}: {name}() is not in src/cli/subcommands.h" for name, path in defined.items() if name not in names]
    found += [f"src/cli/subcommands.h: no file has {name}()" for name in sorted(names - set(defined))]
    for name in sorted(names & set(defined)):
        calls = sum(len(re.findall(rf"(?<!void )\b{name}\(", text)) for text in sources.values())
        if calls != 1:
            found.append(f"{defined[name]}: {name}() is called {calls} times, so its subcommand is there {calls} times")
    return found


def bench_problems(programs, lists):
    """`programs`: paths of bench that can be run; `lists`: the texts that may name them, whole or by their folder."""
    return [f"{path}: no campaign, test or page names it" for path in programs
            if not any(path in text or f"{os.path.basename(path)} " in text for text in lists)]


def main(source, build):
    listed = subprocess.run(["git", "ls-files", "tests/**/test_*.py", "tests/**/*_test.py"], cwd=source, check=True,
                            capture_output=True, text=True).stdout.split()
    found = problems([os.path.join(source, name) for name in listed], list(tests_of(build)))
    cli = os.path.join(source, "src/cli")
    texts = {}
    for path in [os.path.join(cli, "subcommands.h"), *glob.glob(os.path.join(cli, "*.cpp"))]:
        with open(path, encoding="utf-8") as file:
            texts[os.path.relpath(path, source)] = file.read()
    found += subcommand_problems(texts.pop("src/cli/subcommands.h"), texts)
    staged = subprocess.run(["git", "ls-files", "-s", "bench"], cwd=source, check=True, capture_output=True, text=True)
    programs = [line.split("\t")[1] for line in staged.stdout.splitlines() if line.startswith("100755")]
    lists = []
    for pattern in ("check", "README.md", "docs/**/*.md", "bench/nightly.py", "bench/trust/campaign.py", "scripts/*",
                    "tests/**/*.py", "tests/**/*.h", "tests/**/CMakeLists.txt", "tests/**/README.md"):
        for path in glob.glob(os.path.join(source, pattern), recursive=True):
            if os.path.isfile(path):
                with open(path, encoding="utf-8") as file:
                    lists.append(file.read())
    found += bench_problems(programs, lists)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*map(os.path.realpath, sys.argv[1:3])))
