#include "extract/unexplained.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "estimate/samples.h"
#include "model/stand_ins.h"
#include "statistics/robust.h"

namespace platter::extract {
namespace {

double longest_seek_ms(const model::Seek& curve) {
  double longest = 0;
  for (const model::SeekPoint& point : curve.points) longest = std::max(longest, point.time_ms);
  return longest;
}

}  // namespace

double longest_of_one_block_ms(const model::DriveModel& model) {
  double seek_ms = longest_seek_ms(model.seek);
  if (model.outward_seek) seek_ms = std::max(seek_ms, longest_seek_ms(*model.outward_seek));
  if (model.write_seek) seek_ms = std::max(seek_ms, longest_seek_ms(*model.write_seek));
  const double period_ms = model::revolution_ns(model.rotation) * 1e-6;
  return seek_ms + acting(model, model.head_switch) +
         std::max(0.0, acting(model, model.write_settle).value) +
         acting(model, model.overheads.read_miss_after_read) + 2 * period_ms;
}

double Pauses::share(double apart_ms) const {
  if (paused == 0 || observed_s <= 0) return 0;
  const double by_clock = static_cast<double>(paused) / observed_s * apart_ms * 1e-3;
  const double by_work = static_cast<double>(paused) / static_cast<double>(commands);
  return std::min(std::max(by_clock, by_work), 1.0);
}

double Pauses::demerit_ms(double apart_ms) const { return std::sqrt(share(apart_ms)) * mean_ms; }

Pauses pauses_of(const estimate::Samples& samples, const model::DriveModel& model) {
  Pauses pauses;
  if (model.rotation.numerator_ns == 0 || samples.empty()) return pauses;
  const double longest = longest_of_one_block_ms(model);
  const double period_ms = model::revolution_ns(model.rotation) * 1e-6;
  std::vector<double> gaps_s, beyond_ms;
  std::optional<double> last_s;  // that one waited, in the same session
  const estimate::Sample *first = &samples.front(), *before = first;
  const auto observed_s = [&] {
    return static_cast<double>(before->completed_ns - first->issued_ns) * 1e-9;
  };
  for (const estimate::Sample& sample : samples) {
    ++pauses.commands;
    if (sample.session != first->session) {
      pauses.observed_s += observed_s();
      first = &sample;
      last_s.reset();
    }
    before = &sample;
    const double took_ms = to_ms(sample.completed_ns - sample.issued_ns);
    // Many blocks take their time on the media and on the bus.
    if (took_ms <=
        longest + sample.blocks * (acting(model, model.bus.block_transfer) + 0.1 * period_ms))
      continue;
    const double time_s = static_cast<double>(sample.issued_ns) * 1e-9;
    if (last_s) gaps_s.push_back(time_s - *last_s);
    last_s = time_s;
    beyond_ms.push_back(took_ms - (longest - 2 * period_ms) / 2 - period_ms / 2);
  }
  pauses.paused = beyond_ms.size();
  pauses.observed_s += observed_s();
  if (beyond_ms.empty()) return pauses;
  for (const double ms : beyond_ms) pauses.mean_ms += ms / static_cast<double>(beyond_ms.size());
  if (!gaps_s.empty()) pauses.every_s = statistics::median(gaps_s);
  return pauses;
}

std::optional<std::string> told(const Pauses& pauses, double request_ms, bool by_drive) {
  if (pauses.paused == 0) return std::nullopt;
  std::string text = fmt::format(
      "{} of {} timed commands waited about {:.0f} ms for something that the drive does on its own "
      "(as a recalibration){}",
      pauses.paused, pauses.commands, pauses.mean_ms,
      by_drive ? "" : ", or its host: nothing tells which");
  if (pauses.every_s) text += fmt::format(", {:.1f} s apart", *pauses.every_s);
  text += ", which this model does not have";
  if (request_ms > 0)
    text += fmt::format(
        ": of random requests that alone is a demerit of about {:.2f} % of the mean",
        100 * pauses.demerit_ms(request_ms) / request_ms);
  return text;
}

std::optional<std::string> what_remains(const replay::Result& drive, const replay::Result& model,
                                        const engine::LayoutMap& map, std::size_t from,
                                        double period_ms) {
  struct Kind {
    const char* name;
    std::size_t all = 0, off = 0;
  };
  std::array<Kind, 4> kinds{{{"reads within a track"},
                             {"reads over the end of a track"},
                             {"writes within a track"},
                             {"writes over the end of a track"}}};
  std::size_t off = 0, all = 0;
  for (std::size_t i = from; i < drive.requests.size(); ++i) {
    const replay::Response& request = drive.requests[i];
    // Behind one that was late on the model, the next one waits for it.
    if (i > 0 && model.requests[i - 1].completion_ns() > request.issue_ns) continue;
    ++all;
    const auto track_of = [&map](std::uint64_t lbn) {
      return map.track_of_slot(map.slot_of_lbn(lbn)).first_slot;
    };
    const bool over = track_of(request.lbn) != track_of(request.lbn + request.blocks - 1);
    Kind& kind = kinds[(request.write ? 2 : 0) + (over ? 1 : 0)];
    ++kind.all;
    if (std::abs(to_ms(model.requests[i].response_ns - request.response_ns)) < period_ms / 2)
      continue;
    ++kind.off;
    ++off;
  }
  constexpr double kWorthTelling = 0.01;
  constexpr std::size_t kFewest = 3;
  if (off < kFewest || static_cast<double>(off) < kWorthTelling * static_cast<double>(all))
    return std::nullopt;
  std::vector<std::string> parts;
  for (const Kind& kind : kinds)
    if (kind.off > 0) parts.push_back(fmt::format("{} of {} {}", kind.off, kind.all, kind.name));
  return fmt::format("{} of {} requests are off by a revolution or more: {}", off, all,
                     fmt::join(parts, ", "));
}

std::optional<std::string> what_takes_longer(const replay::Result& drive,
                                             const replay::Result& model, std::size_t from,
                                             double period_ms) {
  constexpr double kLater_rev = 3;
  double longest_ms = 0, drives_longest_ms = 0;
  for (const replay::Response& request : model.requests)
    longest_ms = std::max(longest_ms, to_ms(request.response_ns));
  std::size_t later = 0, all = 0;
  for (std::size_t i = from; i < drive.requests.size(); ++i, ++all) {
    const double took_ms = to_ms(drive.requests[i].response_ns);
    drives_longest_ms = std::max(drives_longest_ms, took_ms);
    later += took_ms > longest_ms + kLater_rev * period_ms ? 1 : 0;
  }
  if (later == 0) return std::nullopt;
  return fmt::format(
      "{} of {} requests took up to {:.0f} ms, and the model answers each within {:.0f} ms: the "
      "drive does "
      "something then that this model does not have",
      later, all, drives_longest_ms, longest_ms);
}

}  // namespace platter::extract
