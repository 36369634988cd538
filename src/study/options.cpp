#include "study/options.h"

#include <array>
#include <cstdint>
#include <string>

#include "model/error.h"

namespace platter::study {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMostCount = std::uint64_t{1} << 53;  // what canonical JSON carries

bool is_count(const Json& value, std::uint64_t least, std::uint64_t most) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() >= least &&
         value.get<std::uint64_t>() <= most;
}

bool is_between(const Json& value, double least, double most) {
  return value.is_number() && value.get<double>() >= least && value.get<double>() <= most;
}

bool is_caches(const Json& value) {
  return value == "default" || value == "off" || value == "forced";
}

bool is_host_queue(const Json& value) {
  if (!value.is_string()) return value.is_null();
  try {
    replay::host_queue_of(value.get<std::string>());
  } catch (const Error&) {
    return false;
  }
  return true;
}

// Ageing is of the queue that scheduler makes, and of no other.
const std::array<Option, 9> kOptions = {{
    {"scheduler", "null (the model's own), fcfs, sstf, look, c-look or sptf", nullptr,
     [](const Json& value) {
       return value.is_null() ||
              (value.is_string() && replay::scheduler_of(value.get<std::string>()).has_value());
     },
     [](const Json& value, replay::ModelRun& run) {
       if (!value.is_null())
         run.how.queue = engine::QueueSettings{*replay::scheduler_of(value.get<std::string>()), 0,
                                               0};
     }},
    {"ageing", "a number from 0 to 1000", 0,
     [](const Json& value) { return is_between(value, 0, 1000); },
     [](const Json& value, replay::ModelRun& run) {
       if (run.how.queue) run.how.queue->ageing = value.get<double>();
     }},
    {"depth", "a whole number from 1 to 4294967295", 1,
     [](const Json& value) { return is_count(value, 1, UINT32_MAX); },
     [](const Json& value, replay::ModelRun& run) { run.how.depth = value.get<std::uint32_t>(); }},
    {"caches", "default, off or forced", "default", is_caches,
     [](const Json& value, replay::ModelRun& run) {
       run.how.caches = replay::caches_of(value.get<std::string>());
     }},
    {"speed", "a number from 1e-6 to 1e6", 1,
     [](const Json& value) { return is_between(value, 1e-6, 1e6); },
     [](const Json& value, replay::ModelRun& run) { run.shape.speed = value.get<double>(); }},
    {"limit", "null (all) or a whole number from 1 to 9007199254740992", nullptr,
     [](const Json& value) { return value.is_null() || is_count(value, 1, kMostCount); },
     [](const Json& value, replay::ModelRun& run) {
       if (!value.is_null()) run.shape.limit = value.get<std::uint64_t>();
     }},
    {"delay_seed", "a whole number from 0 to 9007199254740992", 1,
     [](const Json& value) { return is_count(value, 0, kMostCount); },
     [](const Json& value, replay::ModelRun& run) {
       run.how.delay_seed = value.get<std::uint64_t>();
     }},
    {"reference_reads", "a whole number from 0 to 1000", 16,
     [](const Json& value) { return is_count(value, 0, 1000); },
     [](const Json& value, replay::ModelRun& run) {
       run.how.reference_reads = value.get<std::uint32_t>();
     }},
    {"host_queue", "null (none) or settings as --host-queue takes them", nullptr, is_host_queue,
     [](const Json& value, replay::ModelRun& run) {
       if (!value.is_null()) run.how.host_queue = replay::host_queue_of(value.get<std::string>());
     }},
}};

}  // namespace

std::span<const Option> options() { return kOptions; }

}  // namespace platter::study
