#include "emit/table/table.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <type_traits>
#include <vector>

#include "../engine/random_bands.h"
#include "../engine/small_drive.h"
#include "catch.h"
#include "emit/table/text_forms.h"
#include "engine/engine.h"
#include "model/error.h"
#include "model/fields.h"
#include "model/file.h"
#include "model/validate.h"
#include "source_folder.h"
#include "virtual_drive/catalogue.h"

using namespace platter;
using emit_table::Table;
using engine::testing::as_zones;
using engine::testing::in_rounds;
using engine::testing::random_bands;

namespace {

model::DriveModel drive_model() {
  model::DriveModel drive = engine::testing::small_drive();
  drive.cache = engine::testing::small_cache();
  drive.identity.vendor = "ACME";
  drive.identity.product = "SMALL";
  drive.identity.serial = "007";
  drive.provenance.method = "catalogue";
  drive.layout.skips = {{5, 1, 1, 0}, {100, 2, 10, 30}, {600, 3, 1, 0}};
  drive.layout.remaps = {{30, 601}, {77, 5}};
  drive.identity.blocks = engine::LayoutMap(drive.layout).blocks();
  drive.identity.block_bytes = 512;
  drive.identity.heads = 4;
  drive.identity.cylinders = 100;
  drive.validity.first_lbn = 0;
  drive.validity.last_lbn = drive.identity.blocks - 1;
  drive.validity.min_blocks = 2;
  drive.validity.max_blocks = 64;
  drive.validity.max_depth = 1;
  drive.validity.reads = true;
  drive.validity.demerits = {{"random", 5000, 12.5, 0.25, 2.0, 0.99}};
  drive.validity.note = "checked twice";
  return drive;
}

// Zones of rounds that share, then bands that are zones themselves.
model::DriveModel drive_of_bands(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  model::DriveModel drive = drive_model();
  engine::testing::Bands of{.heads = 20, .rounds = 2, .surfaces_alternate = true, .most_tracks = 4};
  drive.layout = {};
  drive.layout.zones = in_rounds(random, random_bands(random, of), 20, 8);
  of.own_angles = true;
  of.rounds = 20;
  const auto own = as_zones(random_bands(random, of), 8 * 4 * 20);
  drive.layout.zones.insert(drive.layout.zones.end(), own.begin(), own.end());
  drive.layout.skips = {{5, 1, 1, 0}, {100, 2, 10, 30}, {600, 3, 1, 0}};
  drive.layout.remaps = {{30, 601}, {77, 5}};
  const engine::LayoutMap map(drive.layout);
  drive.identity.blocks = map.blocks();
  drive.identity.heads = map.heads();
  drive.identity.cylinders = map.cylinders();
  drive.validity = {};
  return drive;
}

std::string golden(const std::string& name) {
  return model::read_file(source_folder() + "/tests/golden/table/" + name);
}

// Of so few bands what is written today has no lists, so that bands.7.ptab was written by a
// compiler that had been told to.
std::string a_sound_table() {
  return GENERATE(emit_table::compile_table(drive_model()), golden("bands.7.ptab"));
}

// A copy in memory that ends where its bytes end, so that the address sanitizer sees every access
// beyond.
Table view(const std::string& bytes) {
  const std::vector<std::byte> copy(
      reinterpret_cast<const std::byte*>(bytes.data()),
      reinterpret_cast<const std::byte*>(bytes.data() + bytes.size()));
  return emit_table::read_table(copy, "test.ptab");
}

std::string refusal(const std::string& bytes) {
  try {
    view(bytes);
  } catch (const Error& error) {
    REQUIRE(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return {};
}

class Workload {
 public:
  Workload(std::uint64_t blocks, std::uint64_t seed) : random_(seed), blocks_(blocks) {}

  engine::Request next() {
    engine::Request request;
    request.blocks = 2 + static_cast<std::uint32_t>(random_() % 63);
    if (request.blocks > blocks_) request.blocks = 1;
    const std::uint64_t places = blocks_ - request.blocks + 1;
    // Half of them go on near where the last one ended, so that caches have something to do.
    request.lbn = random_() % 2 == 0 ? random_() % places : (at_ + random_() % 100) % places;
    request.write = random_() % 3 == 0;
    request.disturbance.phase_ns = static_cast<Nanoseconds>(random_() % 1000);
    at_ = request.lbn + request.blocks;
    return request;
  }
  // From none to some revolutions until the next request arrives.
  Nanoseconds pause() {
    return static_cast<Nanoseconds>(random_() % 4 == 0 ? random_() % 30'000'000 : 0);
  }

 private:
  std::mt19937_64 random_;
  std::uint64_t blocks_, at_ = 0;
};

// The first request that a table's engine does not complete as the model's does.
std::optional<std::size_t> first_difference(const model::DriveModel& model, const Table& table,
                                            std::size_t requests, bool caches) {
  engine::Engine one(model), other(table.tables);
  if (!caches) {
    one.set_cache({false, false, false}, 0);
    other.set_cache({false, false, false}, 0);
  }
  Workload workload(one.blocks(), requests + caches);
  Nanoseconds now = 0;
  for (std::size_t i = 0; i < requests; ++i) {
    const engine::Request request = workload.next();
    const engine::Completion a = one.service(request, now), b = other.service(request, now);
    if (a.completion_ns != b.completion_ns || a.cache_hit != b.cache_hit ||
        a.media_access != b.media_access || a.outside_validity != b.outside_validity)
      return i;
    // Now and then before the last one is complete.
    now = (i % 7 == 0 ? now : a.completion_ns) + workload.pause();
  }
  return std::nullopt;
}

std::string temporary_file(const std::string& name) {
  return (std::filesystem::temp_directory_path() /
          (name + "." + std::to_string(::getpid()) + ".ptab"))
      .string();
}

}  // namespace

TEST_CASE("a table holds what its model says of itself") {
  const model::DriveModel model = drive_model();
  const std::string bytes = emit_table::compile_table(model);
  REQUIRE(bytes == emit_table::compile_table(model));
  const std::string path = temporary_file("facts");
  model::write_file(path, bytes);
  const Table table = emit_table::load_table(path);
  REQUIRE(emit_table::is_table_file(path));
  std::filesystem::remove(path);
  CHECK(table.bytes == bytes.size());
  CHECK(table.identity.vendor == "ACME");
  CHECK(table.identity.product == "SMALL");
  CHECK(table.identity.serial == "007");
  CHECK(table.identity.blocks == model.identity.blocks);
  CHECK(table.identity.block_bytes == 512);
  CHECK(table.provenance.method == "catalogue");
  CHECK(table.model_sha256.size() == 64);
  CHECK(table.platter == PLATTER_VERSION);
  CHECK(table.validity.max_blocks == 64);
  CHECK(table.validity.reads);
  CHECK_FALSE(table.validity.writes);
  REQUIRE(table.validity.demerits.size() == 1);
  CHECK(table.validity.demerits[0].workload == "random");
  CHECK(table.validity.demerits[0].demerit_ms == 0.25);
  CHECK(table.validity.note == "checked twice");
  CHECK_FALSE(first_difference(model, table, 20'000, true));

  model::DriveModel other = model;
  other.identity.serial = "008";
  CHECK(view(emit_table::compile_table(other)).model_sha256 != table.model_sha256);
}

TEST_CASE("a model with two tracks at one place becomes no table") {
  model::DriveModel model = drive_model();
  for (model::LayoutNode& zone : model.layout.zones) zone.children[0].head_step = 0;
  CHECK_THROWS_WITH(emit_table::compile_table(model),
                    Catch::Contains("two tracks at one cylinder and head"));
}

TEST_CASE("the catalogue's drives as tables: identical completion times, small, quickly loaded") {
  for (const auto& entry : virtual_drive::validated_drives()) {
    const model::DriveModel model = virtual_drive::catalogue_model(entry);
    const std::string bytes = emit_table::compile_table(model);
    INFO(entry.name << ": " << bytes.size() << " bytes");
    CHECK(bytes.size() <= 64 * 1024);
    const Table table = view(bytes);
    CHECK(first_difference(model, table, 1'000'000, false) == std::nullopt);
    CHECK(first_difference(model, table, 1'000'000, true) == std::nullopt);
  }
}

TEST_CASE("several arms survive the way into a table, which is then of version 1.1") {
  model::DriveModel model = drive_model();
  const std::string of_one = emit_table::compile_table(model);
  CHECK(view(of_one).format == 7);
  const std::uint64_t blocks = engine::LayoutMap(model.layout).blocks();
  model.arms = model::Arms{.ranges = {{0, 99, 1}, {100, 199, 0}, {200, blocks - 1, 1}},
                           .interference = engine::testing::value(0.06)};
  const std::string bytes = emit_table::compile_table(model);
  const Table table = view(bytes);
  CHECK(table.format == 8);
  CHECK(table.tables->sections() == engine::Tables(model).sections());
  CHECK(table.tables->arms.arm_of(150) == 0);
  CHECK(table.tables->end_of_range(150) == 200);
  CHECK_FALSE(first_difference(model, table, 20'000, true));
  try {
    (void)emit_table::as_c_header(std::as_bytes(std::span(bytes)));
    FAIL("a C header of several arms");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::unsupported);
  }
}

TEST_CASE("power conditions survive the way into a table") {
  model::DriveModel model = drive_model();
  model.power.emplace();
  model.power->idle_b = engine::testing::value(700);
  model.power->standby_z = engine::testing::value(9000);
  model.identity.power_timers = {{"idle_b", 2000}};
  const std::string bytes = emit_table::compile_table(model);
  const Table table = view(bytes);
  CHECK(table.format == 8);
  CHECK(table.tables->sections() == engine::Tables(model).sections());
  CHECK(table.tables->power.wake_ns[1] == 700 * kMillisecond);
  CHECK(table.tables->power.after_ns[1] == 2 * kSecond);
  try {
    (void)emit_table::as_c_header(std::as_bytes(std::span(bytes)));
    FAIL("a C header with power conditions");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::unsupported);
  }
}

TEST_CASE("any layout survives the way into a table") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 100; ++round) {
    model::DriveModel model = drive_model();
    model.layout = engine::testing::random_layout(random);
    const engine::LayoutMap map(model.layout);
    model.identity.blocks = map.blocks();
    model.identity.heads = map.heads();
    model.identity.cylinders = map.cylinders();
    model.validity = {};
    const Table table = view(emit_table::compile_table(model));
    const engine::LayoutMap& other = table.tables->layout;
    bool same = other.blocks() == map.blocks() && other.slots() == map.slots();
    for (std::uint64_t lbn = 0; lbn < map.blocks(); ++lbn)
      same = same && other.pbn_of_lbn(lbn) == map.pbn_of_lbn(lbn) &&
             other.angle_of_lbn(lbn) == map.angle_of_lbn(lbn);
    REQUIRE(same);
    REQUIRE(first_difference(model, table, 500, true) == std::nullopt);
  }
}

TEST_CASE("drives of bands survive the way into a table") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const model::DriveModel model = drive_of_bands(seed);
    const engine::LayoutMap map(model.layout);
    const Table table = view(emit_table::compile_table(model));
    const engine::LayoutMap& other = table.tables->layout;
    REQUIRE(other.view().runs.lists.size() > 20);
    bool same = other.blocks() == map.blocks() && other.slots() == map.slots();
    for (std::uint64_t lbn = 0; lbn < map.blocks(); ++lbn)
      same = same && other.pbn_of_lbn(lbn) == map.pbn_of_lbn(lbn) &&
             other.angle_of_lbn(lbn) == map.angle_of_lbn(lbn);
    REQUIRE(same);
    REQUIRE(first_difference(model, table, 500, true) == std::nullopt);
  }
}

TEST_CASE("what is no table is refused in one sentence") {
  const std::string good = emit_table::compile_table(drive_model());
  CHECK(refusal("") == "test.ptab: is no table file; write one with platter emit table");
  CHECK(refusal("{\"schema\": 1}").find("is no table file") != std::string::npos);
  CHECK(refusal(good).empty());
  CHECK_THROWS_AS(emit_table::load_table("/nonexistent/file.ptab"), Error);
  CHECK_THROWS_AS(emit_table::load_table("/tmp"), Error);
  CHECK_THROWS_AS(emit_table::load_table("/dev/zero"), Error);
}

TEST_CASE(
    "hostile tables: cut at every length, every byte changed; no crash, and no engine runs wild") {
  const std::string good = a_sound_table();
  for (std::size_t length = 0; length < good.size(); ++length)
    REQUIRE_FALSE(refusal(good.substr(0, length)).empty());
  std::size_t accepted = 0, refused = 0;
  for (const int change : {0x01, 0x80, 0xff}) {
    for (std::size_t at = 0; at < good.size(); ++at) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ change);
      try {
        const Table table = view(bad);
        ++accepted;  // a name, a time or an unused byte: another table, but a sound one
        engine::Engine engine(table.tables);
        Workload workload(engine.blocks(), at);
        Nanoseconds now = 0;
        for (int i = 0; i < 20; ++i) now = engine.service(workload.next(), now).completion_ns;
      } catch (const Error& error) {
        REQUIRE(error.status() == ExitStatus::bad_input);
        ++refused;
      }
    }
  }
  INFO(accepted << " accepted, " << refused << " refused");
  CHECK(refused > 0);
  CHECK(accepted > 0);
}

TEST_CASE("random damage in many places at once never crashes") {
  const std::string good = a_sound_table();
  std::mt19937_64 random(5);
  for (int round = 0; round < 5'000; ++round) {
    std::string bad = good;
    for (std::uint64_t n = 1 + random() % 8; n > 0; --n)
      bad[8 + random() % (bad.size() - 8)] = static_cast<char>(random());
    refusal(bad);
  }
}

// Visits the fields of a model's section whichever way they are written.
template <typename Visit>
struct EveryField {
  Visit visit;
  void required(const char*, auto& field, auto&&...) { visit(field); }
  void usual(const char*, auto& field, auto&&...) { visit(field); }
  void compact(const char*, auto& field, auto&&...) { visit(field); }
  void informative(const char*, auto&&...) {}
};

TEST_CASE("every parameter of a model survives the way into a table") {
  model::DriveModel plain = drive_model();
  plain.cache.separate_write_segment = engine::testing::value(1);
  plain.cache.adaptive_min_segments = engine::testing::value(2);
  std::size_t told = 0;
  const auto check = [&](const model::DriveModel& model) {
    try {
      model::validate(model, "model");
    } catch (const Error&) {
      return;  // not every field takes every number
    }
    const engine::Tables tables(model);
    REQUIRE(view(emit_table::compile_table(model)).tables->sections() == tables.sections());
    told += tables.sections() != engine::Tables(plain).sections();
  };
  const auto each_of = [&](auto section) {
    model::DriveModel model = plain;
    const auto one_by_one = [&](auto& field) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, model::Parameter>) {
        const model::Parameter before = field;
        for (const double number : {0.0, 1.0, 2.0, 40.0}) {
          field = engine::testing::value(number);
          check(model);
        }
        field = before;
      }
    };
    model::visit_fields(model.*section, EveryField<decltype(one_by_one)>{one_by_one});
  };
  each_of(&model::DriveModel::overheads);
  each_of(&model::DriveModel::cache);
  each_of(&model::DriveModel::bus);
  each_of(&model::DriveModel::queue);
  CHECK(told > 100);  // else the model had said nothing new
}
