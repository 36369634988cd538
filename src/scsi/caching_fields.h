// The fields of the Caching mode page by name (SBC-3, clause 6.4.5). Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "scsi/replies.h"

namespace platter::scsi {

// `bits` (at most 16) of the page, big-endian, the highest of them in byte `byte`; of a field
// within a byte, `shift` above its lowest bit.
struct CachingField {
  std::string_view name;  // the standard's abbreviation, or its name in capitals
  std::uint8_t byte = 0, shift = 0, bits = 0;
};

struct CacheFieldValue {
  const CachingField* field = nullptr;
  std::uint32_t value = 0;
};

// In the page's order.
std::span<const CachingField> caching_fields();
// nullptr: no field has that name.
const CachingField* find_caching_field(std::string_view name);

// Whether a page of that length has the field (older drives have a shorter one).
bool has_field(Bytes page, const CachingField& field);
// Of a page that has it. `value` is cut to the field's bits.
std::uint32_t value_of(Bytes page, const CachingField& field);
void set_value(std::vector<std::uint8_t>& page, const CachingField& field, std::uint32_t value);
inline std::uint32_t most_of(const CachingField& field) { return (1u << field.bits) - 1; }

}  // namespace platter::scsi
