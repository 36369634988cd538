#include "cache_check/model_answers.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "model/interruption.h"
#include "model/stand_ins.h"
#include "statistics/distribution.h"
#include "statistics/robust.h"

namespace platter::cache_check {
namespace {

constexpr Nanoseconds kLongBefore = 10 * kSecond;
constexpr double kSoon = 0.1;            // revolutions; writes without pause
constexpr std::size_t kFewestTimes = 4;  // times that tell their spread

// A command that is on its way does nothing in the drive: it may as well come later.
model::DriveModel looks_at_once(model::DriveModel model) {
  model.overheads.per_request = {};
  return model;
}

}  // namespace

ModelAnswers::ModelAnswers(const Record& record, const model::DriveModel& model, int draws,
                           const TimeNoise& noise)
    : period_ns_(record.setting.period_ns),
      on_its_way_ns_(std::llround(model::acting(model, model.overheads.per_request) * 1e6)),
      draws_(draws),
      noise_(noise),
      engine_(looks_at_once(model)) {
  for (const Observation& seen : record.observations)
    if (seen.question == Question::exercise) seen_.push_back(&seen);
  responses_.resize(seen_.size());
  play(0);
  std::vector<double> late;
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (from_media_for_sure(*seen_[i]) && responses_[i] > 0)
      late.push_back(static_cast<double>(responses_[i] - seen_[i]->response_ns()));
  play(static_cast<Nanoseconds>(std::llround(statistics::circular_median(late, period_ns_))));
}

double ModelAnswers::log_ratio(std::size_t i, const Responses& responses) const {
  Observation answered = *seen_[i];
  answered.completed_ns = answered.issued_ns + responses_[i];
  return responses.log_ratio(answered);
}

TimeNoise ModelAnswers::time_noise(const Responses& responses) const {
  std::vector<double> of_hits, of_misses;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const double late = static_cast<double>(seen_[i]->response_ns() - responses_[i]);
    if (from_media_for_sure(*seen_[i]))
      of_misses.push_back(late - period_ns_ * std::round(late / period_ns_));
    else if (responses.is_fast(*seen_[i]) && log_ratio(i, responses) > 0)
      of_hits.push_back(late);
  }
  TimeNoise noise;
  if (of_hits.size() >= kFewestTimes) {
    const double usual = statistics::median(of_hits);
    for (double& late : of_hits) late -= usual;
    noise.host_ns = std::move(of_hits);
  }
  if (of_misses.size() >= kFewestTimes) noise.positioning_ns = statistics::mad_sigma(of_misses);
  return noise;
}

double ModelAnswers::burst_error_ns() const {
  double sum = 0, all = 0;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (seen_[i]->exercise != Exercise::burst) continue;
    sum += std::abs(response_ns(i) - static_cast<double>(seen_[i]->response_ns()));
    ++all;
  }
  return all > 0 ? sum / all : 0;
}

// As on the drive; where the model is not ready yet when the drive was, it is given the time, the
// platter standing still meanwhile. What was asked as soon as the drive was ready comes so soon in
// the model's own time, too: a few us decide whether a block is caught.
void ModelAnswers::play(Nanoseconds phase_ns) {
  if (seen_.empty()) return;
  const Nanoseconds before_ns = seen_.front()->issued_ns - kLongBefore;
  engine_.reset(before_ns);
  draw_before(before_ns);
  Nanoseconds held = 0, free = 0, drive_free = 0, turned = phase_ns;
  bool in_burst = false;
  std::mt19937_64 random(static_cast<std::uint64_t>(draws_));
  std::normal_distribution<double> normal;
  const auto on_its_way_ns = [&]() -> Nanoseconds {
    if (noise_.host_ns.empty()) return on_its_way_ns_;
    const double later = noise_.host_ns[random() % noise_.host_ns.size()];
    return std::max<Nanoseconds>(0, on_its_way_ns_ + std::llround(later));
  };
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    stop_if_asked();
    const Observation* seen = seen_[i];
    const Nanoseconds rest = seen->issued_ns - drive_free;
    const bool burst = seen->exercise == Exercise::burst;
    const bool begins = burst && !(in_burst && static_cast<double>(rest) < kSoon * period_ns_);
    in_burst = burst;
    if (begins) free = std::max(free, engine_.synchronize(std::max(free, seen->issued_ns + held)));
    if (seen->exercise == Exercise::at_once || (burst && !begins)) {
      held = free + rest - seen->issued_ns;
    } else {
      held = std::max(held, free - seen->issued_ns);
      turned = phase_ns - held;
    }
    drive_free = seen->completed_ns;
    engine::Request request;
    request.lbn = seen->lbn;
    request.blocks = seen->blocks;
    request.write = seen->write;
    request.disturbance.phase_ns = turned;
    request.disturbance.positioning_ns = std::llround(noise_.positioning_ns * normal(random));
    const Nanoseconds issued = std::max(free, seen->issued_ns + held);
    free = engine_.service(request, issued + on_its_way_ns()).completion_ns;
    responses_[i] = free - issued;
  }
}

// One-block reads all over the drive.
void ModelAnswers::draw_before(Nanoseconds begin_ns) {
  for (int i = 0; i < draws_; ++i) {
    engine::Request request;
    request.lbn = engine_.blocks() / static_cast<std::uint64_t>(draws_) *
                  static_cast<std::uint64_t>(i);
    engine_.service(request, begin_ns + i * kLongBefore / (draws_ + 1));
  }
}

}  // namespace platter::cache_check
