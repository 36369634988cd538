#include "model/quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/finding_kinds.h"
#include "model/stand_ins.h"

namespace platter::model {
namespace {

// Chosen: a few times the floors of drives, and what DIXtrac's models had at the best and at the
// worst (Schindler and Ganger 1999, section 6.2).
constexpr double kGoodRandom = 2, kGoodMixed = 5, kFair = 10;  // % demerit
constexpr double kGoodPhase = 0.95, kFairPhase = 0.8;
// Above its floor by more of the mean the drive refutes the model.
constexpr double kRefuted = 0.2;
constexpr double kSure = 2;  // so many standard errors beyond a bound
// Blocks without a known place, of all; Chosen: a hundredth of random requests is what a tail is.
constexpr double kFewUnknown = 0.001, kManyUnknown = 0.01;

struct UseOfModel {
  Use use;
  Quality Qualities::*quality;
};
constexpr std::array kUses = {
    UseOfModel{Use::random, &Qualities::random}, UseOfModel{Use::mixed, &Qualities::mixed},
    UseOfModel{Use::places, &Qualities::places}, UseOfModel{Use::writes, &Qualities::writes},
    UseOfModel{Use::queues, &Qualities::queues}};
constexpr std::string_view kWithinTheRun = ", within the run";
constexpr std::size_t kCounting = 3;  // of them, for the word of all

bool is_of(const Demerit& demerit, std::string_view workload) {
  return demerit.workload.starts_with(workload) &&
         (demerit.workload.size() == workload.size() || demerit.workload[workload.size()] == ',');
}

// The last one that was stated of it.
const Demerit* demerit_of(const Validity& validity, std::string_view workload) {
  const auto found = std::find_if(validity.demerits.rbegin(), validity.demerits.rend(),
                                  [&](const Demerit& demerit) { return is_of(demerit, workload); });
  return found == validity.demerits.rend() ? nullptr : &*found;
}

Quality quality_of(const Demerit* demerit) {
  if (demerit == nullptr) return Quality::unchecked;
  std::optional<double> error_percent;
  if (demerit->error_ms && demerit->drive_mean_ms > 0)
    error_percent = 100 * *demerit->error_ms / demerit->drive_mean_ms;
  return quality_of_demerit(demerit->workload, demerit->demerit_percent, error_percent);
}

double share_without_place(const Layout& layout, std::uint64_t blocks) {
  if (blocks == 0) return 0;
  double unknown = 0;
  for (const NotUnderstood& part : layout.not_understood)
    unknown += static_cast<double>(part.last_lbn - part.first_lbn + 1);
  return unknown / static_cast<double>(blocks);
}

class Grader {
 public:
  explicit Grader(const DriveModel& model) : model_(model) {}

  Qualities grade() {
    const Validity& validity = model_.validity;
    const Demerit* const random = demerit_of(validity, "random");
    const Demerit* const mixed = demerit_of(validity, "mixed");
    q_.random = quality_of(random);
    q_.mixed = quality_of(mixed);
    grade_places(random);
    if (validity.writes) q_.writes = std::max(q_.random, q_.mixed);
    if (validity.max_depth > 1) q_.queues = std::max(q_.random, q_.mixed);
    std::vector<Use> whole_only;
    if (writes_whole_only(random)) whole_only = {Use::random, Use::writes};
    if (writes_whole_only(mixed)) whole_only.insert(whole_only.end(), {Use::mixed, Use::writes});
    for (const UseOfModel& use : kUses)
      if (q_.*use.quality == Quality::fair || q_.*use.quality == Quality::poor)
        because(use, "by its check");
    for (const UseOfModel& use : kUses)
      if (std::ranges::find(whole_only, use.use) != whole_only.end())
        cap(use, Quality::fair, "writes of parts of physical blocks unchecked");
    for (const Finding& finding : model_.provenance.findings) cap(finding);
    q_.all = Quality::good;
    for (std::size_t i = 0; i < kCounting; ++i) q_.all = std::max(q_.all, q_.*kUses[i].quality);
    return std::move(q_);
  }

 private:
  void grade_places(const Demerit* random) {
    const double unknown = share_without_place(model_.layout, model_.identity.blocks);
    if (model_.layout.zones.empty() || unknown > kManyUnknown)
      q_.places = Quality::poor;
    else if (random != nullptr && random->phase_requests > 0)
      q_.places = std::max(quality_of_phase(random->folded_phase_share, random->phase_requests),
                           unknown > kFewUnknown ? Quality::fair : Quality::good);
  }

  // A run writes whole physical blocks only; of a part the drive has to read the rest first, which
  // takes a revolution and more, and which no request of the run has shown.
  bool writes_whole_only(const Demerit* demerit) const {
    return demerit != nullptr && is_within_the_run(*demerit) && model_.validity.writes &&
           model_.identity.physical_block_bytes > model_.identity.block_bytes;
  }

  void cap(const UseOfModel& use, Quality most, std::string_view why) {
    Quality& quality = q_.*use.quality;
    if (quality >= most) return;
    quality = most;
    because(use, why);
  }

  void cap(const Finding& finding) {
    const FindingKind* const kind = finding_kind(finding.code);
    // Of a newer platter: what it concerns is not known.
    const std::uint8_t uses = kind != nullptr ? kind->uses : kAllUses;
    const Quality most = finding.weight == name_of(Weight::fault) ? Quality::poor : Quality::fair;
    for (const UseOfModel& use : kUses)
      if ((uses & static_cast<std::uint8_t>(use.use)) != 0) cap(use, most, finding.code);
  }

  void because(const UseOfModel& use, std::string_view why) {
    q_.because.push_back(
        fmt::format("{} {} ({})", name_of(use.use), name_of(q_.*use.quality), why));
  }

  const DriveModel& model_;
  Qualities q_;
};

// Of the mean, and surely so.
double above_floor(const Demerit& demerit) {
  if (!(demerit.drive_mean_ms > 0) || !demerit.error_ms) return 0;
  return (demerit.demerit_ms - demerit.floor_ms.value_or(0) - kSure * *demerit.error_ms) /
         demerit.drive_mean_ms;
}

std::string lacking_positions(const DriveModel& model) {
  const Parameter& angle = model.layout.angle;
  if (!angle.error) return angle.reason.empty() ? "its angles are not known" : angle.reason;
  if (finding_of(model.provenance, Code::angles_refuted) != nullptr)
    return "its angles were refuted";
  const Demerit* const random = demerit_of(model.validity, "random");
  if (random != nullptr && random->phase_requests > 0 &&
      quality_of_phase(random->folded_phase_share, random->phase_requests) == Quality::poor)
    return fmt::format("{:.0f} % of its check's media accesses are in phase",
                       100 * random->folded_phase_share);
  return "";
}

}  // namespace

std::string_view name_of(Quality quality) {
  constexpr std::array<std::string_view, 4> kNames{"good", "fair", "unchecked", "poor"};
  return kNames[static_cast<std::size_t>(quality)];
}

Quality quality_of_demerit(std::string_view workload, double percent) {
  if (!(percent <= kFair)) return Quality::poor;
  return percent <= (workload.starts_with("random") ? kGoodRandom : kGoodMixed) ? Quality::good
                                                                                : Quality::fair;
}

Quality quality_of_demerit(std::string_view workload, double percent,
                           std::optional<double> error_percent) {
  const Quality stated = quality_of_demerit(workload, percent);
  if (!error_percent) return std::max(stated, Quality::fair);
  // One request of some hundred that the drive held up makes a large demerit, and a large error.
  if (stated == Quality::poor && percent - kSure * *error_percent <= kFair) return Quality::fair;
  // What may be beyond the bound of good is not known to be good.
  return std::max(stated,
                  std::min(Quality::fair, quality_of_demerit(workload, percent + *error_percent)));
}

Quality quality_of_phase(double share, std::uint64_t requests) {
  // Two more of either (Agresti and Coull, The American Statistician 52, 1998).
  const double seen = static_cast<double>(requests), n = seen + 4;
  const double middle = (share * seen + 2) / n;
  const double half = kSure * std::sqrt(middle * (1 - middle) / n);
  if (middle + half < kFairPhase) return Quality::poor;
  return share >= kGoodPhase && middle - half >= kFairPhase ? Quality::good : Quality::fair;
}

std::string within_the_run(std::string_view workload) {
  return std::string(workload) + std::string(kWithinTheRun);
}

bool is_within_the_run(const Demerit& demerit) { return demerit.workload.ends_with(kWithinTheRun); }

Qualities qualities_of(const DriveModel& model) { return Grader(model).grade(); }

std::string in_words(const Qualities& qualities) {
  std::string text(name_of(qualities.all));
  std::vector<std::string> parts = qualities.because;
  for (const UseOfModel& use : kUses)
    if (qualities.*use.quality == Quality::unchecked)
      parts.push_back(fmt::format("{} unchecked", name_of(use.use)));
  if (!parts.empty()) text += fmt::format(": {}", fmt::join(parts, ", "));
  return text;
}

std::vector<std::string> what_it_lacks(const DriveModel& model) {
  std::vector<std::string> lacking;
  if (model.layout.zones.empty()) {
    lacking.push_back("the places of its blocks" +
                      (model.layout.reason.empty() ? "" : " (" + model.layout.reason + ")"));
  } else {
    if (const double unknown = share_without_place(model.layout, model.identity.blocks);
        unknown > kFewUnknown)
      lacking.push_back(fmt::format("the places of {:.1f} % of its blocks", 100 * unknown));
    if (const std::string why = lacking_positions(model); !why.empty())
      lacking.push_back("rotational positions (" + why + ")");
  }
  const Cache& cache = model.cache;
  if (acting(cache, cache.read_enabled) > 0)
    for (const auto& [figure, name] :
         {std::pair(&cache.segments, "segments"), std::pair(&cache.segment_blocks, "segment size")})
      if (known(*figure) == Known::unknown)
        lacking.push_back(fmt::format("its cache's {} ({})", name, figure->reason));
  for (const char* workload : {"random", "mixed"})
    if (const Demerit* const demerit = demerit_of(model.validity, workload);
        demerit != nullptr && above_floor(*demerit) > kRefuted)
      lacking.push_back(
          fmt::format("a check that it passes (of {} requests its demerit is {:.0f} % of the mean)",
                      workload, demerit->demerit_percent));
  return lacking;
}

}  // namespace platter::model
