#include "trace/block_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace platter::trace {
namespace {

// A completion that has not come by then was not traced: Linux gives a command up after 30 s.
constexpr Nanoseconds kLongestWait_ns = 60 * kSecond;
constexpr std::size_t kMostPending = 1 << 16;  // more than any drive is given at once
constexpr unsigned kMinorBits = 20;

std::uint64_t first_byte_of(const BlockEvent& event) { return event.sector * 512; }

}  // namespace

std::uint32_t device_of_linux(const Line& line, std::size_t field) {
  const std::string_view text = line[field];
  const char* const end = text.data() + text.size();
  std::uint32_t major = 0, minor = 0;
  const auto [comma, error] = std::from_chars(text.data(), end, major);
  if (error == std::errc() && comma != end && *comma == ',') {
    const auto [rest, minor_error] = std::from_chars(comma + 1, end, minor);
    if (minor_error == std::errc() && rest == end && major < 1u << 12 && minor < 1u << 20)
      return major << 20 | minor;
  }
  line.fail(field, fmt::format("\"{}\" is no device, as 8,16", shown(text)));
}

std::string device_text_of_linux(std::uint32_t device) {
  return fmt::format("{}:{}", device >> kMinorBits, device & ((1u << kMinorBits) - 1));
}

void BlockEvents::add(const BlockEvent& event) {
  now_ns_ = std::max(now_ns_, event.time_ns);
  switch (event.action) {
    case BlockEvent::Action::queue:
      if (queued_) begin(event);
      return;
    case BlockEvent::Action::issue:
      return queued_ ? issue(event) : begin(event);
    case BlockEvent::Action::requeue:
      return requeue(event);
    case BlockEvent::Action::complete:
      return complete(event);
  }
}

BlockEvents::Pending* BlockEvents::find(const Key& key) {
  const auto found = open_.find(key);
  if (found == open_.end()) return nullptr;
  return &pending_[found->second - first_];
}

void BlockEvents::begin(const BlockEvent& event) {
  Pending pending{
      .time = event.time, .lbn = event.lbn, .blocks = event.blocks, .open_bytes = event.bytes};
  pending.record.request = {
      .arrival_ns = event.time_ns, .device = event.device, .write = event.write};
  pending.record.first = first_byte_of(event);
  pending.record.count = event.bytes;
  if (!queued_) pending.issued_ns = event.time_ns;
  pending.key = {event.device, first_byte_of(event), event.write};
  if (Pending* lost = find(pending.key)) lost->settled = true;
  open_[pending.key] = first_ + pending_.size();
  pending_.push_back(pending);
}

// Of a queued request, unless it was merged with others: then its own time of service is not known.
void BlockEvents::issue(const BlockEvent& event) {
  Pending* const pending = find({event.device, first_byte_of(event), event.write});
  if (pending && pending->record.count == event.bytes) pending->issued_ns = event.time_ns;
}

// The driver gave it back; it will be issued anew.
void BlockEvents::requeue(const BlockEvent& event) {
  const Key key{event.device, first_byte_of(event), event.write};
  Pending* const pending = find(key);
  if (!pending) return;
  if (queued_) {
    pending->issued_ns.reset();
    return;
  }
  pending->settled = true;
  pending->record.count = 0;  // not to be given out
  open_.erase(key);
}

void BlockEvents::complete(const BlockEvent& event) {
  const Key key{event.device, first_byte_of(event), event.write};
  Pending* const pending = find(key);
  if (!pending) return;
  const std::uint64_t number = open_[key];
  open_.erase(key);
  if (event.bytes < pending->open_bytes && event.bytes > 0) {  // the rest is completed later
    pending->open_bytes -= event.bytes;
    pending->key = {event.device, first_byte_of(event) + event.bytes, event.write};
    if (Pending* lost = find(pending->key)) lost->settled = true;
    open_[pending->key] = number;
    return;
  }
  pending->settled = true;
  if (pending->issued_ns && event.time_ns > *pending->issued_ns && !event.failed)
    pending->record.request.service_ns = event.time_ns - *pending->issued_ns;
}

bool BlockEvents::take(Record& record) {
  while (!pending_.empty()) {
    const Pending& front = pending_.front();
    const Nanoseconds arrival_ns = front.record.request.arrival_ns;
    if (!front.settled && !ended_ && pending_.size() < kMostPending &&
        now_ns_ - arrival_ns < kLongestWait_ns)
      return false;
    taken_ = front;
    if (!taken_.settled) open_.erase(taken_.key);
    pending_.pop_front();
    ++first_;
    if (taken_.record.count == 0 && taken_.settled) continue;
    record = taken_.record;
    return true;
  }
  return false;
}

Place BlockEvents::place(Part part) const {
  switch (part) {
    case Part::lbn:
      return taken_.lbn;
    case Part::blocks:
      return taken_.blocks;
    default:
      return taken_.time;
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
