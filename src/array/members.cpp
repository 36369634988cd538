#include "array/members.h"

#include <algorithm>
#include <utility>

namespace platter::array {

Members::Members(std::vector<engine::Engine> engines, std::vector<Nanoseconds> phases,
                 bool force_unit_access, std::uint32_t most_merged)
    : force_unit_access_(force_unit_access), most_merged_(most_merged) {
  for (std::size_t i = 0; i < engines.size(); ++i)
    members_.push_back({.engine = std::move(engines[i]), .phase_ns = phases[i]});
}

bool Members::merged(Member& member, const Access& access) {
  for (const std::uint32_t i : member.coming) {
    Command& command = commands_[i];
    if (command.write != access.write || command.blocks + access.blocks > most_merged_) continue;
    if (access.lbn == command.lbn + command.blocks) {
    } else if (access.lbn + access.blocks == command.lbn) {
      command.lbn = access.lbn;
    } else {
      continue;
    }
    command.blocks += access.blocks;
    command.tickets.push_back(access.ticket);
    return true;
  }
  return false;
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

void Members::flush(Nanoseconds now_ns) {
  if (added_.empty()) return;
  for (const Access& access : added_) {
    Member& member = members_[access.member];
    if (!merged(member, access)) member.coming.push_back(new_command(access));
  }
  added_.clear();
  for (Member& member : members_) {
    if (member.coming.empty()) continue;
    member.waiting.insert(member.waiting.end(), member.coming.begin(), member.coming.end());
    member.coming.clear();
    submit_waiting(member, now_ns);
  }
}

void Members::submit_waiting(Member& member, Nanoseconds now_ns) {
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
  submit_waiting(member, done.completion_ns);
  return ended_;
}

}  // namespace platter::array
