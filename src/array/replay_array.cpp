#include "array/replay_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include "engine/engine.h"
#include "model/error.h"
#include "replay/shaped.h"
#include "trace/fit.h"

namespace platter::array {
namespace {

// Of which the level is one: md makes a RAID 0 of a single member when forced to, and a RAID 5 of
// two, which is a mirror.
std::uint32_t fewest_members(Level level) { return level == Level::raid5 ? 3 : 2; }

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ExitStatus::usage, sentence); }

void require_enough(Level level, std::size_t members) {
  if (members < fewest_members(level))
    refuse(
        fmt::format("--array {} needs at least {} members, and {} {} given; name more models "
                    "with --on",
                    name_of(level), fewest_members(level), members, members == 1 ? "is" : "are"));
}

void require_one_block_size(const std::vector<replay::Subject>& members) {
  for (const replay::Subject& member : members)
    if (member.block_bytes != members.front().block_bytes)
      refuse(fmt::format(
          "--array: {} has blocks of {} bytes and {} of {}; name members of one "
          "block size",
          members.front().name, members.front().block_bytes, member.name, member.block_bytes));
}

void require_chunk(const ArrayPlan& plan, std::uint32_t block_bytes, std::uint64_t member_blocks) {
  if (plan.level == Level::raid1) return;
  const std::uint32_t unit = plan.level == Level::raid5 ? std::max(kPageBytes, block_bytes)
                                                        : block_bytes;
  if (plan.chunk_bytes == 0 || plan.chunk_bytes % unit != 0)
    refuse(fmt::format("--stripe: {} bytes are no multiple of {}, {}; give one", plan.chunk_bytes,
                       unit,
                       plan.level == Level::raid5 ? "of which RAID 5's stripes are made"
                                                  : "the members' block size"));
  if (plan.chunk_bytes / block_bytes > member_blocks)
    refuse(fmt::format("--stripe: {} bytes are more than the smallest member has; give less",
                       plan.chunk_bytes));
}

std::optional<Failure> failure_of(const ArrayPlan& plan, std::size_t members) {
  if (!plan.missing && !plan.rebuild) return std::nullopt;
  const char* const option = plan.missing ? "--missing" : "--rebuild";
  if (plan.missing && plan.rebuild)
    refuse("--missing and --rebuild are two members that an array cannot spare; name one of them");
  const std::uint32_t member = plan.missing ? *plan.missing : *plan.rebuild;
  if (plan.level == Level::raid0)
    refuse(fmt::format("{}: RAID 0 can spare no member; leave it out", option));
  if (member >= members)
    refuse(fmt::format("{} {}: the members are 0 to {}; name one of them", option, member,
                       members - 1));
  return Failure{.member = member, .present = plan.rebuild.has_value()};
}

// Each somewhere in its revolution.
std::vector<Nanoseconds> phases_of(const std::vector<replay::Subject>& members,
                                   std::uint64_t seed) {
  std::vector<Nanoseconds> phases;
  std::mt19937_64 random(seed);
  for (const replay::Subject& member : members) {
    const engine::FlatMotion& motion = member.tables->motion;
    const auto period_ns = static_cast<std::uint64_t>(motion.numerator_ns / motion.denominator);
    phases.push_back(seed == 0 ? 0 : static_cast<Nanoseconds>(random() % period_ns));
  }
  return phases;
}

constexpr std::uint32_t kFullAtBytes = 128 * 1024;  // BLK_PLUG_FLUSH_SIZE

Members::BlockLayer block_layer_of(const ArrayPlan& plan, std::uint32_t block_bytes) {
  return {.most_merged = static_cast<std::uint32_t>(plan.merge_bytes / block_bytes),
          .full_at = kFullAtBytes / block_bytes,
          .device_queue = plan.device_queue};
}

// Where md's superblock lies by its metadata of version 1.0, at a member's end
// (drivers/md/md.c, super_1_load()).
std::uint64_t superblock_of(const replay::Subject& member) {
  const std::uint64_t bytes = member.tables->blocks() * member.block_bytes;
  constexpr std::uint64_t kAlign = 4096;
  if (bytes < 4 * kAlign) return 0;
  return (bytes - 2 * kAlign) / kAlign * kAlign / member.block_bytes;
}

}  // namespace

PlannedArray planned(const ArrayPlan& plan, std::vector<replay::Subject> members) {
  PlannedArray array{.plan = plan, .members = std::move(members)};
  array.setup = setup_of(array.plan, array.members);
  array.subject = subject_of(array.setup, array.members);
  return array;
}

replay::ModelRan run_on_array(const PlannedArray& array, const replay::OpenTrace& open,
                              const replay::ModelRun& run) {
  replay::ModelRan ran;
  trace::Fitted fitted = trace::fitted(open, run.fit, array.subject.blocks);
  const std::unique_ptr<trace::Reader> trace = replay::shaped(std::move(fitted.reader), run.shape);
  replay::ResultSink sink(
      run.output, head_of_replay(array.plan, array.setup, array.members, trace->source(), run.how));
  ran.head = replay_on_array(array.plan, array.members, *trace, run.how, sink);
  ran.head.think_in_front = trace->source().kind == trace::Kind::closed && run.think_in_front;
  ran.head.speed = run.shape.speed;
  ran.head.fit = fitted.text;
  ran.summary = sink.finish(ran.head);
  if (!run.shares.empty()) ran.quantiles_ms = sink.summarizer().quantiles_ms(run.shares);
  ran.skipped = trace->skipped();
  return ran;
}

ArraySetup setup_of(const ArrayPlan& plan, const std::vector<replay::Subject>& members) {
  require_enough(plan.level, members.size());
  require_one_block_size(members);
  std::uint64_t member_blocks = ~std::uint64_t{0};
  for (const replay::Subject& member : members)
    member_blocks = std::min(member_blocks, member.tables->blocks());
  const std::uint32_t block_bytes = members.front().block_bytes;
  require_chunk(plan, block_bytes, member_blocks);
  ArraySetup setup{
      .geometry = {.level = plan.level,
                   .members = static_cast<std::uint32_t>(members.size()),
                   .chunk_blocks = std::max<std::uint64_t>(1, plan.chunk_bytes / block_bytes)},
      .block_bytes = block_bytes,
      .balance = plan.balance,
      .stripes = plan.stripes,
      .failure = failure_of(plan, members.size()),
      .rebuild = plan.rate};
  const std::uint64_t unit = plan.level == Level::raid1 ? 1 : setup.geometry.chunk_blocks;
  setup.geometry.member_blocks = member_blocks / unit * unit;
  for (const replay::Subject& member : members) setup.superblocks.push_back(superblock_of(member));
  return setup;
}

replay::Subject subject_of(const ArraySetup& setup, const std::vector<replay::Subject>& members) {
  replay::Subject subject{.blocks = setup.geometry.blocks(), .block_bytes = setup.block_bytes};
  const bool alike = std::ranges::all_of(
      members, [&](const replay::Subject& member) { return member.name == members.front().name; });
  if (alike) {
    subject.name = fmt::format("{} of {} x {}", name_of(setup.geometry.level), members.size(),
                               members.front().name);
    return subject;
  }
  subject.name = fmt::format("{} of", name_of(setup.geometry.level));
  for (const replay::Subject& member : members)
    subject.name += fmt::format("{} {}", &member == &members.front() ? "" : ",", member.name);
  return subject;
}

replay::ResultHead head_of_replay(const ArrayPlan& plan, const ArraySetup& setup,
                                  const std::vector<replay::Subject>& members,
                                  const trace::Source& trace, const replay::ModelReplay& options) {
  replay::ResultHead head;
  head.target = replay::ResultHead::Target::model;
  head.name = subject_of(setup, members).name;
  head.trace = trace.name;
  head.kind = trace.kind;
  head.depth = options.depth;
  const engine::QueueSettings queue = replay::engine_for(members.front(), options).queue_settings();
  head.scheduler = replay::name_of(queue.scheduler);
  head.ageing = queue.ageing;
  head.caches = replay::name_of(options.caches);
  head.block_bytes = setup.block_bytes;
  replay::ArrayHead array{.level = name_of(plan.level),
                          .members = setup.geometry.members,
                          .phase_seed = plan.phase_seed,
                          .missing = plan.missing,
                          .rebuild = plan.rebuild};
  if (plan.level == Level::raid1)
    array.read_balance = name_of(plan.balance);
  else
    array.chunk_bytes = plan.chunk_bytes;
  if (plan.level == Level::raid5) array.stripe_cache = plan.stripes;
  head.array = array;
  return head;
}

replay::ResultHead replay_on_array(const ArrayPlan& plan,
                                   const std::vector<replay::Subject>& members,
                                   trace::Reader& trace, const replay::ModelReplay& options,
                                   replay::Rows& rows) {
  const ArraySetup setup = setup_of(plan, members);
  replay::ResultHead head = head_of_replay(plan, setup, members, trace.source(), options);
  std::vector<engine::Engine> engines;
  for (const replay::Subject& member : members)
    engines.push_back(replay::engine_for(member, options));
  ArrayPlayer player(setup, Members(std::move(engines), phases_of(members, plan.phase_seed),
                                    options.caches == replay::Caches::forced,
                                    block_layer_of(plan, setup.block_bytes)));
  play(player, trace, {.kind = head.kind, .depth = head.depth, .blocks = setup.geometry.blocks()},
       replay::Part::trace, rows);
  head.outside_validity = player.outside_validity();
  head.array->commands = player.commands();
  head.array->rebuilt_blocks = player.rebuilt_blocks();
  return head;
}

}  // namespace platter::array
