#include "scsi/physical_elements.h"

#include <algorithm>

namespace platter::scsi {

ElementHealth PhysicalElement::in_words() const {
  using enum ElementHealth;
  if (health == 0) return not_reported;
  if (health < 0x64) return within_specification;
  if (health == 0x64) return at_its_limit;
  if (health < 0xD0) return out_of_specification;
  if (health < 0xFB) return reserved;
  constexpr ElementHealth kLast[] = {restored_with_errors, being_restored, depopulated_with_errors,
                                     being_depopulated, depopulated};
  return kLast[health - 0xFB];
}

bool PhysicalElement::is_out_of_use() const { return health >= 0xFB; }

std::optional<PhysicalElements> decode_physical_elements(Bytes reply) {
  constexpr std::size_t kHeader = 32, kDescriptor = 32;
  if (reply.size() < kHeader) return std::nullopt;
  PhysicalElements found;
  found.count = get_be32(&reply[0]);
  const std::size_t returned = std::min(get_be32(&reply[4]), found.count);
  if (const auto element = get_be32(&reply[8])) found.being_depopulated = element;
  auto rest = part(reply, kHeader, returned * kDescriptor);
  for (; rest.size() >= kDescriptor; rest = rest.subspan(kDescriptor)) {
    PhysicalElement element{get_be32(&rest[4]), rest[14], rest[15], (rest[13] & 0x01) != 0, {}};
    const auto blocks = get_be(&rest[16], 8);
    if (blocks != ~std::uint64_t{0}) element.blocks = blocks;
    found.elements.push_back(element);
  }
  return found;
}

}  // namespace platter::scsi
