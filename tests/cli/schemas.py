"""The JSON Schemas of schemas/ and the model's, and what of a document is not as its own says."""

import functools
import json
import os
import subprocess

import jsonschema

FOLDER = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../schemas"))
SHARED = "platter-definitions"  # of no document


def names():
    return {name[:-5] for name in os.listdir(FOLDER) if name.endswith(".json")} - {SHARED} | {"platter-model"}


@functools.cache
def schema(name):
    if name == "platter-model":  # the program makes it of the fields that it writes
        said = subprocess.run([os.environ["PLATTER_BINARY"], "self", "schema", "model"], check=True, capture_output=True)
        return json.loads(said.stdout)
    with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as file:
        return json.load(file)


def inner_schemas(part):
    if isinstance(part, dict):
        yield part
        for value in part.values():
            yield from inner_schemas(value)
    elif isinstance(part, list):
        for value in part:
            yield from inner_schemas(value)


def references(name):
    """(name of the schema, path in it) of all that it refers to."""
    for inner in inner_schemas(schema(name)):
        if "$ref" in inner:
            file, _, path = inner["$ref"].partition("#")
            yield file.removesuffix(".json") or name, path


def needed(name):
    """It, and those that it refers to, by name."""
    found, more = {}, {name}
    while more:
        one = more.pop()
        found[one] = schema(one)
        more |= {other for other, _ in references(one)} - set(found)
    return found


@functools.cache
def validator(name):
    """Of one schema with all that it needs inside: a reference is found by its $id, as schemas/README.md has it."""
    return jsonschema.Draft202012Validator({"$ref": schema(name)["$id"], "$defs": needed(name)})


def faults(name, document):
    """A line for each."""
    return [f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:400]}"
            for error in validator(name).iter_errors(document)]
