// --quiet-host of the subcommands that time a drive's commands: kept quiet for as long as the
// object lives, whatever ends it. What cannot be done is a line on standard error.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/quiet_host.h"

namespace platter::jobs {

struct QuietHostOption {
  bool wanted = false;
  std::string root;  // of another tree than this host's, for tests
};

class HostKeptQuiet {
 public:
  // Interrupts are to be caught by then: what ends at once undoes nothing.
  HostKeptQuiet(const QuietHostOption& option, const std::string& device);
  ~HostKeptQuiet();
  HostKeptQuiet(const HostKeptQuiet&) = delete;
  HostKeptQuiet& operator=(const HostKeptQuiet&) = delete;

  // For a reader of what is measured; nullopt: nothing was done.
  std::optional<std::string> condition() const;
  const host::QuietHost* host() const { return host_.get(); }

 private:
  std::unique_ptr<host::QuietHost> host_;
};

}  // namespace platter::jobs
