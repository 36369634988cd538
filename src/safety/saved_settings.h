// All settings of a drive that a run may change: as they were before it, in its journal and beside
// its samples.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scsi/drive.h"

namespace platter::safety {

// A mode page as the drive gave it, for Drive::restore_page().
using SavedPage = std::vector<std::uint8_t>;

struct SavedSettings {
  std::vector<SavedPage> pages;          // of those that scsi::may_be_set()
  std::optional<scsi::AtaSettings> ata;  // of an ATA drive
};

SavedSettings settings_of(scsi::Drive& drive);
// Each of the wanted ones is there, and has the same value.
bool shows(const SavedSettings& now, const SavedSettings& wanted);

// As members of an object: `mode_pages`, `ata`.
nlohmann::ordered_json json_of(const SavedSettings& settings);
// Throws std::exception for what is none, or of pages that are never set.
SavedSettings settings_in(const nlohmann::ordered_json& object);

std::string hex(std::span<const std::uint8_t> bytes);
// Throws std::invalid_argument.
std::vector<std::uint8_t> unhex(const std::string& text);

}  // namespace platter::safety
