// What a run may find that makes part of a model doubtful: each kind once, with its code, how bad
// it is, which members of the model it touches, and which uses of the model that concerns.
// docs/findings.md is printed from this table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/drive_model.h"

namespace platter::model {

enum class Code : std::uint8_t {
  identity_doubtful,
  claims_disagree,
  blocks_move,
  several_arms,
  geometry_hints_differ,
  drive_warned,
  settings_unsteady,
  write_failed,
  put_back,
  budget_too_short,
  stage_without_estimate,
  host_noisy,
  host_too_noisy,
  spindle_noisy,
  spindle_drifts,
  host_slept,
  clock_stepped,
  host_stopped,
  accesses_held_up,
  completions_on_grid,
  layout_unfinished,
  translation_contradicted,
  zones_not_understood,
  remaps_not_understood,
  defects_sampled,
  angles_incomplete,
  angles_odd,
  angles_refuted,
  cache_not_asked,
  cache_mixed,
  cache_unexplained,
  synchronize_does_nothing,
  impossible_value,
  time_below_zero,
  seek_falls,
  overheads_refuted,
  drive_pauses,
  off_by_revolutions,
  random_above_floor,
  mixed_above_floor,
  mixed_unchecked,
  mixed_takes_longer,
};

enum class Weight : std::uint8_t { doubt, fault };

// What one uses a model for (docs/metrics.md, "Quality"). As bits.
enum class Use : std::uint8_t { random = 1, mixed = 2, places = 4, writes = 8, queues = 16 };
constexpr std::uint8_t kAllUses = 31;

struct FindingKind {
  Code code;
  std::string_view name;  // in files: "angles-refuted"
  Weight weight;
  std::string_view touches;      // members of the model, blanks between; "": all of it
  std::uint8_t uses;             // of enum Use
  std::string_view of_workload;  // "random", "mixed": a later validation by it answers the finding
  std::string_view meaning;
};

std::span<const FindingKind> finding_kinds();
const FindingKind& kind_of(Code code);
// nullptr: a newer platter's.
const FindingKind* finding_kind(std::string_view name);

std::string_view name_of(Weight weight);
std::string_view name_of(Use use);  // "single requests"
// Each of `uses`, in the order of enum Use.
std::vector<Use> uses_in(std::uint8_t uses);

// Something that was noticed, for a model's reader: a remark, or a finding of a kind.
class Noted {
 public:
  Noted(std::string remark) : text_(std::move(remark)) {}  // NOLINT(google-explicit-constructor)
  Noted(const char* remark) : text_(remark) {}             // NOLINT(google-explicit-constructor)
  // `touches`: where the kind alone does not tell which members.
  Noted(Code code, std::string text, std::string touches = {})
      : text_(std::move(text)), kind_(&kind_of(code)), touches_(std::move(touches)) {}

  const std::string& text() const { return text_; }
  const std::string& by() const { return by_; }
  void set_by(std::string_view stage) { by_ = stage; }
  const FindingKind* kind() const { return kind_; }
  std::string_view touches() const {
    return touches_.empty() && kind_ != nullptr ? kind_->touches : std::string_view(touches_);
  }
  bool operator==(const Noted&) const = default;

 private:
  std::string text_;
  const FindingKind* kind_ = nullptr;  // a remark
  std::string touches_, by_;
};

using Notes = std::vector<Noted>;

// Where it is not there yet: among the notes, or the findings. `by`: the stage that noticed it,
// where that is not said.
void take_note(Provenance& provenance, const Noted& noted, std::string_view by);

// The first of that kind; nullptr: none.
const Finding* finding_of(const Provenance& provenance, Code code);

// Takes out what a validation by that workload ("random", "mixed") has answered.
void close_findings(Provenance& provenance, std::string_view workload);

}  // namespace platter::model
