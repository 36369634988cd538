#include "emulator/file_systems/kept_files.h"

#include <algorithm>
#include <utility>

#include "emulator/file_systems/file_system.h"

namespace platter::emulator {
namespace {

// Folders of a damaged file system may lead in circles.
constexpr std::uint64_t kMostReads = 1 << 22;

}  // namespace

KeptFiles::KeptFiles(const NamedFiles& files, const std::vector<std::string>& globs)
    : named_(files), patterns_(globs) {
  if (!any()) return;
  Folder& root = folders_[named_.root()];
  root.names = 1;
  root.positions = patterns_.at_root();
  to_read_.insert(named_.root());
}

void KeptFiles::changed(std::uint64_t source) {
  const auto [first, end] = readers_.equal_range(source);
  for (auto reader = first; reader != end; ++reader) to_read_.insert(reader->second);
}

void KeptFiles::all_changed() {
  for (const auto& [inode, folder] : folders_) to_read_.insert(inode);
  for (const auto& [inode, file] : files_) to_read_.insert(inode);
}

bool KeptFiles::update() {
  if (to_read_.empty()) return false;
  for (std::uint64_t reads = 0; !to_read_.empty() && reads < kMostReads; ++reads) {
    const std::uint64_t inode = *to_read_.begin();
    to_read_.erase(to_read_.begin());
    if (const auto folder = folders_.find(inode); folder != folders_.end())
      read_folder(inode, folder->second);
    if (const auto file = files_.find(inode); file != files_.end()) read_file(inode, file->second);
  }
  if (!std::exchange(news_, false)) return false;
  std::vector<Range> bytes;
  for (const auto& [inode, file] : files_)
    bytes.insert(bytes.end(), file.bytes.begin(), file.bytes.end());
  bytes_ = Ranges(std::move(bytes));
  return true;
}

void KeptFiles::keep_in(Surroundings& around) {
  if (!update()) return;
  for (const Range& range : bytes_.all()) around.metadata(range.first, range.end - range.first);
}

void KeptFiles::depend(std::uint64_t inode, NamedFiles::Sources& before, NamedFiles::Sources now) {
  if (before == now) return;
  for (const std::uint64_t source : before) {
    const auto [first, end] = readers_.equal_range(source);
    const auto it = std::find_if(first, end,
                                 [&](const auto& each) { return each.second == inode; });
    if (it != end) readers_.erase(it);
  }
  for (const std::uint64_t source : now) readers_.emplace(source, inode);
  before = std::move(now);
}

// What is in it now against what was: only what differs is gone into.
void KeptFiles::read_folder(std::uint64_t inode, Folder& folder) {
  NamedFiles::Sources sources;
  std::map<std::string, NamedFiles::Entry> now;
  std::map<std::string, NamePatterns::Step> steps;
  for (NamedFiles::Entry& entry : named_.entries(inode, sources)) {
    NamePatterns::Step step = patterns_.into(folder.positions, entry.name);
    if (entry.is_folder ? step.positions.empty() : !step.named) continue;
    steps.emplace(entry.name, std::move(step));
    now.emplace(entry.name, std::move(entry));
  }
  depend(inode, folder.sources, std::move(sources));
  const auto before = std::exchange(folder.children, now);
  const auto is_in = [](const NamedFiles::Entry& entry, const auto& entries) {
    const auto found = entries.find(entry.name);
    return found != entries.end() && found->second == entry;
  };
  for (const auto& [name, entry] : before)
    if (!is_in(entry, now)) leave(entry);
  for (const auto& [name, entry] : now)
    if (!is_in(entry, before))
      enter(entry, steps[name]);
    else if (entry.is_folder)
      place(entry.inode, steps[name]);
}

void KeptFiles::read_file(std::uint64_t inode, File& file) {
  NamedFiles::Sources sources;
  std::vector<Range> bytes = named_.bytes_of(inode, sources);
  depend(inode, file.sources, std::move(sources));
  news_ |= bytes != file.bytes;
  file.bytes = std::move(bytes);
}

void KeptFiles::enter(const NamedFiles::Entry& entry, const NamePatterns::Step& step) {
  to_read_.insert(entry.inode);
  if (!entry.is_folder) {
    ++files_[entry.inode].names;
    return;
  }
  ++folders_[entry.inode].names;
  place(entry.inode, step);
}

void KeptFiles::place(std::uint64_t inode, const NamePatterns::Step& step) {
  Folder& folder = folders_[inode];
  if (folder.positions == step.positions) return;
  folder.positions = step.positions;
  to_read_.insert(inode);
}

void KeptFiles::leave(NamedFiles::Entry entry) {
  std::vector<NamedFiles::Entry> left{std::move(entry)};
  while (!left.empty()) {
    const NamedFiles::Entry each = std::move(left.back());
    left.pop_back();
    if (each.is_folder) {
      const auto folder = folders_.find(each.inode);
      if (folder == folders_.end() || --folder->second.names > 0) continue;
      depend(each.inode, folder->second.sources, {});
      for (const auto& [name, child] : folder->second.children) left.push_back(child);
      folders_.erase(folder);
    } else {
      const auto file = files_.find(each.inode);
      if (file == files_.end() || --file->second.names > 0) continue;
      depend(each.inode, file->second.sources, {});
      news_ |= !file->second.bytes.empty();
      files_.erase(file);
    }
  }
}

}  // namespace platter::emulator
