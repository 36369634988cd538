// GET PHYSICAL ELEMENT STATUS (SBC-4, 5.8): which of a drive's surfaces are out of use, or soon may
// be. A drive that was told to do without one has fewer blocks, and a map with a gap in its heads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scsi/bytes.h"

namespace platter::scsi {

// PHYSICAL ELEMENT HEALTH, in words (SBC-5, table of that name).
enum class ElementHealth : std::uint8_t {
  not_reported,             // 00h
  within_specification,     // 01h to 63h
  at_its_limit,             // 64h
  out_of_specification,     // 65h to CFh
  reserved,                 // D0h to FAh
  restored_with_errors,     // FBh
  being_restored,           // FCh
  depopulated_with_errors,  // FDh
  being_depopulated,        // FEh
  depopulated,              // FFh
};

struct PhysicalElement {
  std::uint32_t identifier = 0;
  std::uint8_t type = 0;                // 1: storage element
  std::uint8_t health = 0;              // as it came
  bool restorable = false;              // RALWD
  std::optional<std::uint64_t> blocks;  // that the drive loses with it; nullopt: not said

  ElementHealth in_words() const;
  // It holds no blocks, or those that it holds are on their way: FBh to FFh.
  bool is_out_of_use() const;
};

struct PhysicalElements {
  std::uint32_t count = 0;  // that the drive has to tell of, from the first one asked for on
  std::optional<std::uint32_t> being_depopulated;  // its identifier
  std::vector<PhysicalElement> elements;           // those that came whole

  bool is_whole() const { return elements.size() == count; }
};

// How many bytes the answer for so many elements is.
constexpr std::uint32_t physical_element_bytes(std::uint32_t elements) {
  constexpr std::uint32_t kMost = 0xFFFFFFFF / 32 - 1;
  return 32 + 32 * (elements < kMost ? elements : kMost);
}

// nullopt: the header did not come whole.
std::optional<PhysicalElements> decode_physical_elements(Bytes reply);

}  // namespace platter::scsi
