#include "extract/suspects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "model/units.h"
#include "statistics/regression.h"

namespace platter::extract {
namespace {

constexpr double kSigmas = 3.5;  // one of some thousand groups by chance
constexpr std::size_t kFewest = 3;

struct Judged {
  bool write = false, over_end = false;
  std::uint32_t blocks = 0;
  std::int64_t distance = 0;  // cylinders from the end of the request before
  double late_ms = 0;         // the model's completion less the drive's, but for whole revolutions
  bool waited = false;        // on the model for the one before, which was late
  bool off = false;           // by a revolution
};

std::vector<Judged> judged(const replay::Result& drive, const replay::Result& answers,
                           const engine::LayoutMap& map, std::size_t from, double period_ms) {
  const auto track = [&map](std::uint64_t lbn) { return map.track_of_slot(map.slot_of_lbn(lbn)); };
  std::vector<Judged> result;
  for (std::size_t i = std::max<std::size_t>(from, 1); i < drive.requests.size(); ++i) {
    const replay::Response &request = drive.requests[i], &before = drive.requests[i - 1];
    const engine::Track first = track(request.lbn), last = track(request.lbn + request.blocks - 1),
                        arm = track(before.lbn + before.blocks - 1);
    Judged& one = result.emplace_back();
    one.write = request.write;
    one.over_end = first.first_slot != last.first_slot;
    one.blocks = request.blocks;
    one.distance = std::abs(std::int64_t{first.cylinder} - std::int64_t{arm.cylinder});
    const double late_ms = to_ms(answers.requests[i].completion_ns() - request.completion_ns());
    one.late_ms = std::remainder(late_ms, period_ms);
    one.waited = answers.requests[i - 1].completion_ns() > request.issue_ns;
    one.off = !one.waited && std::abs(late_ms) > period_ms / 2;
  }
  return result;
}

void add_absent(const model::DriveModel& model, std::vector<std::string>& found) {
  const auto add = [&found](const model::Parameter& parameter, const char* name) {
    if (!parameter)
      found.push_back(fmt::format("{} is not known ({}) and counts as 0", name, parameter.reason));
  };
  add(model.bus.block_transfer, "the bus time of a block");
  add(model.overheads.read_miss_after_read, "the overhead of a read miss");
  add(model.head_switch, "the head switch");
}

// How much later they are for each block.
void add_bus(const std::vector<Judged>& requests, double period_ms,
             std::vector<std::string>& found) {
  constexpr double kMatters_rev = 0.002;
  std::vector<double> blocks, late_ms;
  for (const Judged& one : requests) {
    if (one.write || one.over_end) continue;
    blocks.push_back(one.blocks);
    late_ms.push_back(one.late_ms);
  }
  if (blocks.size() < 20) return;
  const auto line = statistics::huber_line(blocks, late_ms);
  if (!line) return;
  const double slope_ms = line->coefficients[1], error_ms = std::sqrt(line->covariance.at(1, 1));
  const double spread = *std::ranges::max_element(blocks) - *std::ranges::min_element(blocks);
  if (std::abs(slope_ms) < kSigmas * error_ms ||
      std::abs(slope_ms) * spread < kMatters_rev * period_ms)
    return;
  found.push_back(fmt::format(
      "the bus time of a block ({:+.4f} +- {:.4f} ms would foretell better)", -slope_ms, error_ms));
}

struct Group {
  std::string name;
  std::size_t all = 0, off = 0;
};

// Whether one group is off more often than the others, in standard errors of their difference.
double sigmas(const Group& group, std::size_t all, std::size_t off) {
  const auto n = static_cast<double>(group.all), others = static_cast<double>(all - group.all);
  if (n == 0 || others == 0) return 0;
  const double share = static_cast<double>(off) / static_cast<double>(all);
  const double error = std::sqrt(share * (1 - share) * (1 / n + 1 / others));
  if (error == 0) return 0;
  return (static_cast<double>(group.off) / n - static_cast<double>(off - group.off) / others) /
         error;
}

void add_groups(std::vector<Judged> requests, std::vector<std::string>& found) {
  std::erase_if(requests, [](const Judged& one) { return one.waited; });
  if (requests.empty()) return;
  std::vector<std::int64_t> distances;
  std::size_t off = 0;
  for (const Judged& one : requests) {
    distances.push_back(one.distance);
    off += one.off ? 1 : 0;
  }
  if (off < kFewest) return;
  std::ranges::sort(distances);
  const std::int64_t third = distances[distances.size() / 3],
                     two_thirds = distances[2 * distances.size() / 3];
  std::vector<Group> groups{{fmt::format("seeks over up to {} cylinders", third)},
                            {fmt::format("seeks over {} to {} cylinders", third, two_thirds)},
                            {fmt::format("seeks over more than {} cylinders", two_thirds)},
                            {"writes"},
                            {"switches and skews, at ends of tracks"}};
  const auto count = [](Group& group, bool is_in, bool is_off) {
    group.all += is_in ? 1 : 0;
    group.off += is_in && is_off ? 1 : 0;
  };
  for (const Judged& one : requests) {
    count(groups[0], one.distance <= third, one.off);
    count(groups[1], one.distance > third && one.distance <= two_thirds, one.off);
    count(groups[2], one.distance > two_thirds, one.off);
    count(groups[3], one.write, one.off);
    count(groups[4], one.over_end, one.off);
  }
  std::ranges::sort(groups, std::greater<>(),
                    [&](const Group& group) { return sigmas(group, requests.size(), off); });
  for (const Group& group : groups) {
    if (group.off < kFewest || sigmas(group, requests.size(), off) < kSigmas) continue;
    found.push_back(fmt::format("{} ({} of {} requests are off by a revolution, {} of {} others)",
                                group.name, group.off, group.all, off - group.off,
                                requests.size() - group.all));
  }
}

}  // namespace

std::vector<std::string> suspects(const replay::Result& drive, const replay::Result& answers,
                                  const model::DriveModel& model, const engine::LayoutMap& map,
                                  std::size_t from) {
  const double period_ms = model::revolution_ns(model.rotation) * 1e-6;
  const std::vector<Judged> requests = judged(drive, answers, map, from, period_ms);
  std::vector<std::string> found;
  add_absent(model, found);
  add_bus(requests, period_ms, found);
  add_groups(requests, found);
  return found;
}

}  // namespace platter::extract
