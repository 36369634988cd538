// What stands behind libplatter's handles, and how its functions fail: a status for the caller's
// program, a sentence for the thread that may ask for it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "emit/table/table.h"
#include "engine/engine.h"
#include "engine/tables.h"
#include "lib/platter.h"

struct platter_table {
  platter::emit_table::Table table;
  std::uint64_t blocks = 0;       // capacity
  std::uint64_t fingerprint = 0;  // of the bytes, and of what a checkpoint looks like
};

struct platter_engine {
  platter::engine::Engine engine;
  std::uint64_t blocks = 0;
  std::uint64_t fingerprint = 0;  // of the table, and of policies that are not its own
  std::uint64_t table_fingerprint = 0;
  platter::engine::CacheTable table_cache{};
};

namespace platter::lib {

// Keeps the sentence, cut where the buffer ends, for platter_last_error().
platter_status failed(platter_status status, const char* sentence) noexcept;

const char* sentence_of_last_error() noexcept;

// Turns the exception that is being handled into a status.
platter_status failed_by_exception() noexcept;

inline platter_status missing(const char* function) noexcept {
  return failed(PLATTER_BAD_ARGUMENT, function);
}

inline std::uint32_t flag(bool set, std::uint32_t bit) { return set ? bit : 0; }

inline bool is_time(std::int64_t time_ns) {
  return time_ns >= -PLATTER_TIME_LIMIT && time_ns <= PLATTER_TIME_LIMIT;
}

// A struct whose caller may know fewer or more members than we do: the common part is filled, what
// the caller has beyond is zero.
template <typename Struct>
platter_status fill(Struct* target, Struct source) noexcept {
  const std::uint32_t size = target->struct_size;
  if (size < sizeof(std::uint64_t) || size > 4096)
    return failed(PLATTER_BAD_ARGUMENT, "struct_size is not set; set it to sizeof the struct");
  source.struct_size = size;
  std::memcpy(target, &source, std::min<std::size_t>(size, sizeof source));
  if (size > sizeof source)
    std::memset(reinterpret_cast<std::byte*>(target) + sizeof source, 0, size - sizeof source);
  return PLATTER_OK;
}

}  // namespace platter::lib
