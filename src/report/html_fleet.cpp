#include "report/html_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "model/seek_curve.h"
#include "report/html.h"
#include "report/html_model.h"
#include "report/model_summary.h"
#include "report/seek_plots.h"
#include "statistics/robust.h"

namespace platter::report::html {
namespace {

constexpr std::size_t kMostCurves = 7;  // that can be told apart

// One figure of a drive.
struct Figure {
  std::optional<double> value, error;
};
struct Quantity {
  const char* name;
  const char* unit;
  int places;
  Figure (*of)(const model::DriveModel&);
};

Figure of_parameter(const model::Parameter& parameter) {
  return {parameter.value, parameter.error};
}

double seek_error(const model::DriveModel& model, double distance) {
  return model::seek_error_ms(model.seek, distance).value_or(0);
}

const Quantity kQuantities[] = {
    {"capacity", "GB", 2,
     [](const model::DriveModel& m) {
       return Figure{static_cast<double>(m.identity.blocks) * m.identity.block_bytes / 1e9, {}};
     }},
    {"rotation", "rpm", 3,
     [](const model::DriveModel& m) {
       if (m.rotation.numerator_ns == 0) return Figure{};
       const double rpm = rpm_of(m.rotation);
       const auto& period = m.rotation.period;
       return Figure{rpm, period.error && period.value && *period.value > 0
                              ? std::optional(rpm * *period.error / *period.value)
                              : std::nullopt};
     }},
    {"one cylinder", "ms", 3,
     [](const model::DriveModel& m) {
       const auto seek = summarize_seek(m);
       return seek ? Figure{seek->single_ms, seek_error(m, 1)} : Figure{};
     }},
    {"average seek", "ms", 3,
     [](const model::DriveModel& m) {
       const auto seek = summarize_seek(m);
       return seek ? Figure{seek->average_ms, {}} : Figure{};
     }},
    {"full stroke", "ms", 3,
     [](const model::DriveModel& m) {
       const auto seek = summarize_seek(m);
       return seek ? Figure{seek->full_ms, seek_error(m, m.identity.cylinders - 1.0)} : Figure{};
     }},
    {"head switch", "ms", 3,
     [](const model::DriveModel& m) { return of_parameter(m.head_switch); }},
    {"write settle", "ms", 3,
     [](const model::DriveModel& m) { return of_parameter(m.write_settle); }},
    {"outer rate", "MB/s", 1,
     [](const model::DriveModel& m) {
       if (m.layout.zones.empty() || m.rotation.numerator_ns == 0) return Figure{};
       double most = 0;
       for (const ZoneSummary& zone : summarize_zones(m.layout))
         most = std::max(most, static_cast<double>(zone.most_sectors));
       return Figure{media_rate_mb_s(m, most), {}};
     }},
    {"zones", "", 0,
     [](const model::DriveModel& m) {
       return m.layout.zones.empty() ? Figure{}
                                     : Figure{static_cast<double>(m.layout.zones.size()), {}};
     }},
    {"defects and spares", "", 0,
     [](const model::DriveModel& m) {
       return m.layout.zones.empty() ? Figure{}
                                     : Figure{static_cast<double>(m.layout.skips.size()), {}};
     }},
    {"remapped", "", 0,
     [](const model::DriveModel& m) {
       return m.layout.zones.empty() ? Figure{}
                                     : Figure{static_cast<double>(m.layout.remaps.size()), {}};
     }},
    {"read, from the cache", "ms", 3,
     [](const model::DriveModel& m) { return of_parameter(m.overheads.read_hit_after_read); }},
    {"segments", "", 0, [](const model::DriveModel& m) { return of_parameter(m.cache.segments); }},
};

std::string titled(const Quantity& quantity) {
  return *quantity.unit ? fmt::format("{} ({})", quantity.name, quantity.unit) : quantity.name;
}

std::string shown(const Quantity& quantity, const Figure& figure) {
  return figure.value ? fmt::format("{:.{}f}", *figure.value, quantity.places) : "";
}

// Iglewicz and Hoaglin 1993: beyond 3.5 deviations, estimated by the median absolute deviation; and
// beyond what a host tells apart.
constexpr double kDeviations = 3.5, kLeastShare = 0.002;
constexpr std::size_t kLeastDrives = 4;

struct Outlier {
  std::size_t drive;
  std::string text;
};

std::vector<Outlier> outliers_of(const Quantity& quantity, const std::vector<Figure>& figures) {
  std::vector<double> values;
  for (const Figure& figure : figures)
    if (figure.value) values.push_back(*figure.value);
  if (values.size() < kLeastDrives) return {};
  const double middle = statistics::median(values), spread = statistics::mad_sigma(values);
  std::vector<Outlier> outliers;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (!figures[i].value) continue;
    const double off = *figures[i].value - middle;
    const double allowed = std::max(
        {kDeviations * spread, kLeastShare * std::abs(middle), 4 * figures[i].error.value_or(0)});
    if (std::abs(off) <= allowed) continue;
    outliers.push_back({i, fmt::format("{} {}{}{}, the fleet's median {}", quantity.name,
                                       shown(quantity, figures[i]), *quantity.unit ? " " : "",
                                       quantity.unit, shown(quantity, {middle, {}}))});
  }
  return outliers;
}

std::string curves_figure(std::span<const ReportedModel> models) {
  std::vector<SeekCurve> curves;
  for (const ReportedModel& reported : models)
    if (!reported.model.seek.points.empty() && curves.size() < kMostCurves)
      curves.push_back({reported.file, reported.model.seek});
  if (curves.size() < 2) return "";
  return figure("fleet-seeks-figure",
                curves.size() < models.size()
                    ? fmt::format("Seek curves of the first {} drives.", curves.size())
                    : "Seek curves.",
                [&](const std::string& path) { plot_seeks("", curves, path, column_canvas(460)); });
}

}  // namespace

std::string side_by_side(const ReportedModel& a, const ReportedModel& b) {
  std::vector<std::vector<std::string>> rows;
  for (const Quantity& quantity : kQuantities) {
    const Figure of_a = quantity.of(a.model), of_b = quantity.of(b.model);
    if (!of_a.value && !of_b.value) continue;
    std::string apart;
    if (of_a.value && of_b.value) {
      const double off = *of_b.value - *of_a.value;
      const double error = std::hypot(of_a.error.value_or(0), of_b.error.value_or(0));
      apart = off == 0 ? "none" : fmt::format("{:+.{}f}", off, quantity.places);
      if (error > 0) apart += fmt::format(" \u00b1 {:.2g}", error);
      if (error > 0 && std::abs(off) > 4 * error) apart += ", beyond its error";
    }
    rows.push_back({titled(quantity), shown(quantity, of_a), shown(quantity, of_b), apart});
  }
  return "<h2 id=\"beside\">Side by side</h2>\n" +
         table({{"figure"}, {a.file, true}, {b.file, true}, {"difference"}}, rows) +
         curves_figure(std::vector{a, b}) +
         paragraph("platter diff " + a.file + ".json " + b.file +
                   ".json lists every parameter that differs.");
}

std::string fleet(std::span<const ReportedModel> models) {
  std::vector<Column> columns = {{"drive"}};
  std::vector<std::vector<std::string>> rows;
  for (const ReportedModel& reported : models) rows.push_back({reported.file});
  std::vector<std::vector<std::string>> odd(models.size());
  for (const Quantity& quantity : kQuantities) {
    std::vector<Figure> figures;
    for (const ReportedModel& reported : models) figures.push_back(quantity.of(reported.model));
    if (std::ranges::none_of(figures, [](const Figure& f) { return f.value.has_value(); }))
      continue;
    std::vector<bool> marked(models.size());
    for (const Outlier& outlier : outliers_of(quantity, figures)) {
      marked[outlier.drive] = true;
      odd[outlier.drive].push_back(outlier.text);
    }
    columns.push_back({titled(quantity), true});
    for (std::size_t i = 0; i < models.size(); ++i)
      rows[i].push_back(shown(quantity, figures[i]) + (marked[i] ? " !" : ""));
  }
  std::string named;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (odd[i].empty()) continue;
    std::string text;
    for (const std::string& each : odd[i]) text += (text.empty() ? "" : "; ") + each;
    named += "<li><b>" + escaped(models[i].file) + "</b>: " + escaped(text) + "</li>\n";
  }
  std::string text = "<h2 id=\"fleet\">The drives</h2>\n";
  if (models.size() < kLeastDrives)
    text += paragraph("Outliers are looked for among four drives or more.");
  else if (named.empty())
    text += paragraph("No drive stands out.");
  else
    text += "<h3>What stands out</h3>\n<ul>\n" + named + "</ul>\n";
  return text + "<div class=\"metrics\">" + table(columns, rows) + "</div>\n" +
         curves_figure(models) +
         paragraph(
             "!: beyond 3.5 deviations, by the median absolute deviation of the drives here, 0.2 % "
             "and four errors. platter report NAME.json shows one drive whole.");
}

}  // namespace platter::report::html
