// From which member of a mirror a read is done: the rules of Linux md (drivers/md/raid1.c,
// read_balance(), 6.1).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace platter::array {

// What a read takes that continues none and finds no member idle. md takes `nearest` where all
// members rotate, `least_pending` otherwise.
enum class Balance : std::uint8_t {
  nearest,       // the member whose last access ended nearest by LBN
  least_pending  // the member with the fewest commands outstanding
};

// "nearest", "least-pending", and the way back; nullopt for a name that no rule has.
const char* name_of(Balance balance);
std::optional<Balance> balance_of(const std::string& name);

// What md knows of a member.
struct Mirror {
  bool readable = true;                         // present, and in step with the others
  std::uint32_t pending = 0;                    // commands outstanding
  std::uint64_t head = 0;                       // the LBN behind the access that ended last
  std::uint64_t next_read = ~std::uint64_t{0};  // the LBN behind the read that was given to it last
};

// The member for a read at that LBN: the first that the read continues (behind its last read or
// its head); else, if one is idle, the first of those; else by the rule. One must be readable.
std::uint32_t choose(std::span<const Mirror> mirrors, std::uint64_t lbn, Balance balance);

}  // namespace platter::array
