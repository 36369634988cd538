#include "report/html_report.h"

#include <fmt/format.h>

#include "model/version.h"
#include "report/html.h"
#include "report/html_model.h"
#include "report/html_validation.h"

namespace platter::report {
namespace {

using html::escaped;

std::string summary(const ReportedModel& reported, std::span<const WorkloadResults> workloads) {
  return fmt::format("<p class=\"verdict\">{}</p>\n",
                     escaped(html::verdict(reported.model, reported.file, workloads))) +
         html::facts(reported.model) + html::how_measured(reported.model);
}

std::string contents(const std::string& id, bool validated) {
  std::string text = "<nav><ul>";
  const auto add = [&](const std::string& anchor, const char* title) {
    text += fmt::format("<li><a href=\"#{}\">{}</a></li>", anchor, title);
  };
  add(id + "-zones", "Zones");
  add(id + "-seek", "Seek curve");
  add(id + "-parameters", "Parameters");
  if (validated) add("validation", "Drive and models");
  add(id + "-validity", "Validity");
  add(id + "-provenance", "Provenance");
  add(id + "-missing", "Not measured");
  return text + "</ul></nav>\n";
}

std::string details(const model::DriveModel& model, const std::string& id,
                    const std::string& validation) {
  return html::zones_chapter(model, id) + html::seek_chapter(model, id) +
         html::parameters_chapter(model, id) + validation + html::validity_chapter(model, id) +
         html::provenance_chapter(model, id) + html::missing_chapter(model, id);
}

std::string title_of(const ReportedModel& reported) {
  return fmt::format("{} ({})", html::model_name(reported.model), reported.file);
}

}  // namespace

std::string html_report(std::span<const ReportedModel> models,
                        std::span<const WorkloadResults> workloads) {
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
  } else {
    for (const ReportedModel& reported : models)
      body += fmt::format("<h2>{}</h2>\n", escaped(title_of(reported))) +
              summary(reported, workloads);
    body += "</header>\n" + validation;
    for (std::size_t i = 0; i < models.size(); ++i) {
      const std::string id = fmt::format("model{}", i + 1);
      body += fmt::format("<article>\n<h1 class=\"chapter\">{}</h1>\n",
                          escaped(title_of(models[i]))) +
              contents(id, false) + details(models[i].model, id, "") + "</article>\n";
    }
  }
  body += fmt::format("<footer>Written by platter {}.</footer>\n", model::kToolVersion);
  return html::page(title, body);
}

}  // namespace platter::report
