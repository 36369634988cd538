// What a run may send. Every command that the tool can build is in one table with its class; the
// guard stands between the experiments and the device and refuses what the run was not allowed.
#pragma once

#include <cstdint>
#include <vector>

#include "model/lbn_range.h"
#include "scsi/command_table.h"
#include "scsi/device.h"

namespace platter::scsi {

struct Permission {
  bool settings = true;             // reversible settings may be changed, the unit may be reset
  std::vector<LbnRange> writes;     // sectors that may be rewritten; empty: none
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
  Expected<void> submit(const Command& command, std::uint32_t tag) override;
  Expected<std::optional<Completion>> reap() override;
  Expected<std::optional<Completion>> reap_until(Nanoseconds deadline_ns) override;
  Expected<void> reset() override;
  const Permission& permission() const { return permission_; }

 private:
  Device& device_;
  Permission permission_;
};

}  // namespace platter::scsi
