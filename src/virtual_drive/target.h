// A virtual drive: a SCSI target around the service-time engine, in virtual time, with the
// imperfections that its model file asks for. docs/virtual-drives.md is its reference.
#pragma once

#include <memory>
#include <string>

#include "engine/layout_map.h"
#include "model/drive_model.h"
#include "scsi/device.h"

namespace platter::virtual_drive {

class VirtualDevice final : public scsi::Device {
 public:
  // A drive that was powered on at time 0 of its clock. `model.imperfections` absent: none.
  // Throws Error(bad_input) for a model that lacks what an engine needs.
  explicit VirtualDevice(const model::DriveModel& model, std::string name = "virtual");
  ~VirtualDevice() override;

  const std::string& name() const override;
  scsi::Clock& clock() override;
  std::uint32_t max_outstanding() const override;
  // A command past max_outstanding() completes at once with TASK SET FULL.
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override;
  scsi::Expected<std::optional<scsi::Completion>> reap() override;
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override;
  scsi::Expected<void> reset() override;

  // The truth, for those who may know it (tests, `platter truth`): the model as it is emulated, the
  // seed in use where the model left it open, and the platter's lead at power-on.
  const model::DriveModel& truth() const;
  const engine::LayoutMap& layout() const;
  Nanoseconds power_on_phase_ns() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace platter::virtual_drive
