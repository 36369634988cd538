#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <sstream>

#include "emit/disksim/import_parts.h"
#include "model/text_file.h"

namespace platter::emit_disksim {
namespace {

constexpr double kTolerance_ms = 1e-6;

using Curve = std::function<double(double)>;

// The fewest points (nearly) between which straight lines stay within 1 ns of a curve that has no
// inflection from `first` to `last`: each line is as long as its middle allows.
void sample(const Curve& curve, std::uint32_t first, std::uint32_t last,
            std::vector<model::SeekPoint>& points) {
  const auto straight = [&](std::uint32_t from, std::uint32_t to) {
    for (const std::uint32_t at :
         {from + (to - from) / 4, from + (to - from) / 2, to - (to - from) / 4}) {
      const double share = static_cast<double>(at - from) / static_cast<double>(to - from);
      const double line = curve(from) + share * (curve(to) - curve(from));
      if (std::fabs(line - curve(at)) > kTolerance_ms / 2) return false;
    }
    return true;
  };
  if (first > last) return;
  std::uint32_t at = first;
  points.push_back({at, curve(at), std::nullopt, 0});
  while (at < last) {
    std::uint32_t step = 1;
    while (step < last - at && straight(at, at + std::min(2 * step, last - at)))
      step = std::min(2 * step, last - at);
    at += std::min(step, last - at);
    points.push_back({at, curve(at), std::nullopt, 0});
  }
}

struct SeekFile {
  std::vector<model::SeekPoint> reads, writes;  // writes: where each line tells them
};

// Lines "distance, time in ms[, standard deviation in ms[, time of a write in ms]]" with the comma
// right behind the distance; a first line may tell their number. The fourth number is of Western
// Digital's "dual seek profile": seek and settling of a write in one.
SeekFile read_seek_file(const std::string& path, std::vector<std::string>& notes) {
  std::istringstream lines(model::read_text(path));
  SeekFile file;
  std::vector<model::SeekPoint>& points = file.reads;
  auto name = std::make_shared<const std::string>(path);
  bool deviations = false;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const Where where{name, number};
    if (line.find_first_not_of(" \t\r\f") == std::string::npos) continue;
    int announced = 0;
    if (number == 1 && std::sscanf(line.c_str(), "Seek distances measured: %d", &announced) == 1)
      continue;
    int distance = 0;
    double time_ms = 0, deviation_ms = 0, write_ms = 0;
    const int found = std::sscanf(line.c_str(), "%d, %lf, %lf, %lf", &distance, &time_ms,
                                  &deviation_ms, &write_ms);
    if (found < 2 || !std::isfinite(time_ms) || !std::isfinite(write_ms)) {
      fail_at(where,
              "a line of a seek file must be \"distance, time in ms[, deviation in ms[, time of a "
              "write in ms]]\"");
    }
    deviations = deviations || (found >= 3 && deviation_ms != 0);
    if (distance == 0 && points.empty()) continue;
    if (distance <= 0) fail_at(where, "a seek distance must be above 0");
    if (time_ms < 0 || write_ms < 0) fail_at(where, "a seek time must not be negative");
    if (!points.empty() && static_cast<std::uint32_t>(distance) <= points.back().cylinders) {
      fail_at(where, "seek distances must be in ascending order");
    }
    if (found == 4 && file.writes.size() != points.size())
      fail_at(where, "the line tells a time for writes, the lines in front of it do not");
    if (found < 4 && !file.writes.empty())
      fail_at(where, "the line tells no time for writes, the lines in front of it do");
    const auto cylinders = static_cast<std::uint32_t>(distance);
    points.push_back({cylinders, time_ms, std::nullopt, 0});
    if (found == 4) file.writes.push_back({cylinders, write_ms, std::nullopt, 0});
  }
  if (points.empty()) fail_at({name, 1}, "the seek file holds no seek times");
  if (deviations) {
    notes.push_back(
        "the seek file's deviations are those of single seeks, not errors of the times; they are "
        "left out");
  }
  return file;
}

// Ruemmler and Wilkes (IEEE Computer, March 1994): a + b sqrt(d) up to the knee, c + e d from there
// on.
struct Hpl {
  std::uint32_t knee = 0;
  double root_constant = 0, root_factor = 0, line_constant = 0, line_factor = 0;
  double single = -1;  // -1: the formula holds for one cylinder too

  double root(double distance) const { return root_constant + root_factor * std::sqrt(distance); }
  double line(double distance) const { return line_constant + line_factor * distance; }
};

Hpl read_hpl(BlockReader& mechanics) {
  const std::vector<Value>& values = mechanics.list("HPL seek equation values");
  const Where& where = mechanics.where("HPL seek equation values");
  if (values.size() != 6) fail_at(where, "\"HPL seek equation values\" must be six numbers");
  const std::int64_t knee = integer_of(values[0]);
  if (knee < 0 || knee > (1 << 30))
    fail_at(where, "the first of the HPL values must be a number of cylinders");
  Hpl hpl;
  hpl.knee = static_cast<std::uint32_t>(knee);
  hpl.root_constant = real_of(values[1]);
  hpl.root_factor = real_of(values[2]);
  hpl.line_constant = real_of(values[3]);
  hpl.line_factor = real_of(values[4]);
  hpl.single = real_of(values[5]);
  return hpl;
}

void append_hpl(const Hpl& hpl, std::uint32_t first, std::uint32_t full,
                std::vector<model::SeekPoint>& points) {
  const std::uint32_t knee = std::max(hpl.knee, first);
  if (knee > first)
    sample([&](double d) { return hpl.root(d); }, first, std::min(knee - 1, full), points);
  if (knee <= full) sample([&](double d) { return hpl.line(d); }, knee, full, points);
}

std::vector<model::SeekPoint> hpl_points(BlockReader& mechanics, std::uint32_t full) {
  const Hpl hpl = read_hpl(mechanics);
  std::vector<model::SeekPoint> points;
  if (hpl.single != -1) points.push_back({1, hpl.single, std::nullopt, 0});
  append_hpl(hpl, hpl.single != -1 ? 2 : 1, full, points);
  return points;
}

std::vector<model::SeekPoint> hpl_plus_10_points(BlockReader& mechanics, std::uint32_t full) {
  const std::vector<Value>& values = mechanics.list("First ten seek times");
  if (values.size() != 10) {
    fail_at(mechanics.where("First ten seek times"),
            "\"First ten seek times\" must be ten numbers");
  }
  std::vector<model::SeekPoint> points;
  for (std::uint32_t i = 0; i < 10; ++i)
    points.push_back({i + 1, real_of(values[i]), std::nullopt, 0});
  append_hpl(read_hpl(mechanics), 11, full, points);
  return points;
}

struct ThreeTimes {
  double one, average, full;
};

ThreeTimes read_three(BlockReader& mechanics) {
  return {mechanics.real("Single cylinder seek time"), mechanics.real("Average seek time"),
          mechanics.real("Full strobe seek time")};
}

// Lines through the times of one cylinder, a third of the stroke and the full stroke.
std::vector<model::SeekPoint> line_points(BlockReader& mechanics, std::uint32_t full) {
  const ThreeTimes times = read_three(mechanics);
  std::vector<model::SeekPoint> points{{1, times.one, std::nullopt, 0}};
  if (full / 3 > 1) points.push_back({full / 3, times.average, std::nullopt, 0});
  if (full > 1) points.push_back({full, times.full, std::nullopt, 0});
  return points;
}

// Lee and Katz (1993): one + b (d - 1) + c sqrt(d - 1) through the same three times.
std::vector<model::SeekPoint> curve_points(BlockReader& mechanics, std::uint32_t full) {
  const ThreeTimes times = read_three(mechanics);
  const double cylinders = static_cast<double>(full) + 1;
  const double c = (-10 * times.one + 15 * times.average - 5 * times.full) /
                   (3 * std::sqrt(cylinders));
  const double b = (7 * times.one - 15 * times.average + 8 * times.full) / (3 * cylinders);
  std::vector<model::SeekPoint> points;
  sample([&](double d) { return times.one + b * (d - 1) + c * std::sqrt(d - 1); }, 1, full, points);
  return points;
}

}  // namespace

ImportedSeeks import_seek(BlockReader& mechanics, std::uint32_t cylinders,
                          const std::string& top_folder, std::vector<std::string>& notes) {
  ImportedSeeks seeks;
  model::Seek& seek = seeks.reads;
  seek.method = "imported";
  const std::uint32_t full = std::max<std::uint32_t>(cylinders, 2) - 1;
  const std::string type = mechanics.text("Seek type");
  const bool not_in_disksim = type == "linear" || type == "curve" || type == "constant" ||
                              type == "hpl";
  if (type == "extracted") {
    SeekFile file = read_seek_file(
        find_named_file(mechanics, "Full seek curve", "the seek file", top_folder), notes);
    seek.points = std::move(file.reads);
    if (!file.writes.empty()) seeks.writes = {std::move(file.writes), seek.method, ""};
  } else if (type == "hplplus10") {
    seek.points = hpl_plus_10_points(mechanics, full);
  } else if (type == "hpl") {
    seek.points = hpl_points(mechanics, full);
  } else if (type == "linear") {
    seek.points = line_points(mechanics, full);
  } else if (type == "curve") {
    seek.points = curve_points(mechanics, full);
  } else if (type == "constant") {
    const double time_ms = mechanics.real("Constant seek time");
    seek.points = {{1, time_ms, std::nullopt, 0}, {full + 1, time_ms, std::nullopt, 0}};
  } else {
    fail_at(mechanics.where("Seek type"), fmt::format("the seek type {} is unknown", type));
  }
  if (not_in_disksim) {
    notes.push_back(fmt::format(
        "seek type {} is taken as documented; DiskSim 4.0 itself computes it wrongly", type));
  }
  for (const model::SeekPoint& point : seek.points) {
    if (!(point.time_ms >= 0)) {
      fail_at(mechanics.where("Seek type"),
              fmt::format("the seek time for {} cylinders is negative", point.cylinders));
    }
  }
  return seeks;
}

}  // namespace platter::emit_disksim
