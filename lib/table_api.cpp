// Tables: opened, closed, and what they say of themselves.

#include "emit/table/whole_file.h"
#include "engine/state.h"
#include "lib/handles.h"
#include "model/completeness.h"
#include "model/version.h"

namespace {

using platter::lib::failed;
using platter::lib::flag;
using platter::lib::null_among;
using platter::lib::TableContent;
using platter::lib::with_table;

platter::lib::ClosedHandles closed_tables;

// FNV-1a, of a table and of all that says how an engine's state lies in memory. Two tables that
// differ are taken for one another once in 2^64.
std::uint64_t fingerprint_of(std::span<const std::byte> bytes, const char* version) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](std::uint8_t byte) { hash = (hash ^ byte) * 0x100000001b3u; };
  for (const std::byte byte : bytes) add(static_cast<std::uint8_t>(byte));
  for (const char* c = version; *c != '\0'; ++c) add(static_cast<std::uint8_t>(*c));
  for (const std::size_t size : {sizeof(platter::engine::State), sizeof(platter::engine::Undo),
                                 sizeof(platter::engine::Waiting), sizeof(platter::engine::Done),
                                 sizeof(platter::engine::Segment)})
    hash = (hash ^ size) * 0x100000001b3u;
  return hash;
}

platter_table* opened(std::span<const std::byte> bytes, const std::string& origin) {
  return platter::lib::opened_handle<platter_table>(
      closed_tables, platter::emit_table::read_table(bytes, origin), bytes);
}

std::uint32_t flags_of(const platter::emit_table::Table& table) {
  return flag(table.provenance.method == platter::model::kDerivedMethod, PLATTER_DERIVED) |
         flag(!table.validity.demerits.empty(), PLATTER_VALIDATED) |
         flag(table.validity.reads, PLATTER_CHECKED_READS) |
         flag(table.validity.writes, PLATTER_CHECKED_WRITES);
}

platter_info info_of(const TableContent& t) {
  const platter::emit_table::Table& table = t.table;
  const platter::engine::Tables& tables = *table.tables;
  platter_info known{};
  known.flags = flags_of(table);
  known.name = table.identity.name.c_str();
  known.vendor = table.identity.vendor.c_str();
  known.product = table.identity.product.c_str();
  known.revision = table.identity.revision.c_str();
  known.serial = table.identity.serial.c_str();
  known.blocks = t.blocks;
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
  return known;
}

}  // namespace

platter::lib::TableContent::TableContent(platter::emit_table::Table read,
                                         std::span<const std::byte> bytes)
    : table(std::move(read)),
      blocks(table.identity.blocks != 0 ? table.identity.blocks : table.tables->blocks()),
      fingerprint(fingerprint_of(bytes, platter::model::kToolVersion)) {}

const char* platter_version(void) { return platter::model::kToolVersion; }
uint32_t platter_table_format(void) { return platter::emit_table::kTableFormat; }
const char* platter_last_error(void) { return platter::lib::sentence_of_last_error(); }

platter_status platter_table_open(const char* path, platter_table** table) {
  if (const platter_status bad = null_among("platter_table_open",
                                            {{"path", path}, {"table", table}}))
    return bad;
  try {
    const platter::emit_table::WholeFile file(path);
    *table = opened(file.bytes(), path);
    return PLATTER_OK;
  } catch (...) {
    return platter::lib::failed_by_exception();
  }
}

platter_status platter_table_open_memory(const void* bytes, size_t size, platter_table** table) {
  if (const platter_status bad = null_among("platter_table_open_memory",
                                            {{"bytes", bytes}, {"table", table}}))
    return bad;
  const std::span all(static_cast<const std::byte*>(bytes), size);
  try {
    *table = opened(all, "the table in memory");
    return PLATTER_OK;
  } catch (...) {
    return platter::lib::failed_by_exception();
  }
}

void platter_table_close(platter_table* table) {
  if (table != nullptr && platter::lib::begin_to_close(*table))
    platter::lib::close_handle(closed_tables, table);
}

platter_status platter_table_info(const platter_table* handle, platter_info* info) {
  return with_table("platter_table_info", handle, {{"info", info}},
                    [=](const TableContent& t) -> platter_status {
                      return platter::lib::fill(info, info_of(t));
                    });
}

platter_status platter_table_demerit(const platter_table* handle, uint32_t index,
                                     platter_demerit* demerit) {
  return with_table("platter_table_demerit", handle, {{"demerit", demerit}},
                    [=](const TableContent& t) -> platter_status {
                      const auto& demerits = t.table.validity.demerits;
                      if (index >= demerits.size()) return PLATTER_NOTHING;
                      const platter::model::Demerit& d = demerits[index];
                      return platter::lib::fill(
                          demerit,
                          platter_demerit{0, 0, d.workload.c_str(), d.requests, d.drive_mean_ms,
                                          d.demerit_ms, d.demerit_percent, d.folded_phase_share});
                    });
}
