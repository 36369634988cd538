#include <fmt/format.h>

#include "cache_check/check.h"
#include "cache_probe/streams.h"
#include "engine/engine.h"
#include "model/error.h"
#include "model/interruption.h"

namespace platter::cache_check {
namespace {

using cache_probe::Observation;
using cache_probe::Record;
using Run = std::vector<const Observation*>;

// Chosen: a read of a quarter of a track takes a quarter of a revolution and a way between tracks;
// one that comes too late takes a whole one more.
constexpr double kLost_rev = 0.8;
// Chosen: what hosts' tails and the drive's retries do to a few.
constexpr double kSeldom = 0.2, kOften = 0.4;
constexpr std::uint64_t kFewestReads = 16;

struct Counted {
  std::uint64_t lost = 0, all = 0;
  double share() const { return static_cast<double>(lost) / static_cast<double>(all); }
};

Counted lost_by_drive(const std::vector<Run>& runs, double period_ns) {
  Counted counted;
  for (const Run& run : runs)
    for (const Observation* seen : run)
      if (seen->x > 1) {
        ++counted.all;
        counted.lost += static_cast<double>(seen->response_ns()) > kLost_rev * period_ns;
      }
  return counted;
}

Counted lost_by_model(const std::vector<Run>& runs, const model::DriveModel& model) {
  Counted counted;
  engine::Engine engine(model);
  const auto period_ns = static_cast<double>(engine.period_ns());
  for (const Run& run : runs) {
    stop_if_asked();
    engine.reset(run.front()->issued_ns);
    Nanoseconds free = run.front()->issued_ns;
    for (const Observation* seen : run) {
      engine::Request request;
      request.lbn = seen->lbn;
      request.blocks = seen->blocks;
      const Nanoseconds issued = free;
      free = engine.service(request, issued).completion_ns;
      if (seen->x == 1) continue;
      ++counted.all;
      counted.lost += static_cast<double>(free - issued) > kLost_rev * period_ns;
    }
  }
  return counted;
}

}  // namespace

void look_by_reads_without_pause(const Record& record, model::DriveModel& model) {
  model::Parameter& almost = model.cache.almost_read_hits;
  const std::vector<Run> runs = cache_probe::reads_without_pause(record);
  const Counted drive = lost_by_drive(runs, record.setting.period_ns);
  if (almost || drive.all < kFewestReads) return;
  if (drive.share() > kSeldom && drive.share() < kOften) return;
  const bool keeps_up = drive.share() <= kSeldom;
  try {
    model::DriveModel with = model;
    double share[2] = {};
    for (const int value : {0, 1}) {
      with.cache.almost_read_hits = {};
      with.cache.almost_read_hits.value = value;
      share[value] = lost_by_model(runs, with).share();
    }
    if (share[0] < kOften || share[1] > kSeldom) return;  // they say the same
    almost = {};
    almost.value = keeps_up ? 1 : 0;
    almost.samples = drive.all;
    almost.method = fmt::format(
        "sequential reads without a pause: {} of {} came a revolution late; of the model's {:.0f} "
        "% "
        "do if a block that is just being read is none of the buffer, else {:.0f} %",
        drive.lost, drive.all, 100 * share[0], 100 * share[1]);
  } catch (const Error& error) {  // check_answers() says why the model answers nothing
    let_interruptions_pass(error);
  }
}

}  // namespace platter::cache_check
