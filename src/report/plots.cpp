#include "report/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
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

// The tracks of one head, in whatever order they come. Millions of them follow on each other.
class HeadTracks {
 public:
  void add(std::int64_t cylinder, std::uint32_t sectors) {
    if (!stretches_.empty() && stretches_.back().sectors == sectors) {
      Stretch& last = stretches_.back();
      if (cylinder == last.last_cylinder + 1) return void(last.last_cylinder = cylinder);
      if (cylinder == last.first_cylinder - 1) return void(last.first_cylinder = cylinder);
    }
    if (stretches_.size() >= merge_at_) {
      merge(stretches_);
      merge_at_ = std::max(merge_at_, 2 * stretches_.size());
    }
    stretches_.push_back({cylinder, cylinder, sectors});
  }
  Stretches merged() && {
    merge(stretches_);
    return std::move(stretches_);
  }

 private:
  Stretches stretches_{};
  std::size_t merge_at_ = 4096;
};
using Heads = std::map<std::int64_t, HeadTracks>;

// time, share in percent, how much later than the first distribution at the same share
std::string curve_data(std::size_t number, const std::vector<double>& sorted,
                       const std::vector<double>& first) {
  std::string data = fmt::format("$curve{} << EOD\n", number);
  const std::size_t steps = std::min(sorted.size(), kMostSteps);
  if (steps == 0 || first.empty()) return data + "NaN NaN NaN\nEOD\n";
  for (std::size_t i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(steps);
    const double time_ms = statistics::quantile(sorted, share);
    data += fmt::format("{:.4f} {:.3f} {:.4f}\n", time_ms, 100 * share,
                        time_ms - statistics::quantile(first, share));
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

void collect_tracks(const model::LayoutNode& node, std::int64_t cylinder, std::int64_t head,
                    Heads& heads) {
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const std::int64_t here = cylinder + node.cylinder + std::int64_t{node.cylinder_step} * i;
    const std::int64_t below = head + node.head + std::int64_t{node.head_step} * i;
    if (node.sectors > 0) heads[below].add(here, node.sectors);
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
                        const std::string& path, const Canvas& canvas) {
  std::string data;
  std::vector<double> first;
  std::vector<std::string> curves, apart;
  double longest_ms = 0, apart_ms = 0;
  for (std::size_t i = 0; i < distributions.size(); ++i) {
    std::vector<double> sorted = distributions[i].times_ms;
    std::sort(sorted.begin(), sorted.end());
    if (i == 0) first = sorted;
    longest_ms = std::max(longest_ms, statistics::quantile(sorted, kShownShare));
    apart_ms = std::max(apart_ms, farthest_ms(sorted, first));
    data += curve_data(i, sorted, first);
    curves.push_back(fmt::format("$curve{} using 1:2 with lines linetype {} title {}", i, i + 1,
                                 quoted(distributions[i].label)));
    apart.push_back(fmt::format("$curve{} using 2:3 with lines linetype {} notitle", i, i + 1));
  }
  const bool panels = distributions.size() > 1 && !is_for_terminal(path);
  std::string script = data +
                       (panels ? "set multiplot\n" + panel(0.46, title.empty() ? 0.98 : 0.94)
                               : std::string()) +
                       fmt::format(
                           "set title {}\n"
                           "set xlabel 'response time (ms)'\nset ylabel 'requests (%)'\n"
                           "set xrange [0:{:.4f}]\nset yrange [0:100]\nset ytics 20\n"
                           "set key bottom right\n",
                           quoted(title), longest_ms > 0 ? longest_ms * 1.02 : 1) +
                       plot_of(curves);
  if (panels)
    script += panel(0.12, 0.345) + few_tics('y', 2.4 * apart_ms) +
              fmt::format(
                  "unset title\nset xlabel 'requests (%), by response time'\n"
                  "set ylabel 'model less drive (ms)'\nset xrange [0:100]\n"
                  "set yrange [{:.4g}:{:.4g}]\n",
                  -std::max(apart_ms, 1e-3) * 1.2, std::max(apart_ms, 1e-3) * 1.2) +
              plot_of(apart) + "unset multiplot\n";
  draw(script, path, canvas);
}

void plot_zones(const std::string& title, const model::Layout& layout, const std::string& path,
                const Canvas& canvas) {
  Heads heads;
  for (const model::LayoutNode& zone : layout.zones) collect_tracks(zone, 0, 0, heads);
  std::vector<Stretches> lines;
  for (auto& [head, tracks] : heads) lines.push_back(std::move(tracks).merged());
  const bool alike = std::all_of(lines.begin(), lines.end(),
                                 [&](const Stretches& line) { return line == lines.front(); });
  if (alike && !lines.empty()) lines.resize(1);
  std::string data;
  std::vector<std::string> plots;
  std::uint32_t most = 0;
  std::int64_t innermost = 1;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    data += stretch_data(i, lines[i]);
    for (const Stretch& stretch : lines[i]) {
      most = std::max(most, stretch.sectors);
      innermost = std::max(innermost, stretch.last_cylinder);
    }
    plots.push_back(fmt::format("$head{} using 1:2 with lines linetype {} {}", i, i + 2,
                                alike ? "notitle" : fmt::format("title 'head {}'", i)));
  }
  draw(data + few_tics('x', static_cast<double>(innermost)) +
           fmt::format("set title {}\n"
                       "set xlabel 'cylinder (0 is the outermost)'\n"
                       "set ylabel 'sectors per track'\n"
                       "set xrange [0:{:.0f}]\nset yrange [0:{:.0f}]\nset key bottom left\n",
                       quoted(title), static_cast<double>(innermost) * 1.02, most * 1.08) +
           plot_of(plots),
       path, canvas);
}

}  // namespace platter::report
