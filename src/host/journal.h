// What the runs that keep this host quiet changed of it and outlives them: on disk before it is
// changed, so that it is put back after a crash, too. One for all runs of this host.
#pragma once

#include <string>
#include <vector>

#include "host/governors.h"

namespace platter::host {

struct Journal {
  std::string boot;             // of the kernel: a new start has set all anew
  std::vector<Governor> found;  // as they were before the first run
};

// The id of this start of the kernel; "": it tells none.
std::string this_boot(const std::string& root = "");

// Whether a file is such a journal, as far as its beginning tells.
bool is_host_journal(const std::string& path);
// Throws Error(bad_input, permission).
Journal read_host_journal(const std::string& path);
// Throws Error(output).
void write_host_journal(const Journal& journal, const std::string& path);

}  // namespace platter::host
