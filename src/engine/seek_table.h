// Seek time by distance: the model's curves as a table, linear between their points and past their
// end.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/flat_tables.h"
#include "engine/int128.h"
#include "engine/key_index.h"
#include "model/drive_model.h"
#include "model/units.h"

namespace platter::engine {

// The points of one curve or of four (SeekTable::curve), all at the same distances.
struct SeekPoints {
  std::uint32_t curves = 1;
  std::vector<std::uint64_t> cylinders;  // ascending
  std::vector<Nanoseconds> times_ns;     // at each distance, of one curve behind the other
};

class SeekTable {
 public:
  // All seeks by one curve. Throws Error(bad_input) if the points do not ascend or a time is no
  // time.
  explicit SeekTable(const model::Seek& seek);
  // As the model has them: one curve, or four where outward ones or those of writes are others.
  explicit SeekTable(const model::DriveModel& model);
  // Of points that seek_defect found nothing wrong with.
  explicit SeekTable(const SeekPoints& points);

  // Which of the curves: how many of the following hold, `write` twofold.
  static std::uint32_t curve(bool outward, bool write) {
    return (outward ? 1U : 0U) + (write ? 2U : 0U);
  }
  // Whether each kind of seek has a curve; those of writes have the settle in them then.
  bool apart() const { return curves_ > 1; }

  // Time to move the arm by so many cylinders, by the first curve or, of those apart, another; 0
  // for no distance.
  Nanoseconds time_ns(std::uint32_t cylinders, std::uint32_t curve = 0) const {
    if (cylinders == 0) return 0;
    const std::uint64_t last = distances_.keys[points_ - 1];
    const std::size_t reached =
        distances_.count_not_above(std::min<std::uint64_t>(cylinders, last));
    const std::size_t low = reached == 0 ? 0 : reached - 1;  // the line from this point on
    const auto along = static_cast<std::int64_t>(cylinders) -
                       static_cast<std::int64_t>(distances_.keys[low]);
    const FlatSeekLine& line = lines_[curve * points_ + low];
    const Nanoseconds time = line.time_ns + rounded(Int128{line.slope} * along);
    return time > 0 ? time : 0;
  }

  SeekPoints points() const;
  const KeyIndex& distances() const { return distances_; }  // at least two
  std::span<const FlatSeekLine> lines() const {
    return lines_;
  }  // of each curve one of each distance
  std::uint32_t curves() const { return curves_; }

  static constexpr int kSlopeBits = 24;

 private:
  static Nanoseconds rounded(Int128 scaled) {
    return static_cast<Nanoseconds>((scaled + (Int128{1} << (kSlopeBits - 1))) >> kSlopeBits);
  }

  KeyIndex distances_;
  std::span<const FlatSeekLine> lines_;
  std::size_t points_;
  std::uint32_t curves_;
  std::shared_ptr<const void> owner_;
};

// What is wrong with seek curves of unknown origin, for a drive of so many cylinders, to follow
// "its seek curve"; nullopt: nothing, and no distance overflows.
std::optional<std::string> seek_defect(const SeekPoints& points, std::uint32_t cylinders);

}  // namespace platter::engine
