// Tables and engines of libplatter for its tests, closed when they go out of scope.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../engine/small_drive.h"
#include "catch.h"
#include "emit/table/table.h"
#include "engine/layout_map.h"
#include "lib/platter.h"

namespace platter::lib::testing {

struct Close {
  void operator()(platter_table* table) const { platter_table_close(table); }
  void operator()(platter_engine* engine) const { platter_engine_destroy(engine); }
};
using TableHandle = std::unique_ptr<platter_table, Close>;
using EngineHandle = std::unique_ptr<platter_engine, Close>;

// 4 heads, 100 cylinders, with skipped and remapped blocks; two of its blocks are beyond its
// capacity.
inline model::DriveModel drive_model() {
  model::DriveModel drive = engine::testing::small_drive();
  drive.cache = engine::testing::small_cache();
  drive.identity.name = "ACME SMALL";
  drive.identity.vendor = "ACME";
  drive.identity.serial = "007";
  drive.provenance.method = "derived";
  drive.layout.skips = {{5, 1, 1, 0}, {100, 2, 10, 30}, {600, 3, 1, 0}};
  drive.layout.remaps = {{30, 601}, {77, 5}};
  drive.identity.blocks = engine::LayoutMap(drive.layout).blocks() - 2;
  drive.identity.heads = 4;
  drive.identity.cylinders = 100;
  drive.queue.policy = engine::testing::value(2);
  drive.queue.depth = engine::testing::value(16);
  drive.validity.last_lbn = drive.identity.blocks - 1;
  drive.validity.min_blocks = 1;
  drive.validity.max_blocks = 16;
  drive.validity.max_depth = 2;
  drive.validity.reads = true;
  drive.validity.demerits = {{"random", 5000, 12.5, 0.25, 2.0, 0.99}};
  drive.validity.note = "checked twice";
  return drive;
}

inline TableHandle opened(const std::string& bytes) {
  platter_table* table = nullptr;
  const platter_status status = platter_table_open_memory(bytes.data(), bytes.size(), &table);
  INFO(platter_last_error());
  REQUIRE(status == PLATTER_OK);
  return TableHandle(table);
}

inline EngineHandle created(const TableHandle& table) {
  platter_engine* engine = nullptr;
  REQUIRE(platter_engine_create(table.get(), &engine) == PLATTER_OK);
  return EngineHandle(engine);
}

inline platter_request request(std::uint64_t lbn, std::uint32_t blocks, std::uint32_t flags = 0,
                               std::uint32_t tag = 0) {
  platter_request r{};
  r.lbn = lbn;
  r.blocks = blocks;
  r.flags = flags;
  r.tag = tag;
  return r;
}

}  // namespace platter::lib::testing
