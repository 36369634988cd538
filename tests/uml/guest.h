// Inside a guest: the scsi_debug drive that the tests run on, which nothing else uses.
// PLATTER_TEST_DEVICE names the node.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

#include "catch.h"
#include "scsi/commands.h"
#include "scsi/sense.h"
#include "transport/sg_io.h"

namespace platter::transport::guest {

inline std::string device_name() {
  const char* name = std::getenv("PLATTER_TEST_DEVICE");
  REQUIRE(name);
  return name;
}

inline void write_to(const std::string& path, Nanoseconds value) {
  std::ofstream file(path);
  file << value << std::endl;
  INFO(value << " into " << path);
  REQUIRE(file);
}

// A parameter of scsi_debug. Some are changed only while no command is under way.
inline void set_drive(const std::string& parameter, Nanoseconds value) {
  write_to("/sys/bus/pseudo/drivers/scsi_debug/" + parameter, value);
}

// The drive's time for one command.
inline void set_drive_time(Nanoseconds time_ns) { set_drive("ndelay", time_ns); }

// What scsi_debug has counted.
inline std::uint64_t drive_counts(const std::string& what) {
  std::ifstream file("/proc/scsi/scsi_debug/0");
  const std::string name = what + "=";
  for (std::string line; std::getline(file, line);)
    if (const auto at = line.find(name); at != line.npos)
      return std::stoull(line.substr(at + name.size()));
  FAIL("scsi_debug does not count " << what);
  return 0;
}

inline scsi::Completion must(scsi::Expected<scsi::Completion> result) {
  if (!result) FAIL(result.error().sentence);
  return *result;
}

inline scsi::Completion settled(SgIoDevice& device, const scsi::Command& command) {
  for (int i = 0; i < 10; ++i) {
    auto done = must(device.execute(command));
    const auto sense = scsi::decode_sense(done.sense);
    if (!sense || sense->key != scsi::SenseKey::unit_attention) return done;
  }
  FAIL("endless unit attentions");
  return {};
}

}  // namespace platter::transport::guest
