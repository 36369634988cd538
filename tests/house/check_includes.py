#!/usr/bin/env python3
"""Holds every #include and every CMake link against the table in docs/architecture.md.

The table's last column says which rooms a room may include: short names of src/ rooms or paths such
as `emit/disksim`, separated by commas; "engine (layout map)" allows engine/layout_map.h alone;
"nothing of ours"; "all". An empty cell sets no rule. The list under "Never:" is checked sentence by
sentence; a sentence that no rule here understands is a finding too.
"""

import argparse
import functools
import os
import re
import sys

from floors import storeys, ways_up
from throwing_calls import throwing_calls
from throwing_destructors import declared_noexcept, throwing_destructors

ARCHITECTURE = "docs/architecture.md"
SOURCES = (".cpp", ".h", ".c", ".hpp", ".cc")
COMMENT_OR_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
HOST_CLOCK = re.compile(
    r"std::chrono|<chrono>|<ctime>|<time\.h>|<sys/time\.h>|\bclock_gettime\b|\bgettimeofday\b|"
    r"\btimespec_get\b|\bstd::clock\b|\bstd::time\b|(?<![\w.>:])time\s*\(\s*(?:NULL|nullptr|0|&)|"
    r"\b(?:usleep|nanosleep|clock_nanosleep|sleep_for|sleep_until)\b|__rdtsc|__builtin_ia32_rdtsc")


class Room:
    def __init__(self, path, allowed):
        self.path = path        # from the root, as in `emit/disksim`
        self.allowed = allowed  # {room path: None or the one header}; None: everything

    @property
    def target(self):
        if self.path == "lib":
            return "libplatter"
        return "platter_" + self.path.removeprefix("src/").replace("/", "_")

    @property
    def prefix(self):
        """What an #include of this room begins with."""
        return self.path.removeprefix("src/") + "/"


def read_table(text):
    """{path: Room} of the table, and the sentences under "Never:"."""
    rooms = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        paths = re.findall(r"`([^`]+)`", cells[0]) if line.startswith("|") else []
        if len(cells) != 3 or not paths or not cells[2]:
            continue
        for path in paths:
            rooms[path.rstrip("/")] = Room(path.rstrip("/"), read_allowed(cells[2]))
    never = text.partition("\nNever:\n")[2]
    never = re.sub(r"\n  +(?=\S)", " ", never)  # a sentence may go on in the next line
    return rooms, re.findall(r"^- (.+)$", never, re.MULTILINE)


def read_allowed(cell):
    if cell == "all":
        return None
    if cell == "nothing of ours":
        return {}
    allowed = {}
    for entry in cell.split(","):
        match = re.fullmatch(r"`?([\w/]+)`?(?: \((.+)\))?", entry.strip())
        if not match:
            raise ValueError(f"{ARCHITECTURE}: {entry.strip()!r} is no room that one may include")
        name, only = match.groups()
        path = name if "/" in name or name in ("lib", "registry") else "src/" + name
        words = [word for word in (only or "").split() if word not in ("the", "only")]
        allowed[path] = "_".join(words) + ".h" if words else None
    return allowed


@functools.cache
def without_comments(code):
    """The code, comments blanked, line by line as before."""
    def blank(match):
        text = match.group(0)
        return re.sub(r"[^\n]", " ", text) if text.startswith(("//", "/*")) else text
    return COMMENT_OR_TEXT.sub(blank, code)


class House:
    def __init__(self, root):
        self.root = root
        self.findings = []
        self.includes = self.links = 0
        self.rooms, self.never = read_table(self.read(ARCHITECTURE))
        if not self.rooms or not self.never:
            raise ValueError(f"{ARCHITECTURE}: the table of rooms or the list of nevers is not there")

    def read(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def files(self, folder, suffixes):
        for where, folders, names in os.walk(os.path.join(self.root, folder)):
            folders[:] = sorted(f for f in folders if f != "__pycache__")
            for name in sorted(names):
                if name.endswith(suffixes):
                    yield os.path.relpath(os.path.join(where, name), self.root)

    def found(self, path, sentence, line=None):
        self.findings.append(f"{path}:{line}: {sentence}" if line else f"{path}: {sentence}")

    def room_of_include(self, header):
        """The innermost: `registry/trust` lies in `registry`."""
        rooms = [room for room in self.rooms.values() if header.startswith(room.prefix)]
        return max(rooms, key=lambda room: len(room.path), default=None)

    def code(self, room):
        """(path, code without comments) of a room's sources."""
        for path in self.files(room.path, SOURCES):
            if not any(path.startswith(other.path + "/") and other.path.startswith(room.path + "/")
                       for other in self.rooms.values()):
                yield path, without_comments(self.read(path))

    def check(self):
        self.check_rooms_are_listed()
        for room in self.rooms.values():
            if os.path.isdir(os.path.join(self.root, room.path)):
                self.check_includes(room)
                self.check_links(room)
        self.check_never()
        if not self.includes or not self.links:
            self.found(ARCHITECTURE, "no includes or no links were found to check")
        return self.findings

    def check_rooms_are_listed(self):
        for parent in ("src", "emit"):
            folder = os.path.join(self.root, parent)
            for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
                path = f"{parent}/{name}"
                if os.path.isdir(os.path.join(self.root, path)) and path not in self.rooms:
                    self.found(path, f"is not in the table of {ARCHITECTURE}")

    def check_includes(self, room):
        linked = self.linked_rooms(room)
        for path, code in self.code(room):
            for match in INCLUDE.finditer(code):
                header, line = match.group(1), code.count("\n", 0, match.start(1)) + 1
                quoted = code[match.start(1) - 1] == '"'
                other = self.room_of_include(header)
                if other is None:
                    if quoted:
                        self.found(path, f'"{header}" is no path from src/ or the root to a room',
                                   line)
                    continue
                self.includes += 1
                if other is room:
                    continue
                if not self.allows(room, other, header):
                    self.found(path, f"{room.path} may not include {header}", line)
                elif other.path not in linked:
                    self.found(path, f"{header} is included, but {room.path}/CMakeLists.txt does "
                               f"not link {other.target}", line)

    def allows(self, room, other, header):
        if room.allowed is None:
            return True
        if other.path not in room.allowed:
            return False
        only = room.allowed[other.path]
        return only is None or header == other.prefix + only

    def direct_links(self, room):
        path = f"{room.path}/CMakeLists.txt"
        if not os.path.exists(os.path.join(self.root, path)):
            return {}
        links = {}
        for number, line in enumerate(self.read(path).splitlines(), 1):
            for name in re.findall(r"\bplatter_\w+|\blibplatter\b", line.partition("#")[0]):
                if name not in ("platter_room", "platter_room_tests", room.target):
                    links[name] = number
        return links

    def linked_rooms(self, room):
        """Paths of all rooms that a room links, directly or through others."""
        by_target = {other.target: other for other in self.rooms.values()}
        linked, ahead = {room.path}, [room]
        while ahead:
            for name in self.direct_links(ahead.pop()):
                other = by_target.get(name)
                if other and other.path not in linked:
                    linked.add(other.path)
                    ahead.append(other)
        return linked

    def check_links(self, room):
        targets = {other.target: other.path for other in self.rooms.values()}
        for name, line in self.direct_links(room).items():
            self.links += 1
            path = targets.get(name)
            if path is None:
                self.found(f"{room.path}/CMakeLists.txt", f"{name} is no room's library", line)
            elif room.allowed is not None and path not in room.allowed:
                self.found(f"{room.path}/CMakeLists.txt", f"{room.path} may not link {name}", line)

    # The sentences under "Never:". A rule gets what stands in backticks.

    def check_never(self):
        rules = {
            r"`\w+` includes `\w+`\.": self.never_includes,
            r"`model` includes anything of ours\.": self.never_anything,
            r".* know which transport they run on, or read the host's clock: .*":
                self.never_transport_or_clock,
            r"A result depends on the host's clock: .*": self.never_clock,
            r"`extract` and below include `virtual_drive`: .*": self.never_mentions_below,
            r"`emit` and `registry` talk to a device\.": self.never_talks_to_a_device,
            r"`tests/alien` shares anything with `engine`\.": self.never_shares,
            r"A test includes Catch2 but through `tests/catch\.h`\.": self.never_catch,
            r"JSON becomes text but through `src/model/json_text\.h`: .*": self.never_dumps,
            r"A call of `std::filesystem` goes without a `std::error_code`: .*": self.never_throws,
            r"A destructor calls what may throw but through `src/model/quietly\.h`: .*": self.never_ends_by_abort,
            r"What a library threw becomes a person's sentence but through `src/model/as_error\.h`: .*":
                self.never_translates,
            r"A figure of a model that was not measured acts but through `src/model/stand_ins\.h`: .*":
                self.never_acts_in_silence,
            r"A file of `\w+` or `\w+` includes one that stands on it\.": self.never_up,
            r"A test that cannot fail\.": lambda words: None,  # for readers, not for a program
        }
        unused = dict(rules)
        for sentence in self.never:
            form = next((form for form in rules if re.fullmatch(form, sentence)), None)
            if form is None:
                self.found(ARCHITECTURE, f"nothing checks: Never {sentence}")
                continue
            unused.pop(form, None)
            rules[form](re.findall(r"`([^`]+)`", sentence))
        for form in unused:
            self.found(ARCHITECTURE, f"is checked, but no longer said: Never {form}")

    def named(self, name):
        """Rooms that a word means: a room, or all rooms of a folder."""
        return [room for room in self.rooms.values()
                if room.path in (name, "src/" + name) or room.path.startswith(name + "/")]

    def no_include(self, room, prefix):
        for path, code in self.code(room):
            for match in INCLUDE.finditer(code):
                if match.group(1).startswith(prefix):
                    self.found(path, f"{room.path} must never include {match.group(1)}",
                               code.count("\n", 0, match.start(1)) + 1)

    def no_match(self, room, pattern, what):
        for path, code in self.code(room):
            for match in re.finditer(pattern, code):
                self.found(path, f"{room.path} must never {what} ({match.group(0).strip()})",
                           code.count("\n", 0, match.start()) + 1)

    def never_includes(self, words):
        for room in self.named(words[0]):
            self.no_include(room, words[1] + "/")

    def never_up(self, words):
        for word in words:
            for room in self.named(word):
                for upper, lower in ways_up(storeys(self.root, room.path)):
                    self.found(f"{room.path}/{upper}", f"includes {lower}, which stands on it")

    def never_anything(self, words):
        for room in self.named(words[0]):
            for other in self.rooms.values():
                if other is not room:
                    self.no_include(room, other.prefix)

    def never_transport_or_clock(self, words):
        for room in (room for word in words if word.isidentifier() for room in self.named(word)):
            self.no_include(room, "transport/")
            self.no_match(room, HOST_CLOCK, "read the host's clock")

    def never_clock(self, words):
        for word in words:
            for room in self.named(word):
                self.no_match(room, HOST_CLOCK, "read the host's clock")

    def never_mentions_below(self, words):
        for room in self.below(self.rooms["src/" + words[0]]):
            self.no_include(room, words[1] + "/")
            self.no_match(room, rf"\b{words[1]}(?!/)\b", f"name {words[1]}")

    def below(self, room):
        found, ahead = [], [room]
        while ahead:
            here = ahead.pop()
            if here not in found:
                found.append(here)
                ahead += [self.rooms[path] for path in here.allowed or {} if path in self.rooms]
        return found

    def never_talks_to_a_device(self, words):
        folders = [room.path for word in words for room in self.named(word)]
        folders += [word for word in words if os.path.isdir(os.path.join(self.root, word))]
        for folder in sorted(set(folders)):
            for header in ("scsi/", "transport/"):
                self.no_include(Room(folder, None), header)

    def never_shares(self, words):
        """A folder in another language, and programs in folders of it, with nothing from outside itself."""
        folder, room = words
        own = {os.path.basename(path)[:-3] for path in self.files(folder, (".py",))}
        for path in self.files(folder, ("",)):
            if path.endswith(SOURCES) and os.path.dirname(path) != folder:
                self.includes_its_own(path, folder)
            elif not path.endswith((".py", ".md", ".json", ".txt")):
                self.found(path, f"{folder} is Python and shares nothing with {room}")
            elif path.endswith(".txt") and "target_link_libraries" in self.read(path):
                self.found(path, f"a program of {folder} links nothing")
            if not path.endswith(".py"):
                continue
            for number, line in enumerate(self.read(path).splitlines(), 1):
                match = re.match(r"\s*(?:import|from) ([\w, ]+)", line)
                names = re.split(r"[, ]+", match.group(1)) if match else []
                if match and line.lstrip().startswith("from"):
                    names = names[:1]
                elif "as" in names:
                    names = names[:names.index("as")]
                for name in filter(None, names):
                    if name not in own and name not in sys.stdlib_module_names:
                        self.found(path, f"{name} is neither of {folder} nor Python's own", number)
                if "ctypes" in names or re.search(rf"\bsrc/{room}\b|\b{room}/\w+\.(h|cpp)", line):
                    self.found(path, f"{folder} must never share anything with {room}", number)
        for engine in self.named(room):
            self.no_match(engine, r"\balien\b", f"know of {folder}")

    def includes_its_own(self, path, folder):
        """A program's headers are those that lie beside it, or of the system."""
        for number, line in enumerate(self.read(path).splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*(?:"([^"]*)"|<([^>]*)>)', line)
            if match and match.group(1) and not (os.path.basename(match.group(1)) == match.group(1) and os.path.exists(
                    os.path.join(self.root, os.path.dirname(path), match.group(1)))):
                self.found(path, f"{match.group(1)} is not beside it, and {folder} shares nothing", number)
            if match and match.group(2) and ("/" in match.group(2) and not match.group(2).startswith("sys/")):
                self.found(path, f"{match.group(2)} is not of the system, and {folder} shares nothing", number)

    def sources(self):
        """(path, code without comments) of all that goes into programs."""
        for folder in ("src", "registry", "emulator", "emit", "lib"):
            for path in self.files(folder, SOURCES):
                yield path, without_comments(self.read(path))

    def never_dumps(self, words):
        """The library's writer throws at foreign bytes unless it is told not to."""
        home = words[0].removesuffix(".h") + ".cpp"
        for path, code in self.sources():
            if path == home or not ("dump" in code or "nlohmann::to_string" in code):
                continue
            for match in re.finditer(r"(?:\.|->)\s*dump\s*\(|\bnlohmann::to_string\s*\(", code):
                self.found(path, f"makes text of JSON by itself; {words[0]} does it",
                           code.count("\n", 0, match.start()) + 1)

    def never_throws(self, words):
        for path, code in self.sources():
            for at, call in throwing_calls(code):
                self.found(path, f"{call}...) throws where a path is odd; give it a {words[1]}, "
                           "or see src/model/folder.h", code.count("\n", 0, at) + 1)

    def never_ends_by_abort(self, words):
        sources = list(self.sources())
        known = set().union(*(declared_noexcept(code) for _, code in sources if "noexcept" in code))
        for path, code in sources:
            for at, name, call in throwing_destructors(code, known) if "~" in code else ():
                self.found(path, f"~{name}() calls {call}(), which may throw and would end the program by a signal; "
                           f"make it noexcept, or call it through {words[0]}", code.count("\n", 0, at) + 1)

    def never_translates(self, words):
        home = words[0].removesuffix(".h") + ".cpp"
        foreign = re.compile(r"\bfilesystem_error\b|\bExitStatus::internal,\s*\w+(?:\.|->)what\s*\(")
        for path, code in self.sources():
            for match in foreign.finditer(code) if path != home else ():
                self.found(path, f"tells by itself what a library threw; {words[0]} does it",
                           code.count("\n", 0, match.start()) + 1)

    def never_acts_in_silence(self, words):
        """A Parameter's value is an optional number, and its default has a row in the table."""
        home = words[0].removesuffix(".h") + ".cpp"
        default = re.compile(r"(?:\.|->)\s*value\s*(?:\.|->)\s*value_or\s*\(|\bParameter\b[^;{}]*\bor_else\s*\(|"
                             r"(\b[\w.]+(?:->[\w.]+)*)(?:\.|->)value\s*\?\s*\*\s*\1(?:\.|->)value\s*:")
        for path, code in self.sources():
            for match in default.finditer(code) if path != home else ():
                self.found(path, f"gives a figure that was not measured a default by itself; {words[0]} does it",
                           code.count("\n", 0, match.start()) + 1)

    def never_catch(self, words):
        """Catch2 2 and 3 have different headers, and one header knows that."""
        for path in self.files("tests", SOURCES):
            for match in INCLUDE.finditer("" if path == words[0] else self.read(path)):
                if match.group(1).startswith("catch2/"):
                    self.found(path, f'includes {match.group(1)}; include "catch.h"')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?",
                        default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    options = parser.parse_args()
    house = House(os.path.normpath(options.root))
    for finding in house.check():
        print(finding)
    print(f"{len(house.rooms)} rooms, {house.includes} includes, {house.links} links: "
          f"{len(house.findings)} against the rules of {ARCHITECTURE}")
    return 1 if house.findings else 0


if __name__ == "__main__":
    sys.exit(main())
