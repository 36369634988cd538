// The bytes that a host sends with a command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "scsi/device.h"

namespace platter::virtual_drive {

// As many as the CDB announces; nullopt if the host has not sent so many.
inline std::optional<std::span<const std::uint8_t>> parameter_list(const scsi::Command& command,
                                                                   std::size_t length) {
  if (length == 0) return std::span<const std::uint8_t>{};
  if (command.direction != scsi::Direction::to_device || command.data.size() < length)
    return std::nullopt;
  return std::span(command.data).first(length);
}

}  // namespace platter::virtual_drive
