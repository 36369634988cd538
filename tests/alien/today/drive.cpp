#include "drive.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace today {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Ends of sectors are reckoned at the mean speed and may be late by so many ns.
constexpr double kRounding = 1000;
constexpr std::size_t kStreams = 16;  // whose read-ahead a drive remembers

}  // namespace

Drive::Drive(const Design& design, std::uint64_t seed, bool noise)
    : write_cache(design.write_cache),
      design_(design),
      chance_(seed * 2'654'435'761ULL + 99),
      noise_(noise),
      disks_(design),
      spindle_(design, chance_, noise),
      arm_(design, disks_, spindle_, chance_, noise),
      memory_(design) {
  if (noise && design.pause_every_s > 0)
    next_pause_ = design.pause_every_s * 1e9 * chance_.waiting();
}

bool Drive::has(std::uint32_t tag) const {
  const auto is = [&](const auto& one) { return one.tag == tag; };
  return std::any_of(arrived_.begin(), arrived_.end(), is) ||
         std::any_of(waiting_.begin(), waiting_.end(), is) ||
         std::any_of(done_.begin(), done_.end(), is);
}

void Drive::arrive(const Job& job) {
  const auto later = std::find_if(arrived_.begin(), arrived_.end(),
                                  [&](const Job& one) { return one.issued > job.issued; });
  arrived_.insert(later, job);
}

double Drive::host_delay() {
  if (!noise_) return 0;
  return design_.host_us * 1e3 * std::exp(design_.host_spread * chance_.gauss());
}

double Drive::ended(double t, const Job& job) {
  t += design_.status_us * 1e3 + host_delay();
  if (noise_ && chance_.is(design_.stall_share)) t += chance_.waiting() * design_.stall_us * 1e3;
  t = std::max(t, job.issued + 1);
  const double grid = design_.grid_us * 1e3;
  return grid > 0 ? std::ceil(t / grid) * grid : std::ceil(t);
}

void Drive::complete(const Job& job, double t, bool hit) {
  last_end_ = std::max(last_end_, t);
  done_.push_back({job.tag, ended(t, job), hit});
}

bool Drive::next(double until, Done& done) {
  for (;;) {
    const auto first = std::min_element(done_.begin(), done_.end(),
                                        [](const Done& a, const Done& b) { return a.at < b.at; });
    const double known = first == done_.end() ? kNever : first->at;
    const double decoding = arrived_.empty() ? kNever : arrived_.front().issued;
    double starting = kNever;
    for (const Job& job : waiting_) starting = std::min(starting, job.ready);
    if (!waiting_.empty()) starting = std::max(starting, media_);
    const double event = std::min(decoding, starting);
    if (event > std::min(known, until) || event == kNever) {
      if (known > until || known == kNever) return false;
      done = *first;
      done_.erase(first);
      return true;
    }
    if (decoding <= starting) {
      const Job job = arrived_.front();
      arrived_.pop_front();
      decode(job);
    } else {
      start(starting);
    }
  }
}

void Drive::reset(double t) {
  arrived_.clear();
  waiting_.clear();
  done_.clear();
  write_cache = design_.write_cache;
  read_cache = read_ahead = true;
  electronics_ = media_ = std::max({t, electronics_, media_});
}

// The electronics: what memory can answer never waits for the media.

void Drive::decode(Job job) {
  // What was done alone until now. The media may be busy beyond.
  if (waiting_.empty()) media_ = std::max(idle(media_, job.issued), job.issued);
  const bool reads = job.kind == Kind::read, writes = job.kind == Kind::write;
  const double t = std::max(job.issued, electronics_) + host_delay() +
                   (job.kind == Kind::other ? design_.other_us : design_.decode_us) * 1e3;
  electronics_ = job.ready = t;
  if (writes) job.received = t + design_.write_us * 1e3 + transfer(job.blocks);
  if (job.kind == Kind::other) return complete(job, t, true);
  if (reads && read_cache && !(job.force && !design_.ignores_fua) && in_memory(job)) {
    const double sent = t + design_.hit_us * 1e3 + transfer(job.blocks);
    electronics_ = sent;
    last_read_end_ = job.lbn + job.blocks;
    if (read_ahead && design_.ahead_goes_on) read_on(end_sector(job));
    return complete(job, sent, true);
  }
  if (job.kind == Kind::verify && design_.verify_from_memory && in_memory(job))
    return complete(job, t, true);
  if (writes && write_cache && !(job.force && !design_.ignores_fua) && takes_dirty(job)) {
    electronics_ = job.received;
    make_dirty(job, job.received);
    return complete(job, job.received, true);
  }
  waiting_.push_back(job);
}

double Drive::urgency(const Job& job, double t) const {
  if (job.kind == Kind::synchronize) return 0;
  if (t - job.issued > design_.ageing_ms * 1e6) return -1;
  const Found found = disks_.find(first_sector(job.lbn));
  const double there = t + arm_.move_ns(found.place);
  return spindle_.when(found.place.angle + disks_.begins(found.place.sector, found.place.sectors),
                       there) -
         t;
}

void Drive::start(double t) {
  std::vector<std::size_t> may;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (waiting_[i].ready > t) continue;
    if (waiting_[i].attribute == 1) {
      may.assign(1, i);
      break;
    }
    may.push_back(i);
    if (waiting_[i].attribute == 2) {
      if (may.size() > 1) may.pop_back();
      break;
    }
    if (!design_.reorders) break;
  }
  std::size_t chosen = may.front();
  double best = kNever;
  if (may.size() > 1)
    for (const std::size_t i : may) {
      const double urgent = urgency(waiting_[i], t);
      if (urgent < best) {
        best = urgent;
        chosen = i;
      }
    }
  const Job job = waiting_[chosen];
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(chosen));
  if (noise_ && next_pause_ > 0 && t > next_pause_) {
    t += design_.pause_ms * 1e6 * chance_.uniform(0.5, 1.5);
    next_pause_ = t + design_.pause_every_s * 1e9 * chance_.waiting();
  }
  const bool due = design_.destage_every && ++since_destage_ >= design_.destage_every;
  if (!dirty_.empty() && job.kind != Kind::synchronize && (due || is_old(t))) {
    since_destage_ = 0;
    t = destage_one(t);
  }
  bool hit = false;
  switch (job.kind) {
    case Kind::read:
      complete(job, read(job, t, hit), hit);
      break;
    case Kind::verify: {
      streams_.clear();
      t = destage_over(job.lbn, job.lbn + job.blocks, t);
      media_ = media_read(first_sector(job.lbn), end_sector(job), t);
      complete(job, media_, false);
      break;
    }
    case Kind::write: {
      streams_.clear();
      if (write_cache && !(job.force && !design_.ignores_fua)) {  // waits for room
        while (!takes_dirty(job) && !dirty_.empty()) t = destage_one(t);
        media_ = t;
        if (takes_dirty(job)) {
          make_dirty(job, std::max(t, job.received));
          complete(job, std::max(t, job.received), false);
          break;
        }
      }
      clean(job.lbn, job.lbn + job.blocks);
      memory_.forget(first_sector(job.lbn), end_sector(job));
      media_ = media_write(job.lbn, job.lbn + job.blocks, std::max(t, job.received));
      if (design_.keeps_written && read_cache) memory_.add(first_sector(job.lbn), end_sector(job));
      complete(job, media_, false);
      break;
    }
    default:
      media_ = flush(t);
      complete(job, media_, false);
  }
}

// Reading.

bool Drive::in_memory(const Job& job) {
  std::int64_t at = job.lbn;
  const std::int64_t end = job.lbn + job.blocks;
  // Written and not yet on the media, one behind the other.
  for (auto one = dirty_.upper_bound(at); one != dirty_.begin() && at < end;) {
    const auto before = std::prev(one);
    if (before->second.end <= at || before->first > at) break;
    at = before->second.end;
    one = dirty_.upper_bound(at);
  }
  return at >= end || memory_.holds(first_sector(job.lbn), end_sector(job));
}

double Drive::read(const Job& job, double t, bool& hit) {
  const std::int64_t first = first_sector(job.lbn), end = end_sector(job);
  const bool keep = read_cache;
  if (!(job.force && !design_.ignores_fua) && keep && in_memory(job)) {
    hit = true;  // it has come in while the command waited
    return std::max(t, job.ready + design_.hit_us * 1e3) + transfer(job.blocks);
  }
  const bool sequential = job.lbn == last_read_end_;
  last_read_end_ = job.lbn + job.blocks;
  if (keep && !job.force && !streams_.empty()) {
    Stream& stream = streams_.front();
    // What is being read on to passes anyhow, and a small gap with it.
    if (first <= std::min(stream.limit, stream.number + design_.awaited_sectors) &&
        end > stream.number && stream.number < stream.limit &&
        (first >= stream.number || memory_.holds(first, stream.number))) {
      if (design_.ahead_doubles) stream.ahead = std::min(stream.ahead * 2, design_.ahead_sectors);
      stream.limit = std::max(stream.limit, end);
      media_ = t;
      media_ = slip(pass(stream, kNever, end));
      if (design_.ahead_goes_on)
        stream.limit = std::max(stream.limit, std::min(end + stream.ahead, disks_.sectors()));
      return std::max(media_, job.ready + transfer(job.blocks)) + tail(job);
    }
  }
  t = destage_over(job.lbn, job.lbn + job.blocks, t);
  const double asked = t;
  media_ = media_read(first, end, t);
  const double done = slip(media_);
  media_ = done;
  if (!keep) {
    streams_.clear();
  } else {
    const std::int64_t name = memory_.add(first, end);
    if (!design_.ahead_resumes) streams_.clear();
    if (read_ahead && (!design_.ahead_after_second || sequential)) {
      const std::int64_t ahead = design_.ahead_doubles && !sequential
                                     ? std::max<std::int64_t>(design_.ahead_sectors / 16, 8)
                                     : design_.ahead_sectors;
      streams_.push_front({end, std::min(end + ahead, disks_.sectors()), name, ahead, media_});
      if (streams_.size() > kStreams) streams_.pop_back();
    }
  }
  return std::max(done, std::max(asked, job.ready) + transfer(job.blocks)) + tail(job);
}

// Now and then a sector is read at the second or third time only.
double Drive::slip(double t) {
  if (!noise_ || !chance_.is(design_.retry_share)) return t;
  return t + spindle_.period() * static_cast<double>(1 + chance_.below(5));
}

double Drive::take(std::int64_t number, std::int64_t end, double t, bool write,
                   std::int64_t& taken) {
  const Found found = disks_.find(number);
  const Place& place = found.place;
  taken = std::min<std::int64_t>(end - number, found.in_a_row);
  for (Stream& stream : streams_) stream.began = -1;
  const double there = arm_.stands_on(place) ? t - kRounding : arm_.move(place, t, write);
  const int last = place.sector + static_cast<int>(taken) - 1;
  const double from = disks_.begins(place.sector, place.sectors),
               to = disks_.ends(last, place.sectors);
  const double begins = spindle_.when(place.angle + from, there);
  if (design_.zero_latency && !write && taken > 1) {
    // The head has come down amid what is wanted: the rest of it now, the beginning when it comes
    // round.
    const double turned = spindle_.turns(there) - place.angle - from;
    const double inside = turned - std::floor(turned);
    if (inside < to - from) {
      const double per_sector = 1.0 / place.sectors;
      const double skipped = std::min(to - from, inside + per_sector);
      return spindle_.when(place.angle + from + skipped,
                           there + (1 - per_sector) * spindle_.period());
    }
  }
  return passed(begins, place.angle, from, to);
}

// When what begins to pass at `begins` has passed, to the spindle's own speed.
double Drive::passed(double begins, double angle, double from, double to) const {
  const double about = begins + (to - from) * spindle_.period();
  return spindle_.when(angle + to, about - kRounding);
}

double Drive::media_read(std::int64_t first, std::int64_t end, double t) {
  for (std::int64_t taken = 0; first < end; first += taken) t = take(first, end, t, false, taken);
  return t;
}

double Drive::media_write(std::int64_t lbn, std::int64_t end_lbn, double t) {
  const std::int64_t ratio = design_.sector_bytes / design_.block_bytes;
  std::int64_t first = first_sector(lbn);
  const std::int64_t end = first_sector(end_lbn - 1) + 1;
  // Of a sector that is written in part the rest has to be known.
  std::int64_t taken = 0;
  if (lbn % ratio && !memory_.holds(first, first + 1)) t = take(first, first + 1, t, false, taken);
  if (end_lbn % ratio && (end - 1 > first || lbn % ratio == 0) && !memory_.holds(end - 1, end))
    t = take(end - 1, end, t, false, taken);
  for (taken = 0; first < end; first += taken) t = take(first, end, t, true, taken);
  return t;
}

// Writing later.

bool Drive::takes_dirty(const Job& job) const {
  const std::int64_t ratio = design_.sector_bytes / design_.block_bytes;
  return dirty_blocks_ + job.blocks <= design_.dirty_sectors * ratio &&
         static_cast<int>(dirty_.size()) < design_.dirty_extents;
}

void Drive::clean(std::int64_t first, std::int64_t end) {
  auto one = dirty_.upper_bound(first);
  if (one != dirty_.begin()) --one;
  while (one != dirty_.end() && one->first < end) {
    const auto [its_first, its] = *one;
    if (its.end <= first) {
      ++one;
      continue;
    }
    one = dirty_.erase(one);
    dirty_blocks_ -= its.end - its_first;
    if (its_first < first) {
      dirty_[its_first] = {first, its.since};
      dirty_blocks_ += first - its_first;
    }
    if (end < its.end) {
      dirty_[end] = its;
      dirty_blocks_ += its.end - end;
    }
  }
}

void Drive::make_dirty(const Job& job, double t) {
  std::int64_t first = job.lbn, end = job.lbn + job.blocks;
  memory_.forget(first_sector(first), end_sector(job));
  clean(first, end);
  double since = t;
  const auto after = dirty_.find(end);
  if (after != dirty_.end()) {  // neighbours are written in one go
    end = after->second.end;
    since = std::min(since, after->second.since);
    dirty_blocks_ -= end - after->first;
    dirty_.erase(after);
  }
  auto before = dirty_.lower_bound(first);
  if (before != dirty_.begin() && (--before)->second.end == first) {
    dirty_blocks_ -= first - before->first;
    since = std::min(since, before->second.since);
    first = before->first;
    dirty_.erase(before);
  }
  dirty_[first] = {end, since};
  dirty_blocks_ += end - first;
  memory_.leave_room_for(dirty_blocks_ * design_.block_bytes / design_.sector_bytes);
  streams_.clear();
}

double Drive::destage_one(double t) {
  auto chosen = dirty_.begin();
  if (design_.destage_sweeps) {
    chosen = dirty_.lower_bound(sweep_);
    if (chosen == dirty_.end()) chosen = dirty_.begin();
  } else {
    double best = kNever;
    int looked_at = 0;
    for (auto one = dirty_.begin(); one != dirty_.end() && looked_at < 128; ++one, ++looked_at) {
      Job job;
      job.lbn = one->first;
      job.issued = t;
      const double urgent = urgency(job, t);
      if (urgent < best) {
        best = urgent;
        chosen = one;
      }
    }
  }
  const std::int64_t first = chosen->first, end = chosen->second.end;
  sweep_ = end;
  t = media_write(first, end, t);
  dirty_blocks_ -= end - first;
  dirty_.erase(chosen);
  if (design_.keeps_written && read_cache)
    memory_.add(first_sector(first), first_sector(end - 1) + 1);
  memory_.leave_room_for(dirty_blocks_ * design_.block_bytes / design_.sector_bytes);
  return t;
}

bool Drive::is_old(double t) const {
  return std::any_of(dirty_.begin(), dirty_.end(), [&](const auto& one) {
    return t - one.second.since > design_.destage_age_s * 1e9;
  });
}

// What lies in memory newer than on the media is written before it is read.
double Drive::destage_over(std::int64_t first, std::int64_t end, double t) {
  for (;;) {
    auto one = dirty_.upper_bound(end - 1);
    if (one == dirty_.begin()) return t;
    --one;
    if (one->second.end <= first) return t;
    const auto [its_first, its] = *one;
    t = media_write(its_first, its.end, t);
    dirty_blocks_ -= its.end - its_first;
    dirty_.erase(its_first);
  }
}

double Drive::flush(double t) {
  while (!dirty_.empty()) t = destage_one(t);
  return t;
}

// What a drive does by itself.

// Data of a stream have been taken up to here: it may be read on by as much.
void Drive::read_on(std::int64_t end) {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    Stream& stream = streams_[i];
    if (end > stream.number || stream.number - end > stream.ahead) continue;
    if (i && !design_.ahead_resumes) return;
    if (design_.ahead_doubles) stream.ahead = std::min(stream.ahead * 2, design_.ahead_sectors);
    if (stream.number >= stream.limit) stream.began = -1;  // it stood still
    stream.limit = std::max(stream.limit, std::min(end + stream.ahead, disks_.sectors()));
    std::rotate(streams_.begin(), streams_.begin() + static_cast<std::ptrdiff_t>(i),
                streams_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    if (i) streams_.front().began = -1;
    return;
  }
}

// Reads on until a time, or up to a sector; when that has passed, or what has passed by then ended.
double Drive::pass(Stream& stream, double until, std::int64_t end) {
  end = std::min(end, stream.limit);
  double t = media_;
  while (stream.number < end) {
    const Found found = disks_.find(stream.number);
    const Place& place = found.place;
    if (!arm_.stands_on(place) || stream.began < 0) {
      if (t > until) return t;
      const double there = arm_.move(place, t, false);
      stream.began = there;
    }
    const double from = disks_.begins(place.sector, place.sectors);
    const double begins = spindle_.when(place.angle + from, stream.began - kRounding);
    const double a_sector = spindle_.period() / place.sectors;
    std::int64_t most = std::min<std::int64_t>(found.in_a_row, end - stream.number);
    if (until != kNever)
      most = std::min(most, static_cast<std::int64_t>(std::max(0.0, until - begins) / a_sector));
    if (most <= 0) return std::max(t, std::min(begins, until));
    const int last = place.sector + static_cast<int>(most) - 1;
    t = passed(begins, place.angle, from, disks_.ends(last, place.sectors));
    stream.number += most;
    stream.began = t;
    if (!memory_.extend(stream.name, stream.number))
      stream.name = memory_.add(stream.number - most, stream.number);
  }
  return t;
}

double Drive::idle(double from, double until) {
  double t = from;
  while (t < until) {
    const auto unfinished = std::find_if(
        streams_.begin(), streams_.end(),
        [](const Stream& stream) { return stream.number < stream.limit; });
    if (unfinished != streams_.end() && (unfinished == streams_.begin() || design_.ahead_resumes)) {
      media_ = t;
      t = std::max(t, pass(*unfinished, until, unfinished->limit));
      if (unfinished->number < unfinished->limit) return t;
      continue;
    }
    const double may = std::max(t, last_end_ + design_.destage_idle_ms * 1e6);
    if (dirty_.empty() || may >= until) return t;
    t = destage_one(may);  // what has begun is ended
  }
  return t;
}

}  // namespace today
