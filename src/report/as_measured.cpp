#include "report/as_measured.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "engine/layout_map.h"
#include "model/parameters.h"
#include "model/seek_curve.h"
#include "model/stand_ins.h"
#include "statistics/robust.h"

namespace platter::report {
namespace {

using model::Parameter;

constexpr std::size_t kGrid = 300;  // quantiles of a distribution

// The normal distribution's quantile.
double normal_quantile(double share) {
  double low = -9, high = 9;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::numbers::sqrt2) < share ? low : high) = middle;
  }
  return low;
}

// What host and positioning noise add to each time. An MTBRC is the time that half of the accesses
// make, from issue to the mean completion; the host takes half of its delay before the drive has
// the command, half behind it.
class Delays {
 public:
  explicit Delays(const model::Imperfections& noise) {
    const double median_ms = noise.host_delay_median_us / 1e3;
    const double sigma = median_ms > 0 && noise.host_delay_p99_us > noise.host_delay_median_us
                             ? std::log(noise.host_delay_p99_us / noise.host_delay_median_us) /
                                   normal_quantile(0.99)
                             : 0;
    for (std::size_t i = 0; i < kGrid; ++i) {
      const double z = normal_quantile((static_cast<double>(i) + 0.5) / kGrid);
      before_ms_.push_back(median_ms / 2 * std::exp(sigma * z));
      positioning_ms_.push_back(noise.positioning_sigma_us / 1e3 * z);
    }
    host_ms_ = median_ms;
    after_ms_ = median_ms / 2 * std::exp(sigma * sigma / 2);
    far_ms_ = of_half(kFar_ms, 0) - kFar_ms;
  }

  double host_ms() const { return host_ms_; }
  // Of SEEK commands that move nothing, which positioning noise does not disturb.
  double far_ms() const { return far_ms_; }

  // What half of the accesses make whose arm moves for `move_ms` and whose data take `bus_ms`.
  double of_half(double move_ms, double bus_ms) const {
    const double least = positioning_ms_.front();
    if (far_ms_ > 0 && move_ms + least > bus_ms && move_ms > -least) return move_ms + far_ms_;
    std::vector<double> all;
    all.reserve(before_ms_.size() * positioning_ms_.size());
    for (const double positioning : positioning_ms_) {
      const double ready = std::max({move_ms + positioning, 0.0, bus_ms});
      for (const double before : before_ms_) all.push_back(before + ready);
    }
    return after_ms_ + statistics::median(all);
  }

 private:
  static constexpr double kFar_ms = 10;  // so far that no noise is cut off

  std::vector<double> before_ms_{}, positioning_ms_{};
  double host_ms_ = 0, after_ms_ = 0, far_ms_ = 0;
};

struct Eight {
  Parameter model::Overheads::*member;
  bool write, hit;
};

using O = model::Overheads;
constexpr Eight kEight[] = {
    {&O::read_hit_after_read, false, true},   {&O::read_hit_after_write, false, true},
    {&O::read_miss_after_read, false, false}, {&O::read_miss_after_write, false, false},
    {&O::write_hit_after_read, true, true},   {&O::write_hit_after_write, true, true},
    {&O::write_miss_after_read, true, false}, {&O::write_miss_after_write, true, false}};

// Into the eight: the error of the one is in that of the other.
void fold_per_request(model::Overheads& overheads) {
  const Parameter common = overheads.per_request;
  if (!common) return;
  for (const Eight& each : kEight) {
    Parameter& one = overheads.*each.member;
    if (!one) continue;
    *one.value += *common.value;
    if (one.error && common.error)
      one.error = std::sqrt(std::max(0.0, *one.error * *one.error - *common.error * *common.error));
  }
  overheads.per_request = model::absent("it is in the eight overheads");
}

bool is_by_commands(const model::DriveModel& measured) {
  return measured.seek.method.starts_with("SEEK commands");
}

class Truth {
 public:
  Truth(const model::DriveModel& truth, const model::DriveModel& measured)
      : truth_(truth),
        measured_(measured),
        delays_(*truth.imperfections),
        by_commands_(is_by_commands(measured)),
        still_ms_(by_commands_ ? delays_.far_ms() : delays_.of_half(0, 0)),
        write_bus_ms_(model::acting(truth, truth.bus.write_block_transfer)),
        write_still_ms_(delays_.of_half(0, write_bus_ms_)) {}

  model::DriveModel as_measured() const {
    model::DriveModel seen = truth_;
    see_overheads(seen.overheads);
    if (seen.head_switch) seen.head_switch.value = moved(*truth_.head_switch.value);
    see_settle(seen);
    see_seek(seen.seek, measured_.seek);
    if (seen.outward_seek && measured_.outward_seek)
      see_seek(*seen.outward_seek, *measured_.outward_seek);
    return seen;
  }

 private:
  double moved(double ms) const { return delays_.of_half(ms, 0) - still_ms_; }

  void see_overheads(model::Overheads& seen) const {
    const model::Overheads& is = truth_.overheads;
    const double read_hit = model::acting(is, is.data_preparation) +
                            model::acting(is, is.read_completion);
    const double writing = model::acting(is, is.first_reselect) +
                           model::acting(is, is.write_completion);
    const bool bus_is_known = measured_.bus.block_transfer.value.has_value();
    for (const Eight& each : kEight) {
      Parameter& one = seen.*each.member;
      if (!one) continue;
      *one.value += model::acting(is, is.per_request);
      if (each.write)
        *one.value += writing + (each.hit ? delays_.host_ms() : write_still_ms_ - write_bus_ms_);
      else if (each.hit)
        *one.value += read_hit + delays_.host_ms();
      else
        *one.value += read_hit + model::acting(is, is.first_reselect) + still_ms_ +
                      (bus_is_known ? 0 : model::acting(truth_, truth_.bus.block_transfer).value);
    }
    for (Parameter O::*part : {&O::per_request, &O::data_preparation, &O::read_completion,
                               &O::first_reselect, &O::write_completion})
      seen.*part = model::absent("it is in the eight overheads");
  }

  void see_settle(model::DriveModel& seen) const {
    if (!truth_.write_settle) return;
    const bool over_cylinder = measured_.write_settle.method.find("next cylinder") !=
                               std::string::npos;
    const std::optional<double> step = over_cylinder && !truth_.seek.points.empty()
                                           ? model::seek_time_ms(truth_.seek, 1)
                                           : truth_.head_switch.value;
    if (!step) return;
    double settle = *truth_.write_settle.value;
    if (over_cylinder && truth_.write_seek) settle = truth_.write_seek->points[0].time_ms - *step;
    seen.write_settle.value = delays_.of_half(*step + settle, write_bus_ms_) - write_still_ms_ -
                              moved(*step) + write_bus_ms_;
  }

  // At the measured distances: between its points a measured curve claims nothing.
  void see_seek(model::Seek& seen, const model::Seek& measured) const {
    if (seen.points.empty() || measured.points.empty()) return;
    const model::Seek is = seen;
    seen.points.clear();
    for (const model::SeekPoint& point : measured.points) {
      model::SeekPoint at;
      at.cylinders = point.cylinders;
      at.time_ms = moved(model::seek_time_ms(is, point.cylinders));
      seen.points.push_back(at);
    }
  }

  const model::DriveModel& truth_;
  const model::DriveModel& measured_;
  Delays delays_;
  bool by_commands_;
  double still_ms_, write_bus_ms_, write_still_ms_;
};

// What differs and shows in nothing that the drive does.
std::map<std::string, std::string> not_judged(const model::DriveModel& measured,
                                              const model::DriveModel& truth) {
  std::map<std::string, std::string> why;
  const model::Cache &is = truth.cache, &found = measured.cache;
  if (model::acting(is, is.read_ahead) != static_cast<double>(model::ReadAhead::to_segment_full) ||
      model::acting(is, is.read_ahead_max_blocks) > 0)
    why["cache.read_ahead_over_requested"] = "another end of read-ahead comes first";
  if (model::acting(is, is.destage_behind) == 0) {
    why["cache.write_back_level"] = "1 and 2 are the same where one write waits at a time";
    if (model::acting(is, is.separate_write_segment) == 0)
      why["cache.write_segments"] = "one write waits at a time, whatever their number";
  }
  if ((model::acting(found, found.write_back_level) > 0) !=
      (model::acting(is, is.write_back_level) > 0))
    why.erase("cache.write_back_level");
  if (model::acting(truth, truth.queue.policy) == 1)
    why["queue.depth"] = "first come, first served: how many wait in the drive does not show";
  if (!measured.layout.zones.empty() && !truth.layout.zones.empty() &&
      engine::LayoutMap(measured.layout).blocks() >= measured.identity.blocks)
    why["identity.cylinders"] = "those that hold blocks are compared as tracks";
  if (model::acting(truth, truth.overheads.extra_write_disconnect) > 0)
    for (const char* path : {"write_settle", "overheads.write_miss_after_read",
                             "overheads.write_miss_after_write", "overheads.minimum_seek_delay"})
      why[path] = "some writes leave the bus once more: these are sums of other parts";
  const auto without_error = [&](const char* path, const Parameter& parameter) {
    if (parameter && !parameter.error) why[path] = "the measured one states no error";
  };
  without_error("overheads.address_translation", measured.overheads.address_translation);
  return why;
}

}  // namespace

bool are_truth_and_measured(const model::DriveModel& a, const model::DriveModel& b) {
  return !a.imperfections && a.provenance.method == "characterized" && b.imperfections;
}

Comparable comparable(const model::DriveModel& measured, const model::DriveModel& truth) {
  Comparable both{measured, Truth(truth, measured).as_measured(), not_judged(measured, truth)};
  fold_per_request(both.measured.overheads);
  both.measured.overheads.per_request = both.truth.overheads.per_request;
  return both;
}

}  // namespace platter::report
