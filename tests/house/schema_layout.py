#!/usr/bin/env python3
"""Lays JSON Schemas out: `schema_layout.py FILE...` writes each anew. `check_format.py` holds those of schemas/ to it.

- What fits into 120 columns stands on one line.
- A list of words, and an object each of whose members fits on a line, is filled: it begins behind its bracket, and goes
  on indented by 4.
- Of another object the last member alone is broken, if the others fit on the line of its bracket.
- Otherwise members stand below each other, indented by 2. Keywords of a schema share lines where they fit; each member
  of `properties` and of `$defs`, and each schema of a list, has a line or several of its own."""

import json
import sys

WIDTH = 120
MAPS = ("properties", "$defs")


def on_one_line(value):
    return json.dumps(value, ensure_ascii=False)


def members(value, is_map):
    """(what stands in front of it, the value, whether that is a map of names) of each."""
    if isinstance(value, list):
        return [("", part, False) for part in value]
    return [(on_one_line(name) + ": ", part, name in MAPS and not is_map) for name, part in value.items()]


def is_list_of_words(value):
    return isinstance(value, list) and not any(isinstance(part, (dict, list)) for part in value)


def filled(value, indent, column, behind):
    """None where one part is too long for a line."""
    parts = [front + on_one_line(part) for front, part, _ in members(value, False)]
    text = "{" if isinstance(value, dict) else "["
    column += 1
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        width = len(part) + (1 + behind if last else 1)
        if number and column + 1 + width > WIDTH:
            text += "\n" + " " * (indent + 4)
            column = indent + 4
        elif number:
            text += " "
            column += 1
        if column + width > WIDTH:
            return None
        text += part + ("" if last else ",")
        column += len(part) + 1
    return text + ("}" if isinstance(value, dict) else "]")


def hung(value, indent, column, behind, is_map):
    """Its last member broken behind the others; None where they do not fit."""
    *others, (front, last, is_inner_map) = members(value, is_map)
    if not isinstance(last, (dict, list)) or isinstance(value, list) and others:
        return None
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    begin = opening + "".join(name + on_one_line(part) + ", " for name, part, _ in others) + front
    if column + len(begin) + 1 > WIDTH:
        return None
    return begin + laid_out(last, indent, column + len(begin), behind + 1, is_inner_map) + closing


def on_the_same_line(front, part, line, indent, comma, last, is_inner_map):
    """The member behind what stands on this line, as lines; none where it does not fit there."""
    column = len(line) + 1 + len(front)
    if is_list_of_words(part):
        text = filled(part, indent + 2, column, len(comma))
    else:
        text = laid_out(part, indent + 2, column if last else indent + 2 + len(front), len(comma), is_inner_map)
    begin, *more = (text or "").split("\n")
    fits = text and column + len(begin) + (0 if more else len(comma)) <= WIDTH
    return [f"{line} {front}{begin}", *more] if fits and (not more or last or is_list_of_words(part)) else []


def below_each_other(value, indent, is_map):
    lines, open_line = [], False
    inner = members(value, is_map)
    for number, (front, part, is_inner_map) in enumerate(inner):
        last = number == len(inner) - 1
        comma = "" if last else ","
        added = []
        if open_line and isinstance(value, dict) and not is_map:
            added = on_the_same_line(front, part, lines[-1], indent, comma, last, is_inner_map)
        if added:
            lines.pop()
        else:
            begin = " " * (indent + 2) + front
            added = (begin + laid_out(part, indent + 2, len(begin), len(comma), is_inner_map)).split("\n")
        lines += added
        lines[-1] += comma
        open_line = len(added) == 1 or is_list_of_words(part)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + "\n" + "\n".join(lines) + "\n" + " " * indent + closing


def laid_out(value, indent, column, behind, is_map=False):
    """From this column on, where so many columns stand behind it on its last line."""
    text = on_one_line(value)
    if not isinstance(value, (dict, list)) or column + len(text) + behind <= WIDTH:
        return text
    text = None
    if not is_map and not (isinstance(value, list) and isinstance(value[0], dict)):
        text = filled(value, indent, column, behind)
    if not is_map or len(value) == 1:
        text = text or hung(value, indent, column, behind, is_map)
    return text or below_each_other(value, indent, is_map)


def layout(text):
    return laid_out(json.loads(text), 0, 0, 0) + "\n"


def is_laid_out(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return layout(text) == text


def main(paths):
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = layout(file.read())
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
