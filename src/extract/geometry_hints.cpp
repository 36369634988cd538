#include "extract/geometry_hints.h"

#include <fmt/core.h>

#include <optional>

#include "scsi/bytes.h"
#include "scsi/replies.h"

namespace platter::extract {
namespace {

constexpr std::uint8_t kFormatPage = 0x03, kGeometryPage = 0x04, kNotchPage = 0x0C;

// Number of notches: bytes 4 and 5 of a notched drive's page; 0 where it is not notched.
std::optional<std::uint32_t> notches(const std::vector<std::uint8_t>& page) {
  constexpr std::uint8_t kNotched = 0x80;
  if (page.size() < 6 || !(page[2] & kNotched)) return std::nullopt;
  return scsi::get_be16(&page[4]);
}

}  // namespace

std::vector<std::string> contradicted_hints(scsi::Drive& drive, const model::Layout& layout,
                                            const engine::LayoutMap& map) {
  std::vector<std::string> sentences;
  const auto page = [&drive](std::uint8_t code) {
    return drive.settings().mode_page(code, scsi::PageControl::current);
  };
  if (const auto bytes = page(kGeometryPage))
    if (const auto said = scsi::decode_geometry_page(*bytes);
        said && (said->heads != map.heads() || said->cylinders != map.cylinders()))
      sentences.push_back(
          fmt::format("mode page 04h says {} heads and {} cylinders, the map has {} "
                      "and {}",
                      said->heads, said->cylinders, map.heads(), map.cylinders()));
  if (const auto bytes = page(kFormatPage))
    if (const auto said = scsi::decode_format_page(*bytes)) {
      const std::uint32_t outermost = map.track_of_slot(0).sectors;
      if (said->sectors_per_track > 0 && said->sectors_per_track != outermost)
        sentences.push_back(
            fmt::format("mode page 03h says {} sectors on a track, the map has {} on "
                        "its first",
                        said->sectors_per_track, outermost));
    }
  if (const auto bytes = page(kNotchPage))
    if (const auto said = notches(*bytes); said && *said != layout.zones.size())
      sentences.push_back(
          fmt::format("mode page 0Ch says {} zones, the map has {}", *said, layout.zones.size()));
  return sentences;
}

}  // namespace platter::extract
