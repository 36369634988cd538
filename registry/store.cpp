#include "registry/store.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <thread>
#include <utility>

#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/user_folder.h"
#include "registry/annotations.h"
#include "registry/digest.h"

namespace platter::registry {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSharedBlobs = "../../blobs";  // as seen from a layout

[[noreturn]] void cannot_create(const std::string& path, const std::string& why) {
  throw Error(ExitStatus::output, fmt::format("{}: cannot be created: {}", path, why));
}

// skopeo --dest-shared-blob-dir leaves an empty folder there.
bool has_own_blobs(const fs::path& blobs) { return model::is_there(blobs / "sha256"); }

bool has_content(const std::string& path, const std::string& digest) {
  return model::is_there(path) && digest_of_file(path) == digest;
}

int open_lock(const Store& store) {
  store.create();
  const std::string path = store.folder() + "/lock";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) cannot_create(path, std::strerror(errno));
  return descriptor;
}

}  // namespace

void synchronize(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

void create_folder(const fs::path& folder) {
  if (model::is_folder(folder)) return;
  if (folder.has_parent_path() && folder.parent_path() != folder) {
    create_folder(folder.parent_path());
  }
  std::error_code failed;
  fs::create_directory(folder, failed);
  if (failed) cannot_create(folder.string(), failed.message());
  synchronize(folder.has_parent_path() ? folder.parent_path() : fs::path("."));
}

std::string default_folder() {
  if (const auto data = model::user_folder("XDG_DATA_HOME", ".local/share"))
    return *data + "/platter/registry";
  throw Error(ExitStatus::usage,
              "neither XDG_DATA_HOME nor HOME says where registries are kept; "
              "name a folder with --registry");
}

Layout::Layout(const std::string& registry, std::string drive)
    : folder_(registry + "/drives/" + drive),
      shared_blobs_(registry + "/blobs"),
      drive_(std::move(drive)) {
  if (!is_drive_name(drive_)) {
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: is no name of a drive in a registry; see platter registry list", drive_));
  }
}

Layout Layout::elsewhere(std::string folder, std::string blobs) {
  Layout layout;
  layout.drive_ = folder;
  layout.shared_blobs_ = blobs.empty() ? folder + "/blobs" : std::move(blobs);
  layout.folder_ = std::move(folder);
  return layout;
}

std::string Layout::blob_path(const std::string& digest) const {
  const fs::path own = folder_ + "/blobs";
  std::error_code none;
  const bool shared = !has_own_blobs(own) || fs::read_symlink(own, none) == kSharedBlobs;
  return (shared ? shared_blobs_ : own.string()) + "/sha256/" + std::string(hex_of(digest));
}

std::string Layout::index_text() const { return model::read_file(index_path()); }

// Every tag of a manifest is a reading of it and of all that it names.
ImageIndex Layout::index() const {
  constexpr std::size_t kMostTags = 8;  // of one manifest: its version's, "latest", others' own
  ImageIndex index = parse_index(index_text(), index_path());
  std::map<std::string, std::size_t> tags;
  for (const Descriptor& manifest : index.manifests)
    if (++tags[manifest.digest] > kMostTags)
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: names the manifest {} under more than {} tags", index_path(),
                              manifest.digest, kMostTags));
  return index;
}

std::string Layout::blob(const Descriptor& descriptor) const {
  const std::string path = blob_path(descriptor.digest);
  const auto fail = [&](const std::string& what) {
    throw Error(ExitStatus::bad_input, fmt::format("{}: {}, which {} needs", path, what, drive_));
  };
  std::error_code missing;
  const std::uint64_t size = fs::file_size(path, missing);
  if (missing) fail("is missing or cannot be read");
  if (size != descriptor.size) {
    fail(fmt::format("has {} bytes and should have {}", size, descriptor.size));
  }
  std::string content = model::read_file(path);
  if (digest_of(content) != descriptor.digest) fail("is corrupt: its content has another digest");
  return content;
}

Manifest Layout::manifest(const Descriptor& descriptor) const {
  if (descriptor.size > kLargestDocument) {
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: names a manifest of {} bytes, larger than any", index_path(),
                            descriptor.size));
  }
  return parse_manifest(blob(descriptor), blob_path(descriptor.digest));
}

Store::Store(std::string folder) : folder_(std::move(folder)) {
  while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
}

std::vector<std::string> Store::drives() const {
  std::vector<std::string> names;
  for (const fs::path& path : model::paths_in(drives_folder())) {
    const std::string name = path.filename().string();
    if (is_drive_name(name) && model::is_there(path / "index.json")) names.push_back(name);
  }
  return names;
}

bool Store::is_new() const {
  std::error_code unknown;
  const bool there = fs::exists(folder_, unknown);
  return !unknown && (!there || fs::is_empty(folder_, unknown));
}

void Store::require() const {
  if (model::is_folder(drives_folder())) return;
  throw Error(ExitStatus::bad_input,
              fmt::format("{}: is no registry; platter publish makes one", folder_));
}

void Store::create() const {
  create_folder(blobs_folder());
  create_folder(drives_folder());
}

Descriptor Store::put_blob(const std::string& drive, const std::string& media_type,
                           const std::string& content) const {
  const std::string digest = digest_of(content);
  const std::string path = layout(drive).blob_path(digest);
  if (!has_content(path, digest)) model::write_file(path, content);
  return {media_type, digest, content.size(), {}};
}

void Store::create_layout(const std::string& drive) const {
  const fs::path folder = layout(drive).folder();
  create_folder(folder);
  if (!model::is_there(folder / "oci-layout")) {
    model::write_file((folder / "oci-layout").string(), layout_marker_text());
  }
  const fs::path blobs = folder / "blobs";
  if (has_own_blobs(blobs)) return;
  std::error_code failed;
  fs::remove(blobs, failed);
  fs::create_directory_symlink(kSharedBlobs, blobs, failed);
  if (failed) cannot_create(blobs.string(), failed.message());
  synchronize(folder);
}

void Store::replace_index(const std::string& drive, const std::string& text) const {
  model::write_file(layout(drive).index_path(), text);
}

Lock::Lock(const Store& store) : descriptor_(open_lock(store)) {
  while (::flock(descriptor_, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    const std::string why = std::strerror(errno);
    ::close(descriptor_);
    throw Error(ExitStatus::output,
                fmt::format("{}/lock: cannot be locked: {}", store.folder(), why));
  }
}

std::unique_ptr<Lock> Lock::within(const Store& store, std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds kPause(5);
  const auto end = std::chrono::steady_clock::now() + patience;
  int descriptor = -1;
  try {
    descriptor = open_lock(store);
  } catch (const Error&) {
    return nullptr;
  }
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() >= end) {
      ::close(descriptor);
      return nullptr;
    }
    std::this_thread::sleep_for(kPause);
  }
  return std::unique_ptr<Lock>(new Lock(descriptor));
}

Lock::~Lock() { ::close(descriptor_); }

}  // namespace platter::registry
