#include "extract/reads_in_a_row.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "cache_check/lookup_delay.h"
#include "replay/replay_model.h"
#include "scsi/drive.h"
#include "statistics/robust.h"
#include "trace/trace.h"

namespace platter::extract {
namespace {

constexpr std::uint64_t kPlaces = 8, kInRow = 64;
constexpr std::uint32_t kBytes = 64 * 1024;
constexpr std::uint64_t kDraws = 8;   // of the model's delays
constexpr double kLost_rev = 0.5;     // beyond what such a read usually takes
constexpr double kClearly = 0.01;     // of the reads
constexpr double kNearlyAll = 0.9;    // of a delay: one that is still there
constexpr double kOtherwise = 0.002;  // of the reads: late for another reason
constexpr int kStepsInError = 4, kErrors = 3;
constexpr double kLikely = 4;  // Poisson's standard deviations

trace::Trace rows_of(const model::DriveModel& model, std::uint32_t most_blocks) {
  const std::uint32_t blocks = std::clamp(kBytes / model.identity.block_bytes, 1U, most_blocks);
  trace::Trace trace{.kind = trace::Kind::closed, .name = "reads in a row", .requests = {}};
  const std::uint64_t between = model.identity.blocks / kPlaces;
  if (between < 2 * kInRow * blocks) return trace;
  for (std::uint64_t place = 0; place < kPlaces; ++place)
    for (std::uint64_t i = 0; i < kInRow; ++i)
      trace.requests.push_back(
          {.lbn = place * between + between / 2 + i * blocks, .blocks = blocks});
  return trace;
}

trace::Trace reads_of(const replay::Result& drive) {
  trace::Trace trace{.kind = trace::Kind::closed, .name = drive.trace, .requests = {}};
  for (const replay::Response& read : drive.requests)
    trace.requests.push_back({.lbn = read.lbn, .blocks = read.blocks});
  return trace;
}

struct Lost {
  double reads = 0, of = 0;
};

// Of the reads that carry on from the one before.
Lost lost_of(const std::vector<replay::Response>& reads, double period_ns) {
  std::vector<double> carried_on;
  for (std::size_t i = 1; i < reads.size(); ++i)
    if (reads[i].lbn == reads[i - 1].lbn + reads[i - 1].blocks)
      carried_on.push_back(static_cast<double>(reads[i].response_ns));
  if (carried_on.empty()) return {};
  const double late_ns = statistics::median(carried_on) + kLost_rev * period_ns;
  return {static_cast<double>(
              std::ranges::count_if(carried_on, [&](double ns) { return ns > late_ns; })),
          static_cast<double>(carried_on.size())};
}

// The mean over some draws of the delays.
double lost_by_model(const model::DriveModel& model, const trace::Trace& trace) {
  const replay::Subject subject = replay::subject_of(model);
  double lost = 0;
  for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
    const replay::Result result = replay::replay_on_model(
        subject, trace, {.reference_reads = 0, .delay_seed = seed});
    lost += lost_of(result.requests, model::revolution_ns(model.rotation)).reads;
  }
  return lost / static_cast<double>(kDraws);
}

bool knows_delays(const model::DriveModel& model) {
  const model::Parameter& lookup = model.overheads.per_request;
  return model.delay_spread && lookup && lookup.error.value_or(0) > 0;
}

// But for what is the same of all that may be expected.
double log_poisson(double lost, double expected) { return lost * std::log(expected) - expected; }

}  // namespace

bool hang_on_lookup(const model::DriveModel& model) {
  if (!knows_delays(model)) return false;
  const trace::Trace trace = rows_of(model, std::numeric_limits<std::uint32_t>::max());
  if (trace.requests.empty()) return false;
  const double later_ms = 2 * *model.overheads.per_request.error;
  const double sooner_ms = std::min(later_ms, kNearlyAll * *model.overheads.per_request.value);
  const double sooner = lost_by_model(cache_check::with_later_lookup(model, -sooner_ms), trace);
  const double later = lost_by_model(cache_check::with_later_lookup(model, later_ms), trace);
  return std::abs(sooner - later) > kClearly * static_cast<double>(trace.requests.size());
}

replay::Result reads_in_a_row(mtbrc::Context& context, const model::DriveModel& model) {
  scsi::Drive& drive = context.drive;
  replay::Result result;
  result.name = "the drive";
  result.kind = trace::Kind::closed;
  result.block_bytes = model.identity.block_bytes;
  const trace::Trace trace = rows_of(model, drive.most_blocks());
  result.trace = trace.name;
  const Nanoseconds start_ns = drive.now_ns();
  for (const trace::Request& read : trace.requests) {
    if (drive.leaves_out(read.lbn, read.blocks)) continue;
    try {
      const scsi::Completion done = drive.read(read.lbn, read.blocks);
      result.requests.push_back({.lbn = read.lbn,
                                 .blocks = read.blocks,
                                 .due_ns = done.issued_ns - start_ns,
                                 .issue_ns = done.issued_ns - start_ns,
                                 .response_ns = done.response_ns()});
    } catch (const scsi::DriveError& error) {
      if (!error.may_do_elsewhere()) throw;
    }
    context.report("", static_cast<double>(result.requests.size()) /
                           static_cast<double>(trace.requests.size()));
  }
  return result;
}

void sharpen_lookup(const replay::Result& drive, model::DriveModel& model) {
  const Lost seen = lost_of(drive.requests, model::revolution_ns(model.rotation));
  if (!knows_delays(model) || seen.of == 0) return;
  const double error_ms = *model.overheads.per_request.error;
  const trace::Trace trace = reads_of(drive);
  struct Tried {
    double by_ms, expected, log_likelihood;
  };
  std::vector<Tried> tried;
  for (int step = -kErrors * kStepsInError; step <= kErrors * kStepsInError; ++step) {
    const double errors = static_cast<double>(step) / kStepsInError, by_ms = errors * error_ms;
    if (*model.overheads.per_request.value + by_ms <= 0) continue;
    const double expected = lost_by_model(cache_check::with_later_lookup(model, by_ms), trace) +
                            kOtherwise * seen.of;
    tried.push_back({by_ms, expected, log_poisson(seen.reads, expected) - errors * errors / 2});
  }
  const Tried best = *std::ranges::max_element(tried, {}, &Tried::log_likelihood);
  if (std::abs(seen.reads - best.expected) > kLikely * std::sqrt(best.expected) + 1) return;
  double all = 0, mean_ms = 0, square_ms = 0;
  for (const Tried& each : tried) {
    const double weight = std::exp(each.log_likelihood - best.log_likelihood);
    all += weight;
    mean_ms += weight * each.by_ms;
    square_ms += weight * each.by_ms * each.by_ms;
  }
  mean_ms /= all;
  // No finer than the steps.
  const double finest_ms = error_ms / kStepsInError / 2;
  const double spread_ms = std::sqrt(std::max(0.0, square_ms / all - mean_ms * mean_ms));
  cache_check::correct_lookup_delay(model.overheads, mean_ms, std::max(finest_ms, spread_ms));
  model::Parameter& lookup = model.overheads.per_request;
  lookup.samples += static_cast<std::uint64_t>(seen.of);
  lookup.method += "; and how many of reads in a row came too early";
}

}  // namespace platter::extract
