// Whatever the host's disk makes of a journal: no block gets anything but what it held, every entry
// that is as it was written is used, and no run begins as if nothing had been left.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.h"
#include "damage.h"
#include "model/error.h"
#include "safety/journal.h"
#include "safety/left_journals.h"
#include "safety/restore.h"
#include "written_drive.h"

namespace platter::safety {
namespace {

using testing::WrittenDrive;

class DamagedJournal {
 public:
  DamagedJournal() {
    std::filesystem::create_directories(folder_);
    std::vector<std::pair<std::uint64_t, std::vector<std::uint8_t>>> entries;
    for (std::uint64_t lbn = 1000; entries.size() < 40; lbn += 3 + dice_() % 20) {
      std::vector<std::uint8_t> bytes((1 + dice_() % 4) * 512);
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(dice_());
      scene_.hold(lbn, bytes);
      entries.emplace_back(lbn, bytes);
    }
    Journal journal(folder_.string(), "/dev/sdx", scene_.identity, {});
    for (const auto& [lbn, bytes] : entries) {
      journal.before_write(lbn, bytes);
      scene_.contents.add(lbn, bytes);
      lbns_.push_back(lbn);
    }
    path_ = journal.path();
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    text_ = text.str();
    std::istringstream lines(text_);
    for (std::string line; std::getline(lines, line);) lines_.push_back(line);
  }
  ~DamagedJournal() { std::filesystem::remove_all(folder_); }

  std::string mutant() { return dice_.of(text_); }

  // One block of the drive is torn.
  void restore(const std::string& text) {
    std::ofstream(path_, std::ios::trunc | std::ios::binary) << text;
    const std::size_t entry = dice_() % lbns_.size();
    const std::uint64_t torn = lbns_[entry];
    scene_.damaged.unreadable = {torn};
    scene_.damaged.writes.clear();
    // No line stands in two places.
    const bool readable = whole(text, 0) || whole(text, 1), known = whole(text, entry + 2);
    // Of a run that was cut off before it wrote there are the heads and nothing else.
    CHECK((is_refused() || (text.ends_with('\n') && text_.starts_with(text))));
    bool done = true;
    try {
      put_right(scene_.damaged, {path_, read_journal(path_)});
    } catch (const Error& error) {
      done = false;
      CHECK((error.status() == ExitStatus::drive_error || error.status() == ExitStatus::bad_input));
      CHECK(std::filesystem::exists(path_));
    }
    const bool healed = scene_.damaged.unreadable.empty();
    if (readable) CHECK(healed == known);
    healed_ += healed;
    all_done_ += done;
    if (done) CHECK_FALSE(std::filesystem::exists(path_));
    // What is missing in the middle is no end of a run that was cut off.
    if (done && text.size() == text_.size()) CHECK(whole(text, entry + 2));
    for (const auto& [lbn, blocks] : scene_.damaged.writes)
      for (std::uint64_t i = lbn; i < lbn + blocks; ++i) CHECK(i == torn);
    for (const LbnRange& run : scene_.contents.runs())
      CHECK(scene_.held(run.first, static_cast<std::uint32_t>(run.last - run.first + 1)) ==
            scene_.contents.of(run));
  }

  std::size_t healed() const { return healed_; }
  std::size_t all_done() const { return all_done_; }

 private:
  bool whole(const std::string& text, std::size_t line) const {
    return text.find(lines_[line]) != std::string::npos;
  }
  bool is_refused() const {
    try {
      static_cast<void>(Journal(folder_.string(), "/dev/sdx", scene_.identity, {}).finish());
    } catch (const Error& error) {
      return error.status() == ExitStatus::refused &&
             std::string(error.what()).find(path_) != std::string::npos;
    }
    return false;
  }

  WrittenDrive scene_;
  platter::testing::Damage dice_{11};
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("platter-damaged-journals-" + std::to_string(::getpid()));
  std::string path_, text_;
  std::vector<std::string> lines_;
  std::vector<std::uint64_t> lbns_;
  std::size_t healed_ = 0, all_done_ = 0;
};

}  // namespace

// holds: safety.md: `platter restore` uses every line
// holds: safety.md: `platter restore` deletes
// holds: safety.md: A new run is refused
TEST_CASE("2,000 damaged journals: nothing wrong is written, nothing whole is lost") {
  DamagedJournal journal;
  constexpr std::size_t kMutants = platter::testing::Damage::kMutants;
  for (std::size_t i = 0; i < kMutants; ++i) {
    INFO("mutant " << i);
    journal.restore(journal.mutant());
  }
  CHECK(journal.healed() > kMutants / 2);
  CHECK(journal.all_done() > kMutants / 50);
  CHECK(journal.all_done() < kMutants / 2);
}

}  // namespace platter::safety
