#include "array/read_balance.h"

#include <algorithm>
#include <array>
#include <limits>

namespace platter::array {
namespace {

constexpr std::array<const char*, 2> kBalances = {"nearest", "least-pending"};

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a < b ? b - a : a - b; }

}  // namespace

const char* name_of(Balance balance) { return kBalances[static_cast<std::size_t>(balance)]; }

std::optional<Balance> balance_of(const std::string& name) {
  const auto found = std::ranges::find(kBalances, name);
  if (found == kBalances.end()) return std::nullopt;
  return static_cast<Balance>(found - kBalances.begin());
}

std::uint32_t choose(std::span<const Mirror> mirrors, std::uint64_t lbn, Balance balance) {
  std::uint32_t nearest = 0, idlest = 0;
  std::uint64_t least_distance = std::numeric_limits<std::uint64_t>::max();
  std::uint32_t least_pending = std::numeric_limits<std::uint32_t>::max();
  for (std::uint32_t i = 0; i < mirrors.size(); ++i) {
    const Mirror& mirror = mirrors[i];
    if (!mirror.readable) continue;
    if (mirror.next_read == lbn || mirror.head == lbn) return i;
    if (mirror.pending < least_pending) {
      least_pending = mirror.pending;
      idlest = i;
    }
    if (const std::uint64_t far = distance(mirror.head, lbn); far < least_distance) {
      least_distance = far;
      nearest = i;
    }
  }
  return least_pending == 0 || balance == Balance::least_pending ? idlest : nearest;
}

}  // namespace platter::array
