#include "replay/host_queue.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace platter::replay {
namespace {

constexpr std::size_t kUnplugAt = 4;            // waiting requests
constexpr std::size_t kStreamsRemembered = 16;  // each with the window it is in and the next
constexpr std::size_t kWindows = 2;
constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint32_t>::max();  // blocks
constexpr Nanoseconds kForever = std::numeric_limits<Nanoseconds>::max();

std::uint64_t blocks_of(std::uint64_t bytes, std::uint32_t block_bytes) {
  return bytes == 0 ? 0 : std::max<std::uint64_t>(1, bytes / block_bytes);
}

}  // namespace

HostQueue::HostQueue(Player& player, const Drive& drive, const HostQueueSettings& settings,
                     trace::Kind kind)
    : player_(player),
      drive_(drive),
      settings_(settings),
      largest_(settings.merge_bytes == 0 ? kUnlimited
                                         : blocks_of(settings.merge_bytes, drive.block_bytes)),
      window_blocks_(blocks_of(settings.prefetch_bytes, drive.block_bytes)),
      plugs_(kind == trace::Kind::open && settings.plug_ns > 0) {
  use_.settings = settings;
}

std::optional<Player::Done> HostQueue::next_by(Nanoseconds time_ns) {
  while (ready_.empty())
    if (!step(time_ns)) return std::nullopt;
  if (ready_.front().completion_ns() > time_ns) return std::nullopt;
  const Done done = ready_.front();
  ready_.pop_front();
  --outstanding_;
  return done;
}

Player::Done HostQueue::next() { return *next_by(kForever); }

// What happens next, if anything does by then.
bool HostQueue::step(Nanoseconds latest_ns) {
  if (const auto done =
          player_.next_by(std::min(latest_ns, plugged_until_ns_.value_or(kForever)))) {
    complete(*done);
    return true;
  }
  if (!plugged_until_ns_ || *plugged_until_ns_ > latest_ns) return false;
  unplug(*plugged_until_ns_);
  return true;
}

void HostQueue::issue(std::uint64_t number, Nanoseconds time_ns) {
  const auto client = std::make_shared<Client>(Client{number, time_ns, 1});
  const Extent extent = extent_of(prepared_);
  ++outstanding_;
  if (extent.write) {
    forget_windows(extent);
    enqueue(extent, {client}, time_ns);
  } else {
    read(extent, client, time_ns);
  }
  finish_part(*client, false, time_ns);  // it has entered
  if (!plugged_until_ns_ || waiting_.size() >= kUnplugAt) unplug(time_ns);
}

std::uint32_t HostQueue::room() const {
  const bool place = held() < settings_.requests || merges_with_waiting(extent_of(prepared_));
  return outstanding_ + (place ? 1 : 0);
}

void HostQueue::complete(const Done& done) {
  const auto found = std::ranges::find(at_drive_, done.number, &Command::number);
  const Command command = std::move(*found);
  at_drive_.erase(found);
  const bool media = done.media.value_or(true);
  for (const Part& part : command.parts) {
    if (part.client) finish_part(*part.client, media, done.completion_ns());
    if (part.window && --part.window->missing == 0)
      for (const auto& client : std::exchange(part.window->waiting, {}))
        finish_part(*client, media, done.completion_ns());
  }
  unplug(done.completion_ns());
}

void HostQueue::finish_part(Client& client, bool media, Nanoseconds time_ns) {
  client.media |= media;
  if (--client.missing > 0) return;
  ready_.push_back({.number = client.number,
                    .issue_ns = client.entered_ns,
                    .response_ns = time_ns - client.entered_ns,
                    .media = client.media});
}

void HostQueue::enqueue(Extent extent, const Part& part, Nanoseconds time_ns) {
  while (extent.first < extent.end) {
    const Extent piece{extent.first, extent.first + std::min(extent.blocks(), largest_),
                       extent.write};
    extent.first = piece.end;
    ++(part.client ? part.client->missing : part.window->missing);
    if (settings_.merge_bytes > 0 && merge(piece, part)) continue;
    if (waiting_.empty() && plugs_) plugged_until_ns_ = time_ns + settings_.plug_ns;
    waiting_.push_back({.extent = piece, .parts = {part}});
  }
}

// Behind or in front of one that waits.
bool HostQueue::merge(const Extent& extent, const Part& part) {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    Extent& waiting = waiting_[i].extent;
    if (!may_join(waiting, extent) || barred(extent, i + 1, waiting_.size())) continue;
    waiting = {std::min(waiting.first, extent.first), std::max(waiting.end, extent.end),
               extent.write};
    waiting_[i].parts.push_back(part);
    ++use_.merged;
    join_neighbours(i);
    return true;
  }
  return false;
}

bool HostQueue::merges_with_waiting(const Extent& extent) const {
  if (settings_.merge_bytes == 0) return false;
  for (std::size_t i = 0; i < waiting_.size(); ++i)
    if (may_join(waiting_[i].extent, extent) && !barred(extent, i + 1, waiting_.size()))
      return true;
  return false;
}

bool HostQueue::may_join(const Extent& one, const Extent& other) const {
  return one.write == other.write && (one.precedes(other) || other.precedes(one)) &&
         one.blocks() + other.blocks() <= largest_;
}

// Would it pass one of these?
bool HostQueue::barred(const Extent& extent, std::size_t begin, std::size_t end) const {
  return std::any_of(waiting_.begin() + static_cast<std::ptrdiff_t>(begin),
                     waiting_.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](const Command& command) { return command.extent.bars(extent); });
}

// What grew may now touch another one that waits: the later of both goes with the earlier.
void HostQueue::join_neighbours(std::size_t at) {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (i == at || !may_join(waiting_[i].extent, waiting_[at].extent)) continue;
    const auto [first, later] = std::minmax(i, at);
    if (barred(waiting_[later].extent, first + 1, later)) continue;
    Extent& extent = waiting_[first].extent;
    const Extent& other = waiting_[later].extent;
    extent = {std::min(extent.first, other.first), std::max(extent.end, other.end), extent.write};
    std::ranges::move(waiting_[later].parts, std::back_inserter(waiting_[first].parts));
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(later));
    ++use_.merged;
    return;
  }
}

// Gives the drive what it takes.
void HostQueue::unplug(Nanoseconds time_ns) {
  plugged_until_ns_.reset();
  std::size_t taken = 0;
  for (; taken < waiting_.size(); ++taken) {
    Command& command = waiting_[taken];
    const bool barred = std::ranges::any_of(
        at_drive_, [&](const Command& one) { return one.extent.bars(command.extent); });
    if (barred || at_drive_.size() >= std::min(drive_.depth, player_.room())) break;
    command.number = use_.commands++;
    player_.prepare({.lbn = command.extent.first,
                     .blocks = static_cast<std::uint32_t>(command.extent.blocks()),
                     .write = command.extent.write});
    player_.issue(command.number, time_ns);
    at_drive_.push_back(std::move(command));
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(taken));
}

void HostQueue::read(Extent extent, const std::shared_ptr<Client>& client, Nanoseconds time_ns) {
  const std::uint64_t end = extent.end;
  Stream* const stream = window_blocks_ > 0 ? stream_at(extent.first) : nullptr;
  if (stream) {
    for (const auto& window : stream->windows)
      if (window->first <= extent.first && extent.first < window->end && extent.first < end) {
        extent.first = std::min(end, window->end);
        if (window->missing == 0) continue;
        ++client->missing;
        window->waiting.push_back(client);
      }
    use_.from_memory += extent.first == end;
  }
  enqueue(extent, {client}, time_ns);
  if (stream) {
    stream->next = end;
    prefetch(*stream, time_ns);
  } else if (window_blocks_ > 0) {
    remember(end);
  }
}

// The window behind the last one, once the stream has come into that; what finds no place in the
// queue is left, as Linux leaves read-ahead.
void HostQueue::prefetch(Stream& stream, Nanoseconds time_ns) {
  std::uint64_t first = stream.next;
  if (!stream.windows.empty()) {
    const Window& last = *stream.windows.back();
    if (stream.next <= last.first) return;
    first = std::max(first, last.end);
  }
  const auto window =
      std::make_shared<Window>(Window{first, std::min(first + window_blocks_, drive_.blocks)});
  if (window->first >= window->end || held() >= settings_.requests) return;
  if (stream.windows.size() == kWindows) stream.windows.erase(stream.windows.begin());
  stream.windows.push_back(window);
  ++use_.prefetches;
  enqueue({window->first, window->end}, {.window = window}, time_ns);
}

// The stream whose next read this may be; it is then the one used last.
HostQueue::Stream* HostQueue::stream_at(std::uint64_t lbn) {
  const auto found = std::ranges::find(streams_, lbn, &Stream::next);
  if (found == streams_.end()) return nullptr;
  std::rotate(found, found + 1, streams_.end());
  return &streams_.back();
}

void HostQueue::remember(std::uint64_t next) {
  if (streams_.size() == kStreamsRemembered) streams_.erase(streams_.begin());
  streams_.push_back({next});
}

void HostQueue::forget_windows(const Extent& written) {
  for (Stream& stream : streams_)
    std::erase_if(stream.windows, [&](const std::shared_ptr<Window>& window) {
      return Extent{window->first, window->end}.bars(written);
    });
}

}  // namespace platter::replay
