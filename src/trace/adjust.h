// A profile with parameters of one's own choice in place of its own, as a command line names them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trace/profiles.h"

namespace platter::trace {

struct Adjustment {
  std::optional<double> read_share{};       // 0 to 1
  std::optional<std::string> request_kb{};  // N, or LEAST-MOST or LEAST-MOST:STEP, all as likely
  std::optional<double> align_kb{};         // of places that are drawn
  std::optional<double> sequential_share{}, local_share{};  // Nearby
  std::optional<std::uint64_t> local_blocks{};
  std::optional<std::uint32_t> streams{};  // Streams
  bool any_stream = false;                 // drawn, not in turn
  std::optional<std::uint64_t> run_requests{};
  std::optional<double> stride_kb{};
  std::optional<double> hot_share{}, hot_span{};  // HotSpot
  std::optional<double> rate_hz{};                // makes the workload open
  std::optional<double> think_ms{};               // makes it closed
  std::optional<Gap> gap{};
  std::optional<std::uint64_t> burst_requests{};
  std::optional<double> burst_kb{}, idle_ms{};
};

// Throws Error(usage) for values that are out of range and for parameters that the profile has not.
Profile adjusted(Profile profile, const Adjustment& adjustment);

}  // namespace platter::trace
