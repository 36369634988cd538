#include "trace/block_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace platter::trace {
namespace {

// A completion that has not come by then was not traced: Linux gives a command up after 30 s.
constexpr Nanoseconds kLongestWait_ns = 60 * kSecond;
constexpr std::size_t kMostPending = 1 << 16;  // more than any drive is given at once
constexpr unsigned kMinorBits = 20;

std::uint64_t first_byte_of(const BlockEvent& event) { return event.sector * 512; }

std::optional<std::uint32_t> linux_device(std::string_view text) {
  const char* const end = text.data() + text.size();
  std::uint32_t major = 0, minor = 0;
  const auto [comma, error] = std::from_chars(text.data(), end, major);
  if (error != std::errc() || comma == end || *comma != ',') return std::nullopt;
  const auto [rest, minor_error] = std::from_chars(comma + 1, end, minor);
  const bool whole = minor_error == std::errc() && rest == end;
  if (!whole || major >= 1u << 12 || minor >= 1u << kMinorBits) return std::nullopt;
  return major << kMinorBits | minor;
}

}  // namespace

bool is_device_of_linux(std::string_view text) { return linux_device(text).has_value(); }

std::uint32_t device_of_linux(const Line& line, std::size_t field) {
  if (const auto device = linux_device(line[field])) return *device;
  line.fail(field, fmt::format("\"{}\" is no device, as 8,16", shown(line[field])));
}

std::string device_text_of_linux(std::uint32_t device) {
  return fmt::format("{}:{}", device >> kMinorBits, device & ((1u << kMinorBits) - 1));
}

BlockEvents::Use BlockEvents::add(const BlockEvent& event) {
  now_ns_ = std::max(now_ns_, event.time_ns);
  switch (event.action) {
    case BlockEvent::Action::queue:
      return queued_ ? begin(event) : Use::of_another;
    case BlockEvent::Action::issue:
      return queued_ ? issue(event) : begin(event);
    case BlockEvent::Action::requeue:
      return requeue(event);
    case BlockEvent::Action::complete:
      return complete(event);
  }
  return Use::of_none;
}

BlockEvents::Key BlockEvents::key_of(const BlockEvent& event) {
  return {first_byte_of(event), event.device, event.write};
}

// Knuth, "The Art of Computer Programming", vol. 3, section 6.4: multiplicative hashing.
std::uint64_t& BlockEvents::chain_of(const Key& key) {
  const std::uint64_t mixed = (key.byte / 512 ^ std::uint64_t{key.device} << 32) *
                              0x9e3779b97f4a7c15;
  return chains_[mixed >> 32 & (chains_.size() - 1)];
}

// 0: there is none.
std::uint64_t BlockEvents::find(const Key& key) {
  std::uint64_t number = chain_of(key);
  while (number != 0 && pending(number).key != key) number = pending(number).next_alike;
  return number;
}

// What was open by the same key is lost.
void BlockEvents::open(std::uint64_t number) {
  Pending& opened = pending(number);
  if (const std::uint64_t lost = find(opened.key); lost != 0) {
    pending(lost).settled = true;
    close(lost);
  }
  opened.next_alike = std::exchange(chain_of(opened.key), number);
}

void BlockEvents::close(std::uint64_t number) {
  std::uint64_t* link = &chain_of(pending(number).key);
  while (*link != number) link = &pending(*link).next_alike;
  *link = pending(number).next_alike;
}

void BlockEvents::make_room() {
  if (size() < pending_.size()) return;
  std::vector<std::uint64_t> open_ones;
  for (std::uint64_t number : chains_)
    for (; number != 0; number = pending(number).next_alike) open_ones.push_back(number);
  std::vector<Pending> larger(2 * pending_.size());
  for (std::uint64_t number = first_; number < end_; ++number)
    larger[number & (larger.size() - 1)] = pending(number);
  pending_ = std::move(larger);
  chains_.assign(pending_.size(), 0);
  for (const std::uint64_t number : open_ones) open(number);
}

BlockEvents::Use BlockEvents::begin(const BlockEvent& event) {
  make_room();
  Pending& begun = pending(end_);
  begun = {.time = event.time,
           .lbn = event.lbn,
           .blocks = event.blocks,
           .key = key_of(event),
           .open_bytes = event.bytes};
  begun.record.request = {
      .arrival_ns = event.time_ns, .device = event.device, .write = event.write};
  begun.record.first = first_byte_of(event);
  begun.record.count = event.bytes;
  if (!queued_) begun.issued_ns = event.time_ns;
  open(end_++);
  return Use::begins;
}

// Of a queued request, unless it was merged with others: then its own time of service is not known.
BlockEvents::Use BlockEvents::issue(const BlockEvent& event) {
  const std::uint64_t number = find(key_of(event));
  if (number != 0 && pending(number).record.count == event.bytes)
    pending(number).issued_ns = event.time_ns;
  return Use::of_another;
}

// The driver gave it back; it will be issued anew.
BlockEvents::Use BlockEvents::requeue(const BlockEvent& event) {
  const std::uint64_t number = find(key_of(event));
  if (number == 0) return Use::of_another;
  Pending& requeued = pending(number);
  if (queued_) {
    requeued.issued_ns.reset();
    return Use::of_another;
  }
  requeued.settled = true;
  requeued.record.count = 0;  // not to be given out
  close(number);
  return Use::takes_back;
}

BlockEvents::Use BlockEvents::complete(const BlockEvent& event) {
  const std::uint64_t number = find(key_of(event));
  if (number == 0) return Use::of_none;
  close(number);
  Pending& completed = pending(number);
  if (event.bytes < completed.open_bytes && event.bytes > 0) {  // the rest is completed later
    completed.open_bytes -= event.bytes;
    completed.key.byte += event.bytes;
    open(number);
    return Use::of_another;
  }
  completed.settled = true;
  if (completed.issued_ns && event.time_ns > *completed.issued_ns && !event.failed)
    completed.record.request.service_ns = event.time_ns - *completed.issued_ns;
  return Use::of_another;
}

bool BlockEvents::take(Record& record) {
  if (std::exchange(taken_, false)) ++first_;
  for (; first_ < end_; ++first_) {
    const Pending& front = pending(first_);
    const Nanoseconds arrival_ns = front.record.request.arrival_ns;
    if (!front.settled && !ended_ && size() < kMostPending &&
        now_ns_ - arrival_ns < kLongestWait_ns)
      return false;
    if (!front.settled) close(first_);
    if (front.record.count == 0 && front.settled) continue;
    record = front.record;
    return taken_ = true;
  }
  return false;
}

Place BlockEvents::place(Part part) const {
  const Pending& front = pending_[first_ & (pending_.size() - 1)];
  switch (part) {
    case Part::lbn:
      return front.lbn;
    case Part::blocks:
      return front.blocks;
    default:
      return front.time;
  }
}

void count(Skips& skips, BlockEvents::Use use, const Place& place) {
  switch (use) {
    case BlockEvents::Use::begins:
      return;
    case BlockEvents::Use::of_another:
      return skips.add_form("events of requests (queued, issued, completed)", place);
    case BlockEvents::Use::of_none:
      return skips.add("completions without a request, which began before the trace or is lost",
                       place);
    case BlockEvents::Use::takes_back:
      skips.add_form("events of requests (queued, issued, completed)", place);
      skips.add_form("requests that the driver gave back, to be issued anew", place);
  }
}

void BlockEventWriter::append(std::string& out, const Request& request) {
  complete_until(out, request.arrival_ns);
  put(out, BlockEvent::Action::queue, request.arrival_ns, request);
  put(out, BlockEvent::Action::issue, request.arrival_ns, request);
  if (request.service_ns)
    completions_.push({request.arrival_ns + *request.service_ns, number_++, request});
}

void BlockEventWriter::end(std::string& out) {
  complete_until(out, std::numeric_limits<Nanoseconds>::max());
}

void BlockEventWriter::complete_until(std::string& out, Nanoseconds time_ns) {
  for (; !completions_.empty() && completions_.top().time_ns <= time_ns; completions_.pop())
    put(out, BlockEvent::Action::complete, completions_.top().time_ns, completions_.top().request);
}

}  // namespace platter::trace
