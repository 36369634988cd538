#include "report/seek_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/seek_fit.h"

namespace platter::report {
namespace {

constexpr std::uint32_t kNear = 100;  // cylinders

// What gnuplot draws of the curves, and how much room it takes.
struct Drawing {
  std::vector<std::string> labels{};
  std::string data{};  // a block for each curve: cylinders, time, error, what is left, ms
  std::vector<std::string> whole{}, left{};
  bool has_formula = false;
  std::uint32_t farthest = 1;
  double tallest_ms = 0, tallest_near_ms = 0, least_left_ms = 0, most_left_ms = 0;
};

std::string formula_curve(const model::SeekFit& fit) {
  return fmt::format("x <= {} ? {:.6f} + {:.6f} * sqrt(x) : {:.6f} + {:.9f} * x", fit.knee,
                     fit.a_ms, fit.b_ms, fit.c_ms, fit.e_ms);
}

void add_points(Drawing& drawing, const model::Seek& seek,
                const std::optional<model::SeekFit>& fit) {
  for (const model::SeekPoint& point : seek.points) {
    const double left_ms = point.time_ms - (fit ? fit->time_ms(point.cylinders) : 0);
    drawing.data += fmt::format("{} {:.6f} {:.6f} {:.6f}\n", point.cylinders, point.time_ms,
                                point.error_ms.value_or(0), left_ms);
    drawing.farthest = std::max(drawing.farthest, point.cylinders);
    drawing.least_left_ms = std::min(drawing.least_left_ms, left_ms);
    drawing.most_left_ms = std::max(drawing.most_left_ms, left_ms);
    drawing.tallest_ms = std::max(drawing.tallest_ms, point.time_ms);
    if (point.cylinders <= kNear)
      drawing.tallest_near_ms = std::max(drawing.tallest_near_ms, point.time_ms);
  }
}

Drawing drawing_of(std::span<const SeekCurve> curves, const Canvas& canvas, bool for_terminal,
                   bool with_formula) {
  Drawing drawing;
  const auto fit = curves.empty() ? std::nullopt : model::fit_seek(curves.front().seek);
  drawing.has_formula = fit && with_formula && !for_terminal;
  std::vector<std::string> names;
  for (const SeekCurve& each : curves)
    names.push_back(each.label.empty() ? "measured" : each.label);
  drawing.labels = fitted_all(names, canvas);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const auto& points = curves[i].seek.points;
    drawing.data += fmt::format("$seek{} << EOD\n", i);
    add_points(drawing, curves[i].seek, fit);
    drawing.data += "EOD\n";
    const auto curve = [&](const char* columns, const std::string& style) {
      return fmt::format("$seek{} using {} with {}", i, columns, style);
    };
    const std::string line =
        for_terminal
            ? fmt::format("lines linetype {} ", i + 2)
            : fmt::format("linespoints linetype {} linewidth 1.5 pointtype 7 pointsize 0.25 ",
                          i + 2);
    drawing.whole.push_back(curve("1:2", line + "title " + report::quoted(drawing.labels[i])));
    drawing.left.push_back(curve("1:4", line + "notitle"));
    const bool errors = std::ranges::any_of(
        points, [](const model::SeekPoint& point) { return point.error_ms.value_or(0) > 0; });
    if (errors && !for_terminal)
      drawing.whole.push_back(
          curve("1:($2-$3):(0):(2*$3)",
                fmt::format("vectors nohead linetype {} dashtype 1 linewidth 1 notitle", i + 2)));
  }
  if (drawing.has_formula) {
    drawing.labels.push_back("a + b √d, c + e d");
    drawing.whole.push_back(
        formula_curve(*fit) +
        " with lines linecolor rgb '#777777' dashtype (2,4) linewidth 1.5 title " +
        report::quoted(drawing.labels.back()));
  }
  return drawing;
}

// Every decade, or every other where their numbers would touch.
std::string decades(double farthest, const Canvas& canvas) {
  const double letters = 1.2 * canvas.width / canvas.font;  // of the axis's width
  const double count = std::max(1.0, std::log10(farthest));
  return fmt::format("set logscale x\nset xtics {}\n", letters / count < count + 3 ? 100 : 10);
}

std::string axes(const char* of_y, double farthest, double tallest_ms) {
  return fmt::format(
      "set samples 1000\nset xlabel 'seek distance (cylinders)'\nset ylabel '{}'\n"
      "set xrange [0:{:.0f}]\nset yrange [0:{}]\n",
      of_y, farthest, tallest_ms > 0 ? fmt::format("{:.3f}", tallest_ms) : "*");
}

}  // namespace

std::vector<SeekCurve> seek_curves_of(const model::DriveModel& model, const std::string& name) {
  if (!model.outward_seek && !model.write_seek) return {{name, model.seek}};
  std::vector<SeekCurve> curves{{model.outward_seek ? "reads, inward" : "reads", model.seek}};
  if (model.outward_seek) curves.push_back({"reads, outward", *model.outward_seek});
  if (model.write_seek)
    curves.push_back({model.outward_seek ? "writes, inward" : "writes", *model.write_seek});
  return curves;
}

void plot_seeks(const std::string& title, std::span<const SeekCurve> curves,
                const std::string& path, const Canvas& canvas, bool log_distance) {
  const Drawing drawing = drawing_of(curves, canvas, is_for_terminal(path), curves.size() == 1);
  const Key key = key_above(drawing.labels, canvas);
  draw(drawing.data +
           (log_distance ? decades(drawing.farthest, canvas) : few_tics('x', drawing.farthest)) +
           axes("seek time (ms)", drawing.farthest * 1.02, 0) +
           few_tics('y', drawing.tallest_ms * 1.1, room_of_one_panel(key, canvas)) +
           (log_distance ? fmt::format("set xrange [1:{}]\n", drawing.farthest) : "") +
           fmt::format("set title {}\n", quoted(title)) + key.set + plot_of(drawing.whole),
       path, canvas);
}

void plot_seek_panels(std::span<const SeekCurve> curves, const std::string& path) {
  const Canvas canvas = column_canvas(860);
  const Drawing drawing = drawing_of(curves, canvas, false, true);
  const Key key = key_above(drawing.labels, canvas);
  std::string script = drawing.data + "set multiplot\n" + few_tics('x', drawing.farthest) +
                       panel(0.63, 0.98 - key.share) +
                       axes("seek time (ms)", drawing.farthest * 1.02, 0) + key.set +
                       plot_of(drawing.whole) + "unset key\n";
  if (drawing.has_formula)
    script += panel(0.395, 0.525) +
              "set ylabel 'less formula (ms)'\nunset xlabel\nset yrange [*:*]\n" +
              few_tics('y', drawing.most_left_ms - drawing.least_left_ms) + plot_of(drawing.left);
  const double least_farthest = std::min(kNear, drawing.farthest);
  const double tallest_ms = 1.15 * (drawing.tallest_near_ms > 0 ? drawing.tallest_near_ms : 1);
  script += few_tics('x', least_farthest) + few_tics('y', tallest_ms) +
            panel(0.09, drawing.has_formula ? 0.32 : 0.5) +
            axes("near (ms)", least_farthest, tallest_ms) + plot_of(drawing.whole) +
            "unset multiplot\n";
  draw(script, path, canvas);
}

}  // namespace platter::report
