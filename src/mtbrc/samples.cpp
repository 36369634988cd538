#include "mtbrc/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

#include "model/error.h"

namespace platter::mtbrc {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;

constexpr std::array<std::string_view, 10> kNames = {
    "rotation",    "anchor",   "angle", "same_track",   "seek",
    "head_switch", "transfer", "hit",   "seek_command", "other"};

Experiment experiment_of(const std::string& name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Experiment>(i);
  }
  throw Error(ExitStatus::bad_input, fmt::format("unknown experiment '{}'", name));
}

Sample sample_of(const nlohmann::json& line) {
  Sample sample;
  sample.experiment = experiment_of(line.at("experiment").get<std::string>());
  sample.group = line.at("group").get<std::int64_t>();
  sample.write = line.at("write").get<bool>();
  sample.lbn = line.at("lbn").get<std::uint64_t>();
  sample.blocks = line.at("blocks").get<std::uint32_t>();
  sample.issued_ns = line.at("issued_ns").get<Nanoseconds>();
  sample.completed_ns = line.at("completed_ns").get<Nanoseconds>();
  sample.after_write = line.at("after_write").get<bool>();
  sample.after_lbn = line.at("after_lbn").get<std::uint64_t>();
  sample.after_completed_ns = line.at("after_completed_ns").get<Nanoseconds>();
  return sample;
}

}  // namespace

std::uint32_t write_unit(const Samples& samples) {
  std::uint32_t least = 0;
  for (const Sample& s : samples)
    if (s.write && (least == 0 || s.blocks < least)) least = s.blocks;
  return std::max(1U, least);
}

void write_samples(std::ostream& out, const Samples& samples) {
  for (const Sample& s : samples) {
    out << fmt::format(
        "{{\"experiment\":\"{}\",\"group\":{},\"write\":{},\"lbn\":{},\"blocks\":{},"
        "\"issued_ns\":{},\"completed_ns\":{},\"after_write\":{},\"after_lbn\":{},"
        "\"after_completed_ns\":{}}}\n",
        kNames[static_cast<std::size_t>(s.experiment)], s.group, s.write, s.lbn, s.blocks,
        s.issued_ns, s.completed_ns, s.after_write, s.after_lbn, s.after_completed_ns);
  }
}

Samples read_samples(std::istream& in, const std::string& name) {
  Samples samples;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.starts_with("{\"schema\"")) continue;  // whose they are
    if (line.size() > kLongestLine)
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: line {} is longer than any raw sample; give a samples file that "
                              "platter characterize kept.",
                              name, number));
    try {
      samples.push_back(sample_of(nlohmann::json::parse(line)));
    } catch (const std::exception& failure) {
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: line {} is no raw sample ({}); give a samples file that platter "
                              "characterize kept.",
                              name, number, failure.what()));
    }
  }
  return samples;
}

}  // namespace platter::mtbrc
