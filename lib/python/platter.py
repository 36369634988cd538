"""libplatter from Python, through ctypes: where a drive's blocks lie, and which request is complete when.

    import platter
    drive = platter.Engine(platter.Table("drive.ptab"))
    print(drive.service(platter.Request(lbn=123456, blocks=8), 0).completion_ns)

Names, units and limits are those of the C header platter.h, which documents them. A function of the library that fails
raises platter.Error with the library's sentence and its status. Times are nanoseconds, angles fractions of a revolution
times 2^64. The library is libplatter.so.0, or the file that the environment variable PLATTER_LIBRARY names.
"""

import ctypes
import os
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

NOTHING, QUEUE_FULL, TOO_MANY = 1, 2, 3
BAD_ARGUMENT, OUT_OF_RANGE, BAD_TABLE, NO_ACCESS, NO_MEMORY, BAD_CHECKPOINT, INTERNAL = range(-1, -8, -1)
DERIVED, VALIDATED, CHECKED_READS, CHECKED_WRITES = 1, 2, 4, 8
REMAPPED = 1
WRITE, FORCE_UNIT_ACCESS = 1, 2
MEDIA_ACCESS, CACHE_HIT, OUTSIDE_VALIDITY = 1, 2, 4
FCFS, SSTF, LOOK, C_LOOK, SPTF = range(5)
READ_CACHE, WRITE_CACHE, READ_AHEAD = 1, 2, 4


class Error(Exception):
    """What the library refused: its sentence, and `status`, a negative number such as OUT_OF_RANGE."""

    def __init__(self, status, sentence):
        super().__init__(sentence)
        self.status = status


class _Struct(ctypes.Structure):
    def __init__(self, *arguments, **members):
        super().__init__(*arguments, **members)
        if hasattr(self, "struct_size"):
            self.struct_size = ctypes.sizeof(self)

    def __repr__(self):
        members = (f"{name}={getattr(self, name)!r}" for name, *_ in self._fields_ if "reserved" not in name)
        return f"{type(self).__name__}({', '.join(members)})"


def _fields(text):
    """Members as the header lists them: 'TYPE NAME NAME ...; ...'."""
    types = {"u32": c_uint32, "u64": c_uint64, "i64": c_int64, "double": c_double, "text": c_char_p}
    return [(name, types[line.split()[0]]) for line in text.split(";") for name in line.split()[1:]]


class Info(_Struct):
    _fields_ = _fields("u32 struct_size flags; text name vendor product revision serial; u64 blocks; u32 block_bytes;"
                       "u32 cylinders heads zones; u64 tracks sectors; u64 period_numerator_ns period_denominator;"
                       "text method source date model_sha256 written_by note; u64 first_lbn last_lbn;"
                       "u32 min_blocks max_blocks max_depth demerits; u64 table_bytes; u32 scheduler queue_depth;"
                       "u32 cache_segments segment_blocks")


class Demerit(_Struct):
    _fields_ = _fields("u32 struct_size reserved; text workload; u64 requests;"
                       "double drive_mean_ms demerit_ms demerit_percent folded_phase_share")


class Place(_Struct):
    _fields_ = _fields("u32 cylinder head sector track_sectors; u64 angle sector_angle;"
                       "u32 flags reserved_1 reserved_2 reserved_3")


class Track(_Struct):
    _fields_ = _fields("u32 cylinder head sectors zone; u64 first_lbn blocks angle sector_angle;"
                       "u64 reserved_1 reserved_2")


class Request(_Struct):
    _fields_ = _fields("u64 lbn; u32 blocks flags tag reserved_1; i64 positioning_ns media_delay_ns phase_ns;"
                       "u64 reserved_2")


class Completion(_Struct):
    _fields_ = _fields("u32 tag flags; i64 arrival_ns completion_ns; u64 reserved")


class Queue(_Struct):
    _fields_ = _fields("u32 scheduler depth; double ageing; u64 reserved")


class CachePolicies(_Struct):
    _fields_ = _fields("u32 struct_size segments minimum_prefetch maximum_prefetch maximum_prefetch_ceiling"
                       " disable_prefetch_transfer_length")


class Extent(_Struct):
    _fields_ = _fields("u64 lbn blocks")


class Counters(_Struct):
    _fields_ = _fields("u32 struct_size reserved; u64 outside_validity late_arrivals")


_library = ctypes.CDLL(os.environ.get("PLATTER_LIBRARY", "libplatter.so.0"))


def _function(name, *types, result=c_int32):
    function = getattr(_library, "platter_" + name)
    function.argtypes, function.restype = types, result
    if result is not c_int32:
        return function

    def call(*arguments):
        status = function(*arguments)
        if status < 0:
            raise Error(status, _last_error().decode())
        return status
    return call


_last_error = _function("last_error", result=c_char_p)
_version = _function("version", result=c_char_p)
_table_format = _function("table_format", result=c_uint32)
_table_open = _function("table_open", c_char_p, POINTER(c_void_p))
_table_open_memory = _function("table_open_memory", c_char_p, c_size_t, c_uint32, POINTER(c_void_p))
_table_close = _function("table_close", c_void_p, result=None)
_table_info = _function("table_info", c_void_p, POINTER(Info))
_table_demerit = _function("table_demerit", c_void_p, c_uint32, POINTER(Demerit))
_place_of_lbn = _function("place_of_lbn", c_void_p, c_uint64, POINTER(Place))
_lbn_of_place = _function("lbn_of_place", c_void_p, c_uint32, c_uint32, c_uint32, POINTER(c_uint64))
_track_of_lbn = _function("track_of_lbn", c_void_p, c_uint64, POINTER(Track))
_track_at = _function("track_at", c_void_p, c_uint32, c_uint32, POINTER(Track))
_angle_at = _function("angle_at", c_void_p, c_int64, c_int64, POINTER(c_uint64))
_next_passage = _function("next_passage", c_void_p, c_uint64, c_int64, c_int64, POINTER(c_int64))
_create = _function("engine_create", c_void_p, POINTER(c_void_p))
_destroy = _function("engine_destroy", c_void_p, result=None)
_reset = _function("engine_reset", c_void_p, c_int64)
_service = _function("engine_service", c_void_p, POINTER(Request), c_int64, POINTER(Completion))
_service_batch = _function("engine_service_batch", c_void_p, POINTER(Request), POINTER(c_int64), c_size_t,
                           POINTER(Completion), POINTER(c_size_t))
_submit = _function("engine_submit", c_void_p, POINTER(Request), c_int64)
_next_completion_time = _function("engine_next_completion_time", c_void_p, POINTER(c_int64))
_next_completion = _function("engine_next_completion", c_void_p, POINTER(Completion))
_completions_until = _function("engine_completions_until", c_void_p, c_int64, POINTER(Completion), c_size_t,
                               POINTER(c_size_t))
_advance = _function("engine_advance", c_void_p, c_int64)
_outstanding = _function("engine_outstanding", c_void_p, result=c_size_t)
_drop_outstanding = _function("engine_drop_outstanding", c_void_p)
_cancel = _function("engine_cancel", c_void_p, c_uint32, c_int64)
_set_queue = _function("engine_set_queue", c_void_p, POINTER(Queue))
_queue = _function("engine_queue", c_void_p, POINTER(Queue))
_set_cache = _function("engine_set_cache", c_void_p, c_uint32, c_int64)
_cache = _function("engine_cache", c_void_p, POINTER(c_uint32))
_set_cache_policies = _function("engine_set_cache_policies", c_void_p, POINTER(CachePolicies), c_int64)
_cache_policies = _function("engine_cache_policies", c_void_p, POINTER(CachePolicies))
_dirty = _function("engine_dirty", c_void_p, c_int64, POINTER(Extent), c_size_t, POINTER(c_size_t))
_synchronize = _function("engine_synchronize", c_void_p, c_int64, POINTER(c_int64))
_seek = _function("engine_seek", c_void_p, c_uint64, c_int64, POINTER(c_int64))
_checkpoint_size = _function("engine_checkpoint_size", c_void_p, result=c_size_t)
_save = _function("engine_save", c_void_p, c_char_p, c_size_t)
_restore = _function("engine_restore", c_void_p, c_char_p, c_size_t)
_counters = _function("engine_counters", c_void_p, POINTER(Counters))

MOST_OUTSTANDING = 64  # of an engine


def version():
    return _version().decode()


def table_format():
    return _table_format()


def _got(function, handle, result, *arguments):
    """A function's last argument, filled; None if the answer is NOTHING."""
    status = function(handle, *arguments, byref(result))
    if status == NOTHING:
        return None
    return result if isinstance(result, ctypes.Structure) else result.value


class Table:
    """A drive, from a table file's path or from its bytes. It never changes."""

    def __init__(self, source):
        self._handle = c_void_p()
        if isinstance(source, bytes):
            _table_open_memory(source, len(source), 0, byref(self._handle))
        else:
            _table_open(os.fsencode(source), byref(self._handle))

    def __del__(self):
        _table_close(self._handle)

    def info(self):
        """Texts in it are bytes, valid as long as the table."""
        return _got(_table_info, self._handle, Info())

    def demerits(self):
        return [_got(_table_demerit, self._handle, Demerit(), index) for index in range(self.info().demerits)]

    def place_of_lbn(self, lbn):
        return _got(_place_of_lbn, self._handle, Place(), lbn)

    def lbn_of_place(self, cylinder, head, sector):
        """None: the sector holds no block."""
        return _got(_lbn_of_place, self._handle, c_uint64(), cylinder, head, sector)

    def track_of_lbn(self, lbn):
        return _got(_track_of_lbn, self._handle, Track(), lbn)

    def track_at(self, cylinder, head):
        return _got(_track_at, self._handle, Track(), cylinder, head)

    def angle_at(self, time_ns, phase_ns=0):
        return _got(_angle_at, self._handle, c_uint64(), time_ns, phase_ns)

    def next_passage(self, angle, time_ns, phase_ns=0):
        return _got(_next_passage, self._handle, c_int64(), angle, time_ns, phase_ns)


class Engine:
    """The drive of a table at work. It is used by one thread at a time."""

    def __init__(self, table):
        self._handle = c_void_p()
        _create(table._handle, byref(self._handle))

    def __del__(self):
        _destroy(self._handle)

    def reset(self, time_ns):
        _reset(self._handle, time_ns)

    def service(self, request, time_ns):
        return _got(_service, self._handle, Completion(), byref(request), time_ns)

    def service_batch(self, requests, times_ns):
        """One at a time, each at its own time: their completions."""
        count = len(requests)
        if len(times_ns) != count:
            raise ValueError(f"{count} requests have {len(times_ns)} times; give each request one")
        completions, served = (Completion * count)(), c_size_t()
        _service_batch(self._handle, (Request * count)(*requests), (c_int64 * count)(*times_ns), count,
                       completions, byref(served))
        return list(completions)

    def submit(self, request, arrival_ns):
        """0, or QUEUE_FULL or TOO_MANY: then the caller keeps the request."""
        return _submit(self._handle, byref(request), arrival_ns)

    def next_completion_time(self):
        """None: nothing is outstanding."""
        return _got(_next_completion_time, self._handle, c_int64())

    def next_completion(self):
        """None: nothing is outstanding."""
        return _got(_next_completion, self._handle, Completion())

    def completions_until(self, time_ns):
        completions, taken = (Completion * MOST_OUTSTANDING)(), c_size_t()
        _completions_until(self._handle, time_ns, completions, MOST_OUTSTANDING, byref(taken))
        return completions[:taken.value]

    def advance(self, time_ns):
        _advance(self._handle, time_ns)

    def outstanding(self):
        return _outstanding(self._handle)

    def drop_outstanding(self):
        _drop_outstanding(self._handle)

    def cancel(self, tag, time_ns):
        """Whether there was such a request."""
        return _cancel(self._handle, tag, time_ns) != NOTHING

    def set_queue(self, scheduler, depth=0, ageing=0.0):
        _set_queue(self._handle, byref(Queue(scheduler=scheduler, depth=depth, ageing=ageing)))

    def queue(self):
        return _got(_queue, self._handle, Queue())

    def set_cache(self, flags, time_ns):
        _set_cache(self._handle, flags, time_ns)

    def cache(self):
        return _got(_cache, self._handle, c_uint32())

    def set_cache_policies(self, policies, time_ns):
        """Whether the drive has a cache."""
        return _set_cache_policies(self._handle, byref(policies), time_ns) != NOTHING

    def cache_policies(self):
        """None: the drive has no cache."""
        return _got(_cache_policies, self._handle, CachePolicies())

    def dirty(self, time_ns):
        """The extents that a drive would lose with its power."""
        count = c_size_t()
        _dirty(self._handle, time_ns, (Extent * 1)(), 0, byref(count))
        extents = (Extent * max(1, count.value))()
        _dirty(self._handle, time_ns, extents, count.value, byref(count))
        return extents[:count.value]

    def synchronize(self, time_ns):
        return _got(_synchronize, self._handle, c_int64(), time_ns)

    def seek(self, lbn, time_ns):
        return _got(_seek, self._handle, c_int64(), lbn, time_ns)

    def save(self):
        """A checkpoint, as bytes."""
        memory = ctypes.create_string_buffer(_checkpoint_size(self._handle))
        _save(self._handle, memory, len(memory))
        return memory.raw

    def restore(self, checkpoint):
        _restore(self._handle, checkpoint, len(checkpoint))

    def counters(self):
        return _got(_counters, self._handle, Counters())
