// Tables: everything that the engine needs of a model or of a table file, compiled once, immutable,
// in integer nanoseconds.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "engine/flat_tables.h"
#include "engine/layout_map.h"
#include "engine/layout_tables.h"
#include "engine/platter.h"
#include "engine/scheduler.h"
#include "engine/seek_table.h"
#include "model/drive_model.h"

namespace platter::engine {

constexpr std::uint32_t kMaxSegments = 16384;
constexpr std::uint32_t kMaxOutstanding = 64;

// Of page 1Ah: 2^32 tenths of a second.
constexpr Nanoseconds kLongestTimer = (Nanoseconds{1} << 32) * 100 * kMillisecond;
// As a PowerTable has a timer that is on.
Nanoseconds timer_ns(std::uint64_t after_ms);

class Tables {
 public:
  // Throws Error(bad_input) for a model that lacks what an engine needs (rotation, layout, seeks).
  explicit Tables(const model::DriveModel& model);
  // Of what tables_of found nothing wrong with.
  Tables(LayoutMap map, SeekTable seek_table, const TableSections& sections);

  TableSections sections() const;

  // When a command with that overhead has been decoded which came at arrival_ns and is taken up at
  // now_ns: while it waited, but it is not obeyed before it is taken up. Without preseeking
  // (DiskSim 4.0's manual, "Preseeking level") it is not looked at before.
  Nanoseconds decoded_ns(Nanoseconds overhead, Nanoseconds arrival_ns, Nanoseconds now_ns) const {
    const Nanoseconds seen_ns = queue.preseeking == 0 ? now_ns : arrival_ns;
    return std::max(seen_ns + overheads.per_request + overhead, now_ns);
  }

  // That the host sees.
  std::uint64_t blocks() const { return shingling.act() ? shingling.blocks : layout.blocks(); }

  // The first LBN that the arm which reaches `lbn` no longer does.
  std::uint64_t end_of_range(std::uint64_t lbn) const {
    return arms.several() ? arms.ends[arms.range_of(lbn)] : layout.blocks();
  }

  shingled::Settings shingling;
  LayoutMap layout;  // of a shingled drive with the places of its media cache behind its blocks
  FlatMotion motion;
  Platter rotation;
  SeekTable seeks;
  CommandOverheads overheads;
  BusTable bus;
  CacheTable cache;
  WrittenTable written;
  QueueTable queue;
  ValidityTable validity;
  ArmTable arms;
  PowerTable power;
};

// Throws Error(bad_input) for a size that is none.
CacheTable compile_cache(const model::Cache& cache);

// What a table of unknown origin says.
struct TableParts {
  LayoutArrays layout;  // as complete_layout takes it
  std::vector<std::uint32_t> piece_blocks;
  SeekPoints seek;
  TableSections sections;  // but for their blocks
};

// Tables that an engine runs on without overflow, endless loop or access outside of them; or what
// is wrong with the parts, as in "its layout has no zones".
tl::expected<std::shared_ptr<const Tables>, std::string> tables_of(TableParts parts);

// What is wrong with times, sizes and flags of unknown origin; nullopt: nothing.
std::optional<std::string> sections_defect(const TableSections& sections);

// More tracks than cylinders and heads have places: no table holds them.
bool has_tracks_at_one_place(const FlatLayout& totals);

}  // namespace platter::engine
