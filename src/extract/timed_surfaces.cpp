#include "extract/timed_surfaces.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/layout_map.h"
#include "model/known.h"
#include "model/parameters.h"
#include "scsi/replies.h"

namespace platter::extract {
namespace {

constexpr std::uint8_t kGeometryPage = 0x04;
constexpr const char* kOrder = "order of the bands by timing";
constexpr const char* kPage = "mode page 04h";
// Measured: it was the drive's number on 64 of 104 drives of three kinds.
constexpr double kOrderIsRight = 0.6;

// The geometry that the drive states (SCSI-2, 9.3.3), which may be made up.
std::optional<scsi::GeometryPage> stated(scsi::Drive& drive) {
  const auto bytes = drive.settings().mode_page(kGeometryPage, scsi::PageControl::current);
  return bytes ? scsi::decode_geometry_page(*bytes) : std::nullopt;
}

constexpr double kMeasured = 0.99;  // chance from which on they are no guess
constexpr const char* kMoves = "times of moves between bands";

model::Parameter count_of(double value, double error,
                          const layout_by_timing::FoundSurfaces& measured) {
  model::Parameter count;
  count.value = value;
  count.error = error;
  count.method = measured.told ? "address translation" : kMoves;
  count.samples = measured.moves;
  return count;
}

// Where the count of the bands shifted between those that were looked at, a round may be missing.
void say_measured(const layout_by_timing::FoundSurfaces& measured, double heads, double cylinders,
                  model::Layout& layout) {
  layout.heads = count_of(heads, 0, measured);
  layout.cylinders = count_of(
      cylinders, static_cast<double>(measured.shifts + 1) * measured.tracks_a_band, measured);
}

void guess_by_chance(const layout_by_timing::FoundSurfaces& measured, double tracks,
                     model::Layout& layout) {
  constexpr double kWorthSaying = 0.01;
  std::vector<std::pair<double, std::size_t>> likely;
  for (std::size_t heads = 1; heads < measured.chances_of_heads.size(); ++heads)
    if (measured.chances_of_heads[heads] > kWorthSaying)
      likely.emplace_back(measured.chances_of_heads[heads], heads);
  std::ranges::sort(likely, std::greater{});
  for (const auto& [chance, heads] : likely) {
    const auto count = static_cast<double>(heads);
    add_guess(layout.heads, {count, chance, kMoves});
    add_guess(layout.cylinders, {std::ceil(tracks / count), chance, kMoves});
  }
}

// Where the page says the same, two witnesses agree, and nobody can say how likely they are wrong.
model::Guess by_order(double value, bool page_agrees) {
  if (page_agrees) return {value, std::nullopt, std::string(kOrder) + ", " + kPage};
  return {value, kOrderIsRight, kOrder};
}

}  // namespace

bool is_sure(const layout_by_timing::Surfaces& surfaces) {
  return surfaces.measured && surfaces.measured->best.heads_chance > kMeasured;
}

void say_surfaces(scsi::Drive& drive, const layout_by_timing::Surfaces& surfaces,
                  model::Layout& layout) {
  const engine::LayoutMap map(layout);
  const double heads = map.heads(), cylinders = map.cylinders(), tracks = heads * cylinders;
  const auto page = stated(drive);
  layout.heads = model::absent("angles do not tell surfaces, and a map by timing has no others");
  layout.cylinders = model::absent("they are the tracks of a surface, whose number is not certain");
  const bool agrees = page && page->heads == heads;
  if (is_sure(surfaces)) {
    say_measured(*surfaces.measured, surfaces.heads, cylinders, layout);
    return;
  }
  layout.heads.at_least = 1, layout.heads.at_most = layout_by_timing::kMostSurfaces;
  if (surfaces.measured)
    guess_by_chance(*surfaces.measured, tracks, layout);
  else if (surfaces.told) {
    add_guess(layout.heads, by_order(heads, agrees));
    add_guess(layout.cylinders, by_order(cylinders, agrees));
  }
  for (const std::uint32_t other : surfaces.others) {
    add_guess(layout.heads, {static_cast<double>(other), std::nullopt, kOrder});
    add_guess(layout.cylinders, {std::ceil(tracks / other), std::nullopt, kOrder});
  }
  if (page && page->heads > 0 && !agrees)
    add_guess(layout.heads, {static_cast<double>(page->heads), std::nullopt, kPage});
  if (page && page->cylinders > 0 && !agrees)
    add_guess(layout.cylinders, {static_cast<double>(page->cylinders), std::nullopt, kPage});
}

}  // namespace platter::extract
