// What a run learned from its drive, in the order of its stages, without what was made of it: the
// model is a pure function of it (estimate.h), and it is what the file of raw samples holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache_probe/record.h"
#include "estimate/samples.h"
#include "extract/kept_answers.h"
#include "extract/queue_behaviour.h"
#include "model/drive_model.h"
#include "model/finding_kinds.h"
#include "mtbrc/time_watch.h"
#include "replay/result.h"
#include "safety/saved_settings.h"

namespace platter::extract {

// What is taken as it came, for it is no sample of the timing experiments, or is made by reads that
// depend on one another.
struct Facts {
  model::Layout layout;         // with angles once these are measured
  std::vector<Answer> answers;  // of which it is made, until it is
  model::Parameter address_translation;
  std::string no_write_settle;      // why it was not measured
  std::string no_media_writes;      // why no write waited for the media; none were permitted: ""
  std::optional<model::Arms> arms;  // several, confirmed
  std::optional<model::Shingling> shingling;  // of a drive whose blocks move
  cache_probe::Record cache;
  std::vector<model::CacheFreedom> cache_fields;  // of the Caching mode page
  std::optional<std::string> not_taken_back;      // settings, after a test of them
  std::optional<replay::Result> in_a_row;         // absent: the model does not hang on it
  replay::Result mixed, random;                   // requests of the self-validation
  QueueSamples queue;
  std::vector<mtbrc::TimeJump> jumps;  // each began a session, of whatever becomes of a stage
};

// How much of everything there was at some moment, and what was noticed since the moment before.
struct Mark {
  std::size_t samples = 0, media_accesses = 0, probes = 0;
  model::Notes notes;  // for a reader of the model
};

// What a run took.
struct Cost {
  double drive_seconds = 0;
  std::uint64_t commands = 0, translations = 0, bytes_written = 0;
};

struct StageRecord {
  std::size_t stage = 0;  // of kStages
  double drive_seconds = 0;
  std::uint64_t commands = 0;
  std::vector<Mark> parts;  // as each part ended
  Mark end;
  Cost so_far;  // of the run, its earlier sessions included
};

// What one process measured of a run: the run itself, or what went on with it after an
// interruption. Its times and the platter's phase are its own (estimate::Sample::session); where
// time jumped another session of samples began within it.
struct Session {
  std::uint32_t number = 0;       // of the samples that it began with
  std::size_t stages_before = 0;  // of the run's stages, those that it found done
  std::string begun_anew;         // the stage that it began with; "": all were done
  bool cut = false;               // the samples ended in the middle of a line, which was left out
  double lost_s = 0;  // drive time of what the session before measured, and this one does again
  Cost before;        // what the sessions before took
  // Under what the run was made, and has to go on.
  safety::SavedSettings settings;  // the drive's own
  std::vector<LbnRange> writable;
  std::uint64_t seed = 0;
  std::vector<LbnRange> skipped = {};  // those of earlier sessions, too
};

// How a run ended, and what it took.
struct Ending {
  bool finished = false;  // it came to its end, with or without all stages
  std::string missing;    // why stages are missing, where some are
  struct FailedWrite {
    std::size_t stage = 0;
  };
  std::optional<FailedWrite> failed_write;
  model::Notes notes;  // once all was estimated
  std::string source, date;
  Cost cost;
  double wall_seconds = 0;
  std::uint64_t seed = 0;
};

struct Record {
  model::Identity identity;  // without heads and cylinders, which the map tells
  Facts facts;
  estimate::Samples samples;         // of all experiments, those of a stage that was broken off too
  estimate::Samples media_accesses;  // all commands that waited for nothing but the media: when and
                                     // how long
  std::vector<Session> sessions;     // in the order of time; of an old file none is known
  std::vector<StageRecord> stages;   // those that were done
  model::Notes notes;                // since the last of them
  Ending ending;
};

// What was seen up to the end of a stage or a part.
struct Seen {
  const estimate::Samples& samples;
  std::size_t first_sample;  // of the stage
  const estimate::Samples& media_accesses;
  const cache_probe::Record& cache;
  const Facts& facts;
};

}  // namespace platter::extract
