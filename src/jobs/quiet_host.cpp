#include "jobs/quiet_host.h"

#include <fmt/core.h>

#include "model/quietly.h"
#include "model/say.h"

namespace platter::jobs {
namespace {

void tell_of_host(const std::string& sentence) {
  model::say("platter: --quiet-host: {}\n", sentence);
}

}  // namespace

// What keeps time of its own computes on this host, and is not to compute in front of all else.
HostKeptQuiet::HostKeptQuiet(const QuietHostOption& option, const std::string& device) {
  if (!option.wanted) return;
  const bool waits = device.starts_with("/dev/");
  if (!waits && option.root.empty()) {
    tell_of_host(device + " keeps a time of its own, which no host disturbs; nothing was changed");
    return;
  }
  host_ = std::make_unique<host::QuietHost>(
      waits ? host::Thread::waits_for_drive : host::Thread::computes, option.root);
  for (const std::string& sentence : host_->not_done()) tell_of_host(sentence);
}

HostKeptQuiet::~HostKeptQuiet() {
  if (!host_) return;
  model::quietly([this] {
    for (const std::string& sentence : host_->end()) tell_of_host(sentence);
  });
}

std::optional<std::string> HostKeptQuiet::condition() const {
  if (!host_) return std::nullopt;
  return host_->in_words();
}

}  // namespace platter::jobs
