#include "replay/host_queue_settings.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <set>

#include "model/error.h"
#include "model/number_in.h"

namespace platter::replay {
namespace {

constexpr double kMostRequests = 65536;
constexpr double kMostKiB = 1 << 20;
constexpr double kMostPlug_ms = 10'000;

// Between both, and whole where only whole ones make sense.
double setting(std::string_view name, std::string_view text, double least, double most,
               bool whole) {
  const std::optional<double> number = model::number_in<double>(text);
  if (!number || !(*number >= least && *number <= most) ||
      (whole && *number != std::floor(*number)))
    throw Error(ExitStatus::usage, fmt::format("--host-queue: {} is \"{}\"; give a {}number from "
                                               "{} to {}",
                                               name, text, whole ? "whole " : "", least, most));
  return *number;
}

std::uint64_t bytes_of(double kib) { return static_cast<std::uint64_t>(std::llround(kib * 1024)); }

void set(HostQueueSettings& settings, std::string_view name, std::string_view text) {
  const auto number = [&](double least, double most, bool whole) {
    return setting(name, text, least, most, whole);
  };
  if (name == "requests")
    settings.requests = static_cast<std::uint32_t>(number(1, kMostRequests, true));
  else if (name == "merge-kb")
    settings.merge_bytes = bytes_of(number(0, kMostKiB, true));
  else if (name == "plug-ms")
    settings.plug_ns = std::llround(number(0, kMostPlug_ms, false) * kMillisecond);
  else if (name == "prefetch-kb")
    settings.prefetch_bytes = bytes_of(number(0, kMostKiB, true));
  else if (name == "loops")
    settings.loops = static_cast<std::uint32_t>(number(0, kMostRequests, true));
  else
    throw Error(ExitStatus::usage,
                fmt::format("--host-queue: \"{}\" is none of requests, merge-kb, plug-ms, "
                            "prefetch-kb, loops",
                            name));
}

}  // namespace

std::string why_prefetching_did_nothing(const HostQueueUse& use) {
  const std::uint64_t bytes = use.settings.prefetch_bytes;
  if (bytes == 0 || use.from_memory > 0) return {};
  const std::string setting = fmt::format("--host-queue prefetch-kb={}", bytes / 1024);
  if (use.prefetches == 0) return setting + " did nothing: no two reads began where another ended";
  return fmt::format(
      "{} answered no read: none lay whole in the {} windows that were fetched; name "
      "one of at least the size of the reads",
      setting, use.prefetches);
}

HostQueueSettings host_queue_of(std::string_view text) {
  HostQueueSettings settings;
  if (text == "default") return settings;
  std::set<std::string_view> named;
  for (std::size_t at = 0; at <= text.size();) {
    const std::string_view pair = text.substr(at, text.find(',', at) - at);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos)
      throw Error(ExitStatus::usage,
                  fmt::format("--host-queue: \"{}\" is no NAME=NUMBER; write default, or like "
                              "requests=128,plug-ms=0",
                              pair));
    const std::string_view name = pair.substr(0, equals);
    set(settings, name, pair.substr(equals + 1));
    if (!named.insert(name).second)
      throw Error(ExitStatus::usage,
                  fmt::format("--host-queue: {} is given twice; give it once", name));
    at += pair.size() + 1;
  }
  return settings;
}

std::string text_of(const HostQueueSettings& settings) {
  return fmt::format("requests={},merge-kb={},plug-ms={},prefetch-kb={},loops={}",
                     settings.requests, settings.merge_bytes / 1024,
                     static_cast<double>(settings.plug_ns) / kMillisecond,
                     settings.prefetch_bytes / 1024, settings.loops);
}

}  // namespace platter::replay
