#include "mtbrc/interference.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/parameters.h"
#include "mtbrc/several_reads.h"
#include "mtbrc/trials.h"

namespace platter::mtbrc {
namespace {

constexpr std::int64_t kDistance = 20;  // cylinders: far from any single step's own time

scsi::Command single_read(const Context& context, std::uint64_t lbn) {
  return read_without_data(lbn, 1, context.drive.block_bytes(),
                           {.force_unit_access = context.probe == Probe::forced_read});
}

class Beside {
 public:
  Beside(Context& context, scsi::Device& device, const std::vector<LbnRange>& others)
      : context_(context),
        device_(device),
        others_(others),
        trials_(context),
        alone_(trials_.passages().period_ns()),
        beside_(trials_.passages().period_ns()) {}

  // One of each kind, from the same track to the same track. False: they told nothing.
  bool pair();
  double error_ns() const { return std::hypot(alone_.error_ns(), beside_.error_ns()); }
  std::size_t trials() const { return std::min(alone_.trials(), beside_.trials()); }
  model::Parameter result() const;

 private:
  std::uint64_t elsewhere();
  std::optional<scsi::Completion> read_beside(std::uint64_t lbn);

  Context& context_;
  scsi::Device& device_;
  const std::vector<LbnRange>& others_;
  Trials trials_;
  Threshold alone_, beside_;
};

std::uint64_t Beside::elsewhere() {
  const LbnRange& range = others_[context_.random() % others_.size()];
  return range.first + context_.random() % (range.last - range.first + 1);
}

// The other arm's read is sent first, so that its arm is busy when this one sets off. nullopt: one
// of them failed.
std::optional<scsi::Completion> Beside::read_beside(std::uint64_t lbn) {
  const scsi::Command other = single_read(context_, elsewhere());
  auto both = read_both(device_, other, single_read(context_, lbn));
  if (!both || !std::ranges::all_of(*both, came_whole)) return std::nullopt;
  return std::move((*both)[1]);
}

bool Beside::pair() {
  const auto start = seek_start(context_, kDistance);
  if (!start) return false;
  auto to = neighbour(context_, *start, kDistance);
  if (!to) to = neighbour(context_, *start, -kDistance);
  if (!to || !trials_.go(*start)) return false;
  const bool told = trials_.trial(estimate::Experiment::other, 0, *to, false, alone_);
  if (!trials_.go(*start)) return false;
  return trials_.trial_by([this](std::uint64_t lbn) { return read_beside(lbn); }, *to, beside_) &&
         told;
}

model::Parameter Beside::result() const {
  const auto alone = alone_.estimate(), beside = beside_.estimate();
  constexpr std::size_t kFewest = 12;
  if (!alone || !beside || trials() < kFewest)
    return model::absent("too few moves beside a busy arm told anything", "ms");
  model::Parameter figure;
  figure.unit = "ms";
  figure.value = std::max(0.0, (beside->value - alone->value) * 1e-6);
  figure.error = std::hypot(alone_.reported_error_ns(), beside_.reported_error_ns()) * 1e-6;
  figure.samples = alone_.trials() + beside_.trials();
  figure.method = "mtbrc alone and beside a busy arm";
  return figure;
}

}  // namespace

model::Parameter measure_interference(Context& context, scsi::Device& device,
                                      const std::vector<LbnRange>& others,
                                      const InterferenceOptions& options) {
  if (others.empty()) return model::absent("no other arm has blocks", "ms");
  if (context.reads_may_be_cached() || context.probe == Probe::verify)
    return model::absent("no read is sure to reach the media", "ms");
  const Meter meter(context, options.budget);
  Beside survey(context, device, others);
  std::uint32_t in_vain = 0;
  constexpr std::uint32_t kMostInVain = 100;
  constexpr std::size_t kFewest = 20;
  while (!meter.exhausted() && in_vain < kMostInVain && survey.trials() < options.most_trials &&
         (survey.trials() < kFewest || survey.error_ns() > options.target_error_ms * 1e6)) {
    if (!survey.pair()) ++in_vain;
    context.report("interference", meter.share());
  }
  return survey.result();
}

}  // namespace platter::mtbrc
