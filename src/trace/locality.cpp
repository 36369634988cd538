#include "trace/locality.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace platter::trace {

void Sequentiality::add(std::uint64_t lbn, std::uint32_t blocks) {
  const auto last = recent_.begin() + static_cast<std::ptrdiff_t>(known_);
  auto found = std::find_if(recent_.begin(), last,
                            [&](const Stream& stream) { return stream.next == lbn; });
  const bool continues = found != last;
  const bool continues_run = continues && found == recent_.begin();
  Stream stream;
  if (continues) {
    ++continued_at_[static_cast<std::size_t>(found - recent_.begin())];
    stream = *found;
  } else if (known_ < kRemembered) {
    ++known_;
  } else {
    end(*--found);
  }
  stream.next = lbn + blocks;
  ++stream.requests;
  std::move_backward(recent_.begin(), found, found + 1);
  recent_.front() = stream;

  if (!continues_run) {
    ++runs_;
    run_requests_ = run_blocks_ = 0;
  }
  longest_run_requests_ = std::max(longest_run_requests_, ++run_requests_);
  longest_run_blocks_ = std::max(longest_run_blocks_, run_blocks_ += blocks);
}

void Sequentiality::end(const Stream& stream) {
  if (stream.requests < 2) return;
  ++streams_;
  requests_in_streams_ += stream.requests;
  longest_stream_requests_ = std::max(longest_stream_requests_, stream.requests);
}

void Sequentiality::finish() {
  for (std::size_t i = 0; i < known_; ++i) end(recent_[i]);
  known_ = 0;
}

std::uint64_t Sequentiality::continuing(std::size_t streams) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < std::min(streams, kRemembered); ++i) sum += continued_at_[i];
  return sum;
}

std::size_t Sequentiality::streams_for(double share) const {
  const double wanted = share * static_cast<double>(continuing(kRemembered));
  std::size_t streams = 0;
  while (static_cast<double>(continuing(streams)) < wanted) ++streams;
  return streams;
}

void Alignment::add(std::uint64_t lbn, std::uint32_t blocks) {
  ++begins_[static_cast<std::size_t>(std::countr_zero(lbn))];
  ++wholes_[static_cast<std::size_t>(std::countr_zero(lbn | blocks))];
}

std::uint64_t Alignment::at_least(const Powers& powers, int power) {
  std::uint64_t sum = 0;
  for (std::size_t i = static_cast<std::size_t>(power); i < powers.size(); ++i) sum += powers[i];
  return sum;
}

bool Footprint::add(std::uint64_t lbn, std::uint32_t blocks) {
  const std::uint64_t first = lbn / region_blocks_, last = (lbn + (blocks - 1)) / region_blocks_;
  const std::uint64_t before = regions_;
  bool counted = true;
  for (std::uint64_t region = first; region <= last;) {
    const std::uint64_t chunk = region / kRegions;
    std::uint64_t behind = (chunk + 1) * kRegions;
    if (const auto whole = whole_.upper_bound(chunk);
        whole != whole_.begin() && std::prev(whole)->second > chunk)
      behind = std::prev(whole)->second * kRegions;
    else
      counted &= touch(chunk, region % kRegions, std::min(last, behind - 1) % kRegions);
    region = behind;
  }
  return counted && regions_ == before;
}

bool Footprint::touch(std::uint64_t number, std::uint64_t first, std::uint64_t last) {
  auto chunk = chunks_.find(number);
  if (chunk == chunks_.end()) {
    if (chunks_.size() == kMostChunks) return exact_ = false;
    chunk = chunks_.try_emplace(number).first;
  }
  const std::uint64_t before = regions_;
  for (std::uint64_t word = first / 64; word <= last / 64; ++word) {
    std::uint64_t mask = ~std::uint64_t{0};
    if (word == first / 64) mask &= ~std::uint64_t{0} << first % 64;
    if (word == last / 64) mask &= ~std::uint64_t{0} >> (63 - last % 64);
    std::uint64_t& touched = chunk->second.words[word];
    regions_ += static_cast<std::uint64_t>(std::popcount(mask & ~touched));
    touched |= mask;
  }
  chunk->second.regions += regions_ - before;
  if (regions_ > before && chunk->second.regions == kRegions) is_whole(number);
  return true;
}

void Footprint::is_whole(std::uint64_t chunk) {
  auto stretch = whole_.try_emplace(chunk, chunk + 1).first;
  if (const auto next = std::next(stretch); next != whole_.end() && next->first == chunk + 1) {
    stretch->second = next->second;
    whole_.erase(next);
  }
  if (stretch == whole_.begin()) return;
  const auto previous = std::prev(stretch);
  if (previous->second != chunk) return;
  previous->second = stretch->second;
  whole_.erase(stretch);
}

}  // namespace platter::trace
