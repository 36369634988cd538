#include "layout/random_drive.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "engine/layout_map.h"

namespace platter::layout::testing {
namespace {

std::uint64_t pick(std::mt19937_64& random, std::uint64_t low, std::uint64_t high) {
  return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
}
bool chance(std::mt19937_64& random, double share) {
  return std::uniform_real_distribution<double>(0, 1)(random) < share;
}

model::LayoutNode run(std::uint32_t count, std::int32_t cylinder, std::int32_t cylinder_step,
                      std::int32_t head, std::int32_t head_step, std::uint32_t sectors) {
  model::LayoutNode node;
  node.count = count;
  node.cylinder = cylinder;
  node.cylinder_step = cylinder_step;
  node.head = head;
  node.head_step = head_step;
  node.sectors = sectors;
  return node;
}

// One run for each cylinder, or for each surface of a band: simple, not compact.
model::LayoutNode zone_node(const Recipe& recipe, std::uint32_t first, std::uint32_t cylinders,
                            std::uint32_t band, std::uint32_t sectors) {
  const auto heads = static_cast<std::int32_t>(recipe.heads);
  model::LayoutNode zone;
  zone.cylinder = static_cast<std::int32_t>(first);
  if (recipe.order == Order::surface_serpentine) {
    bool inward = true;
    for (std::uint32_t at = 0; at < cylinders; at += band) {
      const auto width = std::min(band, cylinders - at);
      for (std::int32_t head = 0; head < heads; ++head, inward = !inward) {
        const auto start = static_cast<std::int32_t>(inward ? at : at + width - 1);
        zone.children.push_back(run(width, start, inward ? 1 : -1, head, 0, sectors));
      }
      inward = true;
    }
    return zone;
  }
  for (std::uint32_t c = 0; c < cylinders; ++c) {
    const std::uint32_t parity = recipe.order == Order::serpentine_through_zones ? first + c : c;
    const bool down = recipe.order != Order::head_first && parity % 2 == 1;
    zone.children.push_back(run(recipe.heads, static_cast<std::int32_t>(c), 0, down ? heads - 1 : 0,
                                down ? -1 : 1, sectors));
  }
  return zone;
}

struct Format {
  std::vector<bool> free;
  std::vector<std::uint64_t> spares;  // free slots that may hold remapped blocks
};

// Lays blocks into one unit of slots [first, end) with `spare` of them left over.
void format_unit(Format& format, std::uint64_t first, std::uint64_t end, std::uint64_t spare,
                 bool in_front, bool absorbs, const std::set<std::uint64_t>& defects) {
  const auto is_defect = [&](std::uint64_t slot) { return defects.contains(slot); };
  const std::uint64_t slots = end - first;
  std::uint64_t quota = slots - std::min(spare, slots);
  for (std::uint64_t i = 0; i < slots; ++i) {
    const std::uint64_t slot = in_front ? end - 1 - i : first + i;
    const bool is_spare = absorbs ? quota == 0 : i >= slots - spare;
    if (is_defect(slot)) {
      format.free[slot] = true;
    } else if (is_spare) {
      format.free[slot] = true;
      format.spares.push_back(slot);
    } else if (quota > 0) {
      --quota;
    }
  }
}

}  // namespace

Recipe random_recipe(std::mt19937_64& random) {
  Recipe recipe;
  recipe.order = static_cast<Order>(pick(random, 0, 2));
  recipe.unit = static_cast<Unit>(pick(random, 0, 7));
  recipe.spares_in_front = chance(random, 0.2) && recipe.unit != Unit::disk;
  recipe.absorbs = chance(random, 0.6);
  recipe.heads = static_cast<std::uint32_t>(pick(random, 1, 9));
  recipe.zones = static_cast<std::uint32_t>(pick(random, 1, 6));
  recipe.cylinders = static_cast<std::uint32_t>(pick(random, 4, 150));
  recipe.defects = chance(random, 0.7) ? static_cast<std::uint32_t>(pick(random, 0, 40)) : 0;
  recipe.remaps = chance(random, 0.4) ? static_cast<std::uint32_t>(pick(random, 0, 5)) : 0;
  recipe.reserved = chance(random, 0.3) ? static_cast<std::uint32_t>(pick(random, 1, 300)) : 0;
  recipe.gaps = chance(random, 0.3);
  return recipe;
}

RandomDrive build(const Recipe& recipe, std::mt19937_64& random) {
  RandomDrive drive;
  struct ZoneShape {
    std::uint32_t first, cylinders, sectors;
    std::uint64_t slot;
  };
  std::vector<ZoneShape> shapes;
  std::uint32_t cylinder = static_cast<std::uint32_t>(pick(random, 0, 2));
  std::uint32_t sectors = static_cast<std::uint32_t>(pick(random, 60, 200));
  const auto band = static_cast<std::uint32_t>(pick(random, 3, 20));
  std::uint64_t slots = 0;
  for (std::uint32_t z = 0; z < recipe.zones; ++z) {
    auto cylinders = static_cast<std::uint32_t>(pick(random, 3, recipe.cylinders));
    if (recipe.order == Order::surface_serpentine) cylinders = (cylinders / band + 1) * band;
    drive.truth.zones.push_back(zone_node(recipe, cylinder, cylinders, band, sectors));
    shapes.push_back({cylinder, cylinders, sectors, slots});
    slots += static_cast<std::uint64_t>(cylinders) * recipe.heads * sectors;
    cylinder += cylinders + (recipe.gaps ? static_cast<std::uint32_t>(pick(random, 0, 5)) : 0);
    if (!chance(random, 0.15)) sectors -= static_cast<std::uint32_t>(pick(random, 1, 8));
  }

  std::set<std::uint64_t> defects;
  while (defects.size() < recipe.defects) {
    const std::uint64_t slot = pick(random, recipe.reserved, slots - 1);
    defects.insert(slot);
    if (chance(random, 0.1) && slot + 1 < slots) defects.insert(slot + 1);
  }

  Format format;
  format.free.assign(slots, false);
  const auto spare = pick(random, 1, recipe.unit == Unit::track ? 3 : 20);
  const auto more = pick(random, 5, 60), range = pick(random, 2, 12);
  for (const ZoneShape& shape : shapes) {
    const std::uint64_t end =
        shape.slot + static_cast<std::uint64_t>(shape.cylinders) * recipe.heads * shape.sectors;
    const std::uint64_t per_cylinder = static_cast<std::uint64_t>(recipe.heads) * shape.sectors;
    const auto units = [&](std::uint64_t length, auto&& spares_of) {
      std::uint64_t index = 0;
      for (std::uint64_t at = shape.slot; at < end; at += length, ++index)
        format_unit(format, at, std::min(end, at + length), spares_of(index),
                    recipe.spares_in_front, recipe.absorbs, defects);
    };
    switch (recipe.unit) {
      case Unit::none:
      case Unit::disk:
        units(end - shape.slot, [](std::uint64_t) { return 0; });
        break;
      case Unit::track:
        units(shape.sectors, [&](std::uint64_t) { return spare; });
        break;
      case Unit::cylinder:
        units(per_cylinder, [&](std::uint64_t) { return spare; });
        break;
      case Unit::range:
        units(per_cylinder * range, [&](std::uint64_t) { return more; });
        break;
      case Unit::zone:
        units(end - shape.slot, [&](std::uint64_t) { return more * 3; });
        break;
      case Unit::whole_tracks:
        units(end - shape.slot, [&](std::uint64_t) { return shape.sectors; });
        break;
      case Unit::cylinder_and_range:
        units(per_cylinder,
              [&](std::uint64_t index) { return spare + ((index + 1) % range == 0 ? more : 0); });
        break;
    }
  }
  for (std::uint64_t slot = 0; slot < std::min<std::uint64_t>(recipe.reserved, slots); ++slot)
    format.free[slot] = true;
  if (recipe.unit == Unit::disk) {
    for (std::uint64_t slot = slots - more; slot < slots; ++slot) {
      if (!format.free[slot]) format.spares.push_back(slot);
      format.free[slot] = true;
    }
  }

  for (std::uint64_t slot = 0; slot < slots;) {
    if (!format.free[slot]) {
      ++slot;
      continue;
    }
    std::uint64_t end = slot;
    while (end < slots && format.free[end]) ++end;
    drive.truth.skips.push_back({slot, end - slot, 1, 0});
    slot = end;
  }
  const engine::LayoutMap map(drive.truth);
  std::set<std::uint64_t> lbns;
  std::shuffle(format.spares.begin(), format.spares.end(), random);
  for (std::uint32_t i = 0; i < recipe.remaps && i < format.spares.size(); ++i) {
    const std::uint64_t slot = format.spares[i];
    if (slot < recipe.reserved) continue;
    const std::uint64_t lbn = pick(random, 0, map.blocks() - 1);
    if (!lbns.insert(lbn).second) continue;
    drive.truth.remaps.push_back({lbn, slot});
    drive.grown.push_back(map.slot_of_lbn(lbn));
  }
  std::ranges::sort(drive.truth.remaps, {}, &model::Remap::lbn);
  drive.primary.assign(defects.begin(), defects.end());
  drive.track_length_visible = recipe.unit != Unit::track && recipe.heads > 1;
  drive.description = fmt::format(
      "order {} unit {} front {} absorbs {} heads {} zones {} cylinders {} slots {} defects {} "
      "remaps {} reserved {} spare {} more {} range {}",
      static_cast<int>(recipe.order), static_cast<int>(recipe.unit), recipe.spares_in_front,
      recipe.absorbs, recipe.heads, recipe.zones, cylinder, slots, defects.size(),
      drive.truth.remaps.size(), recipe.reserved, spare, more, range);
  return drive;
}

}  // namespace platter::layout::testing
