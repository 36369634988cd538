#include "calibrate/trials.h"

#include <cmath>
#include <cstdlib>

#include "engine/engine.h"
#include "engine/state.h"
#include "engine/tables.h"
#include "model/stand_ins.h"
#include "replay/hits.h"
#include "replay/replay_model.h"

namespace platter::calibrate {
namespace {

constexpr int kHalvings = 13;  // of a revolution: to 2 us and less

// How much longer positioning may take before the request loses a revolution.
Nanoseconds slack_ns(engine::Engine& engine, std::span<const std::byte> before,
                     engine::Request request, Nanoseconds issue_ns, Nanoseconds completion_ns,
                     double period_ns) {
  const auto late = static_cast<Nanoseconds>(period_ns / 2);
  Nanoseconds makes_it = 0, misses = static_cast<Nanoseconds>(period_ns);
  for (int i = 0; i < kHalvings; ++i) {
    const Nanoseconds middle = (makes_it + misses) / 2;
    request.disturbance.media_delay_ns = middle;
    engine.roll_back(before);
    const bool made = engine.service(request, issue_ns).completion_ns - completion_ns < late;
    (made ? makes_it : misses) = middle;
  }
  return makes_it;
}

// Where the arm is when a request comes: read-ahead has moved it since the one before.
engine::Arm arm_at(engine::Engine& engine, Nanoseconds now_ns) {
  engine.set_cache(engine.cache_settings(), now_ns);  // brings what goes on in the background to
                                                      // now
  return reinterpret_cast<const engine::State*>(engine.checkpoint().data())->core.arm;
}

engine::Request request_like(const replay::Response& theirs, replay::Caches caches) {
  engine::Request request;
  request.lbn = theirs.lbn;
  request.blocks = theirs.blocks;
  request.write = theirs.write;
  request.force_unit_access = caches == replay::Caches::forced;
  return request;
}

// By what whole revolutions leave of a longer response, and by how much later the drive could have
// been ready for the same passage.
void note_passage(Trial& trial, Nanoseconds longer_ns, Nanoseconds slack, double period_ns) {
  const auto longer = static_cast<double>(longer_ns);
  const double turns = std::round(longer / period_ns);
  trial.revolutions = static_cast<int>(turns);
  trial.left_ms = (longer - turns * period_ns) / 1e6;
  trial.high_ms = (static_cast<double>(slack) + turns * period_ns) / 1e6;
  trial.low_ms = trial.high_ms - period_ns / 1e6;
}

// From where the arm is to the first sector; and whether the track holds them all.
void note_way(Trial& trial, const engine::Arm& arm, const engine::Pbn& first,
              const engine::Pbn& last) {
  trial.distance = static_cast<std::uint32_t>(
      std::abs(static_cast<long>(first.cylinder) - static_cast<long>(arm.cylinder)));
  trial.inward = first.cylinder > arm.cylinder;
  trial.other_head = first.head != arm.head;
  trial.one_track = first.cylinder == last.cylinder && first.head == last.head;
}

// A write for which drives with such an overhead disconnect once more.
bool disconnects_once_more(const model::DriveModel& model, const replay::Response& previous,
                           const replay::Response& theirs, bool after_write) {
  return model::acting(model, model.overheads.extra_write_disconnect) != 0 && theirs.write &&
         after_write && theirs.lbn != previous.lbn + previous.blocks;
}

}  // namespace

std::vector<Trial> trials_of(const model::DriveModel& model, const Measurement& measured,
                             Range part, const Phase& phase) {
  const replay::Subject subject = replay::subject_of(model);
  engine::Engine engine(subject.tables);
  const engine::LayoutMap& layout = subject.tables->layout;
  const double period_ns = static_cast<double>(subject.tables->motion.numerator_ns) /
                           static_cast<double>(subject.tables->motion.denominator);
  const replay::Caches caches = replay::caches_of(measured.drive().caches);
  if (caches == replay::Caches::off)
    engine.set_cache({.read_cache = false, .write_cache = false, .read_ahead = false}, 0);
  const replay::HitRule rule = replay::HitRule::of_period(period_ns,
                                                          subject.block_transfer_ns.value_or(0));
  std::vector<Trial> trials;
  std::vector<std::byte> before;
  bool after_write = false;
  for (std::size_t i = 0; i < part.end; ++i) {
    const replay::Response& theirs = measured.drive().requests[i];
    engine::Request request = request_like(theirs, caches);
    const double lead =
        phase.at(static_cast<double>(theirs.completion_ns()), command_of(theirs.write, after_write))
            .value_or(0);
    request.disturbance.phase_ns = static_cast<Nanoseconds>(std::llround(-lead * period_ns));
    const std::span<const std::byte> now = engine.checkpoint();
    before.assign(now.begin(), now.end());
    const engine::Completion done = engine.service(request, theirs.issue_ns);
    replay::Response mine = theirs;
    mine.media = !done.cache_hit;
    if (part.contains(i) && i > 0 && rule.both_from_media(theirs, mine)) {
      Trial trial;
      trial.request = i;
      note_passage(
          trial, theirs.completion_ns() - done.completion_ns,
          slack_ns(engine, before, request, theirs.issue_ns, done.completion_ns, period_ns),
          period_ns);
      engine.roll_back(before);
      note_way(trial, arm_at(engine, theirs.issue_ns), layout.pbn_of_lbn(theirs.lbn),
               layout.pbn_of_lbn(theirs.lbn + theirs.blocks - 1));
      engine.roll_back(before);
      engine.service(request, theirs.issue_ns);
      trial.write = theirs.write;
      trial.after_write = after_write;
      trial.extra = disconnects_once_more(model, measured.drive().requests[i - 1], theirs,
                                          after_write);
      trials.push_back(trial);
    }
    after_write = theirs.write;
  }
  return trials;
}

}  // namespace platter::calibrate
