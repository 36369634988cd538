#include "report/html_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/completeness.h"
#include "model/printable.h"
#include "model/quality.h"
#include "replay/delays.h"
#include "report/drive_says.h"
#include "report/html.h"

namespace platter::report::html {
namespace {

constexpr double kHits = 0.95;

struct Use {
  std::string what;
  std::optional<bool> fit;  // nullopt: nobody looked
  std::string because;
};

Use single_requests(std::span<const replay::Judged> judged) {
  Use use{"Single requests: when each is complete", {}, "not compared with the drive"};
  const replay::ClassMetrics* random = replay::of_workload(judged, "random");
  if (!random || !random->folded_phase_share) return use;
  use.fit = std::max(replay::quality_of_phase(*random),
                     replay::quality_of_demerit("random", *random)) == model::Quality::good;
  use.because = fmt::format("{:.1f} % of the accesses in phase, demerit {:.1f} %",
                            100 * *random->folded_phase_share, random->demerit_percent);
  return use;
}

Use mixed_loads(std::span<const replay::Judged> judged) {
  Use use{"Mixed loads with the cache at work", {}, "not compared with the drive"};
  const replay::ClassMetrics* mixed = replay::of_workload(judged, "mixed");
  if (!mixed) return use;
  const bool near = replay::quality_of_demerit("mixed", *mixed) == model::Quality::good;
  if (!near || mixed->hits_agreed_share) use.fit = near && *mixed->hits_agreed_share >= kHits;
  use.because = fmt::format("demerit {:.1f} %", mixed->demerit_percent);
  use.because += mixed->hits_agreed_share ? fmt::format(", hits and misses agree in {:.1f} %",
                                                        100 * *mixed->hits_agreed_share)
                                          : ", whether hits and misses agree is not known";
  return use;
}

Use layout_use(const model::DriveModel& model) {
  Use use{"Where blocks lie: traxtents, zones, media rates", !model.layout.zones.empty(), ""};
  if (model.layout.zones.empty())
    use.because = model.layout.reason.empty() ? "no layout" : model.layout.reason;
  else if (model.layout.timed && !model.layout.timed->shares.empty())
    use.because = fmt::format(
        "{:.2f} % of blocks drawn at random lay within {:.2g} of a revolution",
        100 * model.layout.timed->shares.front().share,
        model.layout.timed->shares.front().within_rev);
  else if (model.layout.checks > 0)
    use.because = fmt::format("{} blocks drawn at random lay where the map says",
                              grouped(model.layout.checks));
  else
    use.because = "as its source states it; not checked";
  return use;
}

}  // namespace

std::vector<replay::Judged> judged(const model::DriveModel& model, const std::string& file,
                                   std::span<const WorkloadResults> workloads) {
  std::vector<replay::Judged> all;
  for (const WorkloadResults& workload : workloads)
    for (std::size_t i = 0; i < workload.models.size(); ++i)
      if (workload.model_files[i] == file)
        all.push_back({workload.name, "This model", workload.comparisons[i]});
  if (!all.empty()) return all;
  for (const model::Demerit& stated : model.validity.demerits) {
    replay::ClassMetrics metrics{
        .name = "all", .n_drive = stated.requests, .n_model = stated.requests};
    metrics.mean_drive_ms = stated.drive_mean_ms;
    metrics.demerit_ms = stated.demerit_ms;
    metrics.demerit_percent = stated.demerit_percent;
    if (stated.phase_requests > 0) metrics.folded_phase_share = stated.folded_phase_share;
    metrics.demerit_error_ms = stated.error_ms;
    metrics.phase_n = stated.phase_requests;
    if (stated.hits_agreed_share > 0) metrics.hits_agreed_share = stated.hits_agreed_share;
    replay::Comparison comparison;
    comparison.classes = {metrics};
    // As model::within_the_run().
    const std::size_t kind = std::min(stated.workload.find(", "), stated.workload.size());
    all.push_back(
        {stated.workload.substr(0, kind), "This model" + stated.workload.substr(kind), comparison});
  }
  return all;
}

std::string verdict_box(const model::DriveModel& model, std::span<const replay::Judged> judged) {
  if (judged.empty())
    return "<p class=\"verdict unknown\"><b>Not known.</b> This model was not compared with the "
           "drive: "
           "platter validate does that.</p>\n";
  std::string text = replay::verdicts(judged);
  while (text.ends_with('\n')) text.pop_back();
  if (const std::size_t colon = text.rfind(": "); colon != text.npos) text.resize(colon);
  text = model::replaced(text, " us", "\u00a0\u00b5s");
  // What the model has against itself caps what the comparison says.
  const model::Qualities of_model = model::qualities_of(model);
  model::Quality quality = replay::quality_of(judged);
  if (of_model.all == model::Quality::fair || of_model.all == model::Quality::poor)
    quality = std::max(quality, of_model.all);
  const bool good = quality == model::Quality::good;
  if (!good && !of_model.because.empty())
    text += fmt::format("; {}", fmt::join(of_model.because, ", "));
  const char* const name = good                                   ? "Good"
                           : quality == model::Quality::fair      ? "Fair"
                           : quality == model::Quality::unchecked ? "Unchecked"
                                                                  : "Poor";
  return fmt::format("<p class=\"verdict {}\"><b>{}.</b> {}.</p>\n", good ? "good" : "doubtful",
                     name, escaped(text));
}

std::string uses(const model::DriveModel& model, std::span<const replay::Judged> judged) {
  const model::Validity& validity = model.validity;
  std::vector<Use> all = {single_requests(judged), mixed_loads(judged), layout_use(model)};
  all.push_back({"Writes", validity.writes ? std::optional(true) : std::nullopt,
                 validity.writes ? "checked" : "no writes were compared"});
  all.push_back({"Several requests at once, and scheduling them (SPTF)",
                 validity.max_depth > 1 ? std::optional(true) : std::nullopt,
                 validity.max_depth > 1
                     ? fmt::format("checked up to {} outstanding", validity.max_depth)
                     : "compared one at a time only"});
  std::vector<std::vector<std::string>> rows;
  for (const Use& use : all)
    rows.push_back({use.what, !use.fit ? "not known" : *use.fit ? "yes" : "no", use.because});
  std::string text = table({{"may be used for"}, {"fit"}, {"because"}}, rows);
  if (validity.max_blocks > 0)
    text += paragraph(
        fmt::format("Checked with requests of {} to {} blocks in LBN {} to {}; beyond, nothing "
                    "is known.",
                    validity.min_blocks, validity.max_blocks, grouped(validity.first_lbn),
                    grouped(validity.last_lbn)));
  return text;
}

std::string fingerprint(const model::DriveModel& model) {
  const model::Identity& drive = model.identity;
  const model::Provenance& p = model.provenance;
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) rows.push_back({name, value});
  };
  add("vendor", drive.vendor);
  add("product", drive.product);
  add("firmware", drive.revision);
  add("serial number", drive.serial);
  for (const SaidByDrive& said : drive_says(drive)) add(said.what, said.says);
  const std::string standing = model::standing_of(p, model.validity);
  add("origin", standing.empty() ? p.method : standing);
  add("measured at", p.source);
  add("date", p.date);
  if (model.kernel_share)
    add("host: kernel",
        fmt::format("{:.1f} \u00b5s above the dispatch to the adapter (median; 99 %: {:.1f}), "
                    "{:.1f} \u00b5s behind the completion",
                    1e3 * model.kernel_share->above_median_ms,
                    1e3 * model.kernel_share->above_p99_ms,
                    1e3 * model.kernel_share->behind_median_ms));
  if (model.delay_spread && !model.delay_spread->quantiles.empty()) {
    add("host: noise",
        fmt::format("1 % of the requests are delayed by more than {:.3f} ms beyond the median "
                    "({} samples)",
                    replay::delay_ms(model.delay_spread->quantiles, 0.99),
                    grouped(model.delay_spread->samples)));
  }
  return rows.empty() ? "" : table({{"fingerprint"}, {""}}, rows);
}

}  // namespace platter::report::html
