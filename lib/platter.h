/* libplatter: a disk drive's model for other programs. Open a table (*.ptab, as
   `platter emit table` writes it), ask where blocks lie, and run the service-time engine: which
   request is complete when. docs/library.md is the guide.

   Status. Functions that can fail return a platter_status, PLATTER_OK (0) or one of those below,
   and then leave their results, and the engine, as they were. What the positive ones say is no
   error. Every number is held against its range, and every NULL that is not said to be allowed is
   answered with PLATTER_BAD_ARGUMENT. No C++ exception leaves the library, nothing is printed, no
   signal is touched, no file is held open.

   Threads. A table never changes: any number of threads may use it, and engines over it, at once.
   An engine is used by one thread at a time: a call that comes while another thread is in one is
   refused with PLATTER_BUSY. Different engines are independent.

   Handles. One that was closed or destroyed is answered with PLATTER_BAD_ARGUMENT, until a thousand
   others of its kind were closed after it; closing it again does nothing. A table is to be closed
   when no thread is in a call with it, which is not checked. What never was a handle is not known
   for it.

   fork(). A child has all of it as it was. An engine that another thread was in a call of is
   PLATTER_BUSY there for good, because that thread is not there to end its call.

   Time. Nanoseconds since an instant of the caller's choice, int64_t, within PLATTER_TIME_LIMIT on
   both sides of 0. The library reads no clock. An angle is a fraction of a revolution times 2^64 in
   a uint64_t, so that it wraps as revolutions do.

   Growth. A program that was built against this header runs with later libraries of the same
   soname. Members named reserved are set to 0 by the library in what it returns, and must be 0
   in what it is given. A struct with struct_size may grow at its end: the caller sets the member
   to sizeof. */
#ifndef PLATTER_H
#define PLATTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(PLATTER_BUILDING) && defined(__GNUC__)
#define PLATTER_API __attribute__((visibility("default")))
#else
#define PLATTER_API
#endif

typedef int32_t platter_status;
enum {
  PLATTER_OK = 0,
  PLATTER_NOTHING = 1,       /* no completion, no block, no such item: an ordinary answer */
  PLATTER_QUEUE_FULL = 2,    /* as many requests are outstanding as the drive's queue takes */
  PLATTER_TOO_MANY = 3,      /* as many are outstanding as an engine has room for */
  PLATTER_BAD_ARGUMENT = -1, /* NULL, an unknown flag, a reserved member that is not 0 */
  PLATTER_OUT_OF_RANGE = -2, /* a block, place, time or number that the drive does not have */
  PLATTER_BAD_TABLE = -3,    /* no table, another version's, a damaged one, or no such file */
  PLATTER_NO_ACCESS = -4,    /* the file may not be read */
  PLATTER_NO_MEMORY = -5,
  PLATTER_BAD_CHECKPOINT = -6, /* damaged, or not of an engine over this table and library */
  PLATTER_INTERNAL = -7,       /* a defect of the library */
  PLATTER_BUSY = -8,           /* another thread is in a call of this engine */
  PLATTER_BAD_EPISODES = -9    /* no file of episodes, or one that asks for what is not known */
};

#define PLATTER_TIME_LIMIT (INT64_C(1) << 61)            /* 73 years */
#define PLATTER_DISTURBANCE_LIMIT INT64_C(1000000000000) /* 1000 s */

/* The version of the library, such as "1.0.0". Never NULL; valid for ever. */
PLATTER_API const char *platter_version(void);
/* The format of table files that the library was made for: 7 is version 1.0. It reads later ones of
   major version 1, too, that need nothing new of their reader. */
PLATTER_API uint32_t platter_table_format(void);
/* One sentence on the last function of the calling thread that returned a negative status; ""
   before the first. Never NULL; valid until the next failure in the same thread. */
PLATTER_API const char *platter_last_error(void);

/* ---- Tables ---------------------------------------------------------------------------------- */

typedef struct platter_table platter_table;

/* Reads a table file and verifies it, which takes well below a millisecond. The file is not needed
   after that. On success *table is to be closed with platter_table_close().
   PLATTER_BAD_TABLE, PLATTER_NO_ACCESS, PLATTER_NO_MEMORY. */
PLATTER_API platter_status platter_table_open(const char *path, platter_table **table);

/* The same for `size` bytes in memory, at any address, which are not needed after that. */
PLATTER_API platter_status platter_table_open_memory(const void *bytes, size_t size,
                                                     platter_table **table);

/* Gives the handle back; NULL is allowed. Engines over the table stay usable. No other thread may
   be in a call with the table. */
PLATTER_API void platter_table_close(platter_table *table);

enum {
  PLATTER_DERIVED = 1,       /* made from another model: a drive that nobody measured */
  PLATTER_VALIDATED = 2,     /* compared with its drive: platter_table_demerit() has the results */
  PLATTER_CHECKED_READS = 4, /* the model was checked for reads, ... */
  PLATTER_CHECKED_WRITES = 8 /* ... for writes */
};

/* What a table says of its drive and of itself. Texts are UTF-8, "" where nothing is known, and
   valid until the table is closed. */
typedef struct platter_info {
  uint32_t struct_size; /* set by the caller: sizeof(platter_info) */
  uint32_t flags;
  const char *name, *vendor, *product, *revision, *serial;
  uint64_t blocks; /* capacity: LBNs 0 to blocks - 1 */
  uint32_t block_bytes;
  uint32_t cylinders, heads, zones;
  uint64_t tracks, sectors;                         /* physical ones, spare sectors included */
  uint64_t period_numerator_ns, period_denominator; /* one revolution takes their ratio */
  const char *method; /* how the model came about: characterized, imported, catalogue, derived */
  const char *source, *date;
  const char *model_sha256;                   /* of the model file's text: 64 hexadecimal digits */
  const char *written_by;                     /* the version of platter that wrote the table */
  const char *note;                           /* on its validity */
  uint64_t first_lbn, last_lbn;               /* where the model was checked; last_lbn 0: nowhere */
  uint32_t min_blocks, max_blocks, max_depth; /* sizes and requests outstanding with which it was */
  uint32_t demerits;                          /* how many platter_table_demerit() has */
  uint64_t table_bytes;
  uint32_t scheduler, queue_depth;         /* of the drive, as in platter_queue */
  uint32_t cache_segments, segment_blocks; /* 0: no cache */
} platter_info;

PLATTER_API platter_status platter_table_info(const platter_table *table, platter_info *info);

/* A comparison of the model with its drive: DIXtrac's demerit figure, and the share of media
   accesses whose rotational position was predicted to 1/32 of a revolution. */
typedef struct platter_demerit {
  uint32_t struct_size; /* set by the caller: sizeof(platter_demerit) */
  uint32_t reserved;
  const char *workload; /* valid until the table is closed */
  uint64_t requests;
  double drive_mean_ms, demerit_ms, demerit_percent, folded_phase_share;
} platter_demerit;

/* PLATTER_NOTHING for an index that is not below platter_info's demerits. */
PLATTER_API platter_status platter_table_demerit(const platter_table *table, uint32_t index,
                                                 platter_demerit *demerit);

/* ---- Layout ---------------------------------------------------------------------------------- */

enum { PLATTER_REMAPPED = 1 }; /* the block lives away from its place in the sequence */

typedef struct platter_place {
  uint32_t cylinder, head;
  uint32_t sector;        /* physical sector of its track, from 0 */
  uint32_t track_sectors; /* physical sectors around */
  uint64_t angle;         /* where the sector begins */
  uint64_t sector_angle;  /* what one sector turns by */
  uint32_t flags;         /* PLATTER_REMAPPED */
  uint32_t reserved[3];
} platter_place;

typedef struct platter_track {
  uint32_t cylinder, head;
  uint32_t sectors; /* physical ones around */
  uint32_t zone;
  uint64_t first_lbn, blocks; /* LBNs first_lbn .. first_lbn + blocks - 1 belong here (those that
                                 are remapped away counted, those remapped to here not); blocks may
                                 be 0 */
  uint64_t angle;             /* where physical sector 0 begins */
  uint64_t sector_angle;      /* what one sector turns by */
  uint64_t reserved[2];
} platter_track;

/* Where a block lies. PLATTER_OUT_OF_RANGE past the last block. */
PLATTER_API platter_status platter_place_of_lbn(const platter_table *table, uint64_t lbn,
                                                platter_place *place);
/* The way back. PLATTER_NOTHING: the sector holds no block (a spare or a slipped one).
   PLATTER_OUT_OF_RANGE: there is no such sector. */
PLATTER_API platter_status platter_lbn_of_place(const platter_table *table, uint32_t cylinder,
                                                uint32_t head, uint32_t sector, uint64_t *lbn);
/* The track that a block lies on. PLATTER_OUT_OF_RANGE past the last block. */
PLATTER_API platter_status platter_track_of_lbn(const platter_table *table, uint64_t lbn,
                                                platter_track *track);
/* The track at a cylinder and head. PLATTER_OUT_OF_RANGE: there is none. */
PLATTER_API platter_status platter_track_at(const platter_table *table, uint32_t cylinder,
                                            uint32_t head, platter_track *track);

/* The angle under the heads at a time, of a platter that is `phase_ns` ahead of one that has
   angle 0 at time 0. PLATTER_OUT_OF_RANGE for times beyond the limit. */
PLATTER_API platter_status platter_angle_at(const platter_table *table, int64_t time_ns,
                                            int64_t phase_ns, uint64_t *angle);
/* The first time, not before time_ns, at which an angle passes under the heads. */
PLATTER_API platter_status platter_next_passage(const platter_table *table, uint64_t angle,
                                                int64_t time_ns, int64_t phase_ns,
                                                int64_t *passage_ns);

/* ---- Engines --------------------------------------------------------------------------------- */

/* A drive at work. After platter_engine_create() no function allocates memory, takes a lock or
   makes a system call, unless it says so. Each may return PLATTER_BUSY. */
typedef struct platter_engine platter_engine;

enum { PLATTER_WRITE = 1, PLATTER_FORCE_UNIT_ACCESS = 2 };

typedef struct platter_request {
  uint64_t lbn;
  uint32_t blocks; /* at least 1 */
  uint32_t flags;  /* PLATTER_WRITE, PLATTER_FORCE_UNIT_ACCESS */
  uint32_t tag;    /* comes back with the completion */
  uint32_t reserved_1;
  /* What the world does to this request; the engine has no noise of its own. All may be 0. Derive
     them from (seed, time, request), not from a sequence, for a rollback to repeat them. */
  int64_t positioning_ns; /* added to its positioning time; may be negative */
  int64_t media_delay_ns; /* not negative: passes before the media access begins, arm on track */
  int64_t phase_ns;       /* the platter is ahead of its nominal angle by this time */
  uint64_t reserved_2;
} platter_request;

enum {
  PLATTER_MEDIA_ACCESS = 1,    /* the request had to wait for the media */
  PLATTER_CACHE_HIT = 2,       /* served from, or completed into, the cache */
  PLATTER_OUTSIDE_VALIDITY = 4 /* nobody has checked the model for such a request */
};

typedef struct platter_completion {
  uint32_t tag;
  uint32_t flags;
  int64_t arrival_ns, completion_ns;
  uint64_t reserved;
} platter_completion;

/* A drive as it is after power-on at time 0: arm at cylinder 0, cache empty and on, the drive's
   own queue. To be destroyed with platter_engine_destroy(). PLATTER_NO_MEMORY. */
PLATTER_API platter_status platter_engine_create(const platter_table *table,
                                                 platter_engine **engine);
/* NULL is allowed. Waits for the call that another thread is in. Takes a lock, frees memory. */
PLATTER_API void platter_engine_destroy(platter_engine *engine);

/* Power-on again, at time_ns: what was outstanding is forgotten; the settings of queue and cache
   and the counters stay. PLATTER_OUT_OF_RANGE. */
PLATTER_API platter_status platter_engine_reset(platter_engine *engine, int64_t time_ns);

/* One request at a time: serves one that arrives at time_ns, and says when it is complete. If
   the drive is still busy then, it waits its turn; what was submitted before is served first,
   and its completions stay to be taken. The drive's time does not go back: a request that arrives
   before what was served meanwhile waits for that. PLATTER_OUT_OF_RANGE: past the last block, no
   blocks, a time or disturbance beyond its limit, or a drive that is already busy until twice
   PLATTER_TIME_LIMIT. */
PLATTER_API platter_status platter_engine_service(platter_engine *engine,
                                                  const platter_request *request, int64_t time_ns,
                                                  platter_completion *completion);

/* The same for `count` requests, of which each arrives at its own time, in one call. *served is how
   many were, and so many completions were written. It ends at the first request that fails, whose
   status it returns; those before it have been served. */
PLATTER_API platter_status platter_engine_service_batch(platter_engine *engine,
                                                        const platter_request *requests,
                                                        const int64_t *times_ns, size_t count,
                                                        platter_completion *completions,
                                                        size_t *served);

/* Several outstanding: hands a request to the drive that arrives, or arrived, at arrival_ns. An
   arrival may be told late: what was served meanwhile without regard to it is taken back, as
   far as completions were not taken and no more than 8 requests were served since; what was served
   before that stands, and platter_counters' late_arrivals grows. Served as if it had come in time,
   it may be complete before a completion that was already taken.
   PLATTER_QUEUE_FULL: the drive did not take it, as one that answers TASK SET FULL.
   PLATTER_TOO_MANY: the engine did not, because 64 requests are outstanding whose completions were
   not taken; a drive with a deeper queue might have. PLATTER_OUT_OF_RANGE as for
   platter_engine_service(). */
PLATTER_API platter_status platter_engine_submit(platter_engine *engine,
                                                 const platter_request *request,
                                                 int64_t arrival_ns);
/* When the next completion will be if nothing else is submitted. May be asked again after every
   submission. PLATTER_NOTHING: nothing is outstanding. */
PLATTER_API platter_status platter_engine_next_completion_time(platter_engine *engine,
                                                               int64_t *time_ns);
/* Takes the next completion, in the order of their time. Whoever follows a clock takes it when its
   time has come, not before: a request that arrives meanwhile could come first.
   PLATTER_NOTHING: nothing is outstanding. */
PLATTER_API platter_status platter_engine_next_completion(platter_engine *engine,
                                                          platter_completion *completion);
/* Takes all that are complete by time_ns, in the order of their time, `room` of them at most.
 *taken is how many; if it is `room` there may be more. */
PLATTER_API platter_status platter_engine_completions_until(platter_engine *engine, int64_t time_ns,
                                                            platter_completion *completions,
                                                            size_t room, size_t *taken);
/* Serves what is due by time_ns; the other functions do so as far as they need to. */
PLATTER_API platter_status platter_engine_advance(platter_engine *engine, int64_t time_ns);
/* Requests that were submitted and whose completions were not taken. 0 for NULL, SIZE_MAX while
   another thread is in a call. */
PLATTER_API size_t platter_engine_outstanding(const platter_engine *engine);
/* Forgets what is outstanding, as a reset of the logical unit does. */
PLATTER_API platter_status platter_engine_drop_outstanding(platter_engine *engine);
/* Forgets the request of that tag (of several, which may have the same, one), as ABORT TASK at
   time_ns does: one that waits is not served; one that is being served is served to its end, and
   what was served before it stands. PLATTER_NOTHING: there is none of that tag, or its completion
   was taken. PLATTER_OUT_OF_RANGE: the time. */
PLATTER_API platter_status platter_engine_cancel(platter_engine *engine, uint32_t tag,
                                                 int64_t time_ns);

enum {
  PLATTER_FCFS = 0,   /* first come, first served */
  PLATTER_SSTF = 1,   /* shortest seek (cylinders) first */
  PLATTER_LOOK = 2,   /* the nearest in the direction of the sweep, which turns at the last one */
  PLATTER_C_LOOK = 3, /* the next higher cylinder; behind the highest, the lowest */
  PLATTER_SPTF = 4    /* shortest positioning time (seek, head switch, settle and rotation) first */
};

typedef struct platter_queue {
  uint32_t scheduler;
  uint32_t depth; /* most requests outstanding; 0: as many as the engine has room for */
  double ageing;  /* PLATTER_SPTF: a ns of waiting counts as so many ns less of positioning; 0: none
                   */
  uint64_t reserved;
} platter_queue;

/* For what is chosen from now on; what platter_engine_next_completion_time() had to look ahead
   to has been chosen. PLATTER_BAD_ARGUMENT: no such scheduler. PLATTER_OUT_OF_RANGE: a depth
   beyond the engine's 64, an ageing that is negative or above 1e6. */
PLATTER_API platter_status platter_engine_set_queue(platter_engine *engine,
                                                    const platter_queue *queue);
PLATTER_API platter_status platter_engine_queue(const platter_engine *engine, platter_queue *queue);

enum {
  PLATTER_READ_CACHE = 1,  /* mode page 08h: RCD = 0 */
  PLATTER_WRITE_CACHE = 2, /* WCE = 1 */
  PLATTER_READ_AHEAD = 4   /* DRA = 0 */
};

/* Turns the cache on and off, at time_ns; `flags` are those that are on. A cache that is turned off
   loses its contents, dirty blocks to the media. What is outstanding is served first.
   PLATTER_BAD_ARGUMENT: an unknown flag. PLATTER_OUT_OF_RANGE: the time. */
PLATTER_API platter_status platter_engine_set_cache(platter_engine *engine, uint32_t flags,
                                                    int64_t time_ns);
PLATTER_API platter_status platter_engine_cache(const platter_engine *engine, uint32_t *flags);

/* The numbers of mode page 08h that hosts set. */
typedef struct platter_cache_policies {
  uint32_t struct_size;                      /* set by the caller: sizeof(platter_cache_policies) */
  uint32_t segments;                         /* NUMBER OF CACHE SEGMENTS; at least 1 */
  uint32_t minimum_prefetch;                 /* blocks that are read ahead in any case */
  uint32_t maximum_prefetch;                 /* and at most; 0: as far as the segment goes */
  uint32_t maximum_prefetch_ceiling;         /* and never more; 0: no such limit */
  uint32_t disable_prefetch_transfer_length; /* behind longer reads nothing is; 0: behind any */
} platter_cache_policies;

/* The drive goes on with other policies, at time_ns: the buffer is divided into so many segments,
   and begins empty; dirty blocks go to the media first. What is outstanding is served first.
   Checkpoints of before are refused from then on. Allocates memory.
   PLATTER_OUT_OF_RANGE: more segments than the buffer has blocks or an engine has room for, none,
   a minimum above the maximum, the time. PLATTER_NOTHING: the drive has no cache.
   PLATTER_NO_MEMORY. */
PLATTER_API platter_status platter_engine_set_cache_policies(platter_engine *engine,
                                                             const platter_cache_policies *policies,
                                                             int64_t time_ns);
PLATTER_API platter_status platter_engine_cache_policies(const platter_engine *engine,
                                                         platter_cache_policies *policies);

typedef struct platter_extent {
  uint64_t lbn, blocks;
} platter_extent;

/* The blocks that the drive has taken and not written at time_ns, as its host would lose them with
   the power: in ascending order, no block twice, `room` extents at most. Those on the way to the
   media count; a drive whose cache keeps what was written has none. What was served beyond that
   time counts, too: take completions when they are due. *count is how many there are, which may be
   more than `room`. Nothing changes. Allocates memory.
   PLATTER_OUT_OF_RANGE: the time. PLATTER_NO_MEMORY. */
PLATTER_API platter_status platter_engine_dirty(const platter_engine *engine, int64_t time_ns,
                                                platter_extent *extents, size_t room,
                                                size_t *count);

/* SYNCHRONIZE CACHE at time_ns: when all dirty blocks that were received by then are on the
   media. What is outstanding is served first. */
PLATTER_API platter_status platter_engine_synchronize(platter_engine *engine, int64_t time_ns,
                                                      int64_t *done_ns);
/* SEEK at time_ns to the track of a block: when the arm is there. What is outstanding is served
   first.
   PLATTER_OUT_OF_RANGE: past the last block, or the time. */
PLATTER_API platter_status platter_engine_seek(platter_engine *engine, uint64_t lbn,
                                               int64_t time_ns, int64_t *there_ns);

/* Checkpoint and rollback: everything that can change, settings and counters included, in so
   many bytes of the caller's memory, of any alignment. A checkpoint holds no pointers; it may be
   moved, kept in a file, and restored by any engine over an equal table of a library of the same
   version, any number of times. What then follows is what would have followed.
   0 for NULL, and while another thread is in a call. */
PLATTER_API size_t platter_engine_checkpoint_size(const platter_engine *engine);
/* `size` is what `memory` has room for. PLATTER_OUT_OF_RANGE: too small. */
PLATTER_API platter_status platter_engine_save(const platter_engine *engine, void *memory,
                                               size_t size);
/* `size` is what the checkpoint has, no more and no less. Its checksum, its table and its library
   are looked at before the engine changes. The checksum is for what happens to bytes on their way,
   not against those who make some up: restore what you trust.
   PLATTER_BAD_CHECKPOINT: the engine stays as it was. */
PLATTER_API platter_status platter_engine_restore(platter_engine *engine, const void *memory,
                                                  size_t size);

/* The same for what stays in the memory of this process (and of its children), where nothing
   damages it: without a checksum, and so ten times as fast. A snapshot of another process, table or
   size is refused, one that was changed is not: that is undefined. A snapshot is not restored as a
   checkpoint, nor a checkpoint rolled back to. Since 0.2.
   As platter_engine_save() and platter_engine_restore(). */
PLATTER_API platter_status platter_engine_snapshot(const platter_engine *engine, void *memory,
                                                   size_t size);
PLATTER_API platter_status platter_engine_roll_back(platter_engine *engine, const void *memory,
                                                    size_t size);

typedef struct platter_counters {
  uint32_t struct_size; /* set by the caller: sizeof(platter_counters) */
  uint32_t reserved;
  uint64_t outside_validity; /* requests served that nobody has checked the model for */
  uint64_t late_arrivals;    /* requests that came to light too late to be served as if in time */
} platter_counters;

PLATTER_API platter_status platter_engine_counters(const platter_engine *engine,
                                                   platter_counters *counters);

/* ---- Episodes -------------------------------------------------------------------------------- */

/* A drive that misbehaves on time: stalls, throttling, requests that are slow, fail or have no
   answer, as a file asks for them (docs/emulators.md; schemas/platter-episodes.json). The engine
   knows nothing of it: give it every request, and ask here what becomes of its completion. What is
   open never changes: any number of threads may use it at once. Since 0.2. */
typedef struct platter_episodes platter_episodes;

/* On success *episodes is to be closed with platter_episodes_close(). The file is not needed then.
   PLATTER_BAD_EPISODES, PLATTER_NO_ACCESS, PLATTER_NO_MEMORY. */
PLATTER_API platter_status platter_episodes_open(const char *path, platter_episodes **episodes);
/* The same for `size` bytes of such a text in memory. */
PLATTER_API platter_status platter_episodes_open_memory(const void *text, size_t size,
                                                        platter_episodes **episodes);
/* As platter_table_close(). */
PLATTER_API void platter_episodes_close(platter_episodes *episodes);

typedef struct platter_episodes_info {
  uint32_t struct_size; /* set by the caller: sizeof(platter_episodes_info) */
  uint32_t episodes;    /* how many there are */
  uint64_t seed;
  const char *sha256; /* of the file: 64 hexadecimal digits, valid until it is closed */
} platter_episodes_info;

PLATTER_API platter_status platter_episodes_about(const platter_episodes *episodes,
                                                  platter_episodes_info *info);

enum {
  PLATTER_STALL = 0,    /* the answer comes at the window's end */
  PLATTER_THROTTLE = 1, /* after a multiple of its time */
  PLATTER_SLOW = 2,     /* after a delay */
  PLATTER_FAIL = 3,     /* with an error: its blocks are neither returned nor stored */
  PLATTER_STUCK = 4     /* never */
};
/* Which of these an episode is, by its place in the file, from 0. PLATTER_NOTHING: there is none of
   that place. */
PLATTER_API platter_status platter_episodes_what(const platter_episodes *episodes, uint32_t episode,
                                                 uint32_t *what);

enum { PLATTER_FLUSH = 4 }; /* beside PLATTER_WRITE; neither: a read */

typedef struct platter_asked {
  uint64_t ordinal;     /* among the drive's reads, writes and flushes, from 1 */
  uint64_t lbn, blocks; /* both 0 for a flush */
  uint32_t flags;       /* 0, PLATTER_WRITE or PLATTER_FLUSH */
  uint32_t drive;       /* of several by one file: each has its own chance */
  int64_t arrival_ns;
  int64_t completion_ns; /* the engine's, not before the arrival; the arrival again before it is
                            known: whether a request fails or sticks does not depend on it */
  uint64_t reserved;
} platter_asked;

enum { PLATTER_FAILS = 1, PLATTER_NEVER = 2 };

typedef struct platter_outcome {
  int64_t due_ns;      /* when its answer is to be given; INT64_MAX with PLATTER_NEVER */
  uint64_t failed_lbn; /* with PLATTER_FAILS: the first block that does */
  uint32_t flags;      /* PLATTER_FAILS, PLATTER_NEVER */
  uint32_t actions;    /* episodes that act on it */
  uint64_t reserved;
} platter_outcome;

/* One of them. Each acts on what those before it left. */
typedef struct platter_action {
  uint32_t episode; /* by its place in the file, from 0 */
  uint32_t what;    /* PLATTER_STALL, ... */
  int64_t due_ns;   /* behind this one */
} platter_action;

/* What becomes of a request: a function of the file and of `asked`, and of nothing else. Of the
   actions the first `room` are written. PLATTER_OUT_OF_RANGE: an ordinal of 0, times beyond
   PLATTER_TIME_LIMIT, a completion before its arrival. */
PLATTER_API platter_status platter_episodes_outcome(const platter_episodes *episodes,
                                                    const platter_asked *asked,
                                                    platter_outcome *outcome,
                                                    platter_action *actions, size_t room);

#ifdef __cplusplus
}
#endif

#endif
