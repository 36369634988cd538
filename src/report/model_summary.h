// What a model says, in words and tables for people, and the same figures as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "model/parameters.h"
#include "model/seek_fit.h"
#include "report/explanations.h"

namespace platter::report {

// One top-level node of the layout.
struct ZoneSummary {
  std::uint64_t first_lbn = 0, blocks = 0, tracks = 0;  // tracks that hold blocks
  std::uint32_t first_cylinder = 0, last_cylinder = 0;
  std::uint32_t fewest_sectors = 0, most_sectors = 0;  // physical sectors of a track
};

// Of a track of so many sectors; the period must be known.
double media_rate_mb_s(const model::DriveModel& model, double sectors);

std::vector<ZoneSummary> summarize_zones(const model::Layout& layout);

// What is known of the map itself, a sentence each without its full stop: the spare scheme, how
// many blocks were looked up at random and what that bounds, and which blocks are not claimed, and
// why.
std::vector<std::string> layout_standing(const model::Layout& layout);

struct SeekSummary {
  double single_ms, average_ms, full_ms;
};

std::optional<SeekSummary> summarize_seek(const model::DriveModel& model);  // nullopt: no curve

// A curve beside that of reads.
struct OtherSeek {
  const char* name;  // for people
  const char* path;  // in the model's JSON
  model::Seek seek;
  SeekSummary summary;
};
std::vector<OtherSeek> other_seeks(const model::DriveModel& model);
std::string formula_of(const model::SeekFit& fit);  // the formula, d in cylinders

double rpm_of(const model::Rotation& rotation);  // the period must be known

std::string read_ahead_in_words(double kind);              // enum ReadAhead
std::string counted_segments(double segments);             // "1 segment", "8 segments"
std::string segments_in_words(const model::Cache& cache);  // "8 segments of 1024 blocks"; or empty
std::string cache_in_words(const model::Cache& cache);

// What the model lacks for a stated reason: reason, paths in the model's JSON.
using Missing = std::map<std::string, std::vector<std::string>>;
Missing missing_by_reason(const model::DriveModel& model,
                          const std::vector<model::NamedParameter>& parameters);

// What the text has, each with its heading.
enum class Section : std::uint8_t {
  head,
  checked,  // a line of the head's kind: how it was checked
  validity,
  layout,
  seeks,
  mechanics,
  cache,
  overheads,
  bus,
  queue,
  missing,
  notes
};

// At most 80 columns wide. All sections but `seeks`, which is long.
std::string model_as_text(const model::DriveModel& model);
std::string model_as_text(const model::DriveModel& model, std::span<const Section> sections);
// About twelve lines: the head, and how it was checked.
std::string model_in_brief(const model::DriveModel& model);
// What one parameter is, how it was measured, how sure it is.
std::string explained(const model::DriveModel& model, const Explanation& explanation);
std::string model_as_json(const model::DriveModel& model);

}  // namespace platter::report
