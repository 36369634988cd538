// Where DiskSim does something else than its manual says, or stops: one table, by which import
// translates, export leaves out and warns, the check judges, and docs/disksim.md is printed.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace platter::emit_disksim {

// Parameters of a disksim_disk and what of the drive the rules ask for; 0 where it is not told, as
// DiskSim has it.
struct Told {
  std::map<std::string, double, std::less<>> values{};
  std::string layout{};  // "dm_layout_g1"
  double blocks = 0, longest_track = 0;

  double of(std::string_view parameter) const {
    const auto found = values.find(parameter);
    return found == values.end() ? 0 : found->second;
  }
};

// Carnegie Mellon's DiskSim 4.0, Western Digital's made of it (2.01.016, and forks with a dual seek
// profile), and Western Digital's 64-bit one.
enum class Program : std::uint8_t { cmu4, wd, wd64 };

// Blocks of a drive, and sectors, that it counts: fewer than so many.
std::int64_t most_counted(Program program);

// What a program does with a parameter under a rule's condition.
enum class Does : std::uint8_t {
  as_told,        // what the manual says
  otherwise,      // something else
  stops,          // ends at a message, an assertion or a signal
  stops_there,    // the same, at requests that reach certain blocks
  never_answers,  // requests stay without an answer
};
struct Deed {
  Does does = Does::as_told;
  const char* words = "as the manual says";
};

// How import takes a parameter where manual and program differ.
enum class Reading : std::uint8_t { meant, run };

enum class RuleId : std::uint8_t {
  ahead_behind_any,
  ahead_bound,
  free_blocks,
  zero_latency_read,
  zero_latency_write,
  other_reselect,
  stops,  // and all others that import has one reading of
};

struct Rule {
  RuleId id = RuleId::stops;
  const char* parameter = "";
  const char* condition = "";  // that `holds` tests
  bool (*holds)(const Told& told) = nullptr;
  const char* manual = "";
  Deed cmu4{}, wd{}, wd64{};
  const char* source = "";  // where DiskSim 4.0 does it
  // `takes` is what import does by default, `why` the measurement that says so; "" where the model
  // can say but one of the two.
  Reading takes = Reading::meant;
  const char* why = "";

  bool has_two_readings() const { return id != RuleId::stops; }
};

// All of them, by parameter.
std::span<const Rule> rules();

const Deed& deed_of(const Rule& rule, Program program);

// What the program does with the parameter as it is told.
std::string in_words(const Rule& rule, const Told& told, Program program);

// A kept word is the file's figure of a parameter that import took otherwise: the model's member
// `disksim` has it, export writes it back, calibration tries it.
bool is_kept_word(std::string_view parameter);

// The table of docs/disksim.md.
std::string rules_table();

}  // namespace platter::emit_disksim
