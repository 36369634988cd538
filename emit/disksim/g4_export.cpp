#include "emit/disksim/g4_export.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "emit/disksim/track_runs.h"
#include "engine/layout_map.h"
#include "model/error.h"

namespace platter::emit_disksim {
namespace {

constexpr double kSameShape_rev = 1e-9;  // of two indices that count as one
constexpr double kSameRun_rev = 2e-7;    // of an instance from where equal turns put it

bool near(double a_rev, double b_rev, double tolerance_rev) {
  const double off = a_rev - b_rev;
  return std::fabs(off - std::round(off)) <= tolerance_rev;
}

// ---------------------------------------------------------------- indices, each of them once

bool same(const G4Entry& a, const G4Entry& b) {
  const auto numbers = [](const G4Entry& e) {
    return std::tie(e.place, e.places, e.run_places, e.cylinder, e.cylinders, e.run_cylinders,
                    e.is_track, e.child, e.head);
  };
  return numbers(a) == numbers(b) && near(a.angle_rev, b.angle_rev, kSameShape_rev) &&
         near(a.turn_rev, b.turn_rev, kSameShape_rev);
}

class Indices {
 public:
  std::size_t add(G4Index index) {
    std::vector<std::size_t>& alike = by_first_[key(index)];
    for (const std::size_t number : alike) {
      const G4Index& other = all_[number];
      if (std::equal(index.begin(), index.end(), other.begin(), other.end(), same)) return number;
    }
    alike.push_back(all_.size());
    all_.push_back(std::move(index));
    return all_.size() - 1;
  }
  std::vector<G4Index> take() { return std::move(all_); }
  void append_root(G4Index root) { all_.push_back(std::move(root)); }

 private:
  // What tells most of them apart.
  static std::vector<std::int64_t> key(const G4Index& index) {
    std::vector<std::int64_t> key;
    for (const G4Entry& entry : index) {
      key.insert(key.end(), {entry.run_places, entry.cylinder, entry.run_cylinders,
                             static_cast<std::int64_t>(entry.child), entry.head});
    }
    return key;
  }

  std::vector<G4Index> all_;
  std::map<std::vector<std::int64_t>, std::vector<std::size_t>> by_first_;
};

// ---------------------------------------------------------------- cylinders of their own

// An index at its place: all blocks of some cylinders, which no other has.
struct Item {
  std::size_t index = 0;
  std::int64_t places = 0, cylinder = 0, cylinders = 0;
  double angle_rev = 0;
};

std::int64_t first_cylinder(const TrackPiece& piece) {
  const std::int64_t last = piece.cylinder + (std::int64_t{piece.count} - 1) * piece.cylinder_step;
  return std::min<std::int64_t>(piece.cylinder, last);
}
std::int64_t end_cylinder(const TrackPiece& piece) { return first_cylinder(piece) + piece.count; }

// Where the pieces behind have only cylinders that those in front have not.
std::vector<std::size_t> cuts_of(const std::vector<TrackPiece>& pieces) {
  std::vector<std::int64_t> least_behind(pieces.size() + 1,
                                         std::numeric_limits<std::int64_t>::max());
  for (std::size_t i = pieces.size(); i-- > 0;)
    least_behind[i] = std::min(least_behind[i + 1], first_cylinder(pieces[i]));
  std::vector<std::size_t> cuts;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    end = std::max(end, end_cylinder(pieces[i]));
    if (least_behind[i + 1] >= end) cuts.push_back(i + 1);
  }
  return cuts;
}

class TreeBuilder {
 public:
  std::vector<Item> items_of(const std::vector<TrackPiece>& pieces) {
    std::vector<Item> items;
    std::size_t first = 0;
    for (const std::size_t cut : cuts_of(pieces)) {
      items.push_back(item_of(pieces, first, cut));
      first = cut;
    }
    return items;
  }

  // The items, what repeats among them once.
  G4Index fold(const std::vector<Item>& items) {
    G4Index index;
    const std::size_t end = items.size();
    for (std::size_t at = 0; at < end;) {
      const Cycle cycle = longest_cycle(items, at);
      index.push_back(entry_of(items, at, cycle));
      at += cycle.length * cycle.count;
    }
    for (std::size_t i = 1; i < index.size(); ++i)
      index[i].place = index[i - 1].place + index[i - 1].run_places;
    return index;
  }

  // DiskSim looks through an index from its front.
  G4Index bundle(G4Index index) {
    constexpr std::size_t kFew = 40;
    if (index.size() <= kFew) return index;
    const auto each =
        static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(index.size()))));
    G4Index bundles;
    for (std::size_t first = 0; first < index.size(); first += each) {
      const auto begin = index.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = begin + static_cast<std::ptrdiff_t>(std::min(each, index.size() - first));
      bundles.push_back(bundle_of({begin, end}));
    }
    return bundles;
  }

  // DiskSim adds the cylinder and the angle of the root's first entry to all others.
  G4Index root_over(G4Index index) {
    const bool harmless = index.front().cylinder == 0 && index.front().angle_rev == 0;
    if (harmless) return index;
    G4Entry all;
    all.places = all.run_places = index.back().place + index.back().run_places;
    all.cylinders = all.run_cylinders = index.back().cylinder + index.back().run_cylinders;
    all.child = indices.add(std::move(index));
    return {all};
  }

  Indices indices;
  std::vector<G4Pattern> patterns;

 private:
  struct Cycle {
    std::size_t length = 1, count = 1;
  };

  Item item_of(const std::vector<TrackPiece>& pieces, std::size_t first, std::size_t end) {
    Item item;
    item.cylinder = std::numeric_limits<std::int64_t>::max();
    std::int64_t end_of_all = 0;
    for (std::size_t i = first; i < end; ++i) {
      item.cylinder = std::min(item.cylinder, first_cylinder(pieces[i]));
      end_of_all = std::max(end_of_all, end_cylinder(pieces[i]));
    }
    item.cylinders = end_of_all - item.cylinder;
    item.angle_rev = pieces[first].angle_rev;
    G4Index tracks;
    for (std::size_t i = first; i < end; ++i) {
      tracks.push_back(track_entry(pieces[i], item));
      tracks.back().place = item.places;
      item.places += tracks.back().run_places;
    }
    item.index = indices.add(std::move(tracks));
    return item;
  }

  G4Entry track_entry(const TrackPiece& piece, const Item& item) {
    G4Entry entry;
    entry.places = piece.places;
    entry.run_places = std::int64_t{piece.count} * piece.places;
    entry.cylinder = piece.cylinder - item.cylinder;
    entry.run_cylinders = piece.cylinder_step * std::int64_t{piece.count};
    entry.angle_rev = fraction(piece.angle_rev - item.angle_rev);
    entry.turn_rev = piece.count > 1 ? piece.angle_step_rev : 0;
    entry.is_track = true;
    entry.child = pattern_of({piece.places, piece.sectors});
    entry.head = piece.head;
    return entry;
  }

  std::size_t pattern_of(const G4Pattern& pattern) {
    const auto [at, is_new] = numbers_.try_emplace(pattern, patterns.size());
    if (is_new) patterns.push_back(pattern);
    return at->second;
  }

  // Of the first item of a cycle to where the cylinders of its last end.
  static std::int64_t span(const std::vector<Item>& items, std::size_t at, std::size_t length) {
    const Item& last = items[at + length - 1];
    return last.cylinder + last.cylinders - items[at].cylinder;
  }

  static std::size_t repeats(const std::vector<Item>& items, std::size_t at, std::size_t length) {
    if (at + 2 * length > items.size() || items[at].index != items[at + length].index) return 1;
    const std::int64_t step = items[at + length].cylinder - items[at].cylinder;
    const double turn = fraction(items[at + length].angle_rev - items[at].angle_rev);
    if (step < span(items, at, length)) return 1;
    std::size_t next = at + length;
    for (; next < items.size(); ++next) {
      const Item &item = items[next], &before = items[next - length],
                 &first = items[at + (next - at) % length];
      const std::size_t repeat = (next - at) / length;
      if (item.index != before.index || item.cylinder - before.cylinder != step ||
          !near(item.angle_rev, first.angle_rev + static_cast<double>(repeat) * turn, kSameRun_rev))
        break;
    }
    return (next - at) / length;
  }

  // The one that covers the most items, the shortest of them.
  static Cycle longest_cycle(const std::vector<Item>& items, std::size_t at) {
    constexpr std::size_t kLongest = 130;
    Cycle best;
    for (std::size_t length = 1; length <= kLongest && at + 2 * length <= items.size(); ++length) {
      const Cycle cycle{length, repeats(items, at, length)};
      if (cycle.count > 1 && cycle.length * cycle.count > best.length * best.count) best = cycle;
    }
    return best;
  }

  G4Entry entry_of(const std::vector<Item>& items, std::size_t at, const Cycle& cycle) {
    const Item& first = items[at];
    G4Entry entry;
    entry.cylinder = first.cylinder;
    entry.angle_rev = first.angle_rev;
    entry.cylinders = span(items, at, cycle.length);
    if (cycle.count > 1) {
      const Item& next = items[at + cycle.length];
      entry.cylinders = next.cylinder - first.cylinder;
      entry.turn_rev = fraction(next.angle_rev - first.angle_rev);
    }
    entry.run_cylinders = static_cast<std::int64_t>(cycle.count - 1) * entry.cylinders +
                          span(items, at, cycle.length);
    for (std::size_t i = at; i < at + cycle.length; ++i) entry.places += items[i].places;
    entry.run_places = static_cast<std::int64_t>(cycle.count) * entry.places;
    entry.child = cycle.length == 1 ? first.index : cycle_index(items, at, cycle.length);
    return entry;
  }

  std::size_t cycle_index(const std::vector<Item>& items, std::size_t at, std::size_t length) {
    std::vector<Item> relative(items.begin() + static_cast<std::ptrdiff_t>(at),
                               items.begin() + static_cast<std::ptrdiff_t>(at + length));
    for (Item& item : relative) {
      item.cylinder -= items[at].cylinder;
      item.angle_rev = fraction(item.angle_rev - items[at].angle_rev);
    }
    return indices.add(fold(relative));
  }

  G4Entry bundle_of(G4Index entries) {
    G4Entry bundle;
    bundle.place = entries.front().place;
    bundle.cylinder = entries.front().cylinder;
    bundle.places = bundle.run_places = entries.back().place + entries.back().run_places -
                                        bundle.place;
    bundle.cylinders = bundle.run_cylinders = entries.back().cylinder +
                                              entries.back().run_cylinders - bundle.cylinder;
    for (G4Entry& entry : entries) {
      entry.place -= bundle.place;
      entry.cylinder -= bundle.cylinder;
    }
    bundle.child = indices.add(std::move(entries));
    return bundle;
  }

  std::map<G4Pattern, std::size_t> numbers_;
};

// ---------------------------------------------------------------- what is not in the tree

// DiskSim takes as many places for the whole as there are blocks and slips in front of the place
// whose number is that of the last block. This is the last of them; nullopt: that place is slipped.
std::optional<std::int64_t> last_known_place(const std::vector<SlippedPlaces>& slips,
                                             std::uint64_t block_count) {
  const auto last = static_cast<std::int64_t>(block_count) - 1;
  std::int64_t known = last;
  for (const SlippedPlaces& slip : slips) {
    if (slip.place > last) break;
    if (last < slip.place + slip.count) return std::nullopt;
    known += slip.count;
  }
  return known;
}

// With which DiskSim knows all places: as many blocks as there are, or a few more.
std::uint64_t block_count_for(const TrackPieces& pieces, std::uint64_t blocks) {
  std::uint64_t count = blocks;
  while (true) {
    const std::optional<std::int64_t> known = last_known_place(pieces.slips, count);
    if (known && *known >= pieces.places - 1) return count;
    count += known ? static_cast<std::uint64_t>(pieces.places - *known) / 2 : 1;
  }
}

void require_counted(std::int64_t places, std::int64_t most_counted) {
  if (places >= most_counted)
    throw Error(ExitStatus::unsupported,
                fmt::format("the layout cannot be written for DiskSim: the drive has {} sectors, "
                            "2^31 or more",
                            places));
}

// ---------------------------------------------------------------- text

// 2^-32 of a revolution is what DiskSim knows.
std::string angle_text(double rev) {
  std::string text = fmt::format("{:.11f}", fraction(rev));
  if (text[0] == '1') return "0.0";
  text.erase(std::max<std::size_t>(text.find_last_not_of('0'), 2) + 1);
  return text;
}

std::string entry_text(const G4Entry& e) {
  std::string text = fmt::format("{}, {}, {}, {}, {}, {}, {}, {}, {}, {}", e.place, e.cylinder,
                                 angle_text(e.angle_rev), e.places, e.cylinders,
                                 angle_text(e.turn_rev), e.run_places, e.run_cylinders,
                                 e.is_track ? "TRACK" : "IDX", e.child);
  if (e.is_track) text += fmt::format(", {}", e.head);
  return text;
}

template <typename List, typename Text>
std::string lines(const List& list, const std::string& margin, const Text& text_of) {
  if (list.empty()) return "[ ]";
  std::string text = "[";
  for (std::size_t i = 0; i < list.size(); ++i)
    text += "\n" + margin + text_of(list[i]) + (i + 1 < list.size() ? "," : " ]");
  return text;
}

}  // namespace

G4Layout express_as_g4(const model::Layout& layout, std::int64_t most_counted) {
  const engine::LayoutMap map(layout);
  require_counted(static_cast<std::int64_t>(map.blocks()), most_counted);
  TrackPieces pieces = track_pieces(layout, map.slots());
  require_counted(pieces.places, most_counted);
  G4Layout g4;
  g4.blocks = map.blocks();
  g4.cylinders = map.cylinders();
  g4.heads = map.heads();
  g4.block_count = block_count_for(pieces, g4.blocks);
  TreeBuilder tree;
  G4Index root = tree.root_over(tree.bundle(tree.fold(tree.items_of(pieces.pieces))));
  tree.indices.append_root(std::move(root));
  g4.indices = tree.indices.take();
  g4.patterns = std::move(tree.patterns);
  g4.slips = std::move(pieces.slips);
  for (const G4Pattern& pattern : g4.patterns)
    g4.most_sectors = std::max(g4.most_sectors, pattern.sectors);
  return g4;
}

std::string g4_text(const G4Layout& layout) {
  std::string text = "dm_layout_g4 {\n    TP = ";
  text += lines(layout.patterns, "      ", [](const G4Pattern& pattern) {
    return fmt::format("0, {}, {}", pattern.places - 1, pattern.sectors);
  });
  text += ",\n    IDX = " + lines(layout.indices, "      ", [](const G4Index& index) {
            return lines(index, "        ", entry_text);
          });
  // DiskSim stops at an empty list of slips.
  std::vector<SlippedPlaces> slips = layout.slips;
  if (slips.empty()) slips.push_back({0, 0});
  text += ",\n    Slips = " + lines(slips, "      ", [](const SlippedPlaces& slip) {
            return fmt::format("{}, {}", slip.place, slip.count);
          });
  return text + ",\n    Remaps = [ ]\n  }";
}

}  // namespace platter::emit_disksim
