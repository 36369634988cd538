#include "extract/fitness.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "model/error.h"
#include "model/zones.h"
#include "safety/block_contents.h"
#include "scsi/physical_blocks.h"
#include "scsi/replies.h"

namespace platter::extract {
namespace {

constexpr int kWarmUpReads = 50;  // paper, section 5
// Less than a read from the media takes where the arm has to move, or the platter to go round; no
// platter goes round in less than 3 ms.
constexpr Nanoseconds kAtOnce = 2 * kMillisecond;
constexpr std::size_t kMostAtOnce = 1;  // of the warm-up's reads
constexpr double kMostLeftOut = 0.05;   // of a drive's blocks: more would leave holes in a model
constexpr double kMostSkipped = 0.25;   // the same, where the owner knows why

double share_of(const std::vector<LbnRange>& ranges, std::uint64_t blocks) {
  return static_cast<double>(safety::blocks_of(ranges)) / static_cast<double>(blocks);
}

// Not of the medium: as bridges say of what is too much for them.
bool given_up(const scsi::DriveError& error) {
  return error.may_do_elsewhere() && (error.sense->key == scsi::SenseKey::aborted_command ||
                                      error.sense->key == scsi::SenseKey::hardware_error);
}

}  // namespace

// Nothing of such a drive has an angle, and what times its reads show is its own affair.
void Fitness::require_rotation() {
  const auto said = drive_.stated_rotation();
  if (!said || said->rpm != scsi::kDoesNotRotate) return;
  throw Error(
      ExitStatus::unsupported,
      fmt::format("{} says that it does not rotate ({}): a solid-state drive has no mechanics to "
                  "characterize; inspect and replay take it as it is",
                  name_, said->by));
}

// A drive that is locked, or lets nobody read for another reason, says so before anything is
// changed. The block that all phases refer to is one that can be read.
std::uint64_t Fitness::require_readable_block() {
  constexpr std::uint64_t kFewestBlocks = 1000;
  if (drive_.blocks() < kFewestBlocks)
    throw Error(
        ExitStatus::unsupported,
        fmt::format(
            "{} has {} blocks; a drive of less than {} has no room for the experiments, and "
            "cannot be characterized",
            name_, drive_.blocks(), kFewestBlocks));
  constexpr std::uint64_t kNear = 16, kTries = 40, kApart = 1009;
  for (std::uint64_t i = 0;; ++i) {
    const std::uint64_t step = i < kNear ? kApart : drive_.blocks() / kTries;
    const std::uint64_t lbn = (drive_.blocks() / 2 + i * step) % drive_.blocks();
    try {
      drive_.read(lbn);
      return lbn;
    } catch (const scsi::DriveError& error) {
      if (i + 1 == kTries || !error.may_do_elsewhere()) throw;
    }
  }
}

// Paper, section 5: the first commands after rest take longer.
void Fitness::warm_up(mtbrc::Context& context) {
  for (int i = 0; i < kWarmUpReads; ++i) {
    const std::uint64_t lbn = random_block(context);
    try {
      if (drive_.read(lbn).response_ns() < kAtOnce) answered_at_once_.push_back(lbn);
    } catch (const scsi::DriveError& error) {
      if (!error.may_do_elsewhere()) throw;
    }
    context.report("", static_cast<double>(i) / kWarmUpReads);
  }
}

// A write without tags of its own would replace those that are there (SBC-3, protection information
// model); reads without them are as any others.
void Fitness::require_no_tags(bool writes) {
  const int type = drive_.capacity().protection_type;
  if (type == 0) return;
  if (writes)
    throw Error(
        ExitStatus::refused,
        fmt::format("{} is formatted with protection information of type {}, and a block that is "
                    "rewritten would lose its tags; leave --allow-writes out",
                    name_, type));
  note_(
      fmt::format("the drive is formatted with protection information of type {}; blocks were read "
                  "without it (RDPROTECT = 0)",
                  type));
}

// The shortest requests that the experiments cannot do without are of so many blocks, and writes of
// a physical one.
void Fitness::require_long_enough_commands() {
  const std::uint32_t least = std::max(8U, drive_.physical_blocks().logical_blocks());
  if (const std::uint32_t most = drive_.most_blocks(); most < least)
    throw Error(
        ExitStatus::unsupported,
        fmt::format(
            "{} takes no more than {} block{} in one command (as VPD page B0h, the host's path, or "
            "its refusals say), and the experiments need {}; it cannot be characterized this way",
            name_, most, most == 1 ? "" : "s", least));
}

// What the owner of the drive knows to be bad.
void Fitness::skip(const std::vector<LbnRange>& ranges) {
  if (ranges.empty()) return;
  const std::vector<LbnRange> all = scsi::touched_physical_blocks(ranges, drive_.physical_blocks());
  const double share = share_of(all, drive_.blocks());
  if (share > kMostSkipped)
    throw Error(
        ExitStatus::usage,
        fmt::format("{:.3g} % of the blocks of {} would be skipped, and what is left does not tell "
                    "of its mechanics; skip no more than {} of its {} blocks",
                    100 * share, name_,
                    static_cast<std::uint64_t>(kMostSkipped * static_cast<double>(drive_.blocks())),
                    drive_.blocks()));
  note_(
      fmt::format("{} ({:.3g} % of the blocks) were not accessed, as the run was told "
                  "(--skip): what is known of them is what the drive says of their places",
                  safety::in_words(all), 100 * share));
  drive_.leave_out(all);
  drive_.skip(all);
}

std::vector<LbnRange> Fitness::keep_to_zones(const model::Identity& drive,
                                             const std::vector<LbnRange>& writable) {
  if (drive.zone_runs.empty() && drive_.is_host_managed())
    throw Error(
        ExitStatus::unsupported,
        fmt::format("{} is a disk of host-managed zones (peripheral type 14h) and does not tell of "
                    "them (REPORT ZONES): which of its blocks can be read is not known",
                    name_));
  if (drive.zone_runs.empty()) return writable;
  const auto unwritten = scsi::touched_physical_blocks(model::unwritten_in_zones(drive),
                                                       drive_.physical_blocks());
  if (const double share = model::unwritten_share(drive); share > model::kMostUnwritten)
    throw Error(ExitStatus::unwritten,
                fmt::format("{:.3g} % of the blocks of {} lie above the write pointers of their "
                            "zones, where there is nothing to time, and what is left does not tell "
                            "of its mechanics; fill its zones first, to {:.0f} % at least",
                            100 * share, name_, 100 * (1 - model::kMostUnwritten)));
  std::vector<LbnRange> all = drive_.left_out();
  all.insert(all.end(), unwritten.begin(), unwritten.end());
  all = scsi::merged(std::move(all));
  drive_.skip(all);
  drive_.leave_out(all);
  const std::vector<LbnRange> in_order = drive_.keep_to_zones(drive);
  note_(
      fmt::format("{:.3g} % of the blocks lie above the write pointers of their zones and were "
                  "not accessed",
                  100 * share_of(unwritten, drive_.blocks())));
  std::vector<LbnRange> left = scsi::without(writable, in_order);
  if (left.empty() && !writable.empty())
    throw Error(ExitStatus::refused,
                fmt::format("what may be written of {} lies in zones that are written in order, "
                            "where nothing can be written back; give --allow-writes ranges of its "
                            "conventional zones, or leave it out",
                            name_));
  if (safety::blocks_of(left) < safety::blocks_of(writable))
    note_(fmt::format("writes went to conventional zones alone: {}", safety::in_words(left)));
  return left;
}

// What was never written, or trimmed since, has no place on the media.
void Fitness::leave_out_what_is_unmapped() {
  const auto unmapped = drive_.unmapped();
  if (!unmapped || unmapped->empty()) return;
  const double share = share_of(*unmapped, drive_.blocks());
  if (share > kMostLeftOut)
    throw Error(
        ExitStatus::unsupported,
        fmt::format(
            "{} has nothing on the media for {:.1f} % of its blocks, the first of them LBN {} "
            "(GET LBA STATUS: never written, or trimmed), and reads there tell nothing of "
            "its mechanics; it cannot be characterized as it is",
            name_, 100 * share, unmapped->front().first));
  note_(fmt::format(
      "{:.3g} % of the blocks have no place on the media (GET LBA STATUS: never written, or "
      "trimmed) and were left out",
      100 * share));
  std::vector<LbnRange> all = drive_.left_out();
  all.insert(all.end(), unmapped->begin(), unmapped->end());
  drive_.leave_out(scsi::merged(std::move(all)));
}

std::uint64_t Fitness::random_block(mtbrc::Context& context) const {
  std::uint64_t lbn = 0;
  do lbn = context.random() % drive_.blocks();
  while (drive_.leaves_out(lbn, 1));
  return lbn;
}

// Reads of random blocks that come at once, and again with the caches off: nothing of them is on
// the media. Where no cache is passed by, the first time counts: it is chance that one held them.
void Fitness::require_reads_from_the_media(mtbrc::Context& context) {
  // So many of the warm-up's reads find their block just in front of the heads on hardly any drive.
  constexpr std::size_t kMostByChance = 5;
  if (context.reads_once && answered_at_once_.size() <= kMostByChance) return;
  std::size_t without = 0;
  for (const std::uint64_t lbn : answered_at_once_) {
    if (context.reads_once) {
      ++without;
      continue;
    }
    mtbrc::reach_media(context, lbn);
    if (mtbrc::reach_media(context, lbn).response_ns() < kAtOnce) ++without;
  }
  if (without == 0) return;
  if (without > kMostAtOnce)
    throw Error(
        ExitStatus::unsupported,
        fmt::format(
            "{} answers {} of {} reads of random blocks at once, with its caches off: it does not "
            "rotate, or about {:.0f} % of its blocks were never written, or are trimmed, and reads "
            "there tell nothing of its mechanics; it cannot be characterized as it is",
            name_, without, kWarmUpReads, 100.0 * static_cast<double>(without) / kWarmUpReads));
  note_(fmt::format(
      "{} of {} reads of random blocks were answered at once, with the caches off: a few "
      "blocks may have no place on the media",
      without, kWarmUpReads));
}

// A drive may refuse long commands, give them up, or cut them short, and not say so: the longest
// that it takes is looked for, by reads or, where they are not refused, by writes, at the same
// place. False: it is not for the length. Writes of whole physical blocks, as all are.
bool Fitness::shorten_commands(const scsi::DriveError& error) {
  const bool gives_up = given_up(error);
  if ((!error.refused() && !error.came_short() && !gives_up) || error.blocks < 2) return false;
  const scsi::PhysicalBlocks& physical = drive_.physical_blocks();
  bool write = false;
  const auto takes_at = [&](std::uint64_t lbn, std::uint32_t blocks) {
    try {
      if (write)
        drive_.write(lbn, blocks);
      else
        drive_.read(lbn, blocks);
    } catch (const scsi::DriveError& refusal) {
      const bool for_its_length = refusal.refused() || refusal.came_short() ||
                                  (gives_up && given_up(refusal));
      if (!for_its_length && !refusal.may_do_elsewhere()) throw;
      return !for_its_length;
    }
    return true;
  };
  const auto takes = [&](std::uint32_t blocks) { return takes_at(error.lbn, blocks); };
  if (takes(error.blocks)) {
    write = !gives_up && drive_.may_write(error.lbn, error.blocks) &&
            physical.is_whole(error.lbn, error.blocks);
    if (!write || takes(error.blocks)) return false;
  }
  const std::uint32_t unit = write ? physical.logical_blocks() : 1;
  if (!takes(unit)) return false;
  std::uint32_t taken = unit, refused = error.blocks;
  while (refused - taken > unit) {
    const std::uint32_t middle = taken + (refused - taken) / (2 * unit) * unit;
    (takes(middle) ? taken : refused) = middle;
  }
  // One of these blocks may be what a drive gives up on.
  for (std::uint32_t i = 0; gives_up && i < error.blocks; i += taken)
    if (!takes_at(error.lbn + i, std::min(taken, error.blocks - i))) return false;
  came_short_ = error.came_short();
  drive_.limit_blocks(taken);
  require_long_enough_commands();
  return true;
}

void Fitness::tell_shortest_limit() {
  note_(came_short_
            ? fmt::format("reads of more than {} blocks come short with GOOD, and nothing says so "
                          "(VPD page B0h); longer ones were not used",
                          drive_.most_blocks())
            : fmt::format("the drive refuses commands of more than {} blocks and does not say so "
                          "(VPD page B0h); longer ones were not used",
                          drive_.most_blocks()));
}

}  // namespace platter::extract
