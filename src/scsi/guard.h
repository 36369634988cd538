// What a run may send. Every command that the tool can build is in one table with its class; the
// guard stands between the experiments and the device, refuses what the run was not allowed, and
// lets no write leave any more once one has failed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/lbn_range.h"
#include "scsi/command_table.h"
#include "scsi/device.h"
#include "scsi/physical_blocks.h"
#include "scsi/sense.h"

namespace platter::scsi {

struct Permission {
  bool settings = true;          // reversible settings may be changed, the unit may be reset
  std::vector<LbnRange> writes;  // sectors that may be rewritten; empty: none
  // A write that fails does not end the others: for whoever puts back what failed writes have torn.
  bool writes_go_on = false;
  std::vector<LbnRange> skipped = {};   // no command may reach these on the media, not to read
                                        // either
  std::vector<LbnRange> in_order = {};  // zones that are written in order: never rewritten
};

// A Device that passes on what is allowed and answers everything else with
// TransportError::Kind::refused, the command never having left.
class Guard final : public Device {
 public:
  Guard(Device& device, Permission permission);
  const std::string& name() const override;
  Clock& clock() override;
  std::uint32_t max_outstanding() const override;
  std::uint32_t max_transfer_bytes() const override;
  void prepare_for(std::uint32_t outstanding) override;
  std::uint64_t sent_again() override;
  std::unique_ptr<Stamping> stamp() override;
  Expected<void> submit(const Command& command, std::uint32_t tag) override;
  Expected<void> submit_alone(const Command& command, std::uint32_t tag) override;
  Expected<std::optional<Completion>> reap() override;
  Expected<std::optional<Completion>> reap_until(Nanoseconds deadline_ns) override;
  Expected<void> reset() override;
  const Permission& permission() const { return permission_; }

  // Once the drive is known: what a write touches are whole physical blocks, all of which must be
  // in the permission, and the permission may be narrowed to them.
  void set_physical_blocks(const PhysicalBlocks& physical) { physical_ = physical; }
  const PhysicalBlocks& physical_blocks() const { return physical_; }
  void permit_writes(std::vector<LbnRange> writes) { permission_.writes = std::move(writes); }
  bool may_write(std::uint64_t lbn, std::uint64_t blocks) const;
  // From now on no write leaves that touches a physical block of these, whatever is permitted.
  void keep_from_writes(std::vector<LbnRange> ranges) { permission_.in_order = std::move(ranges); }
  // From now on no READ, WRITE, VERIFY or SEEK leaves that touches a physical block of these.
  // Address translation names blocks and reaches none.
  void skip(std::vector<LbnRange> ranges) { permission_.skipped = std::move(ranges); }

  // From now on no write leaves. The guard says so itself where the drive reports that a write
  // failed, at once or later (a deferred error), and where the path fails with a write under way;
  // BUSY, unit attentions and aborted commands may be tried again, whoever gives up says so here.
  void end_writes(std::string why);
  // Sense data that were fetched by REQUEST SENSE, of which the guard sees data only.
  void heard(const Sense& sense);
  // What the drive said beside its answers, of all commands that passed here.
  struct Said {
    std::map<std::string, std::uint64_t> recovered, warnings;  // by words, with how often
    std::uint64_t recovered_replies = 0;
  };
  const Said& said() const { return said_; }
  // Why no write leaves any more; nullopt: none has failed.
  const std::optional<std::string>& why_writes_ended() const { return writes_ended_; }

 private:
  using Submit = Expected<void> (Device::*)(const Command&, std::uint32_t);
  Expected<void> pass(const Command& command, std::uint32_t tag, Submit how);
  Expected<std::optional<Completion>> watched(Expected<std::optional<Completion>> reaped);
  void watch(const Completion& completion);
  void look_at_flush(const Completion& done, const std::optional<Sense>& sense);

  Device& device_;
  Permission permission_;
  PhysicalBlocks physical_;
  std::set<std::uint32_t> writes_under_way_;      // tags
  std::optional<std::uint32_t> flush_under_way_;  // tag
  bool flushed_well_ = false;
  bool has_written_ = false;
  Said said_;
  std::optional<std::string> writes_ended_;
};

}  // namespace platter::scsi
