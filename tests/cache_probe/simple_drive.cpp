#include "simple_drive.h"

#include <algorithm>
#include <cmath>

#include "scsi/bytes.h"

namespace platter::cache_probe::testing {
namespace {

constexpr std::uint32_t kBlockBytes = 512;

}  // namespace

model::Layout layout_of(const DriveFacts& facts) {
  const double period_ms = 60e3 / facts.rpm;
  const double skew = std::fmod((facts.switch_ms + 0.3) / period_ms, 1.0);
  model::LayoutNode tracks;
  tracks.count = facts.heads;
  tracks.head_step = 1;
  tracks.sectors = facts.sectors;
  tracks.angle_step_rev = skew;
  model::LayoutNode zone;
  zone.count = facts.cylinders;
  zone.cylinder_step = 1;
  zone.angle_step_rev = std::fmod(facts.heads * skew + 0.1, 1.0);
  zone.children = {tracks};
  model::Layout layout;
  layout.zones = {zone};
  return layout;
}

SimpleDrive::SimpleDrive(const DriveFacts& facts, std::uint64_t seed)
    : facts_(facts),
      map_(layout_of(facts)),
      random_(seed),
      period_ns_(60e9 / facts.rpm),
      phase_rev_(uniform()),
      segments_(facts.cache.segments),
      segment_blocks_(facts.cache.segment_blocks) {}

double SimpleDrive::angle_rev(Nanoseconds t) const {
  const double turns = phase_rev_ + static_cast<double>(t) / period_ns_;
  return turns - std::floor(turns);
}

Nanoseconds SimpleDrive::arrive(std::uint64_t lbn, Nanoseconds t) {
  const engine::Pbn place = map_.pbn_of_lbn(lbn);
  const double distance = std::abs(static_cast<double>(place.cylinder) - cylinder_);
  double ms = distance > 0 ? 0.9 + 0.1 * std::sqrt(distance) : 0;
  if (place.head != head_) ms = std::max(ms, facts_.switch_ms);
  cylinder_ = place.cylinder;
  head_ = place.head;
  return t + from_ms(ms);
}

Nanoseconds SimpleDrive::pass(std::uint64_t lbn, Nanoseconds t) {
  double wait = engine::rev_from_angle(map_.angle_of_lbn(lbn)) - angle_rev(t);
  wait -= std::floor(wait);
  if (wait > 1 - 1e-6) wait = 0;  // rounding: it begins right now
  return t + static_cast<Nanoseconds>((wait + 1.0 / facts_.sectors) * period_ns_);
}

std::uint64_t SimpleDrive::track_end(std::uint64_t lbn) const {
  return (lbn / facts_.sectors + 1) * facts_.sectors;
}

// Blocks in order, or on arrival as they pass within each track.
Nanoseconds SimpleDrive::media(std::uint64_t lbn, std::uint32_t blocks, Nanoseconds t,
                               bool from_host) {
  if (uniform() < facts_.noise.slow_share)
    t += from_ms(std::exponential_distribution<double>(1 / facts_.noise.slow_ms)(random_));
  early_ = lbn;
  for (std::uint64_t at = lbn; at < lbn + blocks;) {
    const std::uint64_t end = std::min<std::uint64_t>(lbn + blocks, track_end(at));
    t = arrive(at, t);
    if (at == lbn && !from_host) {
      // What passes on the way to the first block.
      const double wait = static_cast<double>(pass(at, t) - t) / period_ns_ - 1.0 / facts_.sectors;
      const auto passing = static_cast<std::uint64_t>(wait * facts_.sectors);
      early_ = at - std::min(passing, at % facts_.sectors);
    }
    if (facts_.cache.zero_latency) {
      Nanoseconds last = t;
      for (std::uint64_t block = at; block < end; ++block) last = std::max(last, pass(block, t));
      t = last;
    } else {
      for (std::uint64_t block = at; block < end; ++block) t = pass(block, t);
    }
    at = end;
  }
  return t;
}

std::size_t SimpleDrive::victim() {
  if (facts_.cache.replacement == CacheFacts::Replacement::random) {
    for (std::size_t i = 0; i < segments_.size(); ++i)
      if (segments_[i].first == segments_[i].end) return i;
    return random_() % segments_.size();
  }
  const bool fifo = facts_.cache.replacement == CacheFacts::Replacement::first_in_first_out;
  std::size_t oldest = 0;
  for (std::size_t i = 1; i < segments_.size(); ++i) {
    const auto age = [&](std::size_t s) { return fifo ? segments_[s].filled : segments_[s].used; };
    if (age(i) < age(oldest)) oldest = i;
  }
  return oldest;
}

void SimpleDrive::trim(Segment& segment) const {
  if (segment.end - segment.first > segment_blocks_) segment.first = segment.end - segment_blocks_;
}

void SimpleDrive::start_ahead(std::size_t segment, std::uint64_t lbn, std::uint64_t end) {
  const CacheFacts& c = facts_.cache;
  if (c.read_ahead == model::ReadAhead::none || end >= map_.blocks()) return;
  std::uint64_t stop = map_.blocks();
  const std::uint64_t after_track = track_end(end - 1);
  switch (c.read_ahead) {
    case model::ReadAhead::none:
      return;
    case model::ReadAhead::to_track_end:
      stop = after_track;
      break;
    case model::ReadAhead::to_cylinder_end: {
      const std::uint64_t cylinder = std::uint64_t{facts_.sectors} * facts_.heads;
      stop = ((end - 1) / cylinder + 1) * cylinder;
      break;
    }
    case model::ReadAhead::to_segment_full:
      stop = end + segment_blocks_;
      break;
    case model::ReadAhead::to_next_track_if_sequential: {
      const std::uint64_t track = (end - 1) / facts_.sectors * facts_.sectors;
      bool sequential = false;  // the end of the track before is held
      for (const Segment& other : segments_)
        sequential |= track > 0 && other.first < track && other.end >= track;
      stop = sequential ? after_track + facts_.sectors : after_track;
      break;
    }
  }
  if (c.read_ahead_max > 0) stop = std::min(stop, end + c.read_ahead_max);
  if (!c.over_requested && !c.discards) stop = std::min(stop, std::max(end, lbn + segment_blocks_));
  stop = std::min(stop, map_.blocks());
  if (c.after_sequential && (carried_on_.empty() || !carried_on_.back())) return;
  const std::uint64_t must = c.abort ? std::min(stop, end + c.read_ahead_min) : stop;
  if (stop > end) ahead_ = Ahead{segment, end, stop, must};
}

// Another command is obeyed, once as much has been read ahead as must be.
void SimpleDrive::stop_ahead() {
  while (ahead_ && ahead_->next < ahead_->must) {
    Segment& segment = segments_[ahead_->segment];
    media_free_ = pass(ahead_->next, arrive(ahead_->next, media_free_));
    segment.end = ++ahead_->next;
    trim(segment);
  }
  if (facts_.cache.resumes && ahead_ && ahead_->next < ahead_->stop) paused_ = ahead_;
  ahead_.reset();
}

bool SimpleDrive::looks_now(Nanoseconds t) {
  using Looked = CacheFacts::Looked;
  switch (facts_.cache.looked) {
    case Looked::each_read:
      return true;
    case Looked::window:
      return ++adapted_reads_ % facts_.cache.window == 1;
    case Looked::time:
      if (t < looked_ + from_ms(facts_.cache.looked_ms)) return false;
      looked_ = t;
      return true;
    case Looked::now_and_then:
      return uniform() < 1.0 / facts_.cache.window;
  }
  return false;
}

// Few large segments while nearly all reads carry on from one of the last few, else many small
// ones.
void SimpleDrive::adapt(std::uint64_t lbn, std::uint64_t end, Nanoseconds t) {
  constexpr std::size_t kEnds = 6;
  const std::size_t window = facts_.cache.window, few = window / 6;
  const bool look = looks_now(t);
  const CacheFacts& c = facts_.cache;
  std::size_t wanted = segments_.size();
  // Those before this one; of each read itself, where that is looked at.
  const auto note = [&] {
    carried_on_.push_back(std::ranges::find(ends_, lbn) != ends_.end());
    if (carried_on_.size() > window) carried_on_.pop_front();
    ends_.push_back(end);
    if (ends_.size() > kEnds) ends_.pop_front();
  };
  if (c.looked == CacheFacts::Looked::each_read) note();
  if (c.adaptive_min > 0 && look && carried_on_.size() == window && dirty_.empty()) {
    const auto on = static_cast<std::size_t>(std::ranges::count(carried_on_, true));
    wanted = on + few >= window ? c.adaptive_min : on <= few ? c.segments : wanted;
  }
  if (c.looked != CacheFacts::Looked::each_read) note();
  if (wanted == segments_.size()) return;
  ahead_.reset();
  paused_.reset();
  segments_.assign(wanted, {});
  segment_blocks_ = static_cast<std::uint32_t>(std::size_t{c.segments} * c.segment_blocks / wanted);
}

void SimpleDrive::destage_one() {
  const Dirty write = dirty_.front();
  dirty_.pop_front();
  media_free_ = media(write.lbn, static_cast<std::uint32_t>(write.blocks), media_free_, true);
  if (!facts_.cache.read_hit_on_written)
    for (Segment& segment : segments_)
      if (segment.written && segment.first == write.lbn) segment = {};
}

// What the drive does on its own until the next command arrives.
void SimpleDrive::background(Nanoseconds until) {
  const Nanoseconds idle = last_command_ + from_ms(facts_.cache.destage_idle_ms);
  if (facts_.cache.destage_idle_ms == 0 || idle < until) {
    if (!dirty_.empty() && facts_.cache.destage_idle_ms > 0)
      media_free_ = std::max(media_free_, idle);
    while (!dirty_.empty() && media_free_ < until) destage_one();
  }
  if (!ahead_) ahead_ = std::exchange(paused_, std::nullopt);
  while (ahead_ && media_free_ < until) {
    Segment& segment = segments_[ahead_->segment];
    const auto before = std::pair(cylinder_, head_);
    const Nanoseconds done = pass(ahead_->next, arrive(ahead_->next, media_free_));
    if (done > until) {
      std::tie(cylinder_, head_) = before;
      break;
    }
    media_free_ = done;
    segment.end = ++ahead_->next;
    trim(segment);
    if (ahead_->next >= ahead_->stop) ahead_ = std::exchange(paused_, std::nullopt);
  }
  media_free_ = std::max(media_free_, until);
}

Nanoseconds SimpleDrive::read(std::uint64_t lbn, std::uint32_t blocks, Nanoseconds t,
                              bool through) {
  const CacheFacts& c = facts_.cache;
  const auto transfer = static_cast<Nanoseconds>(facts_.block_us * 1e3 * blocks);
  adapt(lbn, lbn + blocks, t);
  if (c.reads && !through) {
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      Segment& segment = segments_[i];
      if (!segment.holds(lbn, blocks)) continue;
      segment.used = ++uses_;
      if (ahead_ && ahead_->segment != i) stop_ahead();
      if (c.on_hit && !ahead_ && !segment.written) start_ahead(i, lbn, segment.end);
      return t + from_ms(facts_.hit_ms) + transfer;
    }
  }
  stop_ahead();
  while (!dirty_.empty()) destage_one();
  const Nanoseconds start = std::max(t + from_ms(0.2), media_free_);
  const Nanoseconds done = media(lbn, blocks, start, false);
  media_free_ = done;
  if (c.reads) {
    const std::size_t taken = victim();
    if (paused_ && paused_->segment == taken) paused_.reset();
    Segment& segment = segments_[taken];
    segment = {c.free_blocks ? early_ : lbn, lbn + blocks, ++uses_, uses_, false};
    trim(segment);
    start_ahead(taken, lbn, lbn + blocks);
    if (c.discards) segment.first = segment.end;
  }
  // The bus sends the blocks in order while they come.
  return std::max(done + static_cast<Nanoseconds>(facts_.block_us * 1e3), start + transfer);
}

void SimpleDrive::keep_written(std::uint64_t lbn, std::uint64_t blocks) {
  for (Segment& segment : segments_)
    if (segment.first < lbn + blocks && lbn < segment.end && !facts_.cache.write_updates)
      segment = {};
  if (!facts_.cache.writes_take_read_segments) return;
  segments_[victim()] = {lbn, lbn + blocks, ++uses_, uses_, true};
}

Nanoseconds SimpleDrive::write(std::uint64_t lbn, std::uint32_t blocks, Nanoseconds t,
                               bool through) {
  const CacheFacts& c = facts_.cache;
  const auto transfer = static_cast<Nanoseconds>(facts_.block_us * 1e3 * blocks);
  stop_ahead();
  const bool appends = c.combine_writes && !dirty_.empty() &&
                       dirty_.back().lbn + dirty_.back().blocks == lbn;
  if (c.write_back == 2 && (!through || c.persist)) {
    if (appends) {
      dirty_.back().blocks += blocks;
    } else {
      while (dirty_.size() >= c.write_segments) {
        destage_one();
        t = std::max(t, media_free_);
      }
      dirty_.push_back({lbn, blocks});
    }
    media_free_ = std::max(media_free_, t);
    keep_written(lbn, blocks);
    return t + from_ms(facts_.hit_ms) + transfer;
  }
  while (!dirty_.empty()) destage_one();
  media_free_ = media(lbn, blocks, std::max(t + from_ms(0.25), media_free_), true);
  if (c.read_hit_on_written) keep_written(lbn, blocks);
  return media_free_;
}

Nanoseconds SimpleDrive::synchronize(Nanoseconds t) {
  if (facts_.cache.persist) return t + from_ms(facts_.hit_ms);
  while (!dirty_.empty()) destage_one();
  return std::max(t, media_free_) + from_ms(facts_.hit_ms);
}

scsi::Expected<void> SimpleDrive::submit(const scsi::Command& command, std::uint32_t tag) {
  scsi::Completion done;
  done.tag = tag;
  done.issued_ns = clock_.now;
  Nanoseconds t = clock_.now;
  if (facts_.noise.host_us > 0)
    t += static_cast<Nanoseconds>(facts_.noise.host_us * 1e3 *
                                  std::exp(0.7 * std::normal_distribution<double>(0, 1)(random_)));
  const std::uint64_t lbn = scsi::get_be32(&command.cdb[2]);
  const std::uint32_t blocks = scsi::get_be16(&command.cdb[7]);
  const std::uint64_t last = map_.blocks() - 1;
  switch (command.opcode()) {
    case 0x00:  // TEST UNIT READY
      break;
    case 0x12:  // INQUIRY
      done.data.assign(36, ' ');
      std::fill_n(done.data.begin(), 8, std::uint8_t{0});
      done.data[2] = 2;
      done.data[4] = 31;
      break;
    case 0x25:  // READ CAPACITY(10)
      done.data.resize(8);
      scsi::put_be(done.data.data(), 4, last);
      scsi::put_be(done.data.data() + 4, 4, kBlockBytes);
      break;
    case 0x28:  // READ(10)
      background(t);
      t = read(lbn, blocks, t, (command.cdb[1] & 0x08) != 0);
      done.data.assign(std::size_t{blocks} * kBlockBytes, 0);
      break;
    case 0x2A:  // WRITE(10)
      background(t);
      t = write(lbn, blocks, t, (command.cdb[1] & 0x08) != 0);
      break;
    case 0x35:  // SYNCHRONIZE CACHE(10)
      if (facts_.cache.knows_synchronize) {
        background(t);
        t = synchronize(t);
        break;
      }
      [[fallthrough]];
    default:  // ILLEGAL REQUEST, invalid command operation code
      done.status = scsi::Status::check_condition;
      done.sense = {0x70, 0, 0x05, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0};
  }
  if (done.data.size() > command.transfer_length) done.data.resize(command.transfer_length);
  clock_.now = done.completed_ns = last_command_ = t;
  done_ = std::move(done);
  return {};
}

scsi::Expected<std::optional<scsi::Completion>> SimpleDrive::reap() {
  return std::exchange(done_, std::nullopt);
}

scsi::Expected<std::optional<scsi::Completion>> SimpleDrive::reap_until(Nanoseconds) {
  return reap();
}

}  // namespace platter::cache_probe::testing
