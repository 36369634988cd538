// How the rules look into blocks, and where they put what they find. They never throw for a value:
// what is missing DiskSim takes for 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emit/disksim/libparam.h"
#include "emit/disksim_check/check.h"

namespace platter::emit_disksim_check {

using emit_disksim::Block;
using emit_disksim::Program;
using emit_disksim::Value;
using emit_disksim::Where;

class Findings {
 public:
  Findings(Program program, const std::vector<Access>* accesses)
      : program_(program), accesses_(accesses) {}

  Program program() const { return program_; }
  // What is asked about: the accesses of a trace, or nullptr, any.
  const std::vector<Access>* accesses() const { return accesses_; }
  // So many blocks behind a read the drive may read on to.
  void read_on(std::int64_t blocks) { read_on_ = blocks; }

  void add(Effect effect, const Where& where, std::string what, std::string source) {
    all_.push_back({effect, where.brief(), std::move(what), std::move(source)});
  }
  // Blocks at which DiskSim stops, if anybody comes there; `why` goes on behind "blocks".
  void add_at_blocks(const std::vector<std::pair<std::int64_t, std::int64_t>>& blocks,
                     const Where& where, const std::string& why, const std::string& source);
  std::vector<Finding> take() { return std::move(all_); }

 private:
  Program program_;
  const std::vector<Access>* accesses_;
  std::int64_t read_on_ = 0;
  std::vector<Finding> all_{};
};

// Far more than any program counts, so that sums do not overflow.
inline std::int64_t within_bounds(std::int64_t number) {
  constexpr std::int64_t kFar = std::int64_t{1} << 60;
  return std::clamp(number, -kFar, kFar);
}

class Values {
 public:
  explicit Values(const Block& block) : block_(block) {}

  const Block& block() const { return block_; }
  const Value* find(const std::string& name) const {
    for (const emit_disksim::NamedValue& value : block_.values)
      if (value.name == name) return &value.value;
    return nullptr;
  }
  const Where& where(const std::string& name) const {
    const Value* const value = find(name);
    return value ? value->where : block_.where;
  }
  template <class Type>
  const Type* get(const std::string& name) const {
    const Value* const value = find(name);
    return value ? std::get_if<Type>(&value->data) : nullptr;
  }
  // 0 where it is missing or no whole number.
  std::int64_t integer(const std::string& name) const {
    const auto* const number = get<std::int64_t>(name);
    return number ? within_bounds(*number) : 0;
  }
  double real(const std::string& name) const {
    const auto* const number = get<double>(name);
    return number ? *number : static_cast<double>(integer(name));
  }
  std::string text(const std::string& name) const {
    const auto* const word = get<std::string>(name);
    return word ? *word : "";
  }
  const Block* inner(const std::string& name) const {
    const auto* const block = get<std::shared_ptr<const Block>>(name);
    return block ? block->get() : nullptr;
  }
  // Empty where it is missing or no list.
  const std::vector<Value>& list(const std::string& name) const {
    static const std::vector<Value> kNone;
    const auto* const values = get<std::vector<Value>>(name);
    return values ? *values : kNone;
  }

 private:
  const Block& block_;
};

inline std::optional<std::int64_t> whole(const Value& value) {
  const auto* const number = std::get_if<std::int64_t>(&value.data);
  return number ? std::optional(within_bounds(*number)) : std::nullopt;
}

// The rules, a file for each of DiskSim's modules.
void check_parameters(const Block& block, Findings& findings);  // and of the blocks within
void check_disk(const Block& disk, std::int64_t longest_track, std::int64_t blocks,
                Findings& findings);
// What it may read on to behind a read; `model`: its dm_disk.
std::int64_t most_read_on(const Block& disk, const Block& model);
// Sectors of the longest track of a dm_disk's layout g1 or g4; 0 of another.
std::int64_t longest_track(const Block& model);
void check_queue(const Block& queue, Findings& findings);
// Blocks that the layout has places for; dm_layout_g1 and g4.
std::int64_t check_g1(const Block& layout, std::int64_t surfaces, std::int64_t cylinders,
                      Findings& findings);
std::int64_t check_g4(const Block& layout, Findings& findings);
// Places that a layout g4 slips from this one on.
std::int64_t slipped_behind(const Block& layout, std::int64_t place);
// `folder`: of the file that DiskSim is started with.
void check_mechanics(const Block& mechanics, const std::string& folder, Findings& findings);
// Blocks of the drive, as DiskSim counts them.
std::int64_t check_model(const Block& model, const std::string& folder, Findings& findings);
// `blocks`: of the largest drive; `is_whole`: the file is what DiskSim is started with, no part.
void check_simulation(const emit_disksim::ParameterFile& file, const std::string& folder,
                      std::int64_t blocks, bool is_whole, Findings& findings);

// Where DiskSim seeks a file that a parameter in `where` names; "" where there is none.
std::string file_named(const std::string& name, const Where& where, const std::string& folder);

}  // namespace platter::emit_disksim_check
