// What a table file says, to and from the parts that the engine makes tables of.
#pragma once

#include <table_generated.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "engine/tables.h"

namespace platter::emit_table {

namespace wire = platter::table;

// What contradicts itself in a way that no part can hold; to follow "is a damaged table: ".
struct Contradiction : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// FlatBuffers' verifier looks at where an array lies, not at how its items are aligned.
template <typename Struct>
const flatbuffers::Vector<const Struct*>& aligned(
    const flatbuffers::Vector<const Struct*>& structs) {
  if (structs.size() > 0 && reinterpret_cast<std::uintptr_t>(structs.Data()) % alignof(Struct) != 0)
    throw Contradiction("an array does not begin where its items can");
  return structs;
}

template <typename Number>
requires std::is_arithmetic_v<Number>
const flatbuffers::Vector<Number>& aligned(const flatbuffers::Vector<Number>& numbers) {
  if (numbers.size() > 0 && reinterpret_cast<std::uintptr_t>(numbers.Data()) % sizeof(Number) != 0)
    throw Contradiction("an array does not begin where its items can");
  return numbers;
}

struct WireSections {
  flatbuffers::Offset<wire::Motion> motion;
  flatbuffers::Offset<wire::Overheads> overheads;
  flatbuffers::Offset<wire::Bus> bus;
  flatbuffers::Offset<wire::Cache> cache;
  flatbuffers::Offset<wire::Queue> queue;
  flatbuffers::Offset<wire::Validity> validity;
};

WireSections write_sections(flatbuffers::FlatBufferBuilder& builder,
                            const engine::TableSections& sections, const std::string& note);
flatbuffers::Offset<wire::Layout> write_layout(flatbuffers::FlatBufferBuilder& builder,
                                               const engine::LayoutMap& layout);
flatbuffers::Offset<wire::Seek> write_seek(flatbuffers::FlatBufferBuilder& builder,
                                           const engine::SeekTable& seeks);

// Null where one arm reaches all blocks.
flatbuffers::Offset<wire::Arms> write_arms(flatbuffers::FlatBufferBuilder& builder,
                                           const engine::ArmTable& arms);

// Null where it is always awake.
flatbuffers::Offset<wire::Power> write_power(flatbuffers::FlatBufferBuilder& builder,
                                             const engine::PowerTable& power);

// Null where blocks stay where they are.
flatbuffers::Offset<wire::Shingling> write_shingling(flatbuffers::FlatBufferBuilder& builder,
                                                     const shingled::Settings& shingling);

engine::TableSections read_sections(const wire::Drive& drive);

// Of an envelope that FlatBuffers' verifier passed; what it means is not judged yet. Throws
// Contradiction.
engine::TableParts parts_of(const wire::Drive& drive);

}  // namespace platter::emit_table
