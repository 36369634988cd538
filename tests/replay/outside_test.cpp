#include "replay/outside.h"

#include "catch.h"
#include "replay/replay_model.h"
#include "virtual_drive/open.h"

namespace platter::replay {
namespace {

engine::ValidityTable checked() {
  engine::ValidityTable table{};
  table.first_lbn = 100;
  table.last_lbn = 999;
  table.min_blocks = 2;
  table.max_blocks = 8;
  table.max_depth = 1;
  table.reads = 1;
  return table;
}

TEST_CASE("requests outside what was checked are counted by what they are outside of") {
  OutsideCount count(checked(), true);
  count.add(100, 2, false, 0);
  CHECK(count.all() == 0);
  count.add(99, 2, false, 0);
  count.add(999, 2, false, 0);
  count.add(500, 1, false, 0);
  count.add(500, 9, true, 1);
  CHECK(count.all() == 4);
  CHECK(count.by() == Outside{.place = 2, .size = 2, .writes = 1, .reads = 0, .depth = 1});
  count.begin_anew();
  CHECK(count.all() == 0);
  OutsideCount as_the_drive_had_them(checked(), false);
  as_the_drive_had_them.add(500, 4, false, 3);
  CHECK(as_the_drive_had_them.all() == 0);
  OutsideCount names_no_range({}, true);
  names_no_range.add(1, 1, true, 9);
  CHECK(names_no_range.all() == 0);
}

TEST_CASE("reference reads are no requests of the trace's") {
  model::DriveModel model = virtual_drive::truth_of("virtual:hp-c2247");
  model.validity.last_lbn = model.identity.blocks - 1;
  model.validity.min_blocks = model.validity.max_blocks = 4;
  model.validity.max_depth = 1;
  model.validity.reads = true;
  trace::Trace trace;
  trace.kind = trace::Kind::closed;
  for (std::uint64_t i = 0; i < 10; ++i)
    trace.requests.push_back({.lbn = 1000 * i, .blocks = 4, .write = i >= 7});
  const Result result = replay_on_model(model, trace, {.reference_reads = 20});
  CHECK(result.outside_validity == 3);
  REQUIRE(result.outside);
  CHECK(*result.outside == Outside{.writes = 3});
  const std::string text = outside_text(3, *result.outside, 10);
  CHECK(text.find("3 writes (30 % of the trace)") != std::string::npos);
  CHECK(text.find("--allow-writes") != std::string::npos);
}

}  // namespace
}  // namespace platter::replay
