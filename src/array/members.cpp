#include "array/members.h"

#include <algorithm>

namespace platter::array {

Members::Members(const std::vector<engine::Engine>& engines, std::vector<Nanoseconds> phases,
                 bool force_unit_access, const BlockLayer& layer)
    : force_unit_access_(force_unit_access), layer_(layer) {
  for (std::size_t i = 0; i < engines.size(); ++i)
    members_.push_back(
        {.engine = engines[i], .phase_ns = phases[i], .queue = DeviceQueue(layer.device_queue)});
}

// With the last in the plug that is for the same member, or one of the last that wait behind others
// (block/blk-merge.c, blk_attempt_plug_merge(), blk_bio_list_merge()).
bool Members::merged(const Access& access) {
  constexpr std::ptrdiff_t kLooksAt = 8;
  Member& member = members_[access.member];
  if (!member.plugged.empty() && joined(commands_[member.plugged.back()], access)) return true;
  const std::deque<std::uint32_t>& behind = member.queue.behind();
  const auto end = std::ssize(behind) > kLooksAt ? behind.rbegin() + kLooksAt : behind.rend();
  return std::any_of(behind.rbegin(), end,
                     [&](std::uint32_t place) { return joined(commands_[place], access); });
}

bool Members::joined(Command& command, const Access& access) {
  if (command.write != access.write || command.blocks + access.blocks > layer_.most_merged)
    return false;
  if (access.lbn + access.blocks == command.lbn)
    command.lbn = access.lbn;
  else if (access.lbn != command.lbn + command.blocks)
    return false;
  command.blocks += access.blocks;
  command.tickets.push_back(access.ticket);
  return true;
}

// (blk_add_rq_to_plug())
bool Members::plug_is_full() const {
  if (plugged_.empty()) return false;
  return plugged_.size() >= (for_several_ ? 2 : 1) * layer_.most_commands ||
         commands_[plugged_.back()].blocks >= layer_.full_at;
}

std::uint32_t Members::new_command(const Access& access) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(commands_.size()));
    commands_.emplace_back();
  }
  const std::uint32_t place = free_.back();
  free_.pop_back();
  Command& command = commands_[place];
  command.member = access.member;
  command.lbn = access.lbn;
  command.blocks = access.blocks;
  command.write = access.write;
  command.tickets.assign(1, access.ticket);
  return place;
}

void Members::flush(Nanoseconds now_ns, From from) {
  if (added_.empty()) return;
  for_several_ = false;
  for (const Access& access : added_) {
    if (merged(access)) continue;
    if (from != From::no_plug && plug_is_full()) issue_plugged(now_ns, From::plug);
    if (!plugged_.empty() && commands_[plugged_.back()].member != access.member)
      for_several_ = true;
    plugged_.push_back(new_command(access));
    members_[access.member].plugged.push_back(plugged_.back());
  }
  added_.clear();
  issue_plugged(now_ns, from);
}

void Members::issue_plugged(Nanoseconds now_ns, From from) {
  plugged_.clear();
  for (Member& member : members_) {
    if (member.plugged.empty()) continue;
    sent_.clear();
    if (from == From::no_plug)
      for (const std::uint32_t command : member.plugged) member.queue.issue(command, sent_);
    else if (from == From::plug_of_sleeper)
      member.queue.issue(member.plugged, DeviceQueue::Unplug::asleep, sent_);
    else
      member.queue.issue(
          member.plugged,
          for_several_ ? DeviceQueue::Unplug::in_order : DeviceQueue::Unplug::backwards, sent_);
    member.plugged.clear();
    submit(member, now_ns);
  }
}

// What was sent, and what the drive takes of what waits there.
void Members::submit(Member& member, Nanoseconds now_ns) {
  member.waiting.insert(member.waiting.end(), sent_.begin(), sent_.end());
  while (!member.waiting.empty()) {
    const std::uint32_t place = member.waiting.front();
    const Command& command = commands_[place];
    engine::Request request;
    request.lbn = command.lbn;
    request.blocks = command.blocks;
    request.write = command.write;
    request.force_unit_access = force_unit_access_;
    request.tag = place;
    request.disturbance.phase_ns = member.phase_ns;
    if (!member.engine.submit(request, now_ns)) break;
    ++commands_issued_;
    member.waiting.pop_front();
  }
  member.next_ns = member.engine.next_completion_time();
}

std::optional<Nanoseconds> Members::next_time() const {
  std::optional<Nanoseconds> earliest;
  for (const Member& member : members_)
    if (member.next_ns && (!earliest || *member.next_ns < *earliest)) earliest = member.next_ns;
  return earliest;
}

const Members::Ended& Members::next() {
  std::uint32_t first = 0;
  for (std::uint32_t i = 1; i < members_.size(); ++i)
    if (members_[i].next_ns &&
        (!members_[first].next_ns || *members_[i].next_ns < *members_[first].next_ns))
      first = i;
  Member& member = members_[first];
  const engine::Completion done = *member.engine.next_completion();
  Command& command = commands_[done.tag];
  ended_.member = first;
  ended_.time_ns = done.completion_ns;
  ended_.lbn = command.lbn;
  ended_.blocks = command.blocks;
  ended_.media = done.media_access;
  ended_.tickets.swap(command.tickets);
  outside_validity_ += done.outside_validity;
  free_.push_back(done.tag);
  sent_.clear();
  member.queue.ended(sent_);
  submit(member, done.completion_ns);
  return ended_;
}

}  // namespace platter::array
