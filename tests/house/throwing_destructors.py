"""Destructors that call what may throw: a program that is in one when something throws ends by SIGABRT."""

import re

HEAD = re.compile(r"~(\w+)\(\)\s*(?:override\s*|noexcept\s*)*\{")
QUIETLY = re.compile(r"\bquietly\s*\(")
CALL = re.compile(r"(::|\.|->)?\s*(?<![\w~])(~?\w+)\s*(?:<[\w:*]*>)?\s*\(")
NOEXCEPT = re.compile(r"\b(\w+)\s*\([^(){};]*\)\s*(?:const\s*)?noexcept\b")
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "catch"}
# Of C, of the standard library's own noexcept, of libraries in C; locks and threads throw at misuse alone.
HARMLESS = {
    "close", "unlink", "rmdir", "munmap", "munlockall", "kill", "waitpid", "wait4", "eventfd_write", "sigaction",
    "pthread_sigmask", "sched_setaffinity", "setrlimit", "personality", "timer_delete", "delete", "sleep_for", "now",
    "inflateEnd", "deflateEnd", "ZSTD_freeDStream", "ZSTD_freeCStream", "sqlite3_reset", "sqlite3_clear_bindings",
    "sqlite3_finalize", "sqlite3_close",
    "reset", "get", "c_str", "store", "load", "notify_one", "notify_all", "join", "joinable", "release", "lock", "clear",
    "empty", "size", "back", "pop_back", "path", "min", "milliseconds", "microseconds", "static_cast",
}


def matching(code, start, opening, closing):
    """The place behind what is opened at `start`."""
    depth = 0
    for at in range(start, len(code)):
        depth += (code[at] == opening) - (code[at] == closing)
        if depth == 0:
            return at + 1
    return len(code)


def without_quiet_parts(body):
    while match := QUIETLY.search(body):
        body = body[:match.start()] + body[matching(body, match.end() - 1, "(", ")"):]
    return body


def declared_noexcept(code):
    """Names of functions that end the program themselves rather than throw, and so are looked after."""
    return set(NOEXCEPT.findall(code))


def throwing_destructors(code, known):
    """[(place, class, call)] of each call that may throw. `known`: functions of ours that are noexcept."""
    found = []
    for head in HEAD.finditer(code):
        body = without_quiet_parts(code[head.end() - 1:matching(code, head.end() - 1, "{", "}")])
        lambdas = set(re.findall(r"\bauto (\w+) = \[", body))
        for call in CALL.finditer(body):
            name = call.group(2)
            if name not in KEYWORDS | HARMLESS | known | lambdas:
                found.append((head.start(), head.group(1), name))
    return found
