#include "emulator/contents/volatile_contents.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <random>
#include <utility>

namespace platter::emulator {
namespace {

// What is in `a` and not in `b`; both in order and apart.
std::vector<Range> without(const std::vector<Range>& a, const std::vector<Range>& b) {
  std::vector<Range> left;
  auto next = b.begin();
  for (Range range : a) {
    while (next != b.end() && next->end <= range.first) ++next;
    for (auto cut = next; cut != b.end() && cut->first < range.end; ++cut) {
      if (range.first < cut->first) left.push_back({range.first, cut->first});
      range.first = std::max(range.first, cut->end);
    }
    if (range.first < range.end) left.push_back(range);
  }
  return left;
}

}  // namespace

VolatileContents::VolatileContents(std::unique_ptr<Contents> media, Dirty dirty)
    : media_(std::move(media)), dirty_(std::move(dirty)) {}

// Of the sectors that are held, those that lie in the range.
template <typename Visit>
void VolatileContents::each_held(const Range& range, Visit visit) {
  for (auto it = pages_.lower_bound(range.first / kPage);
       it != pages_.end() && it->first * kPage < range.end;) {
    Page& page = it->second;
    for (std::uint64_t i = 0; i < kSectors; ++i) {
      const std::uint64_t at = it->first * kPage + i * kSector;
      if (at >= range.first && at < range.end && (page.held >> i & 1) != 0) visit(at, page, i);
    }
    it = page.held == 0 ? pages_.erase(it) : std::next(it);
  }
}

// Of the sectors that are held, those that `goes` says move to the media, neighbours together. What
// cannot be written there stays, and is tried again.
template <typename Goes>
int VolatileContents::to_media(const Range& range, Goes goes) {
  std::vector<std::uint8_t> run;
  std::vector<Range> written;
  std::uint64_t begin = 0;
  int error = 0;
  const auto write = [&] {
    if (run.empty()) return;
    const Range its{begin, begin + run.size()};
    if (const int wrong = media_->write(begin, run)) {
      error = wrong;
      to_settle_.push_back(its);
    } else {
      written.push_back(its);
    }
    run.clear();
  };
  each_held(range, [&](std::uint64_t at, Page& page, std::uint64_t i) {
    if (!goes(page.since[i])) return;
    if (begin + run.size() != at) write();
    if (run.empty()) begin = at;
    const auto* const bytes = page.bytes.data() + i * kSector;
    run.insert(run.end(), bytes, bytes + kSector);
  });
  write();
  for (const Range& each : written) forget(each);
  return error;
}

void VolatileContents::forget(const Range& range) {
  each_held(range, [](std::uint64_t, Page& page, std::uint64_t i) {
    page.held &= static_cast<std::uint8_t>(~(1u << i));
  });
}

void VolatileContents::hold(const Write& write) {
  const Ticket now = next_++;
  for (std::uint64_t done = 0; done < write.bytes.size(); done += kSector) {
    const std::uint64_t at = write.offset + done, i = at % kPage / kSector;
    Page& page = pages_[at / kPage];
    std::memcpy(page.bytes.data() + i * kSector, write.bytes.data() + done, kSector);
    page.held |= static_cast<std::uint8_t>(1u << i);
    page.since[i] = now;
  }
}

int VolatileContents::settle_locked(const Range& acknowledged) {
  std::vector<Range> known = std::exchange(to_settle_, dirty_());
  known.push_back(acknowledged);
  int error = 0;
  const Ranges all(std::move(known));
  for (const Range& clean : without(all.all(), to_settle_)) {
    const int wrong = to_media(clean, [](Ticket) { return true; });
    if (error == 0) error = wrong;
  }
  return error;
}

int VolatileContents::begin_write(std::uint64_t power, std::uint64_t offset,
                                  std::span<const std::uint8_t> from, Ticket& ticket) {
  if (offset > bytes() || from.size() > bytes() - offset || offset % kSector != 0 ||
      from.size() % kSector != 0)
    return EINVAL;
  const std::unique_lock lock(mutex_);
  if (power != power_) return ESHUTDOWN;
  // What it overwrites may be on the media by now; the drive knows that before it has this write.
  bool overwrites = false;
  each_held({offset, offset + from.size()},
            [&](std::uint64_t, Page&, std::uint64_t) { overwrites = true; });
  if (overwrites)
    if (const int error = settle_locked({})) return error;
  ticket = next_++;
  under_way_.emplace(ticket, Write{offset, {from.begin(), from.end()}});
  return 0;
}

int VolatileContents::end_write(Ticket ticket, bool through) {
  const std::unique_lock lock(mutex_);
  const auto its = under_way_.extract(ticket);
  if (its.empty()) return ESHUTDOWN;
  const Range range = its.mapped().range();
  // A flush that goes on promises what was acknowledged before it, be it overwritten.
  int error = 0;
  if (!flushes_.empty())
    error = to_media(range, [&](Ticket since) { return since < *flushes_.rbegin(); });
  hold(its.mapped());
  const int unsettled = settle_locked(range);
  const int not_through = through ? to_media(range, [](Ticket) { return true; }) : 0;
  return error != 0 ? error : unsettled != 0 ? unsettled : not_through;
}

VolatileContents::Ticket VolatileContents::begin_flush() {
  const std::unique_lock lock(mutex_);
  return *flushes_.insert(next_++).first;
}

int VolatileContents::end_flush(Ticket ticket) {
  const std::unique_lock lock(mutex_);
  if (flushes_.erase(ticket) == 0) return ESHUTDOWN;
  const int error = to_media({0, bytes()}, [&](Ticket since) { return since < ticket; });
  const int unsettled = settle_locked({});
  return error != 0 ? error : unsettled;
}

int VolatileContents::settle() {
  const std::unique_lock lock(mutex_);
  return settle_locked({});
}

int VolatileContents::cut_power() {
  const std::unique_lock lock(mutex_);
  int error = settle_locked({});
  pages_.clear();
  to_settle_.clear();
  std::mt19937_64 dice(++power_);
  for (const auto& [ticket, write] : under_way_) {
    const auto fate = dice() % 3;  // none of it, all of it, or some
    hold(write);
    const int wrong = to_media(write.range(),
                               [&](Ticket) { return fate == 1 || (fate == 2 && dice() % 2 == 0); });
    if (error == 0) error = wrong;
    pages_.clear();
  }
  under_way_.clear();
  flushes_.clear();
  to_settle_.clear();
  return error;
}

std::uint64_t VolatileContents::power() const {
  const std::shared_lock lock(mutex_);
  return power_;
}

std::uint64_t VolatileContents::volatile_bytes() const {
  const std::shared_lock lock(mutex_);
  std::uint64_t bytes = 0;
  for (const auto& [number, page] : pages_)
    bytes += kSector * static_cast<std::uint64_t>(std::popcount(page.held));
  return bytes;
}

int VolatileContents::read(std::uint64_t offset, std::span<std::uint8_t> to) const {
  const std::shared_lock lock(mutex_);
  if (const int error = media_->read(offset, to)) return error;
  const std::uint64_t end = offset + to.size();
  const auto put = [&](std::uint64_t at, std::span<const std::uint8_t> bytes) {
    const std::uint64_t first = std::max(at, offset), last = std::min(at + bytes.size(), end);
    if (first < last)
      std::memcpy(to.data() + (first - offset), bytes.data() + (first - at), last - first);
  };
  for (auto it = pages_.lower_bound(offset / kPage); it != pages_.end() && it->first * kPage < end;
       ++it)
    for (std::uint64_t i = 0; i < kSectors; ++i)
      if ((it->second.held >> i & 1) != 0)
        put(it->first * kPage + i * kSector, {it->second.bytes.data() + i * kSector, kSector});
  for (const auto& [ticket, write] : under_way_) put(write.offset, write.bytes);
  return 0;
}

int VolatileContents::write(std::uint64_t offset, std::span<const std::uint8_t> from) {
  const std::unique_lock lock(mutex_);
  if (const int error = media_->write(offset, from)) return error;
  forget({offset, offset + from.size()});
  return 0;
}

int VolatileContents::discard(std::uint64_t offset, std::uint64_t bytes) {
  const std::unique_lock lock(mutex_);
  if (const int error = media_->discard(offset, bytes)) return error;
  forget({offset, offset + bytes});
  return 0;
}

}  // namespace platter::emulator
