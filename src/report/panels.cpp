#include "report/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "replay/hits.h"
#include "report/gnuplot.h"
#include "statistics/distribution.h"

namespace platter::report {
namespace {

// Of a model: each request's error, and folded into a revolution.
struct Errors {
  std::vector<double> ms, rev;
};

Errors errors_of(const replay::Result& drive, const replay::Result& model,
                 const replay::Comparison& comparison) {
  Errors errors;
  const double period_ns = *comparison.period_ns;
  const replay::HitRule rule = {comparison.hit_threshold_ns, model.block_transfer_ns.value_or(0)};
  for (std::size_t i = 0; i < std::min(drive.requests.size(), model.requests.size()); ++i) {
    const replay::Response &a = drive.requests[i], &b = model.requests[i];
    if (!rule.both_from_media(a, b)) continue;
    const auto apart_ns = static_cast<double>(b.response_ns - a.response_ns);
    errors.ms.push_back(apart_ns / 1e6);
    const double turns = (apart_ns - comparison.phase_ms * 1e6) / period_ns;
    errors.rev.push_back(turns - std::round(turns));
  }
  return errors;
}

// Shares of all values by bins from `least` to `most`; what lies beyond is in the outermost ones.
std::string histogram_data(const std::string& name, const std::vector<double>& values, double least,
                           double most) {
  constexpr int kBins = 81;
  std::vector<double> bins(kBins);
  for (const double value : values) {
    const double at = (value - least) / (most - least) * kBins;
    bins[static_cast<std::size_t>(std::clamp(at, 0.0, kBins - 1.0))] += 1;
  }
  std::string data = fmt::format("${} << EOD\n", name);
  for (int i = 0; i < kBins; ++i)
    data += fmt::format("{:.6g} {:.4f}\n", least + (i + 0.5) * (most - least) / kBins,
                        100 * bins[static_cast<std::size_t>(i)] /
                            std::max<double>(1, static_cast<double>(values.size())));
  return data + "EOD\n";
}

bool can_pair(const replay::Comparison& comparison) {
  return comparison.not_paired.empty() && comparison.period_ns && comparison.hit_threshold_ns &&
         !comparison.classes.empty() && comparison.classes.front().phase_n > 0;
}

}  // namespace

std::vector<std::string> odd_places(const model::Seek& seek, std::size_t most) {
  constexpr double kErrors = 4, kLeastShare = 0.02;
  struct Odd {
    std::size_t at;
    double errors;
    std::string text;
  };
  std::vector<Odd> odd;
  const auto& points = seek.points;
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const model::SeekPoint &before = points[i - 1], &here = points[i], &after = points[i + 1];
    const double share = (here.cylinders - before.cylinders) /
                         static_cast<double>(after.cylinders - before.cylinders);
    const double line_ms = before.time_ms + share * (after.time_ms - before.time_ms);
    const double apart_ms = here.time_ms - line_ms;
    const double error_ms = std::hypot(
        here.error_ms.value_or(0),
        std::hypot((1 - share) * before.error_ms.value_or(0), share * after.error_ms.value_or(0)));
    // A curve bends most at its beginning, where a line between neighbours is none of its own.
    if (!(error_ms > 0) || here.cylinders < 10 || std::abs(apart_ms) < kErrors * error_ms ||
        std::abs(apart_ms) < kLeastShare * here.time_ms)
      continue;
    odd.push_back(
        {i, std::abs(apart_ms) / error_ms,
         fmt::format("at {} cylinders {:.3f} ms {} the line between its neighbours, {:.0f} "
                     "standard errors",
                     here.cylinders, std::abs(apart_ms), apart_ms > 0 ? "above" : "below",
                     std::abs(apart_ms) / error_ms)});
  }
  std::ranges::sort(odd, std::greater(), &Odd::errors);
  // A peak bends the lines on its both sides: its neighbours are not odd themselves.
  std::vector<const Odd*> named;
  for (const Odd& each : odd)
    if (std::ranges::none_of(named, [&](const Odd* other) {
          return each.at + 1 == other->at || other->at + 1 == each.at;
        }))
      named.push_back(&each);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(most, named.size()); ++i) texts.push_back(named[i]->text);
  if (named.size() > most) texts.push_back(fmt::format("and {} places more", named.size() - most));
  return texts;
}

bool has_error_panels(std::span<const replay::Comparison> comparisons) {
  return std::ranges::any_of(comparisons, can_pair);
}

bool plot_error_panels(const replay::Result& drive, std::span<const Shown> models,
                       std::span<const replay::Comparison> comparisons, const std::string& path) {
  if (!has_error_panels(comparisons)) return false;
  std::vector<std::optional<Errors>> all(models.size());
  double widest_ms = 0;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (!can_pair(comparisons[i])) continue;
    all[i] = errors_of(drive, *models[i].result, comparisons[i]);
    std::vector<double> sorted = all[i]->ms;
    std::ranges::sort(sorted);
    if (sorted.empty()) continue;
    widest_ms = std::max({widest_ms, std::abs(statistics::quantile(sorted, 0.01)),
                          std::abs(statistics::quantile(sorted, 0.99))});
  }
  if (!(widest_ms > 0)) widest_ms = 1;
  const Canvas canvas = column_canvas(620);
  std::string data;
  std::vector<std::string> errors, folded, labels;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (!all[i]) continue;
    data += histogram_data(fmt::format("error{}", i), all[i]->ms, -1.1 * widest_ms,
                           1.1 * widest_ms);
    data += histogram_data(fmt::format("folded{}", i), all[i]->rev, -0.5, 0.5);
    labels.push_back(fitted(models[i].label, canvas));
    errors.push_back(fmt::format("$error{} using 1:2 with histeps linetype {} title {}", i, i + 2,
                                 report::quoted(labels.back())));
    folded.push_back(fmt::format("$folded{} using 1:2 with histeps linetype {} notitle", i, i + 2));
  }
  const Key key = key_above(labels, canvas);
  const std::string script =
      data + "set multiplot\n" + panel(0.61, 0.985 - key.share) + key.set +
      fmt::format(
          "set xlabel 'model less drive (ms)'\nset ylabel 'requests (%)'\n"
          "set xrange [{:.4g}:{:.4g}]\nset yrange [0:*]\n",
          -1.1 * widest_ms, 1.1 * widest_ms) +
      plot_of(errors) + panel(0.14, 0.46) +
      "set xlabel 'the same, folded into one revolution (rev)'\nset xrange [-0.5:0.5]\n"
      "set xtics 0.25\nset ytics 25\n"
      "set object 1 rectangle from -0.03125, graph 0 to 0.03125, graph 1 fillcolor rgb '#999999' "
      "fillstyle transparent solid 0.2 noborder behind\n" +
      plot_of(folded) + "unset multiplot\n";
  draw(script, path, canvas);
  return true;
}

}  // namespace platter::report
