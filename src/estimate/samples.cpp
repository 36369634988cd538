#include "estimate/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "model/error.h"
#include "samples/file.h"

namespace platter::estimate {
namespace {

constexpr const char* kPayload = "timing";

constexpr std::array<std::string_view, 13> kNames = {
    "rotation", "anchor",       "angle",      "same_track", "seek", "head_switch", "transfer",
    "hit",      "seek_command", "round_trip", "disturbed",  "wake", "other"};

Experiment experiment_of(const std::string& name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Experiment>(i);
  }
  throw Error(ExitStatus::bad_input, fmt::format("unknown experiment '{}'", name));
}

}  // namespace

bool by_verifies(const Samples& samples) { return std::ranges::any_of(samples, &Sample::verify); }

void disturb(Samples& samples, std::size_t from, bool durations_stay) {
  for (std::size_t i = from; i < samples.size(); ++i) {
    Experiment& experiment = samples[i].experiment;
    const bool is_duration = experiment == Experiment::seek_command ||
                             experiment == Experiment::round_trip;
    if (!durations_stay || !is_duration) experiment = Experiment::disturbed;
  }
}

void write_sample(samples::Writer& file, const Sample& s) {
  samples::Json fields = {{"experiment", kNames[static_cast<std::size_t>(s.experiment)]},
                          {"group", s.group},
                          {"write", s.write},
                          {"lbn", s.lbn},
                          {"blocks", s.blocks},
                          {"issued_ns", s.issued_ns},
                          {"completed_ns", s.completed_ns},
                          {"after_write", s.after_write},
                          {"after_lbn", s.after_lbn},
                          {"after_completed_ns", s.after_completed_ns}};
  if (s.verify) fields["verify"] = true;
  if (s.stamped()) {
    fields["dispatched_ns"] = s.dispatched_ns;
    fields["returned_ns"] = s.returned_ns;
  }
  file.add(kPayload, std::move(fields));
}

std::optional<Sample> sample_of(const samples::Line& line) {
  if (line.payload != kPayload) return std::nullopt;
  const samples::Json& fields = line.fields;
  Sample sample;
  sample.experiment = experiment_of(fields.at("experiment").get<std::string>());
  sample.group = fields.at("group").get<std::int64_t>();
  sample.write = fields.at("write").get<bool>();
  sample.lbn = fields.at("lbn").get<std::uint64_t>();
  sample.blocks = fields.at("blocks").get<std::uint32_t>();
  sample.issued_ns = fields.at("issued_ns").get<Nanoseconds>();
  sample.completed_ns = fields.at("completed_ns").get<Nanoseconds>();
  sample.after_write = fields.at("after_write").get<bool>();
  sample.after_lbn = fields.at("after_lbn").get<std::uint64_t>();
  sample.after_completed_ns = fields.at("after_completed_ns").get<Nanoseconds>();
  sample.verify = fields.value("verify", false);
  if (!fields.contains("dispatched_ns")) return sample;
  sample.dispatched_ns = fields.at("dispatched_ns").get<Nanoseconds>();
  sample.returned_ns = fields.at("returned_ns").get<Nanoseconds>();
  if (sample.dispatched_ns < sample.issued_ns || sample.returned_ns < sample.dispatched_ns ||
      sample.completed_ns < sample.returned_ns)
    throw Error(ExitStatus::bad_input, "it was stamped at a time that is not its own");
  return sample;
}

}  // namespace platter::estimate
