"""libplatter from Python, through ctypes: where a drive's blocks lie, and which request is complete when.

    import platter
    drive = platter.Engine(platter.Table("drive.ptab"))
    print(drive.service(platter.Request(lbn=123456, blocks=8), 0).completion_ns)

Names, units and limits are those of the C header platter.h, which documents them. Times are nanoseconds, angles
fractions of a revolution times 2^64. The library is libplatter.so.1, or the file that the environment variable
PLATTER_LIBRARY names.

Errors. What is of a wrong type raises TypeError, an integer that does not fit its C type OverflowError, what is no
number or was closed ValueError. What the library refuses raises platter.Error with its sentence and its status; of an
argument or a checkpoint it is an ArgumentError, which is a ValueError, too. The engine then is as it was.

Threads. Tables and engines may be used by several threads: calls of one of them are made one after the other, in no
order that is promised. Short calls keep Python's lock, which costs less than to give it up; service_batch() and the
opening of a table give it up. A child of os.fork() goes on with what it got, but for an engine that another thread was
in a call of: that is BUSY there.
"""

import ctypes
import math
import numbers
import operator
import os
import threading
import weakref
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

NOTHING, QUEUE_FULL, TOO_MANY = 1, 2, 3
(BAD_ARGUMENT, OUT_OF_RANGE, BAD_TABLE, NO_ACCESS, NO_MEMORY, BAD_CHECKPOINT, INTERNAL, BUSY,
 BAD_EPISODES) = range(-1, -10, -1)
DERIVED, VALIDATED, CHECKED_READS, CHECKED_WRITES = 1, 2, 4, 8
REMAPPED = 1
WRITE, FORCE_UNIT_ACCESS = 1, 2
MEDIA_ACCESS, CACHE_HIT, OUTSIDE_VALIDITY = 1, 2, 4
FCFS, SSTF, LOOK, C_LOOK, SPTF = range(5)
READ_CACHE, WRITE_CACHE, READ_AHEAD = 1, 2, 4
STALL, THROTTLE, SLOW, FAIL, STUCK = range(5)
FLUSH, FAILS, NEVER = 4, 1, 2


class Error(Exception):
    """What the library refused: its sentence, and `status`, a negative number such as OUT_OF_RANGE. `completions` are
    those of a batch that were served before."""

    def __init__(self, status, sentence):
        super().__init__(status, sentence)
        self.status, self.completions = status, []

    def __str__(self):
        return self.args[1]


class ArgumentError(Error, ValueError):
    """An argument that the library refused, or a checkpoint."""


def _raise(status):
    kind = ArgumentError if status in (BAD_ARGUMENT, OUT_OF_RANGE, BAD_CHECKPOINT) else Error
    raise kind(status, _last_error().decode(errors="replace"))


_RANGES = {c_uint32: (0, 2**32 - 1), c_uint64: (0, 2**64 - 1), c_int64: (-2**63, 2**63 - 1)}
_TYPES = {"u32": c_uint32, "u64": c_uint64, "i64": c_int64, "double": c_double, "text": c_char_p}


def _integer(name, kind, value):
    """Of that C type: ctypes would cut off what does not fit."""
    low, high = _RANGES[kind]
    if type(value) is int and low <= value <= high:  # nearly always
        return value
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is of type {type(value).__name__}; give an integer from {low} to {high}") from None
    if low <= number <= high:
        return number
    shown = number if number.bit_length() <= 128 else f"an integer of {number.bit_length()} bits"
    raise OverflowError(f"{name} is {shown}, and must be from {low} to {high}")


def _number(name, value):
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} is of type {type(value).__name__}; give a number")
    try:
        number = float(value)
    except OverflowError:
        raise OverflowError(f"{name} is larger than a floating-point number can be") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} is {number}; give a number that is finite")
    return number


def _of(kind, name, value):
    if isinstance(value, kind):
        return value
    raise TypeError(f"{name} is of type {type(value).__name__}; give a {kind.__name__.strip('_')}")


def _items(name, values):
    try:
        return list(values)
    except TypeError:
        raise TypeError(f"{name} is of type {type(values).__name__}; give a sequence") from None


class _Struct(ctypes.Structure):
    def __init__(self, *arguments, **members):
        super().__init__(*arguments, **members)
        if self._sized:
            self.struct_size = ctypes.sizeof(self)

    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)
        cls._kinds = dict(cls._fields_)
        cls._sized = "struct_size" in cls._kinds

    def __setattr__(self, name, value):
        kind = self._kinds.get(name)
        if kind is None:
            raise AttributeError(f"a {type(self).__name__} has no member {name}; it has {', '.join(self._kinds)}")
        if kind in _RANGES:
            value = _integer(name, kind, value)
        elif kind is c_double:
            value = _number(name, value)
        super().__setattr__(name, value)

    def with_own_texts(self):
        """Texts live as long as this, not as long as the table that they were read from."""
        for name, kind in self._fields_:
            if kind is c_char_p:
                setattr(self, name, getattr(self, name))
        return self

    def __repr__(self):
        members = (f"{name}={getattr(self, name)!r}" for name, *_ in self._fields_ if "reserved" not in name)
        return f"{type(self).__name__}({', '.join(members)})"


def _fields(text):
    """Members as the header lists them: 'TYPE NAME NAME ...; ...'."""
    return [(name, _TYPES[line.split()[0]]) for line in text.split(";") for name in line.split()[1:]]


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


class EpisodesInfo(_Struct):
    _fields_ = _fields("u32 struct_size episodes; u64 seed; text sha256")


class Asked(_Struct):
    _fields_ = _fields("u64 ordinal lbn blocks; u32 flags drive; i64 arrival_ns completion_ns; u64 reserved")


class Outcome(_Struct):
    _fields_ = _fields("i64 due_ns; u64 failed_lbn; u32 flags actions; u64 reserved")


class Action(_Struct):
    _fields_ = _fields("u32 episode what; i64 due_ns")


_PATH = os.environ.get("PLATTER_LIBRARY", "libplatter.so.1")
_keeping, _giving_up = ctypes.PyDLL(_PATH), ctypes.CDLL(_PATH)  # Python's lock, during a call


def _function(name, *parameters, result=c_int32, library=_keeping):
    """A parameter is a type; of an integer that comes from the caller, 'TYPE NAME'."""
    checked = [(at, *text.split()) for at, text in enumerate(parameters) if isinstance(text, str)]
    checked = [(at, _TYPES[kind], word) for at, kind, word in checked]
    function = getattr(library, "platter_" + name)
    function.argtypes = [_TYPES[one.split()[0]] if isinstance(one, str) else one for one in parameters]
    function.restype = result
    if result is not c_int32:
        return function

    def call(*arguments):
        if checked:
            arguments = list(arguments)
            for at, kind, word in checked:
                arguments[at] = _integer(word, kind, arguments[at])
        status = function(*arguments)
        if status < 0:
            _raise(status)
        return status
    return call


_last_error = _function("last_error", result=c_char_p)
_version = _function("version", result=c_char_p)
_table_format = _function("table_format", result=c_uint32)
_table_open = _function("table_open", c_char_p, POINTER(c_void_p), library=_giving_up)
_table_open_memory = _function("table_open_memory", c_char_p, c_size_t, POINTER(c_void_p),
                              library=_giving_up)
_table_close = _function("table_close", c_void_p, result=None)
_table_info = _function("table_info", c_void_p, POINTER(Info))
_table_demerit = _function("table_demerit", c_void_p, c_uint32, POINTER(Demerit))
_place_of_lbn = _function("place_of_lbn", c_void_p, "u64 lbn", POINTER(Place))
_lbn_of_place = _function("lbn_of_place", c_void_p, "u32 cylinder", "u32 head", "u32 sector", POINTER(c_uint64))
_track_of_lbn = _function("track_of_lbn", c_void_p, "u64 lbn", POINTER(Track))
_track_at = _function("track_at", c_void_p, "u32 cylinder", "u32 head", POINTER(Track))
_angle_at = _function("angle_at", c_void_p, "i64 time_ns", "i64 phase_ns", POINTER(c_uint64))
_next_passage = _function("next_passage", c_void_p, "u64 angle", "i64 time_ns", "i64 phase_ns", POINTER(c_int64))
_create = _function("engine_create", c_void_p, POINTER(c_void_p))
_destroy = _function("engine_destroy", c_void_p, result=None)
_reset = _function("engine_reset", c_void_p, "i64 time_ns")
_service = _function("engine_service", c_void_p, POINTER(Request), "i64 time_ns", POINTER(Completion))
_service_batch = _function("engine_service_batch", c_void_p, POINTER(Request), POINTER(c_int64), c_size_t,
                           POINTER(Completion), POINTER(c_size_t), library=_giving_up)
_submit = _function("engine_submit", c_void_p, POINTER(Request), "i64 arrival_ns")
_next_completion_time = _function("engine_next_completion_time", c_void_p, POINTER(c_int64))
_next_completion = _function("engine_next_completion", c_void_p, POINTER(Completion))
_completions_until = _function("engine_completions_until", c_void_p, "i64 time_ns", POINTER(Completion), c_size_t,
                               POINTER(c_size_t))
_advance = _function("engine_advance", c_void_p, "i64 time_ns")
_outstanding = _function("engine_outstanding", c_void_p, result=c_size_t)
_drop_outstanding = _function("engine_drop_outstanding", c_void_p)
_cancel = _function("engine_cancel", c_void_p, "u32 tag", "i64 time_ns")
_set_queue = _function("engine_set_queue", c_void_p, POINTER(Queue))
_queue = _function("engine_queue", c_void_p, POINTER(Queue))
_set_cache = _function("engine_set_cache", c_void_p, "u32 flags", "i64 time_ns")
_cache = _function("engine_cache", c_void_p, POINTER(c_uint32))
_set_cache_policies = _function("engine_set_cache_policies", c_void_p, POINTER(CachePolicies), "i64 time_ns")
_cache_policies = _function("engine_cache_policies", c_void_p, POINTER(CachePolicies))
_dirty = _function("engine_dirty", c_void_p, "i64 time_ns", POINTER(Extent), c_size_t, POINTER(c_size_t))
_synchronize = _function("engine_synchronize", c_void_p, "i64 time_ns", POINTER(c_int64))
_seek = _function("engine_seek", c_void_p, "u64 lbn", "i64 time_ns", POINTER(c_int64))
_checkpoint_size = _function("engine_checkpoint_size", c_void_p, result=c_size_t)
_save = _function("engine_save", c_void_p, c_char_p, c_size_t)
_restore = _function("engine_restore", c_void_p, c_char_p, c_size_t)
_snapshot = _function("engine_snapshot", c_void_p, c_char_p, c_size_t)
_roll_back = _function("engine_roll_back", c_void_p, c_char_p, c_size_t)
_counters = _function("engine_counters", c_void_p, POINTER(Counters))
_episodes_open = _function("episodes_open", c_char_p, POINTER(c_void_p), library=_giving_up)
_episodes_open_memory = _function("episodes_open_memory", c_char_p, c_size_t, POINTER(c_void_p), library=_giving_up)
_episodes_close = _function("episodes_close", c_void_p, result=None)
_episodes_about = _function("episodes_about", c_void_p, POINTER(EpisodesInfo))
_episodes_what = _function("episodes_what", c_void_p, "u32 episode", POINTER(c_uint32))
_episodes_outcome = _function("episodes_outcome", c_void_p, POINTER(Asked), POINTER(Outcome), POINTER(Action), c_size_t)

MOST_OUTSTANDING = 64  # of an engine
_UNKNOWN = c_size_t(-1).value


def version():
    return _version().decode()


def table_format():
    return _table_format()


class _Handle:
    """What the library has open for us, and what it is called; for one thread at a time."""

    _close = None

    def __new__(cls, *arguments, **more):
        self = super().__new__(cls)
        self._lock, self._handle = threading.RLock(), None
        _handles.add(self)
        return self

    def close(self):
        """Gives it back; every later call raises ValueError. Waits for the call of another thread."""
        with self._lock:
            handle, self._handle = self._handle, None
            if handle is not None:
                self._close(handle)

    __del__ = close

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.close()

    def _call(self, function, *arguments):
        with self._lock:
            if self._handle is None:
                raise ValueError(f"the {type(self).__name__.lower()} is closed")
            return function(self._handle, *arguments)

    def _got(self, function, result, *arguments):
        """A function's last argument, filled; None if the answer is NOTHING."""
        if self._call(function, *arguments, byref(result)) == NOTHING:
            return None
        return result if isinstance(result, _Struct) else result.value


_handles = weakref.WeakSet()


def _renew_locks():
    """Those that another thread holds would stay so: it is not here."""
    for handle in list(_handles):
        handle._lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_locks)


class Table(_Handle):
    """A drive, from a table file's path or from its bytes. It never changes. `with` closes it."""

    _close = staticmethod(_table_close)

    def __init__(self, source):
        handle = c_void_p()
        if isinstance(source, (bytes, bytearray, memoryview)):
            source = bytes(source)
            _table_open_memory(source, len(source), byref(handle))
        else:
            _table_open(_path(source), byref(handle))
        self._handle = handle

    def info(self):
        """Texts in it are bytes."""
        with self._lock:
            return self._got(_table_info, Info()).with_own_texts()

    def demerits(self):
        with self._lock:
            count = self.info().demerits
            return [self._got(_table_demerit, Demerit(), index).with_own_texts() for index in range(count)]

    def place_of_lbn(self, lbn):
        return self._got(_place_of_lbn, Place(), lbn)

    def lbn_of_place(self, cylinder, head, sector):
        """None: the sector holds no block."""
        return self._got(_lbn_of_place, c_uint64(), cylinder, head, sector)

    def track_of_lbn(self, lbn):
        return self._got(_track_of_lbn, Track(), lbn)

    def track_at(self, cylinder, head):
        return self._got(_track_at, Track(), cylinder, head)

    def angle_at(self, time_ns, phase_ns=0):
        return self._got(_angle_at, c_uint64(), time_ns, phase_ns)

    def next_passage(self, angle, time_ns, phase_ns=0):
        return self._got(_next_passage, c_int64(), angle, time_ns, phase_ns)


def _path(source, what="a table's bytes"):
    try:
        path = os.fsencode(source)
    except TypeError:
        raise TypeError(f"source is of type {type(source).__name__}; give a path, or {what}") from None
    if b"\0" in path:
        raise ValueError("source is a path with a null character, which no file has")
    return path


class Engine(_Handle):
    """The drive of a table at work, which it needs no more. `with` closes it."""

    _close = staticmethod(_destroy)

    def __init__(self, table):
        handle = c_void_p()
        _of(Table, "table", table)._call(_create, byref(handle))
        self._handle = handle

    def reset(self, time_ns):
        self._call(_reset, time_ns)

    def service(self, request, time_ns):
        return self._got(_service, Completion(), byref(_of(Request, "request", request)), time_ns)

    def service_batch(self, requests, times_ns):
        """One at a time, each at its own time: their completions."""
        requests = [_of(Request, f"requests[{at}]", one) for at, one in enumerate(_items("requests", requests))]
        times_ns = [_integer(f"times_ns[{at}]", c_int64, one) for at, one in enumerate(_items("times_ns", times_ns))]
        count = len(requests)
        if len(times_ns) != count:
            raise ValueError(f"{count} requests have {len(times_ns)} times; give each request one")
        completions, served = (Completion * count)(), c_size_t()
        try:
            self._call(_service_batch, (Request * count)(*requests), (c_int64 * count)(*times_ns), count, completions,
                       byref(served))
        except Error as failure:
            failure.completions = completions[:served.value]
            raise
        return list(completions)

    def submit(self, request, arrival_ns):
        """0, or QUEUE_FULL or TOO_MANY: then the caller keeps the request."""
        return self._call(_submit, byref(_of(Request, "request", request)), arrival_ns)

    def next_completion_time(self):
        """None: nothing is outstanding."""
        return self._got(_next_completion_time, c_int64())

    def next_completion(self):
        """None: nothing is outstanding."""
        return self._got(_next_completion, Completion())

    def completions_until(self, time_ns):
        completions, taken = (Completion * MOST_OUTSTANDING)(), c_size_t()
        self._call(_completions_until, time_ns, completions, MOST_OUTSTANDING, byref(taken))
        return completions[:taken.value]

    def advance(self, time_ns):
        self._call(_advance, time_ns)

    def outstanding(self):
        with self._lock:
            count = self._call(_outstanding)
            if count == _UNKNOWN:
                _raise(BUSY)
            return count

    def drop_outstanding(self):
        self._call(_drop_outstanding)

    def cancel(self, tag, time_ns):
        """Whether there was such a request."""
        return self._call(_cancel, tag, time_ns) != NOTHING

    def set_queue(self, scheduler, depth=0, ageing=0.0):
        self._call(_set_queue, byref(Queue(scheduler=scheduler, depth=depth, ageing=ageing)))

    def queue(self):
        return self._got(_queue, Queue())

    def set_cache(self, flags, time_ns):
        self._call(_set_cache, flags, time_ns)

    def cache(self):
        return self._got(_cache, c_uint32())

    def set_cache_policies(self, policies, time_ns):
        """Whether the drive has a cache."""
        return self._call(_set_cache_policies, byref(_of(CachePolicies, "policies", policies)), time_ns) != NOTHING

    def cache_policies(self):
        """None: the drive has no cache."""
        return self._got(_cache_policies, CachePolicies())

    def dirty(self, time_ns):
        """The extents that a drive would lose with its power."""
        count = c_size_t()
        with self._lock:
            self._call(_dirty, time_ns, None, 0, byref(count))
            extents = (Extent * count.value)()
            self._call(_dirty, time_ns, extents, count.value, byref(count))
        return list(extents)

    def synchronize(self, time_ns):
        return self._got(_synchronize, c_int64(), time_ns)

    def seek(self, lbn, time_ns):
        return self._got(_seek, c_int64(), lbn, time_ns)

    def save(self):
        """A checkpoint, as bytes, which may be kept in a file."""
        return self._written(_save).raw

    def restore(self, checkpoint):
        """Back to what save() kept, here or in another process. An Error of status BAD_CHECKPOINT: it is damaged, or of
        another drive."""
        if not isinstance(checkpoint, (bytes, bytearray, memoryview)):
            raise TypeError(f"checkpoint is of type {type(checkpoint).__name__}; give the bytes that save() returned")
        checkpoint = bytes(checkpoint)
        self._call(_restore, checkpoint, len(checkpoint))

    def snapshot(self):
        """As save(), without a checksum: for roll_back() in this process alone."""
        return _Snapshot(self._written(_snapshot))

    def roll_back(self, snapshot):
        memory = _of(_Snapshot, "snapshot", snapshot).memory
        self._call(_roll_back, memory, len(memory))

    def _written(self, function):
        with self._lock:
            memory = ctypes.create_string_buffer(self._call(_checkpoint_size))
            self._call(function, memory, len(memory))
        return memory

    def counters(self):
        return self._got(_counters, Counters())


class _Snapshot:
    def __init__(self, memory):
        self.memory = memory

    def __reduce__(self):
        raise TypeError("a snapshot stays in its process; save() makes a checkpoint that may leave it")


class Episodes(_Handle):
    """How a drive misbehaves, from a file's path or from its bytes: what becomes of a request whose completion an engine
    knows. It never changes. `with` closes it."""

    _close = staticmethod(_episodes_close)

    def __init__(self, source):
        handle = c_void_p()
        if isinstance(source, (bytes, bytearray, memoryview)):
            source = bytes(source)
            _episodes_open_memory(source, len(source), byref(handle))
        else:
            _episodes_open(_path(source, "the bytes of a file of episodes"), byref(handle))
        self._handle = handle

    def about(self):
        """Texts in it are bytes."""
        with self._lock:
            return self._got(_episodes_about, EpisodesInfo()).with_own_texts()

    def what(self, episode):
        """STALL, THROTTLE, SLOW, FAIL or STUCK; None: the file has no such episode."""
        return self._got(_episodes_what, c_uint32(), episode)

    def outcome(self, asked):
        """The Outcome, and an Action for each episode that acts."""
        outcome, asked = Outcome(), _of(Asked, "asked", asked)
        with self._lock:
            self._call(_episodes_outcome, byref(asked), byref(outcome), None, 0)
            actions = (Action * outcome.actions)()
            self._call(_episodes_outcome, byref(asked), byref(outcome), actions, outcome.actions)
        return outcome, list(actions)
