#!/usr/bin/env python3
"""Serves random requests from a table, several outstanding, and prints the mean response time; then
takes all of it back, and serves it again:  serve.py FILE.ptab [REQUESTS]
Needs the module of python3-platter; of a build it is lib/python, with PLATTER_LIBRARY=libplatter.so.1's path."""

import random
import sys

import platter


def mean_response_ms(drive, blocks, requests):
    """Four requests are always outstanding: whenever one is complete, the next one arrives."""
    draw = random.Random(1)
    submitted = now_ns = sum_ns = 0
    for completed in range(requests):
        while submitted < min(requests, completed + 4):
            request = platter.Request(lbn=draw.randrange(blocks - 8), blocks=8, tag=submitted,
                                      flags=draw.choice((0, 0, platter.WRITE)))
            drive.submit(request, now_ns)
            submitted += 1
        completion = drive.next_completion()
        now_ns = completion.completion_ns
        sum_ns += completion.completion_ns - completion.arrival_ns
    return sum_ns / requests / 1e6


def main(table_file, requests=10_000):
    table = platter.Table(table_file)
    info = table.info()
    print(f"{info.name.decode()}, {info.blocks} blocks" + (", derived" if info.flags & platter.DERIVED else ""))
    drive = platter.Engine(table)
    drive.set_queue(platter.SPTF)
    checkpoint = drive.save()
    first = mean_response_ms(drive, info.blocks, int(requests))
    drive.restore(checkpoint)
    again = mean_response_ms(drive, info.blocks, int(requests))
    print(f"mean response {first:.6f} ms; after the rollback {again:.6f} ms")
    return 0 if first == again else 1


if not 2 <= len(sys.argv) <= 3:
    sys.exit("usage: serve.py FILE.ptab [REQUESTS]")
try:
    sys.exit(main(*sys.argv[1:]))
except platter.Error as error:
    sys.exit(f"serve: {error}")
