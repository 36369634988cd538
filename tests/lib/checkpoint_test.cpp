// A checkpoint that is not whole, not this engine's or not what was saved is refused, and the
// engine stays as it was; what a process keeps for itself is copied and not looked at.

#include <cstring>
#include <random>

#include "tables.h"

using namespace platter;
using namespace platter::lib::testing;

namespace {

using Bytes = std::vector<char>;

Bytes saved(const EngineHandle& engine) {
  Bytes bytes(platter_engine_checkpoint_size(engine.get()));
  REQUIRE(platter_engine_save(engine.get(), bytes.data(), bytes.size()) == PLATTER_OK);
  return bytes;
}

Bytes snapshot(const EngineHandle& engine) {
  Bytes bytes(platter_engine_checkpoint_size(engine.get()));
  REQUIRE(platter_engine_snapshot(engine.get(), bytes.data(), bytes.size()) == PLATTER_OK);
  return bytes;
}

// Arm, cache and queue are somewhere, and differ with the seed.
EngineHandle used(const TableHandle& table, std::uint64_t seed) {
  EngineHandle engine = created(table);
  std::mt19937_64 random(seed);
  for (std::uint32_t i = 0; i < 12; ++i) {
    const platter_request r = request(random() % 6000, 1 + i % 8, i % 3 == 0 ? PLATTER_WRITE : 0,
                                      i);
    REQUIRE(platter_engine_submit(engine.get(), &r, i * 1'000'000) == PLATTER_OK);
  }
  REQUIRE(platter_engine_advance(engine.get(), 20'000'000) == PLATTER_OK);
  return engine;
}

// One of the ways in which bytes go wrong between their writer and their reader.
Bytes damaged(const Bytes& whole, std::mt19937_64& random) {
  Bytes bytes = whole;
  const std::size_t at = random() % bytes.size();
  switch (random() % 8) {
    case 0:
      bytes.resize(at);
      break;
    case 1:
      bytes.resize(bytes.size() + 1 + random() % 64);
      break;
    case 2:
      bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 3:
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), 'x');
      break;
    case 4:
      std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(), '\0');
      break;
    case 5:
      for (char& byte : bytes) byte = static_cast<char>(random());
      break;
    case 6:
      std::swap(bytes[at], bytes[random() % bytes.size()]);
      break;
    default:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
  }
  return bytes;
}

bool refused(platter_status status, const char* words) {
  INFO(platter_last_error());
  CHECK(status == PLATTER_BAD_CHECKPOINT);
  CHECK(std::string(platter_last_error()).find(words) != std::string::npos);
  return status == PLATTER_BAD_CHECKPOINT;
}

}  // namespace

TEST_CASE("2,000 damaged checkpoints are refused and change nothing") {
  const TableHandle table = opened(emit_table::compile_table(drive_model()));
  const EngineHandle engine = used(table, 1);
  const Bytes whole = saved(used(table, 2)), before = saved(engine);
  REQUIRE(whole != before);
  std::mt19937_64 random(20260801);
  int tried = 0;
  while (tried < 2000) {
    const Bytes bytes = damaged(whole, random);
    if (bytes == whole) continue;
    ++tried;
    REQUIRE(platter_engine_restore(engine.get(), bytes.data(), bytes.size()) ==
            PLATTER_BAD_CHECKPOINT);
    REQUIRE(saved(engine) == before);
  }
  REQUIRE(platter_engine_restore(engine.get(), whole.data(), whole.size()) == PLATTER_OK);
  CHECK(saved(engine) == whole);
}

TEST_CASE("every single bit of a checkpoint counts") {
  const TableHandle table = opened(emit_table::compile_table(drive_model()));
  const EngineHandle engine = used(table, 3);
  Bytes bytes = saved(engine);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    char& byte = bytes[bit / 8];
    byte = static_cast<char>(byte ^ (1 << bit % 8));
    REQUIRE(platter_engine_restore(engine.get(), bytes.data(), bytes.size()) ==
            PLATTER_BAD_CHECKPOINT);
    byte = static_cast<char>(byte ^ (1 << bit % 8));
  }
  CHECK(platter_engine_restore(engine.get(), bytes.data(), bytes.size()) == PLATTER_OK);
}

TEST_CASE("what is wrong with a checkpoint is said") {
  const TableHandle table = opened(emit_table::compile_table(drive_model()));
  const EngineHandle engine = used(table, 4);
  const Bytes whole = saved(engine);
  const auto restored = [&](const Bytes& bytes) {
    return platter_engine_restore(engine.get(), bytes.data(), bytes.size());
  };
  Bytes bytes = whole;
  bytes.resize(bytes.size() - 1);
  CHECK(refused(restored(bytes), "bytes"));
  bytes.resize(bytes.size() + 2);
  CHECK(refused(restored(bytes), "bytes"));
  bytes = whole;
  bytes.back() = static_cast<char>(bytes.back() + 1);
  CHECK(refused(restored(bytes), "checksum"));
  bytes = whole;
  bytes[0] = static_cast<char>(bytes[0] + 1);
  CHECK(refused(restored(bytes), "no checkpoint"));
  CHECK(refused(platter_engine_restore(engine.get(), whole.data(), 0), "bytes"));
}

TEST_CASE("checkpoints of another drive, or of other policies, are refused") {
  const TableHandle table = opened(emit_table::compile_table(drive_model()));
  model::DriveModel model = drive_model();
  model.seek.points[0].time_ms = 1.5;
  const TableHandle other_table = opened(emit_table::compile_table(model));
  const EngineHandle engine = used(table, 5), other = used(other_table, 5);
  const Bytes before = saved(engine), foreign = saved(other);
  REQUIRE(foreign.size() == before.size());
  CHECK(
      refused(platter_engine_restore(engine.get(), foreign.data(), foreign.size()), "equal table"));
  CHECK(saved(engine) == before);
  const Bytes kept = snapshot(other);
  CHECK(refused(platter_engine_roll_back(engine.get(), kept.data(), kept.size()), "equal table"));
  CHECK(saved(engine) == before);

  platter_cache_policies policies{};
  policies.struct_size = sizeof policies;
  REQUIRE(platter_engine_cache_policies(engine.get(), &policies) == PLATTER_OK);
  policies.maximum_prefetch = 3;
  REQUIRE(platter_engine_set_cache_policies(engine.get(), &policies, 30'000'000) == PLATTER_OK);
  CHECK(refused(platter_engine_restore(engine.get(), before.data(), before.size()), "equal table"));
}

TEST_CASE("a snapshot repeats what a checkpoint does, and is no checkpoint") {
  const TableHandle table = opened(emit_table::compile_table(drive_model()));
  const EngineHandle one = used(table, 6), other = used(table, 7);
  const Bytes kept = snapshot(one), whole = saved(one);
  REQUIRE(kept.size() == whole.size());
  REQUIRE(platter_engine_roll_back(other.get(), kept.data(), kept.size()) == PLATTER_OK);
  CHECK(saved(other) == whole);
  // What nobody can check is not taken from outside, nor is what was checked taken unchecked.
  CHECK(refused(platter_engine_restore(one.get(), kept.data(), kept.size()), "no checkpoint"));
  CHECK(refused(platter_engine_roll_back(one.get(), whole.data(), whole.size()), "this process"));
  CHECK(refused(platter_engine_roll_back(one.get(), kept.data(), kept.size() - 1), "bytes"));
  CHECK(refused(platter_engine_roll_back(one.get(), kept.data(), 0), "bytes"));
}

TEST_CASE("a snapshot of another process is refused") {
  // All that differs is the mark of the process, which is the first word.
  const TableHandle table = opened(emit_table::compile_table(drive_model()));
  const EngineHandle engine = used(table, 8);
  Bytes kept = snapshot(engine);
  for (std::size_t i = 0; i < 8; ++i) kept[i] = static_cast<char>(~kept[i]);
  CHECK(refused(platter_engine_roll_back(engine.get(), kept.data(), kept.size()), "this process"));
}

TEST_CASE("snapshots want their memory, and handles") {
  const TableHandle table = opened(emit_table::compile_table(drive_model()));
  const EngineHandle engine = created(table);
  Bytes bytes(platter_engine_checkpoint_size(engine.get()));
  CHECK(platter_engine_snapshot(engine.get(), bytes.data(), bytes.size() - 1) ==
        PLATTER_OUT_OF_RANGE);
  CHECK(platter_engine_snapshot(nullptr, bytes.data(), bytes.size()) == PLATTER_BAD_ARGUMENT);
  CHECK(platter_engine_snapshot(engine.get(), nullptr, bytes.size()) == PLATTER_BAD_ARGUMENT);
  CHECK(platter_engine_roll_back(nullptr, bytes.data(), bytes.size()) == PLATTER_BAD_ARGUMENT);
  CHECK(platter_engine_roll_back(engine.get(), nullptr, bytes.size()) == PLATTER_BAD_ARGUMENT);
}
