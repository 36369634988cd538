// Tables: everything that the engine needs of a model, compiled once, immutable, in integer
// nanoseconds; or a view of such tables in a mapped file.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "engine/flat_tables.h"
#include "engine/layout_map.h"
#include "engine/platter.h"
#include "engine/scheduler.h"
#include "engine/seek_table.h"
#include "model/drive_model.h"

namespace platter::engine {

constexpr std::uint32_t kMaxSegments = 16384;
constexpr std::uint32_t kMaxOutstanding = 64;

class Tables {
 public:
  // Throws Error(bad_input) for a model that lacks what an engine needs (rotation, layout, seeks).
  explicit Tables(const model::DriveModel& model);
  // Over tables that tables_defect found nothing wrong with, in place; `owner` keeps them in
  // memory.
  Tables(const TablesView& view, const std::shared_ptr<const void>& owner);

  TablesView view() const;

  // When a command with that overhead has been decoded which came at arrival_ns and is taken up at
  // now_ns: while it waited, but it is not obeyed before it is taken up. Without preseeking
  // (DiskSim 4.0's manual, "Preseeking level") it is not looked at before.
  Nanoseconds decoded_ns(Nanoseconds overhead, Nanoseconds arrival_ns, Nanoseconds now_ns) const {
    const Nanoseconds seen_ns = queue.preseeking == 0 ? now_ns : arrival_ns;
    return std::max(seen_ns + overheads.per_request + overhead, now_ns);
  }

  LayoutMap layout;
  FlatMotion motion;
  Platter rotation;
  SeekTable seeks;
  CommandOverheads overheads;
  BusTable bus;
  CacheTable cache;
  WrittenTable written;
  QueueTable queue;
  ValidityTable validity;
};

// Throws Error(bad_input) for a size that is none.
CacheTable compile_cache(const model::Cache& cache);

// What is wrong with tables of unknown origin, as in "its layout has no zones"; nullopt: nothing.
// An engine runs on tables that pass without overflow, endless loop or access outside of them.
std::optional<std::string> tables_defect(const TablesView& tables);

}  // namespace platter::engine
