#include "cache_probe/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/error.h"
#include "samples/file.h"

namespace platter::cache_probe {
namespace {

constexpr const char* kSetting = "cache_setting";
constexpr const char* kProbe = "cache_probe";

struct Row {
  Question question;
  const char* name;
  Varied varied;
};
constexpr std::array kRows = std::to_array<Row>({
    {Question::miss_control, "miss_control", Varied::nothing},
    {Question::reread, "reread", Varied::nothing},
    {Question::next_block, "next_block", Varied::nothing},
    {Question::next_block_later, "next_block_later", Varied::nothing},
    {Question::reach, "reach", Varied::blocks},
    {Question::reach_aligned, "reach_aligned", Varied::blocks},
    {Question::reach_mid, "reach_mid", Varied::nothing},
    {Question::reach_large, "reach_large", Varied::nothing},
    {Question::cross_track, "cross_track", Varied::nothing},
    {Question::cross_cylinder, "cross_cylinder", Varied::nothing},
    {Question::cross_sequential, "cross_sequential", Varied::nothing},
    {Question::cross_in_one, "cross_in_one", Varied::nothing},
    {Question::cross_ends, "cross_ends", Varied::nothing},
    {Question::reach_sequential, "reach_sequential", Varied::blocks},
    {Question::held_first, "held_first", Varied::blocks},
    {Question::held_upper, "held_upper", Varied::blocks},
    {Question::held_lower, "held_lower", Varied::blocks},
    {Question::segments, "segments", Varied::requests},
    {Question::segments_settled, "segments_settled", Varied::requests},
    {Question::segments_full, "segments_full", Varied::requests},
    {Question::free_blocks, "free_blocks", Varied::nothing},
    {Question::free_blocks_near, "free_blocks_near", Varied::nothing},
    {Question::interrupted, "interrupted", Varied::nothing},
    {Question::interrupted_hit, "interrupted_hit", Varied::nothing},
    {Question::hit_at_end, "hit_at_end", Varied::nothing},
    {Question::large_hit, "large_hit", Varied::blocks},
    {Question::whole_track_read, "whole_track_read", Varied::blocks},
    {Question::write_isolated, "write_isolated", Varied::nothing},
    {Question::write_appended, "write_appended", Varied::nothing},
    {Question::read_written, "read_written", Varied::nothing},
    {Question::read_settled, "read_settled", Varied::nothing},
    {Question::write_run, "write_run", Varied::requests},
    {Question::write_stream, "write_stream", Varied::requests},
    {Question::write_displaces, "write_displaces", Varied::requests},
    {Question::whole_track_write, "whole_track_write", Varied::blocks},
    {Question::exercise, "exercise", Varied::nothing},
    {Question::write_forced, "write_forced", Varied::nothing},
    {Question::synchronize_clean, "synchronize_clean", Varied::nothing},
    {Question::synchronize_dirty, "synchronize_dirty", Varied::nothing},
    {Question::destaged, "destaged", Varied::pause_us},
    {Question::write_run_large, "write_run_large", Varied::requests},
    {Question::write_into, "write_into", Varied::nothing},
    {Question::next_sequential, "next_sequential", Varied::nothing},
    {Question::reach_end, "reach_end", Varied::blocks},
    {Question::cut_short, "cut_short", Varied::blocks},
    {Question::held_in_stream, "held_in_stream", Varied::blocks},
    {Question::replaced, "replaced", Varied::requests},
    {Question::written_held, "written_held", Varied::requests},
    {Question::kept_of_many, "kept_of_many", Varied::requests},
    {Question::reach_overrun, "reach_overrun", Varied::blocks},
    {Question::write_fill, "write_fill", Varied::blocks},
    {Question::lookup_first, "lookup_first", Varied::nothing},
    {Question::lookup, "lookup", Varied::nothing},
    {Question::load_changed, "load_changed", Varied::requests},
    {Question::divided, "divided", Varied::requests},
    {Question::freedom, "freedom", Varied::setting},
    {Question::buffer, "buffer", Varied::blocks},
    {Question::stream, "stream", Varied::requests},
    {Question::end_moved, "end_moved", Varied::nothing},
    {Question::streams, "streams", Varied::requests},
    {Question::grown, "grown", Varied::blocks},
});
static_assert(kRows.size() == kQuestions);
static_assert([] {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (kRows[i].question != static_cast<Question>(i)) return false;
  return true;
}());

constexpr std::array<const char*, 10> kExerciseNames = {
    "setup",  "elsewhere", "again",        "carries_on", "ahead",
    "before", "written",   "read_written", "at_once",    "burst"};
static_assert(kExerciseNames.size() == kExercises);

// Where x is written, by what it is; nullptr: nowhere.
const char* key_of(Varied varied) {
  switch (varied) {
    case Varied::nothing:
      return nullptr;
    case Varied::blocks:
      return "x_blocks";
    case Varied::requests:
      return "x_requests";
    case Varied::pause_us:
      return "x_us";
    case Varied::setting:
      return "x_setting";
  }
  return nullptr;
}

Exercise exercise_of(const std::string& name) {
  for (std::size_t i = 0; i < kExerciseNames.size(); ++i)
    if (kExerciseNames[i] == name) return static_cast<Exercise>(i);
  throw Error(ExitStatus::bad_input, fmt::format("unknown request of the exercise '{}'", name));
}

Question question_of(const std::string& name) {
  for (const Row& row : kRows)
    if (row.name == name) return row.question;
  throw Error(ExitStatus::bad_input, fmt::format("unknown cache test '{}'", name));
}

samples::Json json_of(const Setting& setting) {
  samples::Json line = {{"period_ns", setting.period_ns},
                        {"track_blocks", setting.track_blocks},
                        {"angles_trusted", setting.angles_trusted},
                        {"writes_allowed", setting.writes_allowed},
                        {"complete", setting.complete}};
  if (!setting.map_known) line["map_known"] = false;
  if (setting.page) {
    const scsi::CachePage& page = *setting.page;
    line["page"] = {{"write_cache_enabled", page.write_cache_enabled},
                    {"read_cache_disabled", page.read_cache_disabled},
                    {"read_ahead_disabled", page.read_ahead_disabled},
                    {"segments", page.segments},
                    {"segment_blocks", page.segment_blocks},
                    {"max_prefetch", page.max_prefetch},
                    {"min_prefetch", page.min_prefetch},
                    {"prefetch_ceiling", page.prefetch_ceiling}};
  }
  return line;
}

Setting setting_of(const samples::Json& line) {
  Setting setting;
  setting.period_ns = line.at("period_ns").get<double>();
  setting.track_blocks = line.at("track_blocks").get<std::uint32_t>();
  setting.angles_trusted = line.at("angles_trusted").get<bool>();
  setting.map_known = line.value("map_known", true);
  setting.writes_allowed = line.at("writes_allowed").get<bool>();
  setting.complete = line.at("complete").get<bool>();
  if (!(setting.period_ns > 0)) throw Error(ExitStatus::bad_input, "period_ns is not positive");
  if (line.contains("page")) {
    const samples::Json& from = line.at("page");
    scsi::CachePage page;
    page.write_cache_enabled = from.at("write_cache_enabled").get<bool>();
    page.read_cache_disabled = from.at("read_cache_disabled").get<bool>();
    page.read_ahead_disabled = from.at("read_ahead_disabled").get<bool>();
    page.segments = from.at("segments").get<std::uint8_t>();
    page.segment_blocks = from.at("segment_blocks").get<std::uint16_t>();
    page.max_prefetch = from.at("max_prefetch").get<std::uint16_t>();
    page.min_prefetch = from.at("min_prefetch").get<std::uint16_t>();
    page.prefetch_ceiling = from.at("prefetch_ceiling").get<std::uint16_t>();
    setting.page = page;
  }
  return setting;
}

Observation observation_of(const samples::Json& line) {
  Observation seen;
  seen.question = question_of(line.at("question").get<std::string>());
  if (const char* key = key_of(varied_by(seen.question))) seen.x = line.at(key).get<std::int64_t>();
  if (seen.question == Question::exercise)
    seen.exercise = exercise_of(line.at("exercise").get<std::string>());
  seen.write = line.at("write").get<bool>();
  seen.lbn = line.at("lbn").get<std::uint64_t>();
  seen.blocks = line.at("blocks").get<std::uint32_t>();
  seen.issued_ns = line.at("issued_ns").get<Nanoseconds>();
  seen.completed_ns = line.at("completed_ns").get<Nanoseconds>();
  seen.phase_rev = line.at("phase_rev").get<double>();
  seen.request_blocks = line.at("request_blocks").get<std::uint32_t>();
  seen.to_track_end = line.at("to_track_end").get<std::int64_t>();
  seen.to_cylinder_end = line.at("to_cylinder_end").get<std::int64_t>();
  seen.ahead_rev = line.value("ahead_rev", -1.0);
  seen.nth = line.value("nth", 0U);
  return seen;
}

}  // namespace

const char* name_of(Question question) { return kRows[static_cast<std::size_t>(question)].name; }

Varied varied_by(Question question) { return kRows[static_cast<std::size_t>(question)].varied; }

std::map<Question, Spent> spent_on(const Record& record) {
  std::map<Question, Spent> spent;
  Nanoseconds before = record.observations.empty() ? 0 : record.observations.front().issued_ns;
  for (const Observation& seen : record.observations) {
    Spent& of = spent[seen.question];
    of.seconds += static_cast<double>(seen.completed_ns - before) * 1e-9;
    ++of.probes;
    before = std::max(before, seen.completed_ns);
  }
  return spent;
}

void write_setting(samples::Writer& file, const Setting& setting) {
  file.add(kSetting, json_of(setting));
}

void write_probe(samples::Writer& file, const Observation& seen) {
  samples::Json line = {{"question", name_of(seen.question)},
                        {"write", seen.write},
                        {"lbn", seen.lbn},
                        {"blocks", seen.blocks},
                        {"issued_ns", seen.issued_ns},
                        {"completed_ns", seen.completed_ns},
                        {"phase_rev", seen.phase_rev},
                        {"request_blocks", seen.request_blocks},
                        {"to_track_end", seen.to_track_end},
                        {"to_cylinder_end", seen.to_cylinder_end},
                        {"ahead_rev", seen.ahead_rev},
                        {"nth", seen.nth}};
  if (const char* key = key_of(varied_by(seen.question))) line[key] = seen.x;
  if (seen.question == Question::exercise)
    line["exercise"] = kExerciseNames[static_cast<std::size_t>(seen.exercise)];
  file.add(kProbe, std::move(line));
}

bool add_to(Record& record, const samples::Line& line) {
  if (line.payload == kSetting) {
    record.setting = setting_of(line.fields);
    return true;
  }
  if (line.payload != kProbe) return false;
  if (!(record.setting.period_ns > 0))
    throw Error(ExitStatus::bad_input, "it comes before the setting under which it was made");
  record.observations.push_back(observation_of(line.fields));
  return true;
}

}  // namespace platter::cache_probe
