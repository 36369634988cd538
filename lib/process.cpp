#include "lib/process.h"

#include <pthread.h>

#include <atomic>
#include <random>

namespace platter::lib {
namespace {

constinit std::atomic<std::uint32_t> mark{2};  // AnyHandle has 0 and 1 for itself

[[maybe_unused]] const int kCountsForks = ::pthread_atfork(
    nullptr, nullptr, [] { mark.fetch_add(1, std::memory_order_relaxed); });

std::uint64_t drawn() {
  std::random_device device;
  return std::uniform_int_distribution<std::uint64_t>()(device);
}

}  // namespace

std::uint32_t mark_of_process() noexcept { return mark.load(std::memory_order_relaxed); }

std::uint64_t process_number() {
  static const std::uint64_t number = drawn();
  return number;
}

}  // namespace platter::lib
