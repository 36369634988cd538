#include "safety/journal.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "identity/drive_mark.h"
#include "model/error.h"
#include "model/json_head.h"
#include "model/user_folder.h"
#include "safety/media_check.h"

namespace platter::safety {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "platter-journal";
constexpr std::uint64_t kLargestBlockBytes = 1 << 20;

void require(bool good) {
  if (!good) throw std::invalid_argument("journal");
}

// A whole number that is there as one: the JSON library would turn -1 into 2^64 - 1.
std::uint64_t count_of(const Json& parent, const char* name) {
  require(parent.at(name).is_number_unsigned());
  return parent.at(name).get<std::uint64_t>();
}

// Letters, digits and dashes of a serial number, for a file's name.
std::string plain(const std::string& text) {
  constexpr std::size_t kMost = 64;  // a file's name has room for 255
  std::string name;
  for (const char c : text.substr(0, kMost))
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return name.empty() ? "drive" : name;
}

void synchronize(const std::string& folder) {
  const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  ::fsync(directory);
  ::close(directory);
}

std::string folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

// What a run that was cut off made of the settings would pass for the drive's own.
void refuse_what_was_left(const std::string& folder, const model::Identity& identity,
                          const SavedSettings& settings) {
  for (const LeftJournal& left : left_journals(folder, identity)) {
    if (!shows(settings, left.contents.settings))
      throw Error(
          ExitStatus::refused,
          fmt::format("an earlier run on {} {} was cut off, and its settings are not back yet: run "
                      "platter restore {} first, or remove that file if they are what you want",
                      identity.vendor, identity.product, left.path));
    // A torn block that can be read all the same would be taken for what the drive holds.
    if (!left.contents.blocks.empty())
      throw Error(ExitStatus::refused, fmt::format("an earlier run on {} {} was cut off while it "
                                                   "wrote, and its blocks have not been looked "
                                                   "after: run platter restore {} first",
                                                   identity.vendor, identity.product, left.path));
  }
}

}  // namespace

// A run holds the lock of its journal for as long as its process lives.
bool in_use(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  const bool locked = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  return locked;
}

std::vector<LeftJournal> left_journals(const std::string& folder, const model::Identity& identity) {
  std::vector<LeftJournal> all;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".journal" || !entry.is_regular_file(failed) || in_use(path))
      continue;
    try {
      LeftJournal left{path, read_journal(path)};
      if (identity::same_drive(left.contents.identity, identity)) all.push_back(std::move(left));
    } catch (const Error&) {
      continue;  // cut off before the drive was touched, or no journal
    }
  }
  std::ranges::sort(all, {}, &LeftJournal::path);
  return all;
}

void remove_journal(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    throw Error(ExitStatus::output,
                fmt::format("{} cannot be removed: {}; remove it by hand, nothing is left to "
                            "restore from it",
                            path, std::strerror(errno)));
  synchronize(folder_of(path));
}

std::string default_journal_folder() {
  return model::user_folder("XDG_STATE_HOME", ".local/state").value_or("/var/tmp/.local/state") +
         "/platter";
}

Journal::Journal(const std::string& folder, const std::string& device,
                 const model::Identity& identity, const SavedSettings& settings)
    : settings_(settings), contents_(identity.block_bytes) {
  refuse_what_was_left(folder, identity, settings);
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  // Journals that earlier runs left behind are never written over.
  for (int number = 0; number < 1000; ++number) {
    path_ = fmt::format("{}/{}-{}-{}.journal", folder, plain(identity.serial), ::getpid(), number);
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (file_ >= 0 || errno != EEXIST) break;
  }
  if (file_ < 0)
    throw Error(
        ExitStatus::output,
        fmt::format("the safety journal {} cannot be written ({}); name another folder with "
                    "--journal",
                    path_, std::strerror(errno)));
  ::flock(file_, LOCK_EX | LOCK_NB);
  Json head = model::json_head(kSchema);
  head["device"] = device;
  head["vendor"] = identity.vendor;
  head["product"] = identity.product;
  head["serial"] = identity.serial;
  head["blocks"] = identity.stated_blocks.value_or(identity.blocks);
  head["block_bytes"] = identity.block_bytes;
  head.update(json_of(settings));
  append(head.dump(-1, ' ', true, Json::error_handler_t::replace));
  synchronize(folder);  // the file's name, too
}

Journal::~Journal() {
  if (file_ >= 0) ::close(file_);
}

void Journal::finish() {
  ::close(file_);
  file_ = -1;
  remove_journal(path_);
}

void Journal::append(const std::string& line) {
  const std::string text = line + "\n";
  std::size_t done = 0;
  if (file_ < 0) throw Error(ExitStatus::internal, path_ + " is closed");
  while (done < text.size()) {
    const ssize_t wrote = ::write(file_, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) break;
    done += static_cast<std::size_t>(wrote);
  }
  if (done != text.size() || ::fsync(file_) != 0)
    throw Error(ExitStatus::output,
                fmt::format("the safety journal {} cannot be written ({}); nothing was written to "
                            "the drive, name a folder with room with --journal",
                            path_, std::strerror(errno)));
}

void Journal::before_write(std::uint64_t lbn, const std::vector<std::uint8_t>& bytes) {
  constexpr std::uint64_t kMostOfEntry = 256 * 1024;  // bytes
  const std::uint64_t size = contents_.block_bytes();
  const std::uint64_t blocks = bytes.size() / size,
                      most = std::max<std::uint64_t>(1, kMostOfEntry / size);
  for (const LbnRange& missing : contents_.unknown({lbn, lbn + blocks - 1}))
    for (std::uint64_t first = missing.first; first <= missing.last; first += most) {
      const std::uint64_t count = std::min(most, missing.last - first + 1);
      const std::span<const std::uint8_t> part(bytes.data() + (first - lbn) * size, count * size);
      append(Json{{"lbn", first}, {"bytes", hex(part)}}.dump());
      contents_.add(first, part);
    }
}

namespace {

struct Entry {
  std::uint64_t lbn = 0;
  std::vector<std::uint8_t> bytes;
};

Entry entry_of(const std::string& line, const model::Identity& drive) {
  const Json json = Json::parse(line);
  Entry entry{count_of(json, "lbn"), unhex(json.at("bytes").get<std::string>())};
  require(!entry.bytes.empty() && entry.bytes.size() % drive.block_bytes == 0);
  require(entry.lbn < drive.blocks &&
          entry.bytes.size() / drive.block_bytes <= drive.blocks - entry.lbn);
  return entry;
}

JournalContents head_of(const std::string& line) {
  JournalContents contents;
  const Json head = Json::parse(line);
  require(head.at("schema").at("name") == kSchema);
  contents.device = head.at("device");
  contents.identity.vendor = head.at("vendor");
  contents.identity.product = head.at("product");
  contents.identity.serial = head.at("serial");
  contents.identity.blocks = count_of(head, "blocks");
  const std::uint64_t block_bytes = count_of(head, "block_bytes");
  require(block_bytes > 0 && block_bytes <= kLargestBlockBytes);
  contents.identity.block_bytes = static_cast<std::uint32_t>(block_bytes);
  contents.settings = settings_in(head);
  return contents;
}

[[noreturn]] void no_journal(const std::string& path) {
  throw Error(
      ExitStatus::bad_input,
      path + " is no safety journal of platter; name the file that an interrupted run left");
}

// false at the end, and for a last line without its end: torn, its write had not begun. No line of
// a journal is longer than `most`: a file without lines is not read to its end.
bool next_line(std::istream& file, std::string& line, std::size_t most) {
  line.clear();
  for (int c = file.get(); c != std::char_traits<char>::eof(); c = file.get()) {
    if (c == '\n') return true;
    require(line.size() < most);
    line += static_cast<char>(c);
  }
  return false;
}

}  // namespace

// As long as the writes of its run were: of any length, and read line by line.
JournalContents read_journal(const std::string& path) {
  constexpr std::size_t kLongestHead = 1 << 20, kLongestLine = 1 << 28;
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) no_journal(path);
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error(ExitStatus::permission,
                path + " may not be read by this user; check its permissions");
  JournalContents contents;
  std::string line;
  try {
    require(next_line(file, line, kLongestHead));
    contents = head_of(line);
  } catch (const std::exception&) {
    no_journal(path);
  }
  std::vector<Entry> entries;
  try {
    while (next_line(file, line, kLongestLine))
      entries.push_back(entry_of(line, contents.identity));
  } catch (const std::exception&) {
    throw Error(ExitStatus::bad_input,
                fmt::format("{} is damaged at its entry {}; restore from a copy, or by hand", path,
                            entries.size() + 1));
  }
  // Of one run all entries of a block say the same; a longer one has more of its physical block.
  std::ranges::reverse(entries);
  std::ranges::stable_sort(entries, std::ranges::greater(),
                           [](const Entry& e) { return e.bytes.size(); });
  contents.blocks = BlockContents(contents.identity.block_bytes);
  for (const Entry& entry : entries) contents.blocks.add(entry.lbn, entry.bytes);
  return contents;
}

}  // namespace platter::safety
