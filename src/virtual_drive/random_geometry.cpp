#include "virtual_drive/random_geometry.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace platter::virtual_drive {
namespace {

using model::LayoutNode;
using Sizes = std::vector<std::uint32_t>;  // sectors per track of each head

double wrapped(double rev) { return rev - std::floor(rev); }

struct Skews {
  double head = 0, cylinder = 0;  // rev, from the start of a track to that of the next
};

// A stretch of tracks; cylinders and angles count from its start.
struct Piece {
  std::vector<LayoutNode> nodes;
  double turn = 0;  // rev, from its first track to the one that follows it

  void leaf(LayoutNode node, double skew_behind) {
    node.angle_rev = wrapped(turn);
    turn += node.angle_step_rev * (node.count - 1) + skew_behind;
    nodes.push_back(std::move(node));
  }
  void append(const Piece& piece, std::uint32_t cylinder) {
    for (LayoutNode node : piece.nodes) {
      node.cylinder += static_cast<std::int32_t>(cylinder);
      node.angle_rev = wrapped(node.angle_rev + turn);
      nodes.push_back(std::move(node));
    }
    turn += piece.turn;
  }
  void append_repeated(const Piece& piece, std::uint32_t cylinder, std::uint32_t count,
                       std::uint32_t cylinder_step) {
    if (count == 0) return;
    if (count == 1) return append(piece, cylinder);
    LayoutNode node;
    node.count = count;
    node.cylinder = static_cast<std::int32_t>(cylinder);
    node.cylinder_step = static_cast<std::int32_t>(cylinder_step);
    node.angle_rev = wrapped(turn);
    node.angle_step_rev = wrapped(piece.turn);
    node.children = piece.nodes;
    nodes.push_back(std::move(node));
    turn += wrapped(piece.turn) * count;
  }
};

LayoutNode track_run(std::uint32_t count, std::uint32_t head, std::uint32_t sectors) {
  LayoutNode run;
  run.count = count;
  run.head = static_cast<std::int32_t>(head);
  run.sectors = sectors;
  return run;
}

// One cylinder, heads upward or downward: one run for heads of the same size.
Piece cylinder_piece(const Sizes& sizes, bool downward, const Skews& skews) {
  Piece piece;
  const auto heads = static_cast<std::uint32_t>(sizes.size());
  const auto head_at = [&](std::uint32_t i) { return downward ? heads - 1 - i : i; };
  for (std::uint32_t i = 0; i < heads;) {
    std::uint32_t end = i + 1;
    while (end < heads && sizes[head_at(end)] == sizes[head_at(i)]) ++end;
    LayoutNode run = track_run(end - i, head_at(i), sizes[head_at(i)]);
    if (run.count > 1) {
      run.head_step = downward ? -1 : 1;
      run.angle_step_rev = skews.head;
    }
    piece.leaf(std::move(run), end == heads ? skews.cylinder : skews.head);
    i = end;
  }
  return piece;
}

// Cylinders side by side. `downward`: how the first one goes; afterwards, how the next one would.
Piece cylinders_piece(const Recipe& recipe, const Sizes& sizes, std::uint32_t cylinders,
                      bool& downward, const Skews& skews) {
  Piece piece;
  if (recipe.order == Order::head_first) {
    piece.append_repeated(cylinder_piece(sizes, false, skews), 0, cylinders, 1);
    return piece;
  }
  Piece both = cylinder_piece(sizes, downward, skews);
  both.append(cylinder_piece(sizes, !downward, skews), 1);
  piece.append_repeated(both, 0, cylinders / 2, 2);
  if (cylinders % 2 == 1) {
    piece.append(cylinder_piece(sizes, downward, skews), cylinders - 1);
    downward = !downward;
  }
  return piece;
}

// A zone of cylinders in groups with an unused one behind each. Returns the cylinders it spans,
// too.
std::pair<Piece, std::uint32_t> grouped_cylinders(const Recipe& recipe, const Sizes& sizes,
                                                  std::uint32_t cylinders, bool& downward,
                                                  const Skews& skews) {
  const std::uint32_t every = recipe.unused_cylinder_every;
  if (every < 2) return {cylinders_piece(recipe, sizes, cylinders, downward, skews), cylinders};
  const std::uint32_t group = every - 1;
  const bool turns = recipe.order == Order::cylinder_serpentine && group % 2 == 1;
  const std::uint32_t together = turns ? 2 : 1;  // groups until the direction is the same again
  const std::uint32_t periods = cylinders / (group * together);
  Piece period, piece;
  for (std::uint32_t i = 0; i < together; ++i)
    period.append(cylinders_piece(recipe, sizes, group, downward, skews), i * every);
  piece.append_repeated(period, 0, periods, every * together);
  std::uint32_t at = periods * together * every;
  for (std::uint32_t rest = cylinders - periods * together * group; rest > 0;) {
    const std::uint32_t width = std::min(rest, group);
    piece.append(cylinders_piece(recipe, sizes, width, downward, skews), at);
    rest -= width;
    at += width == group ? every : width;
  }
  return {std::move(piece), at};
}

// A band: tracks of every head, inward on the first one, outward on the next. The first `width`
// cylinders of the band are of one zone, `beyond` ones of the next.
Piece band_piece(const Sizes& sizes, std::uint32_t width, const Sizes& next_sizes,
                 std::uint32_t beyond, bool downward, const Skews& skews) {
  Piece piece;
  const auto heads = static_cast<std::uint32_t>(sizes.size());
  for (std::uint32_t i = 0; i < heads; ++i) {
    const std::uint32_t head = downward ? heads - 1 - i : i;
    const bool inward = i % 2 == 0;
    const double behind = i + 1 == heads ? skews.cylinder : skews.head;
    const auto run = [&](std::uint32_t first, std::uint32_t count, std::uint32_t sectors,
                         double skew_behind) {
      if (count == 0) return;
      LayoutNode node = track_run(count, head, sectors);
      node.cylinder = static_cast<std::int32_t>(inward ? first : first + count - 1);
      node.cylinder_step = count == 1 ? 0 : inward ? 1 : -1;
      node.angle_step_rev = count == 1 ? 0 : skews.cylinder;
      piece.leaf(std::move(node), skew_behind);
    };
    if (inward) {
      run(0, width, sizes[head], beyond == 0 ? behind : skews.cylinder);
      run(width, beyond, next_sizes[head], behind);
    } else {
      run(width, beyond, next_sizes[head], skews.cylinder);
      run(0, width, sizes[head], behind);
    }
  }
  return piece;
}

class Maker {
 public:
  Maker(const Recipe& recipe, Dice& dice) : recipe_(recipe), dice_(dice) {}

  Geometry make() {
    draw_sizes();
    draw_cylinders();
    cylinder_ = recipe_.first_cylinder;
    for (std::uint32_t z = 0; z < recipe_.zones; ++z) {
      zone_starts_.push_back(made_.zones.size());
      skews_.head = draw_skew(recipe_.head_skew, 0.35);
      skews_.cylinder = draw_skew(recipe_.cylinder_skew, 0.45);
      if (recipe_.order == Order::surface_serpentine)
        add_bands(z);
      else
        add_cylinders(z);
      if (recipe_.gaps) cylinder_ += dice_.pick32(0, 9);
    }
    zone_starts_.push_back(made_.zones.size());
    list_tracks();
    made_.tracks_of_run = recipe_.order == Order::surface_serpentine ? recipe_.band : recipe_.heads;
    return std::move(made_);
  }

 private:
  double draw_skew(double wanted, double most) {
    return wanted > 0 ? wanted * dice_.uniform(1.0, 1.15) : dice_.uniform(0.03, most);
  }

  // Sectors of a track fall from zone to zone, as far as the recipe says. Where heads have sizes of
  // their own, each falls at some of the boundaries only.
  void draw_sizes() {
    Sizes sizes(recipe_.heads, recipe_.sectors);
    std::vector<double> density(recipe_.heads, 1.0);
    if (recipe_.per_head_sizes)
      for (double& share : density) share = dice_.uniform(0.8, 1.0);
    for (std::uint32_t z = 0; z < recipe_.zones; ++z) {
      const double part = recipe_.zones == 1 ? 0 : static_cast<double>(z) / (recipe_.zones - 1);
      const double sectors = recipe_.sectors +
                             part * (static_cast<double>(recipe_.last_sectors) - recipe_.sectors);
      const bool stays = z > 0 && z + 1 < recipe_.zones && dice_.chance(0.05);
      for (std::uint32_t h = 0; h < recipe_.heads && !stays; ++h) {
        if (z > 0 && recipe_.per_head_sizes && dice_.chance(0.2)) continue;
        sizes[h] = std::max<std::uint32_t>(
            8, static_cast<std::uint32_t>(std::lround(sectors * density[h])));
      }
      sizes_.push_back(sizes);
    }
  }

  void draw_cylinders() {
    std::vector<double> weights(recipe_.zones);
    double all = 0;
    for (std::uint32_t z = 0; z < recipe_.zones; ++z) {
      weights[z] = recipe_.even_zones   ? dice_.uniform(0.9, 1.1)
                   : dice_.chance(0.08) ? 0
                                        : dice_.uniform(0.2, 1.5);
      for (const std::uint32_t sectors : sizes_[z]) all += weights[z] * sectors;
    }
    for (std::uint32_t z = 0; z < recipe_.zones; ++z) {
      const double share = all > 0 ? weights[z] / all : 0;
      const auto cylinders =
          static_cast<std::uint32_t>(std::lround(share * static_cast<double>(recipe_.slots)));
      cylinders_.push_back(cylinders >= 3 ? cylinders : dice_.pick32(3, 12));
    }
  }

  void add_zone(const Piece& piece) {
    LayoutNode zone;
    if (piece.nodes.size() == 1) {
      zone = piece.nodes.front();
      zone.cylinder += static_cast<std::int32_t>(cylinder_);
    } else {
      zone.cylinder = static_cast<std::int32_t>(cylinder_);
      zone.children = piece.nodes;
    }
    zone.angle_rev = dice_.uniform(0, 1);
    made_.zones.push_back(std::move(zone));
  }

  void add_cylinders(std::uint32_t z) {
    if (!recipe_.through_zones) downward_ = false;
    const auto [piece, span] = grouped_cylinders(recipe_, sizes_[z], cylinders_[z], downward_,
                                                 skews_);
    add_zone(piece);
    cylinder_ += span;
  }

  void add_bands(std::uint32_t z) {
    const std::uint32_t step = recipe_.band + (recipe_.unused_cylinder_every > 0 ? 1 : 0);
    if (!recipe_.through_zones) downward_ = false;
    const std::uint32_t bands = cylinders_[z] / recipe_.band;
    const auto band = [&](std::uint32_t width, std::uint32_t beyond) {
      const Sizes& next = sizes_[std::min<std::size_t>(z + 1, sizes_.size() - 1)];
      return band_piece(sizes_[z], width, next, beyond, downward_, skews_);
    };
    Piece piece;
    if (recipe_.heads_turn) {
      Piece both = band(recipe_.band, 0);
      downward_ = !downward_;
      both.append(band(recipe_.band, 0), step);
      downward_ = !downward_;
      piece.append_repeated(both, 0, bands / 2, 2 * step);
      if (bands % 2 == 1) {
        piece.append(band(recipe_.band, 0), (bands - 1) * step);
        downward_ = !downward_;
      }
    } else {
      piece.append_repeated(band(recipe_.band, 0), 0, bands, step);
    }
    const std::uint32_t rest = cylinders_[z] % recipe_.band;
    const std::uint32_t beyond = recipe_.band - rest;
    const bool straddles = recipe_.through_zones && rest > 0 && z + 1 < recipe_.zones &&
                           cylinders_[z + 1] > beyond;
    if (rest > 0 && !straddles) {
      piece.append(band(rest, 0), bands * step);
      downward_ = recipe_.heads_turn != downward_;
    }
    if (!piece.nodes.empty()) add_zone(piece);
    cylinder_ += bands * step + (straddles ? 0 : rest);
    if (!straddles) return;
    add_zone(band(rest, beyond));
    downward_ = recipe_.heads_turn != downward_;
    cylinder_ += step;
    cylinders_[z + 1] -= beyond;
  }

  void list(const LayoutNode& node, std::int64_t cylinder, std::int64_t head) {
    for (std::uint32_t i = 0; i < node.count; ++i) {
      const std::int64_t at_cylinder = cylinder + node.cylinder +
                                       std::int64_t{i} * node.cylinder_step;
      const std::int64_t at_head = head + node.head + std::int64_t{i} * node.head_step;
      for (const LayoutNode& child : node.children) list(child, at_cylinder, at_head);
      if (node.sectors == 0) continue;
      const std::uint64_t first = made_.tracks.empty() ? 0 : made_.slots();
      made_.tracks.push_back({first, static_cast<std::uint32_t>(at_cylinder), node.sectors,
                              static_cast<std::uint16_t>(at_head)});
    }
  }

  void list_tracks() {
    for (std::size_t z = 0, next = 0; z < made_.zones.size(); ++z) {
      for (; next < zone_starts_.size() && zone_starts_[next] == z; ++next)
        made_.zone_tracks.push_back(made_.tracks.size());
      list(made_.zones[z], 0, 0);
    }
    while (made_.zone_tracks.size() < zone_starts_.size())
      made_.zone_tracks.push_back(made_.tracks.size());
  }

  const Recipe& recipe_;
  Dice& dice_;
  Geometry made_;
  std::vector<Sizes> sizes_;              // of each zone
  std::vector<std::uint32_t> cylinders_;  // of each zone, the unused ones left aside
  std::vector<std::size_t> zone_starts_;  // into made_.zones
  std::uint32_t cylinder_ = 0;            // the next one
  bool downward_ = false;
  Skews skews_;
};

}  // namespace

Geometry make_geometry(const Recipe& recipe, Dice& dice) { return Maker(recipe, dice).make(); }

}  // namespace platter::virtual_drive
