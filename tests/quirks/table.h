// A table of replies: the manners of one drive, bridge or adapter in front of a good drive.
//
//   {"replies": [RULE, ...]}; the first rule that matches a command changes its reply.
//   "grid_us": X   completions are seen at multiples of so much: USB's microframes are 125 us.
//
// Which commands a rule matches; all of what it names must hold:
//   "cdb": "12 01 B? ??"    the first bytes; a ? is any half of a byte
//   "lbn": [first, last]    READ, WRITE, VERIFY, SEEK that touch these blocks
//   "stripe": [first, last, period, from, to]   that begin or end in blocks from-to of each period,
//                           as those of one head
//   "longer_than": N        of more blocks
//   "after": N, "times": N, "every": N   from the Nth that matches on; so many; each Nth
// What it does (effect.h): "short_read": N, "as_tur", "exit"; "data": "hex", "cut": N, "half",
//   "append": "hex", "poke": {"offset": "hex"}, "pad"; "sense": "key asc ascq" with
//   "descriptor_sense", "raw_sense": "hex", "no_sense", "status": N, "keep_data", "residual": N,
//   "delay_ms": X. A rule that does nothing keeps what matches it from those behind it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "effect.h"

namespace quirks {

class Rule {
 public:
  explicit Rule(Json json);
  // Counts the commands that match.
  bool meets(const platter::scsi::Command& command);
  const Effect& effect() const { return effect_; }

 private:
  struct Half {
    std::uint8_t mask, value;
  };
  void read_pattern(const std::string& text);
  bool has_pattern(const platter::scsi::Command& command) const;
  bool has_blocks(const platter::scsi::Command& command) const;

  std::vector<Half> pattern_;
  std::optional<std::array<std::uint64_t, 2>> lbn_;
  std::optional<std::array<std::uint64_t, 5>> stripe_;
  std::optional<std::uint64_t> longer_than_;
  std::uint64_t after_ = 1, every_ = 1, seen_ = 0;
  std::optional<std::uint64_t> times_;
  Effect effect_;
};

class Table {
 public:
  Table() = default;
  // Throws std::invalid_argument with a sentence, or what nlohmann::json throws.
  explicit Table(const Json& json);
  // The number of the rule that changes this command's reply; nullopt: none.
  std::optional<std::size_t> rule_of(const platter::scsi::Command& command);
  const Effect& effect(std::size_t rule) const { return rules_.at(rule).effect(); }
  // When a completion of that moment is seen.
  platter::Nanoseconds seen_ns(platter::Nanoseconds completed_ns) const;

 private:
  std::vector<Rule> rules_;
  platter::Nanoseconds grid_ns_ = 1;
};

}  // namespace quirks
