#include "extract/uneven_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "estimate/phase_drift.h"
#include "estimate/rotation.h"
#include "estimate/samples.h"
#include "estimate/sector_end.h"
#include "extract/unexplained.h"
#include "statistics/circular.h"
#include "statistics/robust.h"

namespace platter::extract {
namespace {

constexpr double kAtPassage_rev = 0.06;

std::string how_often(std::size_t count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

}  // namespace

model::Notes told(const std::vector<mtbrc::TimeJump>& jumps) {
  constexpr const char* kTied = "; each time what was measured was tied together anew";
  std::vector<double> slept_s, stepped_ms;
  for (const mtbrc::TimeJump& jump : jumps)
    if (jump.kind == mtbrc::TimeJump::Kind::slept)
      slept_s.push_back(to_ms(jump.by_ns) * 1e-3);
    else
      stepped_ms.push_back(to_ms(jump.by_ns));
  model::Notes notes;
  if (!slept_s.empty())
    notes.emplace_back(
        model::Code::host_slept,
        fmt::format("the host slept {} while the run lasted, the longest time {:.1f} "
                    "s, and its clock stood still{}",
                    how_often(slept_s.size()), std::ranges::max(slept_s), kTied));
  if (!stepped_ms.empty())
    notes.emplace_back(
        model::Code::clock_stepped,
        fmt::format("the clock stepped {} while the run lasted, by {:+.2f} ms less whole "
                    "revolutions (median): the reference sector passed so much later{}",
                    how_often(stepped_ms.size()), statistics::median(stepped_ms), kTied));
  return notes;
}

Passages::Passages(const estimate::Samples& samples, const model::DriveModel& model,
                   const engine::LayoutMap& map)
    : model_(model),
      map_(map),
      reference_(estimate::reference_lbn(samples)),
      drift_(samples, model.rotation) {
  if (reference_ && *reference_ >= map.blocks()) reference_.reset();
}

std::optional<bool> Passages::at(std::uint64_t last_lbn, Nanoseconds completed_ns,
                                 std::uint32_t session) const {
  if (!reference_ || last_lbn >= map_.blocks() || !drift_.knows(session)) return std::nullopt;
  const double phase = estimate::phase_rev(model_.rotation, completed_ns) -
                       drift_.at_rev(completed_ns, session);
  return std::abs(statistics::wrap_rev(phase - estimate::sector_end_rev(map_, last_lbn) +
                                       estimate::sector_end_rev(map_, *reference_))) <
         kAtPassage_rev;
}

bool LateAnswers::only_by_host() const {
  constexpr double kByChance = 0.05;
  if (by_drive == 0 && by_host_of_cache > 0) return true;
  if (by_host == 0) return false;
  const auto all = static_cast<double>(by_host + by_drive);
  double term = std::pow(1 - 2 * kAtPassage_rev, all), fewer = 0;  // binomial distribution
  for (std::size_t k = 0; k < by_drive; ++k) {
    fewer += term;
    term *= (all - static_cast<double>(k)) / static_cast<double>(k + 1) * 2 * kAtPassage_rev /
            (1 - 2 * kAtPassage_rev);
  }
  return 1 - fewer > kByChance;
}

LateAnswers late_answers(const estimate::Samples& samples, const model::DriveModel& model,
                         const engine::LayoutMap& map) {
  LateAnswers late;
  const Passages passages(samples, model, map);
  if (!passages.has_reference()) return late;
  const double longest_ms = longest_of_one_block_ms(model);
  for (const estimate::Sample& s : samples) {
    const double took_ms = to_ms(s.completed_ns - s.issued_ns);
    if (took_ms <= longest_ms || s.experiment == estimate::Experiment::disturbed) continue;
    const bool of_media = s.blocks > 0;
    if (!of_media && s.experiment != estimate::Experiment::round_trip) continue;
    const auto passed = of_media ? passages.at(s.lbn + s.blocks - 1, s.completed_ns, s.session)
                                 : false;
    if (!passed) continue;
    if (!*passed && s.experiment == estimate::Experiment::hit)
      ++late.by_host_of_cache;
    else
      ++(*passed ? late.by_drive : late.by_host);
    if (!*passed) late.longest_ms = std::max(late.longest_ms, took_ms);
  }
  return late;
}

}  // namespace platter::extract
