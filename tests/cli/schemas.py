"""The JSON Schemas of schemas/, and what of a document is not as its own says."""

import functools
import json
import os

import jsonschema

FOLDER = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../schemas"))


def names():
    return {name[:-5] for name in os.listdir(FOLDER) if name.endswith(".json")}


@functools.cache
def schema(name):
    with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as file:
        return json.load(file)


@functools.cache
def validator(name):
    return jsonschema.Draft202012Validator(schema(name))


def faults(name, document):
    """A line for each."""
    return [f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:400]}"
            for error in validator(name).iter_errors(document)]
