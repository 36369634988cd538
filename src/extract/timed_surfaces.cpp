#include "extract/timed_surfaces.h"

#include <cmath>
#include <optional>
#include <string>

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

// Where the page says the same, two witnesses agree, and nobody can say how likely they are wrong.
model::Guess by_order(double value, bool page_agrees) {
  if (page_agrees) return {value, std::nullopt, std::string(kOrder) + ", " + kPage};
  return {value, kOrderIsRight, kOrder};
}

}  // namespace

void say_surfaces(scsi::Drive& drive, const layout_by_timing::Surfaces& surfaces,
                  model::Layout& layout) {
  const engine::LayoutMap map(layout);
  const double heads = map.heads(), cylinders = map.cylinders(), tracks = heads * cylinders;
  const auto page = stated(drive);
  layout.heads = model::absent("angles do not tell surfaces, and a map by timing has no others");
  layout.cylinders = model::absent("they are the tracks of a surface, whose number is not certain");
  const bool agrees = page && page->heads == heads;
  if (surfaces.told) {
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
