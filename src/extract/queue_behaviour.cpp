#include "extract/queue_behaviour.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "extract/self_validation.h"
#include "model/known.h"
#include "mtbrc/several_reads.h"
#include "replay/replay_model.h"
#include "statistics/robust.h"

namespace platter::extract {
namespace {

struct Read {
  std::uint64_t lbn = 0;
  std::uint32_t blocks = 1;
};

// How the reads are sent: a drive whose cache cannot be switched off needs FUA.
struct Form {
  std::uint32_t block_bytes = 512;
  scsi::CacheBits bits{};
};

scsi::Command command_for(const Read& read, const Form& form) {
  return mtbrc::read_without_data(read.lbn, read.blocks, form.block_bytes, form.bits);
}

// The drive is busy with the first when the others come: which of them it serves next is its choice
// alone, not that of their arrivals.
constexpr Nanoseconds kHeadStart_ns = 300 * kMicrosecond;

std::vector<scsi::Completion> all_of(scsi::Device& device, const std::vector<Read>& reads,
                                     const Form& form) {
  std::vector<scsi::Completion> done(reads.size());
  const auto keep = [&](std::optional<scsi::Completion> completion) {
    if (!completion || completion->tag == 0 || completion->tag > reads.size())
      throw Error(ExitStatus::protocol,
                  device.name() + " has lost one of several commands that it had accepted");
    done[completion->tag - 1] = std::move(*completion);
  };
  std::size_t missing = reads.size();
  for (std::uint32_t i = 0; i < reads.size(); ++i) {
    mtbrc::value_of(device.submit(command_for(reads[i], form), i + 1));
    if (i > 0) continue;
    if (auto early = mtbrc::value_of(device.reap_until(device.clock().now_ns() + kHeadStart_ns))) {
      keep(std::move(early));
      --missing;
    }
  }
  for (; missing > 0; --missing) keep(mtbrc::value_of(device.reap()));
  return done;
}

// The first, and the others together; the completions in the order of the reads.
std::vector<scsi::Completion> together(scsi::Device& device, const std::vector<Read>& reads,
                                       const Form& form) {
  try {
    return all_of(device, reads, form);
  } catch (...) {
    scsi::drain(device, reads.size());
    throw;
  }
}

constexpr std::uint32_t kMoreThanChance = 3;  // refusals with as many outstanding as ever were

bool refused(const scsi::Completion& done) {
  return done.status == scsi::Status::task_set_full || done.status == scsi::Status::busy;
}

// How many commands the drive holds. A drive that is BUSY by chance refuses with any number
// outstanding; one that is full refuses all that come while it holds so many.
struct Depth {
  std::uint32_t most = 0;               // outstanding after a command was accepted
  std::uint32_t refused_when_full = 0;  // commands that came with so many outstanding
};

Depth depth_of(const std::vector<scsi::Completion>& done) {
  // What completes a moment later may have left the drive already: the host hears of it late.
  constexpr Nanoseconds kMoment_ns = 300 * kMicrosecond;
  const auto outstanding = [&done](std::size_t i, Nanoseconds beyond_ns) {
    std::uint32_t count = 0;
    for (std::size_t j = 0; j < i; ++j)
      count += !refused(done[j]) && done[j].completed_ns > done[i].issued_ns + beyond_ns ? 1 : 0;
    return count;
  };
  Depth depth;
  for (std::size_t i = 0; i < done.size(); ++i)
    if (!refused(done[i])) depth.most = std::max(depth.most, outstanding(i, kMoment_ns) + 1);
  for (std::size_t i = 0; i < done.size(); ++i)
    if (refused(done[i]) && outstanding(i, 0) >= depth.most) ++depth.refused_when_full;
  return depth;
}

bool all_good(const std::vector<scsi::Completion>& done) {
  return std::ranges::all_of(done, mtbrc::came_whole);
}

// Reads a quarter of a turn apart, so that the many of them take little time.
std::vector<Read> quarter_turns_from(std::uint64_t start, std::uint64_t step,
                                     const scsi::Drive& drive, std::uint32_t count) {
  std::vector<Read> reads;
  for (std::uint64_t i = 0; reads.size() < count; ++i)
    if (const std::uint64_t lbn = (start + i * step) % drive.blocks(); !drive.leaves_out(lbn, 1))
      reads.push_back({lbn});
  return reads;
}

// Where a cache may answer, of blocks that had not been read before.
std::vector<Read> quarter_turns(mtbrc::Context& context, std::uint32_t count) {
  constexpr int kTries = 100;
  scsi::Drive& drive = context.drive;
  const std::uint64_t start = drive.blocks() / 3;
  const std::uint64_t step = std::max<std::uint64_t>(
      1, context.map->track_of_slot(context.map->slot_of_lbn(start)).sectors / 4);
  std::vector<Read> reads = quarter_turns_from(start, step, drive, count);
  const auto was_read = [&drive](const Read& read) { return drive.was_read(read.lbn); };
  for (int i = 0;
       context.reads_may_be_cached() && i < kTries && std::ranges::any_of(reads, was_read); ++i)
    reads = quarter_turns_from(context.random() % drive.blocks(), step, drive, count);
  for (const Read& read : reads) drive.note_read(read.lbn, 1);
  return reads;
}

// Where the path hides what the drive refuses, and sends it again by itself: whether it does so of
// that many reads at once, each time. Once may be chance.
bool refuses_some(scsi::Device& device, mtbrc::Context& context, const Form& form,
                  std::uint32_t count, QueueSamples& samples) {
  for (std::uint32_t round = 0; round < kMoreThanChance; ++round) {
    const std::uint64_t before = device.sent_again();
    samples.commands += together(device, quarter_turns(context, count), form).size();
    if (device.sent_again() == before) return false;
  }
  return true;
}

// The most of which it refuses none, if `many` are too many.
std::uint32_t most_not_refused(scsi::Device& device, mtbrc::Context& context, const Form& form,
                               std::uint32_t many, QueueSamples& samples) {
  std::uint32_t few = 1;
  while (many - few > 1) {
    const std::uint32_t middle = few + (many - few) / 2;
    (refuses_some(device, context, form, middle, samples) ? many : few) = middle;
  }
  return few;
}

// Commands that left at the same time reach the drive one after the other.
replay::Result one_after_the_other(replay::Result reads) {
  for (std::size_t i = 1; i < reads.requests.size(); ++i) {
    replay::Response& read = reads.requests[i];
    const Nanoseconds later_ns = reads.requests[i - 1].issue_ns + kMicrosecond - read.issue_ns;
    if (later_ns <= 0) continue;
    read.issue_ns += later_ns;
    read.response_ns -= later_ns;
  }
  return reads;
}

// What the model does with the same reads at the same times, under one policy.
replay::Result replayed(const replay::Subject& model, const replay::Result& reads,
                        engine::Scheduler scheduler) {
  trace::Trace trace;
  for (const replay::Response& read : reads.requests)
    trace.requests.push_back({.arrival_ns = read.issue_ns, .lbn = read.lbn, .blocks = read.blocks});
  return replay::replay_on_model(model, trace,
                                 {.caches = replay::Caches::off,
                                  .queue = engine::QueueSettings{scheduler, 0, 0},
                                  .like = &reads});
}

// The arm that reaches a block; 0 of a drive with one.
std::uint32_t arm_of(std::uint64_t lbn, const model::DriveModel& model) {
  if (model.arms)
    for (const model::ArmRange& range : model.arms->ranges)
      if (lbn <= range.last_lbn) return range.arm;
  return 0;
}

// Of the pairs of a batch, the share that completed in the same order on both sides. Each arm has
// its own queue: what another one does in the meantime tells nothing of its order.
double agreement(const std::vector<replay::Response>& a, const std::vector<replay::Response>& b,
                 std::size_t begin, std::size_t end, const model::DriveModel& model) {
  double same = 0, all = 0;
  for (std::size_t i = begin; i < end; ++i)
    for (std::size_t j = i + 1; j < end; ++j) {
      if (arm_of(a[i].lbn, model) != arm_of(a[j].lbn, model)) continue;
      ++all;
      same += (a[i].completion_ns() < a[j].completion_ns()) ==
              (b[i].completion_ns() < b[j].completion_ns());
    }
  return all > 0 ? same / all : 1;
}

// The order of sending, as completions.
std::vector<replay::Response> as_sent(const replay::Result& reads) {
  auto rows = reads.requests;
  Nanoseconds turn = 0;
  for (replay::Response& row : rows) row.response_ns = ++turn, row.issue_ns = 0;
  return rows;
}

struct Candidate {
  engine::Scheduler scheduler;
  double number;  // DiskSim's
};

constexpr std::array<Candidate, 4> kReordering{{{engine::Scheduler::look, 2},
                                                {engine::Scheduler::c_look, 3},
                                                {engine::Scheduler::sstf, 4},
                                                {engine::Scheduler::sptf, 8}}};

constexpr double kExplains = 0.8;  // of the pairs; by chance half of them agree

using Shares = std::vector<double>;  // by batch

Shares shares_of(const QueueSamples& samples, const std::vector<replay::Response>& rows,
                 const model::DriveModel& model) {
  Shares shares;
  const auto& reads = samples.reads.requests;
  for (std::size_t b = 0; b < samples.begins.size(); ++b) {
    const std::size_t end = b + 1 < samples.begins.size() ? samples.begins[b + 1] - 1
                                                          : reads.size();
    shares.push_back(agreement(reads, rows, samples.begins[b], end, model));
  }
  return shares;
}

double mean(const Shares& shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size());
}

// Paired over the batches: whether the first explains more than the second, by two standard errors.
bool clearly_better(const Shares& a, const Shares& b) {
  const statistics::Estimate gain = statistics::mean_difference(a, b);
  return gain.value > 2 * gain.error;
}

void estimate_policy(const QueueSamples& samples, const model::DriveModel& model,
                     model::Parameter& policy) {
  policy.unit = "";
  policy.samples = samples.reads.requests.size();
  const Shares in_turn = shares_of(samples, as_sent(samples.reads), model);
  if (mean(in_turn) == 1) {
    policy.value = 1;
    policy.method = fmt::format("{} batches completed in the order in which they were sent",
                                samples.begins.size());
    return;
  }
  if (what_prevents_prediction(model)) {
    policy.reason = fmt::format(
        "the drive reorders: {:.0f} % of the pairs of {} batches are in the order in which they "
        "were "
        "sent; by which rule, only a model that predicts would tell",
        100 * mean(in_turn), samples.begins.size());
    return;
  }
  const replay::Subject subject = replay::subject_of(model);
  const replay::Result reads = one_after_the_other(samples.reads);
  std::vector<Shares> shares;
  for (const Candidate& candidate : kReordering)
    shares.push_back(
        shares_of(samples, replayed(subject, reads, candidate.scheduler).requests, model));
  const auto best =
      static_cast<std::size_t>(std::ranges::max_element(shares, {}, mean) - shares.begin());
  const auto name = [&](std::size_t i) { return replay::name_of(kReordering[i].scheduler); };
  if (mean(shares[best]) < kExplains) {
    policy.reason = fmt::format(
        "the drive reorders, and none of the known ways explains it: the nearest, {}, has {:.0f} % "
        "of "
        "the pairs in the drive's order",
        name(best), 100 * mean(shares[best]));
    return;
  }
  policy.value = kReordering[best].number;
  policy.method = fmt::format("{} has {:.0f} % of the pairs of {} batches in the drive's order",
                              name(best), 100 * mean(shares[best]), samples.begins.size());
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (i != best && !clearly_better(shares[best], shares[i]))
      policy.method += fmt::format("; {} {:.0f} %, no clear difference", name(i),
                                   100 * mean(shares[i]));
}

// How many the drive takes at once, and whether it refuses those beyond: more than once where some
// were refused, and it may have been chance.
void find_depth(scsi::Device& device, mtbrc::Context& context, const Form& form,
                QueueSamples& samples) {
  const std::uint64_t sent_again = device.sent_again();
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    const auto many = together(device, quarter_turns(context, samples.asked), form);
    samples.commands += many.size();
    const Depth depth = depth_of(many);
    if (depth.most > samples.taken) {
      samples.taken = depth.most;
      samples.refused_when_full = 0;
    }
    if (depth.most == samples.taken) samples.refused_when_full += depth.refused_when_full;
    if (std::ranges::none_of(many, refused) || samples.refused_when_full >= kMoreThanChance) break;
  }
  if (device.sent_again() > sent_again &&
      refuses_some(device, context, form, samples.asked, samples)) {
    samples.taken = most_not_refused(device, context, form, samples.asked, samples);
    samples.refused_when_full = kMoreThanChance;
  }
}

std::vector<Read> random_reads(mtbrc::Context& context, std::uint32_t count) {
  const std::uint64_t blocks = context.drive.blocks();
  std::vector<Read> reads(count);
  for (Read& read : reads) {
    do read.lbn = context.random() % blocks;
    while (context.drive.leaves_out(read.lbn, 1) ||
           (context.reads_may_be_cached() && context.drive.was_read(read.lbn)));
    context.drive.note_read(read.lbn, 1);
  }
  return reads;
}

// Batches of as many as the drive takes, less one, behind one that keeps it busy.
void send_batches_of_reads(scsi::Device& device, mtbrc::Context& context, const Form& form,
                           const QueueOptions& options, QueueSamples& samples) {
  replay::Result& result = samples.reads;
  const std::uint32_t each = std::min(options.batch_reads, samples.taken - 1);
  result.depth = each;
  const Nanoseconds start_ns = context.drive.now_ns();
  const auto keep = [&](const Read& read, const scsi::Completion& done) {
    result.requests.push_back({.lbn = read.lbn,
                               .blocks = read.blocks,
                               .due_ns = done.issued_ns - start_ns,
                               .issue_ns = done.issued_ns - start_ns,
                               .response_ns = done.response_ns()});
  };
  // A batch of which the drive refused a part tells nothing; there may be many of them.
  constexpr std::uint32_t kMoreTries = 4;
  const mtbrc::Meter meter(context);
  for (std::uint32_t batch = 0; samples.taken > 2 && samples.begins.size() < options.batches &&
                                batch < kMoreTries * options.batches && !meter.exhausted();
       ++batch) {
    const std::vector<Read> reads = random_reads(context, each + 1);
    const auto done = together(device, reads, form);
    samples.commands += reads.size();
    context.report("", static_cast<double>(samples.begins.size() + 1) / options.batches);
    if (!all_good(done)) continue;
    samples.begins.push_back(result.requests.size() + 1);
    for (std::size_t i = 0; i < done.size(); ++i) keep(reads[i], done[i]);
  }
}

}  // namespace

QueueSamples queue_samples(scsi::Device& device, mtbrc::Context& context,
                           const QueueOptions& options) {
  QueueSamples samples;
  samples.asked = std::min(device.max_outstanding(), options.most_outstanding);
  if (samples.asked < 2) return samples;
  const std::uint32_t block_bytes = context.drive.block_bytes();
  const Form form{block_bytes, {.force_unit_access = context.drive.settings().forces_reads()}};
  device.prepare_for(samples.asked);
  context.drive.test_unit_ready();
  find_depth(device, context, form, samples);
  samples.reads.target = replay::Result::Target::drive;
  samples.reads.kind = trace::Kind::open;
  samples.reads.caches = "off";
  samples.reads.block_bytes = block_bytes;
  send_batches_of_reads(device, context, form, options, samples);
  return samples;
}

model::Queue estimate_queue(const QueueSamples& samples, const model::DriveModel& model) {
  model::Queue queue = model.queue;
  queue.depth = queue.policy = {};
  if (samples.asked < 2) {
    queue.depth.reason = queue.policy.reason =
        "not measured: the path to the drive takes one command at a time";
    return queue;
  }
  if (samples.refused_when_full >= kMoreThanChance) {
    queue.depth.value = samples.taken;
    queue.depth.method = fmt::format(
        "of {} commands at once, those beyond got TASK SET FULL or BUSY", samples.asked);
  } else {
    queue.depth = model::at_least(samples.taken,
                                  samples.taken < samples.asked
                                      ? "where more were refused, others were not"
                                      : "more were not tried, or the path takes no more");
    queue.depth.method = "commands at once";
  }
  queue.depth.samples = samples.asked;
  if (samples.begins.size() < 4)
    queue.policy.reason = "too few batches of commands were completed";
  else
    estimate_policy(samples, model, queue.policy);
  return queue;
}

}  // namespace platter::extract
