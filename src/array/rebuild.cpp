#include "array/rebuild.h"

namespace platter::array {
namespace {

constexpr Nanoseconds kMarkStep = 3'000'000'000;
constexpr Nanoseconds kTooFast = 500'000'000;        // it sleeps
constexpr std::int64_t kOthersAreServed = 64 * 512;  // bytes of others on a member

}  // namespace

RebuildPace::RebuildPace(const RebuildRate& rate, std::uint32_t members)
    : rate_(rate), others_bytes_(members), seen_bytes_(members) {}

void RebuildPace::begin(Nanoseconds now_ns) {
  marks_.fill({now_ns, 0});
  since_ = marks_.front();
}

void RebuildPace::asked(std::uint64_t bytes) {
  asked_bytes_ += bytes;
  active_bytes_ += bytes;
  looks_ = looked_at_bytes_ + rate_.window_bytes <= asked_bytes_;
  if (looks_) looked_at_bytes_ = asked_bytes_;
}

void RebuildPace::done(std::uint64_t bytes) {
  active_bytes_ -= bytes;
  if (active_bytes_ == 0) waits_ = false;
}

bool RebuildPace::others_were_served() {
  bool served = false;
  for (std::size_t i = 0; i < others_bytes_.size(); ++i)
    if (others_bytes_[i] - seen_bytes_[i] > kOthersAreServed) {
      seen_bytes_[i] = others_bytes_[i];
      served = true;
    }
  return served;
}

// Since the oldest mark, as md counts it: whole seconds, begun ones included.
std::uint64_t RebuildPace::bytes_per_s(Nanoseconds now_ns) {
  const std::uint64_t done = asked_bytes_ - active_bytes_;
  if (now_ns >= marks_[latest_mark_].time_ns + kMarkStep) {
    const std::size_t next = (latest_mark_ + 1) % kMarks;
    const Mark oldest = marks_[next];
    marks_[next] = {now_ns, done};
    latest_mark_ = next;
    since_ = oldest;
  }
  const auto seconds = static_cast<std::uint64_t>((now_ns - since_.time_ns) / 1'000'000'000) + 1;
  return (done - since_.bytes) / seconds + 1024;
}

RebuildPace::Turn RebuildPace::turn(Nanoseconds now_ns) {
  if (wakes_ns_) return Turn::sleep;
  if (waits_) return Turn::wait;
  if (looks_) {
    const std::uint64_t speed = bytes_per_s(now_ns);
    if (speed > rate_.most_bytes_per_s) {
      wakes_ns_ = now_ns + kTooFast;
      return Turn::sleep;
    }
    looks_ = false;
    if (speed > rate_.least_bytes_per_s && others_were_served() && active_bytes_ > 0) {
      waits_ = true;
      return Turn::wait;
    }
  }
  return Turn::ask;
}

}  // namespace platter::array
