// For tests of what a run must not access.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/lbn_range.h"
#include "scsi/bytes.h"
#include "scsi/sense.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {

// A virtual drive that counts what reaches some blocks, a whole physical block at a time.
// What a command reaches it reads from the CDB by itself.
class Watched final : public scsi::Device {
 public:
  Watched(const model::DriveModel& model, std::vector<LbnRange> bad)
      : drive_(model),
        bad_(std::move(bad)),
        unit_(std::max(1U, model.identity.physical_block_bytes / model.identity.block_bytes)) {}

  std::map<std::uint8_t, int> reached, others;  // by opcode
  int broken_rules = 0;                         // of zones, as the drive says

  const std::string& name() const override { return drive_.name(); }
  scsi::Clock& clock() override { return drive_.clock(); }
  std::uint32_t max_outstanding() const override { return drive_.max_outstanding(); }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    watch(command.cdb.data());
    return drive_.submit(command, tag);
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override { return seen(drive_.reap()); }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    return seen(drive_.reap_until(deadline_ns));
  }
  scsi::Expected<void> reset() override { return drive_.reset(); }

 private:
  scsi::Expected<std::optional<scsi::Completion>> seen(
      scsi::Expected<std::optional<scsi::Completion>> reaped) {
    if (!reaped || !*reaped) return reaped;
    const auto sense = scsi::decode_sense((*reaped)->sense);
    if (sense && sense->asc == 0x21 && sense->ascq != 0) ++broken_rules;
    return reaped;
  }
  void watch(const std::uint8_t* cdb) {
    using scsi::get_be;
    std::uint64_t lbn = 0, blocks = 0;
    switch (cdb[0]) {
      case 0x08:  // READ(6), WRITE(6)
      case 0x0A:
        lbn = get_be(cdb + 1, 3) & 0x1FFFFF;
        blocks = cdb[4] ? cdb[4] : 256;
        break;
      case 0x28:  // READ, WRITE, VERIFY(10), PRE-FETCH(10)
      case 0x2A:
      case 0x2F:
      case 0x34:
        lbn = get_be(cdb + 2, 4);
        blocks = get_be(cdb + 7, 2);
        break;
      case 0x88:  // READ, WRITE, VERIFY(16), PRE-FETCH(16)
      case 0x8A:
      case 0x8F:
      case 0x90:
        lbn = get_be(cdb + 2, 8);
        blocks = get_be(cdb + 10, 4);
        break;
      case 0x2B:  // SEEK(10)
        lbn = get_be(cdb + 2, 4);
        blocks = 1;
        break;
      default:
        return;
    }
    const std::uint64_t first = lbn / unit_ * unit_;
    const std::uint64_t end = (lbn + std::max<std::uint64_t>(blocks, 1) + unit_ - 1) / unit_ *
                              unit_;
    const bool hit = std::ranges::any_of(
        bad_, [&](const LbnRange& bad) { return first <= bad.last && bad.first < end; });
    ++(hit ? reached : others)[cdb[0]];
  }

  virtual_drive::VirtualDevice drive_;
  std::vector<LbnRange> bad_;
  std::uint32_t unit_;
};

}  // namespace platter::extract
