#include "safety/read_back.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "model/error.h"
#include "scsi/forced_access.h"

namespace platter::safety {
namespace {

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

// A link that fails, a drive that is not ready or locked say nothing of the medium.
bool is_of_the_medium(const scsi::DriveError& error) {
  return error.may_do_elsewhere() && error.sense->key != scsi::SenseKey::aborted_command;
}

}  // namespace

void append(std::vector<LbnRange>& ranges, const LbnRange& range) {
  if (!ranges.empty() && ranges.back().last + 1 == range.first)
    ranges.back().last = range.last;
  else
    ranges.push_back(range);
}

std::size_t reads_of(const BlockContents& contents, bool read_along) {
  return reads_of(contents.runs(), kReadBlocks, read_along).size();
}

void ReadBack::flush() {
  for (int i = 0; i < kFlushes; ++i) {
    try {
      drive_.synchronize_cache();
      return;
    } catch (const scsi::DriveError& error) {
      if (error.refused()) return;
      trouble_ = error.what();
    }
  }
}

void ReadBack::find_way() { past_ = way(); }

// Most of three accesses to one block, one after the other: from the media they are a revolution
// apart.
template <typename Access>
ReadBack::Reach ReadBack::reach_of(const Access& access) {
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

bool ReadBack::rotates() {
  const auto said = drive_.characteristics();
  constexpr std::uint16_t kDoesNotRotate = 1;
  return !said || said->rotation_rate != kDoesNotRotate;
}

Past ReadBack::way() {
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

Compared ReadBack::compare(const std::vector<LbnRange>& runs, const Seen& seen) {
  const std::uint64_t most = std::min<std::uint64_t>(kReadBlocks, drive_.most_blocks());
  runs_ = &runs;
  seen_ = &seen;
  found_ = {};
  for (const LbnRange& all : reads_of(runs, most, read_along_)) compare_read(all);
  return std::move(found_);
}

std::vector<std::uint8_t> ReadBack::read(const LbnRange& range) {
  const auto blocks = static_cast<std::uint32_t>(range.last - range.first + 1);
  const bool fua = past_ == Past::fua || past_ == Past::fua_at_its_word;
  if (past_ == Past::verify) drive_.verify(range.first, blocks);
  return drive_.contents(range.first, blocks, fua);
}

// Where a long read fails, its blocks are asked one by one. A drive may refuse long commands, or
// cut them short, and not say so.
void ReadBack::compare_read(const LbnRange& all) {
  const std::uint64_t blocks = all.last - all.first + 1;
  if (blocks > drive_.most_blocks()) return compare_halves(all);
  std::vector<std::uint8_t> bytes;
  try {
    bytes = read(all);
  } catch (const scsi::DriveError& error) {
    if ((error.refused() || error.came_short()) && blocks > 1) {
      drive_.limit_blocks(static_cast<std::uint32_t>(blocks / 2));
      return compare_halves(all);
    }
    trouble_ = error.what();
  }
  const std::size_t size = contents_.block_bytes();
  auto run = std::ranges::lower_bound(*runs_, all.first, {}, &LbnRange::last);
  for (; run != runs_->end() && run->first <= all.last; ++run)
    for (std::uint64_t lbn = std::max(run->first, all.first); lbn <= std::min(run->last, all.last);
         ++lbn) {
      const Block& expected = contents_.block(lbn);
      if (bytes.empty()) {
        compare_alone(lbn, expected);
        continue;
      }
      const auto* at = bytes.data() + (lbn - all.first) * size;
      tell(lbn, expected, std::equal(expected.begin(), expected.end(), at));
    }
}

void ReadBack::compare_halves(const LbnRange& all) {
  const std::uint64_t middle = all.first + (all.last - all.first) / 2;
  compare_read({all.first, middle});
  compare_read({middle + 1, all.last});
}

void ReadBack::compare_alone(std::uint64_t lbn, const Block& expected) {
  try {
    tell(lbn, expected, read({lbn, lbn}) == expected);
  } catch (const scsi::DriveError& error) {
    if (!is_of_the_medium(error)) throw;
    trouble_ = error.what();
    append(found_.unreadable, {lbn, lbn});
  }
}

void ReadBack::tell(std::uint64_t lbn, const Block& expected, bool same) {
  if (!same) append(found_.differ, {lbn, lbn});
  if (*seen_) (*seen_)(lbn, expected, same);
}

}  // namespace platter::safety
