// What acts where a figure of a model was not measured, and why: the one place that says so. The
// engine, DiskSim's files, derived models, calibration and reports all compute with acting(), so
// what is not known never acts in silence. docs/stand-ins.md is printed of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/drive_model.h"
#include "model/known.h"

namespace platter::model {

// Of a measured figure its value; of a guessed one the likeliest guess; of a bounded one the bound,
// at_least before at_most; of an unknown one what the table has.
struct Acting {
  double value = 0;
  Known known = Known::unknown;

  operator double() const { return value; }
};

// `figure` is a member of the section, or of a section of the model: acting(c, c.segments). Throws
// Error(internal) for a figure that the table does not have.
Acting acting(const Cache& cache, const Parameter& figure);
Acting acting(const Overheads& overheads, const Parameter& figure);
Acting acting(const Bus& bus, const Parameter& figure);
Acting acting(const Queue& queue, const Parameter& figure);
Acting acting(const Arms& arms, const Parameter& figure);
Acting acting(const Power& power, const Parameter& figure);
Acting acting(const Shingling& shingling, const Parameter& figure);
Acting acting(const DriveModel& model, const Parameter& figure);
Acting acting(const DriveModel& model, std::string_view path);  // "cache.segments"

// A figure that was not measured, and what acts in its place.
struct StandIn {
  std::string path;  // in the model's JSON
  Known known = Known::unknown;
  std::string acts;    // in words: "4095 blocks", "0", "as overheads.read_hit_after_read"
  std::string why;     // of an unknown figure; of others what is known of it
  std::string reason;  // why it was not measured; empty: the model does not speak of it
};

// Somebody looked for it, or knows something of it; else a model does not speak of it at all, which
// says as a rule that there is no such thing.
bool is_spoken_of(const StandIn& stand_in);

// "bounded, acts as 4095 blocks"
std::string in_words(const StandIn& stand_in);

// Those of a model that predictions are computed with, in the order of parameters_of, but for what
// has no effect beside its other figures: how a read-ahead ends that there is not.
std::vector<StandIn> stand_ins(const DriveModel& model);

// The table of docs/stand-ins.md.
std::string stand_ins_table();

}  // namespace platter::model
