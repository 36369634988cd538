#include "report/html_validation.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "report/html.h"
#include "report/response_times.h"

namespace platter::report::html {
namespace {

// What one workload says of a model.
struct Proof {
  std::string workload;
  std::uint64_t requests = 0;
  double demerit_ms = 0, demerit_percent = 0;
  std::optional<double> phase_share;
};

std::vector<Proof> proofs_in_results(const std::string& file,
                                     std::span<const WorkloadResults> workloads) {
  std::vector<Proof> proofs;
  for (const WorkloadResults& workload : workloads)
    for (std::size_t i = 0; i < workload.models.size(); ++i) {
      if (workload.model_files[i] != file) continue;
      const replay::ClassMetrics& all = workload.comparisons[i].classes.front();
      proofs.push_back({workload.name, all.n_drive, all.demerit_ms, all.demerit_percent,
                        all.folded_phase_share});
    }
  return proofs;
}

std::vector<Proof> proofs_in_model(const model::Validity& validity) {
  std::vector<Proof> proofs;
  for (const model::Demerit& d : validity.demerits)
    proofs.push_back(
        {d.workload, d.requests, d.demerit_ms, d.demerit_percent, d.folded_phase_share});
  return proofs;
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f}", 100 * *share) : "";
}

std::vector<std::string> metrics_row(const replay::ClassMetrics& metrics) {
  std::vector<std::string> row = {metrics.name,
                                  grouped(metrics.n_drive),
                                  fmt::format("{:.3f}", metrics.mean_drive_ms),
                                  fmt::format("{:.3f}", metrics.mean_model_ms),
                                  fmt::format("{:.3f}", metrics.demerit_ms),
                                  fmt::format("{:.2f}", metrics.demerit_percent)};
  for (const auto member :
       {&replay::PairedError::bias_ms, &replay::PairedError::mae_ms, &replay::PairedError::rms_ms,
        &replay::PairedError::p50_ms, &replay::PairedError::p95_ms, &replay::PairedError::p99_ms,
        &replay::PairedError::max_ms})
    row.push_back(metrics.paired ? fmt::format("{:.3f}", *metrics.paired.*member) : "");
  for (const auto& share :
       {metrics.hits_agreed_share, metrics.hits_as_hits_share, metrics.misses_as_misses_share,
        metrics.folded_phase_share, metrics.folded_phase_share_reanchored})
    row.push_back(percent(share));
  return row;
}

std::string metrics_table(const replay::Comparison& comparison) {
  std::vector<Column> columns = {{"class"}};
  for (const char* title : {"n", "mean, drive", "mean, model", "demerit", "demerit (%)", "bias",
                            "mean abs.", "RMS", "p50", "p95", "p99", "max", "hits agreed (%)",
                            "hits (%)", "misses (%)", "phase (%)", "phase anew (%)"})
    columns.push_back({title, true});
  std::vector<std::vector<std::string>> rows;
  for (const replay::ClassMetrics& metrics : comparison.classes)
    if (metrics.n_drive > 0) rows.push_back(metrics_row(metrics));
  return "<div class=\"metrics\">" + table(columns, rows) + "</div>\n";
}

std::string caches_in_words(const std::string& caches) {
  if (caches == "off") return "caches off";
  if (caches == "forced") return "caches bypassed with FUA";
  return caches == "default" ? "caches as the drive has them" : "caches in an unknown state";
}

std::string workload_section(const WorkloadResults& workload, std::size_t number) {
  std::string text = fmt::format("<h3>{}: {} requests, {}</h3>\n", escaped(workload.name),
                                 grouped(workload.drive.requests.size()),
                                 caches_in_words(workload.drive.caches));
  text += figure(
      fmt::format("workload{}-figure", number),
      fmt::format("Cumulative distribution of response times, {}: {} and {} of it.", workload.name,
                  workload.drive.name, workload.models.size() == 1 ? "the model" : "the models"),
      [&](const std::string& path) { plot_response_times(workload.drive, workload.models, path); });
  for (std::size_t i = 0; i < workload.models.size(); ++i) {
    const replay::Comparison& comparison = workload.comparisons[i];
    text += fmt::format("<h4>{} ({})</h4>\n", escaped(comparison.model),
                        escaped(workload.model_files[i]));
    text += metrics_table(comparison);
    if (!comparison.not_paired.empty())
      text += fmt::format("<p class=\"note\">No paired errors: {}.</p>\n",
                          escaped(comparison.not_paired));
    if (workload.models[i].outside_validity > 0)
      text += fmt::format(
          "<p class=\"note\">{} requests were outside what the model measured.</p>\n",
          grouped(workload.models[i].outside_validity));
  }
  if (workload.models.empty()) text += "<p>No model was replayed on this workload.</p>\n";
  return text;
}

}  // namespace

std::string verdict(const model::DriveModel& model, const std::string& file,
                    std::span<const WorkloadResults> workloads) {
  std::vector<Proof> proofs = proofs_in_results(file, workloads);
  if (proofs.empty()) proofs = proofs_in_model(model.validity);
  if (proofs.empty())
    return "How good this model is, is not known: it was not compared with the drive "
           "(platter validate does that).";
  std::string demerits, phases;
  for (const Proof& proof : proofs) {
    demerits += fmt::format(
        "{}{:.3f} ms ({:.2f}\u00a0% of the mean response time) in the {} workload",
        demerits.empty() ? "" : ", ", proof.demerit_ms, proof.demerit_percent, proof.workload);
    if (proof.phase_share)
      phases += fmt::format("{}{:.1f}\u00a0%", phases.empty() ? "" : " and ",
                            100 * *proof.phase_share);
  }
  if (!phases.empty())
    phases = fmt::format(
        "; the rotational position is right in {} of the media accesses "
        "(chance: 6.25\u00a0%)",
        phases);
  return fmt::format("Against the drive, the same requests on both: a demerit of {}{}.", demerits,
                     phases);
}

std::string validation_chapter(std::span<const WorkloadResults> workloads) {
  std::string text =
      "<h2 id=\"validation\">Drive and models</h2>\n"
      "<p>The same requests on the drive and on the models. Demerit: root mean square of the "
      "horizontal "
      "distance between the two distributions. Bias to max: the model's response time less the "
      "drive's of the same request; from the mean absolute error on, of absolute values. Hits, "
      "misses: the share of the "
      "drive's that are the model's too. Phase: of the requests that went to the media on both, "
      "those "
      "whose error, modulo one revolution, is within 1/32 of a revolution; chance gives 6.25 %. "
      "Times are in ms, size classes in blocks.</p>\n";
  for (std::size_t i = 0; i < workloads.size(); ++i) text += workload_section(workloads[i], i + 1);
  return text;
}

}  // namespace platter::report::html
