// The runs of tracks that a node has in place of children (flat_tables.h, FlatRunList), one after
// the other.
#pragma once

#include <cstdint>

#include "engine/flat_tables.h"
#include "engine/int128.h"

namespace platter::engine {

// Angles of runs are told from the end of the run before them, to a part of a turn in 2^32.
constexpr std::uint32_t kJumpShift = 32;

constexpr std::uint64_t chunks_of(std::uint64_t runs) { return (runs + kChunk - 1) / kChunk; }

// Slot, angle, cylinder and head of a run are those within the node's instance. No bounds are
// checked: complete_layout does.
class RunWalk {
 public:
  RunWalk() = default;
  // At the first run.
  RunWalk(const RunsView& runs, const FlatNode& node)
      : runs_(&runs), list_(&runs.lists[node.first_child]) {
    go_to_chunk(0);
  }
  // At the run that holds a slot.
  RunWalk(const RunsView& runs, const FlatNode& node, std::uint64_t slot)
      : runs_(&runs), list_(&runs.lists[node.first_child]) {
    go_to_chunk(chunk_of(node, slot));
    while (slot - first_slot_ >= slots()) next();
  }

  // Only if there is one more.
  void next() {
    first_slot_ += slots();
    angle_ += course_->count * course_->angle_step +
              (std::uint64_t{runs_->jumps[list_->first_jump + number_]} << kJumpShift);
    stand_at(number_ + 1);
  }

  std::uint32_t number() const { return number_; }
  std::uint64_t first_slot() const { return first_slot_; }
  std::uint64_t slots() const { return std::uint64_t{course_->count} * size_->sectors; }
  std::uint64_t angle() const { return angle_; }  // 2^64 to the turn
  std::int32_t cylinder() const { return runs_->cylinders[list_->first_cylinder + number_]; }
  const FlatCourse& course() const { return *course_; }
  const FlatSize& size() const { return *size_; }

 private:
  // Runs are nearly of one length, so the right chunk is near where it would be if they were.
  std::uint64_t chunk_of(const FlatNode& node, std::uint64_t slot) const {
    const std::uint32_t* const slots = runs_->chunk_slots.data() + list_->first_chunk;
    const std::uint64_t chunks = chunks_of(listed(node));
    auto at = static_cast<std::uint64_t>((Uint128{slot * chunks} * node.reciprocal) >> 64);
    while (slots[at] > slot) --at;
    while (at + 1 < chunks && slots[at + 1] <= slot) ++at;
    return at;
  }
  void go_to_chunk(std::uint64_t chunk) {
    first_slot_ = runs_->chunk_slots[list_->first_chunk + chunk];
    angle_ = runs_->chunk_angles[list_->first_chunk + chunk];
    stand_at(static_cast<std::uint32_t>(chunk * kChunk));
  }
  void stand_at(std::uint32_t number) {
    number_ = number;
    course_ = &runs_->courses[runs_->course_numbers[list_->first_course + number]];
    size_ = &runs_->sizes[runs_->size_numbers[list_->first_size + number]];
  }

  const RunsView* runs_ = nullptr;
  const FlatRunList* list_ = nullptr;
  const FlatCourse* course_ = nullptr;
  const FlatSize* size_ = nullptr;
  std::uint64_t first_slot_ = 0, angle_ = 0;
  std::uint32_t number_ = 0;
};

}  // namespace platter::engine
