#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "emit/disksim/block_places.h"
#include "emit/disksim/import_parts.h"
#include "emit/disksim/no_place.h"
#include "emit/disksim/track_runs.h"
#include "engine/layout_map.h"

namespace platter::emit_disksim {
namespace {

constexpr std::int64_t kMostSectors = std::int64_t{1} << 44;
constexpr std::int64_t kMostOfAny = std::int64_t{1} << 40;
constexpr int kDeepest = 15;  // DiskSim's path from the root has 16 nodes
constexpr std::size_t kMostNodes = std::size_t{1} << 20;
constexpr std::size_t kMostGaps = std::size_t{1} << 22;
constexpr std::size_t kMostSteps = std::size_t{1} << 25;  // tracks, one by one, in search of gaps

// The sectors low..high of a track, `sectors` around, hold blocks.
struct Pattern {
  std::int64_t low, high, sectors;

  std::int64_t places() const { return high - low + 1; }
};

// A child that is played run_places / places times, the last time perhaps in part. A *place* is a
// number in the sequence of blocks and slips that the tree spans.
struct Entry {
  std::int64_t place, cylinder, places, cylinders, run_places, run_cylinders, child, head;
  double angle_rev, turn_rev;  // of the first instance; from one to the next
  bool is_track;

  // Descending runs have a negative length.
  std::int64_t cylinder_step() const { return run_cylinders < 0 ? -cylinders : cylinders; }
};

// A node of the model's layout, and which of its sectors are places.
struct Part {
  model::LayoutNode node;          // without its children
  std::int64_t low = 0, used = 0;  // of a track
  std::vector<Part> children;
  std::int64_t places = 0, slots = 0;  // of all instances, once it is complete

  void sum_up() {
    places = used;
    slots = node.sectors;
    for (const Part& child : children) {
      places += child.places;
      slots += child.slots;
    }
    places *= node.count;
    slots *= node.count;
  }
};

// ---------------------------------------------------------------- reading the tree

std::int64_t number_at(const std::vector<Value>& list, std::size_t i, std::int64_t low,
                       std::int64_t high) {
  const std::int64_t number = integer_of(list[i]);
  if (number < low || number > high) {
    fail_at(list[i].where, fmt::format("{} is out of range, from {} to {}", number, low, high));
  }
  return number;
}

std::vector<Pattern> read_patterns(BlockReader& reader) {
  const std::vector<Value>& list = reader.list("TP");
  if (list.size() % 3 != 0) fail_at(reader.where("TP"), "TP must be a list of low, high, sectors");
  std::vector<Pattern> patterns;
  for (std::size_t i = 0; i < list.size(); i += 3) {
    const std::int64_t sectors = number_at(list, i + 2, 1, 1 << 20);
    const std::int64_t low = number_at(list, i, 0, sectors - 1);
    patterns.push_back({low, number_at(list, i + 1, low, sectors - 1), sectors});
  }
  return patterns;
}

// Ten fields, and the head of a track.
Entry read_entry(const std::vector<Value>& list, std::size_t& at) {
  constexpr std::int64_t kInt = std::numeric_limits<std::int32_t>::max();
  if (list.size() - at < 10) fail_at(list[at].where, "the entry of an IDX list has too few fields");
  Entry entry{};
  entry.place = number_at(list, at, 0, kMostOfAny);
  entry.cylinder = number_at(list, at + 1, -kInt, kInt);
  entry.angle_rev = real_of(list[at + 2]);
  entry.places = number_at(list, at + 3, 1, kMostOfAny);
  entry.cylinders = number_at(list, at + 4, 0, kInt);
  entry.turn_rev = real_of(list[at + 5]);
  entry.run_places = number_at(list, at + 6, 1, kMostOfAny);
  entry.run_cylinders = number_at(list, at + 7, -kInt, kInt);
  const std::string kind = to_text(list[at + 8]);
  entry.is_track = kind == "TRACK";
  if (!entry.is_track && kind != "IDX") fail_at(list[at + 8].where, "a child must be TRACK or IDX");
  entry.child = number_at(list, at + 9, 0, kInt);
  at += 10;
  if (!entry.is_track) return entry;
  if (at >= list.size()) fail_at(list.back().where, "the entry of a track lacks its head");
  entry.head = number_at(list, at++, 0, 1023);
  return entry;
}

struct Index {
  Where where;
  std::vector<Entry> entries;  // by place
};

std::vector<Index> read_indices(BlockReader& reader) {
  std::vector<Index> indices;
  for (const Value& value : reader.list("IDX")) {
    const auto* list = std::get_if<std::vector<Value>>(&value.data);
    if (list == nullptr) fail_at(value.where, "IDX must be a list of lists");
    Index index{value.where, {}};
    for (std::size_t at = 0; at < list->size();) index.entries.push_back(read_entry(*list, at));
    std::stable_sort(index.entries.begin(), index.entries.end(),
                     [](const Entry& a, const Entry& b) { return a.place < b.place; });
    indices.push_back(std::move(index));
  }
  if (indices.empty()) fail_at(reader.where("IDX"), "IDX must not be empty");
  return indices;
}

// ---------------------------------------------------------------- the tree as nested repeats

class Tree {
 public:
  explicit Tree(BlockReader& reader)
      : patterns_(read_patterns(reader)), indices_(read_indices(reader)) {}

  const Index& root() const { return indices_.back(); }  // DiskSim takes the last one

  std::vector<Part> parts() {
    const Index& index = root();
    if (index.entries.empty()) fail_at(index.where, "the last list of IDX, the root, is empty");
    const Entry& last = index.entries.back();
    return parts_of({indices_.size() - 1, last.place + last.run_places, true}, index.where, 0);
  }
  bool some_begin_late() const { return begins_late_; }
  double first_angle_rev() const { return root().entries.front().angle_rev; }

 private:
  // The first `places` places of an index; at the end of the layout they may be fewer.
  struct Wanted {
    std::size_t index;
    std::int64_t places;
    bool at_end;
  };

  std::vector<Part> parts_of(const Wanted& wanted, const Where& where, int depth) {
    if (depth > kDeepest) fail_at(where, "the IDX lists are nested too deeply");
    const Index& index = indices_[wanted.index];
    const std::int64_t places = wanted.places;
    std::vector<Part> parts;
    std::int64_t at = 0;
    for (const Entry& entry : index.entries) {
      if (at == places) break;
      if (entry.place != at) {
        fail_at(index.where,
                fmt::format("an entry begins with {} where {} is expected", entry.place, at));
      }
      const std::int64_t taken = std::min(entry.run_places, places - at);
      const std::int64_t whole = taken / entry.places, rest = taken % entry.places;
      const bool at_end = wanted.at_end && &entry == &index.entries.back();
      if (whole > 0) {
        parts.push_back(part(entry, {0, whole, entry.places, at_end && whole == 1 && rest == 0},
                             index.where, depth));
      }
      if (rest > 0) parts.push_back(part(entry, {whole, 1, rest, at_end}, index.where, depth));
      at += taken;
    }
    if (at < places && !wanted.at_end) {
      fail_at(index.where,
              fmt::format("the list covers {} blocks, the entry it is a child of {}", at, places));
    }
    return parts;
  }

  // `count` instances of an entry's child from instance `from` on, `places` places each.
  struct Instances {
    std::int64_t from, count, places;
    bool at_end;
  };

  Part part(const Entry& entry, const Instances& which, const Where& where, int depth) {
    const auto [from, count, places, at_end] = which;
    if (++nodes_ > kMostNodes) fail_at(where, "the IDX lists describe too many tracks one by one");
    if (count > std::numeric_limits<std::uint32_t>::max()) fail_at(where, "a run is too long");
    Part part;
    part.node.count = static_cast<std::uint32_t>(count);
    part.node.cylinder = cylinder_of(entry.cylinder + from * entry.cylinder_step(), where);
    part.node.angle_rev = fraction(entry.angle_rev + static_cast<double>(from) * entry.turn_rev);
    if (count > 1) {
      part.node.cylinder_step = cylinder_of(entry.cylinder_step(), where);
      part.node.angle_step_rev = fraction(entry.turn_rev);
    }
    if (entry.is_track) {
      add_track(entry, places, where, part);
    } else {
      if (static_cast<std::size_t>(entry.child) >= indices_.size())
        fail_at(where, "there is no such IDX");
      part.children = parts_of({static_cast<std::size_t>(entry.child), places, at_end}, where,
                               depth + 1);
    }
    part.sum_up();
    return part;
  }

  static std::int32_t cylinder_of(std::int64_t cylinder, const Where& where) {
    if (std::abs(cylinder) > (1 << 30)) fail_at(where, "a cylinder is out of range");
    return static_cast<std::int32_t>(cylinder);
  }

  // The angle is that of the first sector that holds a block.
  void add_track(const Entry& entry, std::int64_t places, const Where& where, Part& part) {
    if (static_cast<std::size_t>(entry.child) >= patterns_.size())
      fail_at(where, "there is no such TP");
    const Pattern& pattern = patterns_[static_cast<std::size_t>(entry.child)];
    if (places > pattern.places()) {
      fail_at(where, fmt::format("{} blocks lie on a track of {}", places, pattern.places()));
    }
    begins_late_ = begins_late_ || pattern.low > 0;
    part.node.head = static_cast<std::int32_t>(entry.head);
    part.node.sectors = static_cast<std::uint32_t>(pattern.sectors);
    part.node.angle_rev = fraction(part.node.angle_rev - static_cast<double>(pattern.low) /
                                                             static_cast<double>(pattern.sectors));
    part.low = pattern.low;
    part.used = places;
  }

  std::vector<Pattern> patterns_;
  std::vector<Index> indices_;
  std::size_t nodes_ = 0;
  bool begins_late_ = false;
};

bool is_single_track(const Part& part) { return part.children.empty() && part.node.count == 1; }

model::LayoutNode node_of(const Part& part) {
  model::LayoutNode node = part.node;
  for (const Part& child : part.children) node.children.push_back(node_of(child));
  if (std::all_of(part.children.begin(), part.children.end(), is_single_track)) {
    node.children = fold_tracks(node.children);
  }
  if (node.children.size() != 1 || (node.count > 1 && node.children[0].count > 1)) return node;
  model::LayoutNode only = node.children[0];  // a repeat of one that is none
  only.cylinder += node.cylinder;
  only.head += node.head;
  only.angle_rev = fraction(only.angle_rev + node.angle_rev);
  if (node.count > 1) {
    only.count = node.count;
    only.cylinder_step = node.cylinder_step;
    only.head_step = node.head_step;
    only.angle_step_rev = node.angle_step_rev;
  }
  return only;
}

// ---------------------------------------------------------------- which sectors are places

// Places in a row in as many slots.
struct Stretch {
  std::int64_t place, slot, length;
};

class Stretches {
 public:
  explicit Stretches(Where where) : where_(std::move(where)) {}

  void append(const std::vector<Part>& parts) {
    for (const Part& part : parts) append(part);
  }
  std::vector<Stretch> all;
  std::int64_t places = 0, slots = 0;

 private:
  void append(const Part& part) {
    const std::int64_t part_places = part.places, part_slots = part.slots;
    if (++steps_ > kMostSteps)
      fail_at(where_, "the layout has too many tracks with sectors without a block");
    if (slots + part_slots > kMostSectors) fail_at(where_, "the layout has too many sectors");
    if (part_places == part_slots) return append_run(0, part_places, part_slots);
    for (std::uint32_t i = 0; i < part.node.count; ++i) {
      if (part.children.empty()) {
        append_run(part.low, part.used, part.node.sectors);
      } else {
        append(part.children);
      }
    }
  }
  void append_run(std::int64_t low, std::int64_t used, std::int64_t width) {
    if (!all.empty() && all.back().slot + all.back().length == slots + low) {
      all.back().length += used;
    } else {
      if (all.size() == kMostGaps) fail_at(where_, "too many tracks have sectors without a block");
      all.push_back({places, slots + low, used});
    }
    places += used;
    slots += width;
  }

  Where where_;
  std::size_t steps_ = 0;
};

// ---------------------------------------------------------------- slips and remaps

// LBNs from `lbn` on lie `shift` places behind their number.
struct Shift {
  std::int64_t lbn, shift;
};

// Pairs of a place and how many are slipped there; a negative number takes slips back, where spares
// that the tree does not span have made up for them.
std::vector<Shift> read_slips(BlockReader& reader) {
  const std::vector<Value>& list = reader.list("Slips");
  if (list.size() % 2 != 0) fail_at(reader.where("Slips"), "Slips must be pairs of numbers");
  std::vector<Shift> shifts{{0, 0}};
  std::int64_t before = 0;
  for (std::size_t i = 0; i < list.size(); i += 2) {
    const std::int64_t place = number_at(list, i, before, kMostOfAny);
    const std::int64_t count = number_at(list, i + 1, -(1 << 30), 1 << 30);
    const Shift& last = shifts.back();
    const std::int64_t lbn = std::max(last.lbn, place - last.shift), shift = last.shift + count;
    if (lbn + shift < 0) fail_at(list[i + 1].where, "a spare lies in front of the first block");
    if (lbn == last.lbn) shifts.pop_back();
    shifts.push_back({lbn, shift});
    before = place;
  }
  return shifts;
}

struct RemappedRun {
  std::int64_t lbn, length, cylinder, head, sector, sectors;
  Where where;
};

std::vector<RemappedRun> read_remaps(BlockReader& reader) {
  const std::vector<Value>& list = reader.list("Remaps");
  if (list.size() % 6 != 0) fail_at(reader.where("Remaps"), "Remaps must be sixes of numbers");
  std::vector<RemappedRun> runs;
  for (std::size_t i = 0; i < list.size(); i += 6) {
    RemappedRun run{};
    run.where = list[i].where;
    run.lbn = number_at(list, i, 0, kMostOfAny);
    run.length = number_at(list, i + 1, 1, 1 << 20);
    run.cylinder = number_at(list, i + 2, 0, 1 << 28);
    run.head = number_at(list, i + 3, 0, 1023);
    run.sectors = number_at(list, i + 5, 1, 1 << 20);
    run.sector = number_at(list, i + 4, 0, run.sectors - run.length);
    runs.push_back(run);
  }
  std::sort(runs.begin(), runs.end(),
            [](const RemappedRun& a, const RemappedRun& b) { return a.lbn < b.lbn; });
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].lbn < runs[i - 1].lbn + runs[i - 1].length) {
      fail_at(runs[i].where, fmt::format("block {} is remapped twice", runs[i].lbn));
    }
  }
  return runs;
}

// Puts all blocks in their slots: first by place, then what is remapped.
class Blocks {
 public:
  Blocks(const Stretches& stretches, const std::vector<Shift>& shifts)
      : stretches_(stretches), shifts_(shifts) {}

  // LBNs that the tree and its slips have places for.
  std::int64_t mapped() const {
    std::int64_t end = stretches_.places - shifts_.back().shift;
    for (std::size_t i = 0; i + 1 < shifts_.size(); ++i) {  // a slip of more than there is
      if (shifts_[i + 1].lbn + shifts_[i].shift > stretches_.places) {
        end = std::min(end, stretches_.places - shifts_[i].shift);
      }
    }
    return std::max<std::int64_t>(end, 0);
  }

  void append_places(std::int64_t first, std::int64_t end, std::vector<Placed>& pieces) const {
    auto shift = std::upper_bound(shifts_.begin(), shifts_.end(), first,
                                  [](std::int64_t lbn, const Shift& s) { return lbn < s.lbn; }) -
                 1;
    while (first < end) {
      const auto next = shift + 1;
      const std::int64_t stop = next == shifts_.end() ? end : std::min(end, next->lbn);
      append_unshifted(first, stop, shift->shift, pieces);
      first = stop;
      shift = next;
    }
  }

 private:
  void append_unshifted(std::int64_t lbn, std::int64_t end, std::int64_t shift,
                        std::vector<Placed>& pieces) const {
    auto stretch = std::upper_bound(
                       stretches_.all.begin(), stretches_.all.end(), lbn + shift,
                       [](std::int64_t place, const Stretch& s) { return place < s.place; }) -
                   1;
    for (; lbn < end; ++stretch) {
      const std::int64_t within = lbn + shift - stretch->place;
      const std::int64_t length = std::min(end - lbn, stretch->length - within);
      pieces.push_back({lbn, stretch->slot + within, length});
      lbn += length;
    }
  }

  const Stretches& stretches_;
  const std::vector<Shift>& shifts_;
};

// Where remapped blocks go. A track that the tree does not have comes behind all others; the file
// tells no angle for it.
class Spares {
 public:
  Spares(model::Layout& layout, std::int64_t slots) : layout_(layout), slots_(slots) {}

  std::int64_t slots() const { return slots_; }

  std::int64_t slot_of(const RemappedRun& run, std::vector<std::string>& notes) {
    const TrackName name{run.cylinder, run.head};
    const auto known = tracks_.find(name);
    const Track track = known != tracks_.end() ? known->second : find(run);
    if (track.sectors == 0) return append_track(run, notes) + run.sector;
    tracks_[name] = track;
    if (track.sectors != run.sectors) {
      fail_at(run.where, fmt::format("the track of the spare has {} sectors, not {}", track.sectors,
                                     run.sectors));
    }
    return track.first_slot + run.sector;
  }

 private:
  using TrackName = std::pair<std::int64_t, std::int64_t>;  // cylinder, head
  struct Track {
    std::int64_t first_slot = 0, sectors = 0;  // no sectors: there is none such
  };

  // A track of the tree's. Looked up one by one through all zones, so not for any number of them.
  Track find(const RemappedRun& run) {
    if (!map_) map_.emplace(layout_);
    looked_at_ += map_->view().nodes.size();
    if (looked_at_ > kMostSteps)
      fail_at(run.where, "there are too many remapped blocks for so many zones");
    const auto track = map_->track_at(static_cast<std::uint32_t>(run.cylinder),
                                      static_cast<std::uint32_t>(run.head));
    if (!track) return {};
    return {static_cast<std::int64_t>(track->first_slot), track->sectors};
  }

  std::int64_t append_track(const RemappedRun& run, std::vector<std::string>& notes) {
    notes.push_back(fmt::format(
        "{}: no angle is told for the spare track of cylinder {}, head {}; it is taken as 0",
        run.where.brief(), run.cylinder, run.head));
    model::LayoutNode node;
    node.cylinder = static_cast<std::int32_t>(run.cylinder);
    node.head = static_cast<std::int32_t>(run.head);
    node.sectors = static_cast<std::uint32_t>(run.sectors);
    layout_.zones.push_back(node);
    tracks_[{run.cylinder, run.head}] = {slots_, run.sectors};
    slots_ += run.sectors;
    return slots_ - run.sectors;
  }

  model::Layout& layout_;
  std::int64_t slots_;
  std::optional<engine::LayoutMap> map_{};  // of the tree's tracks
  std::map<TrackName, Track> tracks_{};     // that were asked for, and those behind the tree's
  std::size_t looked_at_ = 0;
};

}  // namespace

model::Layout import_g4_layout(const Block& block, std::int64_t block_count,
                               std::vector<std::string>& notes) {
  BlockReader reader(block);
  Tree tree(reader);
  const std::vector<Part> parts = tree.parts();
  const std::vector<Shift> shifts = read_slips(reader);
  const std::vector<RemappedRun> remaps = read_remaps(reader);
  note_unknown(reader, notes);
  model::Layout layout;
  layout.method = "imported";
  Stretches stretches(tree.root().where);
  stretches.append(parts);
  for (const Part& part : parts) layout.zones.push_back(node_of(part));

  const Blocks blocks(stretches, shifts);
  Spares spares(layout, stretches.slots);
  std::int64_t end = blocks.mapped();
  if (block_count > end) {
    notes.push_back(
        fmt::format("Block count = {}, but the layout maps {} blocks only", block_count, end));
  } else if (block_count > 0) {
    if (block_count < end)
      notes.push_back(
          fmt::format("Block count = {}, but the layout maps {} blocks: the last {} are left out",
                      block_count, end, end - block_count));
    end = block_count;
  }
  std::vector<Placed> pieces;
  std::int64_t lbn = 0;
  for (const RemappedRun& run : remaps) {
    if (run.lbn + run.length > end)
      fail_at(run.where, fmt::format("the drive has no block {}", run.lbn + run.length - 1));
    blocks.append_places(lbn, run.lbn, pieces);
    pieces.push_back({run.lbn, spares.slot_of(run, notes), run.length});
    lbn = run.lbn + run.length;
  }
  blocks.append_places(lbn, end, pieces);
  place_blocks(pieces, spares.slots(), block.where, layout);
  if (tree.some_begin_late()) {
    notes.push_back(
        "track patterns that begin behind sector 0 are taken as documented; DiskSim's own code "
        "loses their first blocks");
  }
  if (fraction(tree.first_angle_rev()) != 0) {
    notes.push_back(fmt::format(
        "DiskSim adds the first angle of the root, {}, to all angles; this turns its platter "
        "as a whole and is not followed",
        tree.first_angle_rev()));
  }
  return layout;
}

}  // namespace platter::emit_disksim
