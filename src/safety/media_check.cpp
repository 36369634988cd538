#include "safety/media_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "model/drive_mark.h"
#include "model/error.h"
#include "scsi/forced_access.h"
#include "scsi/guard.h"

namespace platter::safety {
namespace {

constexpr int kRounds = 3;   // of putting back
constexpr int kFlushes = 4;  // deferred errors may wait in front of it
constexpr std::uint64_t kReadBlocks = 256;
constexpr std::uint64_t kGap = 64;  // blocks that are read along rather than left out

// Those that a command reads, with what lies between them.
std::vector<LbnRange> reads_of(const std::vector<LbnRange>& runs, std::uint64_t most,
                               bool read_along) {
  std::vector<LbnRange> reads;
  for (LbnRange run : runs) {
    const bool near = read_along && !reads.empty() && run.first - reads.back().last <= kGap &&
                      run.last - reads.back().first < most;
    if (near) {
      reads.back().last = run.last;
      continue;
    }
    for (; run.last - run.first >= most; run.first += most)
      reads.push_back({run.first, run.first + most - 1});
    reads.push_back(run);
  }
  return reads;
}

void append(std::vector<LbnRange>& ranges, const LbnRange& range) {
  if (!ranges.empty() && ranges.back().last + 1 == range.first)
    ranges.back().last = range.last;
  else
    ranges.push_back(range);
}

class Checker {
 public:
  Checker(scsi::Drive& drive, const BlockContents& contents, const MediaCheckOptions& options)
      : drive_(drive), contents_(contents), options_(options) {}

  MediaCheck run() {
    flush();
    found_.past = way_past_the_caches();
    std::vector<LbnRange> bad = bad_of(contents_.runs());
    std::vector<LbnRange> wrong;
    for (int round = 0; round < kRounds && !bad.empty(); ++round) {
      for (const LbnRange& range : bad) put_back(range);
      flush();
      if (found_.past == Past::nothing_known)
        found_.past = way_past_the_caches();  // now they can be read
      const std::vector<LbnRange> still = bad_of(bad);
      for (const LbnRange& range : bad)
        for (std::uint64_t lbn = range.first; lbn <= range.last; ++lbn)
          if (!holds(still, lbn)) wrong.push_back({lbn, lbn});
      bad = still;
    }
    std::ranges::sort(wrong, {}, &LbnRange::first);
    for (const LbnRange& range : wrong) append(found_.put_back, range);
    found_.lost = std::move(bad);
    found_.intact = contents_.size() - blocks_of(found_.put_back) - blocks_of(found_.differ) -
                    blocks_of(found_.lost);
    return std::move(found_);
  }

 private:
  static bool holds(const std::vector<LbnRange>& ranges, std::uint64_t lbn) {
    return std::ranges::any_of(ranges, [&](const LbnRange& range) { return range.holds(lbn, 1); });
  }

  // A drive that does not know the command, or fails it, is judged by what its media hold.
  void flush() {
    for (int i = 0; i < kFlushes; ++i) {
      try {
        drive_.synchronize_cache();
        return;
      } catch (const scsi::DriveError& error) {
        if (error.refused()) return;
        found_.trouble = error.what();
      }
    }
  }

  enum class Reach : std::uint8_t { media, cache, refused };

  // Most of three accesses to one block, one after the other: from the media they are a revolution
  // apart.
  template <typename Access>
  Reach reach_of(const Access& access) {
    constexpr int kTries = 8;  // some blocks may be the very ones that cannot be read
    const std::vector<LbnRange> runs = contents_.runs();
    for (std::size_t i = 0; i < std::min<std::size_t>(runs.size(), kTries); ++i) {
      const std::uint64_t lbn =
          runs[i * runs.size() / std::min<std::size_t>(runs.size(), kTries)].first;
      try {
        access(lbn);
        int at_once = 0, later = 0;
        while (at_once < 2 && later < 2)
          ++(access(lbn).response_ns() < scsi::kSoonerThanAnyMedia ? at_once : later);
        return later == 2 ? Reach::media : Reach::cache;
      } catch (const scsi::DriveError& error) {
        if (error.refused()) return Reach::refused;
      }
    }
    return Reach::cache;  // none could be read: nothing is known of the way
  }

  bool rotates() {
    const auto page = drive_.vpd_page(0xB1);
    const auto said = page ? scsi::decode_characteristics(*page) : std::nullopt;
    constexpr std::uint16_t kDoesNotRotate = 1;
    return !said || said->rotation_rate != kDoesNotRotate;
  }

  Past way_past_the_caches() {
    const auto forced = [&](std::uint64_t lbn) { return drive_.read(lbn, 1, true); };
    const Reach by_fua = reach_of(forced);
    if (by_fua == Reach::media) return Past::fua;
    if (!rotates()) return by_fua == Reach::refused ? Past::nothing_known : Past::fua_at_its_word;
    if (by_fua == Reach::refused &&
        reach_of([&](std::uint64_t lbn) { return drive_.read_as_cached(lbn); }) == Reach::media)
      return Past::no_cache;
    if (reach_of([&](std::uint64_t lbn) { return drive_.verify(lbn); }) == Reach::media)
      return Past::verify;
    return Past::nothing_known;
  }

  std::vector<std::uint8_t> read(const LbnRange& range) {
    const auto blocks = static_cast<std::uint32_t>(range.last - range.first + 1);
    const bool fua = found_.past == Past::fua || found_.past == Past::fua_at_its_word;
    if (found_.past == Past::verify) drive_.verify(range.first, blocks);
    auto bytes = drive_.read(range.first, blocks, fua, true).data;
    if (bytes.size() != std::size_t{blocks} * contents_.block_bytes()) bytes.clear();
    return bytes;
  }

  // Of these runs of known blocks those that hold something else or cannot be read.
  std::vector<LbnRange> bad_of(const std::vector<LbnRange>& runs) {
    const std::uint64_t most = std::min<std::uint64_t>(kReadBlocks, drive_.most_blocks());
    std::vector<LbnRange> bad;
    for (const LbnRange& all : reads_of(runs, most, options_.read_along)) judge(all, runs, bad);
    return bad;
  }

  // Where a long read fails, its blocks are asked one by one. A drive may refuse long commands and
  // not say so.
  void judge(const LbnRange& all, const std::vector<LbnRange>& runs, std::vector<LbnRange>& bad) {
    const std::uint64_t blocks = all.last - all.first + 1;
    if (blocks > drive_.most_blocks()) return judge_halves(all, runs, bad);
    std::vector<std::uint8_t> bytes;
    try {
      bytes = read(all);
    } catch (const scsi::DriveError& error) {
      if (error.refused() && blocks > 1) {
        drive_.limit_blocks(static_cast<std::uint32_t>(blocks / 2));
        return judge_halves(all, runs, bad);
      }
      found_.trouble = error.what();
    }
    const std::size_t size = contents_.block_bytes();
    auto run = std::ranges::lower_bound(runs, all.first, {}, &LbnRange::last);
    for (; run != runs.end() && run->first <= all.last; ++run)
      for (std::uint64_t lbn = std::max(run->first, all.first);
           lbn <= std::min(run->last, all.last); ++lbn) {
        const Block& expected = contents_.block(lbn);
        if (bytes.empty()) {
          judge_alone(lbn, expected, bad);
          continue;
        }
        const auto* at = bytes.data() + (lbn - all.first) * size;
        if (!std::equal(expected.begin(), expected.end(), at)) differs(lbn, bad);
      }
  }

  void judge_halves(const LbnRange& all, const std::vector<LbnRange>& runs,
                    std::vector<LbnRange>& bad) {
    const std::uint64_t middle = all.first + (all.last - all.first) / 2;
    judge({all.first, middle}, runs, bad);
    judge({middle + 1, all.last}, runs, bad);
  }

  void judge_alone(std::uint64_t lbn, const Block& expected, std::vector<LbnRange>& bad) {
    try {
      if (read({lbn, lbn}) != expected) differs(lbn, bad);
    } catch (const scsi::DriveError& error) {
      found_.trouble = error.what();
      append(bad, {lbn, lbn});
    }
  }

  void differs(std::uint64_t lbn, std::vector<LbnRange>& bad) {
    append(options_.overwrite || was_put_back_ ? bad : found_.differ, {lbn, lbn});
  }

  // Whole physical blocks where all of them are known, so that the drive need not read what it
  // cannot; what somebody has changed beside them stays.
  void put_back(const LbnRange& range) {
    was_put_back_ = true;
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
  MediaCheck found_;
  bool was_put_back_ = false;  // from then on what differs is what this put there
};

}  // namespace

std::size_t reads_of_check(const BlockContents& contents, const MediaCheckOptions& options) {
  return reads_of(contents.runs(), kReadBlocks, options.read_along).size();
}

MediaCheck check_media(scsi::Device& device, const model::Identity& expected,
                       const BlockContents& contents, const MediaCheckOptions& options) {
  scsi::Guard guard(
      device, {.settings = false, .writes = {}, .writes_go_on = true, .skipped = options.skipped});
  scsi::Drive drive(guard, device.name());
  const model::Identity& found = drive.identify();
  if (!model::same_drive(found, expected))
    throw Error(
        ExitStatus::refused,
        fmt::format(
            "{} is not the drive whose blocks were written: {} {} with serial number {} then, "
            "{} {} with {} now; nothing was put back",
            device.name(), expected.vendor, expected.product, expected.serial, found.vendor,
            found.product, found.serial));
  drive.permit_writes(scsi::touched_physical_blocks(contents.runs(), drive.physical_blocks()));
  if (options.most_blocks > 0 && options.most_blocks < drive.most_blocks())
    drive.limit_blocks(options.most_blocks);
  return Checker(drive, contents, options).run();
}

std::string in_words(const MediaCheck& check, const std::string& device) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (!check.lost.empty())
    add(fmt::format("what {} held there could not be put back: {} ({})", device,
                    in_words(check.lost), check.trouble));
  if (!check.differ.empty())
    add(fmt::format("{} holds something else than the journal: {}", device,
                    in_words(check.differ)));
  if (check.past == Past::nothing_known)
    add(fmt::format(
        "whether what was written is on the media of {} is not known, for neither reads with FUA "
        "nor VERIFY are seen to reach them",
        device));
  return text;
}

}  // namespace platter::safety
