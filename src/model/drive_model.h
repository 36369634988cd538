// DriveModel: what a model file says about one drive. Plain data; it knows nobody.
// The JSON form and the validity rules are in json.h; docs/model.md is the reference of every
// field.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/lbn_range.h"
#include "model/passed_over.h"
#include "model/units.h"

namespace platter::model {

// What a figure that was not measured may be: the likeliest is the first of its list, and acts.
struct Guess {
  double value = 0;
  std::optional<double> probability;  // that it is so; not there: nobody can say
  std::string witness;                // "mode page 08h", "order of the bands by timing"

  bool operator==(const Guess&) const = default;
};

// A figure is one of four (model/known.h): measured, with a `value`; bounded; guessed; or unknown.
// Without a value `reason` says why it is not there (never a guess dressed as a measurement), and
// bounds and guesses are what is known instead: they go with no value. `error` is one standard
// error, in the same unit.
struct Parameter {
  std::optional<double> value;
  std::string unit;
  std::optional<double> error;
  std::string method;  // how it was found: an experiment's name, "published", "imported"
  std::uint64_t samples = 0;
  std::string reason;  // why there is no value
  std::optional<double> at_least{}, at_most{};
  std::vector<Guess> guesses{};  // within the bounds; the likeliest first

  explicit operator bool() const { return value.has_value(); }
};

// Blocks that one actuator reaches (SBC-5, Concurrent Positioning Ranges).
struct PositioningRange {
  std::uint64_t first = 0, blocks = 0;

  bool operator==(const PositioningRange&) const = default;
};

// A power condition that the drive takes by itself after so much idle time.
struct PowerTimer {
  std::string condition;  // "idle_a", "idle_b", "idle_c", "standby_y", "standby_z"
  std::uint64_t after_ms = 0;

  bool operator==(const PowerTimer&) const = default;
};

// Zones that follow one another and are alike (ZBC-2): a host writes each from its front on.
struct ZoneRun {
  std::uint64_t first_lbn = 0, zones = 1;
  std::uint64_t blocks = 0;   // of each
  std::string type;           // of kZoneTypes, in zones.h
  std::string condition;      // of kZoneConditions
  std::uint64_t written = 0;  // blocks below the write pointer of each; of open and closed ones

  bool operator==(const ZoneRun&) const = default;
};

struct Identity {
  std::string vendor, product, revision, serial;  // of the disk, where that could be asked
  std::uint64_t blocks = 0;                       // capacity in logical blocks
  std::uint32_t block_bytes = 512;                // logical block length
  std::uint32_t physical_block_bytes = 512;
  std::uint32_t heads = 0;
  std::uint32_t cylinders = 0;
  std::string name;       // short name for people, e.g. "Quantum Atlas 10K"
  std::string serial_by;  // the witness of the serial number: "IDENTIFY DEVICE", "VPD page 80h"
  std::string bridge;     // what stands in front of the disk and named itself: "ASMT 2105 0"
  std::optional<std::uint64_t> stated_blocks;  // by READ CAPACITY, where that is another number

  // What the drive says of its mechanics and its state, and no run measures.
  std::string zones;  // "host-aware", "device-managed", "host-managed"; empty: it speaks of none
  std::vector<ZoneRun> zone_runs;                // REPORT ZONES, all of its blocks
  std::optional<std::uint32_t> most_open_zones;  // at once; not there: no limit, or not told
  bool reads_past_pointers = false;              // URSWRZ: nothing is there, but it is no error
  bool trims = false;  // of a drive that rotates: its blocks move (shingled tracks, as a rule)
  std::vector<PositioningRange> positioning_ranges;   // VPD page B9h
  std::optional<std::uint32_t> logical_units;         // REPORT LUNS, where it has several
  std::vector<PowerTimer> power_timers;               // mode page 1Ah, those that are on
  std::optional<std::uint32_t> depopulated_elements;  // GET PHYSICAL ELEMENT STATUS
  std::string failure_predicted;                      // its own words
};

// What one stage of a characterization took.
struct StageTime {
  std::string name;
  double drive_seconds = 0;
  std::uint64_t commands = 0;

  bool operator==(const StageTime&) const = default;
};

// A stage that a characterization announced and did not do.
struct MissingStage {
  std::string name, reason;

  bool operator==(const MissingStage&) const = default;
};

// What makes part of the model doubtful. Programs go by it, never by the words of a note.
struct Finding {
  std::string code;                    // of finding_kinds.h: "angles-refuted"
  std::string weight;                  // "doubt" or "fault"
  std::vector<std::string> touches{};  // members of the model; none: all of it
  std::string by{};                    // the stage that found it
  std::string text;                    // for people

  bool operator==(const Finding&) const = default;
};

struct Provenance {
  std::string method;   // "characterized", "imported", "catalogue", "derived"
  std::string source;   // device name, file name or publication
  std::string date;     // ISO 8601, UTC
  std::string licence;  // under which its figures may be passed on; empty: nobody said
  double drive_seconds = 0, wall_seconds = 0;
  std::uint64_t commands = 0, translations = 0, bytes_written = 0, seed = 0;
  std::vector<StageTime> stages;  // in the order of the run
  bool complete = true;  // false: what was announced could not all be measured, each figure says
                         // why
  std::vector<MissingStage> missing;  // stages, in the order of the run
  std::vector<Finding> findings;      // in the order in which they were found
  std::vector<std::string> notes;     // for a reader: what was assumed, what was ignored
};

// Period of one revolution as the exact ratio numerator_ns / denominator (10025 rpm is
// 60e9 / 10025), so that the angle never drifts.
struct Rotation {
  std::uint64_t numerator_ns = 0;
  std::uint64_t denominator = 1;
  Parameter period;  // unit "ns"; its error and method
};

// Nested repeats of track runs. A node is played `count` times; instance i lies cylinder_step * i,
// head_step * i and angle_step_rev * i beyond the first. A leaf (sectors > 0) is one track of that
// many physical sectors; an inner node plays its children in order in each instance. Cylinder, head
// and angle are relative to the parent's instance; those of a zone (a top-level node) are absolute.
//   head-first cylinders:   {count: C, cylinder_step: 1, [{count: H, head_step: 1, sectors: S}]}
//   cylinder serpentine:    {count: C/2, cylinder_step: 2, [{count: H, head_step: 1, sectors: S},
//                            {count: H, cylinder: 1, head: H-1, head_step: -1, sectors: S}]}
//   surface serpentine:     runs with cylinder_step 1 and -1
// The physical sectors, numbered in this order over all zones from 0, are the *slots*.
// Angle of a track is where its first slot begins; slot j of a track begins j/sectors later.
struct LayoutNode {
  std::uint32_t count = 1;
  std::int32_t cylinder = 0, cylinder_step = 0;
  std::int32_t head = 0, head_step = 0;
  double angle_rev = 0, angle_step_rev = 0;
  std::uint32_t sectors = 0;
  std::vector<LayoutNode> children;
  // Standard errors where measured: of a zone's first track against the other zones, and of a step.
  std::optional<double> angle_error_rev = {}, angle_step_error_rev = {};
};

// Slots that hold no LBN: spares, slipped defects, management areas. `count` runs of `length`
// slots, `stride` slots from one to the next. Sorted by first_slot; runs of two entries never
// interleave (an entry ends before the next one begins).
struct Skip {
  std::uint64_t first_slot = 0, length = 1, count = 1, stride = 0;
};

// An LBN that lives elsewhere (in a spare slot) than its place in the sequence. The slot at its
// place holds no LBN. Sorted by lbn.
struct Remap {
  std::uint64_t lbn = 0, slot = 0;
};

// Blocks whose places were not understood: the map has them somewhere near, and claims nothing.
struct NotUnderstood {
  std::uint64_t first_lbn = 0, last_lbn = 0;  // inclusive
  std::string reason;
};

// Of a map by timing: the share of blocks, drawn at random and used for nothing else, that lay so
// near to where the map has them, and its 95 % interval.
struct MapShare {
  double within_rev = 0, share = 0, low = 0, high = 0;
};

// Blocks that were not looked at themselves: "interpolated" between some that were, or "guessed".
struct MapStretch {
  std::uint64_t first_lbn = 0, last_lbn = 0;  // inclusive
  std::string standing;
};

// What a map by timing knows of itself.
struct TimedMap {
  std::uint64_t blocks = 0;  // that the shares are shares of
  std::vector<MapShare> shares;
  std::vector<MapStretch> stretches;    // sorted, disjoint; all others were seen
  std::uint64_t unlocated_sectors = 0;  // without a block, of which only the band is known
};

struct Layout {
  std::vector<LayoutNode> zones;  // in LBN order; angles absolute
  std::vector<Skip> skips;
  std::vector<Remap> remaps;
  std::vector<NotUnderstood> not_understood;  // sorted, disjoint
  std::string spares;  // the scheme in words: "sectors of each cylinder", "none", several by " and
                       // "
  // Blocks drawn at random that lay where the finished map says, and no other did not: at most
  // 3 / checks of all blocks lie elsewhere, with 95 % confidence.
  std::uint64_t checks = 0;
  std::optional<TimedMap> timed;  // by timing alone
  Parameter angle;  // unit "rev"; value absent, error = how well angles between zones are known;
                    // with a reason where they are not known at all
  // How well it is known that the drive has as many of each as this layout, which is what acts:
  // exactly by translation; by timing only the order of the bands tells. Not there: nobody said.
  Parameter heads, cylinders;
  std::string method;  // "address translation", "timing", "imported"
  std::string reason;  // why there is no layout
};

struct SeekPoint {
  std::uint32_t cylinders = 0;
  double time_ms = 0;
  std::optional<double> error_ms;
  std::uint64_t samples = 0;
};

// A seek curve. Between points linear, past the last by the last two points' line, at 0 zero.
struct Seek {
  std::vector<SeekPoint> points;  // ascending distance
  std::string method;
  std::string reason;
};

enum class ReadAhead : std::uint8_t {
  none = 0,
  to_track_end = 1,  // of the track that holds the last requested sector
  to_cylinder_end = 2,
  to_segment_full = 3,
  to_next_track_if_sequential = 4,  // as far as the end of the following track, when the request
                                    // follows one that read the track before (DiskSim's type 4)
};

enum class Replacement : std::uint8_t {
  least_recently_used = 0,
  first_in_first_out = 1,
  random = 2
};

// Which of the written data that wait in the cache goes to the media first.
enum class DestageOrder : std::uint8_t { oldest = 0, by_lbn = 1 };

// Policies as DiskSim 4.0 names them (reference: its manual, section on disk caches), then those
// that it lacks. docs/model.md tells what each one does. A field of the Caching mode page (SBC-3,
// clause 6.4.5): whether the drive says that it can be changed, and whether changing it changes
// what the drive does.
struct CacheFreedom {
  std::string field;  // the standard's abbreviation: "RCD", "WCE", "DRA", "NUMBER OF CACHE
                      // SEGMENTS"
  bool changeable = false;
  std::string effect;   // "seen", "none" or "not told"
  std::string because;  // what was seen, or why it could not be
};

// Cache::adaptive_window_requests.
inline constexpr std::uint32_t kLeastWindowRequests = 4, kMostWindowRequests = 1024;

// How the buffer is divided, and what stays in it.
struct CacheSegments {
  Parameter segments, segment_blocks, write_segments;
  Parameter separate_write_segment;
  Parameter buffer_blocks;             // all segments together, where they take what they need
  Parameter adaptive_min_segments;     // the number of segments follows the load, from here up
  Parameter adaptive_window_requests;  // ... looked at after every so many requests
  Parameter segments_grow;             // 1: as long as their streams, in the common buffer
  Parameter replacement;               // value of enum Replacement
  Parameter discards_after_transfer;   // read data are dropped once sent
  Parameter write_updates_segments;    // written blocks go into the segments that hold them
};

struct CacheReadAhead {
  Parameter read_ahead;  // value of enum ReadAhead
  Parameter read_ahead_min_blocks, read_ahead_max_blocks;
  Parameter read_ahead_over_requested;  // -1, 0, 1
  Parameter read_ahead_on_hit;
  Parameter stop_read_ahead_in_sector, write_hit_stops_read_ahead;
  Parameter read_ahead_ceiling_blocks, read_ahead_by_request;  // SBC-3, Caching mode page
  Parameter read_ahead_longest_request_blocks;                 // longer requests: none
  Parameter read_ahead_after_sequential;  // 1: only behind reads that carry on from earlier ones
  Parameter read_ahead_abort;             // 0: a new command waits until all has been read
  Parameter read_ahead_resumes;           // what was broken off goes on when the drive is idle
  Parameter read_ahead_streams;  // that are remembered, to go on behind hits and when idle; 0: all
                                 // segments by hits, the last one when idle
  Parameter read_ahead_fixed_end;  // 1: hits on what is being read ahead do not move its end
};

struct CacheWrites {
  Parameter write_back_level;  // 0, 1 (sequential streams only), 2 (any)
  Parameter zero_latency_write;
  Parameter combine_sequential_writes;
  Parameter destage_behind;      // 1: written data wait in the cache for a good moment
  Parameter destage_idle;        // ms without a command before they go to the media
  Parameter destage_order;       // value of enum DestageOrder
  Parameter destage_in_passing;  // 1: at once where the arm stands on their cylinder
  Parameter written_blocks;      // the most that is taken before a write waits for the media
  Parameter written_persist;     // 1: safe as taken, neither FUA nor SYNCHRONIZE CACHE waits
  Parameter synchronize;         // ms of SYNCHRONIZE CACHE where nothing waits
};

struct Cache : CacheSegments, CacheReadAhead, CacheWrites {
  Parameter read_enabled;       // 0/1
  Parameter read_free_blocks;   // sectors that pass before the requested ones are kept
  Parameter zero_latency_read;  // 0 none, 1, 2
  Parameter read_hit_on_written;
  Parameter almost_read_hits;
  Parameter unexplained_share;  // of the probes' answers, those that these values contradict
  std::vector<CacheFreedom> freedoms;
};

// Unit "ms". Of the DIXtrac paper, section 4.4: by the command and the one before it.
struct OverheadsByCommands {
  Parameter read_hit_after_read, read_hit_after_write, read_miss_after_read, read_miss_after_write;
  Parameter write_hit_after_read, write_hit_after_write, write_miss_after_read,
      write_miss_after_write;
};

// Unit "ms". DiskSim's others.
struct OverheadsOfDisksim {
  Parameter per_request, read_completion, write_completion, data_preparation;
  Parameter first_reselect, other_reselect;
  Parameter read_disconnect_after_read, read_disconnect_after_write, write_disconnect;
  Parameter extra_write_disconnect;  // 0/1; then the next five replace the plain write overheads
  Parameter extra_disconnect_command, extra_disconnect_first, extra_disconnect_inter,
      extra_disconnect_second, extra_disconnect_seek_delta;
  Parameter minimum_seek_delay;       // writes (DiskSim's)
  Parameter minimum_read_seek_delay;  // reads
};

struct Overheads : OverheadsByCommands, OverheadsOfDisksim {
  // Added to a hit that carries on from the command before, of the same kind; reads only so soon.
  Parameter sequential_read_hit_delta, sequential_write_hit_delta, sequential_read_hit_within;
  Parameter address_translation;  // time of one SEND + RECEIVE DIAGNOSTIC page 40h pair
};

// What host and bus add to a request beside their median, which the overheads hold: of whoever
// measured the drive, not of the drive. Linear between the points.
struct DelayQuantile {
  double share = 0;  // of the requests that are not delayed longer
  double ms = 0;     // negative: sooner than the median
};
struct DelaySpread {
  std::vector<DelayQuantile> quantiles;  // ascending, the first of share 0, the last of share 1
  std::uint64_t samples = 0;
  std::string method{};
};

// Of commands that need no media, where the kernel stamped them: what they took above its dispatch
// to the host adapter, and behind it until the completion was back. Of whoever measured the drive.
struct KernelShare {
  double above_median_ms = 0, above_p99_ms = 0, behind_median_ms = 0, behind_p99_ms = 0;
  std::uint64_t samples = 0;
};

struct Bus {
  Parameter block_transfer;        // ms per logical block
  Parameter write_block_transfer;  // where it differs for writes
  Parameter high_read_watermark, watermark_by_request_size;
};

struct Queue {
  Parameter depth;
  Parameter policy;      // 1 = FCFS (DiskSim's numbers)
  Parameter preseeking;  // when the arm may leave for the next request: 0 when the one in front is
                         // complete, 1 when all of it has been sent, 2 when the media are done
  Parameter hits_overtake;  // 0/1: reads that the buffer holds do not wait for the arm
};

// Consecutive blocks that one arm reaches.
struct ArmRange {
  std::uint64_t first_lbn = 0, last_lbn = 0;  // inclusive
  std::uint32_t arm = 0;

  bool operator==(const ArmRange&) const = default;
};

// Several arms on one spindle, which move at the same time: each has a queue and a buffer of its
// own, of the sizes that the model tells.
inline constexpr std::uint32_t kMostArms = 4;
inline constexpr std::size_t kMostArmRanges = 8;
struct Arms {
  std::vector<ArmRange> ranges{};  // in LBN order, none left out
  // Of pairs of reads at depth 2, one to each of two arms, the share that went on at once.
  Parameter overlap{};
  Parameter interference{};  // ms; a move takes so much longer while another arm is busy
  std::string method{};      // how the ranges were found: "VPD page B9h"
};

// How much later than an awake drive one at rest answers what needs its media, in ms: of each power
// condition that it has (SPC-5, clause 5.13). The timers that take it there by itself are the
// identity's.
struct Power {
  Parameter idle_a, idle_b, idle_c, standby_y, standby_z;
};

// A drive whose tracks overlap: blocks are rewritten in bands as a whole, and what is written waits
// in a media cache until its band is cleaned.
struct Shingling {
  std::string kind;         // "drive-managed"
  Parameter band_blocks{};  // that are rewritten together
  Parameter media_cache_blocks{};
  Parameter map_entries{};       // extents that the media cache holds at most
  Parameter cleans_when_idle{};  // 0/1; else only when the media cache is full
  Parameter idle_threshold{};    // ms without a command before that
  Parameter band_cleaning{};     // ms of one band
  // Found away from their home places as of the model's date; nobody knows which are later.
  std::vector<LbnRange> displaced{};
  // None so long was missed where it was looked for them; 0: nobody looked.
  std::uint64_t displaced_from_blocks = 0;
  std::vector<LbnRange> displaced_untold{};  // where it was not, or could not be told
  std::string method{};                      // how the drive was recognized
};

// A parameter of a DiskSim file by DiskSim's name, as it stood there. Nothing measures it and
// nothing is computed with it: DiskSim's files that are written have it again.
struct DisksimParameter {
  std::string name;
  double value = 0;

  bool operator==(const DisksimParameter&) const = default;
};

struct Demerit {
  std::string workload;
  std::uint64_t requests = 0;
  double drive_mean_ms = 0, demerit_ms = 0, demerit_percent = 0;
  double folded_phase_share = 0;
  double hits_agreed_share = 0;  // hits predicted as hits and misses as misses
  // Of demerit_ms one standard error, and what the model has against itself, over as many requests
  // as it is stated for.
  std::optional<double> error_ms{}, floor_ms{};
  std::uint64_t phase_requests = 0;  // that folded_phase_share is a share of
};

// The ranges in which the model was checked, and the demerits found there.
struct Validity {
  std::uint64_t first_lbn = 0, last_lbn = 0;
  std::uint32_t min_blocks = 0, max_blocks = 0, max_depth = 0;
  bool reads = false, writes = false;
  std::vector<Demerit> demerits;
  std::string note;
};

// Of a virtual drive's host: its delays, and what its time does, each about so often and about so
// long: it sleeps, and its clock with it; its clock steps; it stands still for the run, and its
// clock goes on.
struct HostImperfections {
  double host_delay_median_us = 0, host_delay_p99_us = 0;  // log-normal
  double host_stall_share = 0, host_stall_mean_us = 0;     // of commands; exponential
  double host_sleep_every_s = 0, host_sleep_s = 0;
  double clock_step_every_s = 0, clock_step_ms = 0;
  double host_stop_every_s = 0, host_stop_s = 0;
};

// Of its spindle.
struct SpindleImperfections {
  double wobble_ppm = 0, wobble_period_s = 0;
  bool random_phase = false;
  // The speed of rotation deviates by so much at power-on, by a part e of it after each such time.
  double warm_up_ppm = 0, warm_up_s = 0;
};

// What makes a virtual drive harder than its model (virtual drives only); all off by default.
// Every value can be set in a drive's file. See virtual_drive/imperfections.h for their meaning.
struct Imperfections : HostImperfections, SpindleImperfections {
  std::uint64_t seed = 1;
  double positioning_sigma_us = 0;
  double slow_access_share = 0, slow_access_mean_ms = 0;
  bool unit_attention_at_start = false;
  double recalibration_period_s = 0, recalibration_ms = 0;
  double slow_after_idle_s = 0, slow_after_idle_ms = 0;  // first command after so long an idle time
  // A scan of the medium goes on while the drive is idle for so long, unless page 1Ch/01h stops it;
  // the next command waits up to so long for its step to end.
  double background_scan_idle_ms = 0, background_scan_step_ms = 0;
  // The idle_a timer of page 1Ah and what waking up takes.
  double idle_condition_s = 0, idle_condition_ms = 0;
  bool mode_page_lies = false;                    // accepts a cache setting and ignores it
  double retry_share = 0;                         // media accesses that lose one more revolution
  double busy_share = 0;                          // commands answered with BUSY
  double unit_attention_share = 0;                // commands answered with UNIT ATTENTION, 3Fh/03h
  std::vector<std::uint64_t> medium_errors;       // LBNs that cannot be read
  std::uint32_t adaptive_cache_min_segments = 0;  // > 0: the number of segments follows the load
};

// SCSI facts that a virtual drive of that model answers with.
struct Firmware {
  std::string scsi_level;           // "SCSI-2", "SPC-3"
  bool address_translation = true;  // RECEIVE DIAGNOSTIC page 40h
  // Formats that page 40h takes, of "block", "long block", "bytes from index", "physical sector".
  std::vector<std::string> address_formats{"block", "long block", "physical sector"};
  bool translates_back = true;   // also from places to blocks
  bool translates_truly = true;  // else page 40h tells of an even geometry that is not the drive's
  std::string sector_numbers = "from first";  // or "from index", or "without slipped"
  bool defect_list = true;                    // READ DEFECT DATA
  std::vector<std::string> defect_formats{"physical sector", "bytes from index"};
  // Slots that the primary list names; absent: those whose place in the layout tells it.
  std::optional<std::vector<std::uint64_t>> primary_defects;
  bool seek_command = true;                      // SEEK(10)
  bool force_reads = true, force_writes = true;  // FUA of READ, and of WRITE
  double nominal_rpm = 0;  // as VPD page B1h and mode page 04h tell it; 0: the true speed, rounded
  bool cache_page_changeable = true;  // RCD, WCE, DRA in page 08h
  std::uint32_t task_set = 0;         // commands that it holds, then TASK SET FULL; 0: 64
  // Of the Caching mode page, by the standard's abbreviations: what MODE SELECT may not change, and
  // what it may but with no effect.
  std::vector<std::string> fixed_cache_fields, ignored_cache_fields;
  std::uint32_t most_transfer_blocks = 0;  // of one command, told in VPD page B0h; 0: no limit
  bool ata = false;                        // an ATA drive behind a SCSI / ATA translation
  std::uint32_t zoned = 0;  // as VPD page B1h tells it: 1 host-aware, 2 device-managed; 0: it does
                            // not
  bool trims = false;       // of an ATA drive: tells in IDENTIFY DEVICE that it takes TRIM
  std::vector<LbnRange> unwritten;  // answered with zeros and without the media until written
  // Of a drive with power conditions: their timers (page 1Ah) can be set; and VPD page 8Ah tells so
  // many times what waking up takes.
  bool power_page_changeable = true;
  double told_wake_share = 1;
};

struct DriveModel {
  Identity identity;
  Provenance provenance;
  Rotation rotation;
  Layout layout;
  Seek seek;                         // of reads; where outward_seek is there, to higher cylinders
  std::optional<Seek> outward_seek;  // of reads to lower cylinders; not there: as `seek`
  // Of writes, until they may begin, `seek` and write_settle in one; not there: their sum. To lower
  // cylinders as much more or less as reads.
  std::optional<Seek> write_seek;
  Parameter head_switch;        // ms
  Parameter inward_seek_delta;  // ms; more to higher cylinders, less to lower ones
  Parameter write_settle;       // ms; may be negative where it overlaps with other work
  Cache cache;
  Overheads overheads;
  std::optional<DelaySpread> delay_spread;  // not there: every request is delayed by the median
  Bus bus;
  Queue queue;
  std::optional<Arms> arms;               // not there: one arm reaches all blocks
  std::optional<Power> power;             // not there: it is always awake
  std::optional<Shingling> shingling;     // not there: nobody found that its blocks move
  std::vector<DisksimParameter> disksim;  // each name once; of an imported model
  Validity validity;
  std::optional<Imperfections> imperfections;
  std::optional<Firmware> firmware;
  std::optional<KernelShare> kernel_share;  // not there: not known

  PassedOver passed_over;  // of the file that it was read from; in no file
};

inline std::uint32_t arm_count(const DriveModel& model) {
  std::uint32_t count = 1;
  if (model.arms)
    for (const ArmRange& range : model.arms->ranges)
      count = range.arm + 1 > count ? range.arm + 1 : count;
  return count;
}

// How long one revolution takes. The rotation must be known (numerator_ns above 0).
inline double revolution_ns(const Rotation& rotation) {
  return static_cast<double>(rotation.numerator_ns) / static_cast<double>(rotation.denominator);
}

}  // namespace platter::model
