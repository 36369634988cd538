#include "workloads.h"

#include <algorithm>
#include <random>

#include "engine/engine.h"
#include "engine/tables.h"
#include "model/error.h"
#include "model/validate.h"

namespace platter::bench {
namespace {

using engine::Engine;
using model::DriveModel;

constexpr std::size_t kRequests = 4000;
constexpr double kUsed = 0.9;  // of the blocks: a changed layout may have fewer

// Draws what the workloads are made of.
class Maker {
 public:
  explicit Maker(std::uint64_t blocks, std::uint64_t seed) : blocks_(blocks), random_(seed) {}

  std::uint64_t below(std::uint64_t limit) { return limit == 0 ? 0 : random_() % limit; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  std::uint64_t anywhere() { return below(blocks_ - 4096); }
  std::uint32_t length() {
    constexpr std::uint32_t kLengths[] = {1, 2, 4, 8, 16, 16, 24, 64, 128, 512};
    return one_in(8) ? 1 + static_cast<std::uint32_t>(below(600))
                     : kLengths[below(std::size(kLengths))];
  }
  // Mostly none or a short one, now and then so long that a drive does what it has put off.
  Nanoseconds pause_ns() {
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        return 0;
      case 3:
      case 4:
        return static_cast<Nanoseconds>(below(2 * kMillisecond));
      case 5:
      case 6:
        return static_cast<Nanoseconds>(below(72 * kMillisecond));
      default:
        return one_in(6) ? 3 * kSecond : static_cast<Nanoseconds>(below(600 * kMillisecond));
    }
  }
  Step step(std::uint64_t lbn, std::uint32_t blocks, bool write, Nanoseconds pause_ns) {
    Step step;
    step.request.lbn = std::min(lbn, blocks_ - blocks);
    step.request.blocks = blocks;
    step.request.write = write;
    step.pause_ns = pause_ns;
    return step;
  }

 private:
  std::uint64_t blocks_;
  std::mt19937_64 random_;
};

Workload random_requests(Maker& make, bool caches) {
  Workload made{.name = caches ? "random, caches on" : "random, caches off", .caches = caches};
  for (std::size_t i = 0; i < kRequests; ++i)
    made.steps.push_back(
        make.step(make.anywhere(), make.length(), make.one_in(3), make.pause_ns()));
  return made;
}

// The places where a layout does something: zones, skips and remaps, and a cylinder or so around
// them.
Workload places(Maker& make, const DriveModel& model, const Engine& engine) {
  Workload made{.name = "where the layout changes", .caches = false};
  std::vector<std::uint64_t> lbns;
  const auto add_slot = [&](std::uint64_t slot) {
    lbns.push_back(engine.layout().lbn_at_or_after_slot(slot));
  };
  for (const std::uint64_t slot : model::zone_starts(model.layout)) add_slot(slot);
  const std::size_t every = std::max<std::size_t>(1, model.layout.skips.size() / 300);
  for (std::size_t i = 0; i < model.layout.skips.size(); i += every) {
    const model::Skip& skip = model.layout.skips[i];
    add_slot(skip.first_slot);
    add_slot(skip.first_slot + skip.stride);
    add_slot(skip.first_slot + skip.stride * (skip.count - 1));
  }
  for (const model::Remap& remap : model.layout.remaps) lbns.push_back(remap.lbn);
  const auto blocks = static_cast<std::uint64_t>(kUsed * static_cast<double>(engine.blocks()));
  for (const std::uint64_t lbn : lbns)
    for (const int offset : {-400, -1, 0, 1, 400})
      if (const std::uint64_t at = lbn + static_cast<std::uint64_t>(offset); at < blocks)
        made.steps.push_back(make.step(at, offset % 2 == 0 ? 1 : 8, make.one_in(3), 0));
  return made;
}

// Neighbouring tracks and cylinders, back to back.
Workload short_moves(Maker& make) {
  Workload made{.name = "short moves, caches off", .caches = false};
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < kRequests; ++i) {
    at = make.one_in(8) ? make.anywhere() : at + make.below(20'000);
    made.steps.push_back(make.step(at, make.length(), make.one_in(3), 0));
  }
  return made;
}

// Several streams that carry on from themselves, of any number, with what a drive holds of them
// asked for again, a little in front or behind, and read behind writes.
Workload streams(Maker& make, std::string name, std::uint64_t one_write_in, bool forced) {
  Workload made{.name = std::move(name)};
  std::vector<std::uint64_t> heads;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < 3 * kRequests; ++i) {
    if (i % 200 == 0) {
      const std::uint64_t count = std::uint64_t{1} << make.below(7);
      heads.resize(count);
      for (std::uint64_t& head : heads) head = make.anywhere();
    }
    std::uint64_t& head = heads[make.below(heads.size())];
    const std::uint32_t blocks = make.length();
    std::uint64_t lbn = head;
    switch (make.below(8)) {
      case 0:
        lbn = before;
        break;
      case 1:
        lbn -= std::min(lbn, make.below(64));
        break;
      case 2:
        lbn += make.below(200);
        break;
      default:
        head += blocks;
    }
    Step step = make.step(lbn, blocks, one_write_in > 0 && make.one_in(one_write_in),
                          make.pause_ns());
    if (forced) step.request.force_unit_access = make.one_in(10);
    if (forced && make.one_in(40)) step.kind = Step::Kind::synchronize;
    before = lbn;
    made.steps.push_back(step);
  }
  return made;
}

// More at once than a drive takes, then fewer, among them what the buffer may hold.
Workload bursts(Maker& make, bool caches) {
  Workload made{
      .name = caches ? "several outstanding, caches on" : "several outstanding, caches off",
      .caches = caches,
      .outstanding = true};
  std::uint64_t near = make.anywhere();
  for (std::size_t i = 0; i < kRequests; ++i) {
    if (make.one_in(30)) near = make.anywhere();
    const std::uint64_t lbn = make.one_in(3) ? near + make.below(200) : make.anywhere();
    const bool pause = make.one_in(1 + (i / 100) % 80);
    made.steps.push_back(
        make.step(lbn, make.length(), make.one_in(3),
                  pause ? static_cast<Nanoseconds>(make.below(200 * kMillisecond)) : 0));
  }
  return made;
}

std::vector<Nanoseconds> one_at_a_time(Engine& engine, const Workload& workload) {
  std::vector<Nanoseconds> times;
  Nanoseconds now_ns = 0;
  for (const Step& step : workload.steps) {
    now_ns += step.pause_ns;
    now_ns = step.kind == Step::Kind::synchronize
                 ? engine.synchronize(now_ns)
                 : engine.service(step.request, now_ns).completion_ns;
    times.push_back(now_ns);
  }
  return times;
}

std::vector<Nanoseconds> many_at_once(Engine& engine, const Workload& workload) {
  std::vector<Nanoseconds> times(workload.steps.size());
  Nanoseconds now_ns = 0;
  const auto take = [&] {
    const auto done = engine.next_completion();
    if (!done) return false;
    times[done->tag] = done->completion_ns;
    now_ns = std::max(now_ns, done->completion_ns);
    return true;
  };
  for (std::size_t i = 0; i < workload.steps.size(); ++i) {
    if (workload.steps[i].pause_ns > 0)
      while (take()) {
      }
    now_ns += workload.steps[i].pause_ns;
    engine::Request request = workload.steps[i].request;
    request.tag = static_cast<std::uint32_t>(i);
    while (!engine.submit(request, now_ns))
      if (!take()) break;
  }
  while (take()) {
  }
  return times;
}

std::vector<Nanoseconds> answers_of(const DriveModel& model, const Workload& workload) {
  Engine engine(model);
  for (const Step& step : workload.steps)
    if (step.request.lbn + step.request.blocks > engine.blocks())
      throw Error(ExitStatus::bad_input, "the changed layout is too small");
  if (!workload.caches)
    engine.set_cache({.read_cache = false, .write_cache = false, .read_ahead = false}, 0);
  return workload.outstanding ? many_at_once(engine, workload) : one_at_a_time(engine, workload);
}

// A changed layout may have other numbers of blocks, heads and cylinders.
void make_whole(DriveModel& model) {
  model.identity.blocks = std::min(model.identity.blocks, model::count_blocks(model.layout));
  model.validity = {};
  if (model.imperfections) model.imperfections->medium_errors.clear();
}

}  // namespace

Predictions::Predictions(const DriveModel& model) : model_(model) {
  const Engine engine(model);
  const auto blocks = static_cast<std::uint64_t>(kUsed * static_cast<double>(engine.blocks()));
  Maker make(blocks, 20261121);
  workloads_.push_back(random_requests(make, false));
  workloads_.push_back(short_moves(make));
  workloads_.push_back(places(make, model, engine));
  workloads_.push_back(random_requests(make, true));
  workloads_.push_back(streams(make, "sequential streams of reads", 0, false));
  workloads_.push_back(streams(make, "sequential streams, mixed", 3, false));
  workloads_.push_back(streams(make, "sequential streams of writes", 1, false));
  workloads_.push_back(streams(make, "mixed, FUA and SYNCHRONIZE CACHE", 2, true));
  workloads_.push_back(bursts(make, false));
  workloads_.push_back(bursts(make, true));
  for (const Workload& workload : workloads_) answers_.push_back(answers_of(model_, workload));
}

std::vector<std::string> Predictions::workloads() const {
  std::vector<std::string> names;
  for (const Workload& workload : workloads_) names.push_back(workload.name);
  return names;
}

std::string Predictions::changed_by(const Change& change) const {
  try {
    DriveModel other = model_;
    change(other);
    make_whole(other);
    model::validate(other, "the changed model");
    for (std::size_t i = 0; i < workloads_.size(); ++i)
      if (answers_of(other, workloads_[i]) != answers_[i]) return workloads_[i].name;
  } catch (const Error&) {
    return "";
  }
  return "";
}

}  // namespace platter::bench
