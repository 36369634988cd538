// Checkpoint and rollback: whole and checked for what leaves the process, and a plain copy for what
// stays in it.

#include <functional>
#include <string_view>

#include "lib/handles.h"
#include "lib/process.h"

namespace {

using platter::lib::EngineContent;
using platter::lib::failed;
using platter::lib::in_turn;

// A checkpoint is a head, the engine's state, and the checksum of both; of a snapshot, 0.
struct Head {
  std::uint64_t kind, fingerprint;
};
using Checksum = std::uint64_t;

constexpr std::uint64_t kChecked = 0x316b6863746c70;  // "plthck1"

// MurmurHash64A in the C++ runtimes of GCC and of 64 bits; where another is used, it refuses what
// this one wrote. Two states that differ in one word, or in one run of 8 bytes, never share it.
Checksum checksum_of(const std::byte* bytes, std::size_t size) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes), size});
}

std::size_t bytes_before_checksum(const EngineContent& e) {
  return sizeof(Head) + e.engine.checkpoint().size();
}

std::size_t bytes_of_checkpoint(const EngineContent& e) {
  return bytes_before_checksum(e) + sizeof(Checksum);
}

platter_status write(const char* function, const EngineContent& e, std::uint64_t kind, void* memory,
                     std::size_t size) {
  if (size < bytes_of_checkpoint(e))
    return failed(PLATTER_OUT_OF_RANGE,
                  "{}: size is {}: the memory is smaller than a checkpoint, which takes {} bytes",
                  function, size, bytes_of_checkpoint(e));
  const std::span<const std::byte> state = e.engine.checkpoint();
  const Head head{kind, e.fingerprint};
  auto* const bytes = static_cast<std::byte*>(memory);
  std::memcpy(bytes, &head, sizeof head);
  std::memcpy(bytes + sizeof head, state.data(), state.size());
  const std::size_t end = bytes_before_checksum(e);
  const Checksum checksum = kind == kChecked ? checksum_of(bytes, end) : 0;
  std::memcpy(bytes + end, &checksum, sizeof checksum);
  return PLATTER_OK;
}

platter_status read(const char* function, EngineContent& e, std::uint64_t kind, const void* memory,
                    std::size_t size) {
  if (size != bytes_of_checkpoint(e))
    return failed(PLATTER_BAD_CHECKPOINT,
                  "{}: this is no checkpoint of this engine: it has {} bytes, and one has {}",
                  function, size, bytes_of_checkpoint(e));
  const auto* const bytes = static_cast<const std::byte*>(memory);
  Head head{};
  std::memcpy(&head, bytes, sizeof head);
  if (head.kind != kind)
    return failed(PLATTER_BAD_CHECKPOINT, "{}: this is no checkpoint that {} wrote{}", function,
                  kind == kChecked ? "platter_engine_save()" : "platter_engine_snapshot()",
                  kind == kChecked ? "" : " in this process");
  Checksum checksum = 0;
  const std::size_t end = bytes_before_checksum(e);
  std::memcpy(&checksum, bytes + end, sizeof checksum);
  if (kind == kChecked && checksum != checksum_of(bytes, end))
    return failed(PLATTER_BAD_CHECKPOINT,
                  "{}: this is no checkpoint as it was saved: its checksum is another's", function);
  if (head.fingerprint != e.fingerprint)
    return failed(
        PLATTER_BAD_CHECKPOINT,
        "{}: this is no checkpoint of an engine over an equal table, with equal policies, "
        "and of a library of the same version",
        function);
  e.engine.roll_back({bytes + sizeof head, end - sizeof head});
  return PLATTER_OK;
}

}  // namespace

size_t platter_engine_checkpoint_size(const platter_engine* engine) {
  if (engine == nullptr) return 0;
  const platter::lib::Turn turn(*engine);
  return turn.is_mine() ? bytes_of_checkpoint(*engine->content) : 0;
}

platter_status platter_engine_save(const platter_engine* engine, void* memory, size_t size) {
  return in_turn("platter_engine_save", engine, {{"memory", memory}},
                 [=](const EngineContent& e) -> platter_status {
                   return write("platter_engine_save", e, kChecked, memory, size);
                 });
}

platter_status platter_engine_restore(platter_engine* engine, const void* memory, size_t size) {
  return in_turn("platter_engine_restore", engine, {{"memory", memory}},
                 [=](EngineContent& e) -> platter_status {
                   return read("platter_engine_restore", e, kChecked, memory, size);
                 });
}

platter_status platter_engine_snapshot(const platter_engine* engine, void* memory, size_t size) {
  return in_turn("platter_engine_snapshot", engine, {{"memory", memory}},
                 [=](const EngineContent& e) -> platter_status {
                   return write("platter_engine_snapshot", e, platter::lib::process_number(),
                                memory, size);
                 });
}

platter_status platter_engine_roll_back(platter_engine* engine, const void* memory, size_t size) {
  return in_turn("platter_engine_roll_back", engine, {{"memory", memory}},
                 [=](EngineContent& e) -> platter_status {
                   return read("platter_engine_roll_back", e, platter::lib::process_number(),
                               memory, size);
                 });
}
