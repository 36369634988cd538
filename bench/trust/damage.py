"""Damage to files: bytes, words, numbers, for JSON also its structure; of lines with checks also what was written so."""

import json
import os
import re
import zlib

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


CHECK = re.compile(rb',"line":\[([0-9]+),[0-9]+,"[0-9a-f]{8}"\]}$')


def checked_line(before, number):
    """As docs/samples.md has it; `before`: the object without its last brace."""
    line = before + b',"line":[%d,%d' % (number, len(before))
    return line + b',"%08x"]}' % zlib.crc32(line)


def damage_checked(dice, data):
    """What is wrong, and has the check of what somebody wrote so."""
    lines = data.split(b"\n")
    checked = [(at, found) for at, line in enumerate(lines) if (found := CHECK.search(line))]
    for at, found in dice.sample(checked, min(len(checked), dice.choice((1, 1, 1, 3)))):
        way = dice.choice((damage_json, damage_json, damage_text, damage_bytes))
        changed = way(dice, lines[at][:found.start()] + b"}").replace(b"\n", b" ")
        number = int(found.group(1)) if dice.random() < 0.9 else int(dice.choice(NUMBERS[:19]))
        lines[at] = checked_line(changed[:-1], number)
    return b"\n".join(lines)


def damaged(dice, data, kind):
    ways = {"json": (damage_json, damage_json, damage_text, damage_bytes), "checked": (damage_checked,),
            "lines": (damage_text, damage_text, damage_bytes), "bytes": (damage_bytes,)}[kind]
    return dice.choice(ways)(dice, data)


def damage_pages(dice, path):
    """Of a file that is mostly holes: one or a few of its pages, which stay as long as they were."""
    with open(path, "r+b") as file:
        end, at, pages = os.fstat(file.fileno()).st_size, 0, []
        while at < end and len(pages) < 4096:
            try:
                at = os.lseek(file.fileno(), at, os.SEEK_DATA) // 4096 * 4096
            except OSError:
                break
            pages.append(at)
            at += 4096
        for _ in range(dice.choice((1, 1, 2, 5))):
            at = dice.choice(pages)
            file.seek(at)
            page = file.read(min(4096, end - at))
            file.seek(at)
            file.write(damage_bytes(dice, page)[:len(page)].ljust(len(page), b"\0"))


def damage_file(dice, path, kind):
    if kind == "holes":
        damage_pages(dice, path)
        return
    with open(path, "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(damaged(dice, data, kind))
