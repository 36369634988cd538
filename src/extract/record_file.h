// A run's record as the file of raw samples (docs/samples.md): everything in the order of the run,
// a line as each part and each stage ended. Written while the run goes, it can be gone on with from
// wherever it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "estimate/samples.h"
#include "extract/record.h"
#include "samples/file.h"

namespace platter::extract {

// Writes what comes, line by line. What was written and is no longer among what is seen (an attempt
// turned out to be void) it takes back by a line that says so.
class RecordWriter {
 public:
  // The head is written at once.
  RecordWriter(std::ostream& out, const model::Identity& drive);

  void begin_session(const Session& session, const Facts& facts);
  // What was seen since; of the media accesses as many as fill lines.
  void grow(const Seen& seen);
  void grow_to_all(const Seen& seen);
  void end_part(const Mark& part, const Seen& seen);
  // From this sample on, of those seen so far, none tells anything (estimate::disturb).
  void disturbed(std::size_t from, bool durations_stay, const Seen& seen);
  // The stage under way has so many parts left of what was written of it.
  void begin_anew(const Seen& seen, std::size_t parts = 0);
  void end_stage(const StageRecord& stage, const Ending& so_far, const Seen& seen);
  // A record from its beginning up to its last stage.
  void write_stages(const Record& record);
  // What a stage that was broken off left.
  void end_samples(const Record& record);
  std::uint64_t lines() const { return file_.lines(); }

 private:
  static Mark all_of(const Seen& seen) {
    return {seen.samples.size(), seen.media_accesses.size(), seen.cache.observations.size(), {}};
  }
  void write_facts(const Facts& facts);
  void write_jumps(const Facts& facts, std::uint32_t session);
  void write_setting(const cache_probe::Setting& setting);
  void write_accesses(const estimate::Samples& accesses, std::size_t until);
  void write_until(const Seen& seen, const Mark& mark);
  void write_all_until(const Seen& seen, const Mark& mark);
  void take_back(const Seen& seen);
  void write_requests_of(std::size_t stage, const Facts& facts);
  void write_requests(const char* of, const replay::Result& result);

  samples::Writer file_;
  model::Identity drive_;
  Mark written_;
  std::size_t parts_ = 0;    // written of the stage under way
  std::size_t answers_ = 0;  // written of the facts' answers
  std::size_t jumps_ = 0;    // and of their jumps
  samples::Json facts_;      // as written last
  cache_probe::Setting setting_;
};

// The last line, to so many that a RecordWriter wrote.
void write_end(std::ostream& out, const Record& record, std::uint64_t lines);
// All of it.
void write_record(std::ostream& out, const Record& record);

struct KeptRecord {
  Record record;
  std::string drive;   // identity::drive_mark
  bool cut = false;    // the file ends in the middle of a line, which was left out
  bool ended = false;  // it has its last line; without, the run's figures as a whole are missing
  double unfinished_s = 0;          // drive time from the end of its last stage to what it saw last
  model::PassedOver passed_over{};  // of a newer minor version: of the file, or what is known in it
};
// Throws Error(bad_input) that names file and line, for what is no such file and for what no drive
// can have shown: blocks that it does not have, completions before their commands.
KeptRecord read_record(std::istream& in, const std::string& name);

}  // namespace platter::extract
