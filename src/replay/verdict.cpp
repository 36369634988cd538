#include "replay/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "model/printable.h"
#include "replay/share_text.h"
#include "replay/validate.h"

namespace platter::replay {
namespace {

const ClassMetrics& all_of(const Judged& judged) { return judged.comparison.classes.front(); }

std::string time_text(double ms) {
  return ms < 0.1 ? fmt::format("{:.0f} us", ms * 1e3) : fmt::format("{:.2f} ms", ms);
}

std::optional<double> error_percent_of(const ClassMetrics& all) {
  if (!all.demerit_error_ms || !(all.mean_drive_ms > 0)) return std::nullopt;
  return 100 * *all.demerit_error_ms / all.mean_drive_ms;
}

std::string demerit_text(const ClassMetrics& all) {
  const auto error_percent = error_percent_of(all);
  return error_percent ? fmt::format("{:.1f} +- {:.1f} %", all.demerit_percent, *error_percent)
                       : fmt::format("{:.1f} %", all.demerit_percent);
}

std::string verdict(std::span<const Judged> judged) {
  std::string text = model::printable(judged.front().model);
  // Single requests are judged by the workload without a cache in between.
  const ClassMetrics* const random = of_workload(judged, "random");
  const auto phase = random ? random->folded_phase_share : std::nullopt;
  if (phase && random->paired)
    text += fmt::format("{}: median error {}, {} in phase; ",
                        quality_of_phase(*random) == model::Quality::poor
                            ? " does not know where the platter is, so that single requests are "
                              "not predicted"
                            : " predicts single requests",
                        time_text(random->paired->p50_ms), share_text(*phase, random->phase_n));
  else
    text += ": ";
  text += "demerit";
  for (std::size_t i = 0; i < judged.size(); ++i)
    text += fmt::format("{} {} {}", i == 0 ? "" : ",", judged[i].workload,
                        demerit_text(all_of(judged[i])));
  return text + fmt::format(" of {} requests each: {}\n", all_of(judged.front()).n_drive,
                            model::name_of(quality_of(judged)));
}

}  // namespace

const ClassMetrics* of_workload(std::span<const Judged> judged, std::string_view workload) {
  const auto found = std::ranges::find(judged, workload, &Judged::workload);
  return found == judged.end() ? nullptr : &all_of(*found);
}

model::Quality quality_of_demerit(std::string_view workload, const ClassMetrics& all) {
  return model::quality_of_demerit(workload, all.demerit_percent, error_percent_of(all));
}

model::Quality quality_of_phase(const ClassMetrics& all) {
  return all.folded_phase_share && all.phase_n > 0
             ? model::quality_of_phase(*all.folded_phase_share, all.phase_n)
             : model::Quality::unchecked;
}

model::Quality quality_of(std::span<const Judged> judged) {
  model::Quality quality = model::Quality::good;
  for (const char* const workload : kValidationWorkloads)
    if (of_workload(judged, workload) == nullptr) quality = model::Quality::unchecked;
  for (const Judged& each : judged)
    quality = std::max(quality, quality_of_demerit(each.workload, all_of(each)));
  if (const ClassMetrics* const random = of_workload(judged, "random"))
    quality = std::max(quality, quality_of_phase(*random));
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
