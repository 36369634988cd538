"""Calls of std::filesystem that throw where a path is odd: unreadable, a loop of links, too long, gone."""

import functools
import re

CALLS = (r"exists|is_\w+|file_size|create_\w+|copy\w*|remove\w*|rename|read_symlink|canonical|weakly_canonical|absolute|"
         r"relative|proximate|equivalent|status|symlink_status|directory_iterator|recursive_directory_iterator|"
         r"temp_directory_path|current_path|last_write_time|permissions|space|resize_file|hard_link_count")
CALL = re.compile(rf"\b(?:fs|filesystem)::({CALLS})\b\s*\w*\s*\(")
OF_ENTRY = re.compile(r"(?:\.|->)(?:is_(?:regular_file|directory|symlink|block_file|character_file|socket|fifo|other)|"
                      r"file_size|last_write_time|hard_link_count|symlink_status)\(\s*\)")
WALK = re.compile(r"\bfor\s*\([^;()]*:\s*(?:std::filesystem|fs)::(?:recursive_)?directory_iterator\b")


def last_argument(code, start):
    """Of the call whose parenthesis opens at `start`; and whether it has any."""
    depth, begin = 0, start + 1
    for at in range(start, len(code)):
        letter = code[at]
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 1 and letter == ",":
            begin = at + 1
        if depth == 0:
            return code[begin:at].strip()
    return ""


@functools.cache
def throwing_calls(code):
    """[(place, call)] of each that is not given a std::error_code, and of walks whose steps throw."""
    return list(find_throwing_calls(code)) if "fs::" in code or "filesystem::" in code else []


def find_throwing_calls(code):
    for match in CALL.finditer(code):
        last = last_argument(code, match.end() - 1)
        ends = match.group(1).endswith("iterator") and not last  # the end of a walk
        if not ends and not (last.isidentifier() and re.search(rf"error_code\s[^;()]*\b{last}\b|error_code&\s*{last}\b",
                                                               code)):
            yield match.start(), match.group(0)
    for match in (*WALK.finditer(code), *OF_ENTRY.finditer(code)):
        yield match.start(), match.group(0)
