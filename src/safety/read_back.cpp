#include "safety/read_back.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "scsi/drive_errors.h"
#include "scsi/forced_access.h"
#include "scsi/physical_blocks.h"

namespace platter::safety {
namespace {

constexpr std::uint64_t kStretches = 64;  // chosen: old caches have up to 32 segments
constexpr std::uint64_t kAtOnce = 256;

constexpr int kFlushes = 4;  // deferred errors may wait in front of it
constexpr std::uint64_t kReadBlocks = 256;
constexpr std::uint64_t kGap = 64;  // blocks that are read along rather than left out
// Bytes. Chosen: disks have up to 512 MB of memory.
constexpr std::uint64_t kLeastDisplacing = 64 << 20, kMostDisplacing = 1 << 30;

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

double Displacement::next_place() {
  constexpr double kGolden = 0.6180339887;  // its multiples lie nowhere near one another
  return place_ = std::fmod(place_ + kGolden, 1.0);
}

void Displacement::read_elsewhere(std::uint64_t bytes) {
  const std::uint64_t blocks = drive_.blocks(), apart = blocks / kStretches;
  const std::uint64_t each = std::min(bytes / drive_.block_bytes() / kStretches, apart);
  const std::uint64_t most = std::min<std::uint64_t>(kAtOnce, drive_.most_blocks());
  const double place = next_place();
  for (std::uint64_t i = 0; i < kStretches; ++i) {
    const std::uint64_t first =
        i * apart + static_cast<std::uint64_t>(place * static_cast<double>(apart - each));
    try {
      for (std::uint64_t at = 0; at < each; at += most)
        drive_.read(first + at, static_cast<std::uint32_t>(std::min(most, each - at)));
    } catch (const scsi::DriveError&) {
      // a bad place
    }
  }
}

// From afar the arm takes longer than any data that are at hand.
void Displacement::go_away(std::uint64_t lbn) {
  const auto all = static_cast<double>(drive_.blocks());
  const auto away = static_cast<std::uint64_t>((0.3 + 0.4 * next_place()) * all);
  try {
    drive_.read((lbn + away) % drive_.blocks());
  } catch (const scsi::DriveError&) {
    // it was there all the same
  }
}

bool Displacement::waits_for_media(std::uint64_t lbn, std::uint32_t blocks) {
  go_away(lbn);
  const Nanoseconds first = drive_.read(lbn, blocks).response_ns();
  return first - drive_.read(lbn, blocks).response_ns() > scsi::kSoonerThanAnyMedia;
}

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
      flush_trouble_.clear();
      return;
    } catch (const scsi::DriveError& error) {
      if (error.refused()) return;
      flush_trouble_ = error.what();
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
  const auto said = drive_.stated_rotation();
  return !said || said->rpm != scsi::kDoesNotRotate;
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
  return read_along_ && forgets() ? Past::displaced : Past::nothing_known;
}

// After how many bytes of other blocks a part of the written ones comes from the media again;
// others are brought along by reads of their neighbours.
bool ReadBack::forgets() {
  constexpr std::size_t kTries = 16, kStride = 23;  // to and fro, for drives read ahead
  const std::vector<LbnRange> runs = contents_.runs();
  const std::size_t tries = std::min(runs.size(), kTries);
  for (displacing_bytes_ = kLeastDisplacing; displacing_bytes_ <= kMostDisplacing;
       displacing_bytes_ *= 4) {
    displacement_.read_elsewhere(displacing_bytes_);
    std::size_t waited = 0, read = 0;
    for (std::size_t i = 0; i < tries; ++i) try {
        const LbnRange& run = runs[i * kStride % tries * runs.size() / tries];
        waited += displacement_.waits_for_media(run.first, 1) ? 1 : 0;
        ++read;
      } catch (const scsi::DriveError&) {
        // of the very ones that cannot be read
      }
    if (read > 0 && 4 * waited >= read) return true;
  }
  return false;
}

Compared ReadBack::compare(const std::vector<LbnRange>& runs, const Seen& seen) {
  const std::uint64_t most = std::min<std::uint64_t>(kReadBlocks, drive_.most_blocks());
  runs_ = &runs;
  seen_ = &seen;
  found_ = {};
  if (past_ == Past::displaced)
    compare_displaced(most);
  else
    for (const LbnRange& all : reads_of(runs, most, read_along_)) compare_read(all);
  return std::move(found_);
}

// Those that did not wait for the media: by chance, or since reads of their neighbours brought them
// along, or since they are in the cache still; and the halves of what cannot be read as a whole.
// The others are compared. Downwards, for drives read ahead.
std::vector<LbnRange> ReadBack::left_of_displaced(const std::vector<LbnRange>& runs, bool* halved) {
  displacement_.read_elsewhere(displacing_bytes_);
  std::vector<LbnRange> left;
  for (auto at = runs.rbegin(); at != runs.rend(); ++at) {
    const LbnRange& run = *at;
    const auto blocks = static_cast<std::uint32_t>(run.last - run.first + 1);
    try {
      if (displacement_.waits_for_media(run.first, blocks))
        compare_read(run);
      else
        left.push_back(run);
    } catch (const scsi::DriveError&) {
      if (blocks == 1) {
        compare_read(run);  // says why
        continue;
      }
      const std::uint64_t middle = run.first + (run.last - run.first) / 2;
      left.push_back({run.first, middle});
      left.push_back({middle + 1, run.last});
      *halved = true;  // the others of them may be read
    }
  }
  std::ranges::sort(left, {}, &LbnRange::first);
  return left;
}

// A read of blocks that were not written would wait for these, and one of many waits for the path
// as long as for the media, whether it must or not.
void ReadBack::compare_displaced(std::uint64_t most) {
  constexpr std::uint64_t kShort_bytes = 64 << 10;  // 2 ms on USB 2
  most = std::min(most, std::max<std::uint64_t>(1, kShort_bytes / contents_.block_bytes()));
  constexpr int kRounds = 16;
  std::vector<LbnRange> left = reads_of(*runs_, most, false);
  for (int round = 0; round < kRounds && !left.empty(); ++round) {
    const std::size_t before = left.size();
    bool halved = false;
    left = left_of_displaced(left, &halved);
    if (halved || 2 * left.size() <= before) continue;
    if (displacing_bytes_ < kMostDisplacing)
      displacing_bytes_ *= 4;  // the cache has what was read last
    else if (left.size() == before)
      break;
  }
  if (!left.empty()) past_ = Past::nothing_known;
  for (const LbnRange& run : left) compare_read(run);
  found_.unreadable = scsi::merged(std::move(found_.unreadable));
  found_.differ = scsi::merged(std::move(found_.differ));
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
