#include "replay/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "model/printable.h"
#include "replay/share_text.h"

namespace platter::replay {
namespace {

const ClassMetrics& all_of(const Judged& judged) { return judged.comparison.classes.front(); }

std::string time_text(double ms) {
  return ms < 0.1 ? fmt::format("{:.0f} us", ms * 1e3) : fmt::format("{:.2f} ms", ms);
}

// The workload that single requests are judged by: without a cache in between.
const Judged* random_of(std::span<const Judged> judged) {
  const auto found = std::ranges::find(judged, "random", &Judged::workload);
  return found == judged.end() ? nullptr : &*found;
}

std::string verdict(std::span<const Judged> judged) {
  std::string text = model::printable(judged.front().model);
  const Judged* random = random_of(judged);
  const auto phase = random ? all_of(*random).folded_phase_share : std::nullopt;
  if (phase && all_of(*random).paired)
    text += fmt::format("{}: median error {}, {} in phase; ",
                        model::quality_of_phase(*phase) == model::Quality::poor
                            ? " does not know where the platter is, so that single requests are "
                              "not predicted"
                            : " predicts single requests",
                        time_text(all_of(*random).paired->p50_ms),
                        share_text(*phase, all_of(*random).phase_n));
  else
    text += ": ";
  text += "demerit";
  for (std::size_t i = 0; i < judged.size(); ++i)
    text += fmt::format("{} {} {:.1f} %", i == 0 ? "" : ",", judged[i].workload,
                        all_of(judged[i]).demerit_percent);
  return text + fmt::format(" of {} requests each: {}\n", all_of(judged.front()).n_drive,
                            model::name_of(quality_of(judged)));
}

}  // namespace

model::Quality quality_of(std::span<const Judged> judged) {
  model::Quality quality = model::Quality::good;
  for (const Judged& each : judged)
    quality = std::max(quality,
                       model::quality_of_demerit(each.workload, all_of(each).demerit_percent));
  if (const Judged* random = random_of(judged))
    if (const auto phase = all_of(*random).folded_phase_share)
      quality = std::max(quality, model::quality_of_phase(*phase));
  return quality;
}

std::string verdicts(std::span<const Judged> judged) {
  std::string text;
  std::vector<std::string> told;
  for (const Judged& first : judged) {
    const std::string& model = first.model;
    if (std::ranges::find(told, model) != told.end()) continue;
    told.push_back(model);
    std::vector<Judged> of_model;
    for (const Judged& each : judged)
      if (each.model == model) of_model.push_back(each);
    text += verdict(of_model);
  }
  return text;
}

std::string overview(std::span<const Judged> judged) {
  std::size_t width = 5;
  for (const Judged& each : judged) width = std::max(width, each.model.size());
  width = std::min<std::size_t>(width, 40);
  std::string text = fmt::format("{:<8} {:<{}} {:>8} {:>8} {:>8} {:>5} {:>8} {:>7} {:>6}\n",
                                 "workload", "model", width, "drive ms", "model ms", "demerit", "%",
                                 "RMS", "phase %", "hits %");
  for (const Judged& each : judged) {
    const ClassMetrics& all = all_of(each);
    const auto percent = [](const std::optional<double>& share) {
      return share ? fmt::format("{:.1f}", 100 * *share) : std::string("-");
    };
    const auto error = [&all](double PairedError::*member) {
      return all.paired ? fmt::format("{:.3f}", *all.paired.*member) : std::string("-");
    };
    text += fmt::format("{:<8} {:<{}} {:>8.3f} {:>8.3f} {:>8.3f} {:>5.1f} {:>8} {:>7} {:>6}\n",
                        each.workload, model::printable(each.model).substr(0, width), width,
                        all.mean_drive_ms, all.mean_model_ms, all.demerit_ms, all.demerit_percent,
                        error(&PairedError::rms_ms), percent(all.folded_phase_share),
                        percent(all.hits_agreed_share));
  }
  return text;
}

}  // namespace platter::replay
