#include "report/html_report.h"

#include <fmt/format.h>

#include "model/version.h"
#include "report/html.h"
#include "report/html_fleet.h"
#include "report/html_model.h"
#include "report/html_summary.h"
#include "report/html_validation.h"

namespace platter::report {
namespace {

using html::escaped;

constexpr std::size_t kMostWhole = 2;  // drives that are shown with all their chapters

// The first page.
std::string summary(const ReportedModel& reported, std::span<const WorkloadResults> workloads) {
  const model::DriveModel& model = reported.model;
  const std::vector<replay::Judged> judged = html::judged(model, reported.file, workloads);
  return html::verdict_box(model, judged) + html::facts(model) + html::how_measured(model) +
         html::uses(model, judged) + html::fingerprint(model);
}

std::string contents(const std::string& id, bool validated) {
  std::string text = "<nav><ul>";
  const auto add = [&](const std::string& anchor, const char* title) {
    text += fmt::format("<li><a href=\"#{}\">{}</a></li>", anchor, title);
  };
  if (validated) add("validation", "Drive and models");
  add(id + "-zones", "Map");
  add(id + "-seek", "Seek curve");
  add(id + "-overheads", "Overheads");
  add(id + "-cache", "Cache");
  add(id + "-parameters", "Other parameters");
  add(id + "-missing", "Not measured");
  add(id + "-validity", "Validity");
  add(id + "-provenance", "Provenance");
  return text + "</ul></nav>\n";
}

std::string details(const model::DriveModel& model, const std::string& id,
                    const std::string& validation) {
  return validation + html::map_chapter(model, id) + html::seek_chapter(model, id) +
         html::overheads_chapter(model, id) + html::cache_chapter(model, id) +
         html::parameters_chapter(model, id) + html::missing_chapter(model, id) +
         html::validity_chapter(model, id) + html::provenance_chapter(model, id);
}

std::string title_of(const ReportedModel& reported) {
  return fmt::format("{} ({})", html::model_name(reported.model), reported.file);
}

}  // namespace

std::string html_report(std::span<const ReportedModel> models,
                        std::span<const WorkloadResults> workloads, const FleetFound& found) {
  const std::string validation = workloads.empty() ? "" : html::validation_chapter(workloads);
  const std::string name = html::model_name(models.front().model);
  const std::string title = models.size() == 1 ? name
                                               : fmt::format("{} models of drives", models.size());
  std::string body = fmt::format("<header>\n<h1>{}</h1>\n<p class=\"kind\">{}</p>\n",
                                 escaped(title),
                                 models.size() == 1 ? "A disk drive, as its model describes it"
                                                    : "Disk drives, as their models describe them");
  if (models.size() == 1) {
    body += summary(models.front(), workloads) + contents("model1", !workloads.empty()) +
            "</header>\n" + details(models.front().model, "model1", validation);
  } else if (models.size() > kMostWhole) {
    body += "</header>\n" + html::fleet(models, found) + validation;
  } else {
    for (const ReportedModel& reported : models)
      body += fmt::format("<h2>{}</h2>\n", escaped(title_of(reported))) +
              html::verdict_box(reported.model,
                                html::judged(reported.model, reported.file, workloads));
    body += "</header>\n" + html::side_by_side(models[0], models[1]) + validation;
    for (std::size_t i = 0; i < models.size(); ++i) {
      const std::string id = fmt::format("model{}", i + 1);
      body += fmt::format("<article>\n<h1 class=\"chapter\">{}</h1>\n",
                          escaped(title_of(models[i]))) +
              contents(id, false) + summary(models[i], workloads) +
              details(models[i].model, id, "") + "</article>\n";
    }
  }
  body += fmt::format("<footer>Written by platter {}.</footer>\n", model::kToolVersion);
  return html::page(title, body);
}

}  // namespace platter::report
