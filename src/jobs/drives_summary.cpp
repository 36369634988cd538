#include "jobs/drives_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "jobs/progress_text.h"
#include "model/json_text.h"
#include "model/printable.h"
#include "model/quality.h"
#include "replay/delays.h"
#include "report/model_summary.h"
#include "report/wrapped.h"

namespace platter::jobs {
namespace {

using Json = nlohmann::ordered_json;
using Cells = std::array<std::string, 10>;

const Cells kHeads = {"device", "drive",    "status", "time",    "capacity",
                      "rpm",    "avg seek", "noise",  "quality", "model"};

// What is told of a drive at a glance.
struct KeyFigures {
  std::optional<double> rpm{}, seek_average_ms{};
  // Of nine tenths of the requests, by how much host and bus delay them unequally.
  std::optional<double> delay_spread_us{};
  std::vector<std::string> noisy{};  // findings
};

KeyFigures key_figures(const model::DriveModel& model) {
  KeyFigures figures;
  if (model.rotation.numerator_ns > 0) figures.rpm = report::rpm_of(model.rotation);
  if (const auto seek = report::summarize_seek(model)) figures.seek_average_ms = seek->average_ms;
  if (const auto& spread = model.delay_spread; spread && !spread->quantiles.empty())
    figures.delay_spread_us = 1000 * (replay::delay_ms(spread->quantiles, 0.95) -
                                      replay::delay_ms(spread->quantiles, 0.05));
  for (const model::Finding& finding : model.provenance.findings)
    if (finding.code.ends_with("-noisy")) figures.noisy.push_back(finding.text);
  return figures;
}

std::string status_words(const DriveOutcome& outcome) {
  if (outcome.done_before) return outcome.status == 0 ? "done before" : "incomplete";
  switch (static_cast<ExitStatus>(outcome.status)) {
    case ExitStatus::ok:
      return "ok";
    case ExitStatus::incomplete:
      return "incomplete";
    case ExitStatus::interrupted:
      return "interrupted";
    default:
      return fmt::format("failed, {}", outcome.status);
  }
}

std::string product_of(const model::Identity& drive) {
  return drive.vendor.empty() ? drive.product : drive.vendor + " " + drive.product;
}

Cells cells_of(const DriveOutcome& outcome) {
  Cells cells{shortened(model::printable(outcome.name))};
  if (const auto& drive = outcome.identity) {
    cells[1] = shortened(model::printable(product_of(*drive)));
    const double bytes = static_cast<double>(drive->blocks) * drive->block_bytes;
    cells[4] = fmt::format("{:.2f} GB", bytes / 1e9);
  }
  cells[2] = status_words(outcome);
  cells[3] = minutes(outcome.seconds);
  if (outcome.model) {
    const KeyFigures figures = key_figures(*outcome.model);
    if (figures.rpm) cells[5] = fmt::format("{:.2f}", *figures.rpm);
    if (figures.seek_average_ms) cells[6] = fmt::format("{:.2f} ms", *figures.seek_average_ms);
    if (figures.delay_spread_us) cells[7] = fmt::format("{:.0f} us", *figures.delay_spread_us);
    cells[8] = model::name_of(model::qualities_of(*outcome.model).all);
    cells[9] = model::printable(outcome.model_file);
  }
  for (std::string& cell : cells)
    if (cell.empty()) cell = "-";
  return cells;
}

Json or_null(const std::optional<double>& figure) { return figure ? Json(*figure) : Json(); }

Json json_of(const DriveOutcome& outcome) {
  const auto& drive = outcome.identity;
  const KeyFigures figures = outcome.model ? key_figures(*outcome.model) : KeyFigures{};
  return {{"device", outcome.name},
          {"vendor", drive ? Json(drive->vendor) : Json()},
          {"product", drive ? Json(drive->product) : Json()},
          {"serial", drive ? Json(drive->serial) : Json()},
          {"status", outcome.status},
          {"error", outcome.sentence.empty() ? Json() : Json(outcome.sentence)},
          {"done_before", outcome.done_before},
          {"wall_seconds", outcome.seconds},
          {"capacity_bytes", drive ? Json(drive->blocks * drive->block_bytes) : Json()},
          {"rpm", or_null(figures.rpm)},
          {"seek_average_ms", or_null(figures.seek_average_ms)},
          {"delay_spread_us", or_null(figures.delay_spread_us)},
          {"noisy", figures.noisy},
          {"quality",
           outcome.model ? Json(model::name_of(model::qualities_of(*outcome.model).all)) : Json()},
          {"model", outcome.model ? Json(outcome.model_file) : Json()}};
}

bool is_well(const DriveOutcome& outcome) { return outcome.status == 0; }

}  // namespace

std::string outcomes_text(const std::vector<DriveOutcome>& outcomes) {
  std::vector<Cells> rows{kHeads};
  for (const DriveOutcome& outcome : outcomes) rows.push_back(cells_of(outcome));
  std::string text;
  for (const Cells& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      std::size_t width = 0;
      for (const Cells& other : rows) width = std::max(width, other[column].size());
      const bool last = column + 1 == row.size();
      text += last ? row[column] + "\n" : fmt::format("{:<{}}  ", row[column], width);
    }
  }
  for (const DriveOutcome& outcome : outcomes)
    for (const std::string& note :
         outcome.model ? key_figures(*outcome.model).noisy : std::vector<std::string>{})
      text += report::wrapped(model::printable(outcome.name + ": " + note), 2);
  if (std::ranges::all_of(outcomes, is_well)) return text;
  text += "\nNot done\n";
  for (const DriveOutcome& outcome : outcomes)
    if (!is_well(outcome))
      text += report::wrapped(fmt::format("  {}: status {}: {}", model::printable(outcome.name),
                                          outcome.status, model::printable(outcome.sentence)),
                              4);
  return text;
}

std::string outcomes_json(const std::vector<DriveOutcome>& outcomes, const std::string& folder) {
  Json document = model::json_head("platter-drives");
  document["folder"] = folder;
  document["not_done"] = outcomes.size() - std::ranges::count_if(outcomes, is_well);
  document["drives"] = Json::array();
  for (const DriveOutcome& outcome : outcomes) document["drives"].push_back(json_of(outcome));
  return model::pretty(document);
}

}  // namespace platter::jobs
