// Which contents a drive has, as whoever starts an emulator says.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/contents/contents.h"
#include "emulator/contents/generated_settings.h"

namespace platter::emulator {

struct ContentsChoice {
  std::optional<std::string> file{};  // nothing: in memory
  bool generated = false;             // and of these, what follows:
  std::vector<std::string> kept_names{};
  std::uint64_t waiting_bytes = GeneratedSettings{}.waiting_bytes;
  std::optional<std::uint64_t> stored_bytes{};  // nothing: in memory half of the host's, else all
};

// `generated`, `generated:FILE` or FILE.
ContentsChoice contents_choice(const std::string& text);

// For a drive of so many bytes; of a file so many more lie behind them, for the caller. Throws
// Error as ContentsFile and GeneratedContents do.
std::unique_ptr<Contents> make_contents(const ContentsChoice& choice, std::uint64_t bytes,
                                        std::uint32_t block_bytes, std::uint64_t more_bytes = 0);

}  // namespace platter::emulator
