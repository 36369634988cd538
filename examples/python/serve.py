#!/usr/bin/env python3
"""Serves random requests from a table, several outstanding, and prints the mean response time; no
build step:  serve.py FILE.ptab [REQUESTS] [LIBRARY]"""

import ctypes
import random
import sys
from ctypes import byref, c_char_p, c_double, c_int32, c_int64, c_uint32, c_uint64, c_void_p


class Request(ctypes.Structure):
    _fields_ = [("lbn", c_uint64), ("blocks", c_uint32), ("flags", c_uint32), ("tag", c_uint32),
                ("reserved_1", c_uint32), ("positioning_ns", c_int64), ("media_delay_ns", c_int64),
                ("phase_ns", c_int64), ("reserved_2", c_uint64)]


class Completion(ctypes.Structure):
    _fields_ = [("tag", c_uint32), ("flags", c_uint32), ("arrival_ns", c_int64),
                ("completion_ns", c_int64), ("reserved", c_uint64)]


class Queue(ctypes.Structure):
    _fields_ = [("scheduler", c_uint32), ("depth", c_uint32), ("ageing", c_double),
                ("reserved", c_uint64)]


class Info(ctypes.Structure):  # as far as it is used here: struct_size says so to the library
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("name", c_char_p),
                ("vendor", c_char_p), ("product", c_char_p), ("revision", c_char_p),
                ("serial", c_char_p), ("blocks", c_uint64)]


WRITE, SPTF = 1, 4
table_file, requests = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
platter = ctypes.CDLL(sys.argv[3] if len(sys.argv) > 3 else "libplatter.so.0")
platter.platter_last_error.restype = c_char_p


def call(name, *arguments):
    """Calls a function of the library; an error ends the program with the library's sentence."""
    status = c_int32(getattr(platter, name)(*arguments)).value
    if status < 0:
        sys.exit("serve: " + platter.platter_last_error().decode())
    return status


table, drive, info = c_void_p(), c_void_p(), Info(struct_size=ctypes.sizeof(Info))
call("platter_table_open", table_file.encode(), byref(table))
call("platter_table_info", table, byref(info))
call("platter_engine_create", table, byref(drive))
call("platter_engine_set_queue", drive, byref(Queue(scheduler=SPTF)))
draw, completion = random.Random(1), Completion()
submitted = now_ns = sum_ns = 0
for completed in range(requests):
    while submitted < min(requests, completed + 4):
        request = Request(lbn=draw.randrange(info.blocks - 8), blocks=8, tag=submitted,
                          flags=draw.choice((0, 0, WRITE)))
        call("platter_engine_submit", drive, byref(request), c_int64(now_ns))
        submitted += 1
    call("platter_engine_next_completion", drive, byref(completion))
    now_ns = completion.completion_ns
    sum_ns += completion.completion_ns - completion.arrival_ns
print(f"{info.name.decode()}, {info.blocks} blocks")
print(f"mean response {sum_ns / requests / 1e6:.6f} ms")
platter.platter_engine_destroy(drive)
platter.platter_table_close(table)
