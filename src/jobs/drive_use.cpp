#include "jobs/drive_use.h"

#include <utility>

#include "transport/holders.h"

namespace platter::jobs {

DriveUse use_of(const transport::HostDrive& drive, const std::string& root) {
  if (auto unknown = transport::why_use_is_unknown(drive)) return {"unknown", std::move(unknown)};
  if (auto held = transport::why_held(drive.block, root)) return {"used", std::move(held)};
  return {"free"};
}

std::string in_words(const DriveUse& use) {
  if (!use.why) return "free";
  return (use.name == std::string("used") ? "in use: " : "may be in use: ") + *use.why;
}

}  // namespace platter::jobs
