#include "report/html_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/seek_curve.h"
#include "report/html.h"
#include "report/html_model.h"
#include "report/model_summary.h"
#include "report/seek_plots.h"

namespace platter::report::html {
namespace {

constexpr std::size_t kMostCurves = 7;  // that can be told apart

// One figure of a drive.
struct Figure {
  std::optional<double> value, error;
};
struct Quantity {
  const char* name;
  const char* path;  // of the figure that tells of it in a fleet (src/fleet)
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
    {"capacity", "identity.blocks", "GB", 2,
     [](const model::DriveModel& m) {
       return Figure{static_cast<double>(m.identity.blocks) * m.identity.block_bytes / 1e9, {}};
     }},
    {"rotation", "rotation.period", "rpm", 3,
     [](const model::DriveModel& m) {
       if (m.rotation.numerator_ns == 0) return Figure{};
       const double rpm = rpm_of(m.rotation);
       const auto& period = m.rotation.period;
       return Figure{rpm, period.error && period.value && *period.value > 0
                              ? std::optional(rpm * *period.error / *period.value)
                              : std::nullopt};
     }},
    {"one cylinder", "seek[1]", "ms", 3,
     [](const model::DriveModel& m) {
       const auto seek = summarize_seek(m);
       return seek ? Figure{seek->single_ms, seek_error(m, 1)} : Figure{};
     }},
    {"average seek", "", "ms", 3,
     [](const model::DriveModel& m) {
       const auto seek = summarize_seek(m);
       return seek ? Figure{seek->average_ms, {}} : Figure{};
     }},
    {"full stroke", "seek[", "ms", 3,
     [](const model::DriveModel& m) {
       const auto seek = summarize_seek(m);
       return seek ? Figure{seek->full_ms, seek_error(m, m.identity.cylinders - 1.0)} : Figure{};
     }},
    {"head switch", "head_switch", "ms", 3,
     [](const model::DriveModel& m) { return of_parameter(m.head_switch); }},
    {"write settle", "write_settle", "ms", 3,
     [](const model::DriveModel& m) { return of_parameter(m.write_settle); }},
    {"outer rate", "", "MB/s", 1,
     [](const model::DriveModel& m) {
       if (m.layout.zones.empty() || m.rotation.numerator_ns == 0) return Figure{};
       double most = 0;
       for (const ZoneSummary& zone : summarize_zones(m.layout))
         most = std::max(most, static_cast<double>(zone.most_sectors));
       return Figure{media_rate_mb_s(m, most), {}};
     }},
    {"zones", "layout: formatted otherwise", "", 0,
     [](const model::DriveModel& m) {
       return m.layout.zones.empty() ? Figure{}
                                     : Figure{static_cast<double>(m.layout.zones.size()), {}};
     }},
    {"defects and spares", "layout.skips", "", 0,
     [](const model::DriveModel& m) {
       return m.layout.zones.empty() ? Figure{}
                                     : Figure{static_cast<double>(m.layout.skips.size()), {}};
     }},
    {"remapped", "layout.remaps", "", 0,
     [](const model::DriveModel& m) {
       return m.layout.zones.empty() ? Figure{}
                                     : Figure{static_cast<double>(m.layout.remaps.size()), {}};
     }},
    {"read, from the cache", "overheads.read_hit_after_read", "ms", 3,
     [](const model::DriveModel& m) { return of_parameter(m.overheads.read_hit_after_read); }},
    {"segments", "cache.segments", "", 0,
     [](const model::DriveModel& m) { return of_parameter(m.cache.segments); }},
};

std::string titled(const Quantity& quantity) {
  return *quantity.unit ? fmt::format("{} ({})", quantity.name, quantity.unit) : quantity.name;
}

std::string shown(const Quantity& quantity, const Figure& figure) {
  return figure.value ? fmt::format("{:.{}f}", *figure.value, quantity.places) : "";
}

// The one that has the figure's path, or else the one that begins as it does: seeks over far.
const Quantity* quantity_of(const std::string& figure) {
  const Quantity* found = nullptr;
  for (const Quantity& quantity : kQuantities) {
    if (figure == quantity.path) return &quantity;
    if (*quantity.path && figure.starts_with(quantity.path)) found = &quantity;
  }
  return found;
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

std::vector<std::pair<std::string, std::string>> figures_of(const model::DriveModel& model) {
  std::vector<std::pair<std::string, std::string>> figures;
  for (const Quantity& quantity : kQuantities)
    figures.emplace_back(titled(quantity), shown(quantity, quantity.of(model)));
  return figures;
}

std::string fleet(std::span<const ReportedModel> models, const FleetFound& found) {
  std::vector<Column> columns = {{"drive"}};
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> odd(models.size());
  std::set<std::pair<std::size_t, const Quantity*>> marked;
  for (const FleetFound::Standout& standout : found.standouts) {
    odd[standout.drive] += (odd[standout.drive].empty() ? "" : "; ") + standout.words;
    marked.emplace(standout.drive, quantity_of(standout.figure));
  }
  for (std::size_t i = 0; i < models.size(); ++i)
    rows.push_back({models[i].file + (odd[i].empty() ? "" : " !")});
  for (const Quantity& quantity : kQuantities) {
    std::vector<Figure> figures;
    for (const ReportedModel& reported : models) figures.push_back(quantity.of(reported.model));
    if (std::ranges::none_of(figures, [](const Figure& f) { return f.value.has_value(); }))
      continue;
    columns.push_back({titled(quantity), true});
    for (std::size_t i = 0; i < models.size(); ++i)
      rows[i].push_back(shown(quantity, figures[i]) +
                        (marked.contains({i, &quantity}) ? " !" : ""));
  }
  std::string named;
  for (std::size_t i = 0; i < models.size(); ++i)
    if (!odd[i].empty())
      named += "<li><b>" + escaped(models[i].file) + "</b>: " + escaped(odd[i]) + "</li>\n";
  std::string text = "<h2 id=\"fleet\">The drives</h2>\n";
  for (const std::string& remark : found.remarks) text += paragraph(remark);
  text += named.empty() ? paragraph("No drive stands out.")
                        : "<h3>What stands out</h3>\n<ul>\n" + named + "</ul>\n";
  return text + "<div class=\"metrics\">" + table(columns, rows) + "</div>\n" +
         curves_figure(models) +
         paragraph(
             "!: stands out among the drives of its product, as platter fleet finds it. platter "
             "report NAME.json shows one drive whole.");
}

}  // namespace platter::report::html
