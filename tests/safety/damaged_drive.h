// A virtual drive on its way to the host: blocks that cannot be read until they are written again,
// writes that fail and tear theirs, caches that no flag passes by.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scsi/bytes.h"
#include "scsi/command_table.h"
#include "scsi/device.h"
#include "scsi/drive.h"
#include "virtual_drive/virtual_device.h"

namespace platter::testing {

class DamagedDrive final : public scsi::Device {
 public:
  explicit DamagedDrive(scsi::Device& drive) : drive_(drive) {}

  std::set<std::uint64_t> unreadable;  // LBNs, until they are written
  // What becomes of a write: a sense key, and whether its blocks are torn; nullopt: nothing
  // special.
  struct Failure {
    std::uint8_t key = 0x3, asc = 0x0C, ascq = 0x02;
    bool torn = true, deferred = false;
  };
  std::function<std::optional<Failure>(std::uint64_t lbn, std::uint32_t blocks)> write_fails;
  bool gone = false;  // it answers nothing any more
  bool ignores_fua = false, refuses_fua = false, refuses_verify = false,
       refuses_synchronize = false;
  std::set<std::uint64_t> remembered;  // LBNs that come from a memory that nothing displaces
  std::optional<Failure> flush_fails;  // SYNCHRONIZE CACHE
  bool sends_half = false, not_ready = false;                   // in answer to reads
  std::vector<std::pair<std::uint64_t, std::uint32_t>> writes;  // all that came
  std::set<std::uint64_t> looked_at;                            // LBNs of reads and VERIFY
  std::size_t settings = 0;                                     // commands that change some

  const std::string& name() const override { return drive_.name(); }
  scsi::Clock& clock() override { return drive_.clock(); }
  std::uint32_t max_outstanding() const override { return drive_.max_outstanding(); }

  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    if (gone)
      return tl::unexpected(
          scsi::TransportError{scsi::TransportError::Kind::gone, name() + " is gone"});
    scsi::Command sent = command;
    const bool transfers = is_read(command) || is_write(command);
    const bool forced = transfers && (command.cdb[1] & 0x08);
    if (forced && ignores_fua) sent.cdb[1] &= 0xF7;
    if ((forced && refuses_fua) || (is_verify(command) && refuses_verify) ||
        (command.opcode() == scsi::kSynchronizeCache10 && refuses_synchronize))
      refused_.insert(tag);
    if (is_write(command)) {
      const auto range = *scsi::addressed_blocks(command);
      writes.emplace_back(range.lbn, static_cast<std::uint32_t>(range.blocks));
    }
    if (is_read(command) || is_verify(command)) {
      const auto range = *scsi::addressed_blocks(command);
      for (std::uint64_t i = 0; i < range.blocks; ++i) looked_at.insert(range.lbn + i);
    }
    const auto* entry = scsi::find_command(command.cdb);
    if (entry && entry->command_class == scsi::CommandClass::reversible_setting) ++settings;
    under_way_[tag] = command;
    return drive_.submit(sent, tag);
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override { return changed(drive_.reap()); }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    return changed(drive_.reap_until(deadline_ns));
  }
  scsi::Expected<void> reset() override { return drive_.reset(); }

 private:
  static bool is_read(const scsi::Command& c) {
    return c.opcode() == scsi::kRead10 || c.opcode() == scsi::kRead16;
  }
  static bool is_write(const scsi::Command& c) {
    return c.opcode() == scsi::kWrite10 || c.opcode() == scsi::kWrite16;
  }
  static bool is_verify(const scsi::Command& c) {
    return c.opcode() == scsi::kVerify10 || c.opcode() == scsi::kVerify16;
  }

  static void fail(scsi::Completion& done, const Failure& how, std::uint64_t lbn = 0) {
    done.status = scsi::Status::check_condition;
    done.sense = {static_cast<std::uint8_t>(how.deferred ? 0xF1 : 0xF0),
                  0,
                  how.key,
                  0,
                  0,
                  0,
                  0,
                  10,
                  0,
                  0,
                  0,
                  0,
                  how.asc,
                  how.ascq,
                  0,
                  0,
                  0,
                  0};
    scsi::put_be(&done.sense[3], 4, lbn);
    done.data.clear();
  }

  scsi::Expected<std::optional<scsi::Completion>> changed(
      scsi::Expected<std::optional<scsi::Completion>> reaped) {
    if (!reaped || !*reaped) return reaped;
    scsi::Completion& done = **reaped;
    const scsi::Command command = std::move(under_way_[done.tag]);
    under_way_.erase(done.tag);
    if (refused_.erase(done.tag) > 0) {
      fail(done, {.key = 0x5, .asc = 0x24, .ascq = 0});
      return reaped;
    }
    if (done.status != scsi::Status::good) return reaped;
    if (later_ && command.opcode() != scsi::kInquiry) {
      fail(done, *std::exchange(later_, std::nullopt));
      return reaped;
    }
    const auto range = scsi::addressed_blocks(command);
    if (is_write(command)) written(done, range->lbn, static_cast<std::uint32_t>(range->blocks));
    if (is_read(command) || is_verify(command)) {
      const auto bad = unreadable.lower_bound(range->lbn);
      if (bad != unreadable.end() && *bad < range->lbn + range->blocks)
        fail(done, {.key = 0x3, .asc = 0x11, .ascq = 0}, *bad);
    }
    if (command.opcode() == scsi::kSynchronizeCache10 && flush_fails) fail(done, *flush_fails);
    if (is_read(command) && remembered.contains(range->lbn))
      done.completed_ns = done.issued_ns + 100'000;
    if (is_read(command) && not_ready) fail(done, {.key = 0x2, .asc = 0x3A, .ascq = 0});
    if (is_read(command) && sends_half) done.data.resize(done.data.size() / 2);
    return reaped;
  }

  void written(scsi::Completion& done, std::uint64_t lbn, std::uint32_t blocks) {
    for (std::uint64_t i = lbn; i < lbn + blocks; ++i) unreadable.erase(i);
    const auto failure = write_fails ? write_fails(lbn, blocks) : std::nullopt;
    if (!failure) return;
    if (failure->torn)
      for (std::uint64_t i = lbn; i < lbn + blocks; ++i) unreadable.insert(i);
    if (failure->deferred)
      later_ = failure;
    else
      fail(done, *failure, lbn);
  }

  scsi::Device& drive_;
  std::map<std::uint32_t, scsi::Command> under_way_;
  std::set<std::uint32_t> refused_;
  std::optional<Failure> later_;
};

}  // namespace platter::testing
