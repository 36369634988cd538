#include "jobs/open_device.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "model/error.h"
#include "model/nearest.h"
#include "model/printable.h"
#include "model/say.h"
#include "scsi/joined_units.h"
#include "transport/exec.h"
#include "transport/sg_io.h"
#include "transport/waiting.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/open.h"

namespace platter::jobs {
namespace {

// A program that is no drive says nothing, and until the protocol's time is over one would see
// nothing either.
class NoticeOfWaiting {
 public:
  explicit NoticeOfWaiting(const std::string& name) {
    const transport::SignalsBlocked its_own;  // signals are the main thread's
    thread_ = std::thread([this, name] {
      std::unique_lock lock(mutex_);
      if (!over_.wait_for(lock, std::chrono::seconds(5), [this] { return opened_; }))
        model::say("platter: waiting for {} to begin as a drive program does (docs/exec.md)\n",
                   model::printable(name));
    });
  }
  ~NoticeOfWaiting() {
    {
      const std::lock_guard lock(mutex_);
      opened_ = true;
    }
    over_.notify_one();
    thread_.join();
  }
  NoticeOfWaiting(const NoticeOfWaiting&) = delete;
  NoticeOfWaiting& operator=(const NoticeOfWaiting&) = delete;

 private:
  std::mutex mutex_{};
  std::condition_variable over_{};
  bool opened_ = false;
  std::thread thread_{};
};

bool is_one_of(const std::string& name, const std::vector<std::string>& devices) {
  return std::ranges::any_of(devices, [&](const std::string& device) {
    std::error_code failed;
    return device == name || std::filesystem::equivalent(device, name, failed);
  });
}

std::unique_ptr<scsi::Device> open_node(const std::string& name, const Opening& opening) {
  using transport::UnknownUse;
  const bool said = is_one_of(name, opening.not_in_use);
  auto device = std::make_unique<transport::SgIoDevice>(
      name, said || !opening.changes ? UnknownUse::taken : UnknownUse::refused);
  if (const auto& why = device->why_use_is_unknown(); why && !said)
    model::say("platter: {} may be in use, and is only read: {}\n", model::printable(name), *why);
  return device;
}

struct Opener {
  std::string_view prefix;
  std::unique_ptr<scsi::Device> (*open)(const std::string& name, const Opening& opening);
};

// The first one whose prefix the name has opens it. A new kind of device is a new line.
constexpr Opener kOpeners[] = {
    {"/dev/", open_node},
    {"exec:",
     [](const std::string& name, const Opening&) -> std::unique_ptr<scsi::Device> {
       const NoticeOfWaiting notice(name);
       return std::make_unique<transport::ExecDevice>(name.substr(5));
     }},
    {"virtual:",
     [](const std::string& name, const Opening&) -> std::unique_ptr<scsi::Device> {
       return virtual_drive::open_unit(name);
     }},
};

// "A+B": two logical units of one target.
std::optional<std::array<std::string, 2>> two_units(const std::string& name) {
  for (std::size_t at = name.find('+'); at != name.npos; at = name.find('+', at + 1)) {
    std::array<std::string, 2> units{name.substr(0, at), name.substr(at + 1)};
    if (std::ranges::all_of(units, names_device)) return units;
  }
  return std::nullopt;
}

std::unique_ptr<scsi::Device> open_units(const std::array<std::string, 2>& names,
                                         const Opening& opening) {
  auto units = virtual_drive::open_units(names);
  if (!units[0])
    for (std::size_t i = 0; i < names.size(); ++i) units[i] = open_device(names[i], opening);
  return std::make_unique<scsi::JoinedUnits>(std::move(units[0]), std::move(units[1]));
}

// "did you mean ...? " for a name without its prefix.
std::string meant_by(const std::string& name) {
  std::error_code unreadable;
  const auto meant = [](const std::string& device) {
    return fmt::format("did you mean {}? Or ", device);
  };
  const bool of_scsi = name.starts_with("sd") || name.starts_with("sg");
  if (!name.empty() && (of_scsi || std::filesystem::exists("/dev/" + name, unreadable)))
    return meant("/dev/" + name);
  if (name.ends_with(".json")) return meant("virtual:" + name);
  if (const auto drive = model::nearest(name, virtual_drive::catalogue_names()))
    return meant("virtual:" + *drive);
  return {};
}

}  // namespace

bool names_device(const std::string& name) {
  return std::ranges::any_of(kOpeners, [&](const Opener& o) { return name.starts_with(o.prefix); });
}

std::unique_ptr<scsi::Device> open_device(const std::string& name, const Opening& opening) {
  if (const auto units = two_units(name)) return open_units(*units, opening);
  for (const auto& opener : kOpeners)
    if (name.starts_with(opener.prefix)) return opener.open(name, opening);
  throw Error(ExitStatus::usage,
              fmt::format("'{}' names no device; {}name /dev/sgN, /dev/sdX, /dev/bsg/..., "
                          "virtual:NAME, virtual:FILE.json or exec:COMMAND",
                          name, meant_by(name)));
}

}  // namespace platter::jobs
