// Any device, as the server of the external drive protocol wants it.
#pragma once

#include "scsi/device.h"
#include "served.h"

namespace quirks {

// An error of the path is thrown as std::runtime_error: the program ends.
class ServedDevice final : public trust::Served {
 public:
  explicit ServedDevice(platter::scsi::Device& device) : device_(device) {}

  std::int64_t now_ns() override;
  void advance_to(std::int64_t time_ns) override;
  void submit(const platter::scsi::Command& command, std::uint32_t tag) override;
  std::optional<trust::Done> reap() override;
  std::optional<trust::Done> reap_until(std::int64_t time_ns) override;
  void reset() override;

 private:
  platter::scsi::Device& device_;
};

}  // namespace quirks
