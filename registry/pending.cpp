#include "registry/pending.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "model/error.h"
#include "model/folder.h"
#include "registry/annotations.h"

namespace platter::registry {
namespace {

std::string pending_folder(const Store& store) { return store.folder() + "/pending"; }

}  // namespace

void mark_pending(const Store& store, const Lock& /*held*/, const std::string& drive) {
  const std::string folder = pending_folder(store), path = folder + "/" + drive;
  create_folder(folder);
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  const bool written = descriptor >= 0 && ::fsync(descriptor) == 0;
  const std::string why = std::strerror(errno);
  if (descriptor >= 0) ::close(descriptor);
  if (!written)
    throw Error(ExitStatus::output, fmt::format("{}: cannot be written: {}", path, why));
  synchronize(folder);
}

void clear_pending(const Store& store, const Lock& /*held*/, const std::string& drive) {
  std::error_code comes_back;  // and costs one more look at the layout
  std::filesystem::remove(pending_folder(store) + "/" + drive, comes_back);
}

std::vector<std::string> pending_drives(const Store& store) {
  std::vector<std::string> drives;
  for (const std::filesystem::path& path : model::paths_in(pending_folder(store))) {
    std::string name = path.filename().string();
    if (is_drive_name(name)) drives.push_back(std::move(name));
  }
  return drives;
}

}  // namespace platter::registry
