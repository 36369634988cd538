// Two logical units of one target, each of which one arm reaches, as one drive: the blocks of the
// second lie behind those of the first. What is about the drive and not about blocks goes to the
// first; settings, and what waits for the media, to both.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "scsi/bytes.h"
#include "scsi/device.h"

namespace platter::scsi {

// VPD page 83h: designators of the unit's target, of its device and its port.
std::vector<std::string> decode_target_designators(Bytes reply);

class JoinedUnits final : public Device {
 public:
  // On one clock. Throws Error(refused) where they are no two units of one target (VPD page 83h:
  // designators of its device or port), or have blocks of two lengths.
  JoinedUnits(std::unique_ptr<Device> first, std::unique_ptr<Device> second);

  const std::string& name() const override { return name_; }
  Clock& clock() override { return units_[0]->clock(); }
  std::uint32_t max_outstanding() const override;
  std::uint32_t max_transfer_bytes() const override;
  void prepare_for(std::uint32_t outstanding) override;
  std::uint64_t sent_again() override;
  std::vector<std::uint64_t> unit_blocks() const { return {blocks_.begin(), blocks_.end()}; }
  Expected<void> submit(const Command& command, std::uint32_t tag) override;
  Expected<void> submit_alone(const Command& command, std::uint32_t tag) override;
  Expected<std::optional<Completion>> reap() override;
  Expected<std::optional<Completion>> reap_until(Nanoseconds deadline_ns) override;
  Expected<void> reset() override;

 private:
  struct Part {
    std::size_t unit = 0;
    Command command;
  };
  struct Pending {
    Command asked;
    std::size_t parts = 0;                       // that are still to come
    std::map<std::uint32_t, Completion> came{};  // by their tags, which ascend
  };

  void require_one_target(const std::array<std::vector<std::string>, 2>& of_targets) const;
  using Submit = Expected<void> (Device::*)(const Command&, std::uint32_t);
  Expected<void> pass(const Command& command, std::uint32_t tag, Submit how);
  std::vector<Part> parts_of(const Command& command) const;
  Completion whole(Pending pending, std::uint32_t tag) const;
  Expected<std::optional<Completion>> reap_by(std::optional<Nanoseconds> deadline_ns);
  Expected<std::optional<Completion>> next_of(std::size_t unit,
                                              std::optional<Nanoseconds> deadline_ns);
  std::size_t outstanding(std::size_t unit) const { return tags_[unit].size(); }

  std::array<std::unique_ptr<Device>, 2> units_;
  std::string name_;
  std::array<std::uint64_t, 2> blocks_{};
  std::uint32_t block_bytes_ = 0;
  std::uint32_t next_tag_ = 0;
  std::array<std::map<std::uint32_t, std::uint32_t>, 2> tags_;  // a part's to the command's
  std::map<std::uint32_t, Pending> pending_;
};

}  // namespace platter::scsi
