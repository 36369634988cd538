#include "safety/media_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "identity/drive_mark.h"
#include "model/error.h"
#include "scsi/guard.h"

namespace platter::safety {
namespace {

constexpr int kRounds = 3;  // of putting back

bool holds(const std::vector<LbnRange>& ranges, std::uint64_t lbn) {
  return std::ranges::any_of(ranges, [&](const LbnRange& range) { return range.holds(lbn, 1); });
}

class Checker {
 public:
  Checker(scsi::Drive& drive, const BlockContents& contents, const MediaCheckOptions& options)
      : drive_(drive),
        contents_(contents),
        options_(options),
        back_(drive, contents, options.read_along) {}

  // Writes nothing.
  void compare() {
    DriveEvidence evidence(drive_.physical_blocks());
    back_.flush();
    back_.find_way();
    first_ = back_.compare(contents_.runs(), [&](std::uint64_t lbn, const Block& expected,
                                                 bool same) { evidence.add(lbn, expected, same); });
    found_.past = back_.past();
    found_.readable = evidence.readable();
    found_.is_another_drive = evidence.speaks_against() &&
                              evidence.differing_physical_blocks() > options_.may_be_torn;
    found_.differ = first_.differ;
    count_intact();
  }

  const MediaCheck& found() const { return found_; }

  // Needs the permission to write.
  MediaCheck put_right() {
    std::vector<LbnRange> bad = first_.unreadable;
    if (options_.overwrite) {
      std::ranges::move(std::exchange(found_.differ, {}), std::back_inserter(bad));
      bad = scsi::merged(std::move(bad));
    }
    std::vector<LbnRange> wrong;
    for (int round = 0; round < kRounds && !bad.empty(); ++round) {
      for (const LbnRange& range : bad) put_back(range);
      back_.flush();
      if (back_.past() == Past::nothing_known) back_.find_way();  // now they can be read
      const std::vector<LbnRange> still = bad_of(bad);
      for (const LbnRange& range : bad)
        for (std::uint64_t lbn = range.first; lbn <= range.last; ++lbn)
          if (!holds(still, lbn)) wrong.push_back({lbn, lbn});
      bad = still;
    }
    std::ranges::sort(wrong, {}, &LbnRange::first);
    for (const LbnRange& range : wrong) append(found_.put_back, range);
    found_.lost = std::move(bad);
    found_.past = back_.past();
    found_.flush_trouble = back_.flush_trouble();
    if (found_.trouble.empty()) found_.trouble = back_.trouble();
    count_intact();
    return std::move(found_);
  }

 private:
  void count_intact() { found_.intact = found_.readable - blocks_of(first_.differ); }

  // What was put there differs, or cannot be read.
  std::vector<LbnRange> bad_of(const std::vector<LbnRange>& runs) {
    Compared now = back_.compare(runs);
    std::ranges::move(now.differ, std::back_inserter(now.unreadable));
    return scsi::merged(std::move(now.unreadable));
  }

  // Whole physical blocks where all of them are known, so that the drive need not read what it
  // cannot; what somebody has changed beside them stays.
  void put_back(const LbnRange& range) {
    const LbnRange whole = drive_.physical_blocks().covering(range.first,
                                                             range.last - range.first + 1);
    const bool ours = contents_.unknown(whole).empty() &&
                      std::ranges::none_of(found_.differ,
                                           [&](const LbnRange& r) { return r.meets(whole); });
    const LbnRange& all = ours ? whole : range;
    try {
      drive_.put_back(all.first, contents_.of(all));
    } catch (const scsi::DriveError& error) {
      found_.trouble = error.what();
    }
  }

  scsi::Drive& drive_;
  const BlockContents& contents_;
  const MediaCheckOptions& options_;
  ReadBack back_;
  Compared first_;  // before anything was written
  MediaCheck found_;
};

}  // namespace

bool is_on_any_drive(const Block& block) {
  constexpr std::size_t kPeriod = 16;  // and so 1, 2, 4 and 8
  return block.size() <= kPeriod || std::equal(block.begin() + kPeriod, block.end(), block.begin());
}

void DriveEvidence::add(std::uint64_t lbn, const Block& journaled, bool same) {
  ++readable_;
  if (!same) {
    ++differing_;
    torn_.insert(physical_.covering(lbn, 1).first);
  }
  if (is_on_any_drive(journaled)) return;
  Copies& copies = telling_[{reinterpret_cast<const char*>(journaled.data()), journaled.size()}];
  ++(same ? copies.same : copies.differ);
}

// On its own drive a block differs where its owner has written since, or a write was torn; on
// another one it is the same where two drives share contents (labels, boot code, an image). Neither
// share is known, and with equal ones, p, each block weighs as much on either side, so that the
// majority is the likelihood ratio's verdict. With p = 0.1 a drive is judged wrongly with
// P(Binomial(n, 0.1) > n/2): 0.1 of one block, 0.03 of three, 0.009 of five, 1e-6 of 21. An owner
// who has rewritten more than half is turned away with the strangers, which costs him little: what
// he wrote is left alone anyway. Of a content that lies in many blocks copies are no evidence of
// their own: it counts once, in shares. Blocks that any drive may hold tell nothing where they are
// the same, and something where they are not.
bool DriveEvidence::speaks_against() const {
  if (2 * differing_ > readable_) return true;
  if (telling_.empty()) return differing_ > 0;
  double against = 0;
  for (const auto& [content, copies] : telling_) {
    const auto same = static_cast<double>(copies.same), differ = static_cast<double>(copies.differ);
    against += (differ - same) / (differ + same);
  }
  constexpr double kRounding = 1e-9;
  return against > kRounding;
}

std::size_t reads_of_check(const BlockContents& contents, const MediaCheckOptions& options) {
  return reads_of(contents, options.read_along);
}

MediaCheck check_media(scsi::Device& device, const model::Identity& expected,
                       const BlockContents& contents, const MediaCheckOptions& options) {
  scsi::Guard guard(
      device, {.settings = false, .writes = {}, .writes_go_on = true, .skipped = options.skipped});
  scsi::Drive drive(guard, device.name());
  const model::Identity& found = drive.identify();
  if (!identity::same_drive(found, expected))
    throw Error(
        ExitStatus::refused,
        fmt::format(
            "{} is not the drive whose blocks were written: {} {} with serial number {} then, "
            "{} {} with {} now; nothing was put back",
            device.name(), expected.vendor, expected.product, expected.serial, found.vendor,
            found.product, found.serial));
  if (options.most_blocks > 0 && options.most_blocks < drive.most_blocks())
    drive.limit_blocks(options.most_blocks);
  Checker checker(drive, contents, options);
  checker.compare();
  if (checker.found().is_another_drive) return checker.found();
  drive.permit_writes(scsi::touched_physical_blocks(contents.runs(), drive.physical_blocks()));
  return checker.put_right();
}

std::string in_words(const MediaCheck& check, const std::string& device) {
  if (check.is_another_drive)
    return fmt::format(
        "{} of {} blocks that were written on {} and can be read hold something else: this is not "
        "the drive that was written to, and so nothing was put back on it",
        blocks_of(check.differ), check.readable, device);
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (!check.lost.empty())
    add(fmt::format("what {} held there could not be put back: {} ({})", device,
                    in_words(check.lost),
                    check.trouble.empty() ? "the drive took the writes, and what it reads back is "
                                            "something else"
                                          : check.trouble));
  if (!check.differ.empty())
    add(fmt::format("{} holds something else than the journal: {}", device,
                    in_words(check.differ)));
  if (!check.flush_trouble.empty())
    add("what was written may not be on the media: " + check.flush_trouble);
  if (check.past == Past::nothing_known)
    add(fmt::format(
        "whether what was written is on the media of {} is not known, for neither reads with FUA "
        "nor VERIFY are seen to reach them",
        device));
  return text;
}

}  // namespace platter::safety
