// What the server of the external drive protocol needs of a drive.
#pragma once

#include <cstdint>
#include <optional>

#include "scsi/device.h"

namespace trust {

struct Done {
  platter::scsi::Completion completion;
  bool malformed = false;
};

class Served {
 public:
  virtual ~Served() = default;
  virtual std::int64_t now_ns() = 0;
  virtual void advance_to(std::int64_t time_ns) = 0;
  virtual void submit(const platter::scsi::Command& command, std::uint32_t tag) = 0;
  virtual std::optional<Done> reap() = 0;
  virtual std::optional<Done> reap_until(std::int64_t time_ns) = 0;
  virtual void reset() = 0;
};

}  // namespace trust
