#include "emit/disksim/rules.h"

#include <fmt/core.h>

#include <algorithm>

namespace platter::emit_disksim {
namespace {

constexpr const char *kCaching = "Enable caching in buffer", *kAhead = "Buffer continuous read",
                     *kBound = "Maximum read-ahead (blks)", *kLeast = "Minimum read-ahead (blks)",
                     *kFree = "Read any free blocks", *kZeroRead = "Immediate buffer read",
                     *kZeroWrite = "Immediate buffer write", *kSegment = "Segment size (in blks)",
                     *kSegments = "Number of buffer segments", *kFastWrite = "Fast write level",
                     *kWriteSegments = "Maximum number of write segments",
                     *kOnHit = "Read-ahead on idle hit", *kHold = "Hold bus entire read xfer",
                     *kDepth = "Max queue length", *kFirst = "First reselect overhead",
                     *kOther = "Other reselect overhead", *kSeparate = "Use separate write segment",
                     *kPreseek = "Preseeking level", *kPerRequest = "Per-request overhead time",
                     *kBlocks = "Block count", *kOvertakes = "Allow sneaky full read hits",
                     *kSneakyPart = "Allow sneaky partial read hits",
                     *kSneakyMiddle = "Allow sneaky intermediate read hits";

constexpr const char *kPostpass = "disksim_disk.c, disk_postpass_perdisk",
                     *kSectorDone = "disksim_diskctlr.c, disk_buffer_sector_done",
                     *kReadAhead = "disksim_diskcache.c, disk_buffer_set_segment";

constexpr Deed kStops{Does::stops, "stops"};
constexpr double kScheme4 = 4, kBlocksOf32Bits = 2147483648;

bool caches(const Told& told) { return told.of(kCaching) != 0; }
bool reads_ahead(const Told& told) { return caches(told) && told.of(kAhead) > 0; }
bool is_g4(const Told& told) { return told.layout == "dm_layout_g4"; }
bool turns_by_sectors(const Told& told) { return !told.layout.empty() && !is_g4(told); }

// Scheme 4 has no bound, and the others may have one beyond the segment.
bool outgrows_segment(const Told& told) {
  return reads_ahead(told) && (told.of(kAhead) == kScheme4 || told.of(kBound) > told.of(kSegment));
}

// Overtaking hits while a read holds the bus.
template <const char* const& parameter>
bool overtakes_on_held_bus(const Told& told) {
  return told.of(kHold) == 1 && told.of(parameter) == 1;
}
template <const char* const& parameter>
bool without_cache(const Told& told) {
  return !caches(told) && told.of(parameter) != 0;
}
template <const char* const& parameter>
bool of_other_layouts(const Told& told) {
  return turns_by_sectors(told) && told.of(parameter) > 0;
}

template <const char* const& parameter>
bool of_layout_g4(const Told& told) {
  return is_g4(told) && told.of(parameter) > 0;
}

constexpr Deed kTrackEnds = {Does::stops_there,
                             "stops (`extra != 0`) on the last track, and on tracks that end "
                             "in sectors of no pattern"};
constexpr Deed kTooLarge = {Does::stops, "stops: it counts blocks in 32 bits"};
constexpr Deed kBehindAny = {Does::otherwise, "reads ahead behind any read"};
constexpr Deed kNoBound = {Does::otherwise,
                           "never looks at it: reads on to the end of the track of the block "
                           "behind the request, or of the next"};
constexpr Deed kNotKept = {Does::otherwise, "does not keep them"};
constexpr Deed kNever = {Does::otherwise, "has no zero-latency access there"};
constexpr Deed kFirstTwice = {Does::otherwise, "charges the first's a second time"};
constexpr Deed kShort = {Does::stops,
                         "stops (fpcheck): it reads on over what the segment holds, and "
                         "never sees the requested blocks again"};
constexpr Deed kBehindDrive = {Does::stops_there,
                               "looks for the block behind the drive's last at its end, and stops"};
constexpr Deed kKeepsWrites = {Does::otherwise,
                               "keeps writes from the buffer, too, until so many are read"};
constexpr Deed kGivesUp = {Does::otherwise,
                           "gives up reading ahead with the request itself: every second read "
                           "of a sequential stream misses"};
constexpr Deed kLosesBlocks = {Does::stops, "stops: segments of 1 block hold no request of more"};
constexpr Deed kTakesNone = {Does::never_answers, "sends nothing: the drive takes no request"};

constexpr Rule kRules[] = {
    {RuleId::ahead_behind_any, kAhead, "4, with a cache",
     [](const Told& told) { return caches(told) && told.of(kAhead) == kScheme4; },
     "reads ahead behind sequential reads, to the end of the track and the next one", kBehindAny,
     kBehindAny, kBehindAny, kReadAhead, Reading::run,
     "traces measured on the Atlas 10K and the Cheetah 9LP: demerits of 0.095 and 0.107 ms so, "
     "0.695 and 0.627 as meant"},
    {RuleId::ahead_bound, kBound, "above 0, with `Buffer continuous read` = 4 and a cache",
     [](const Told& told) {
       return caches(told) && told.of(kAhead) == kScheme4 && told.of(kBound) > 0;
     },
     "reads ahead at most so many blocks", kNoBound, kNoBound, kNoBound, kReadAhead, Reading::run,
     "measured traces of two drives: demerits of 0.378 and 0.095 ms so, 1.069 and 0.096 as meant"},
    {RuleId::free_blocks, kFree, "1, with a cache",
     [](const Told& told) { return caches(told) && told.of(kFree) > 0; },
     "keeps blocks in front of the request that pass by", kNotKept, kNotKept, kNotKept, kSectorDone,
     Reading::meant,
     "a trace measured on the Atlas 10K: a demerit of 0.095 ms and 95.9 % hits so, 0.268 and 93.4 "
     "as DiskSim runs it"},
    {RuleId::zero_latency_read, kZeroRead, "above 0, with layouts g1 and g2",
     &of_other_layouts<kZeroRead>, "reads from where the head comes to", kNever, kNever, kNever,
     "mech_g1.c, dm_access_block", Reading::meant,
     "what the drive's maker says; on the measured traces of five drives both are equally good"},
    {RuleId::zero_latency_write, kZeroWrite, "above 0, with layouts g1 and g2",
     &of_other_layouts<kZeroWrite>, "writes from where the head comes to", kNever, kNever, kNever,
     "mech_g1.c, dm_access_block", Reading::meant,
     "what the drive's maker says; on the measured traces of five drives both are equally good"},
    {RuleId::other_reselect, kOther, "not `First reselect overhead`, with `Extra write disconnect`",
     [](const Told& told) {
       return told.of("Extra write disconnect") != 0 && told.of(kOther) != told.of(kFirst);
     },
     "the second reselection of a write", kFirstTwice, kFirstTwice, kFirstTwice,
     "disksim_diskctlr.c, disk_reconnection_or_transfer_complete", Reading::meant,
     "a trace measured on the HP C2247A: a demerit of 0.0922 ms so, 0.0938 as DiskSim runs it"},
    {RuleId::stops, kZeroRead,
     "above 0, with a layout g4, segments shorter than a track, and read-ahead that is not bound "
     "to "
     "a segment",
     [](const Told& told) {
       return is_g4(told) && told.of(kZeroRead) > 0 && outgrows_segment(told) &&
              told.of(kSegment) < told.longest_track;
     },
     "reads from where the head comes to", kShort, kShort, kShort, kSectorDone},
    {RuleId::stops, kZeroRead, "above 0, with a layout g4", &of_layout_g4<kZeroRead>,
     "reads from where the head comes to", kTrackEnds, kTrackEnds, kTrackEnds,
     "mech_g1.c, dm_latency_g1"},
    {RuleId::stops, kZeroWrite, "above 0, with a layout g4", &of_layout_g4<kZeroWrite>,
     "writes from where the head comes to", kTrackEnds, kTrackEnds, kTrackEnds,
     "mech_g1.c, dm_latency_g1"},
    {RuleId::stops, kAhead, "4, with a cache",
     [](const Told& told) { return caches(told) && told.of(kAhead) == kScheme4; },
     "ends with the drive", kBehindDrive, kBehindDrive, kBehindDrive,
     "layout_g1.c, find_band_lbn; layout_g4.c, g4_r"},
    {RuleId::stops, kOnHit, "1, with read-ahead",
     [](const Told& told) { return reads_ahead(told) && told.of(kOnHit) > 0; },
     "ends with the drive", kBehindDrive, kBehindDrive, kBehindDrive,
     "layout_g1.c, find_band_lbn; layout_g4.c, g4_r"},
    {RuleId::stops, kLeast, "above 0, with `Fast write level` above 0",
     [](const Told& told) { return told.of(kLeast) > 0 && told.of(kFastWrite) > 0; },
     "reads wait for so many blocks of read-ahead", kKeepsWrites, kKeepsWrites, kKeepsWrites,
     "disksim_diskctlr.c, disk_buffer_attempt_seek"},
    {RuleId::stops, kLeast, "more than a segment",
     [](const Told& told) { return told.of(kSegment) > 1 && told.of(kLeast) > told.of(kSegment); },
     "reads wait for so many blocks of read-ahead", kStops, kStops, kStops, kSectorDone},
    {RuleId::stops, kPreseek, "2, with read-ahead",
     [](const Told& told) { return reads_ahead(told) && told.of(kPreseek) == 2; },
     "the arm leaves for the next request before the one in front is complete", kGivesUp, kGivesUp,
     kGivesUp, "disksim_diskctlr.c, disk_buffer_stop_access"},
    {RuleId::stops, kAhead, "above 0 without a cache", &without_cache<kAhead>, "reads ahead",
     kStops, kStops, kStops, kPostpass},
    {RuleId::stops, kFree, "above 0 without a cache", &without_cache<kFree>,
     "keeps blocks in front of the request", kStops, kStops, kStops, kPostpass},
    {RuleId::stops, kFastWrite, "above 0 without a cache", &without_cache<kFastWrite>,
     "writes are complete in the buffer", kStops, kStops, kStops, kPostpass},
    {RuleId::stops, kOvertakes, "1, with `Hold bus entire read xfer`",
     &overtakes_on_held_bus<kOvertakes>, "hits are sent while another request has the arm", kStops,
     kStops, kStops, kPostpass},
    {RuleId::stops, kSneakyPart, "1, with `Hold bus entire read xfer`",
     &overtakes_on_held_bus<kSneakyPart>, "parts of reads are sent likewise", kStops, kStops,
     kStops, kPostpass},
    {RuleId::stops, kSneakyMiddle, "1, with `Hold bus entire read xfer`",
     &overtakes_on_held_bus<kSneakyMiddle>, "parts of reads are sent likewise", kStops, kStops,
     kStops, kPostpass},
    {RuleId::stops, kSegments, "below 1", [](const Told& told) { return told.of(kSegments) < 1; },
     "segments of the buffer", kStops, kStops, kStops, kPostpass},
    {RuleId::stops, kSegment, "not within 1 to the drive's blocks",
     [](const Told& told) { return told.of(kSegment) < 1 || told.of(kSegment) > told.blocks; },
     "blocks of a segment", kStops, kStops, kStops, kPostpass},
    {RuleId::stops, kSegment, "1",
     [](const Told& told) { return told.of(kSegment) == 1 && told.blocks >= 1; },
     "blocks of a segment", kLosesBlocks, kLosesBlocks, kLosesBlocks, kSectorDone},
    {RuleId::stops, kWriteSegments, "not within 1 to the segments that there are",
     [](const Told& told) {
       return told.of(kWriteSegments) < 1 || told.of(kWriteSegments) > told.of(kSegments);
     },
     "segments that writes may have", kStops, kStops, kStops, kPostpass},
    {RuleId::stops, kSeparate, "1, with one segment",
     [](const Told& told) { return told.of(kSegments) <= 1 && told.of(kSeparate) != 0; },
     "writes have a segment of their own", kStops, kStops, kStops, kPostpass},
    {RuleId::stops, kDepth, "below 0", [](const Told& told) { return told.of(kDepth) < 0; },
     "requests that the drive takes at once", kStops, kStops, kStops, kPostpass},
    {RuleId::stops, kDepth, "0", [](const Told& told) { return told.of(kDepth) == 0; },
     "requests that the drive takes at once", kTakesNone, kTakesNone, kTakesNone,
     "disksim_iodriver.c, iodriver_send_event_down_path"},
    {RuleId::stops, kBlocks, "2^31 or more",
     [](const Told& told) { return told.of(kBlocks) >= kBlocksOf32Bits; }, "blocks of the drive",
     kTooLarge, kTooLarge,
     Deed{Does::otherwise,
          "runs, and takes reads beyond 2^31 for misses: its cache counts in 32 bits"},
     "layout_g1_load.c, checknumblocks"},
    {RuleId::stops,
     kPerRequest,
     "above 0",
     [](const Told& told) { return told.of(kPerRequest) > 0; },
     "in front of every command",
     {},
     {},
     Deed{Does::stops, "ends with a segmentation fault: requests that have one get no number"},
     "disksim_diskctlr.c, disk_request_arrive"},
};

std::string deeds(const Rule& rule) {
  const bool alike = rule.cmu4.does == rule.wd.does && rule.wd.does == rule.wd64.does;
  if (alike) return rule.cmu4.words;
  return fmt::format("CMU 4.0: {}; WD 2.01.016: {}; WD 64-bit: {}", rule.cmu4.words, rule.wd.words,
                     rule.wd64.words);
}

}  // namespace

std::span<const Rule> rules() { return kRules; }

std::int64_t most_counted(Program program) {
  constexpr std::int64_t kBelow32 = std::int64_t{1} << 31, kBelow64 = std::int64_t{1} << 62;
  return program == Program::wd64 ? kBelow64 : kBelow32;
}

const Deed& deed_of(const Rule& rule, Program program) {
  return program == Program::cmu4 ? rule.cmu4 : program == Program::wd ? rule.wd : rule.wd64;
}

std::string in_words(const Rule& rule, const Told& told, Program program) {
  std::string text = fmt::format("{} = {}: DiskSim {}, where it is {}", rule.parameter,
                                 told.of(rule.parameter), deed_of(rule, program).words,
                                 rule.condition);
  std::erase(text, '`');
  return text;
}

bool is_kept_word(std::string_view parameter) {
  return std::ranges::any_of(kRules, [parameter](const Rule& rule) {
    return rule.has_two_readings() && parameter == rule.parameter;
  });
}

std::string rules_table() {
  std::string text =
      "| parameter | where it is | the manual | DiskSim | import takes it |\n"
      "|---|---|---|---|---|\n";
  for (const Rule& rule : kRules) {
    const std::string takes = !rule.has_two_readings()       ? ""
                              : rule.takes == Reading::meant ? fmt::format("as meant: {}", rule.why)
                                                             : fmt::format("as run: {}", rule.why);
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", rule.parameter, rule.condition,
                        rule.has_two_readings() ? rule.manual : "", deeds(rule), takes);
  }
  return text;
}

}  // namespace platter::emit_disksim
