"""The floors of a room: a file and its header are one storey, and no include leads back up to a storey that stands on
it."""

import os
import re


def storeys(root, room):
    """{storey: the storeys of its room that it includes}"""
    below = {}
    prefix = room.removeprefix("src/")
    for name in sorted(os.listdir(os.path.join(root, room))):
        storey, suffix = os.path.splitext(name)
        if suffix not in (".h", ".cpp"):
            continue
        with open(os.path.join(root, room, name), encoding="utf-8") as file:
            includes = re.findall(rf'^\s*#\s*include "{prefix}/(\w+)\.h"', file.read(), re.MULTILINE)
        below.setdefault(storey, set()).update(set(includes) - {storey})
    return below


def ways_up(below):
    """Each pair of storeys of which one includes the other, and stands on it by some way."""
    def stands_on(storey):
        found, ahead = set(), list(below.get(storey, ()))
        while ahead:
            here = ahead.pop()
            if here not in found:
                found.add(here)
                ahead += below.get(here, ())
        return found
    return sorted((upper, lower) for upper in below for lower in below[upper] if upper in stands_on(lower))
