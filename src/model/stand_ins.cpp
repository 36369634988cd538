#include "model/stand_ins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "model/error.h"
#include "model/fields.h"
#include "model/parameters.h"

namespace platter::model {
namespace {

constexpr double kAllSegments = 16384;  // engine::kMaxSegments; the engine takes what there are

template <typename S>
struct Row {
  Parameter S::*figure;
  double usual;
  const char* why;
  Parameter S::*as = nullptr;         // acts instead of the number
  Parameter S::*only_with = nullptr;  // where that one acts as 0 this one has no effect
  double (*by)(const S&) = nullptr;   // acts instead of the number, and is
  const char* words = nullptr;
  bool no_limit = false;  // the number is none, which fulfils any at_least: it acts instead
};

constexpr const char* kNoSuch = "taken for a drive without it";
constexpr const char* kAsDisksim = "DiskSim's usual";

double segments_for_writes(const Cache& cache) {
  return acting(cache, cache.separate_write_segment) != 0 ? 1 : kAllSegments;
}

using C = Cache;
constexpr auto kOfCache = std::to_array<Row<C>>({
    {&C::read_enabled, 0, "no sure cache: every read goes to the media"},
    {&C::write_back_level, 0, "a write is complete on the media, the safe and the slow case"},
    {&C::segments, 0, "without it no cache is computed", nullptr, &C::read_enabled},
    {&C::segment_blocks, 0, "without it no cache is computed", nullptr, &C::read_enabled},
    {&C::write_segments, 0, "writes share what there is; where they have their own there is one",
     nullptr, &C::segments, segments_for_writes, "all segments; 1 where writes have their own"},
    {&C::separate_write_segment, 0, "all segments serve both", nullptr, &C::segments},
    {&C::read_ahead, 0, "no read-ahead that was not seen", nullptr, &C::read_enabled},
    {&C::read_ahead_min_blocks, 0, kNoSuch},
    {.figure = &C::read_ahead_max_blocks,
     .usual = 0,
     .why = "0: as far as the policy and the segment go",
     .only_with = &C::read_ahead,
     .no_limit = true},
    {&C::read_ahead_over_requested, 0, "what was asked for stays in the buffer"},
    {&C::read_ahead_on_hit, 0, kNoSuch},
    {&C::read_free_blocks, 0, kNoSuch},
    {&C::zero_latency_read, 0, "tracks are read in order, the slow case"},
    {&C::zero_latency_write, 0, "tracks are written in order, the slow case"},
    {&C::read_hit_on_written, 0, "written blocks are read from the media"},
    {&C::combine_sequential_writes, 0, kNoSuch},
    {&C::stop_read_ahead_in_sector, 0, "a sector that was begun is read to its end"},
    {&C::write_hit_stops_read_ahead, 1, kAsDisksim},
    {&C::almost_read_hits, 0, "a block counts once it has been read"},
    {&C::discards_after_transfer, 0, "what was sent stays in the buffer"},
    {&C::replacement, 0, "0: least recently used, as nearly all drives do", nullptr, &C::segments},
    {&C::buffer_blocks, 0, "0: segments share no buffer, each has its size", nullptr, &C::segments},
    {&C::adaptive_min_segments, 0, "0: the number of segments is fixed", nullptr, &C::segments},
    {&C::adaptive_window_requests, 0, "0: looked at every 32 requests", nullptr,
     &C::adaptive_min_segments},
    {&C::read_ahead_ceiling_blocks, 0, "0: no ceiling", nullptr, &C::read_ahead},
    {&C::read_ahead_by_request, 0, "limits count in blocks", nullptr, &C::read_ahead},
    {&C::read_ahead_longest_request_blocks, 0, "0: behind requests of any length", nullptr,
     &C::read_ahead},
    {&C::read_ahead_after_sequential, 0, "behind all reads", nullptr, &C::read_ahead},
    {&C::read_ahead_abort, 1, "a command breaks read-ahead off, as in DiskSim"},
    {&C::read_ahead_resumes, 0, kNoSuch},
    {&C::read_ahead_streams, 0,
     "0: behind hits in any segment; when idle, what was broken off last"},
    {&C::read_ahead_fixed_end, 0, "a hit on what is being read ahead moves its end on"},
    {&C::segments_grow, 0, "a segment keeps the size that it was given", nullptr,
     &C::buffer_blocks},
    {&C::write_updates_segments, 0, "a write drops what it overlaps"},
    {&C::destage_behind, 0, "written data go to the media at once"},
    {&C::destage_idle, 0, "as soon as nothing waits", nullptr, &C::destage_behind},
    {&C::destage_order, 0, "0: the oldest first", nullptr, &C::destage_behind},
    {&C::destage_in_passing, 0, kNoSuch, nullptr, &C::destage_behind},
    {.figure = &C::written_blocks,
     .usual = 0,
     .why = "0: as many as the segments hold",
     .no_limit = true},
    {&C::written_persist, 0, "written data are lost with the power, the safe case"},
    {&C::synchronize, 0, "SYNCHRONIZE CACHE takes no time where nothing waits"},
});

constexpr const char* kAsReads = "as a read";
constexpr const char* kPartOf = "part of the other overheads";

using O = Overheads;
constexpr auto kOfOverheads = std::to_array<Row<O>>({
    {&O::read_hit_after_read, 0, "a hit takes what a miss takes beside its media",
     &O::read_miss_after_read},
    {&O::read_hit_after_write, 0, "what came before matters little", &O::read_hit_after_read},
    {&O::read_miss_after_read, 0, "nothing is known of commands: the mechanics alone"},
    {&O::read_miss_after_write, 0, "what came before matters little", &O::read_miss_after_read},
    {&O::write_hit_after_read, 0, kAsReads, &O::read_hit_after_read},
    {&O::write_hit_after_write, 0, "what came before matters little", &O::write_hit_after_read},
    {&O::write_miss_after_read, 0, kAsReads, &O::read_miss_after_read},
    {&O::write_miss_after_write, 0, "what came before matters little", &O::write_miss_after_read},
    {&O::per_request, 0, kPartOf},
    {&O::read_completion, 0, kPartOf},
    {&O::write_completion, 0, kPartOf},
    {&O::data_preparation, 0, kPartOf},
    {&O::first_reselect, 0, kPartOf},
    {&O::other_reselect, 0, kPartOf},
    {&O::read_disconnect_after_read, 0, kPartOf},
    {&O::read_disconnect_after_write, 0, kPartOf},
    {&O::write_disconnect, 0, kPartOf},
    {&O::extra_write_disconnect, 0, kNoSuch},
    {&O::extra_disconnect_command, 0, kPartOf, nullptr, &O::extra_write_disconnect},
    {&O::extra_disconnect_first, 0, kPartOf, nullptr, &O::extra_write_disconnect},
    {&O::extra_disconnect_inter, 0, kPartOf, nullptr, &O::extra_write_disconnect},
    {&O::extra_disconnect_second, 0, kPartOf, nullptr, &O::extra_write_disconnect},
    {&O::extra_disconnect_seek_delta, 0, kPartOf, nullptr, &O::extra_write_disconnect},
    {&O::minimum_seek_delay, 0, "the arm may be there at once"},
    {&O::minimum_read_seek_delay, 0, "the arm may be there at once"},
    {&O::sequential_read_hit_delta, 0, "all hits are alike"},
    {&O::sequential_write_hit_delta, 0, "all hits are alike"},
    {&O::sequential_read_hit_within, 0, "0: whenever it comes", nullptr,
     &O::sequential_read_hit_delta},
});

using B = Bus;
constexpr auto kOfBus = std::to_array<Row<B>>({
    {&B::block_transfer, 0, "the bus is no slower than the media"},
    {&B::write_block_transfer, 0, "both ways are alike", &B::block_transfer},
    {&B::high_read_watermark, 0, "a read is sent as it comes"},
    {&B::watermark_by_request_size, 1, "1: shares are of the request"},
});

using Q = Queue;
constexpr auto kOfQueue = std::to_array<Row<Q>>({
    {&Q::depth, 0, "0: as many as it is given"},
    {&Q::policy, 1, "1: first come, first served, which claims no skill"},
    {&Q::preseeking, 2, "2: the arm leaves when the media are done, as drives with caches do"},
    {&Q::hits_overtake, 1, "hits do not wait for the arm, as in DiskSim"},
});

using A = Arms;
constexpr auto kOfArms = std::to_array<Row<A>>({
    {&A::interference, 0, "arms move as fast beside others that work"},
});

using P = Power;
constexpr const char* kAwake = "it is answered as an awake drive does";
constexpr auto kOfPower = std::to_array<Row<P>>({
    {&P::idle_a, 0, kAwake},
    {&P::idle_b, 0, kAwake},
    {&P::idle_c, 0, kAwake},
    {&P::standby_y, 0, kAwake},
    {&P::standby_z, 0, kAwake},
});

using Sh = Shingling;
constexpr auto kOfShingling = std::to_array<Row<Sh>>({
    {&Sh::band_blocks, 0, "without it blocks stay where they are, as in a conventional drive"},
    {&Sh::media_cache_blocks, 0,
     "without it blocks stay where they are, as in a conventional drive"},
    {.figure = &Sh::map_entries,
     .usual = 0,
     .why = "0: as many as there is room for",
     .only_with = &Sh::media_cache_blocks,
     .no_limit = true},
    {&Sh::cleans_when_idle, 0, "bands are cleaned when there is no room left", nullptr,
     &Sh::media_cache_blocks},
    {&Sh::idle_threshold, 0, "at once", nullptr, &Sh::cleans_when_idle},
    {&Sh::band_cleaning, 1000, "a band of 30 MB, read once and written twice", nullptr,
     &Sh::media_cache_blocks},
});

using M = DriveModel;
constexpr auto kOfMechanics = std::to_array<Row<M>>({
    {&M::head_switch, 0, "heads are switched in no time: whole tracks come too early"},
    {&M::inward_seek_delta, 0, "seeks take as long either way"},
    {&M::write_settle, 0, "writes settle as reads do: they may come a revolution too early"},
});

// Curves, which are no Parameters.
struct CurveRow {
  const char *path, *acts, *why;
  bool (*is_there)(const DriveModel&);
};
constexpr auto kOfCurves = std::to_array<CurveRow>({
    {"outward_seek", "as seek", "seeks take as long either way, but for inward_seek_delta",
     [](const M& model) { return model.outward_seek.has_value(); }},
    {"write_seek", "seek and write_settle", "writes settle as long behind seeks of any distance",
     [](const M& model) { return model.write_seek.has_value(); }},
    {"delay_spread", "the median", "host and bus delay every request alike",
     [](const M& model) { return model.delay_spread.has_value(); }},
});

std::span<const Row<C>> rows(const Cache&) { return kOfCache; }
std::span<const Row<O>> rows(const Overheads&) { return kOfOverheads; }
std::span<const Row<B>> rows(const Bus&) { return kOfBus; }
std::span<const Row<Q>> rows(const Queue&) { return kOfQueue; }
std::span<const Row<A>> rows(const Arms&) { return kOfArms; }
std::span<const Row<P>> rows(const Power&) { return kOfPower; }
std::span<const Row<Sh>> rows(const Shingling&) { return kOfShingling; }
std::span<const Row<M>> rows(const DriveModel&) { return kOfMechanics; }

template <typename S>
const Row<S>* row_of(const S& section, const Parameter& figure) {
  const auto all = rows(section);
  const auto found = std::ranges::find_if(
      all, [&](const Row<S>& row) { return &(section.*row.figure) == &figure; });
  return found == all.end() ? nullptr : &*found;
}

[[noreturn]] void fail_without_row() {
  throw Error(ExitStatus::internal,
              "a figure of a model has no row that says what acts where it was not measured");
}

template <typename S>
double usual(const S& section, const Row<S>& row) {
  if (row.by) return row.by(section);
  return row.as ? acting(section, section.*row.as).value : row.usual;
}

std::optional<double> known_value(const Parameter& figure, bool no_limit) {
  if (figure) return figure.value;
  if (!figure.guesses.empty()) return figure.guesses.front().value;
  return figure.at_least && !no_limit ? figure.at_least : figure.at_most;
}

template <typename S>
std::optional<Acting> acting_in(const S& section, const Parameter& figure) {
  const Row<S>* const row = row_of(section, figure);
  if (!row) return std::nullopt;
  const std::optional<double> value = known_value(figure, row->no_limit);
  return Acting{value ? *value : usual(section, *row), known(figure)};
}

template <typename S>
Acting acting_of(const S& section, const Parameter& figure) {
  const std::optional<Acting> found = acting_in(section, figure);
  if (!found) fail_without_row();
  return *found;
}

// ---------------------------------------------------------------- words

// The name of a member of a section, by its place in there.
struct Namer {
  const Parameter* wanted;
  std::string& name;

  void required(const char*, const auto&) {}
  void usual(const char* its_name, const Parameter& p) {
    if (&p == wanted) name = its_name;
  }
  void usual(const char*, const auto&) {}
  void compact(const char*, const auto&, const auto&) {}
  void informative(const char*, const auto&) {}
};

template <typename S>
std::string path_of(const S& section, const std::string& prefix, Parameter S::*figure) {
  std::string name;
  visit_fields(section, Namer{&(section.*figure), name});
  return prefix + name;
}

template <typename S>
std::string usual_in_words(const S& section, const std::string& prefix, const Row<S>& row) {
  if (row.words) return row.words;
  return row.as ? fmt::format("as {}", path_of(section, prefix, row.as))
                : fmt::format("{:g}", row.usual);
}

// It, or what it depends on, acts as nothing.
template <typename S>
bool has_effect(const S& section, const Row<S>& row) {
  if (!row.only_with) return true;
  const Parameter& other = section.*row.only_with;
  return acting(section, other) != 0 && has_effect(section, *row_of(section, other));
}

template <typename S>
void append(const S& section, const std::string& prefix, std::vector<StandIn>& list) {
  for (const Row<S>& row : rows(section)) {
    const Parameter& figure = section.*row.figure;
    if (figure || !has_effect(section, row)) continue;
    const Known what = known(figure);
    const std::string unit = figure.unit.empty() ? "" : fmt::format(" {}", figure.unit);
    list.push_back({path_of(section, prefix, row.figure), what,
                    what == Known::unknown
                        ? usual_in_words(section, prefix, row)
                        : fmt::format("{:.10g}{}", acting(section, figure).value, unit),
                    what == Known::unknown ? row.why : known_instead(figure), figure.reason});
  }
}

template <typename S>
void append_rows(const S& section, const std::string& prefix, std::string& text) {
  for (const Row<S>& row : rows(section))
    text += fmt::format("| `{}` | {} | {} | {} |\n", path_of(section, prefix, row.figure),
                        usual_in_words(section, prefix, row),
                        row.only_with ? fmt::format("`{}`", path_of(section, prefix, row.only_with))
                                      : std::string(),
                        row.why);
}

// Heads and cylinders of a map: what the map has acts, whatever is known of them.
void append_geometry(const DriveModel& model, std::vector<StandIn>& list) {
  const auto add = [&](const char* path, const Parameter& figure, std::uint32_t acts) {
    if (figure || (known(figure) == Known::unknown && figure.reason.empty())) return;
    list.push_back({path, known(figure), fmt::format("{}", acts),
                    known(figure) == Known::unknown ? "the map has so many" : known_instead(figure),
                    figure.reason});
  };
  add("layout.heads", model.layout.heads, model.identity.heads);
  add("layout.cylinders", model.layout.cylinders, model.identity.cylinders);
}

}  // namespace

Acting acting(const Cache& cache, const Parameter& figure) { return acting_of(cache, figure); }
Acting acting(const Overheads& overheads, const Parameter& figure) {
  return acting_of(overheads, figure);
}
Acting acting(const Bus& bus, const Parameter& figure) { return acting_of(bus, figure); }
Acting acting(const Queue& queue, const Parameter& figure) { return acting_of(queue, figure); }
Acting acting(const Arms& arms, const Parameter& figure) { return acting_of(arms, figure); }
Acting acting(const Power& power, const Parameter& figure) { return acting_of(power, figure); }

Acting acting(const Shingling& shingling, const Parameter& figure) {
  return acting_of(shingling, figure);
}

Acting acting(const DriveModel& model, const Parameter& figure) {
  if (const auto found = acting_in(model, figure)) return *found;
  if (const auto found = acting_in(model.cache, figure)) return *found;
  if (const auto found = acting_in(model.overheads, figure)) return *found;
  if (const auto found = acting_in(model.bus, figure)) return *found;
  if (model.arms)
    if (const auto found = acting_in(*model.arms, figure)) return *found;
  if (model.power)
    if (const auto found = acting_in(*model.power, figure)) return *found;
  if (model.shingling)
    if (const auto found = acting_in(*model.shingling, figure)) return *found;
  return acting_of(model.queue, figure);
}

Acting acting(const DriveModel& model, std::string_view path) {
  if (const Parameter* const figure = find_parameter(model, path)) return acting(model, *figure);
  fail_without_row();
}

std::vector<StandIn> stand_ins(const DriveModel& model) {
  std::vector<StandIn> list;
  append_geometry(model, list);
  append(model, "", list);
  for (const CurveRow& row : kOfCurves)
    if (!row.is_there(model)) list.push_back({row.path, Known::unknown, row.acts, row.why, ""});
  append(model.cache, "cache.", list);
  append(model.overheads, "overheads.", list);
  append(model.bus, "bus.", list);
  append(model.queue, "queue.", list);
  if (model.arms) append(*model.arms, "arms.", list);
  if (model.power) append(*model.power, "power.", list);
  if (model.shingling) append(*model.shingling, "shingling.", list);
  return list;
}

bool is_spoken_of(const StandIn& stand_in) {
  return stand_in.known != Known::unknown || !stand_in.reason.empty();
}

std::string in_words(const StandIn& stand_in) {
  return fmt::format("{}, acts as {}", word_of(stand_in.known), stand_in.acts);
}

std::string stand_ins_table() {
  std::string text = "| figure | acts where it is unknown | only with | why |\n|---|---|---|---|\n";
  const DriveModel model;
  append_rows(model, "", text);
  for (const CurveRow& row : kOfCurves)
    text += fmt::format("| `{}` | {} |  | {} |\n", row.path, row.acts, row.why);
  append_rows(model.cache, "cache.", text);
  append_rows(model.overheads, "overheads.", text);
  append_rows(model.bus, "bus.", text);
  append_rows(model.queue, "queue.", text);
  append_rows(Arms{}, "arms.", text);
  append_rows(Power{}, "power.", text);
  append_rows(Shingling{}, "shingling.", text);
  return text;
}

}  // namespace platter::model
