#include "replay/schedule.h"

#include <algorithm>

namespace platter::replay {
namespace {

constexpr std::uint64_t kReferenceStep = 8192;  // blocks

Nanoseconds play_references(Player& player, const std::vector<std::uint64_t>& references,
                            std::vector<Response>& rows) {
  rows.clear();
  for (const std::uint64_t lbn : references)
    rows.push_back(
        {.lbn = lbn, .due_ns = static_cast<Nanoseconds>(rows.size()) * kReferencePause_ns});
  for (std::size_t i = 0; i < rows.size(); ++i) player.issue(rows, i, 1);
  return std::max(player.finish(rows), static_cast<Nanoseconds>(rows.size()) * kReferencePause_ns);
}

}  // namespace

std::vector<std::uint64_t> reference_lbns(std::uint64_t blocks, std::uint32_t count) {
  const std::uint64_t step = std::min<std::uint64_t>(kReferenceStep, blocks / (2 * (count + 1)));
  std::vector<std::uint64_t> lbns;
  for (std::uint32_t i = 0; i < count; ++i) lbns.push_back(blocks / 2 + (count - 1 - i) * step);
  return lbns;
}

void play(Player& player, const trace::Trace& trace, std::vector<std::uint64_t> references, Result& result,
          const Progress& progress) {
  const Nanoseconds start_ns = play_references(player, references, result.reference);
  result.requests.clear();
  result.requests.reserve(trace.requests.size());
  for (const trace::Request& request : trace.requests)
    result.requests.push_back({.lbn = request.lbn,
                               .blocks = request.blocks,
                               .write = request.write,
                               .due_ns = start_ns + request.arrival_ns});
  const bool closed = trace.kind == trace::Kind::closed;
  for (std::size_t i = 0; i < result.requests.size(); ++i) {
    player.issue(result.requests, i, result.depth);
    if (closed && i + 1 < result.requests.size())
      result.requests[i + 1].due_ns =
          player.finish(result.requests) + trace.requests[i].think_ns;
    if (progress) progress(i + 1, result.requests.size());
  }
  player.finish(result.requests);
}

}  // namespace platter::replay
