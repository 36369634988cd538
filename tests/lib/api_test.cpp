// Every function of libplatter: what it answers, and what it answers to what it must not be given.

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <thread>

#include "engine/tables.h"
#include "tables.h"

using namespace platter;
using namespace platter::lib::testing;

extern "C" int header_of_c(void);

namespace {

struct Drive {
  std::string bytes = emit_table::compile_table(drive_model());
  TableHandle table = opened(bytes);
  EngineHandle engine = created(table);
  std::uint64_t blocks = drive_model().identity.blocks;
};

std::string sentence() { return platter_last_error(); }

bool fails(platter_status expected, platter_status status, const std::string& words) {
  INFO(sentence());
  CHECK(status == expected);
  CHECK(sentence().find(words) != std::string::npos);
  return status == expected && sentence().find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("the header is C, the library knows its version") {
  CHECK(header_of_c());
  CHECK(std::string(platter_version()) == PLATTER_VERSION);
  CHECK(platter_table_format() == emit_table::kTableFormat);
}

TEST_CASE("a table is opened from a file and from memory, at any address") {
  const std::string bytes = emit_table::compile_table(drive_model());
  const auto path = std::filesystem::temp_directory_path() /
                    ("api." + std::to_string(::getpid()) + ".ptab");
  std::ofstream(path, std::ios::binary) << bytes;
  platter_table* table = nullptr;
  REQUIRE(platter_table_open(path.c_str(), &table) == PLATTER_OK);
  const TableHandle from_file(table);
  // The file is not needed any more, not even as it was.
  std::ofstream(path, std::ios::binary | std::ios::trunc) << "x";
  std::filesystem::remove(path);
  CHECK(created(from_file));

  std::vector<std::uint64_t> memory(bytes.size() / 8 + 1);
  char* const at = reinterpret_cast<char*>(memory.data());
  std::memcpy(at, bytes.data(), bytes.size());
  REQUIRE(platter_table_open_memory(at, bytes.size(), &table) == PLATTER_OK);
  const TableHandle from_memory(table);
  platter_place a{}, b{};
  REQUIRE(platter_place_of_lbn(from_memory.get(), 1234, &a) == PLATTER_OK);
  REQUIRE(platter_place_of_lbn(from_file.get(), 1234, &b) == PLATTER_OK);
  CHECK(std::memcmp(&a, &b, sizeof a) == 0);
  std::memmove(at + 3, at, bytes.size());
  REQUIRE(platter_table_open_memory(at + 3, bytes.size(), &table) == PLATTER_OK);
  const TableHandle unaligned(table);
  REQUIRE(platter_place_of_lbn(unaligned.get(), 1234, &a) == PLATTER_OK);
  CHECK(std::memcmp(&a, &b, sizeof a) == 0);
  CHECK(platter_table_open_memory(at + 3, 8, &table) == PLATTER_BAD_TABLE);
  CHECK(table == unaligned.get());  // left as it was
}

TEST_CASE("what is no table is refused with a sentence") {
  platter_table* table = nullptr;
  const std::string bytes = emit_table::compile_table(drive_model());
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_table_open(nullptr, &table), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_table_open("x", nullptr), "NULL"));
  CHECK(fails(PLATTER_BAD_TABLE, platter_table_open("/nonexistent/x.ptab", &table),
              "/nonexistent/x.ptab"));
  CHECK(fails(PLATTER_BAD_TABLE, platter_table_open("/tmp", &table), "/tmp"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_table_open_memory(nullptr, 8, &table), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_table_open_memory(bytes.data(), bytes.size(), nullptr),
              "NULL"));
  for (std::size_t length = 0; length < bytes.size(); length += 1 + length % 7)
    REQUIRE(platter_table_open_memory(bytes.data(), length, &table) == PLATTER_BAD_TABLE);
  std::string damaged = bytes;
  damaged[1] = static_cast<char>(damaged[1] ^ 0x40);  // where the root table is
  const platter_status status = platter_table_open_memory(damaged.data(), damaged.size(), &table);
  CHECK(fails(PLATTER_BAD_TABLE, status, "damaged"));
  CHECK(table == nullptr);
  platter_table_close(nullptr);
  // A sentence that is too long is cut, not lost.
  const std::string long_name = "/nonexistent/" + std::string(2000, 'a');
  CHECK(
      fails(PLATTER_BAD_TABLE, platter_table_open(long_name.c_str(), &table), "/nonexistent/aaa"));
  CHECK(sentence().size() < 512);
}

TEST_CASE("a file that may not be read is another thing than one that is no table") {
  const auto path = std::filesystem::temp_directory_path() /
                    ("locked." + std::to_string(::getpid()) + ".ptab");
  std::ofstream(path, std::ios::binary) << "x";
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const bool root = ::geteuid() == 0;  // who may read everything
  if (root) REQUIRE(::seteuid(65534) == 0);
  platter_table* table = nullptr;
  const platter_status status = platter_table_open(path.c_str(), &table);
  if (root) REQUIRE(::seteuid(0) == 0);
  std::filesystem::remove(path);
  CHECK(fails(PLATTER_NO_ACCESS, status, path.string()));
}

TEST_CASE("a drive that does not tell its capacity has all blocks of its layout") {
  model::DriveModel model = drive_model();
  model.identity.blocks = 0;
  model.validity = {};
  const TableHandle table = opened(emit_table::compile_table(model));
  platter_info info{};
  info.struct_size = sizeof info;
  REQUIRE(platter_table_info(table.get(), &info) == PLATTER_OK);
  CHECK(info.blocks == drive_model().identity.blocks + 2);
}

TEST_CASE("sentences belong to their thread") {
  platter_table* table = nullptr;
  CHECK(platter_table_open("/nonexistent/mine", &table) == PLATTER_BAD_TABLE);
  std::string before, after;
  std::thread([&] {
    before = platter_last_error();
    CHECK(platter_table_open("/nonexistent/theirs", &table) == PLATTER_BAD_TABLE);
    after = platter_last_error();
  }).join();
  CHECK(before.empty());
  CHECK(after.find("theirs") != std::string::npos);
  CHECK(sentence().find("mine") != std::string::npos);
}

TEST_CASE("a table says what it is") {
  const Drive drive;
  platter_info info{};
  info.struct_size = sizeof info;
  REQUIRE(platter_table_info(drive.table.get(), &info) == PLATTER_OK);
  CHECK(info.struct_size == sizeof info);
  CHECK(info.flags == (PLATTER_DERIVED | PLATTER_VALIDATED | PLATTER_CHECKED_READS));
  CHECK(std::string(info.name) == "ACME SMALL");
  CHECK(std::string(info.vendor) == "ACME");
  CHECK(std::string(info.product).empty());
  CHECK(std::string(info.revision).empty());
  CHECK(std::string(info.serial) == "007");
  CHECK(info.blocks == drive.blocks);
  CHECK(info.block_bytes == 512);
  CHECK(info.cylinders == 100);
  CHECK(info.heads == 4);
  CHECK(info.zones == 2);
  CHECK(info.tracks == 400);
  CHECK(info.sectors == 60 * 4 * 20 + 40 * 4 * 16);
  CHECK(info.period_numerator_ns == 10'000'000);
  CHECK(info.period_denominator == 1);
  CHECK(std::string(info.method) == "derived");
  CHECK(std::string(info.source).empty());
  CHECK(std::string(info.date).empty());
  CHECK(std::strlen(info.model_sha256) == 64);
  CHECK(std::string(info.written_by) == PLATTER_VERSION);
  CHECK(std::string(info.note) == "checked twice");
  CHECK(info.last_lbn == drive.blocks - 1);
  CHECK(info.min_blocks == 1);
  CHECK(info.max_blocks == 16);
  CHECK(info.max_depth == 2);
  CHECK(info.table_bytes == drive.bytes.size());
  CHECK(info.scheduler == PLATTER_LOOK);
  CHECK(info.queue_depth == 16);
  CHECK(info.cache_segments == 3);
  CHECK(info.segment_blocks == 40);
  REQUIRE(info.demerits == 1);

  platter_demerit demerit{};
  demerit.struct_size = sizeof demerit;
  REQUIRE(platter_table_demerit(drive.table.get(), 0, &demerit) == PLATTER_OK);
  CHECK(std::string(demerit.workload) == "random");
  CHECK(demerit.requests == 5000);
  CHECK(demerit.drive_mean_ms == 12.5);
  CHECK(demerit.demerit_ms == 0.25);
  CHECK(demerit.demerit_percent == 2.0);
  CHECK(demerit.folded_phase_share == 0.99);
  CHECK(platter_table_demerit(drive.table.get(), 1, &demerit) == PLATTER_NOTHING);

  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_table_info(nullptr, &info), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_table_info(drive.table.get(), nullptr), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_table_demerit(nullptr, 0, &demerit), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_table_demerit(drive.table.get(), 0, nullptr), "NULL"));
}

TEST_CASE("structs of callers that know less, or more, than the library") {
  const Drive drive;
  struct Longer {
    platter_info known;
    std::uint64_t unknown[4];
  } longer;
  std::memset(static_cast<void*>(&longer), 0x55, sizeof longer);
  longer.known.struct_size = sizeof longer;
  REQUIRE(platter_table_info(drive.table.get(), &longer.known) == PLATTER_OK);
  CHECK(longer.known.blocks == drive.blocks);
  for (const std::uint64_t word : longer.unknown) CHECK(word == 0);

  platter_info shorter;
  std::memset(static_cast<void*>(&shorter), 0x55, sizeof shorter);
  shorter.struct_size = offsetof(platter_info, block_bytes);
  REQUIRE(platter_table_info(drive.table.get(), &shorter) == PLATTER_OK);
  CHECK(shorter.blocks == drive.blocks);
  CHECK(shorter.block_bytes == 0x55555555);

  platter_info unset{};
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_table_info(drive.table.get(), &unset), "struct_size"));
  unset.struct_size = 0xffffffff;
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_table_info(drive.table.get(), &unset), "struct_size"));
  platter_counters counters{};
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_counters(drive.engine.get(), &counters),
              "struct_size"));
}

TEST_CASE("blocks and places, both ways, and tracks") {
  const Drive drive;
  const engine::LayoutMap map(drive_model().layout);
  const platter_table* const table = drive.table.get();
  std::vector<std::uint64_t> on_track(map.tracks());
  for (std::uint64_t lbn = 0; lbn < drive.blocks; ++lbn) {
    platter_place place{};
    REQUIRE(platter_place_of_lbn(table, lbn, &place) == PLATTER_OK);
    const engine::Pbn pbn = map.pbn_of_lbn(lbn);
    REQUIRE(place.cylinder == pbn.cylinder);
    REQUIRE(place.head == pbn.head);
    REQUIRE(place.sector == pbn.sector);
    REQUIRE(place.angle == map.angle_of_lbn(lbn));
    REQUIRE(place.track_sectors == (pbn.cylinder < 60 ? 20 : 16));
    REQUIRE(place.sector_angle == ~std::uint64_t{0} / place.track_sectors);
    REQUIRE((place.flags == PLATTER_REMAPPED) == (lbn == 30 || lbn == 77));
    std::uint64_t back = 0;
    REQUIRE(platter_lbn_of_place(table, pbn.cylinder, pbn.head, pbn.sector, &back) == PLATTER_OK);
    REQUIRE(back == lbn);
    platter_track track{}, same{};
    REQUIRE(platter_track_of_lbn(table, lbn, &track) == PLATTER_OK);
    REQUIRE(track.cylinder == pbn.cylinder);
    REQUIRE(track.head == pbn.head);
    REQUIRE(track.sectors == place.track_sectors);
    REQUIRE(track.zone == (pbn.cylinder < 60 ? 0u : 1u));
    REQUIRE(track.angle + pbn.sector * track.sector_angle == place.angle);
    if (place.flags == 0) {
      REQUIRE(track.first_lbn <= lbn);
      REQUIRE(lbn < track.first_lbn + track.blocks);
    }
    REQUIRE(platter_track_at(table, pbn.cylinder, pbn.head, &same) == PLATTER_OK);
    REQUIRE(std::memcmp(&track, &same, sizeof track) == 0);
    on_track[pbn.cylinder * 4 + pbn.head] = track.blocks;
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t blocks : on_track) sum += blocks;
  CHECK(sum == drive.blocks);

  std::uint64_t lbn = 42;
  CHECK(platter_lbn_of_place(table, 1, 1, 0, &lbn) == PLATTER_NOTHING);    // slot 100 is skipped
  CHECK(platter_lbn_of_place(table, 99, 3, 15, &lbn) == PLATTER_NOTHING);  // beyond the capacity
  CHECK(lbn == 42);
  platter_place place{};
  platter_track track{};
  CHECK(fails(PLATTER_OUT_OF_RANGE, platter_lbn_of_place(table, 1, 1, 20, &lbn), "no sector"));
  CHECK(fails(PLATTER_OUT_OF_RANGE, platter_lbn_of_place(table, 100, 0, 0, &lbn), "no sector"));
  CHECK(fails(PLATTER_OUT_OF_RANGE, platter_lbn_of_place(table, ~0u, ~0u, ~0u, &lbn), "no sector"));
  CHECK(fails(PLATTER_OUT_OF_RANGE, platter_place_of_lbn(table, drive.blocks, &place), "past"));
  CHECK(fails(PLATTER_OUT_OF_RANGE, platter_place_of_lbn(table, ~0ull, &place), "past"));
  CHECK(fails(PLATTER_OUT_OF_RANGE, platter_track_of_lbn(table, drive.blocks, &track), "past"));
  CHECK(fails(PLATTER_OUT_OF_RANGE, platter_track_at(table, 0, 4, &track), "no track"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_place_of_lbn(nullptr, 0, &place), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_place_of_lbn(table, 0, nullptr), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_lbn_of_place(nullptr, 0, 0, 0, &lbn), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_lbn_of_place(table, 0, 0, 0, nullptr), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_track_of_lbn(nullptr, 0, &track), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_track_of_lbn(table, 0, nullptr), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_track_at(nullptr, 0, 0, &track), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_track_at(table, 0, 0, nullptr), "NULL"));
}

TEST_CASE("angles and their passages") {
  const Drive drive;
  const platter_table* const table = drive.table.get();
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  std::uint64_t angle = 0;
  std::int64_t passage = 0;
  REQUIRE(platter_angle_at(table, 5'000'000, 0, &angle) == PLATTER_OK);
  CHECK(angle == kHalf);
  REQUIRE(platter_angle_at(table, 2'000'000, 3'000'000, &angle) == PLATTER_OK);
  CHECK(angle == kHalf);
  REQUIRE(platter_angle_at(table, -5'000'000, 0, &angle) == PLATTER_OK);
  CHECK(angle == kHalf);
  REQUIRE(platter_next_passage(table, kHalf, 21'000'000, 0, &passage) == PLATTER_OK);
  CHECK(passage == 25'000'000);
  REQUIRE(platter_next_passage(table, kHalf, 21'000'000, 1'000'000, &passage) == PLATTER_OK);
  CHECK(passage == 24'000'000);
  CHECK(fails(PLATTER_OUT_OF_RANGE, platter_angle_at(table, INT64_MAX, 0, &angle), "TIME_LIMIT"));
  CHECK(fails(PLATTER_OUT_OF_RANGE, platter_angle_at(table, 0, INT64_MIN, &angle), "TIME_LIMIT"));
  CHECK(fails(PLATTER_OUT_OF_RANGE, platter_next_passage(table, 0, INT64_MIN, 0, &passage),
              "TIME_LIMIT"));
  CHECK(platter_angle_at(table, PLATTER_TIME_LIMIT, PLATTER_TIME_LIMIT, &angle) == PLATTER_OK);
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_angle_at(nullptr, 0, 0, &angle), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_angle_at(table, 0, 0, nullptr), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_next_passage(nullptr, 0, 0, 0, &passage), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_next_passage(table, 0, 0, 0, nullptr), "NULL"));
}

TEST_CASE("requests that cannot be are refused, and leave the engine as it was") {
  const Drive drive;
  platter_engine* const engine = drive.engine.get();
  std::vector<char> before(platter_engine_checkpoint_size(engine)), after(before.size());
  REQUIRE(platter_engine_save(engine, before.data(), before.size()) == PLATTER_OK);
  platter_completion completion{};
  const auto refused = [&](platter_status status, const platter_request& r, std::int64_t time,
                           const std::string& words) {
    CHECK(fails(status, platter_engine_service(engine, &r, time, &completion), words));
    CHECK(fails(status, platter_engine_submit(engine, &r, time), words));
  };
  refused(PLATTER_OUT_OF_RANGE, request(0, 0), 0, "no blocks");
  refused(PLATTER_OUT_OF_RANGE, request(drive.blocks, 1), 0, "past");
  refused(PLATTER_OUT_OF_RANGE, request(drive.blocks - 1, 2), 0, "past");
  refused(PLATTER_OUT_OF_RANGE, request(~0ull, ~0u), 0, "past");
  refused(PLATTER_BAD_ARGUMENT, request(0, 1, 4), 0, "unknown flag");
  refused(PLATTER_OUT_OF_RANGE, request(0, 1), PLATTER_TIME_LIMIT + 1, "TIME_LIMIT");
  refused(PLATTER_OUT_OF_RANGE, request(0, 1), std::numeric_limits<std::int64_t>::min(),
          "TIME_LIMIT");
  const auto changed = [](const std::function<void(platter_request&)>& change) {
    platter_request r = request(0, 1);
    change(r);
    return r;
  };
  refused(PLATTER_BAD_ARGUMENT, changed([](auto& r) { r.reserved_1 = 1; }), 0, "reserved");
  refused(PLATTER_BAD_ARGUMENT, changed([](auto& r) { r.reserved_2 = 1; }), 0, "reserved");
  refused(PLATTER_OUT_OF_RANGE, changed([](auto& r) { r.positioning_ns = INT64_MIN; }), 0,
          "DISTURBANCE");
  refused(PLATTER_OUT_OF_RANGE, changed([](auto& r) { r.media_delay_ns = -1; }), 0, "DISTURBANCE");
  refused(PLATTER_OUT_OF_RANGE, changed([](auto& r) { r.phase_ns = INT64_MAX; }), 0, "DISTURBANCE");
  REQUIRE(platter_engine_save(engine, after.data(), after.size()) == PLATTER_OK);
  CHECK(before == after);
  CHECK(completion.completion_ns == 0);

  const platter_request good = request(0, 1);
  CHECK(
      fails(PLATTER_BAD_ARGUMENT, platter_engine_service(nullptr, &good, 0, &completion), "NULL"));
  CHECK(
      fails(PLATTER_BAD_ARGUMENT, platter_engine_service(engine, nullptr, 0, &completion), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_service(engine, &good, 0, nullptr), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_submit(nullptr, &good, 0), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_submit(engine, nullptr, 0), "NULL"));
}

TEST_CASE("the extremes that are allowed run") {
  const Drive drive;
  for (const std::int64_t time : {-PLATTER_TIME_LIMIT, std::int64_t{0}, PLATTER_TIME_LIMIT}) {
    const EngineHandle engine = created(drive.table);
    REQUIRE(platter_engine_reset(engine.get(), time) == PLATTER_OK);
    platter_request r = request(0, static_cast<std::uint32_t>(drive.blocks), PLATTER_WRITE);
    platter_completion c{};
    for (const std::int64_t extreme : {-PLATTER_DISTURBANCE_LIMIT, PLATTER_DISTURBANCE_LIMIT}) {
      r.positioning_ns = r.phase_ns = extreme;
      r.media_delay_ns = extreme > 0 ? extreme : 0;
      REQUIRE(platter_engine_service(engine.get(), &r, time, &c) == PLATTER_OK);
      CHECK(c.arrival_ns == time);
      CHECK(c.completion_ns >= time);
    }
  }
}

TEST_CASE("more than an engine has room for is another answer than a full drive") {
  const Drive drive;
  platter_engine* const engine = drive.engine.get();
  const platter_queue deepest{PLATTER_FCFS, 0, 0, 0};
  REQUIRE(platter_engine_set_queue(engine, &deepest) == PLATTER_OK);
  for (std::uint32_t i = 0; i < 64; ++i) {
    const platter_request r = request(i, 1, 0, i);
    REQUIRE(platter_engine_submit(engine, &r, 0) == PLATTER_OK);
  }
  const platter_request more = request(70, 1);
  CHECK(platter_engine_submit(engine, &more, 0) == PLATTER_TOO_MANY);
}

TEST_CASE("batches are what their requests are one after the other") {
  const Drive drive;
  const EngineHandle one = created(drive.table), many = created(drive.table);
  std::vector<platter_request> requests;
  std::vector<std::int64_t> times;
  for (std::uint32_t i = 0; i < 200; ++i) {
    requests.push_back(
        request(i * 7919ULL % (drive.blocks - 8), 1 + i % 8, i % 3 == 0 ? PLATTER_WRITE : 0, i));
    times.push_back(i * 3'000'000LL);
  }
  std::vector<platter_completion> batch(requests.size());
  std::size_t served = 7;
  REQUIRE(platter_engine_service_batch(many.get(), requests.data(), times.data(), requests.size(),
                                       batch.data(), &served) == PLATTER_OK);
  CHECK(served == requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    platter_completion c{};
    REQUIRE(platter_engine_service(one.get(), &requests[i], times[i], &c) == PLATTER_OK);
    CHECK(c.completion_ns == batch[i].completion_ns);
    CHECK(c.tag == batch[i].tag);
  }
  requests[5].blocks = 0;
  CHECK(fails(PLATTER_OUT_OF_RANGE,
              platter_engine_service_batch(many.get(), requests.data(), times.data(), 9,
                                           batch.data(), &served),
              "no blocks"));
  CHECK(served == 5);
  CHECK(platter_engine_service_batch(many.get(), nullptr, nullptr, 0, nullptr, &served) ==
        PLATTER_OK);
  CHECK(served == 0);
  CHECK(fails(
      PLATTER_BAD_ARGUMENT,
      platter_engine_service_batch(many.get(), nullptr, times.data(), 1, batch.data(), &served),
      "NULL"));
}

TEST_CASE("what is complete by a time is taken in one call, and nothing else") {
  const Drive drive;
  platter_engine* const engine = drive.engine.get();
  for (std::uint32_t i = 0; i < 10; ++i) {
    const platter_request r = request(i * 500ULL, 4, 0, i);
    REQUIRE(platter_engine_submit(engine, &r, 0) == PLATTER_OK);
  }
  std::array<platter_completion, 16> taken{};
  std::size_t count = 0;
  REQUIRE(platter_engine_completions_until(engine, 0, taken.data(), taken.size(), &count) ==
          PLATTER_OK);
  CHECK(count == 0);
  std::int64_t first = 0;
  REQUIRE(platter_engine_next_completion_time(engine, &first) == PLATTER_OK);
  REQUIRE(platter_engine_completions_until(engine, first, taken.data(), taken.size(), &count) ==
          PLATTER_OK);
  CHECK(count == 1);
  REQUIRE(platter_engine_completions_until(engine, PLATTER_TIME_LIMIT, taken.data(), 4, &count) ==
          PLATTER_OK);
  CHECK(count == 4);
  CHECK(taken[0].completion_ns >= first);
  CHECK(taken[3].completion_ns >= taken[0].completion_ns);
  REQUIRE(platter_engine_completions_until(engine, PLATTER_TIME_LIMIT, taken.data(), 16, &count) ==
          PLATTER_OK);
  CHECK(count == 5);
}

TEST_CASE("dirty are the blocks that were written and are not on the media") {
  const Drive drive;
  platter_engine* const engine = drive.engine.get();
  std::uint32_t cache = 0;
  REQUIRE(platter_engine_cache(engine, &cache) == PLATTER_OK);
  REQUIRE((cache & PLATTER_WRITE_CACHE) != 0);
  std::array<platter_extent, 4> dirty{};
  std::size_t count = 9;
  const auto look = [&](std::int64_t time_ns) {
    REQUIRE(platter_engine_dirty(engine, time_ns, dirty.data(), dirty.size(), &count) ==
            PLATTER_OK);
  };
  look(0);
  CHECK(count == 0);
  const platter_request late = request(900, 8, PLATTER_WRITE);
  platter_completion c{};
  REQUIRE(platter_engine_service(engine, &late, 0, &c) == PLATTER_OK);
  CHECK((c.flags & PLATTER_CACHE_HIT) != 0);
  look(c.completion_ns);
  REQUIRE(count == 1);
  CHECK(dirty[0].lbn == 900);
  CHECK(dirty[0].blocks == 8);
  // A look changes nothing, whatever its time; long after that the drive has written it.
  look(1'000'000'000'000);
  CHECK(count == 0);
  look(c.completion_ns);
  CHECK(count == 1);
  // The last block is on the media when a flush is done, not before.
  platter_engine* const flushed = drive.engine.get();
  std::vector<std::byte> state(platter_engine_checkpoint_size(flushed));
  REQUIRE(platter_engine_save(flushed, state.data(), state.size()) == PLATTER_OK);
  std::int64_t on_media = 0;
  REQUIRE(platter_engine_synchronize(flushed, c.completion_ns, &on_media) == PLATTER_OK);
  REQUIRE(platter_engine_restore(flushed, state.data(), state.size()) == PLATTER_OK);
  look(on_media - 1);
  CHECK(count == 1);
  look(on_media);
  CHECK(count == 0);
  REQUIRE(platter_engine_dirty(engine, c.completion_ns, nullptr, 0, &count) == PLATTER_OK);
  CHECK(count == 1);
  std::int64_t done = 0;
  REQUIRE(platter_engine_synchronize(engine, c.completion_ns, &done) == PLATTER_OK);
  look(done);
  CHECK(count == 0);
  // What goes through the cache is never dirty.
  const platter_request through = request(
      500, 8, PLATTER_WRITE | static_cast<std::uint32_t>(PLATTER_FORCE_UNIT_ACCESS));
  REQUIRE(platter_engine_service(engine, &through, done, &c) == PLATTER_OK);
  look(c.completion_ns);
  CHECK(count == 0);
}

TEST_CASE("policies of the cache change, and bring another buffer") {
  const Drive drive;
  platter_engine* const engine = drive.engine.get();
  platter_cache_policies policies{};
  policies.struct_size = sizeof policies;
  REQUIRE(platter_engine_cache_policies(engine, &policies) == PLATTER_OK);
  REQUIRE(policies.segments > 1);
  std::vector<std::byte> before(platter_engine_checkpoint_size(engine));
  REQUIRE(platter_engine_save(engine, before.data(), before.size()) == PLATTER_OK);

  // Read twice, the second comes out of the buffer; so does none once it has begun anew.
  const platter_request read = request(4000, 4);
  platter_completion c{};
  REQUIRE(platter_engine_service(engine, &read, 0, &c) == PLATTER_OK);
  REQUIRE(platter_engine_service(engine, &read, 100'000'000, &c) == PLATTER_OK);
  CHECK((c.flags & PLATTER_CACHE_HIT) != 0);
  platter_cache_policies changed = policies;
  changed.segments = 1;
  changed.minimum_prefetch = changed.maximum_prefetch = 3;
  REQUIRE(platter_engine_set_cache_policies(engine, &changed, 200'000'000) == PLATTER_OK);
  platter_cache_policies now{};
  now.struct_size = sizeof now;
  REQUIRE(platter_engine_cache_policies(engine, &now) == PLATTER_OK);
  CHECK(now.segments == 1);
  CHECK(now.maximum_prefetch == 3);
  REQUIRE(platter_engine_service(engine, &read, 300'000'000, &c) == PLATTER_OK);
  CHECK((c.flags & PLATTER_CACHE_HIT) == 0);
  // One segment: another place on the drive pushes the first one out.
  const platter_request other = request(2000, 4);
  REQUIRE(platter_engine_service(engine, &other, 400'000'000, &c) == PLATTER_OK);
  REQUIRE(platter_engine_service(engine, &read, 500'000'000, &c) == PLATTER_OK);
  CHECK((c.flags & PLATTER_CACHE_HIT) == 0);

  CHECK(fails(PLATTER_BAD_CHECKPOINT, platter_engine_restore(engine, before.data(), before.size()),
              "checkpoint"));
  REQUIRE(platter_engine_set_cache_policies(engine, &policies, 600'000'000) == PLATTER_OK);
  REQUIRE(platter_engine_cache_policies(engine, &now) == PLATTER_OK);
  CHECK(now.segments == policies.segments);
  const auto refused = [&](std::uint32_t segments, std::uint32_t least, std::uint32_t most) {
    platter_cache_policies bad = policies;
    bad.segments = segments;
    bad.minimum_prefetch = least;
    bad.maximum_prefetch = most;
    CHECK(
        fails(PLATTER_OUT_OF_RANGE, platter_engine_set_cache_policies(engine, &bad, 0), "divided"));
  };
  refused(0, 0, 0);
  refused(UINT32_MAX, 0, 0);
  refused(policies.segments, 2, 1);
}

TEST_CASE("several outstanding: submit, advance, take, drop, and a queue that is full") {
  const Drive drive;
  platter_engine* const engine = drive.engine.get();
  std::int64_t time = 7;
  platter_completion c{};
  CHECK(platter_engine_outstanding(engine) == 0);
  CHECK(platter_engine_next_completion_time(engine, &time) == PLATTER_NOTHING);
  CHECK(platter_engine_next_completion(engine, &c) == PLATTER_NOTHING);
  CHECK(time == 7);
  for (std::uint32_t i = 0; i < 16; ++i) {  // the drive's own depth
    const platter_request r = request(i * 400, 4, 0, 100 + i);
    REQUIRE(platter_engine_submit(engine, &r, 1000) == PLATTER_OK);
  }
  const platter_request more = request(5, 1);
  CHECK(platter_engine_submit(engine, &more, 1000) == PLATTER_QUEUE_FULL);
  CHECK(platter_engine_outstanding(engine) == 16);
  REQUIRE(platter_engine_advance(engine, 20'000'000) == PLATTER_OK);
  CHECK(platter_engine_outstanding(engine) == 16);  // none was taken
  REQUIRE(platter_engine_next_completion_time(engine, &time) == PLATTER_OK);
  REQUIRE(platter_engine_next_completion(engine, &c) == PLATTER_OK);
  CHECK(c.completion_ns == time);
  CHECK(c.arrival_ns == 1000);
  CHECK(c.tag >= 100);
  CHECK((c.flags & PLATTER_MEDIA_ACCESS) != 0);
  CHECK(platter_engine_submit(engine, &more, time) == PLATTER_OK);
  std::int64_t last = time;
  for (int left = 16; left > 8; --left) {
    REQUIRE(platter_engine_next_completion(engine, &c) == PLATTER_OK);
    CHECK(c.completion_ns >= last);
    last = c.completion_ns;
  }
  REQUIRE(platter_engine_next_completion_time(engine, &time) == PLATTER_OK);
  const std::uint32_t taken = c.tag;
  CHECK(platter_engine_cancel(engine, taken, time) == PLATTER_NOTHING);
  std::uint32_t cancelled = 0;
  for (std::uint32_t tag = 100; tag < 200 && cancelled < 2; ++tag)
    cancelled += platter_engine_cancel(engine, tag, time) == PLATTER_OK ? 1 : 0;
  CHECK(cancelled == 2);
  CHECK(platter_engine_outstanding(engine) == 6);
  CHECK(fails(PLATTER_OUT_OF_RANGE, platter_engine_cancel(engine, 1, INT64_MAX), "TIME_LIMIT"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_cancel(nullptr, 1, 0), "NULL"));
  REQUIRE(platter_engine_drop_outstanding(engine) == PLATTER_OK);
  CHECK(platter_engine_outstanding(engine) == 0);
  CHECK(platter_engine_next_completion(engine, &c) == PLATTER_NOTHING);

  CHECK(platter_engine_outstanding(nullptr) == 0);
  CHECK(fails(PLATTER_OUT_OF_RANGE, platter_engine_advance(engine, INT64_MAX), "TIME_LIMIT"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_advance(nullptr, 0), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_next_completion_time(nullptr, &time), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_next_completion_time(engine, nullptr), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_next_completion(nullptr, &c), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_next_completion(engine, nullptr), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_drop_outstanding(nullptr), "NULL"));
}

TEST_CASE("arrivals that are told late find their place, and are counted where they cannot") {
  const Drive drive;
  const auto counters = [](platter_engine* engine) {
    platter_counters c{};
    c.struct_size = sizeof c;
    REQUIRE(platter_engine_counters(engine, &c) == PLATTER_OK);
    return c;
  };
  const platter_request a = request(0, 4, 0, 1), b = request(5000, 4, 0, 2);
  platter_completion timely[2], late[2];
  const EngineHandle in_time = created(drive.table);
  REQUIRE(platter_engine_submit(in_time.get(), &a, 1'000'000) == PLATTER_OK);
  REQUIRE(platter_engine_submit(in_time.get(), &b, 1'050'000) == PLATTER_OK);
  for (auto& c : timely) REQUIRE(platter_engine_next_completion(in_time.get(), &c) == PLATTER_OK);

  platter_engine* const told_late = drive.engine.get();
  REQUIRE(platter_engine_submit(told_late, &b, 1'050'000) == PLATTER_OK);
  REQUIRE(platter_engine_advance(told_late, 30'000'000) == PLATTER_OK);
  REQUIRE(platter_engine_submit(told_late, &a, 1'000'000) == PLATTER_OK);
  for (auto& c : late) REQUIRE(platter_engine_next_completion(told_late, &c) == PLATTER_OK);
  CHECK(std::memcmp(timely, late, sizeof timely) == 0);
  CHECK(counters(told_late).late_arrivals == 0);
  REQUIRE(platter_engine_submit(told_late, &a, 0) == PLATTER_OK);  // both were handed out
  CHECK(counters(told_late).late_arrivals == 1);
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_counters(nullptr, nullptr), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_counters(told_late, nullptr), "NULL"));
}

TEST_CASE("what was served by an advance long ago is not taken back") {
  const Drive drive;
  for (std::uint32_t i = 0; i < 10; ++i) {  // two more than can be taken back
    const platter_request r = request(i * 600, 4, 0, i);
    REQUIRE(platter_engine_submit(drive.engine.get(), &r, i * 100'000'000) == PLATTER_OK);
  }
  REQUIRE(platter_engine_advance(drive.engine.get(), 2'000'000'000) == PLATTER_OK);
  const platter_request r = request(0, 4);
  REQUIRE(platter_engine_submit(drive.engine.get(), &r, 50'000'000) == PLATTER_OK);
  platter_counters counters{};
  counters.struct_size = sizeof counters;
  REQUIRE(platter_engine_counters(drive.engine.get(), &counters) == PLATTER_OK);
  CHECK(counters.late_arrivals == 1);
}

TEST_CASE("requests outside of what was checked are marked and counted") {
  const Drive drive;
  platter_completion c{};
  const platter_request checked = request(100, 8), too_large = request(100, 17),
                        write = request(100, 8, PLATTER_WRITE);
  REQUIRE(platter_engine_service(drive.engine.get(), &checked, 0, &c) == PLATTER_OK);
  CHECK((c.flags & PLATTER_OUTSIDE_VALIDITY) == 0);
  REQUIRE(platter_engine_service(drive.engine.get(), &too_large, 0, &c) == PLATTER_OK);
  CHECK((c.flags & PLATTER_OUTSIDE_VALIDITY) != 0);
  REQUIRE(platter_engine_service(drive.engine.get(), &write, 0, &c) == PLATTER_OK);
  CHECK((c.flags & PLATTER_OUTSIDE_VALIDITY) != 0);
  platter_counters counters{};
  counters.struct_size = sizeof counters;
  REQUIRE(platter_engine_counters(drive.engine.get(), &counters) == PLATTER_OK);
  CHECK(counters.outside_validity == 2);
}

TEST_CASE("queue settings") {
  const Drive drive;
  platter_engine* const engine = drive.engine.get();
  platter_queue queue{};
  REQUIRE(platter_engine_queue(engine, &queue) == PLATTER_OK);
  CHECK(queue.scheduler == PLATTER_LOOK);
  CHECK(queue.depth == 16);
  for (const std::uint32_t scheduler :
       {PLATTER_FCFS, PLATTER_SSTF, PLATTER_LOOK, PLATTER_C_LOOK, PLATTER_SPTF}) {
    const platter_queue wanted{scheduler, 3, 0.5, 0};
    REQUIRE(platter_engine_set_queue(engine, &wanted) == PLATTER_OK);
    REQUIRE(platter_engine_queue(engine, &queue) == PLATTER_OK);
    CHECK(std::memcmp(&wanted, &queue, sizeof queue) == 0);
  }
  const platter_request r = request(0, 1);
  for (int i = 0; i < 3; ++i) REQUIRE(platter_engine_submit(engine, &r, 0) == PLATTER_OK);
  CHECK(platter_engine_submit(engine, &r, 0) == PLATTER_QUEUE_FULL);

  const auto refused = [&](platter_queue wanted, platter_status status) {
    CHECK(fails(status, platter_engine_set_queue(engine, &wanted), "platter_engine_set_queue"));
  };
  refused({5, 0, 0, 0}, PLATTER_BAD_ARGUMENT);
  refused({0, 0, 0, 1}, PLATTER_BAD_ARGUMENT);
  refused({0, engine::kMaxOutstanding + 1, 0, 0}, PLATTER_OUT_OF_RANGE);
  refused({4, 0, -1, 0}, PLATTER_OUT_OF_RANGE);
  refused({4, 0, std::nan(""), 0}, PLATTER_OUT_OF_RANGE);
  refused({4, 0, 1e300, 0}, PLATTER_OUT_OF_RANGE);
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_set_queue(nullptr, &queue), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_set_queue(engine, nullptr), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_queue(nullptr, &queue), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_queue(engine, nullptr), "NULL"));
}

TEST_CASE("cache, synchronize, seek, reset") {
  const Drive drive;
  platter_engine* const engine = drive.engine.get();
  std::uint32_t flags = 0;
  REQUIRE(platter_engine_cache(engine, &flags) == PLATTER_OK);
  CHECK(flags == (PLATTER_READ_CACHE | PLATTER_WRITE_CACHE | PLATTER_READ_AHEAD));
  platter_completion first{}, second{};
  const platter_request write = request(3000, 8, PLATTER_WRITE);
  REQUIRE(platter_engine_service(engine, &write, 0, &first) == PLATTER_OK);
  CHECK((first.flags & PLATTER_CACHE_HIT) != 0);
  std::int64_t done = 0;
  REQUIRE(platter_engine_synchronize(engine, first.completion_ns, &done) == PLATTER_OK);
  CHECK(done > first.completion_ns);  // the write was dirty until then
  REQUIRE(platter_engine_set_cache(engine, PLATTER_READ_AHEAD, done) == PLATTER_OK);
  REQUIRE(platter_engine_cache(engine, &flags) == PLATTER_OK);
  CHECK(flags == PLATTER_READ_AHEAD);
  REQUIRE(platter_engine_service(engine, &write, done, &second) == PLATTER_OK);
  CHECK((second.flags & PLATTER_CACHE_HIT) == 0);

  std::int64_t there = 0;
  const std::int64_t far = second.completion_ns + 1'000'000'000;
  REQUIRE(platter_engine_seek(engine, drive.blocks - 1, far, &there) == PLATTER_OK);
  CHECK(there > far + 1'000'000);  // a seek costs 1 ms and more
  REQUIRE(platter_engine_reset(engine, 5) == PLATTER_OK);
  const EngineHandle other = created(drive.table);
  REQUIRE(platter_engine_set_cache(other.get(), PLATTER_READ_AHEAD, 0) == PLATTER_OK);
  const platter_request read = request(777, 8);
  REQUIRE(platter_engine_service(engine, &read, 5, &first) == PLATTER_OK);
  REQUIRE(platter_engine_service(other.get(), &read, 5, &second) == PLATTER_OK);
  CHECK(first.completion_ns == second.completion_ns);

  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_set_cache(engine, 8, 0), "unknown flag"));
  CHECK(fails(PLATTER_OUT_OF_RANGE, platter_engine_set_cache(engine, 1, INT64_MAX), "TIME_LIMIT"));
  CHECK(fails(PLATTER_OUT_OF_RANGE, platter_engine_synchronize(engine, INT64_MAX, &done),
              "TIME_LIMIT"));
  CHECK(fails(PLATTER_OUT_OF_RANGE, platter_engine_seek(engine, drive.blocks, 0, &there), "past"));
  CHECK(
      fails(PLATTER_OUT_OF_RANGE, platter_engine_seek(engine, 0, INT64_MAX, &there), "TIME_LIMIT"));
  CHECK(fails(PLATTER_OUT_OF_RANGE, platter_engine_reset(engine, INT64_MIN), "TIME_LIMIT"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_set_cache(nullptr, 0, 0), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_cache(nullptr, &flags), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_cache(engine, nullptr), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_synchronize(nullptr, 0, &done), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_synchronize(engine, 0, nullptr), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_seek(nullptr, 0, 0, &there), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_seek(engine, 0, 0, nullptr), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_reset(nullptr, 0), "NULL"));
}

TEST_CASE("engines outlive their table's handle, and need one") {
  EngineHandle engine;
  {
    const Drive drive;
    engine = created(drive.table);
  }
  const platter_request r = request(1000, 8);
  platter_completion c{};
  CHECK(platter_engine_service(engine.get(), &r, 0, &c) == PLATTER_OK);
  platter_engine* none = nullptr;
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_create(nullptr, &none), "NULL"));
  const Drive drive;
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_create(drive.table.get(), nullptr), "NULL"));
  platter_engine_destroy(nullptr);
}

TEST_CASE("checkpoints of other tables and damaged sizes are refused") {
  const Drive drive;
  platter_engine* const engine = drive.engine.get();
  const std::size_t size = platter_engine_checkpoint_size(engine);
  CHECK(platter_engine_checkpoint_size(nullptr) == 0);
  std::vector<char> memory(size + 1);
  CHECK(
      fails(PLATTER_OUT_OF_RANGE, platter_engine_save(engine, memory.data(), size - 1), "smaller"));
  REQUIRE(platter_engine_save(engine, memory.data() + 1, size) == PLATTER_OK);  // of any alignment
  CHECK(platter_engine_restore(engine, memory.data() + 1, size) == PLATTER_OK);
  CHECK(fails(PLATTER_BAD_CHECKPOINT, platter_engine_restore(engine, memory.data() + 1, size - 1),
              "no checkpoint"));
  CHECK(fails(PLATTER_BAD_CHECKPOINT, platter_engine_restore(engine, memory.data() + 1, 3),
              "no checkpoint"));
  model::DriveModel model = drive_model();
  model.seek.points[0].time_ms = 1.5;
  const TableHandle other_table = opened(emit_table::compile_table(model));
  const EngineHandle other = created(other_table);
  CHECK(fails(PLATTER_BAD_CHECKPOINT, platter_engine_restore(other.get(), memory.data() + 1, size),
              "no checkpoint"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_save(nullptr, memory.data(), size), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_save(engine, nullptr, size), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_restore(nullptr, memory.data(), size), "NULL"));
  CHECK(fails(PLATTER_BAD_ARGUMENT, platter_engine_restore(engine, nullptr, size), "NULL"));
}
