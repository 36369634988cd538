// The folders and files of a registry: one OCI image layout for each drive, over shared blobs.
//
//   DIR/blobs/sha256/HEX        every blob once, named by its content
//   DIR/drives/NAME/oci-layout, index.json, blobs -> ../../blobs
//   DIR/search.sqlite, pending/  derived (search_index.h);  DIR/lock, DIR/serial.key
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "registry/oci.h"

namespace platter::registry {

// $XDG_DATA_HOME/platter/registry, or that below ~/.local/share.
std::string default_folder();

// One drive's image layout. One that skopeo wrote, with blobs of its own or with shared ones, is as
// good.
class Layout {
 public:
  Layout(const std::string& registry, std::string drive);
  // Anyone's image layout, anywhere. `blobs`: the folder of its blobs where it does not hold them
  // itself (skopeo's --src-shared-blob-dir); else empty.
  static Layout elsewhere(std::string folder, std::string blobs = {});

  const std::string& drive() const { return drive_; }
  const std::string& folder() const { return folder_; }
  std::string index_path() const { return folder_ + "/index.json"; }
  std::string blob_path(const std::string& digest) const;

  std::string index_text() const;
  ImageIndex index() const;

  // Content that was checked against its descriptor: Error(bad_input) names the blob that is
  // missing, of another size or of another content.
  std::string blob(const Descriptor& descriptor) const;
  Manifest manifest(const Descriptor& descriptor) const;

 private:
  Layout() = default;

  std::string folder_, shared_blobs_, drive_;
};

class Store {
 public:
  explicit Store(std::string folder);

  const std::string& folder() const { return folder_; }
  std::string blobs_folder() const { return folder_ + "/blobs/sha256"; }
  std::string drives_folder() const { return folder_ + "/drives"; }

  // Of drives that have an index.json, by name. None where there is no registry yet. Throws
  // Error(permission, bad_input) where they cannot be looked at: none of them is overlooked.
  std::vector<std::string> drives() const;
  Layout layout(const std::string& drive) const { return {folder_, drive}; }

  // Whether nothing is there yet.
  bool is_new() const;
  // Error(bad_input) where there is no registry.
  void require() const;

  // For a writer, who holds the lock. A blob that is there is kept if it is whole, else written
  // anew.
  void create() const;
  void create_layout(const std::string& drive) const;
  Descriptor put_blob(const std::string& drive, const std::string& media_type,
                      const std::string& content) const;
  void replace_index(const std::string& drive, const std::string& text) const;

 private:
  std::string folder_;
};

// Held by one process at a time; another waits.
class Lock {
 public:
  explicit Lock(const Store& store);
  // Nothing where another still holds it after this time, or where the folder may not be written.
  static std::unique_ptr<Lock> within(const Store& store, std::chrono::milliseconds patience);
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  explicit Lock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

// With every folder above it, each on stable storage. Throws Error(output).
void create_folder(const std::filesystem::path& folder);
// The names in a folder, onto stable storage.
void synchronize(const std::filesystem::path& folder);

}  // namespace platter::registry
