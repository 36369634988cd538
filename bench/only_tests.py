#!/usr/bin/env python3
"""Functions that only tests call: what the linker throws away of the rooms' libraries when it links the programs that
are shipped or measured (platter, libplatter, the benchmarks).

    bench/only_tests.py [--build FOLDER]

Builds the rooms without optimization, each function in a section of its own, and links with --gc-sections. What is
left is listed, by file; bench/only_tests.txt has those that may be there, each with its reason. Ends with 1 where
another is found, or one in the list is none any more. About five minutes on two cores."""

import argparse
import collections
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ALLOWED = os.path.join(ROOT, "bench/only_tests.txt")
PRODUCTS = ("platter", "libplatter.so", "engine_benchmark", "trace_benchmark", "random_layouts", "parameter_effects")
# What the compiler makes by itself, and what is instantiated rather than written.
MADE = re.compile(r"::~|operator|\{lambda|<|::([A-Z]\w*)::\1\(|::([A-Z]\w*)\(")


def run(*command):
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr[-2000:] or done.stdout[-2000:]}")
    return done.stdout + done.stderr


def demangled(names):
    ordered = sorted(names)
    told = subprocess.run(["c++filt"], input="\n".join(ordered), text=True, capture_output=True, check=True).stdout
    return {name: plain.replace("(anonymous namespace)::", "").partition("(")[0].partition("[abi")[0]
            for name, plain in zip(ordered, told.splitlines())}


def defined(build):
    """Names of all functions of the rooms, with their object."""
    found = collections.OrderedDict()
    for folder, _, files in os.walk(build):
        for name in files:
            if re.fullmatch(r"libplatter_\w+\.a", name):
                for line in run("nm", "-A", "--defined-only", os.path.join(folder, name)).splitlines():
                    match = re.search(r"libplatter_(\w+)\.a:\S*:\S+ [Tt] (_ZNK?7platter\S+)$", line)
                    if match:
                        found[match.group(2)] = match.group(1)
    return found


def needed(build, product):
    """Names that are in the product after the linker threw away what nobody calls."""
    path = next(os.path.join(folder, product) for folder, _, files in os.walk(build) if product in files)
    told = run("nm", "--defined-only", path)
    return set(re.findall(r"^\S+ [TtWw] (_ZNK?7platter\S+)$", told, re.MULTILINE))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build/only_tests"))
    build = os.path.abspath(parser.parse_args().build)
    run("cmake", "-S", ".", "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DPLATTER_UNITY=ON",
        "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -ffunction-sections", "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--gc-sections",
        "-DCMAKE_SHARED_LINKER_FLAGS=-Wl,--gc-sections")
    targets = [name.replace(".so", "") for name in PRODUCTS]
    run("cmake", "--build", build, "--target", *targets)
    rooms = defined(build)
    used = set().union(*(needed(build, product) for product in PRODUCTS))
    names = demangled(name for name in rooms if name not in used)
    found = {plain: rooms[name] for name, plain in names.items() if not MADE.search(plain + "(")}
    with open(ALLOWED, encoding="utf-8") as file:
        allowed = [line.split("#")[0].strip() for line in file if line.split("#")[0].strip()]
    bad = 0
    for plain in sorted(found):
        if plain not in allowed:
            print(f"{found[plain]}: only tests call {plain}")
            bad = 1
    for plain in allowed:
        if plain not in found:
            print(f"bench/only_tests.txt: {plain} is none that only tests call")
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
