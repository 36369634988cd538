#include "safety/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/checked_line.h"
#include "model/error.h"
#include "model/json_text.h"
#include "model/user_folder.h"
#include "safety/left_journals.h"

namespace platter::safety {
namespace {

using Json = nlohmann::ordered_json;

// Letters, digits and dashes of a serial number, for a file's name.
std::string plain(const std::string& text) {
  constexpr std::size_t kMost = 64;  // a file's name has room for 255
  std::string name;
  for (const char c : text.substr(0, kMost))
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return name.empty() ? "drive" : name;
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
    const JournalContents& journal = left.contents;
    if (!journal.blocks.empty() || !journal.damaged.empty() || journal.torn)
      throw Error(ExitStatus::refused,
                  fmt::format("an earlier run on {} {} was cut off while it wrote, or could not "
                              "tell whether the media hold what it wrote: run platter restore {} "
                              "first",
                              identity.vendor, identity.product, left.path));
  }
}

}  // namespace

bool synchronize(const std::string& folder) {
  const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return true;
  const bool done = ::fsync(directory) == 0 || errno == EINVAL || errno == ENOTSUP;
  const int why = errno;
  ::close(directory);
  errno = why;
  return done;
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
  std::string beginning;
  // Journals that earlier runs left behind are never written over.
  for (int number = 0; number < 1000; ++number) {
    path_ = fmt::format("{}/{}-{}-{}{}", folder, plain(identity.serial), ::getpid(), number,
                        kJournalExtension);
    beginning = path_ + ".begun";
    if (std::filesystem::exists(path_, failed)) continue;
    file_ = ::open(beginning.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (file_ >= 0 || errno != EEXIST) break;
  }
  if (file_ < 0) cannot_be_written("");
  ::flock(file_, LOCK_EX | LOCK_NB);
  Json head = model::json_head(kSchemaName);
  head["device"] = device;
  head["vendor"] = identity.vendor;
  head["product"] = identity.product;
  head["serial"] = identity.serial;
  head["blocks"] = identity.stated_blocks.value_or(identity.blocks);
  head["block_bytes"] = identity.block_bytes;
  head.update(json_of(settings));
  const std::string text = model::json_text(head, model::JsonForm::ascii);
  try {
    for (std::uint64_t i = 0; i < kJournalHeads; ++i) append(text);
    if (::rename(beginning.c_str(), path_.c_str()) != 0) cannot_be_written("");
    if (!synchronize(folder)) cannot_be_written("");  // the file's name
  } catch (const Error&) {
    ::close(std::exchange(file_, -1));
    for (const std::string& begun : {beginning, path_}) ::unlink(begun.c_str());
    throw;
  }
}

Journal::~Journal() {
  if (file_ >= 0) ::close(file_);
}

std::optional<std::string> Journal::finish() {
  ::close(std::exchange(file_, -1));
  return remove_journal(path_);
}

[[noreturn]] void Journal::cannot_be_written(const std::string& what_then) const {
  throw Error(ExitStatus::output,
              fmt::format("the safety journal {} cannot be written ({}){}; name a folder with room "
                          "with --journal",
                          path_, std::strerror(errno), what_then));
}

void Journal::append(const std::string& object) {
  const std::string text = model::checked_line(object, lines_ + 1) + "\n";
  std::size_t done = 0;
  if (file_ < 0) throw Error(ExitStatus::internal, path_ + " is closed");
  const off_t before = ::lseek(file_, 0, SEEK_END);
  while (done < text.size()) {
    const ssize_t wrote = ::write(file_, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) break;
    done += static_cast<std::size_t>(wrote);
  }
  if (done != text.size() || ::fsync(file_) != 0) {
    const int why = errno;
    // Else a part of a line would stand in front of the next one.
    if (before >= 0 && ::ftruncate(file_, before) != 0) ++lines_;
    errno = why;
    cannot_be_written(contents_.empty() ? "; nothing was written to the drive"
                                        : "; what was to be written next was not");
  }
  ++lines_;
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
      append(fmt::format("{{\"lbn\":{},\"bytes\":\"{}\"}}", first, hex(part)));
      contents_.add(first, part);
    }
}

}  // namespace platter::safety
