// What stands behind libplatter's handles, and how a function comes to it: a table is asked by any
// number of threads, an engine is one thread's at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "emit/table/table.h"
#include "engine/engine.h"
#include "engine/tables.h"
#include "episodes/schedule.h"
#include "lib/failures.h"
#include "lib/handle.h"
#include "lib/platter.h"
#include "lib/process.h"

namespace platter::lib {

struct TableContent {
  // Of the bytes that the table was read from.
  TableContent(emit_table::Table read, std::span<const std::byte> bytes);

  emit_table::Table table;
  std::uint64_t blocks = 0;       // capacity
  std::uint64_t fingerprint = 0;  // of the bytes, and of what a checkpoint looks like
};

struct EngineContent {
  explicit EngineContent(const TableContent& t)
      : engine(t.table.tables),
        blocks(t.blocks),
        fingerprint(t.fingerprint),
        table_fingerprint(t.fingerprint),
        table_cache(t.table.tables->cache) {}

  engine::Engine engine;
  std::uint64_t blocks = 0;
  std::uint64_t fingerprint = 0;  // of the table, and of policies that are not its own
  std::uint64_t table_fingerprint = 0;
  engine::CacheTable table_cache{};
};

}  // namespace platter::lib

struct platter_table : platter::lib::Handle<platter::lib::TableContent> {};
struct platter_engine : platter::lib::Handle<platter::lib::EngineContent> {};
struct platter_episodes : platter::lib::Handle<platter::episodes::Schedule> {};

namespace platter::lib {

// Runs `work` on what never changes while it is open. What it throws becomes a status.
template <typename AHandle, typename Work>
platter_status with_open(const char* function, const char* name, const AHandle* handle,
                         std::initializer_list<Pointer> others, Work work) noexcept {
  if (const platter_status bad = null_among(function, {{name, handle}})) return bad;
  if (const platter_status bad = null_among(function, others)) return bad;
  if (handle->closing.load(std::memory_order_acquire))
    return failed(PLATTER_BAD_ARGUMENT, "{}: the {} was closed", function, name);
  try {
    return work(*handle->content);
  } catch (...) {
    return failed_by_exception();
  }
}

template <typename Work>
platter_status with_table(const char* function, const platter_table* table,
                          std::initializer_list<Pointer> others, Work work) noexcept {
  return with_open(function, "table", table, others, work);
}

// While it lives, its thread has the engine to itself, if it could have it.
class Turn {
 public:
  explicit Turn(const AnyHandle& engine) noexcept : engine_(engine) {
    if (engine.closing.load(std::memory_order_relaxed)) {
      found_ = AnyHandle::kClosed;
    } else if (is_only_thread()) {  // nobody can come between
      found_ = engine.use.load(std::memory_order_relaxed);
      if (is_mine()) engine.use.store(mark_of_process(), std::memory_order_relaxed);
    } else {
      engine.use.compare_exchange_strong(found_, mark_of_process(), std::memory_order_acquire,
                                         std::memory_order_relaxed);
    }
  }
  ~Turn() {
    if (is_mine()) engine_.use.store(AnyHandle::kOpen, std::memory_order_release);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool is_mine() const noexcept { return found_ == AnyHandle::kOpen; }
  bool is_closed() const { return found_ == AnyHandle::kClosed; }
  platter_status refused(const char* function) const;

 private:
  const AnyHandle& engine_;
  std::uint32_t found_ = AnyHandle::kOpen;
};

// Runs `work` on what an engine holds, when no other thread does. What it throws becomes a status.
template <typename Engine, typename Work>
platter_status in_turn(const char* function, Engine* engine, std::initializer_list<Pointer> others,
                       Work work) noexcept {
  if (const platter_status bad = null_among(function, {{"engine", engine}})) return bad;
  if (const platter_status bad = null_among(function, others)) return bad;
  const Turn turn(*engine);
  if (!turn.is_mine()) return turn.refused(function);
  try {
    return work(*engine->content);
  } catch (...) {
    return failed_by_exception();
  }
}

inline std::uint32_t flag(bool set, std::uint32_t bit) { return set ? bit : 0; }

// A struct whose caller may know fewer or more members than we do: the common part is filled, what
// the caller has beyond is zero.
template <typename Struct>
platter_status fill(Struct* target, Struct source) noexcept {
  const std::uint32_t size = target->struct_size;
  if (size < sizeof(std::uint64_t) || size > 4096)
    return failed(PLATTER_BAD_ARGUMENT, "struct_size is {}; set it to sizeof the struct", size);
  source.struct_size = size;
  std::memcpy(target, &source, std::min<std::size_t>(size, sizeof source));
  if (size > sizeof source)
    std::memset(reinterpret_cast<std::byte*>(target) + sizeof source, 0, size - sizeof source);
  return PLATTER_OK;
}

}  // namespace platter::lib
