// READs that are outstanding together, which no scsi::Drive sends: it waits for each command.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "model/error.h"
#include "scsi/commands.h"
#include "scsi/device.h"

namespace platter::mtbrc {

// READ(10), or READ(16) where the address needs it; the data are not kept.
scsi::Command read_without_data(std::uint64_t lbn, std::uint32_t blocks, std::uint32_t block_bytes,
                                scsi::CacheBits bits);

// Throws what the path to the drive met.
template <class T>
T value_of(scsi::Expected<T> result) {
  if (!result) throw scsi::as_error(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// GOOD, with all of its data.
bool came_whole(const scsi::Completion& done);

// Both are sent, the first in front, and have come back; nothing stays outstanding where that
// throws. nullopt: the device has lost one.
std::optional<std::array<scsi::Completion, 2>> read_both(scsi::Device& device,
                                                         const scsi::Command& first,
                                                         const scsi::Command& second);

}  // namespace platter::mtbrc
