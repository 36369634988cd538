#include "study/options.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "model/change.h"
#include "model/error.h"
#include "model/printable.h"

namespace platter::study {
namespace {

// What a study has no member for, or under another name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOtherwise = {{
    {"--block-bytes or --round", "\"round\": true"},
    {"--device-number N", "\"device\": \"N\", or all with \"split_by\": \"device\""},
    {"name the model of the drive, --for", "give a model that has a layout"},
}};
constexpr std::array<std::string_view, 2> kOfOtherCommands = {"list", "json"};

bool is_of_an_option(char letter) { return (letter >= 'a' && letter <= 'z') || letter == '-'; }

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

bool is_derive(const Json& value) {
  if (!value.is_string()) return value.is_null();
  const std::vector<std::string> changes = changes_in(value.get<std::string>());
  try {
    for (const std::string& change : changes) model::parse_change(change);
  } catch (const Error&) {
    return false;
  }
  return !changes.empty();
}

bool is_file(const Json& value) {
  return value.is_null() || (value.is_string() && !value.get_ref<const std::string&>().empty());
}

// What `platter calibrate --only` takes.
bool is_groups(const Json& value) {
  static const std::set<std::string> kGroups = {"rotation", "angles", "hits", "positioning",
                                                "cache"};
  if (!value.is_string()) return value.is_null();
  std::istringstream words(value.get<std::string>());
  bool any = false;
  for (std::string word; std::getline(words, word, ',');) {
    if (!kGroups.contains(word)) return false;
    any = true;
  }
  return any;
}

// Ageing is of the queue that scheduler makes, and of no other.
const std::array<Option, 13> kOptions = {{
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
    {"read_ahead", "default (the model's) or off", "default",
     [](const Json& value) { return value == "default" || value == "off"; }, nullptr},
    {"derive", "null (none) or changes PATH=VALUE as platter derive takes them, apart by blanks",
     nullptr, is_derive, nullptr},
    {"calibrate_with", "null (none) or the file of a drive's result", nullptr, is_file, nullptr},
    {"calibrate_only",
     "null (all) or some of rotation, angles, hits, positioning, cache, as \"rotation,angles\"",
     nullptr, is_groups, nullptr},
}};

}  // namespace

std::string in_study_words(std::string sentence) {
  for (const auto& [option, member] : kOtherwise)
    sentence = model::replaced(sentence, option, member);
  for (std::size_t at = 0; (at = sentence.find("--", at)) != sentence.npos; ++at) {
    std::size_t end = at + 2;
    while (end < sentence.size() && is_of_an_option(sentence[end])) ++end;
    std::string member = sentence.substr(at + 2, end - at - 2);
    if (member.empty() || std::ranges::count(kOfOtherCommands, member) > 0) continue;
    std::ranges::replace(member, '-', '_');
    sentence.replace(at, end - at, '"' + member + '"');
  }
  return sentence;
}

std::span<const Option> options() { return kOptions; }

Json usual_options() {
  Json usual = Json::object();
  for (const Option& option : kOptions) usual[option.name] = option.usual;
  return usual;
}

Json options_of_model(const Json& all) {
  Json of_model = Json::object();
  for (const Option& option : kOptions)
    if (!option.set) of_model[option.name] = all.at(option.name);
  return of_model;
}

std::vector<std::string> changes_in(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

}  // namespace platter::study
