// Formats 5 and 6: structs of an engine's memory, with much that follows from the rest. That is
// passed over: what is left says as much as version 1.0.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "emit/table/parts.h"

namespace platter::emit_table {
namespace {

template <typename Item>
std::vector<Item> numbers_of(const flatbuffers::Vector<Item>& items) {
  return {items.begin(), items.end()};
}

template <typename Old>
engine::CommandOverheads overheads_of(const Old& o) {
  return {{o.read_hit_after_read(), o.read_hit_after_write()},
          {o.read_miss_after_read(), o.read_miss_after_write()},
          {o.write_hit_after_read(), o.write_hit_after_write()},
          {o.write_miss_after_read(), o.write_miss_after_write()},
          o.per_request(),
          o.read_completion(),
          o.write_completion(),
          o.data_preparation(),
          o.first_reselect(),
          o.other_reselect(),
          {o.read_disconnect_after_read(), o.read_disconnect_after_write()},
          o.write_disconnect(),
          o.extra_command(),
          o.extra_first(),
          o.extra_inter(),
          o.extra_second(),
          o.extra_seek_delta(),
          o.minimum_seek_delay(),
          o.extra_write_disconnect(),
          o.minimum_read_seek_delay(),
          o.sequential_read_hit(),
          o.sequential_write_hit(),
          o.sequential_read_within()};
}

template <typename Old>
engine::CacheTable cache_of(const Old& c) {
  engine::CacheTable cache{};
  cache.destage_idle_ns = c.destage_idle_ns();
  cache.buffer_blocks = c.buffer_blocks();
  cache.segments = c.segments();
  cache.segment_blocks = c.segment_blocks();
  cache.fewest_segments = c.fewest_segments();
  cache.window = c.window();
  cache.write_segments = c.write_segments();
  cache.read_ahead_min = c.read_ahead_min();
  cache.read_ahead_max = c.read_ahead_max();
  cache.read_ahead_ceiling = c.read_ahead_ceiling();
  cache.read_ahead_longest_request = c.read_ahead_longest_request();
  cache.present = c.present();
  cache.write_back_level = c.write_back_level();
  cache.read_ahead = c.read_ahead();
  cache.replacement = c.replacement();
  cache.separate_write_segment = c.separate_write_segment();
  cache.read_ahead_over_requested = c.read_ahead_over_requested();
  cache.read_ahead_on_hit = c.read_ahead_on_hit();
  cache.read_free_blocks = c.read_free_blocks();
  cache.zero_latency_read = c.zero_latency_read();
  cache.zero_latency_write = c.zero_latency_write();
  cache.read_hit_on_written = c.read_hit_on_written();
  cache.combine_writes = c.combine_writes();
  cache.stop_in_sector = c.stop_in_sector();
  cache.almost_read_hits = c.almost_read_hits();
  cache.discards_after_transfer = c.discards_after_transfer();
  cache.read_ahead_by_request = c.read_ahead_by_request();
  cache.read_ahead_after_sequential = c.read_ahead_after_sequential();
  cache.read_ahead_to_its_end = c.read_ahead_to_its_end();
  cache.read_ahead_resumes = c.read_ahead_resumes();
  cache.write_hit_keeps_read_ahead = c.write_hit_keeps_read_ahead();
  cache.destage_behind = c.destage_behind();
  cache.destage_by_lbn = c.destage_by_lbn();
  cache.destage_in_passing = c.destage_in_passing();
  cache.write_updates_segments = c.write_updates_segments();
  return cache;
}

template <typename Old>
engine::TableSections sections_of(const Old& drive) {
  engine::TableSections sections;
  const auto& motion = *drive.motion();
  sections.motion = {motion.numerator_ns(), motion.denominator(), motion.head_switch_ns(),
                     motion.write_settle_ns(), motion.inward_seek_ns()};
  sections.overheads = overheads_of(*drive.overheads());
  const auto& bus = *drive.bus();
  sections.bus = {bus.read_block_ns(), bus.write_block_ns(), bus.high_read_watermark(),
                  bus.watermark_by_request()};
  sections.cache = cache_of(*drive.cache());
  if (const auto* written = drive.written())
    sections.written = {written->synchronize_ns(), written->most_blocks(), written->persist()};
  const auto& queue = *drive.queue();
  sections.queue = {queue.scheduler(), queue.depth(), queue.preseeking(), queue.hits_overtake()};
  const auto& validity = *drive.validity();
  sections.validity = {validity.first_lbn(),  validity.last_lbn(),  validity.min_blocks(),
                       validity.max_blocks(), validity.max_depth(), validity.reads(),
                       validity.writes()};
  return sections;
}

// Distances have four more behind them.
template <typename Old>
engine::SeekPoints seek_of(const Old& drive) {
  engine::SeekPoints seek;
  seek.curves = drive.motion()->seek_curves();
  seek.cylinders = numbers_of(*drive.seek_distances());
  if (seek.cylinders.size() < engine::kKeyPadding)
    throw Contradiction("its seek curve has less than two points");
  seek.cylinders.resize(seek.cylinders.size() - engine::kKeyPadding);
  for (const auto* line : aligned(*drive.seek_lines())) seek.times_ns.push_back(line->time_ns());
  return seek;
}

template <typename Old>
void tree_of(const Old& drive, engine::LayoutArrays& layout) {
  for (const auto* n : aligned(*drive.nodes())) {
    engine::FlatNode node{};
    node.angle = n->angle();
    node.angle_step = n->angle_step();
    node.cylinder = n->cylinder();
    node.cylinder_step = n->cylinder_step();
    node.head = n->head();
    node.head_step = n->head_step();
    node.sectors = n->sectors();
    node.first_child = n->first_child();
    node.children = n->children();
    layout.nodes.push_back(node);
  }
  for (const auto* e : aligned(*drive.extents()))
    layout.extents.push_back({0, 0, 0, 0, e->count()});
  for (const auto* t : aligned(*drive.tracks()))
    layout.tracks.push_back({t->angle(), 0, t->sectors(), t->cylinder(), t->head()});
  for (const auto* s : aligned(*drive.stretches()))
    layout.pieces.stretches.push_back({s->shift(), s->sequential(), s->period(), 0, s->gap()});
}

void runs_of(const format_6::Drive& drive, engine::RunArrays& runs) {
  for (const auto* l : aligned(*drive.run_lists()))
    runs.lists.push_back(
        {l->first_jump(), l->first_cylinder(), l->first_course(), l->first_size(), 0});
  for (const auto* c : aligned(*drive.courses()))
    runs.courses.push_back(
        {c->angle_step(), c->count(), c->cylinder_step(), c->head(), c->head_step()});
  for (const auto* s : aligned(*drive.sizes())) runs.sizes.push_back({0, s->sectors()});
  runs.jumps = numbers_of(*drive.run_jumps());
  runs.cylinders = numbers_of(*drive.run_cylinders());
  runs.course_numbers = numbers_of(*drive.run_courses());
  runs.size_numbers = numbers_of(*drive.run_sizes());
}

// Format 5's pieces may be longer than one piece of today's: those are cut. A stretch is told on
// from where it is cut.
class PieceCutter {
 public:
  PieceCutter(engine::PieceArrays& pieces, std::vector<std::uint32_t>& blocks)
      : pieces_(pieces), blocks_(blocks), old_(std::move(pieces.stretches)) {
    pieces_.stretches.clear();
  }

  void add(std::uint32_t shift, std::uint64_t length) {
    if (shift < engine::kStretch) return add_equal(length, [&] { return shift; });
    const std::uint32_t number = shift - engine::kStretch;
    if (number >= old_.size()) throw Contradiction("its layout has stretches that are not its own");
    engine::FlatStretch stretch = old_[number];
    const auto listed = [&] {
      pieces_.stretches.push_back(stretch);
      return engine::kStretch + static_cast<std::uint32_t>(pieces_.stretches.size() - 1);
    };
    if (stretch.period == 0) return add_equal(length, listed);
    const std::uint64_t periods = engine::kLongestPiece / stretch.period;
    const std::uint64_t step = std::max<std::uint64_t>(periods, 1) * stretch.period;
    const std::uint64_t gap = stretch.gap;
    if (periods == 0) stretch.period = stretch.gap = 0;
    for (; length > step; length -= step) {
      add_equal(step, listed);
      stretch.shift += std::max<std::uint64_t>(periods, 1) * gap;
      stretch.sequential += std::max<std::uint64_t>(periods, 1) * gap;
    }
    add_equal(length, listed);
  }

 private:
  template <typename Shift>
  void add_equal(std::uint64_t length, const Shift& shift) {
    for (; length > engine::kLongestPiece; length -= engine::kLongestPiece)
      add_piece(shift(), engine::kLongestPiece);
    add_piece(shift(), length);
  }
  void add_piece(std::uint32_t shift, std::uint64_t length) {
    pieces_.shifts.push_back(shift);
    blocks_.push_back(static_cast<std::uint32_t>(length));
  }

  engine::PieceArrays& pieces_;
  std::vector<std::uint32_t>& blocks_;
  std::vector<engine::FlatStretch> old_;
};

}  // namespace

engine::TableParts parts_of(const format_6::Drive& drive) {
  engine::TableParts parts;
  parts.layout.totals.roots = drive.totals()->roots();
  tree_of(drive, parts.layout);
  runs_of(drive, parts.layout.runs);
  parts.layout.pieces.shifts = numbers_of(*drive.piece_shifts());
  const auto& lbns = *drive.piece_lbns();
  for (std::uint32_t i = 0; i + engine::kKeyPadding < lbns.size(); ++i)
    parts.piece_blocks.push_back(lbns.Get(i + 1) - lbns.Get(i));
  parts.seek = seek_of(drive);
  parts.sections = sections_of(drive);
  return parts;
}

engine::TableParts parts_of(const format_5::Drive& drive) {
  constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 48;
  engine::TableParts parts;
  parts.layout.totals.roots = drive.totals()->zones();
  tree_of(drive, parts.layout);
  const auto& lbns = *drive.piece_lbns();
  const auto& shifts = *drive.piece_shifts();
  if (lbns.size() != shifts.size() + engine::kKeyPadding)
    throw Contradiction("its layout has pieces without a shift");
  PieceCutter cutter(parts.layout.pieces, parts.piece_blocks);
  for (std::uint32_t i = 0; i < shifts.size(); ++i) {
    const std::uint64_t end = i + 1 < shifts.size() ? lbns.Get(i + 1) : drive.totals()->blocks();
    if (end <= lbns.Get(i) || end > kMostBlocks)
      throw Contradiction("its layout has pieces that do not ascend");
    cutter.add(shifts.Get(i), end - lbns.Get(i));
  }
  parts.seek = seek_of(drive);
  parts.sections = sections_of(drive);
  return parts;
}

}  // namespace platter::emit_table
