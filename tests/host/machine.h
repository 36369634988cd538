// A machine with two cpufreq policies, as its sysfs shows it.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "catch.h"
#include "host/fast_processors.h"

namespace platter::host {

namespace fs = std::filesystem;

class Machine {
 public:
  Machine() {
    char name[] = "/tmp/platter-host-XXXXXX";
    REQUIRE(::mkdtemp(name));
    root_ = name;
    set("policy0", "schedutil");
    set("policy4", "powersave");
    write("proc/sys/kernel/random/boot_id", "f3c1\n");
    fs::create_directories(root_ / "run");
  }
  ~Machine() { fs::remove_all(root_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  std::string root() const { return root_.string(); }
  void write(const fs::path& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void append(const fs::path& path, const std::string& text) const {
    std::ofstream(root_ / path, std::ios::app) << text;
  }
  void link(const fs::path& at, const fs::path& target) const {
    fs::create_directories((root_ / at).parent_path());
    fs::create_directory_symlink(root_ / target, root_ / at);
  }
  void set(const std::string& policy, const std::string& name) const {
    write("sys/devices/system/cpu/cpufreq/" + policy + "/scaling_governor", name + "\n");
  }
  // "schedutil powersave"
  std::string shown() const {
    std::string text;
    for (const Governor& governor : governors(root()))
      text += (text.empty() ? "" : " ") + governor.name;
    return text;
  }
  bool has_journal() const { return fs::exists(root_ / "run/platter/host.journal"); }

 private:
  fs::path root_;
};

}  // namespace platter::host
