#include "cli/open_device.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "model/error.h"
#include "transport/exec.h"
#include "transport/sg_io.h"
#include "virtual_drive/open.h"

namespace platter::cli {
namespace {

struct Opener {
  std::string_view prefix;
  std::unique_ptr<scsi::Device> (*open)(const std::string& name);
};

// The first one whose prefix the name has opens it. A new kind of device is a new line.
constexpr Opener kOpeners[] = {
    {"/dev/",
     [](const std::string& name) -> std::unique_ptr<scsi::Device> {
       return std::make_unique<transport::SgIoDevice>(name);
     }},
    {"exec:",
     [](const std::string& name) -> std::unique_ptr<scsi::Device> {
       return std::make_unique<transport::ExecDevice>(name.substr(5));
     }},
    {"virtual:",
     [](const std::string& name) -> std::unique_ptr<scsi::Device> {
       return virtual_drive::open_virtual(name);
     }},
};

}  // namespace

bool names_device(const std::string& name) {
  return std::ranges::any_of(kOpeners, [&](const Opener& o) { return name.starts_with(o.prefix); });
}

std::unique_ptr<scsi::Device> open_device(const std::string& name) {
  for (const auto& opener : kOpeners)
    if (name.starts_with(opener.prefix)) return opener.open(name);
  throw Error(ExitStatus::usage,
              fmt::format("'{}' names no device; name /dev/sgN, /dev/sdX, /dev/bsg/..., "
                          "virtual:NAME, virtual:FILE.json or exec:COMMAND",
                          name));
}

}  // namespace platter::cli
