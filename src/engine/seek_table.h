// Seek time by distance: the model's curve as a table, linear between its points and past its end.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/flat_tables.h"
#include "engine/key_index.h"
#include "engine/wide.h"
#include "model/drive_model.h"
#include "model/units.h"

namespace platter::engine {

class SeekTable {
 public:
  // Throws Error(bad_input) if the points do not ascend or a time is no time.
  explicit SeekTable(const model::Seek& seek);
  // Over tables that seek_defect found nothing wrong with; `owner` keeps them in memory.
  SeekTable(const KeyIndex& distances, std::span<const FlatSeekLine> lines,
            std::shared_ptr<const void> owner);

  // Time to move the arm by so many cylinders (read seek); 0 for no distance.
  Nanoseconds time_ns(std::uint32_t cylinders) const {
    if (cylinders == 0) return 0;
    const std::uint64_t last = distances_.keys[lines_.size() - 1];
    const std::size_t reached =
        distances_.count_not_above(std::min<std::uint64_t>(cylinders, last));
    const std::size_t low = reached == 0 ? 0 : reached - 1;  // the line from this point on
    const auto along =
        static_cast<std::int64_t>(cylinders) - static_cast<std::int64_t>(distances_.keys[low]);
    const FlatSeekLine& line = lines_[low];
    const Nanoseconds time = line.time_ns + rounded(Int128{line.slope} * along);
    return time > 0 ? time : 0;
  }

  const KeyIndex& distances() const { return distances_; }        // at least two
  std::span<const FlatSeekLine> lines() const { return lines_; }  // one of each distance

  static constexpr int kSlopeBits = 24;

 private:
  static Nanoseconds rounded(Int128 scaled) {
    return static_cast<Nanoseconds>((scaled + (Int128{1} << (kSlopeBits - 1))) >> kSlopeBits);
  }

  KeyIndex distances_;
  std::span<const FlatSeekLine> lines_;
  std::shared_ptr<const void> owner_;
};

// What is wrong with a seek curve of unknown origin, for a drive of so many cylinders, to follow
// "its seek curve"; nullopt: nothing, and no distance overflows.
std::optional<std::string> seek_defect(const TablesView& tables);

}  // namespace platter::engine
