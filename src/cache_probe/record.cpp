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

constexpr std::array<const char*, 48> kNames = {"miss_control",
                                                "reread",
                                                "next_block",
                                                "reach",
                                                "reach_aligned",
                                                "reach_mid",
                                                "reach_large",
                                                "cross_track",
                                                "cross_cylinder",
                                                "cross_sequential",
                                                "reach_sequential",
                                                "held_first",
                                                "held_upper",
                                                "held_lower",
                                                "segments",
                                                "segments_settled",
                                                "segments_full",
                                                "free_blocks",
                                                "interrupted",
                                                "hit_at_end",
                                                "large_hit",
                                                "whole_track_read",
                                                "write_isolated",
                                                "write_appended",
                                                "read_written",
                                                "write_run",
                                                "write_stream",
                                                "write_displaces",
                                                "whole_track_write",
                                                "exercise",
                                                "write_forced",
                                                "synchronize",
                                                "destaged",
                                                "write_run_large",
                                                "write_into",
                                                "next_sequential",
                                                "reach_end",
                                                "cut_short",
                                                "held_in_stream",
                                                "replaced",
                                                "written_held",
                                                "kept_of_many",
                                                "reach_overrun",
                                                "write_fill",
                                                "lookup",
                                                "load_changed",
                                                "divided",
                                                "freedom"};
static_assert(kNames.size() == static_cast<std::size_t>(Question::freedom) + 1);

Question question_of(const std::string& name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Question>(i);
  }
  throw Error(ExitStatus::bad_input, fmt::format("unknown cache test '{}'", name));
}

samples::Json json_of(const Setting& setting) {
  samples::Json line = {{"period_ns", setting.period_ns},
                        {"track_blocks", setting.track_blocks},
                        {"angles_trusted", setting.angles_trusted},
                        {"writes_allowed", setting.writes_allowed},
                        {"complete", setting.complete}};
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
  seen.x = line.at("x").get<std::int64_t>();
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

const char* name_of(Question question) { return kNames[static_cast<std::size_t>(question)]; }

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
  file.add(kProbe, {{"question", name_of(seen.question)},
                    {"x", seen.x},
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
                    {"nth", seen.nth}});
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
