#include "report/explanations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace platter::report {
namespace {

constexpr std::string_view kDixtrac = "Schindler and Ganger 1999 (DIXtrac)";
constexpr std::string_view kMechanics = "Worthington et al. 1995; DIXtrac, section 4.2";
constexpr std::string_view kOverheads = "DIXtrac, section 4.4";
constexpr std::string_view kCache = "DIXtrac, section 4.3";
constexpr std::string_view kDisksim = "DiskSim 4.0 reference manual";
constexpr std::string_view kSbc = "SBC-3, clause 6.4.5 (Caching mode page)";
constexpr std::string_view kOurs = "platter";
constexpr std::string_view kWakes = "how much later than an awake drive one answers that rests so";

const Words kYesNo = {{0, "no"}, {1, "yes"}};
const Words kReadAhead = {{0, "none"},
                          {1, "to the end of the track"},
                          {2, "to the end of the cylinder"},
                          {3, "until the segment is full"},
                          {4, "to the track's end, or the next one's in a sequential run"}};
const Words kReadsWithReadAhead = {{0, "all"}, {1, "sequential ones only"}};
const Words kWriteBack = {{0, "write-through"}, {1, "write-back"}, {2, "write-back"}};
const Words kReplacement = {{0, "least recently used"}, {1, "first in, first out"}, {2, "random"}};
const Words kDestageOrder = {{0, "the oldest first"}, {1, "by LBN, upwards from the arm"}};
const Words kPushedOut = {{-1, "dropped once sent"}, {0, "no"}, {1, "yes"}};
const Words kPolicy = {{1, "first come, first served"},
                       {2, "LOOK"},
                       {3, "C-LOOK"},
                       {4, "shortest seek first"},
                       {8, "shortest positioning time first"}};
const Words kAdaptive = {{0, "0: their number is fixed"}};
const Words kPreseeking = {{0, "when the one in front is complete"},
                           {1, "when all of it has been sent"},
                           {2, "when the media are done with it"}};

const std::array kExplanations = {
    Explanation{"rotation.period", "revolution", "time of one revolution", kMechanics},
    Explanation{"head_switch", "head switch", "time of a move to another head of the same cylinder",
                kMechanics},
    Explanation{"inward_seek_delta", "extra time of inward seeks",
                "so much more a seek to a higher cylinder takes than the curve says, and so much "
                "less one to a lower",
                kOurs},
    Explanation{"write_settle", "write settle",
                "what a write waits on a new track beyond what a read does, until it may begin",
                kMechanics},
    Explanation{"cache.read_enabled", "read cache", "data that were read are kept in the buffer",
                kCache, &kYesNo},
    Explanation{"cache.write_back_level", "write policy",
                "when a write is complete: on the media, or once the drive has received it", kCache,
                &kWriteBack},
    Explanation{"cache.segments", "segments", "into how many parts the buffer is divided", kCache},
    Explanation{"cache.segment_blocks", "segment size", "how many blocks a segment holds", kCache},
    Explanation{"cache.write_segments", "segments for writes",
                "in how many segments written data may wait", kDisksim},
    Explanation{"cache.separate_write_segment", "segments for writes alone",
                "segments for writes only, beside those of reads", kDisksim, &kYesNo},
    Explanation{"cache.read_ahead", "read-ahead", "how far the drive reads behind a request",
                kCache, &kReadAhead},
    Explanation{"cache.read_ahead_min_blocks", "least read-ahead",
                "blocks behind a request that are read before another command is obeyed", kDisksim},
    Explanation{"cache.read_ahead_max_blocks", "most read-ahead",
                "blocks behind a request that are read at most", kDisksim},
    Explanation{"cache.read_ahead_over_requested", "read-ahead displaces requested blocks",
                "what is read ahead may push the request's own blocks out of the segment", kDisksim,
                &kPushedOut},
    Explanation{"cache.read_ahead_on_hit", "read-ahead after a hit",
                "a read that the buffer held entirely starts read-ahead behind its segment",
                kDisksim, &kYesNo},
    Explanation{"cache.read_free_blocks", "sectors in front of a request are kept",
                "sectors that pass before the first requested one are kept", kDisksim, &kYesNo},
    Explanation{"cache.zero_latency_read", "zero-latency reads",
                "a read may begin in the middle of a track's part of it", kCache, &kYesNo},
    Explanation{"cache.zero_latency_write", "zero-latency writes",
                "a write may begin in the middle of a track's part of it", kCache, &kYesNo},
    Explanation{"cache.read_hit_on_written", "read hits on written data",
                "written data that are in the buffer serve reads", kCache, &kYesNo},
    Explanation{"cache.combine_sequential_writes", "sequential writes combined",
                "a write that carries on from data that wait joins them", kDisksim, &kYesNo},
    Explanation{"cache.stop_read_ahead_in_sector", "read-ahead stops within a sector",
                "read-ahead is broken off within a sector, not behind it", kDisksim, &kYesNo},
    Explanation{"cache.write_hit_stops_read_ahead", "a cached write stops read-ahead",
                "read-ahead stops when a write is received", kDisksim, &kYesNo},
    Explanation{"cache.almost_read_hits", "hits on blocks under way",
                "a read of the block that is just being read counts as one of the buffer", kDisksim,
                &kYesNo},
    Explanation{"cache.discards_after_transfer", "read data dropped once sent",
                "read data are dropped once sent", kDisksim, &kYesNo},
    Explanation{"cache.replacement", "replacement", "whose place new data take", kOurs,
                &kReplacement},
    Explanation{"cache.buffer_blocks", "buffer size",
                "blocks of the whole buffer, where segments share it", kOurs},
    Explanation{"cache.adaptive_min_segments", "fewest adaptive segments",
                "where the number of segments follows the load: the least of them", kOurs,
                &kAdaptive},
    Explanation{"cache.adaptive_window_requests", "requests between adaptations",
                "after how many requests such a drive divides its buffer anew", kOurs},
    Explanation{"cache.read_ahead_ceiling_blocks", "ceiling of read-ahead",
                "the most that is read ahead, where the limits are multiples of the request", kSbc},
    Explanation{"cache.read_ahead_by_request", "read-ahead limits per requested block",
                "the limits of read-ahead are multiples of the request's length (MF)", kSbc,
                &kYesNo},
    Explanation{"cache.read_ahead_longest_request_blocks", "longest request with read-ahead",
                "behind longer requests nothing is read ahead", kSbc},
    Explanation{"cache.read_ahead_after_sequential", "reads with read-ahead",
                "behind which reads the drive reads ahead: all, or those that carry on from an "
                "earlier one",
                kOurs, &kReadsWithReadAhead},
    Explanation{"cache.read_ahead_abort", "the next command stops read-ahead",
                "the next command breaks read-ahead off", kOurs, &kYesNo},
    Explanation{"cache.read_ahead_resumes", "stopped read-ahead resumes",
                "a read-ahead that was broken off goes on when the drive is idle", kOurs, &kYesNo},
    Explanation{"cache.read_ahead_streams", "streams remembered",
                "sequential streams whose read-ahead goes on behind hits in them, and when the "
                "drive is idle (0: any segment behind a hit)",
                kOurs},
    Explanation{"cache.read_ahead_fixed_end", "read-ahead keeps its end",
                "hits on what is being read ahead do not move its end on", kOurs, &kYesNo},
    Explanation{"cache.segments_grow", "segments grow",
                "in a shared buffer a segment grows as long as its stream", kOurs, &kYesNo},
    Explanation{"cache.write_updates_segments", "writes update cached reads",
                "written blocks are put into the segments of read data that hold them", kOurs,
                &kYesNo},
    Explanation{"cache.destage_behind", "destage in the background",
                "written data wait in the buffer, and go to the media later", kOurs, &kYesNo},
    Explanation{"cache.destage_idle", "idle time before destage",
                "how long after the last request they go to the media", kOurs},
    Explanation{"cache.destage_order", "order of destage", "which of them goes first", kOurs,
                &kDestageOrder},
    Explanation{"cache.destage_in_passing", "destage of what passes the idle arm",
                "those under the arm go at once where nothing else is to be done", kOurs, &kYesNo},
    Explanation{"cache.written_blocks", "most dirty blocks",
                "the most written blocks that are taken before a write waits for the media", kOurs},
    Explanation{"cache.written_persist", "non-volatile write cache",
                "written data are safe once they are taken: FUA and SYNCHRONIZE CACHE do not wait",
                kOurs, &kYesNo},
    Explanation{"cache.synchronize", "SYNCHRONIZE CACHE without dirty blocks",
                "time of SYNCHRONIZE CACHE where nothing waits", kOurs},
    Explanation{"cache.unexplained_share", "answers that contradict the model",
                "of the answers to requests in random order, those that the model contradicts",
                kOurs},
    Explanation{"overheads.read_hit_after_read", "read hit after a read",
                "overhead of a read from the buffer, after a read", kOverheads},
    Explanation{"overheads.read_hit_after_write", "read hit after a write",
                "overhead of a read from the buffer, after a write", kOverheads},
    Explanation{"overheads.read_miss_after_read", "read miss after a read",
                "overhead of a read from the media, after a read", kOverheads},
    Explanation{"overheads.read_miss_after_write", "read miss after a write",
                "overhead of a read from the media, after a write", kOverheads},
    Explanation{"overheads.write_hit_after_read", "write hit after a read",
                "overhead of a write into the buffer, after a read", kOverheads},
    Explanation{"overheads.write_hit_after_write", "write hit after a write",
                "overhead of a write into the buffer, after a write", kOverheads},
    Explanation{"overheads.write_miss_after_read", "write miss after a read",
                "overhead of a write to the media, after a read", kOverheads},
    Explanation{"overheads.write_miss_after_write", "write miss after a write",
                "overhead of a write to the media, after a write", kOverheads},
    Explanation{"overheads.per_request", "every request",
                "overhead in front of every request, hit or miss", kDisksim},
    Explanation{"overheads.read_completion", "completion of a read", "time to complete a read",
                kDisksim},
    Explanation{"overheads.write_completion", "completion of a write", "time to complete a write",
                kDisksim},
    Explanation{"overheads.data_preparation", "preparation of data", "time before data are sent",
                kDisksim},
    Explanation{"overheads.first_reselect", "first reselection",
                "time of the first reselection of the bus", kDisksim},
    Explanation{"overheads.other_reselect", "later reselections", "time of each later one",
                kDisksim},
    Explanation{"overheads.read_disconnect_after_read", "disconnection of a read after a read",
                "time until a read leaves the bus, after a read", kDisksim},
    Explanation{"overheads.read_disconnect_after_write", "disconnection of a read after a write",
                "time until a read leaves the bus, after a write", kDisksim},
    Explanation{"overheads.write_disconnect", "disconnection of a write",
                "time until a write leaves the bus", kDisksim},
    Explanation{"overheads.extra_write_disconnect", "double disconnection of writes",
                "some writes leave the bus once more in their midst", kDisksim, &kYesNo},
    Explanation{"overheads.extra_disconnect_command", "command of a double disconnection",
                "overhead of the command of such a write", kDisksim},
    Explanation{"overheads.extra_disconnect_first", "first part of a double disconnection",
                "its time to the first disconnection", kDisksim},
    Explanation{"overheads.extra_disconnect_inter", "middle part of a double disconnection",
                "its time between the two", kDisksim},
    Explanation{"overheads.extra_disconnect_second", "last part of a double disconnection",
                "its time to the second", kDisksim},
    Explanation{"overheads.extra_disconnect_seek_delta", "earlier seek of a double disconnection",
                "how much sooner its seek begins", kDisksim},
    Explanation{"overheads.minimum_seek_delay", "least positioning of a write",
                "the least that a write's positioning takes", kDisksim},
    Explanation{"overheads.minimum_read_seek_delay", "least positioning of a read",
                "the least that a read's positioning takes", kOurs},
    Explanation{"overheads.sequential_read_hit_delta", "extra time of sequential read hits",
                "added to a hit that begins where the read before ended", kOurs},
    Explanation{"overheads.sequential_write_hit_delta", "extra time of sequential write hits",
                "added to a cached write that begins where the write before ended", kOurs},
    Explanation{"overheads.sequential_read_hit_within", "longest gap of sequential read hits",
                "only where it comes so soon behind that read", kOurs},
    Explanation{"overheads.address_translation", "address translation",
                "response time of an address translation (diagnostic page 40h)", kDixtrac},
    Explanation{"bus.block_transfer", "transfer of a block", "time of a block on the bus",
                kOverheads},
    Explanation{"bus.write_block_transfer", "transfer of a written block",
                "time of a written block on the bus", kOverheads},
    Explanation{"bus.high_read_watermark", "high watermark (reads)",
                "share of a segment or request that is full when a read asks for the bus",
                kDisksim},
    Explanation{"bus.watermark_by_request_size", "portions or watermarks by request",
                "these are shares of the request, not of the segment", kDisksim, &kYesNo},
    Explanation{"queue.depth", "depth", "commands that the drive takes at once", kOurs},
    Explanation{"queue.policy", "scheduling", "which of the outstanding requests is next", kDisksim,
                &kPolicy},
    Explanation{"queue.preseeking", "preseeking", "when the arm may leave for the next request",
                kDisksim, &kPreseeking},
    Explanation{"queue.hits_overtake", "hits overtake",
                "reads that the buffer holds do not wait for the arm", kOurs, &kYesNo},
    Explanation{"arms.interference", "interference",
                "that a move takes longer while another arm is busy", kOurs},
    Explanation{"power.idle_a", "wake time from idle a", kWakes, kOurs},
    Explanation{"power.idle_b", "wake time from idle b", kWakes, kOurs},
    Explanation{"power.idle_c", "wake time from idle c", kWakes, kOurs},
    Explanation{"power.standby_y", "wake time from standby y", kWakes, kOurs},
    Explanation{"power.standby_z", "wake time from standby z", kWakes, kOurs},
    Explanation{"shingling.band_blocks", "band", "blocks that are rewritten together", kOurs},
    Explanation{"shingling.media_cache_blocks", "media cache",
                "written blocks that wait on the media for their bands", kOurs},
    Explanation{"shingling.map_entries", "extents of the media cache",
                "the most that wait there, however short they are", kOurs},
    Explanation{"shingling.cleans_when_idle", "cleans when idle", "bands are cleaned without need",
                kOurs, &kYesNo},
    Explanation{"shingling.idle_threshold", "idle threshold",
                "time without a command before a band is cleaned", kOurs},
    Explanation{"shingling.band_cleaning", "cleaning of a band", "what it takes", kOurs},
};

// Where a parameter's method is told: docs/methods/NAME.md. Of several beginnings the longest
// counts.
struct PageOf {
  std::string_view begins, page;
};
constexpr PageOf kPages[] = {{"rotation.", "rotation"},
                             {"head_switch", "switches"},
                             {"write_settle", "switches"},
                             {"inward_seek_delta", "calibration"},
                             {"cache.", "cache"},
                             {"cache.unexplained_share", "cache-check"},
                             {"overheads.", "overheads"},
                             {"overheads.per_request", "cache"},
                             {"overheads.minimum_seek_delay", "switches"},
                             {"overheads.minimum_read_seek_delay", "calibration"},
                             {"overheads.sequential_", "calibration"},
                             {"overheads.address_translation", "layout-by-translation"},
                             {"bus.", "overheads"},
                             {"queue.", "queue"},
                             {"arms.", "actuators"},
                             {"power.", "power"},
                             {"shingling.", "shingled"}};

// The error with two digits, the value with as many decimals.
std::string with_digits_of(double value, double error) {
  if (!(error > 0) || !std::isfinite(error)) return fmt::format("{:.7g}", value);
  const int first = static_cast<int>(std::floor(std::log10(error)));
  const int decimals = std::clamp(1 - first, 0, 12);
  return fmt::format("{:.{}f} +- {:.{}f}", value, decimals, error, decimals);
}

}  // namespace

std::span<const Explanation> explanations() { return kExplanations; }

const Explanation* explanation_of(std::string_view path) {
  const auto found = std::ranges::find(kExplanations, path, &Explanation::path);
  return found == kExplanations.end() ? nullptr : &*found;
}

std::string choice_in_words(std::string_view path, double value) {
  const Explanation* const known = explanation_of(path);
  const bool told = known && known->words && known->words->contains(value);
  return told ? std::string(known->words->at(value)) : "";
}

std::string name_of(std::string_view path) {
  if (const Explanation* const known = explanation_of(path)) return std::string(known->name);
  std::string name(path.substr(path.rfind('.') + 1));
  std::ranges::replace(name, '_', ' ');
  return name;
}

std::string page_of(std::string_view path) {
  const PageOf* best = nullptr;
  for (const PageOf& each : kPages)
    if (path.starts_with(each.begins) && (!best || each.begins.size() > best->begins.size()))
      best = &each;
  return best ? fmt::format("docs/methods/{}.md", best->page) : std::string();
}

std::string value_in_words(std::string_view path, const model::Parameter& parameter) {
  const double value = *parameter.value;
  if (const std::string word = choice_in_words(path, value); !word.empty()) {
    // The error of a choice is the probability that it is wrong.
    if (!parameter.error || parameter.samples == 0) return word;
    const double sure = 100 * (1 - std::clamp(*parameter.error, 0.0, 1.0));
    return sure > 99.95 ? word : fmt::format("{} ({:.1f} % sure)", word, sure);
  }
  std::string text = with_digits_of(value, parameter.error.value_or(0));
  if (!parameter.unit.empty()) text += " " + parameter.unit;
  return text;
}

}  // namespace platter::report
