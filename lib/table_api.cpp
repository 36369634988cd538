// Tables: opened, closed, and what they say of themselves.

#include <cstdlib>
#include <memory>

#include "emit/table/mapped_file.h"
#include "lib/handles.h"
#include "model/standing.h"
#include "model/version.h"

namespace {

using platter::lib::failed;
using platter::lib::flag;
using platter::lib::missing;

// FNV-1a. Two tables that differ are taken for one another once in 2^64.
std::uint64_t fingerprint_of(std::span<const std::byte> bytes, const char* version) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](std::uint8_t byte) { hash = (hash ^ byte) * 0x100000001b3u; };
  for (const std::byte byte : bytes) add(static_cast<std::uint8_t>(byte));
  for (const char* c = version; *c != '\0'; ++c) add(static_cast<std::uint8_t>(*c));
  return hash;
}

platter_table* opened(std::span<const std::byte> bytes, const std::string& origin) {
  auto handle = std::make_unique<platter_table>();
  handle->table = platter::emit_table::read_table(bytes, origin);
  handle->blocks = handle->table.identity.blocks != 0 ? handle->table.identity.blocks
                                                      : handle->table.tables->layout.blocks();
  handle->fingerprint = fingerprint_of(bytes, platter::model::kToolVersion);
  return handle.release();
}

std::uint32_t flags_of(const platter::emit_table::Table& table) {
  return flag(table.provenance.method == platter::model::kDerivedMethod, PLATTER_DERIVED) |
         flag(!table.validity.demerits.empty(), PLATTER_VALIDATED) |
         flag(table.validity.reads, PLATTER_CHECKED_READS) |
         flag(table.validity.writes, PLATTER_CHECKED_WRITES);
}

}  // namespace

const char* platter_version(void) { return platter::model::kToolVersion; }
uint32_t platter_table_format(void) { return platter::emit_table::kTableFormat; }
const char* platter_last_error(void) { return platter::lib::sentence_of_last_error(); }

platter_status platter_table_open(const char* path, platter_table** table) {
  if (path == nullptr || table == nullptr) return missing("platter_table_open: NULL was given");
  try {
    const platter::emit_table::MappedFile file(path);
    *table = opened(file.bytes(), path);
    return PLATTER_OK;
  } catch (...) {
    return platter::lib::failed_by_exception();
  }
}

platter_status platter_table_open_memory(const void* bytes, size_t size, uint32_t how,
                                         platter_table** table) {
  if (bytes == nullptr || table == nullptr)
    return missing("platter_table_open_memory: NULL was given");
  if (how > PLATTER_IN_PLACE)
    return failed(PLATTER_BAD_ARGUMENT,
                  "platter_table_open_memory: neither PLATTER_COPY nor PLATTER_IN_PLACE was given");
  if (how == PLATTER_IN_PLACE && reinterpret_cast<std::uintptr_t>(bytes) % 8 != 0)
    return failed(
        PLATTER_BAD_ARGUMENT,
        "platter_table_open_memory: a table in place begins at a multiple of 8; align it or "
        "have it copied");
  const std::span all(static_cast<const std::byte*>(bytes), size);
  try {
    *table = opened(all, "the table in memory");
    return PLATTER_OK;
  } catch (...) {
    return platter::lib::failed_by_exception();
  }
}

void platter_table_close(platter_table* table) { delete table; }

platter_status platter_table_info(const platter_table* handle, platter_info* info) {
  if (handle == nullptr || info == nullptr) return missing("platter_table_info: NULL was given");
  const platter::emit_table::Table& table = handle->table;
  const platter::engine::Tables& tables = *table.tables;
  platter_info known{};
  known.flags = flags_of(table);
  known.name = table.identity.name.c_str();
  known.vendor = table.identity.vendor.c_str();
  known.product = table.identity.product.c_str();
  known.revision = table.identity.revision.c_str();
  known.serial = table.identity.serial.c_str();
  known.blocks = handle->blocks;
  known.block_bytes = table.identity.block_bytes;
  known.cylinders = tables.layout.cylinders();
  known.heads = tables.layout.heads();
  known.zones = tables.layout.view().totals.zones;
  known.tracks = tables.layout.tracks();
  known.sectors = tables.layout.slots();
  known.period_numerator_ns = tables.motion.numerator_ns;
  known.period_denominator = tables.motion.denominator;
  known.method = table.provenance.method.c_str();
  known.source = table.provenance.source.c_str();
  known.date = table.provenance.date.c_str();
  known.model_sha256 = table.model_sha256.c_str();
  known.written_by = table.platter.c_str();
  known.note = table.validity.note.c_str();
  known.first_lbn = table.validity.first_lbn;
  known.last_lbn = table.validity.last_lbn;
  known.min_blocks = table.validity.min_blocks;
  known.max_blocks = table.validity.max_blocks;
  known.max_depth = table.validity.max_depth;
  known.demerits = static_cast<std::uint32_t>(table.validity.demerits.size());
  known.table_bytes = table.bytes;
  known.scheduler = tables.queue.scheduler;
  known.queue_depth = tables.queue.depth;
  known.cache_segments = tables.cache.present != 0 ? tables.cache.segments : 0;
  known.segment_blocks = tables.cache.present != 0 ? tables.cache.segment_blocks : 0;
  return platter::lib::fill(info, known);
}

platter_status platter_table_demerit(const platter_table* handle, uint32_t index,
                                     platter_demerit* demerit) {
  if (handle == nullptr || demerit == nullptr)
    return missing("platter_table_demerit: NULL was given");
  const auto& demerits = handle->table.validity.demerits;
  if (index >= demerits.size()) return PLATTER_NOTHING;
  const platter::model::Demerit& d = demerits[index];
  return platter::lib::fill(
      demerit, platter_demerit{0, 0, d.workload.c_str(), d.requests, d.drive_mean_ms, d.demerit_ms,
                               d.demerit_percent, d.folded_phase_share});
}
