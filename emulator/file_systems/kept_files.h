// The files whose data are kept, as names in a file system's folders say, and where these data are.
// Only folders on the way to a name are read, and again only when they change.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emulator/file_systems/name_patterns.h"
#include "emulator/file_systems/ranges.h"

namespace platter::emulator {

class Surroundings;

// A file system that is asked for its folders. `sources` are what an answer was read from: numbers
// of blocks, or of pages, whatever the file system tells KeptFiles of when it changes.
class NamedFiles {
 public:
  struct Entry {
    std::string name;
    std::uint64_t inode;
    bool is_folder;
    auto operator<=>(const Entry&) const = default;
  };
  using Sources = std::vector<std::uint64_t>;

  virtual ~NamedFiles() = default;
  virtual std::uint64_t root() const = 0;
  virtual std::vector<Entry> entries(std::uint64_t folder, Sources& sources) const = 0;
  virtual std::vector<Range> bytes_of(std::uint64_t file, Sources& sources) const = 0;
};

class KeptFiles {
 public:
  // The files outlive it.
  KeptFiles(const NamedFiles& files, const std::vector<std::string>& globs);

  bool any() const { return !patterns_.empty(); }
  bool holds(std::uint64_t first, std::uint64_t end) const { return bytes_.touches({first, end}); }
  const Ranges& bytes() const { return bytes_; }

  // What was read from there may be different now; or all.
  void changed(std::uint64_t source);
  void all_changed();
  // Whether other bytes are kept than before.
  bool update();
  // Then all of them are told to be kept.
  void keep_in(Surroundings& around);

 private:
  struct Folder {
    std::uint32_t names = 0;  // more than one while it moves, or where the file system is damaged
    NamePatterns::Positions positions{};
    std::map<std::string, NamedFiles::Entry> children{};  // that lead to a name
    NamedFiles::Sources sources{};
  };
  struct File {
    std::uint32_t names = 0;  // links to it
    std::vector<Range> bytes{};
    NamedFiles::Sources sources{};
  };

  void read_folder(std::uint64_t inode, Folder& folder);
  void read_file(std::uint64_t inode, File& file);
  void enter(const NamedFiles::Entry& entry, const NamePatterns::Step& step);
  void place(std::uint64_t inode, const NamePatterns::Step& step);
  void leave(NamedFiles::Entry entry);
  void depend(std::uint64_t inode, NamedFiles::Sources& before, NamedFiles::Sources now);

  const NamedFiles& named_;
  const NamePatterns patterns_;
  std::unordered_map<std::uint64_t, Folder> folders_{};
  std::unordered_map<std::uint64_t, File> files_{};
  std::unordered_multimap<std::uint64_t, std::uint64_t> readers_{};  // of a source: inodes
  std::unordered_set<std::uint64_t> to_read_{};                      // inodes
  bool news_ = false;
  Ranges bytes_{};
};

}  // namespace platter::emulator
