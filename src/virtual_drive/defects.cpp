#include "virtual_drive/defects.h"

#include <algorithm>
#include <tuple>

#include "engine/layout_map.h"
#include "model/error.h"
#include "scsi/bytes.h"

namespace platter::virtual_drive {
namespace {

constexpr std::size_t kMostDefects = std::size_t{1} << 22;
constexpr std::uint64_t kMostLookedAt = std::uint64_t{1} << 25;  // tracks

// Slots from first to last, inclusive: a run of skipped ones, a track, the tracks of a cylinder.
struct Span {
  std::uint64_t first = 0, last = 0;
  bool reaches_end_of(const Span& other) const {
    return first <= other.first || last >= other.last;
  }
};

// Judges runs of skipped slots by where they lie on the layout, remaps left aside.
class Judge {
 public:
  explicit Judge(const engine::LayoutMap& map) : map_(map) {}

  bool is_spare(const Span& run) const {
    const Span track = track_around(run.first);
    if (run.first > track.first && run.last < track.last) return false;
    return reaches_zone_end(run) || is_track_spare(run) || is_cylinder_spare(run);
  }

  // A series whose first and last runs both lie at an end of their tracks. Spares recur without
  // end, in a scratch each run lies some sectors further on.
  bool is_spare_series(const model::Skip& skip) const {
    constexpr std::uint64_t kRegularSeries = 8;
    const auto at_track_end = [&](std::uint64_t first) {
      return Span{first, first + skip.length - 1}.reaches_end_of(track_around(first));
    };
    return skip.count >= kRegularSeries && at_track_end(skip.first_slot) &&
           at_track_end(skip.first_slot + (skip.count - 1) * skip.stride);
  }

  // What the drive found to be bad in a run that it slipped.
  void add_defects(const Span& run, std::vector<std::uint64_t>& slots) const {
    for (std::uint64_t slot = run.first; slot <= run.last;) {
      require(slots.size() < kMostDefects);
      slots.push_back(slot);
      const Span track = track_around(slot);
      slot = run.first <= track.first && run.last >= track.last ? track.last + 1 : slot + 1;
    }
  }

 private:
  Span track_around(std::uint64_t slot) const {
    require(++looked_at_ < kMostLookedAt);
    const engine::Track track = map_.track_of_slot(slot);
    return {track.first_slot, track.first_slot + track.sectors - 1};
  }

  bool same_cylinder(std::uint64_t slot, std::uint64_t other) const {
    const engine::Track a = map_.track_of_slot(slot), b = map_.track_of_slot(other);
    return a.cylinder == b.cylinder && a.zone == b.zone;
  }

  Span cylinder_around(std::uint64_t slot) const {
    Span cylinder = track_around(slot);
    while (cylinder.first > 0 && same_cylinder(cylinder.first - 1, slot))
      cylinder.first = track_around(cylinder.first - 1).first;
    while (cylinder.last + 1 < map_.slots() && same_cylinder(cylinder.last + 1, slot))
      cylinder.last = track_around(cylinder.last + 1).last;
    return cylinder;
  }

  bool reaches_zone_end(const Span& run) const {
    const auto zone_of = [this](std::uint64_t slot) { return map_.track_of_slot(slot).zone; };
    return run.first == 0 || run.last + 1 >= map_.slots() ||
           zone_of(run.first - 1) != zone_of(run.first) ||
           zone_of(run.last + 1) != zone_of(run.last);
  }

  // The unit before or behind has skipped slots at the end of itself that the run reaches here.
  template <class Around>
  bool neighbour_alike(const Span& run, const Span& unit, Around around) const {
    const bool at_back = run.last >= unit.last;
    const auto alike = [&](const Span& neighbour) {
      return !map_.lbn_of_slot(at_back ? neighbour.last : neighbour.first);
    };
    return (unit.first > 0 && alike(around(unit.first - 1))) ||
           (unit.last + 1 < map_.slots() && alike(around(unit.last + 1)));
  }

  bool is_track_spare(const Span& run) const {
    const Span track = track_around(run.last);
    return run.reaches_end_of(track) &&
           neighbour_alike(run, track, [this](std::uint64_t slot) { return track_around(slot); });
  }

  bool is_cylinder_spare(const Span& run) const {
    if (!run.reaches_end_of(track_around(run.last))) return false;
    const Span cylinder = cylinder_around(run.last);
    if (!run.reaches_end_of(cylinder)) return false;
    const Span track = track_around(run.last);
    const bool whole_track = run.first <= track.first && run.last >= track.last;
    return (run.last > run.first && !whole_track) ||
           neighbour_alike(run, cylinder,
                           [this](std::uint64_t slot) { return cylinder_around(slot); });
  }

  // A list of defects ends somewhere, and so does the patience of who waits for the drive.
  static void require(bool holds) {
    if (!holds)
      throw Error(
          ExitStatus::bad_input,
          "the model's layout leaves out more places, one by one, than a drive has defects; no "
          "virtual drive can be made of it");
  }

  const engine::LayoutMap& map_;
  mutable std::uint64_t looked_at_ = 0;
};

struct Descriptor {
  std::uint32_t cylinder, head, within_track;
  auto key() const { return std::tie(cylinder, head, within_track); }
};

void append(std::vector<std::uint8_t>& list, const std::vector<std::uint64_t>& slots,
            const ToldPlaces& places, AddressFormat format) {
  std::vector<Descriptor> descriptors;
  descriptors.reserve(slots.size());
  for (const std::uint64_t slot : slots) {
    const ToldPlace place = places.of_defect(slot);
    descriptors.push_back({place.cylinder, place.head, place.within_track(format)});
  }
  std::ranges::sort(descriptors, {}, &Descriptor::key);
  for (const Descriptor& descriptor : descriptors) {
    std::uint8_t bytes[8];
    scsi::put_be(bytes, 3, descriptor.cylinder);
    bytes[3] = static_cast<std::uint8_t>(descriptor.head);
    scsi::put_be(bytes + 4, 4, descriptor.within_track);
    list.insert(list.end(), bytes, bytes + sizeof bytes);
  }
}

// The format asked for if the drive keeps it, else the one that it does keep.
AddressFormat kept_format(std::uint8_t asked, const std::vector<std::string>& formats) {
  const auto keeps = [&formats](AddressFormat format) {
    return std::ranges::find(formats, name_of(format)) != formats.end();
  };
  const auto format = static_cast<AddressFormat>(asked);
  if (is_place(format) && keeps(format)) return format;
  return keeps(AddressFormat::physical_sector) || formats.empty() ? AddressFormat::physical_sector
                                                                  : AddressFormat::bytes_from_index;
}

}  // namespace

DefectSlots find_defects(const model::Layout& layout) {
  model::Layout in_sequence = layout;
  in_sequence.remaps.clear();
  const engine::LayoutMap map(in_sequence);
  const Judge judge(map);
  DefectSlots found;
  for (const model::Skip& skip : layout.skips) {
    if (judge.is_spare_series(skip)) continue;
    for (std::uint64_t i = 0; i < skip.count; ++i) {
      const std::uint64_t first = skip.first_slot + i * skip.stride;
      const Span run{first, first + skip.length - 1};
      if (!judge.is_spare(run)) judge.add_defects(run, found.primary);
    }
  }
  for (const model::Remap& remap : layout.remaps) found.grown.push_back(map.slot_of_lbn(remap.lbn));
  return found;
}

DefectSlots defects_of(const model::DriveModel& model) {
  const model::Firmware firmware = model.firmware.value_or(model::Firmware{});
  if (!firmware.translates_truly) return {};
  DefectSlots found = find_defects(model.layout);
  if (!firmware.primary_defects) return found;
  const std::uint64_t slots = engine::LayoutMap(model.layout).slots();
  found.primary = *firmware.primary_defects;
  std::erase_if(found.primary, [slots](std::uint64_t slot) { return slot >= slots; });
  return found;
}

Reply defect_data(const DefectSlots& defects, const ToldPlaces& places,
                  const std::vector<std::string>& formats, const scsi::Command& command) {
  const bool ten = command.opcode() == 0x37;
  const std::uint8_t selection = command.cdb[ten ? 2 : 1];
  const std::size_t header = ten ? 4 : 8;
  const std::size_t longest = ten ? 0xfff8 : 0xfffffff8;  // whole descriptors that the length can
                                                          // tell
  const std::uint8_t lists = selection & 0x18;
  const std::uint8_t asked = selection & 0x07;
  const AddressFormat format = kept_format(asked, formats);

  std::vector<std::uint8_t> data(header, 0);
  if (lists & 0x10) append(data, defects.primary, places, format);
  if (lists & 0x08) append(data, defects.grown, places, format);
  data.resize(std::min(data.size(), header + longest));
  data[1] = static_cast<std::uint8_t>(lists | static_cast<std::uint8_t>(format));
  scsi::put_be(&data[ten ? 2 : 4], ten ? 2 : 4, data.size() - header);

  Reply reply = good(std::move(data),
                     ten ? scsi::get_be16(&command.cdb[7]) : scsi::get_be32(&command.cdb[6]));
  if (asked != static_cast<std::uint8_t>(format)) {
    reply.status = scsi::Status::check_condition;
    reply.sense = fixed_sense(kDefectListNotFound);
  }
  return reply;
}

}  // namespace platter::virtual_drive
