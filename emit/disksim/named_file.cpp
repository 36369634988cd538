#include "emit/disksim/named_file.h"

#include <fmt/core.h>

#include <filesystem>

namespace platter::emit_disksim {

namespace fs = std::filesystem;

std::string find_named_file(BlockReader& reader, const char* parameter, const char* what,
                            const std::string& top_folder) {
  const fs::path wanted = reader.text(parameter);
  if (wanted.is_absolute()) return wanted.string();
  const Where& where = reader.where(parameter);
  const fs::path near = fs::path(*where.file).parent_path() / wanted;
  std::error_code ignored;
  if (fs::exists(near, ignored)) return near.string();
  const fs::path top = fs::path(top_folder) / wanted;
  if (!fs::exists(top, ignored)) {
    fail_at(where, fmt::format("{} {} does not exist", what, near.string()));
  }
  return top.string();
}

}  // namespace platter::emit_disksim
