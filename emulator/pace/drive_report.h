// How a drive's emulation went so far, for a person and for a program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/pace/lateness.h"
#include "emulator/pace/transport_delay.h"

namespace platter::emulator {

// Of contents of which data are dropped.
struct GeneratedReport {
  std::uint64_t dropped_bytes = 0;
  std::uint64_t dropped_unclaimed_bytes = 0;  // of these, for want of room
  std::uint64_t waiting_bytes = 0;            // kept until it is known what they are
  std::vector<std::string> file_systems{};
};

// Of an episode: on how many requests it acted.
struct EpisodeReport {
  std::string what{};
  std::uint64_t requests = 0;
};

struct DriveReport {
  std::string name{};
  std::string model_against_drive{};  // what is known of the model itself
  Lateness delivery_against_model{};
  std::uint64_t outside_validity = 0, late_arrivals = 0, stored_bytes = 0;
  std::uint64_t power_cuts = 0;
  std::optional<GeneratedReport> generated{};
  std::optional<std::vector<EpisodeReport>> episodes{};  // nothing: the drive has none
};

// Of the way between a client and the drives.
struct TransportReport {
  const TransportDelay& delay;
  Lateness at_client{};  // null_commands.h
};

// Lines as they may stand on a terminal.
std::string text_of(const std::vector<DriveReport>& drives, const TransportReport& transport);
// An object on one line, with the line's end. What was not measured is null.
std::string json_of(const std::vector<DriveReport>& drives, int speed,
                    const TransportReport& transport);

// [{"what":"stall","requests":3},...]
std::string json_of(const std::vector<EpisodeReport>& episodes);

// When it can be used, and what the way takes; `trouble`: why that was not measured.
std::string ready_notice(const TransportDelay& delay, const std::string& trouble);

// The other budget of errors: what is known of the model itself.
std::string of_hypothetical_drive();
std::string of_model_not_compared();
std::string of_demerit(double ms, double percent, std::uint64_t requests,
                       std::string_view workload);

// A JSON string. Names come out of files, and may hold anything.
std::string quoted(const std::string& text);

}  // namespace platter::emulator
