#include "report/html_validation.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "report/html.h"
#include "report/panels.h"
#include "report/response_times.h"

namespace platter::report::html {
namespace {

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f}", 100 * *share) : "";
}

// Beside a first column of what they are of.
std::vector<std::string> metrics_row(const std::string& first,
                                     const replay::ClassMetrics& metrics) {
  std::vector<std::string> row = {first,
                                  grouped(metrics.n_drive),
                                  fmt::format("{:.3f}", metrics.mean_drive_ms),
                                  fmt::format("{:.3f}", metrics.mean_model_ms),
                                  fmt::format("{:.3f}", metrics.demerit_ms),
                                  fmt::format("{:.2f}", metrics.demerit_percent)};
  for (const auto member :
       {&replay::PairedError::bias_ms, &replay::PairedError::mae_ms, &replay::PairedError::rms_ms,
        &replay::PairedError::p50_ms, &replay::PairedError::p95_ms, &replay::PairedError::max_ms})
    row.push_back(metrics.paired ? fmt::format("{:.3f}", *metrics.paired.*member) : "");
  row.push_back(percent(metrics.hits_agreed_share));
  row.push_back(percent(metrics.folded_phase_share));
  return row;
}

std::string table_of_metrics(const char* first, const std::vector<std::vector<std::string>>& rows) {
  std::vector<Column> columns = {{first}};
  for (const char* title :
       {"n", "mean, drive", "mean, model", "demerit", "demerit (%)", "bias", "error, mean", "RMS",
        "p50", "p95", "max", "hits agreed (%)", "in phase (%)"})
    columns.push_back({title, true});
  return "<div class=\"metrics\">" + table(columns, rows) + "</div>\n";
}

std::string metrics_table(const replay::Comparison& comparison) {
  std::vector<std::vector<std::string>> rows;
  for (const replay::ClassMetrics& metrics : comparison.classes)
    if (metrics.n_drive > 0) rows.push_back(metrics_row(metrics.name, metrics));
  return table_of_metrics("class", rows);
}

// All models side by side.
std::string agreement_table(const WorkloadResults& workload) {
  if (workload.models.size() < 2) return "";
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < workload.models.size(); ++i)
    rows.push_back(metrics_row(workload.model_files[i], workload.comparisons[i].classes.front()));
  return table_of_metrics("model", rows);
}

std::string caches_in_words(const std::string& caches) {
  if (caches == "off") return "caches off";
  if (caches == "forced") return "caches bypassed with FUA";
  return caches == "default" ? "caches as the drive has them" : "caches in an unknown state";
}

std::string workload_section(const WorkloadResults& workload, std::size_t number) {
  std::string text = fmt::format(
      "<h3>{} on {}: {} requests, {}</h3>\n", escaped(workload.name), escaped(workload.drive.name),
      grouped(workload.drive.requests.size()), caches_in_words(workload.drive.caches));
  std::vector<Shown> models;
  for (std::size_t i = 0; i < workload.models.size(); ++i)
    models.push_back({workload.model_files[i], &workload.models[i]});
  text += figure(
      fmt::format("workload{}-figure", number),
      fmt::format("Cumulative distribution of response times, {}: the drive and {}; below, "
                  "how much later than the drive at the same share.",
                  workload.name, models.size() == 1 ? "its model" : "its models"),
      [&](const std::string& path) {
        std::vector<Distribution> all = {distribution_of(workload.drive, "drive")};
        for (const Shown& model : models)
          all.push_back(distribution_of(*model.result, model.label));
        plot_distributions("", all, path, column_canvas(760));
      });
  if (has_error_panels(workload.comparisons))
    text += figure(
        fmt::format("workload{}-errors-figure", number),
        "Requests that both served from the media: the error of each, what lies beyond in the "
        "outermost bars; and folded into one revolution, where one that is a whole revolution off "
        "counts as in phase (grey: within 1/32, chance gives 6.25 %).",
        [&](const std::string& path) {
          plot_error_panels(workload.drive, models, workload.comparisons, path);
        });
  text += agreement_table(workload);
  for (std::size_t i = 0; i < workload.models.size(); ++i) {
    const replay::Comparison& comparison = workload.comparisons[i];
    text += fmt::format("<h4>{} ({})</h4>\n", escaped(comparison.model),
                        escaped(workload.model_files[i]));
    text += metrics_table(comparison);
    if (!comparison.not_paired.empty())
      text += fmt::format("<p class=\"note\">No paired errors: {}.</p>\n",
                          escaped(comparison.not_paired));
    const replay::Result& result = workload.models[i];
    if (result.outside_validity > 0)
      text += fmt::format("<p class=\"note\">{}</p>\n",
                          escaped(replay::outside_text(result.outside_validity,
                                                       result.outside.value_or(replay::Outside{}),
                                                       result.requests.size())));
  }
  if (workload.models.empty()) text += "<p>No model was replayed on this workload.</p>\n";
  return text;
}

}  // namespace

std::string validation_chapter(std::span<const WorkloadResults> workloads) {
  std::string text =
      "<h2 id=\"validation\">Drive and models</h2>\n"
      "<p>The same requests on the drive and on the models. Demerit: root mean square of the "
      "horizontal distance between the two distributions. Bias, error: the model's response time "
      "less the drive's of the same request, and its absolute value. Hits agreed: requests that "
      "are "
      "a hit on both or a miss on both. Times are in ms, size classes in blocks.</p>\n";
  for (std::size_t i = 0; i < workloads.size(); ++i) text += workload_section(workloads[i], i + 1);
  return text;
}

}  // namespace platter::report::html
