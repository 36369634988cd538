#!/usr/bin/env python3
"""A format's version moves with its members: `format_versions.py --check` holds the members that schemas/ names, and
the built program's schema of models, with their paths, and the columns of results, against those that were written down
beside the version of src/model/formats.h.

    tests/house/format_versions.py --check
    tests/house/format_versions.py --write               after a version was raised
    tests/house/format_versions.py --write --unreleased  before platter's first release alone: the members may move
                                                         without their versions
"""

import hashlib
import json
import os
import re
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
TABLE = "src/model/formats.h"
KEPT = "tests/house/format_versions.json"
PROGRAM = os.environ.get("PLATTER_BINARY", os.path.join(ROOT, "build/release/platter"))  # it knows the model's
COLUMNS = {"platter-replay-result": "src/replay/result_csv.cpp"}
NO_SCHEMA = {"platter-study"}  # written by people
NO_VERSION = {"platter-progress", "platter-definitions"}  # lines without a head, and of no document
PARTS = ("oneOf", "anyOf", "allOf")
CASES = ("if", "then", "else", "items", "additionalProperties", "unevaluatedProperties")


def read(path, root=ROOT):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def versions(table):
    """(major, minor) by the format's name."""
    return {name: (int(major), int(minor))
            for name, major, minor in re.findall(r'\{"([a-z-]+)", \{(\d+), (\d+)\}\}', table)}


def referred(schemas, name, reference):
    """(the file's name, what is there)"""
    file, _, path = reference.partition("#")
    name = file.removesuffix(".json") or name
    part = schemas[name]
    for step in path.strip("/").split("/"):
        part = part[step] if step else part
    return name, part


def members(schemas, name, part, path="", within=()):
    """The path of each member that a document of this part of a schema may have."""
    found = set()
    if not isinstance(part, dict):
        return found
    if "$ref" in part:
        place = referred(schemas, name, part["$ref"])
        if part["$ref"] not in within:  # a node of a layout has nodes
            found |= members(schemas, *place, path, (*within, part["$ref"]))
    for inner in [one for word in PARTS for one in part.get(word, ())] + [part.get(word) for word in CASES]:
        found |= members(schemas, name, inner, path, within)
    for member, inner in part.get("properties", {}).items():
        inner_path = f"{path}.{member}".lstrip(".")
        found |= {inner_path} | members(schemas, name, inner, inner_path, within)
    return found


def columns(source):
    return re.search(r'kColumnNames =\s*"([a-z_,]+)"', source)[1].split(",")


def digest(names):
    return hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()


def all_members(schemas, sources):
    found = {name: members(schemas, name, schemas[name]) for name in schemas if name not in NO_VERSION}
    for name, path in COLUMNS.items():
        # In their order: a reader takes them by that.
        found[name] |= {f"column {number} {column}" for number, column in enumerate(columns(sources[path]))}
    return found


def now(table, schemas, sources):
    """What is to be kept: of each format its version and the digest of its members."""
    told = versions(table)
    return {name: {"version": ".".join(map(str, told[name])), "members": digest(names)}
            for name, names in sorted(all_members(schemas, sources).items()) if name in told}


def unlike_the_table(table, schemas):
    """Schemas and versions go together."""
    told = versions(table)
    have = set(schemas) - NO_VERSION
    found = [f"schemas/{name}.json is of no format in {TABLE}; give it a version there" for name in have - set(told)]
    found += [f"{name} of {TABLE} has no schema in schemas/" for name in set(told) - have - NO_SCHEMA]
    for name in sorted(have & set(told)):
        pattern = "^%d\\.[0-9]+$" % told[name][0]
        if pattern not in json.dumps(schemas[name]).replace("\\\\", "\\"):
            found.append(f"schemas/{name}.json does not have the pattern {pattern} of its version in {TABLE}")
    return found


def name_of(name):
    return name.removeprefix("platter-").replace("-", " ")


def problems(kept, found):
    told = []
    for name in sorted(set(kept) | set(found)):
        if name not in found or name not in kept:
            told.append(f"{name} is {'new' if name in found else 'gone'}: format_versions.py --write")
        elif kept[name]["version"] == found[name]["version"] and kept[name]["members"] != found[name]["members"]:
            told.append(f"the members of the {name_of(name)} changed: raise its minor in {TABLE} (its major, if one is "
                        "gone or means something else), then tests/house/format_versions.py --write")
        elif kept[name] != found[name]:
            told.append(f"the version of the {name_of(name)} was {kept[name]['version']} and is "
                        f"{found[name]['version']}: tests/house/format_versions.py --write")
    return told


def stays_behind(kept, found):
    """Of what may not be written down: members that moved without their version."""
    return [line for line in problems(kept, found) if line.startswith("the members")]


def main(words):
    schemas = {name[:-len(".json")]: json.loads(read("schemas/" + name))
               for name in os.listdir(os.path.join(ROOT, "schemas")) if name.endswith(".json")}
    said = subprocess.run([PROGRAM, "self", "schema", "model"], check=True, capture_output=True)
    schemas["platter-model"] = json.loads(said.stdout)
    table, sources = read(TABLE), {path: read(path) for path in COLUMNS.values()}
    found = now(table, schemas, sources)
    kept = json.loads(read(KEPT)) if os.path.exists(os.path.join(ROOT, KEPT)) else {}
    told = unlike_the_table(table, schemas)
    if words == ["--check"]:
        told += problems(kept, found)
    elif words == ["--write"]:
        told += stays_behind(kept, found)
    elif words != ["--write", "--unreleased"]:
        sys.exit(__doc__)
    elif subprocess.run(["git", "-C", ROOT, "tag", "--list", "v*"], check=True, capture_output=True).stdout:
        sys.exit("there is a release: members move with their version alone")
    if not told and words[0] == "--write":
        with open(os.path.join(ROOT, KEPT), "w", encoding="utf-8") as file:
            lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in found.items())
            file.write("{\n" + lines + "\n}\n")
    print("\n".join(told))
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
