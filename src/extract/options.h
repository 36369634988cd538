// What a characterization run is told.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/lbn_range.h"
#include "mtbrc/precision.h"

namespace platter::extract {

struct KeptRecord;

// Where a run's samples go while it lasts. What throws ends the run.
class SamplesKeeper {
 public:
  virtual ~SamplesKeeper() = default;
  // Asked after every command: what came since is to be kept now.
  virtual bool due() = 0;
  // Whole lines. The first of a run bring all that it goes on with.
  virtual void keep(std::string_view lines) = 0;
  // What was kept is on stable storage.
  virtual void synchronize() = 0;
  // Nothing could go on with it.
  virtual void throw_away() = 0;
};

// An interrupted run that is to be gone on with.
struct InterruptedRun {
  const KeptRecord& kept;
  std::string name;  // of its file
};

// How a drive that does not translate addresses is mapped by timing.
enum class MapByTime : std::uint8_t {
  in_time,  // as far as the budget, or four times what such drives take, allows
  whole,    // however long it takes
  none,     // the run makes do without a map
};

// What is measured of a drive that rewritten blocks show to be shingled.
enum class MeasureShingles : std::uint8_t {
  recognize,  // that it is
  bands,      // when it cleans bands, and how long they are: some minutes
  all,        // what its media cache takes, too: many gigabytes are rewritten
};

struct Options {
  mtbrc::Precision precision = mtbrc::Precision::enough;
  std::vector<LbnRange> writable;               // sectors that may be rewritten; empty: reads only
  bool power = false;                           // wake times are measured, too
  std::vector<std::uint64_t> unit_blocks = {};  // of a drive that is several logical units, joined
  std::uint64_t seed = 1;
  std::string device_name;     // for provenance and sentences
  std::string journal_folder;  // where the safety journal goes
  // Drive time that the run may take; absent: what its precision needs. What is given up for it is
  // told in the model's notes.
  std::optional<double> budget_s;
  MapByTime map_by_time = MapByTime::in_time;
  MeasureShingles shingles = MeasureShingles::recognize;
  std::uint64_t most_journaled_bytes = std::uint64_t{4} << 30;  // which a run keeps in memory
  // Called once, before the first experiment, with the drive time that the run is expected to take.
  std::function<void(double seconds)> expected;
  // Stage, the share of the whole run's drive time that is done, and how much of it is left.
  std::function<void(const std::string& stage, double share, double left_s)> progress;
  // Asked after every command; true ends the run with Error(interrupted), settings restored.
  std::function<bool()> interrupted;
  SamplesKeeper* keeper = nullptr;
  std::optional<InterruptedRun> resumed;  // its drive time then counts from now on, budget and all
  // Blocks that are never accessed on the media. Of a resumed run: besides those of before.
  std::vector<LbnRange> skip = {};
  // What was done to the host for this run, as a reader of the model is told.
  std::vector<std::string> conditions = {};
};

}  // namespace platter::extract
