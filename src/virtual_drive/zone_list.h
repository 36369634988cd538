// The zones of a drive as a state: conditions and write pointers, what may be written and read, and
// what hosts do to zones (ZBC-2, clauses 4.5 and 5). No bytes of commands and no time in here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/drive_model.h"
#include "model/lbn_range.h"
#include "virtual_drive/sense_data.h"

namespace platter::virtual_drive {

enum class ZoneType : std::uint8_t { conventional = 1, required = 2, preferred = 3 };
enum class ZoneCondition : std::uint8_t {
  not_write_pointer = 0x0,
  empty = 0x1,
  implicitly_open = 0x2,
  explicitly_open = 0x3,
  closed = 0x4,
  read_only = 0xd,
  full = 0xe,
  offline = 0xf
};

struct Zone {
  std::uint64_t first = 0, blocks = 0;
  std::uint64_t written = 0;  // below the write pointer; all of a full or a conventional one
  std::uint64_t durable = 0;  // of these: a power cut does not take them
  ZoneType type = ZoneType::conventional;
  ZoneCondition condition = ZoneCondition::not_write_pointer;
  bool out_of_order = false;  // NON_SEQ
  bool changed = false;       // since take_changed()

  std::uint64_t end() const { return first + blocks; }
  std::uint64_t pointer() const { return first + written; }
  bool is_open() const {
    return condition == ZoneCondition::implicitly_open ||
           condition == ZoneCondition::explicitly_open;
  }
};

class ZoneList {
 public:
  // Of a drive that tells none: empty, and nothing is refused.
  explicit ZoneList(const model::Identity& drive);

  bool empty() const { return zones_.empty(); }
  std::span<const Zone> zones() const { return zones_; }
  std::size_t number_of(std::uint64_t lbn) const;  // of the zone that holds it

  // Why these blocks are not read, or not written; nullopt: they are, and the pointers move.
  using Refusal = std::optional<SenseCode>;
  Refusal read(std::uint64_t lbn, std::uint64_t blocks) const;
  Refusal write(std::uint64_t lbn, std::uint64_t blocks);
  // Whether nothing of these blocks was written since their zones were reset.
  bool all_unwritten(std::uint64_t lbn, std::uint64_t blocks) const;
  // Zeros for those of the blocks in `data` (from `lbn` on) that lie above the pointers.
  void clear(std::uint64_t lbn, std::uint32_t block_bytes, std::span<std::uint8_t> data) const;

  enum class Action : std::uint8_t { close = 1, finish = 2, open = 3, reset = 4 };
  // Of the zone that begins there; all: of each that it makes sense for.
  Refusal act(Action action, std::uint64_t lbn, bool all);

  // What was written below there, of its zone, outlives the power.
  void mark_durable(std::uint64_t end_lbn);
  // The power goes and comes back: nothing is open any more, and what lies from a lost block on is
  // gone with it.
  void cut_power(std::span<const LbnRange> lost);
  // What cut_power() would leave of one zone.
  Zone after_cut(std::size_t number, std::span<const LbnRange> lost) const;

  // What a drive's contents keep of a zone: its blocks below the pointer, and its condition.
  struct State {
    std::uint64_t written = 0;
    std::uint8_t condition = 0;
    bool operator==(const State&) const = default;
  };
  static State state_of(const Zone& zone) {
    return {zone.written, static_cast<std::uint8_t>(zone.condition)};
  }
  State state(std::size_t number) const { return state_of(zones_[number]); }
  // As it is after a power cut. False: no such zone can be so.
  [[nodiscard]] bool restore(std::size_t number, const State& state);
  // Since the last question: numbers of zones, each once, and the blocks of those that were reset.
  std::vector<std::uint32_t> take_changed();
  std::vector<LbnRange> take_emptied() { return std::exchange(emptied_, {}); }

 private:
  bool make_room();
  void close(Zone& zone);
  void change(Zone& zone, ZoneCondition condition, std::uint64_t written);
  Refusal write_required(Zone& zone, std::uint64_t lbn, std::uint64_t blocks);
  void write_preferred(std::uint64_t lbn, std::uint64_t blocks);
  Refusal act_on(Action action, Zone& zone);

  std::vector<Zone> zones_;
  std::vector<std::uint32_t> changed_;
  std::vector<LbnRange> emptied_;
  std::size_t open_ = 0, most_open_;
  std::uint64_t in_physical_;  // logical blocks
  bool reads_past_pointers_;
};

}  // namespace platter::virtual_drive
