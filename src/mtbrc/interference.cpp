#include "mtbrc/interference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "model/parameters.h"
#include "model/quietly.h"
#include "mtbrc/several_reads.h"
#include "mtbrc/trials.h"

namespace platter::mtbrc {
namespace {

constexpr std::int64_t kDistance = 20;  // cylinders: far from any single step's own time
// Two commands that come at once are taken up one behind the other, which is no interference: the
// other one's has a lead, and still goes on once this arm has moved.
constexpr Nanoseconds kLead = 400 * kMicrosecond, kGoesOn = 1500 * kMicrosecond;
constexpr std::uint32_t kOther = 1, kOwn = 2;

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
  bool trial(const engine::Track& start, const engine::Track& to, bool beside);
  std::optional<scsi::Completion> read_beside(std::uint64_t lbn);

  Context& context_;
  scsi::Device& device_;
  const std::vector<LbnRange>& others_;
  Trials trials_;
  Threshold alone_, beside_;
  std::uint32_t outstanding_ = 0;
};

std::uint64_t Beside::elsewhere() {
  const LbnRange& range = others_[context_.random() % others_.size()];
  return range.first + context_.random() % (range.last - range.first + 1);
}

// The other arm's read was sent well before, and has to go on for long after. nullopt: one of them
// failed, or it did not.
std::optional<scsi::Completion> Beside::read_beside(std::uint64_t lbn) {
  if (value_of(device_.reap_until(context_.drive.now_ns()))) {
    outstanding_ = 0;
    return std::nullopt;
  }
  value_of(device_.submit(single_read(context_, lbn), kOwn));
  ++outstanding_;
  std::array<scsi::Completion, 2> both;
  for (; outstanding_ > 0; --outstanding_) {
    auto done = value_of(device_.reap());
    if (!done) return std::nullopt;
    both[done->tag == kOwn ? 0 : 1] = std::move(*done);
  }
  auto& [own, other] = both;
  if (!std::ranges::all_of(both, came_whole) || other.completed_ns < own.issued_ns + kGoesOn)
    return std::nullopt;
  return std::move(own);
}

// Alone and beside, from the same track after the same rest.
bool Beside::trial(const engine::Track& start, const engine::Track& to, bool beside) {
  if (!trials_.go(start)) return false;
  const struct Drained {
    scsi::Device& device;
    std::uint32_t& outstanding;
    ~Drained() {
      model::quietly([this] { scsi::drain(device, outstanding); });
      outstanding = 0;
    }
  } drained{device_, outstanding_};
  if (beside) {
    value_of(device_.submit(single_read(context_, elsewhere()), kOther));
    outstanding_ = 1;
  }
  context_.drive.rest_ns(kLead);
  if (!beside) return trials_.trial(estimate::Experiment::other, 0, to, false, alone_);
  return trials_.trial_by([this](std::uint64_t lbn) { return read_beside(lbn); }, to, beside_);
}

bool Beside::pair() {
  const auto start = seek_start(context_, kDistance);
  if (!start) return false;
  auto to = neighbour(context_, *start, kDistance);
  if (!to) to = neighbour(context_, *start, -kDistance);
  if (!to) return false;
  const bool told = trial(*start, *to, false);
  return trial(*start, *to, true) && told;
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
