// Emulated drives as those that serve blocks take them, over NBD and ublk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/blocks/served_drives.h"
#include "emulator/contents/contents_choice.h"
#include "engine/request.h"
#include "jobs/emulated_drives.h"
#include "model/temporary_folder.h"

namespace platter::jobs {

struct BlockServing {
  std::string socket{};                              // NBD's path; empty: one in a private folder
  std::vector<emulator::ContentsChoice> contents{};  // one for each drive; none: in memory
  bool write_cache_loss = false;
  std::optional<std::string> log{};
  int speed = 1;
  std::optional<engine::Scheduler> scheduler{};
  std::optional<std::uint32_t> depth{};
  bool ordinary = false;
  bool json = false;
};

// `folder` is given what is no file yet, and stays as long as they are served. Throws what
// ContentsFile throws.
emulator::DrivesSettings block_drives(const std::vector<EmulatedDrive>& drives,
                                      const BlockServing& serving, model::TemporaryFolder& folder);

}  // namespace platter::jobs
