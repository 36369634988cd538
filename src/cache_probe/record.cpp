#include "cache_probe/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "model/error.h"

namespace platter::cache_probe {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;

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

nlohmann::json json_of(const Setting& setting) {
  nlohmann::json line = {{"cache", "setting"},
                         {"period_ns", setting.period_ns},
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

Setting setting_of(const nlohmann::json& line) {
  Setting setting;
  setting.period_ns = line.at("period_ns").get<double>();
  setting.track_blocks = line.at("track_blocks").get<std::uint32_t>();
  setting.angles_trusted = line.at("angles_trusted").get<bool>();
  setting.writes_allowed = line.at("writes_allowed").get<bool>();
  setting.complete = line.at("complete").get<bool>();
  if (!(setting.period_ns > 0)) throw Error(ExitStatus::bad_input, "period_ns is not positive");
  if (line.contains("page")) {
    const nlohmann::json& from = line.at("page");
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

Observation observation_of(const nlohmann::json& line) {
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

void write_record(std::ostream& out, const Record& record) {
  out << json_of(record.setting).dump() << '\n';
  for (const Observation& seen : record.observations) {
    out << fmt::format(
        "{{\"cache\":\"probe\",\"question\":\"{}\",\"x\":{},\"write\":{},\"lbn\":{},\"blocks\":{},"
        "\"issued_ns\":{},\"completed_ns\":{},\"phase_rev\":{},\"request_blocks\":{},"
        "\"to_track_end\":{},\"to_cylinder_end\":{},\"ahead_rev\":{},\"nth\":{}}}\n",
        name_of(seen.question), seen.x, seen.write, seen.lbn, seen.blocks, seen.issued_ns,
        seen.completed_ns, seen.phase_rev, seen.request_blocks, seen.to_track_end,
        seen.to_cylinder_end, seen.ahead_rev, seen.nth);
  }
}

Record read_record(std::istream& in, const std::string& name) {
  Record record;
  bool has_setting = false;
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    if (text.empty()) continue;
    if (text.size() > kLongestLine)
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: line {} is longer than any raw sample; give a samples file that "
                              "platter characterize kept.",
                              name, number));
    try {
      const nlohmann::json line = nlohmann::json::parse(text);
      const std::string kind = line.value("cache", std::string());
      if (kind == "setting") {
        record.setting = setting_of(line);
        has_setting = true;
      } else if (kind == "probe") {
        record.observations.push_back(observation_of(line));
      }
    } catch (const std::exception& failure) {
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: line {} is no raw sample ({}); give a samples file that platter "
                              "characterize kept.",
                              name, number, failure.what()));
    }
  }
  if (!record.observations.empty() && !has_setting) {
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: cache probes without the line that says under which setting they "
                            "were made; give a samples file that platter characterize kept.",
                            name));
  }
  return record;
}

}  // namespace platter::cache_probe
