#include "scsi/joined_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "scsi/bytes.h"
#include "scsi/command_table.h"
#include "scsi/commands.h"
#include "scsi/drive.h"
#include "scsi/guard.h"
#include "scsi/replies.h"

namespace platter::scsi {
namespace {

constexpr std::uint8_t kSynchronizeCache16 = 0x91;

bool is_for_both(const Command& command) {
  switch (command.opcode()) {
    case kTestUnitReady:
    case kModeSelect6:
    case kModeSelect10:
    case kSynchronizeCache10:
    case kSynchronizeCache16:
      return true;
    case kAtaPassThrough12:
    case kAtaPassThrough16:
      return command.direction == Direction::none;  // SET FEATURES
    default:
      return false;
  }
}

// Address translation: a unit knows blocks of its own alone.
bool is_not_offered(const Command& command) {
  return command.opcode() == kSendDiagnostic || command.opcode() == kReceiveDiagnostic;
}

void refuse(Completion& done) {
  done.status = Status::check_condition;
  done.sense.assign(18, 0);
  done.sense[0] = 0x70;
  done.sense[2] = 0x05;
  done.sense[7] = 10;
  done.sense[12] = 0x20;
}

// The same of other blocks: all of its data are theirs.
Command of_blocks(const Command& command, std::uint64_t from, std::uint64_t lbn,
                  std::uint64_t blocks, std::uint64_t of) {
  Command part = command;
  put_address(part, lbn);
  if (blocks == of) return part;  // put_address leaves no form of 6 bytes
  const bool long_form = part.cdb_length == 16;
  put_be(&part.cdb[long_form ? 10 : 7], long_form ? 4 : 2, blocks);
  if (of == 0 || command.transfer_length == 0) return part;
  const std::uint64_t each = command.transfer_length / of;
  part.transfer_length = static_cast<std::uint32_t>(each * blocks);
  if (!command.data.empty()) {
    const auto begin = command.data.begin() + static_cast<std::ptrdiff_t>(each * from);
    part.data.assign(begin, begin + part.transfer_length);
  }
  return part;
}

// How many blocks all units have, in the place of how many the first has.
void tell_capacity(std::uint8_t opcode, std::uint64_t blocks, std::vector<std::uint8_t>& data) {
  if (opcode == kReadCapacity10 && data.size() >= 4)
    put_be(data.data(), 4, std::min<std::uint64_t>(blocks - 1, 0xFFFFFFFF));
  else if (opcode == kServiceActionIn16 && data.size() >= 8)
    put_be(data.data(), 8, blocks - 1);
}

}  // namespace

std::vector<std::string> decode_target_designators(Bytes reply) {
  constexpr std::uint8_t kPage = 0x83;
  constexpr int kRelativePort = 4;  // a number that all targets have
  std::vector<std::string> names;
  auto body = part(vpd_page_in(reply, kPage), 4, reply.size());
  while (body.size() >= 4) {
    const auto association = (body[1] >> 4) & 3, type = body[1] & 0x0F;
    const auto designator = part(body, 4, body[3]);
    const bool is_whole = !designator.empty() && designator.size() == body[3];
    if ((association == 1 || association == 2) && type != kRelativePort && is_whole)
      names.push_back(fmt::format("{}.{}.{:02x}", association, type, fmt::join(designator, "")));
    body = part(body, 4U + body[3], body.size());
  }
  return names;
}

JoinedUnits::JoinedUnits(std::unique_ptr<Device> first, std::unique_ptr<Device> second)
    : units_{std::move(first), std::move(second)},
      name_(units_[0]->name() + "+" + units_[1]->name()) {
  std::array<std::vector<std::string>, 2> of_targets, of_units;
  std::array<std::uint32_t, 2> bytes{};
  for (std::size_t i = 0; i < units_.size(); ++i) {
    Guard guard(*units_[i], {});
    Drive drive(guard, units_[i]->name());
    const model::Identity& identity = drive.identify();
    drive.refuse_host_managed();
    blocks_[i] = identity.blocks;
    bytes[i] = identity.block_bytes;
    if (const auto page = drive.vpd_page(0x83)) {
      of_targets[i] = decode_target_designators(*page);
      of_units[i] = decode_designators(*page);
    }
  }
  require_one_target(of_targets);
  if (of_units[0] == of_units[1])
    throw Error(ExitStatus::refused,
                fmt::format("{}: both names are of one logical unit, or its VPD page 83h does not "
                            "tell; name its two units",
                            name_));
  if (bytes[0] != bytes[1])
    throw Error(ExitStatus::refused,
                fmt::format("{}: blocks of {} and of {} bytes make no one drive", name_, bytes[0],
                            bytes[1]));
  block_bytes_ = bytes[0];
}

void JoinedUnits::require_one_target(
    const std::array<std::vector<std::string>, 2>& of_targets) const {
  const auto& [a, b] = of_targets;
  if (std::ranges::find_first_of(a, b) != a.end()) return;
  throw Error(
      ExitStatus::refused,
      fmt::format("{}: VPD page 83h does not say that they are logical units of one target; "
                  "measure each by itself",
                  name_));
}

std::uint32_t JoinedUnits::max_outstanding() const {
  return std::min(units_[0]->max_outstanding(), units_[1]->max_outstanding());
}

std::uint32_t JoinedUnits::max_transfer_bytes() const {
  const std::uint32_t a = units_[0]->max_transfer_bytes(), b = units_[1]->max_transfer_bytes();
  return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
}

void JoinedUnits::prepare_for(std::uint32_t outstanding) {
  for (const auto& unit : units_) unit->prepare_for(outstanding);
}

std::uint64_t JoinedUnits::sent_again() {
  return units_[0]->sent_again() + units_[1]->sent_again();
}

std::vector<JoinedUnits::Part> JoinedUnits::parts_of(const Command& command) const {
  if (is_not_offered(command)) return {{0, test_unit_ready()}};
  if (is_for_both(command)) return {{0, command}, {1, command}};
  const auto named = addressed_blocks(command);
  if (!named) return {{0, command}};
  const auto [lbn, blocks] = *named;
  if (lbn >= blocks_[0]) return {{1, of_blocks(command, 0, lbn - blocks_[0], blocks, blocks)}};
  const std::uint64_t in_first = std::min(blocks, blocks_[0] - lbn);
  if (in_first == blocks) return {{0, command}};
  return {{0, of_blocks(command, 0, lbn, in_first, blocks)},
          {1, of_blocks(command, in_first, 0, blocks - in_first, blocks)}};
}

Expected<void> JoinedUnits::submit(const Command& command, std::uint32_t tag) {
  return pass(command, tag, &Device::submit);
}

Expected<void> JoinedUnits::submit_alone(const Command& command, std::uint32_t tag) {
  return pass(command, tag, &Device::submit_alone);
}

// What goes to both is not alone.
Expected<void> JoinedUnits::pass(const Command& command, std::uint32_t tag, Submit how) {
  Pending pending;
  pending.asked = command;
  pending.asked.data.clear();
  const std::vector<Part> parts = parts_of(command);
  if (parts.size() > 1) how = &Device::submit;
  for (const Part& part : parts) {
    const std::uint32_t its_tag = next_tag_++;
    const auto sent = ((*units_[part.unit]).*how)(part.command, its_tag);
    if (!sent) {
      if (pending.parts > 0) pending_.emplace(tag, std::move(pending));
      return sent;
    }
    tags_[part.unit].emplace(its_tag, tag);
    ++pending.parts;
  }
  pending_.emplace(tag, std::move(pending));
  return {};
}

// The first part that failed says how; else all of their data, in their order.
Completion JoinedUnits::whole(Pending pending, std::uint32_t tag) const {
  const auto is_good = [](const auto& part) { return part.second.status == Status::good; };
  const auto failed = std::ranges::find_if_not(pending.came, is_good);
  Completion done = failed != pending.came.end() ? failed->second : Completion{};
  done.tag = tag;
  done.issued_ns = std::numeric_limits<Nanoseconds>::max();
  for (auto& [its_tag, part] : pending.came) {
    done.issued_ns = std::min(done.issued_ns, part.issued_ns);
    done.completed_ns = std::max(done.completed_ns, part.completed_ns);
    if (failed != pending.came.end()) continue;
    done.residual = is_for_both(pending.asked) ? std::max(done.residual, part.residual)
                                               : done.residual + part.residual;
    done.data.insert(done.data.end(), part.data.begin(), part.data.end());
  }
  if (is_not_offered(pending.asked)) refuse(done);
  tell_capacity(pending.asked.opcode(), blocks_[0] + blocks_[1], done.data);
  constexpr std::size_t kOneUnit = 16;  // of REPORT LUNS: the joined drive is one
  if (pending.asked.opcode() == kReportLuns && done.data.size() > kOneUnit) {
    done.data.resize(kOneUnit);
    put_be(done.data.data(), 4, 8);
  }
  return done;
}

// nullopt: nothing came by then, or another part is still to come.
Expected<std::optional<Completion>> JoinedUnits::next_of(std::size_t unit,
                                                         std::optional<Nanoseconds> deadline_ns) {
  auto came = deadline_ns ? units_[unit]->reap_until(*deadline_ns) : units_[unit]->reap();
  if (!came || !*came) {
    if (!deadline_ns) tags_[unit].clear();  // it has lost what it had
    return came;
  }
  const auto of = tags_[unit].find((*came)->tag);
  if (of == tags_[unit].end()) return std::nullopt;
  const std::uint32_t tag = of->second;
  tags_[unit].erase(of);
  const auto pending = pending_.find(tag);
  if (pending == pending_.end()) return std::nullopt;
  const std::uint32_t its_tag = (*came)->tag;
  pending->second.came.emplace(its_tag, std::move(**came));
  if (--pending->second.parts > 0) return std::nullopt;
  return whole(std::move(pending_.extract(pending).mapped()), tag);
}

// Where both have something to do neither may be waited for: they are looked at in turn.
Expected<std::optional<Completion>> JoinedUnits::reap_by(std::optional<Nanoseconds> deadline_ns) {
  constexpr Nanoseconds kLook_ns = 10 * kMicrosecond;
  while (outstanding(0) + outstanding(1) > 0) {
    const bool both = outstanding(0) > 0 && outstanding(1) > 0;
    const Nanoseconds now_ns = clock().now_ns();
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      if (outstanding(unit) == 0) continue;
      std::optional<Nanoseconds> until_ns = deadline_ns;
      if (both) until_ns = std::min(deadline_ns.value_or(now_ns + kLook_ns), now_ns + kLook_ns);
      auto done = next_of(unit, until_ns);
      if (!done || *done) return done;
      if (outstanding(0) + outstanding(1) == 0) break;
    }
    if (deadline_ns && clock().now_ns() >= *deadline_ns) return std::nullopt;
  }
  if (deadline_ns) clock().sleep_until_ns(*deadline_ns);
  return std::nullopt;
}

Expected<std::optional<Completion>> JoinedUnits::reap() { return reap_by(std::nullopt); }

Expected<std::optional<Completion>> JoinedUnits::reap_until(Nanoseconds deadline_ns) {
  return reap_by(deadline_ns);
}

Expected<void> JoinedUnits::reset() {
  pending_.clear();
  for (auto& tags : tags_) tags.clear();
  for (const auto& unit : units_)
    if (auto done = unit->reset(); !done) return done;
  return {};
}

}  // namespace platter::scsi
