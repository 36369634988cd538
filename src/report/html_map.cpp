#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/html.h"
#include "report/html_model.h"
#include "report/map_facts.h"
#include "report/model_summary.h"
#include "report/plots.h"

namespace platter::report::html {
namespace {

constexpr std::size_t kMostRows = 40;

double sectors_of(const ZoneSummary& zone) {
  return (zone.fewest_sectors + static_cast<double>(zone.most_sectors)) / 2;
}

// A quarter of a platter. A track holds as many sectors as its length allows, so its radius is in
// proportion to them.
std::string rings(const model::DriveModel& model, const std::vector<ZoneSummary>& zones) {
  constexpr double kRadius = 250, kLeft = 20, kBottom = 275;
  std::vector<const ZoneSummary*> by_radius;
  double most = 1, all = 0;
  for (const ZoneSummary& zone : zones) {
    if (zone.blocks == 0) continue;
    by_radius.push_back(&zone);
    most = std::max(most, sectors_of(zone));
    all += static_cast<double>(zone.blocks);
  }
  if (by_radius.empty()) return "";
  std::ranges::stable_sort(by_radius, std::greater(), [](auto zone) { return sectors_of(*zone); });
  const double least = sectors_of(*by_radius.back());
  struct Ring {
    double radius, opacity;
  };
  std::vector<Ring> drawn;
  for (const ZoneSummary* zone : by_radius) {
    const double radius = kRadius * sectors_of(*zone) / most;
    if (!drawn.empty() && drawn.back().radius - radius < 1.5) continue;  // thinner than a line
    const double share = most > least ? (sectors_of(*zone) - least) / (most - least) : 1;
    drawn.push_back({radius, 0.15 + 0.7 * share});
  }
  std::string text;
  // Each as far as the next: one upon another would be the darker the farther in.
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const double outer = drawn[i].radius;
    const double inner = i + 1 < drawn.size() ? drawn[i + 1].radius : kRadius * least / most * 0.93;
    text += fmt::format(
        "<path d=\"M {0:.1f} {2:.1f} A {3:.1f} {3:.1f} 0 0 1 {4:.1f} {1:.1f} L {6:.1f} {1:.1f} "
        "A {5:.1f} {5:.1f} 0 0 0 {0:.1f} {7:.1f} Z\" class=\"ring\" fill-opacity=\"{8:.2f}\"/>\n",
        kLeft, kBottom, kBottom - outer, outer, kLeft + outer, inner, kLeft + inner,
        kBottom - inner, drawn[i].opacity);
  }
  const auto label = [&](const ZoneSummary& zone, double y, const char* where) {
    const double blocks = static_cast<double>(zone.blocks);
    const std::string rate = model.rotation.numerator_ns > 0
                                 ? fmt::format("{:.1f} MB/s, ",
                                               media_rate_mb_s(model, sectors_of(zone)))
                                 : "";
    return words_at(300, y, fmt::format("{}: {}{:.0f} sectors", where, rate, sectors_of(zone))) +
           words_at(300, y + 24, fmt::format("{:.1f} % of the capacity", 100 * blocks / all));
  };
  text += label(*by_radius.front(), 60, "outermost");
  if (by_radius.size() > 1) text += label(*by_radius.back(), 140, "innermost");
  return drawing("A quarter of a platter: zones by radius, the darker the faster.", 640, 290, text);
}

std::string skew_text(const Skew& skew) {
  const auto one = [](const std::optional<double>& rev) {
    return rev ? fmt::format("{:.3f}", *rev) : std::string("not known");
  };
  return skew.outer_rev || skew.inner_rev
             ? fmt::format("{} of a revolution at the outer edge, {} at the inner",
                           one(skew.outer_rev), one(skew.inner_rev))
             : "none: no such change of track";
}

std::string format_facts(const model::DriveModel& model, const MapFacts& facts, std::size_t zones) {
  const model::Layout& layout = model.layout;
  const bool angles = layout.angle.reason.empty();
  std::vector<std::vector<std::string>> rows = {
      {"zones", grouped(zones)},
      {"surfaces", std::to_string(facts.surfaces)},
      {"tracks with blocks", grouped(facts.tracks)},
      {"order of tracks", facts.order},
      {"track skew", angles ? skew_text(facts.track) : layout.angle.reason},
      {"cylinder skew", angles ? skew_text(facts.cylinder) : layout.angle.reason},
      {"angles known to", layout.angle.error
                              ? fmt::format("{:.2g} of a revolution", *layout.angle.error)
                          : angles ? std::string("not stated")
                                   : layout.angle.reason},
      {"left out", fmt::format("{} entries: spares, slipped defects, management",
                               grouped(layout.skips.size()))},
      {"remapped blocks", grouped(layout.remaps.size())},
      {"found by", layout.method.empty() ? "not stated" : layout.method}};
  return table({{"format"}, {""}}, rows);
}

}  // namespace

std::string map_chapter(const model::DriveModel& model, const std::string& id) {
  const model::Layout& layout = model.layout;
  std::string text = heading(id, "zones", "Map");
  if (layout.zones.empty())
    return text +
           paragraph("The layout is not known" +
                     (layout.reason.empty() ? std::string(".") : ": " + layout.reason + "."));
  const std::vector<ZoneSummary> zones = summarize_zones(layout);
  text += rings(model, zones);
  text += format_facts(model, map_facts(layout), zones.size());
  for (const std::string& sentence : layout_standing(layout)) text += paragraph(sentence + ".");
  text += figure(
      id + "-zones-figure", "Sectors per track over the cylinders.",
      [&](const std::string& path) { plot_zones("", layout, path, column_canvas(380)); });
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(zones.size(), kMostRows); ++i) {
    const ZoneSummary& zone = zones[i];
    rows.push_back(
        {std::to_string(i), fmt::format("{}\u2013{}", zone.first_cylinder, zone.last_cylinder),
         zone.fewest_sectors == zone.most_sectors
             ? std::to_string(zone.most_sectors)
             : fmt::format("{}\u2013{}", zone.fewest_sectors, zone.most_sectors),
         model.rotation.numerator_ns > 0
             ? fmt::format("{:.2f}", media_rate_mb_s(model, zone.most_sectors))
             : "",
         fmt::format("{:.2f}",
                     100 * static_cast<double>(zone.blocks) /
                         static_cast<double>(std::max<std::uint64_t>(model.identity.blocks, 1))),
         grouped(zone.first_lbn), grouped(zone.blocks)});
  }
  text += table({{"zone"},
                 {"cylinders", true},
                 {"sectors per track", true},
                 {"media rate (MB/s)", true},
                 {"capacity (%)", true},
                 {"first LBN", true},
                 {"blocks", true}},
                rows);
  if (zones.size() > kMostRows)
    text +=
        paragraph(fmt::format("{} more zones are in the model file.", zones.size() - kMostRows));
  return text;
}

}  // namespace platter::report::html
