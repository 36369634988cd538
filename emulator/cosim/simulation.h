// A command in a guest, against emulated drives, in simulated time: from the guest's start to its
// end.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/cosim/guest_process.h"
#include "emulator/scsi/drive_set.h"

namespace platter::emulator {

// The records of the guest's process 1 (guest/record.h), out of a stream that comes in pieces.
struct Record {
  std::uint32_t kind = 0;
  std::string_view bytes{};
  std::int32_t number() const;  // of those that hold one; 0: it does not
};

class RecordReader {
 public:
  // Calls `take` for what is whole now. false: it is no stream of records.
  bool feed(std::span<const char> piece, const std::function<void(const Record&)>& take);

 private:
  std::string kept_{};
};

struct SimulationSettings {
  std::vector<DriveOfSet> drives{};  // at least one
  GuestSettings guest{};
  int speed = 1;          // of the drives' clock, in ticks of the guest's
  double cpu_factor = 0;  // Calendar's
  // A program that computes for so long on the host is given time as it passes there; or, strictly,
  // ends the run.
  std::chrono::milliseconds patience{10000};
  bool is_strict = false;
  std::optional<std::string> log{};           // path
  std::optional<Nanoseconds> power_cut_ns{};  // of the guest's time: it and the drives end there
};

// How it went.
struct SimulationReport {
  std::optional<int> wait_status{};  // of the command, as wait(2) has it; nothing: it did not end
  bool power_cut = false;
  double simulated_seconds = 0, wall_seconds = 0;
  double guest_cpu_seconds = 0, drives_cpu_seconds = 0;  // of the host's processors
  std::uint64_t commands = 0, messages = 0;  // messages: between the kernel and its calendar
  std::uint64_t late_arrivals = 0, outside_validity = 0;              // of all drives
  std::vector<std::optional<std::vector<EpisodeReport>>> episodes{};  // of each
  std::uint64_t ticks = 0;  // how often the host's clock moved the guest's: such a run is not the
                            // same again
};

class Simulation {
 public:
  struct Surroundings {
    int wake;  // readable when `is_asked_to_end` may say so
    std::function<bool()> is_asked_to_end;
    std::function<void(const std::string&)> notice;  // a sentence for a person
  };

  // Throws Error for a model, or a file of contents or of the log, that is not what it should be.
  explicit Simulation(const SimulationSettings& settings);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Once. The command's output goes to our standard output and error as it comes. Then contents and
  // log are whole. Throws Error(interrupted) where it is asked to end, Error(usage) for a command
  // that cannot be executed, Error(internal) for a guest that fails, Error(output).
  SimulationReport run(const Surroundings& around);

 private:
  class Watch;

  SimulationSettings settings_;
  DriveSet drives_;
};

}  // namespace platter::emulator
