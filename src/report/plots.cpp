#include "report/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "report/gnuplot.h"
#include "statistics/distribution.h"

namespace platter::report {
namespace {

constexpr std::size_t kMostSteps = 1000;  // of a drawn distribution: a pixel
constexpr double kShownShare = 0.999;     // the slowest 0.1 % would squeeze the rest

// Sectors per track from one cylinder to the next change.
struct Stretch {
  std::int64_t first_cylinder = 0, last_cylinder = 0;
  std::uint32_t sectors = 0;
  bool operator==(const Stretch&) const = default;
};
using Stretches = std::vector<Stretch>;

// Puts what follows on each other at the same number of sectors into one.
void merge(Stretches& stretches) {
  std::ranges::stable_sort(stretches, {}, &Stretch::first_cylinder);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    Stretch& last = stretches[kept];
    if (stretches[i].sectors == last.sectors) {
      last.last_cylinder = std::max(last.last_cylinder, stretches[i].last_cylinder);
    } else {
      stretches[++kept] = stretches[i];
    }
  }
  if (!stretches.empty()) stretches.resize(kept + 1);
}

// Whole steps of so many cylinders, disjoint; where several share one it has the most sectors.
Stretches coarse(const Stretches& fine, std::int64_t step) {
  Stretches all;
  for (Stretch each : fine) {
    each.first_cylinder -= (each.first_cylinder % step + step) % step;
    each.last_cylinder += step - 1 - (each.last_cylinder % step + step) % step;
    if (!all.empty() && all.back().last_cylinder >= each.first_cylinder) {
      Stretch& before = all.back();
      if (before.first_cylinder == each.first_cylinder)
        before.sectors = std::max(before.sectors, each.sectors);
      else if (each.sectors > before.sectors)
        before.last_cylinder = each.first_cylinder - 1;
      each.first_cylinder = std::max(each.first_cylinder, before.last_cylinder + 1);
    }
    if (each.first_cylinder <= each.last_cylinder) all.push_back(each);
  }
  merge(all);
  return all;
}

// The tracks of one head, in whatever order they come. Millions of them follow on each other; where
// they do not, a picture has no use for more than kMostStretches.
class HeadTracks {
 public:
  void add(std::int64_t cylinder, std::uint32_t sectors) {
    const std::int64_t first = cylinder - (cylinder % step_ + step_) % step_;
    if (!stretches_.empty()) {
      Stretch& last = stretches_.back();
      if (last.sectors == sectors) {
        if (first >= last.first_cylinder && first < last.last_cylinder) return;
        if (first == last.last_cylinder + 1) return void(last.last_cylinder += step_);
        if (first == last.first_cylinder - step_) return void(last.first_cylinder = first);
      }
      if (step_ > 1 && last.first_cylinder == first && last.last_cylinder == first + step_ - 1)
        return void(last.sectors = std::max(last.sectors, sectors));
    }
    if (stretches_.size() >= merge_at_) {
      merge(stretches_);
      while (stretches_.size() > kMostStretches / 2) stretches_ = coarse(stretches_, step_ *= 2);
      merge_at_ = std::max(merge_at_, 2 * stretches_.size());
    }
    stretches_.push_back({first, first + step_ - 1, sectors});
  }
  Stretches merged() && {
    merge(stretches_);
    return std::move(stretches_);
  }

 private:
  static constexpr std::size_t kMostStretches = 65536;

  Stretches stretches_{};
  std::size_t merge_at_ = 4096;
  std::int64_t step_ = 1;  // cylinders that are drawn as one
};
using Heads = std::vector<HeadTracks>;  // by their numbers

// The shares at which a distribution of so many times is drawn.
std::vector<double> shares_of(std::size_t count, bool complementary) {
  std::vector<double> shares;
  const std::size_t steps = std::min(count, kMostSteps);
  for (std::size_t i = 0; i <= steps; ++i)
    shares.push_back(static_cast<double>(i) / static_cast<double>(steps));
  if (!complementary) return shares;
  shares.clear();  // as many in each decade down to the slowest request
  constexpr double kPerDecade = 200;
  const double decades = std::log10(static_cast<double>(count));
  for (double i = 0; i <= decades * kPerDecade; ++i)
    shares.push_back(1 - std::pow(10, -i / kPerDecade));
  shares.push_back(1 - 1 / static_cast<double>(count));
  return shares;
}

// Time, share in percent, how much later than the first distribution at the same share, and where
// that is beyond the scale, which ends `apart_limit_ms` either way, the scale's end.
std::string curve_data(std::size_t number, const std::vector<double>& sorted,
                       const std::vector<double>& first, double apart_limit_ms,
                       bool complementary) {
  std::string data = fmt::format("$curve{} << EOD\n", number);
  if (sorted.empty() || first.empty()) return data + "NaN NaN NaN NaN\nEOD\n";
  for (const double share : shares_of(sorted.size(), complementary)) {
    const double time_ms = statistics::quantile(sorted, share);
    const double later_ms = time_ms - statistics::quantile(first, share);
    const std::string beyond = std::abs(later_ms) > apart_limit_ms
                                   ? fmt::format("{:.4f}", std::copysign(apart_limit_ms, later_ms))
                                   : "NaN";
    data += fmt::format("{:.4f} {:.7g} {:.4f} {}\n", time_ms,
                        100 * (complementary ? 1 - share : share), later_ms, beyond);
  }
  return data + "EOD\n";
}

// The farthest that one lies from the first, but for the fastest and slowest percent.
double farthest_ms(const std::vector<double>& sorted, const std::vector<double>& first) {
  double apart_ms = 0;
  for (int percent = 1; percent <= 99 && !sorted.empty() && !first.empty(); ++percent)
    apart_ms = std::max(apart_ms, std::abs(statistics::quantile(sorted, percent / 100.0) -
                                           statistics::quantile(first, percent / 100.0)));
  return apart_ms;
}

// Numbers at 0 and one or two on each side.
std::string tics_around_0(double limit) {
  double step = std::pow(10, std::floor(std::log10(limit)));
  for (const double factor : {2.0, 2.5})
    if (factor * step <= limit) step *= factor;
  return fmt::format("set ytics {:.6g}\nset format y '%.6g'\n", step);
}

void collect_tracks(const model::LayoutNode& node, std::int64_t cylinder, std::int64_t head,
                    Heads& heads) {
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const std::int64_t here = cylinder + node.cylinder + std::int64_t{node.cylinder_step} * i;
    const std::int64_t below = head + node.head + std::int64_t{node.head_step} * i;
    if (node.sectors > 0) {
      const auto surface = static_cast<std::size_t>(below);
      if (surface >= heads.size()) heads.resize(surface + 1);
      heads[surface].add(here, node.sectors);
    }
    for (const model::LayoutNode& child : node.children) collect_tracks(child, here, below, heads);
  }
}

std::string stretch_data(std::size_t number, const Stretches& stretches) {
  std::string data = fmt::format("$head{} << EOD\n", number);
  for (const Stretch& stretch : stretches)
    data += fmt::format("{} {}\n{} {}\n", stretch.first_cylinder, stretch.sectors,
                        stretch.last_cylinder + 1, stretch.sectors);
  return data + "EOD\n";
}

}  // namespace

void plot_distributions(const std::string& title, std::span<const Distribution> distributions,
                        const std::string& path, const Canvas& canvas,
                        const DistributionAxes& axes) {
  std::vector<std::vector<double>> sorted;
  std::vector<std::string> names;
  double shown_ms = 0, shortest_ms = 0, longest_ms = 0, apart_ms = 0;
  std::size_t most_requests = 1;
  for (const Distribution& each : distributions) {
    sorted.push_back(each.times_ms);
    names.push_back(each.label);
    std::ranges::sort(sorted.back());
    if (sorted.back().empty()) continue;
    shown_ms = std::max(shown_ms, statistics::quantile(sorted.back(), kShownShare));
    longest_ms = std::max(longest_ms, sorted.back().back());
    if (shortest_ms <= 0 || sorted.back().front() < shortest_ms)
      shortest_ms = sorted.back().front();
    most_requests = std::max(most_requests, sorted.back().size());
    apart_ms = std::max(apart_ms, farthest_ms(sorted.back(), sorted.front()));
  }
  const std::vector<std::string> labels = fitted_all(names, canvas);
  const bool cut = !axes.complementary && !axes.log_time && longest_ms > 1.02 * shown_ms;
  const double apart_limit_ms = std::max(apart_ms, 1e-3) * 1.2;
  std::string data;
  std::vector<std::string> curves, apart;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    data += curve_data(i, sorted[i], sorted.front(), apart_limit_ms, axes.complementary);
    curves.push_back(fmt::format("$curve{} using 1:2 with lines linetype {} title {}", i, i + 1,
                                 report::quoted(labels[i])));
    apart.push_back(fmt::format("$curve{} using 2:3 with lines linetype {} notitle", i, i + 1));
    apart.push_back(fmt::format(
        "$curve{} using 2:4 with points linetype {} pointtype 2 pointsize 0.4 notitle", i, i + 1));
  }
  const bool panels = distributions.size() > 1 && !is_for_terminal(path) && !axes.complementary;
  const Key key = key_above(labels, canvas);
  // Room for numbers and words below each panel, in lines of text.
  const double line = 1.0 * canvas.font / canvas.height;
  const double top = 1 - key.share - line * (title.empty() ? 0.5 : 2), lower = 5 * line;
  const double between = 5.4 * line, middle = lower + 0.35 * (top - lower - between);
  const double upper = panels ? middle + between : lower;
  std::string script = data + (panels ? "set multiplot\n" + panel(upper, top, canvas) : "") +
                       fmt::format("set title {}\nset xlabel 'response time (ms){}'\n",
                                   quoted(title), cut ? ", to 99.9 %" : "") +
                       key.set;
  const double last_ms = longest_ms > 0 ? 1.02 * (cut ? shown_ms : longest_ms) : 1;
  const double first_ms = axes.log_time ? 0.95 * std::clamp(shortest_ms, last_ms * 1e-9, last_ms)
                                        : 0;
  if (axes.log_time) script += log_tics('x', first_ms, last_ms);
  if (axes.complementary)
    script += "set ylabel 'requests that take longer (%)'\nset yrange [*:100]\n" +
              log_tics('y', 100.0 / static_cast<double>(most_requests), 100);
  else
    script += "set ylabel 'requests (%)'\nset yrange [0:100]\n" +
              few_tics('y', 100, std::min(5.0, tics_in(top - upper, canvas)));
  script += fmt::format("set xrange [{:.4g}:{:.4f}]\n", first_ms, last_ms);
  script += plot_of(curves);
  if (panels)
    script += panel(lower, middle, canvas) + tics_around_0(apart_limit_ms) +
              fmt::format(
                  "unset title\nunset logscale\nset xlabel 'requests (%); x: beyond'\n"
                  "set ylabel 'later (ms)'\nset xrange [0:100]\nset format x '%g'\n"
                  "set xtics autofreq\nset yrange [{:.4g}:{:.4g}]\n",
                  -apart_limit_ms, apart_limit_ms) +
              plot_of(apart) + "unset multiplot\n";
  draw(script, path, canvas);
}

void plot_zones(const std::string& title, const model::Layout& layout, const std::string& path,
                const Canvas& canvas) {
  Heads heads;
  for (const model::LayoutNode& zone : layout.zones) collect_tracks(zone, 0, 0, heads);
  std::vector<Stretches> lines;
  for (HeadTracks& tracks : heads)
    if (Stretches merged = std::move(tracks).merged(); !merged.empty())
      lines.push_back(std::move(merged));
  const bool alike = std::all_of(lines.begin(), lines.end(),
                                 [&](const Stretches& line) { return line == lines.front(); });
  if (alike && !lines.empty()) lines.resize(1);
  std::string data;
  std::vector<std::string> plots, labels;
  std::uint32_t most = 0;
  std::int64_t innermost = 1;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    data += stretch_data(i, lines[i]);
    for (const Stretch& stretch : lines[i]) {
      most = std::max(most, stretch.sectors);
      innermost = std::max(innermost, stretch.last_cylinder);
    }
    if (!alike) labels.push_back(fmt::format("head {}", i));
    plots.push_back(fmt::format("$head{} using 1:2 with lines linetype {} {}", i, i + 2,
                                alike ? "notitle" : fmt::format("title 'head {}'", i)));
  }
  const Key key = key_above(labels, canvas);
  draw(data + few_tics('x', static_cast<double>(innermost)) +
           few_tics('y', most * 1.08, room_of_one_panel(key, canvas)) + key.set +
           fmt::format("set title {}\n"
                       "set xlabel 'cylinder (0 is the outermost)'\n"
                       "set ylabel 'sectors per track'\n"
                       "set xrange [0:{:.0f}]\nset yrange [0:{:.0f}]\n",
                       quoted(title), static_cast<double>(innermost) * 1.02, most * 1.08) +
           plot_of(plots),
       path, canvas);
}

}  // namespace platter::report
