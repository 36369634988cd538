#include "trace/statistics.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/json_head.h"
#include "model/pretty.h"

namespace platter::trace {
namespace {

constexpr std::uint64_t kLocalBlocks = 500;

double ratio(double sum, std::uint64_t count) {
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace

Statistics statistics_of(const Trace& trace) {
  Statistics result;
  result.name = trace.name;
  result.kind = trace.kind;
  result.requests = trace.requests.size();
  result.first_lbn = ~std::uint64_t{0};
  result.min_blocks = ~0u;
  double blocks = 0, gaps_ms = 0, services_ms = 0;
  std::uint64_t sequential = 0, local = 0;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const Request& request = trace.requests[i];
    ++(request.write ? result.writes : result.reads);
    result.first_lbn = std::min(result.first_lbn, request.lbn);
    result.last_lbn = std::max(result.last_lbn, request.lbn + request.blocks - 1);
    result.min_blocks = std::min(result.min_blocks, request.blocks);
    result.max_blocks = std::max(result.max_blocks, request.blocks);
    blocks += request.blocks;
    if (request.service_ns) {
      ++result.measured;
      services_ms += to_ms(*request.service_ns);
    }
    if (i == 0) continue;
    const Request& before = trace.requests[i - 1];
    gaps_ms += to_ms(trace.kind == Kind::open ? request.arrival_ns - before.arrival_ns
                                                   : before.think_ns);
    const std::uint64_t apart =
        std::max(request.lbn, before.lbn) - std::min(request.lbn, before.lbn);
    if (request.lbn == before.lbn + before.blocks)
      ++sequential;
    else if (apart <= kLocalBlocks)
      ++local;
  }
  const std::uint64_t pairs = result.requests - std::min<std::uint64_t>(1, result.requests);
  result.mean_blocks = ratio(blocks, result.requests);
  result.sequential_share = ratio(static_cast<double>(sequential), pairs);
  result.local_share = ratio(static_cast<double>(local), pairs);
  result.mean_gap_ms = ratio(gaps_ms, pairs);
  result.mean_service_ms = ratio(services_ms, result.measured);
  return result;
}

std::string to_json(const Statistics& statistics) {
  nlohmann::ordered_json json = model::json_head("platter-trace-statistics");
  json["name"] = statistics.name;
  json["kind"] = statistics.kind == Kind::open ? "open" : "closed";
  json["requests"] = statistics.requests;
  json["reads"] = statistics.reads;
  json["writes"] = statistics.writes;
  json["first_lbn"] = statistics.first_lbn;
  json["last_lbn"] = statistics.last_lbn;
  json["min_blocks"] = statistics.min_blocks;
  json["mean_blocks"] = statistics.mean_blocks;
  json["max_blocks"] = statistics.max_blocks;
  json["sequential_share"] = statistics.sequential_share;
  json["local_share"] = statistics.local_share;
  json["mean_gap_ms"] = statistics.mean_gap_ms;
  json["measured"] = statistics.measured;
  if (statistics.measured > 0) json["mean_service_ms"] = statistics.mean_service_ms;
  return model::pretty(json);
}

std::string to_text(const Statistics& statistics) {
  const bool open = statistics.kind == Kind::open;
  std::string text = fmt::format(
      "{} is {}: {} requests, {} reads and {} writes of {} to {} blocks (mean {:.1f}), LBN {} to "
      "{}.\n{:.1f} % are sequential, {:.1f} % more within 500 LBNs of the one before. Mean {}: {:.3f} "
      "ms.\n",
      statistics.name, open ? "an open trace" : "a closed trace", statistics.requests,
      statistics.reads, statistics.writes, statistics.min_blocks, statistics.max_blocks,
      statistics.mean_blocks, statistics.first_lbn, statistics.last_lbn,
      100 * statistics.sequential_share, 100 * statistics.local_share,
      open ? "time between arrivals" : "think time", statistics.mean_gap_ms);
  if (statistics.measured > 0)
    text += fmt::format("{} service times were measured, mean {:.3f} ms.\n", statistics.measured,
                        statistics.mean_service_ms);
  return text;
}

}  // namespace platter::trace
