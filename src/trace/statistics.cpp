#include "trace/statistics.h"

#include <algorithm>
#include <vector>

namespace platter::trace {
namespace {

constexpr std::uint64_t kLocalBlocks = 500;
constexpr std::uint32_t kRegionBytes = 1 << 20;

std::uint64_t apart(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

}  // namespace

void Accesses::add(const Request& request) {
  blocks.add(request.blocks);
  if (last_lbn) strides.add(apart(request.lbn, *last_lbn));
  last_lbn = request.lbn;
}

Statistics::Statistics(const Source& from)
    : source(from), footprint(std::max(1u, kRegionBytes / std::max(1u, from.block_bytes))) {}

void Statistics::add(const Request& request) {
  all.add(request);
  (request.write ? writes : reads).add(request);
  add_place(request);
  add_times(request);
  before_ = request;
}

void Statistics::add_place(const Request& request) {
  first_lbn = std::min(first_lbn, request.lbn);
  last_lbn = std::max(last_lbn, request.lbn + (request.blocks - 1));
  blocks += request.blocks;
  sequentiality.add(request.lbn, request.blocks);
  alignment.add(request.lbn, request.blocks);
  touched_before += footprint.add(request.lbn, request.blocks);
  if (!before_) return;
  const std::uint64_t behind = before_->lbn + before_->blocks;
  const std::uint64_t from_behind = apart(request.lbn, behind);
  distance.add(from_behind);
  if (request.lbn > behind) forward.add(from_behind);
  if (request.lbn < behind) backward.add(from_behind);
  local += request.lbn != behind && apart(request.lbn, before_->lbn) <= kLocalBlocks;
}

void Statistics::add_times(const Request& request) {
  if (request.service_ns) services_ns.add(static_cast<std::uint64_t>(*request.service_ns));
  if (!open()) {
    if (before_) {
      gaps_ns.add(static_cast<std::uint64_t>(before_->think_ns));
      closed_ns_ += before_->service_ns.value_or(0) + before_->think_ns;
    }
    return;
  }
  if (!before_) first_ns_ = request.arrival_ns;
  if (before_) gaps_ns.add(static_cast<std::uint64_t>(request.arrival_ns - last_ns_));
  last_ns_ = request.arrival_ns;
  for (Windows& each : windows) each.add(request.arrival_ns - first_ns_);
  if (request.service_ns) outstanding.add(request.arrival_ns, *request.service_ns);
}

std::optional<double> Statistics::rate_hz() const {
  const bool known = open() || services_ns.count() == requests();
  const Nanoseconds took_ns = open() ? span_ns() : closed_ns_;
  if (!known || took_ns <= 0) return std::nullopt;
  return static_cast<double>(pairs()) * 1e9 / static_cast<double>(took_ns);
}

Statistics statistics_of(Reader& reader) {
  Statistics statistics(reader.source());
  std::vector<Request> requests(4096);
  while (const std::size_t count = reader.read(requests))
    for (std::size_t i = 0; i < count; ++i) statistics.add(requests[i]);
  statistics.finish();
  return statistics;
}

}  // namespace platter::trace
