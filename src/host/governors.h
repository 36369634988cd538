// The governors of this host's processors (Linux, cpufreq): who decides how fast they run. `root`
// is prefixed to every path: "" for this machine, a folder in tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace platter::host {

// Of one policy, which is of one processor or of several whose clock is one.
struct Governor {
  std::string policy;  // "policy0"
  std::string name;    // "schedutil"

  bool operator==(const Governor&) const = default;
};

inline constexpr const char* kFastest = "performance";

// In the order of their policies; empty: this kernel changes no clock, or lets nobody see it.
std::vector<Governor> governors(const std::string& root = "");

// nullopt: it is set, and shows. Else why not.
std::optional<std::string> set_governor(const Governor& wanted, const std::string& root = "");

// Of the form that the kernel gives them, and so no path to anywhere else.
bool is_well_formed(const Governor& governor);

// "schedutil", "schedutil of policy0 and powersave of policy4"
std::string in_words(const std::vector<Governor>& governors);

}  // namespace platter::host
