#include "trace/workload.h"

#include <algorithm>
#include <array>
#include <optional>
#include <random>

#include <fmt/format.h>

#include "model/error.h"

namespace platter::trace {
namespace {

constexpr Nanoseconds kLongestGap_ns = 72 * kMillisecond;
constexpr std::uint64_t kLocalBlocks = 500;
constexpr std::array<std::uint64_t, 6> kSizeWeights = {10, 13, 16, 19, 22, 25};
constexpr std::uint32_t kSizeStepBytes = 2048;

// The standard fixes the numbers of mt19937_64 but not those of its distributions: draws are our own.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : generator_(seed) {}

  // Uniform in 0 ... count - 1, without bias: values past the last whole multiple are drawn again.
  std::uint64_t below(std::uint64_t count) {
    const std::uint64_t past = (~std::uint64_t{0} % count + 1) % count;
    std::uint64_t value = generator_();
    while (value > ~std::uint64_t{0} - past) value = generator_();
    return value % count;
  }

 private:
  std::mt19937_64 generator_;
};

using Ranges = std::vector<LbnRange>;

bool holds(const Ranges& ranges, std::uint64_t lbn, std::uint64_t blocks) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const LbnRange& range) { return range.holds(lbn, blocks); });
}

// Uniform over every first LBN at which so many blocks fit into one range.
std::uint64_t uniform_lbn(Draws& draws, const Ranges& ranges, std::uint64_t blocks) {
  const auto places = [&](const LbnRange& range) {
    const std::uint64_t size = range.last - range.first + 1;
    return size < blocks ? 0 : size - blocks + 1;
  };
  std::uint64_t total = 0;
  for (const LbnRange& range : ranges) total += places(range);
  std::uint64_t place = draws.below(total);
  for (const LbnRange& range : ranges) {
    if (place < places(range)) return range.first + place;
    place -= places(range);
  }
  return ranges.front().first;
}

std::uint32_t request_blocks(Draws& draws, std::uint32_t block_bytes) {
  std::uint64_t weight = 0;
  for (const std::uint64_t each : kSizeWeights) weight += each;
  std::uint64_t drawn = draws.below(weight);
  std::uint32_t steps = 1;
  for (const std::uint64_t each : kSizeWeights) {
    if (drawn < each) break;
    drawn -= each;
    ++steps;
  }
  return std::max(1u, (steps * kSizeStepBytes + block_bytes - 1) / block_bytes);
}

// Where the mixed workload goes next, seen from the request before; nullopt: anywhere.
std::optional<std::uint64_t> neighbour_lbn(Draws& draws, const Request& before) {
  const std::uint64_t kind = draws.below(10);
  if (kind < 2) return before.lbn + before.blocks;
  if (kind >= 5) return std::nullopt;
  const std::uint64_t lowest = before.lbn - std::min(before.lbn, kLocalBlocks);
  return lowest + draws.below(before.lbn + kLocalBlocks - lowest + 1);
}

void check(const Ranges& ranges, std::uint64_t capacity, std::uint64_t largest) {
  bool fits = false;
  for (const LbnRange& range : ranges) {
    if (range.first > range.last || range.last >= capacity)
      throw Error(ExitStatus::usage,
                  fmt::format("the LBN range {}-{} is not one of this drive, whose last LBN is {}",
                              range.first, range.last, capacity - 1));
    fits = fits || range.last - range.first + 1 >= largest;
  }
  if (!fits)
    throw Error(ExitStatus::usage,
                fmt::format("no LBN range given can hold the largest request of the workload, {} "
                            "blocks; name a longer one",
                            largest));
}

}  // namespace

Trace generate(const Workload& workload) {
  const std::uint64_t largest = std::max<std::uint64_t>(
      1, (kSizeWeights.size() * kSizeStepBytes + workload.block_bytes - 1) / workload.block_bytes);
  if (workload.blocks < largest)
    throw Error(ExitStatus::usage, "a drive of that few blocks cannot hold the workload");
  const Ranges within =
      workload.within.empty() ? Ranges{{0, workload.blocks - 1}} : workload.within;
  const Ranges writes = workload.writes.empty() ? within : workload.writes;
  check(within, workload.blocks, largest);
  if (!workload.reads_only) check(writes, workload.blocks, largest);

  Draws draws(workload.seed);
  Trace trace;
  trace.kind = Kind::open;
  trace.name = fmt::format("{} workload, seed {}",
                           workload.kind == WorkloadKind::random ? "random" : "mixed", workload.seed);
  trace.requests.reserve(workload.requests);
  for (std::uint64_t i = 0; i < workload.requests; ++i) {
    Request request;
    const auto gap_ns = static_cast<Nanoseconds>(draws.below(kLongestGap_ns + 1));
    if (i > 0) request.arrival_ns = trace.requests.back().arrival_ns + gap_ns;
    request.write = draws.below(3) == 2 && !workload.reads_only;
    request.blocks = request_blocks(draws, workload.block_bytes);
    const Ranges& allowed = request.write ? writes : within;
    std::optional<std::uint64_t> lbn;
    if (workload.kind == WorkloadKind::mixed && i > 0)
      lbn = neighbour_lbn(draws, trace.requests.back());
    request.lbn = lbn && holds(allowed, *lbn, request.blocks)
                      ? *lbn
                      : uniform_lbn(draws, allowed, request.blocks);
    trace.requests.push_back(request);
  }
  return trace;
}

}  // namespace platter::trace
