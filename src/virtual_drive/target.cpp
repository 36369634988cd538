#include "virtual_drive/target.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

#include "engine/tables.h"
#include "scsi/bytes.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/logical_unit.h"

namespace platter::virtual_drive {
namespace {

// The contents of a virtual drive: what was written is kept, in memory only; a sector that was
// never written reads as its own number and zeros.
class SectorStore final : public Contents {
 public:
  explicit SectorStore(std::uint32_t block_bytes) : block_bytes_(block_bytes) {}

  bool read(std::uint64_t lbn, std::span<std::uint8_t> to) const override;
  // A sector that is rewritten as it was at first takes no memory.
  bool write(std::uint64_t lbn, std::span<const std::uint8_t> from) override;

  std::size_t kept() const { return sectors_.size(); }

 private:
  // A sector that was never written: its LBN, big-endian, in the first eight bytes, then zeros.
  void fill_unwritten(std::uint64_t lbn, std::span<std::uint8_t> sector) const;

  std::uint32_t block_bytes_;
  std::unordered_map<std::uint64_t, std::vector<std::uint8_t>> sectors_;
};

void SectorStore::fill_unwritten(std::uint64_t lbn, std::span<std::uint8_t> sector) const {
  std::array<std::uint8_t, 8> stamp;
  scsi::put_be(stamp.data(), 8, lbn);
  std::fill(sector.begin(), sector.end(), std::uint8_t{0});
  std::copy_n(stamp.begin(), std::min(stamp.size(), sector.size()), sector.begin());
}

bool SectorStore::read(std::uint64_t lbn, std::span<std::uint8_t> to) const {
  for (; !to.empty(); ++lbn) {
    const auto sector = to.first(std::min<std::size_t>(block_bytes_, to.size()));
    const auto kept = sectors_.empty() ? sectors_.end() : sectors_.find(lbn);
    if (kept == sectors_.end()) {
      fill_unwritten(lbn, sector);
    } else {
      std::copy_n(kept->second.begin(), sector.size(), sector.begin());
    }
    to = to.subspan(sector.size());
  }
  return true;
}

bool SectorStore::write(std::uint64_t lbn, std::span<const std::uint8_t> from) {
  std::vector<std::uint8_t> unwritten(block_bytes_);
  for (; from.size() >= block_bytes_; from = from.subspan(block_bytes_), ++lbn) {
    const auto sector = from.first(block_bytes_);
    fill_unwritten(lbn, unwritten);
    if (std::equal(sector.begin(), sector.end(), unwritten.begin())) {
      sectors_.erase(lbn);
    } else {
      sectors_[lbn].assign(sector.begin(), sector.end());
    }
  }
  return true;
}

// The answer as it reaches the host: no more data than it takes, and what that leaves.
scsi::Completion completion_of(Reply reply, const scsi::Command& command, std::uint32_t tag) {
  scsi::Completion done;
  done.tag = tag;
  done.status = reply.status;
  done.sense = std::move(reply.sense);
  std::uint64_t moved = 0;
  if (command.direction == scsi::Direction::from_device) {
    done.data = std::move(reply.data);
    if (done.data.size() > command.transfer_length) done.data.resize(command.transfer_length);
    moved = done.data.size() + std::min<std::uint64_t>(reply.given, command.transfer_length);
  } else if (command.direction == scsi::Direction::to_device) {
    moved = std::min<std::uint64_t>(reply.taken, command.transfer_length);
  }
  done.residual = static_cast<std::uint32_t>(command.transfer_length - moved);
  return done;
}

// A command on its way: held back by others before it, or in the engine until the media are done
// with it, then due at a known time.
struct Outstanding {
  scsi::Completion completion{};
  std::uint64_t ordinal = 0;  // of the drive's commands
  scsi::Attribute attribute = scsi::Attribute::simple;
  bool in_engine = false;
  Nanoseconds delay_ns = 0;  // from the engine's completion to the host's
  Nanoseconds host_ns = 0;   // of it, behind the drive
  std::optional<scsi::Command> held{};
  std::optional<LbnRange> written{};  // and whether a power cut must not take them
  bool keeps = false;

  bool has_end() const { return !in_engine && !held; }
  Nanoseconds end_ns() const { return completion.completed_ns - host_ns; }
};

// What the drive really has, which its published model may not tell.
model::Cache true_cache(const model::DriveModel& model) {
  model::Cache cache = model.cache;
  if (model.imperfections && model.imperfections->adaptive_cache_min_segments > 0)
    cache.adaptive_min_segments.value = model.imperfections->adaptive_cache_min_segments;
  return cache;
}

model::DriveModel with_true_cache(model::DriveModel model) {
  model.cache = true_cache(model);
  return model;
}

// What was turned away is not held by the drive, though its answer may wait to be fetched.
bool turned_away(const Outstanding& entry) {
  return entry.has_end() && (entry.completion.status == scsi::Status::busy ||
                             entry.completion.status == scsi::Status::task_set_full);
}

// The answers to commands that were turned away. A host may leave any number of them: none is
// looked for among the others.
class TurnedAway {
 public:
  using Due = std::pair<Nanoseconds, std::uint64_t>;  // and its ordinal

  bool empty() const { return answers_.empty(); }
  std::size_t size() const { return answers_.size(); }
  bool holds(std::uint32_t tag) const { return due_of_.contains(tag); }
  // Of these, the one that is due first. There must be one.
  Due first() const { return answers_.begin()->first; }

  void add(Outstanding entry) {
    const Due due{entry.completion.completed_ns, entry.ordinal};
    due_of_.emplace(entry.completion.tag, due);
    answers_.emplace(due, std::move(entry.completion));
  }
  scsi::Completion take_first() {
    scsi::Completion first = std::move(answers_.begin()->second);
    due_of_.erase(first.tag);
    answers_.erase(answers_.begin());
    return first;
  }
  bool drop(std::uint32_t tag) {
    const auto found = due_of_.find(tag);
    if (found == due_of_.end()) return false;
    answers_.erase(found->second);
    due_of_.erase(found);
    return true;
  }
  void clear() {
    answers_.clear();
    due_of_.clear();
  }

 private:
  std::map<Due, scsi::Completion> answers_{};
  std::unordered_map<std::uint32_t, Due> due_of_{};
};

// Whether a command has to wait for one that came before it (SAM-5 clause 8.6). What is at the head
// of the queue the engine chooses first anyway.
bool waits_for(scsi::Attribute attribute, const Outstanding& before) {
  if (attribute == scsi::Attribute::head_of_queue) return false;
  return attribute == scsi::Attribute::ordered || before.attribute == scsi::Attribute::ordered;
}

engine::Request request_for(const Work& work, const engine::Disturbance& disturbance,
                            std::uint32_t tag) {
  engine::Request request;
  request.lbn = work.lbn;
  request.blocks = work.blocks;
  request.write = work.write;
  request.force_unit_access = work.force_unit_access;
  request.verify = work.verify;
  request.prefetch = work.prefetch;
  request.same = work.same;
  request.tag = tag;
  request.disturbance = disturbance;
  return request;
}

std::size_t task_set_of(const model::DriveModel& model) {
  const std::uint32_t commands = model.firmware ? model.firmware->task_set : 0;
  return commands == 0 ? Target::kMostOutstanding : std::min(commands, Target::kMostOutstanding);
}

}  // namespace

struct Target::Impl {
  Impl(const model::DriveModel& model, Contents* given)
      : cache(true_cache(model)),
        engine(with_true_cache(model)),
        layout(engine.layout()),
        own_contents(model.identity.block_bytes),
        unit(model, layout, given == nullptr ? own_contents : *given),
        noise(model.imperfections.value_or(model::Imperfections{}), engine.period_ns()),
        settings_are_ignored(model.imperfections && model.imperfections->mode_page_lies),
        task_set(task_set_of(model)),
        truth(model) {
    // A model's depth is how deep DiskSim's queue was; a target's task set holds what the engine
    // can.
    engine.set_queue({engine.queue_settings().scheduler, 0, 0});
    if (engine.tables().shingling.act()) displace(model.shingling->displaced);
    if (truth.imperfections) truth.imperfections->seed = noise.seed();
    unit.reset(model.imperfections && model.imperfections->unit_attention_at_start);
    apply_cache_settings(0);
    apply_power_timers(0);  // in tenths of a second, as the page has them
    outstanding.reserve(kMostOutstanding + 1);
  }

  // Written before power-on, in pieces that no drive sends home at once.
  void displace(const std::vector<LbnRange>& ranges) {
    constexpr std::uint32_t kPiece = 2048;
    const auto most = static_cast<std::uint32_t>(std::clamp(
        engine.tables().shingling.cache_blocks / 4, std::uint64_t{1}, std::uint64_t{kPiece}));
    for (const LbnRange& range : ranges)
      for (std::uint64_t lbn = range.first; lbn <= range.last && lbn < engine.blocks(); lbn += most)
        engine.service({.lbn = lbn,
                        .blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(
                            most, std::min(range.last + 1, engine.blocks()) - lbn)),
                        .write = true,
                        .disturbance = {}},
                       0);
    engine.reset(0);
  }

  Nanoseconds arrival_of(Nanoseconds issued_ns, Nanoseconds before_ns) const;
  Answer answer(const scsi::Command& command, std::uint32_t tag, Nanoseconds issued_ns);
  void submit(const scsi::Command& command, std::uint32_t tag, Nanoseconds issued_ns);
  std::optional<Nanoseconds> when_enabled(std::size_t index) const;
  void release(Nanoseconds now_ns);
  void start(Outstanding& entry, const scsi::Command& command, Nanoseconds enabled_ns);
  Nanoseconds write_and_verify(const Work& work, const engine::Disturbance& disturbance,
                               Nanoseconds arrival_ns);
  void start_media(const Work& work, const engine::Disturbance& disturbance, Nanoseconds arrival_ns,
                   Outstanding& entry);
  // Of those whose time is known, the one that is due first: where it stands in `outstanding`, or
  // the end where it is the first of `away`.
  struct Known {
    Nanoseconds due_ns;
    std::vector<Outstanding>::iterator entry;
  };
  std::optional<Known> first_known();
  bool set_apart(std::size_t index);
  void note_zones(Outstanding& entry, const Work& work) const;
  void end_in_zones(const Outstanding& entry);
  std::vector<LbnRange> would_be_lost(Nanoseconds now_ns) const;
  std::size_t unanswered() const { return outstanding.size() + away.size(); }
  void forget(Nanoseconds now_ns);
  void apply_cache_settings(Nanoseconds time_ns) {
    if (settings_are_ignored) return;
    const engine::CacheTable policies = engine::compile_cache(unit.modes().cache_policies(cache));
    if (policies != engine.tables().cache) engine.change_cache(policies, time_ns);
    engine.set_cache(unit.cache_settings(), time_ns);
  }
  bool has_power() const { return engine.tables().power.present != 0; }
  void apply_power_timers(Nanoseconds time_ns) {
    if (!settings_are_ignored && has_power())
      engine.set_power_timers(unit.modes().power_timers_ns(), time_ns);
  }

  model::Cache cache;  // as the drive was built
  engine::Engine engine;
  engine::LayoutMap layout;
  SectorStore own_contents;
  LogicalUnit unit;
  Noise noise;
  bool settings_are_ignored;
  bool loses_cache = false;
  std::size_t task_set;  // commands that it holds
  model::DriveModel truth;
  std::vector<Outstanding> outstanding;  // that the drive holds, as they came
  TurnedAway away;
  std::uint64_t ordinal = 0;
  Nanoseconds last_arrival_ns = 0;    // the bus keeps the order of commands
  Nanoseconds last_media_ns = 0;      // and so do the media, of what comes to them
  Nanoseconds spun_up_ns = 0;         // from then on the spindle is up, if it is to be
  Nanoseconds processor_free_ns = 0;  // the drive's processor takes one command at a time
  Nanoseconds last_busy_ns = 0;
};

// When the drive takes the command up: behind earlier ones, and later if it has to wake up.
Nanoseconds Target::Impl::arrival_of(Nanoseconds issued_ns, Nanoseconds before_ns) const {
  const bool alone = unanswered() == 1;
  const Nanoseconds idle_ns = alone ? issued_ns - last_busy_ns : 0;
  Nanoseconds awake_ns = issued_ns + before_ns + noise.wake_up_ns(idle_ns);
  if (unit.modes().scans_in_background()) awake_ns += noise.scan_step_ns(idle_ns, issued_ns);
  if (unit.becomes_idle()) awake_ns += noise.idle_condition_ns(idle_ns);
  return std::max({awake_ns, last_arrival_ns, processor_free_ns});
}

// Now and then a drive turns a command away, which is lost on it.
Answer Target::Impl::answer(const scsi::Command& command, std::uint32_t tag,
                            Nanoseconds issued_ns) {
  unit.set_spinning_up(issued_ns < spun_up_ns);
  if (has_power() && outstanding.size() == 1) unit.set_rest(engine.rest_at(issued_ns));
  std::optional<Answer> refusal;
  if (noise.is_busy(command, issued_ns))
    refusal = unit.refuse(command, {scsi::Status::busy, {}, {}, 0});
  else if (noise.has_unit_attention(command, issued_ns))
    refusal = unit.refuse(command, check_condition(kInquiryDataChanged));
  return refusal ? *std::move(refusal) : unit.answer(command, tag);
}

void Target::Impl::submit(const scsi::Command& command, std::uint32_t tag, Nanoseconds issued_ns) {
  const bool full = outstanding.size() >= task_set;
  Outstanding& entry = outstanding.emplace_back();
  entry.ordinal = ordinal++;
  entry.completion.tag = tag;
  entry.completion.issued_ns = issued_ns;
  entry.attribute = command.attribute;
  if (full) {
    entry.completion.status = scsi::Status::task_set_full;
    start(entry, command, issued_ns);
  } else if (const auto enabled_ns = when_enabled(outstanding.size() - 1)) {
    start(entry, command, *enabled_ns);
  } else {
    entry.held = command;
  }
  set_apart(outstanding.size() - 1);
}

// If it was turned away.
bool Target::Impl::set_apart(std::size_t index) {
  if (!turned_away(outstanding[index])) return false;
  away.add(std::move(outstanding[index]));
  outstanding.erase(outstanding.begin() + static_cast<std::ptrdiff_t>(index));
  return true;
}

// Behind the ends of those that it waits for; nullopt: not all of these are known yet.
std::optional<Nanoseconds> Target::Impl::when_enabled(std::size_t index) const {
  const Outstanding& entry = outstanding[index];
  Nanoseconds enabled_ns = entry.completion.issued_ns;
  for (std::size_t i = 0; i < index; ++i) {
    const Outstanding& before = outstanding[i];
    if (!waits_for(entry.attribute, before)) continue;
    if (!before.has_end()) return std::nullopt;
    enabled_ns = std::max(enabled_ns, before.end_ns());
  }
  return enabled_ns;
}

// Something has ended at that time: those that waited for nothing else begin.
void Target::Impl::release(Nanoseconds now_ns) {
  for (std::size_t i = 0; i < outstanding.size(); ++i) {
    Outstanding& entry = outstanding[i];
    if (!entry.held) continue;
    const auto enabled_ns = when_enabled(i);
    if (!enabled_ns) continue;
    const scsi::Command command = *std::move(entry.held);
    start(entry, command, std::max(*enabled_ns, now_ns));
    if (set_apart(i)) --i;
  }
}

// `enabled_ns`: when the drive may take it up, were it there.
void Target::Impl::start(Outstanding& entry, const scsi::Command& command, Nanoseconds enabled_ns) {
  const std::uint32_t tag = entry.completion.tag;
  const Nanoseconds issued_ns = entry.completion.issued_ns;
  Answer answer;
  if (entry.completion.status == scsi::Status::task_set_full)
    answer.reply.status = scsi::Status::task_set_full;
  else
    answer = this->answer(command, tag, std::max(issued_ns, enabled_ns));
  const Work& work = answer.work;

  const RequestKey key{work.lbn, work.blocks, command.opcode()};
  const Nanoseconds host_ns = noise.host_delay_ns(key, issued_ns);
  const Nanoseconds before_ns = host_ns / 2;
  const Nanoseconds after_ns = host_ns - before_ns + noise.host_stall_ns(key, issued_ns);
  const bool was_held = entry.held.has_value();
  entry.held.reset();
  const Nanoseconds came_ns = was_held ? std::max(issued_ns + before_ns, processor_free_ns)
                                       : arrival_of(issued_ns, before_ns);
  if (!was_held) last_arrival_ns = came_ns;
  const Nanoseconds arrival_ns = std::max(came_ns, enabled_ns);
  const bool on_media = work.kind != Work::Kind::electronics;
  const Nanoseconds media_ns = on_media ? std::max(arrival_ns + work.before_ns, last_media_ns)
                                        : arrival_ns;
  if (on_media) last_media_ns = media_ns;
  const engine::Disturbance disturbance{
      .positioning_ns = noise.positioning_ns(key, issued_ns),
      .media_delay_ns = noise.media_delay_ns(key, issued_ns),
      .phase_ns = noise.phase_ns(issued_ns),
  };

  note_zones(entry, work);
  entry.completion = completion_of(std::move(answer.reply), command, tag);
  entry.completion.issued_ns = issued_ns;
  entry.delay_ns = entry.host_ns = after_ns;
  const auto due = [&](Nanoseconds time_ns) { entry.completion.completed_ns = time_ns + after_ns; };
  switch (work.kind) {
    case Work::Kind::electronics:
      processor_free_ns = arrival_ns + work.electronics_ns;
      due(processor_free_ns);
      if (work.cache_changed) apply_cache_settings(std::max(processor_free_ns, last_media_ns));
      if (work.timers_changed) apply_power_timers(processor_free_ns);
      if (!work.keeps_rest && has_power()) engine.note_command(processor_free_ns);
      break;
    case Work::Kind::media:
      if (work.immediate) {
        engine.service(request_for(work, disturbance, tag), media_ns);
        due(arrival_ns + work.electronics_ns);
      } else {
        start_media(work, disturbance, media_ns, entry);
      }
      break;
    case Work::Kind::write_and_verify:
      due(write_and_verify(work, disturbance, media_ns));
      break;
    case Work::Kind::seek:
      due(engine.seek(work.lbn, media_ns, disturbance));
      break;
    case Work::Kind::synchronize: {
      const Nanoseconds clean_ns = engine.synchronize(media_ns);
      const Nanoseconds answered_ns = arrival_ns + work.electronics_ns;
      due(work.immediate ? answered_ns : std::max(answered_ns, clean_ns));
      break;
    }
    case Work::Kind::spin_up:
      spun_up_ns = media_ns + work.spin_up_ns;
      due(work.immediate ? arrival_ns + work.electronics_ns : spun_up_ns);
      if (has_power()) engine.go_to_rest(0, media_ns, work.spin_up_ns);
      break;
    case Work::Kind::rest: {
      const Nanoseconds clean_ns = work.flush ? engine.synchronize(media_ns) : media_ns;
      const Nanoseconds answered_ns = arrival_ns + work.electronics_ns;
      const Nanoseconds there_ns = engine.go_to_rest(work.rest, clean_ns);
      due(work.immediate ? answered_ns : std::max(answered_ns, there_ns));
      break;
    }
  }
}

void Target::Impl::note_zones(Outstanding& entry, const Work& work) const {
  const bool on_media = work.kind == Work::Kind::media || work.kind == Work::Kind::write_and_verify;
  if (on_media && work.write) entry.written = LbnRange{work.lbn, work.lbn + work.blocks - 1};
  entry.keeps = work.force_unit_access;
}

// A block that a power cut must not take is of no use without those before it in its zone.
void Target::Impl::end_in_zones(const Outstanding& entry) {
  if (entry.written && entry.keeps && entry.completion.status == scsi::Status::good)
    unit.zones().mark_durable(entry.written->last + 1);
}

std::vector<LbnRange> Target::Impl::would_be_lost(Nanoseconds now_ns) const {
  std::vector<LbnRange> lost;
  if (!loses_cache) return lost;
  for (const auto& [first, end] : engine.unwritten(now_ns)) lost.push_back({first, end - 1});
  for (const Outstanding& entry : outstanding)
    if (entry.written) lost.push_back(*entry.written);
  return lost;
}

// The write goes to the medium; the blocks are read back when they come by again. Nothing else
// comes between the two.
Nanoseconds Target::Impl::write_and_verify(const Work& work, const engine::Disturbance& disturbance,
                                           Nanoseconds arrival_ns) {
  engine::Request request = request_for(work, disturbance, 0);
  engine.service(request, arrival_ns);
  request.write = request.force_unit_access = false;
  request.verify = true;
  request.disturbance.positioning_ns = request.disturbance.media_delay_ns = 0;
  return engine.service(request, arrival_ns).completion_ns +
         work.lost_revolutions * engine.period_ns();
}

void Target::Impl::start_media(const Work& work, const engine::Disturbance& disturbance,
                               Nanoseconds arrival_ns, Outstanding& entry) {
  engine::Request request = request_for(work, disturbance, entry.completion.tag);
  request.head_of_queue = entry.attribute == scsi::Attribute::head_of_queue;
  if (engine.submit(request, arrival_ns)) {
    entry.in_engine = true;
    entry.delay_ns += work.lost_revolutions * engine.period_ns();
    return;
  }
  scsi::Completion refused;
  refused.tag = entry.completion.tag;
  refused.status = scsi::Status::task_set_full;
  refused.residual = entry.completion.residual +
                     static_cast<std::uint32_t>(entry.completion.data.size());
  refused.issued_ns = entry.completion.issued_ns;
  refused.completed_ns = arrival_ns + entry.delay_ns;
  entry.completion = std::move(refused);
}

std::optional<Target::Impl::Known> Target::Impl::first_known() {
  const auto sooner = [](const Outstanding& a, const Outstanding& b) {
    if (a.has_end() != b.has_end()) return a.has_end();
    return a.completion.completed_ns < b.completion.completed_ns;
  };
  const auto first = std::ranges::min_element(outstanding, sooner);
  const bool known = first != outstanding.end() && first->has_end();
  if (!away.empty() &&
      (!known || away.first() < TurnedAway::Due{first->completion.completed_ns, first->ordinal}))
    return Known{away.first().first, outstanding.end()};
  if (!known) return std::nullopt;
  return Known{first->completion.completed_ns, first};
}

void Target::Impl::forget(Nanoseconds now_ns) {
  engine.drop_outstanding();
  outstanding.clear();
  away.clear();
  unit.reset(true);
  last_arrival_ns = std::max(last_arrival_ns, now_ns);
  last_media_ns = last_arrival_ns;
}

Target::Target(const model::DriveModel& model, Contents* contents)
    : impl_(std::make_unique<Impl>(model, contents)) {}

Target::~Target() = default;

void Target::submit(const scsi::Command& command, std::uint32_t tag, Nanoseconds issued_ns) {
  impl_->submit(command, tag, issued_ns);
}

bool Target::holds(std::uint32_t tag) const {
  return impl_->away.holds(tag) || std::ranges::any_of(impl_->outstanding, [&](const auto& o) {
           return o.completion.tag == tag;
         });
}

std::size_t Target::outstanding() const { return impl_->unanswered(); }

std::optional<Nanoseconds> Target::next_due() {
  const auto first = impl_->first_known();
  const auto media_ns = impl_->engine.next_completion_time();
  if (!first) return media_ns;
  return media_ns ? std::min(*media_ns, first->due_ns) : first->due_ns;
}

// What the host sees first may not be what the engine finishes first, for the delays differ. The
// engine is never advanced past the completion that is handed out: later arrivals may still change
// what follows.
std::optional<scsi::Completion> Target::take(Nanoseconds now_ns) {
  Impl& drive = *impl_;
  const auto by_then = [&] {
    const auto first = drive.first_known();
    return first ? std::min(now_ns, first->due_ns) : now_ns;
  };
  for (auto media_ns = drive.engine.next_completion_time(); media_ns && *media_ns <= by_then();
       media_ns = drive.engine.next_completion_time()) {
    const auto done = drive.engine.next_completion();
    const auto entry = std::ranges::find_if(drive.outstanding, [&](const Outstanding& o) {
      return o.in_engine && o.completion.tag == done->tag;
    });
    entry->in_engine = false;
    entry->completion.completed_ns = done->completion_ns + entry->delay_ns;
    drive.release(done->completion_ns);
  }
  const auto first = drive.first_known();
  if (!first || first->due_ns > now_ns) return std::nullopt;
  drive.last_busy_ns = std::max(drive.last_busy_ns, first->due_ns);
  if (first->entry == drive.outstanding.end()) return drive.away.take_first();
  drive.end_in_zones(*first->entry);
  scsi::Completion completion = std::move(first->entry->completion);
  drive.outstanding.erase(first->entry);
  return completion;
}

bool Target::abort(std::uint32_t tag, Nanoseconds now_ns) {
  Impl& drive = *impl_;
  if (drive.away.drop(tag)) return true;  // nothing waits for it
  const auto entry = std::ranges::find_if(
      drive.outstanding, [&](const Outstanding& o) { return o.completion.tag == tag; });
  if (entry == drive.outstanding.end()) return false;
  if (entry->in_engine) drive.engine.cancel(tag, now_ns);
  drive.outstanding.erase(entry);
  drive.release(now_ns);
  return true;
}

std::span<const std::uint8_t> Target::data_of(std::uint32_t tag) const {
  const auto entry = std::ranges::find_if(
      impl_->outstanding, [&](const Outstanding& o) { return o.completion.tag == tag; });
  if (entry == impl_->outstanding.end()) return {};
  return entry->completion.data;
}

void Target::reuse(std::vector<std::uint8_t> data) { impl_->unit.reuse(std::move(data)); }

void Target::reset(Nanoseconds now_ns) {
  impl_->forget(now_ns);
  impl_->apply_cache_settings(impl_->last_arrival_ns);
  impl_->apply_power_timers(impl_->last_arrival_ns);
}

void Target::power_cycle(Nanoseconds now_ns) {
  if (!zones().empty()) zones().cut_power(impl_->would_be_lost(now_ns));
  impl_->forget(now_ns);
  impl_->engine.reset(impl_->last_arrival_ns);
  impl_->unit.power_on();
  impl_->spun_up_ns = 0;
  impl_->processor_free_ns = impl_->last_busy_ns = impl_->last_arrival_ns;
  impl_->apply_cache_settings(impl_->last_arrival_ns);
  impl_->apply_power_timers(impl_->last_arrival_ns);
}

ZoneList& Target::zones() { return impl_->unit.zones(); }
std::vector<ZoneList::State> Target::zones_after_cut(std::span<const std::uint32_t> numbers,
                                                     Nanoseconds now_ns) const {
  const std::vector<LbnRange> lost = impl_->would_be_lost(now_ns);
  std::vector<ZoneList::State> states;
  for (const std::uint32_t number : numbers)
    states.push_back(ZoneList::state_of(impl_->unit.zones().after_cut(number, lost)));
  return states;
}
void Target::lose_cache() { impl_->loses_cache = true; }

std::uint64_t Target::late_arrivals() const { return impl_->engine.late_arrivals(); }
std::vector<engine::Engine::Range> Target::unwritten(Nanoseconds now_ns) const {
  return impl_->engine.unwritten(now_ns);
}

std::uint64_t Target::outside_validity() const { return impl_->engine.outside_validity(); }
const model::DriveModel& Target::truth() const { return impl_->truth; }
const engine::LayoutMap& Target::layout() const { return impl_->layout; }
Nanoseconds Target::power_on_phase_ns() const { return impl_->noise.power_on_phase_ns(); }

std::uint64_t Target::seed() const { return impl_->noise.seed(); }

}  // namespace platter::virtual_drive
