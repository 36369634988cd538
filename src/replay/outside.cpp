#include "replay/outside.h"

#include <fmt/format.h>

#include <vector>

#include "engine/outside.h"

namespace platter::replay {

void OutsideCount::add(std::uint64_t lbn, std::uint32_t blocks, bool write, std::uint64_t beside) {
  const engine::OutsideOfChecked outside = engine::outside_of(validity_, lbn, blocks, write);
  const bool depth = depth_counts_ && engine::is_too_deep(validity_, beside);
  all_ += outside.any() || depth;
  by_.place += outside.place;
  by_.size += outside.size;
  (write ? by_.writes : by_.reads) += outside.kind;
  by_.depth += depth;
}

std::string outside_text(std::uint64_t all, const Outside& by, std::uint64_t requests) {
  if (all == 0) return "";
  std::vector<std::string> parts;
  const auto add = [&parts](std::uint64_t count, const char* what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(by.place, "at blocks that were not checked");
  add(by.size, "of sizes that were not checked");
  add(by.reads, "reads, of which none was checked");
  add(by.depth, "with more outstanding than was checked");
  if (by.writes > 0)
    parts.push_back(fmt::format(
        "{} writes ({:.0f} % of the trace), of which none was checked: their times may be wrong "
        "several times over; characterize the drive with --allow-writes",
        by.writes, 100.0 * static_cast<double>(by.writes) / static_cast<double>(requests)));
  const std::string reasons = parts.empty() ? "" : fmt::format(": {}", fmt::join(parts, ", "));
  return fmt::format("{} requests lie outside what the model measured{}\n", all, reasons);
}

}  // namespace platter::replay
