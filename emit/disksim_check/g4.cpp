#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "emit/disksim_check/findings.h"

namespace platter::emit_disksim_check {
namespace {

constexpr const char *kLoadIndex = "layout_g4_load.c, g4_load_idx", *kWalk = "layout_g4.c, g4_r",
                     *kSlips = "layout_g4.c, slipcount";

struct G4Track {
  std::int64_t low = 0, high = 0, sectors = 0;
  std::int64_t places() const { return high - low + 1; }
};

struct G4Child {
  bool is_track = false;
  std::int64_t number = 0;
  std::int64_t length = 0;  // places that it is to have
  Where where{};
};

struct G4Table {
  std::int64_t places = 0;  // of all entries
  std::vector<G4Child> children{};
};

std::vector<G4Track> check_tracks(const Values& layout, Findings& findings) {
  const std::vector<Value>& list = layout.list("TP");
  constexpr std::size_t kFields = 3;
  const auto found = [&](Effect effect, const Where& where, const std::string& what) {
    findings.add(effect, where, what, "layout_g4_load.c, g4_load_tp");
  };
  if (list.size() % kFields != 0)
    found(Effect::otherwise, layout.where("TP"), "\"TP\" must be triples of low, high, sectors");
  std::vector<G4Track> tracks;
  for (std::size_t i = 0; i + kFields <= list.size(); i += kFields) {
    const Where& where = list[i].where;
    const auto low = whole(list[i]), high = whole(list[i + 1]), sectors = whole(list[i + 2]);
    if (!low || !high || !sectors) {
      found(Effect::stops, where, "\"TP\" holds something else than whole numbers");
      return tracks;
    }
    tracks.push_back({*low, *high, *sectors});
    if (*sectors < 1 || *high < *low || *high >= *sectors)
      found(Effect::stops, where,
            fmt::format("sectors {} to {} are no part of a track of {}", *low, *high, *sectors));
    else if (*low != 0)
      found(Effect::stops, where,
            fmt::format("the pattern begins with sector {}: DiskSim stops at its last ones", *low));
  }
  return tracks;
}

// The entries of one index, walked as DiskSim does.
class G4IndexCheck {
 public:
  G4IndexCheck(const std::vector<Value>& values, const Where& where,
               const std::vector<G4Track>& tracks, std::size_t indices, Findings& findings)
      : values_(values), where_(where), tracks_(tracks), indices_(indices), findings_(findings) {}

  G4Table check() {
    G4Table table;
    while (at_ < values_.size())
      if (!entry(table)) break;
    if (table.children.empty()) stops("an index has no entry", kLoadIndex);
    return table;
  }

 private:
  void stops(const std::string& what, const char* source) {
    findings_.add(Effect::stops, at_ < values_.size() ? values_[at_].where : where_, what, source);
  }
  std::optional<std::int64_t> next_whole() {
    return at_ < values_.size() ? whole(values_[at_++]) : std::nullopt;
  }
  bool next_angle() {
    if (at_ >= values_.size()) return false;
    const Value& value = values_[at_++];
    if (const auto number = whole(value))
      if (*number != 0)
        findings_.add(
            Effect::otherwise, value.where,
            fmt::format("the angle {} must have a point: DiskSim takes its bits for those "
                        "of a real number",
                        *number),
            kLoadIndex);
    return whole(value) || std::holds_alternative<double>(value.data);
  }

  bool entry(G4Table& table) {
    const std::size_t begin = at_;
    const auto place = next_whole(), cylinder = next_whole();
    const bool angle = next_angle();
    const auto length = next_whole(), cylinders = next_whole();
    const bool turn = next_angle();
    const auto run = next_whole(), run_cylinders = next_whole();
    const auto* const word = at_ < values_.size() ? std::get_if<std::string>(&values_[at_].data)
                                                  : nullptr;
    ++at_;
    const auto number = next_whole();
    const bool is_track = word && *word == "TRACK";
    const auto head = is_track ? next_whole() : std::optional<std::int64_t>(0);
    if (!place || !cylinder || !angle || !length || !cylinders || !turn || !run || !run_cylinders ||
        !word || (!is_track && *word != "IDX") || !number || !head) {
      at_ = std::min(at_, values_.size());
      stops("an entry of an index is cut off, or holds something else than DiskSim reads there",
            kLoadIndex);
      return false;
    }
    check_entry({*place, *length, *cylinders, *run}, is_track, *number, table);
    table.children.push_back({is_track, *number, *length, values_[begin].where});
    table.places = *place + *run;
    return true;
  }

  struct Places {
    std::int64_t place, length, cylinders, run;
  };
  void check_entry(const Places& entry, bool is_track, std::int64_t number, const G4Table& table) {
    const std::size_t count = is_track ? tracks_.size() : indices_;
    if (entry.length < 1 || entry.cylinders == 0)
      stops(fmt::format("an entry of {} places on {} cylinders: DiskSim divides by both",
                        entry.length, entry.cylinders),
            kWalk);
    else if (entry.place != table.places)
      stops(fmt::format("an entry begins with place {} where {} is the next", entry.place,
                        table.places),
            kWalk);
    if (number < 0 || static_cast<std::size_t>(number) >= count)
      stops(
          fmt::format("an entry names {} {} of {}", is_track ? "pattern" : "index", number, count),
          kLoadIndex);
    else if (is_track && entry.length > tracks_[static_cast<std::size_t>(number)].places())
      stops(fmt::format("an entry has {} places on a track of {}", entry.length,
                        tracks_[static_cast<std::size_t>(number)].places()),
            kWalk);
  }

  const std::vector<Value>& values_;
  const Where& where_;
  const std::vector<G4Track>& tracks_;
  std::size_t indices_;
  Findings& findings_;
  std::size_t at_ = 0;
};

// DiskSim has room for so many steps from the root to a track.
constexpr int kDeepest = 16;

int depth_of(std::size_t index, const std::vector<G4Table>& tables, std::vector<int>& known) {
  constexpr int kUnknown = -1, kUnderWay = kDeepest;
  if (known[index] != kUnknown) return known[index];
  known[index] = kUnderWay;  // one that holds itself has no end
  int depth = 0;
  for (const G4Child& child : tables[index].children) {
    const auto number = static_cast<std::size_t>(child.number);
    const bool there = child.number >= 0 && number < tables.size();
    const int below = child.is_track || !there ? 0 : depth_of(number, tables, known);
    depth = std::min(kUnderWay, std::max(depth, below + 1));
  }
  return known[index] = depth;
}

// Children that are indices, once all are known. Returns the places of the root, whose last entry
// may promise more than there are: a drive's count of blocks may end in front of them.
std::int64_t check_lengths(const std::vector<G4Table>& tables, Findings& findings) {
  std::int64_t missing_at_end = 0;
  for (const G4Table& table : tables)
    for (const G4Child& child : table.children) {
      const auto number = static_cast<std::size_t>(child.number);
      if (child.is_track || child.number < 0 || number >= tables.size()) continue;
      const std::int64_t missing = child.length - tables[number].places;
      if (missing <= 0) continue;
      const std::vector<G4Child>& root = tables.back().children;
      if (!root.empty() && &child == &root.back())
        missing_at_end = missing;
      else
        findings.add(Effect::stops, child.where,
                     fmt::format("an entry has {} places of an index that has {}", child.length,
                                 tables[number].places),
                     kWalk);
    }
  return tables.back().places - missing_at_end;
}

// Places that are slipped.
std::int64_t check_places_slipped(const Values& layout, Findings& findings) {
  const std::vector<Value>& slips = layout.list("Slips");
  const Where& where = layout.where("Slips");
  if (slips.size() < 2 && findings.program() == Program::wd64) return 0;
  if (slips.size() < 2) {
    findings.add(Effect::stops, where,
                 "\"Slips\" is empty: a drive without any needs one of no places, [ 0, 0 ]",
                 kSlips);
    return 0;
  }
  if (slips.size() % 2 != 0)
    findings.add(Effect::otherwise, where, "\"Slips\" must be pairs of a place and a count",
                 kSlips);
  std::int64_t before = -1, total = 0;
  for (std::size_t i = 0; i + 2 <= slips.size(); i += 2) {
    const auto place = whole(slips[i]), count = whole(slips[i + 1]);
    if (!place || !count || *place <= before || *count < 0) {
      findings.add(Effect::otherwise, slips[i].where,
                   fmt::format("the slip {}, {} stands behind {}: DiskSim needs whole numbers in "
                               "order",
                               to_text(slips[i]), to_text(slips[i + 1]), before),
                   kSlips);
      return total;
    }
    before = *place;
    total += *count;
  }
  return total;
}

// Six numbers each: the block, how many, and where they lie. Those that no block is harm nobody.
void check_remaps(const Values& layout, std::int64_t blocks, Findings& findings) {
  constexpr std::size_t kFields = 6;
  const std::vector<Value>& remaps = layout.list("Remaps");
  std::vector<std::pair<std::int64_t, std::int64_t>> met;
  for (std::size_t i = 0; i + kFields <= remaps.size(); i += kFields) {
    const std::int64_t first = whole(remaps[i]).value_or(0),
                       end = std::min(first + whole(remaps[i + 1]).value_or(0), blocks);
    if (first >= 0 && first < end) met.emplace_back(first, end - 1);
  }
  std::ranges::sort(met);
  findings.add_at_blocks(met, layout.where("Remaps"),
                         "are remapped, and DiskSim gives their sectors no width",
                         "layout_g4.c, g4_track_bound");
}

}  // namespace

std::int64_t longest_track(const Block& model) {
  const Block* const layout = Values(model).inner("Layout Model");
  std::int64_t longest = 0;
  if (!layout) return 0;
  for (const Value& zone : Values(*layout).list("Zones"))
    if (const auto* const inner = std::get_if<std::shared_ptr<const Block>>(&zone.data))
      longest = std::max(longest, Values(**inner).integer("Blocks per track"));
  if (layout->type != "dm_layout_g4") return longest;
  const std::vector<Value>& patterns = Values(*layout).list("TP");
  for (std::size_t i = 2; i < patterns.size(); i += 3)
    longest = std::max(longest, whole(patterns[i]).value_or(0));
  return longest;
}

std::int64_t slipped_behind(const Block& block, std::int64_t place) {
  const std::vector<Value>& slips = Values(block).list("Slips");
  std::int64_t total = 0;
  for (std::size_t i = 0; i + 2 <= slips.size(); i += 2)
    if (whole(slips[i]).value_or(0) >= place) total += whole(slips[i + 1]).value_or(0);
  return total;
}

std::int64_t check_g4(const Block& block, Findings& findings) {
  const Values layout(block);
  const std::vector<G4Track> tracks = check_tracks(layout, findings);
  const std::vector<Value>& indices = layout.list("IDX");
  std::vector<G4Table> tables;
  for (const Value& value : indices) {
    const auto* const list = std::get_if<std::vector<Value>>(&value.data);
    if (!list) {
      findings.add(Effect::stops, value.where, "\"IDX\" must be a list of lists", kLoadIndex);
      return 0;
    }
    tables.push_back(G4IndexCheck(*list, value.where, tracks, indices.size(), findings).check());
  }
  const std::int64_t slipped = check_places_slipped(layout, findings);
  if (tables.empty()) {
    findings.add(Effect::stops, layout.where("IDX"), "\"IDX\" is empty: there is no root",
                 "layout_g4_load.c, dm_layout_g4_loadparams");
    return 0;
  }
  const std::int64_t places = check_lengths(tables, findings);
  std::vector<int> known(tables.size(), -1);
  if (depth_of(tables.size() - 1, tables, known) >= kDeepest)
    findings.add(Effect::stops, indices.back().where,
                 fmt::format("from the root to a track there are {} indices or more", kDeepest),
                 "layout_g4.c, g4_path_append");
  check_remaps(layout, places - slipped, findings);
  if (findings.program() == Program::wd64 && slipped > 0 && places > slipped)
    findings.add_at_blocks({{std::max<std::int64_t>(whole(layout.list("Slips")[0]).value_or(0), 0),
                             places - slipped - 1}},
                           layout.where("Slips"),
                           "lie behind a slip, which this DiskSim forgets on its way back from "
                           "place to block",
                           "layout_g4.c, ptol");
  return places - slipped;
}

}  // namespace platter::emit_disksim_check
