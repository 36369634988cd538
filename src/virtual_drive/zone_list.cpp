#include "virtual_drive/zone_list.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/zones.h"

namespace platter::virtual_drive {
namespace {

constexpr auto implicitly_open = ZoneCondition::implicitly_open,
               explicitly_open = ZoneCondition::explicitly_open, closed = ZoneCondition::closed,
               read_only = ZoneCondition::read_only, full = ZoneCondition::full,
               offline = ZoneCondition::offline,
               not_write_pointer = ZoneCondition::not_write_pointer;

// SPC-5, ASC and ASCQ assignments; keys by ZBC-2 clause 4.5.3.
constexpr SenseCode kUnalignedWrite{0x5, 0x21, 0x04};
constexpr SenseCode kWriteBoundary{0x5, 0x21, 0x05};
constexpr SenseCode kReadInvalidData{0x5, 0x21, 0x06};
constexpr SenseCode kReadBoundary{0x5, 0x21, 0x07};
constexpr SenseCode kZoneIsReadOnly{0x7, 0x27, 0x08};
constexpr SenseCode kZoneIsOffline{0x7, 0x2c, 0x0e};
constexpr SenseCode kInsufficientResources{0x7, 0x55, 0x0e};

template <typename Words>
std::uint8_t place_in(const Words& words, const std::string& word) {
  return static_cast<std::uint8_t>(std::ranges::find(words, word) - words.begin());
}

}  // namespace

ZoneList::ZoneList(const model::Identity& drive)
    : most_open_(drive.most_open_zones.value_or(std::numeric_limits<std::uint32_t>::max())),
      in_physical_(std::max(1U, drive.physical_block_bytes / std::max(1U, drive.block_bytes))),
      reads_past_pointers_(drive.reads_past_pointers) {
  for (const model::ZoneRun& run : drive.zone_runs)
    for (std::uint64_t i = 0; i < run.zones; ++i) {
      Zone zone;
      zone.first = run.first_lbn + i * run.blocks;
      zone.blocks = run.blocks;
      zone.written = model::written_in(run);
      zone.type = static_cast<ZoneType>(1 + place_in(model::kZoneTypes, run.type));
      zone.condition = static_cast<ZoneCondition>(place_in(model::kZoneConditions, run.condition));
      zones_.push_back(zone);
    }
  cut_power({});
  take_changed();
}

std::size_t ZoneList::number_of(std::uint64_t lbn) const {
  const auto behind = std::ranges::upper_bound(zones_, lbn, {}, &Zone::first);
  return static_cast<std::size_t>(behind - zones_.begin()) - 1;
}

// Of sequential write required zones ZBC-2 clause 4.5.3.4 asks all this, if URSWRZ is 0.
ZoneList::Refusal ZoneList::read(std::uint64_t lbn, std::uint64_t blocks) const {
  if (empty() || blocks == 0) return std::nullopt;
  const std::size_t first = number_of(lbn), last = number_of(lbn + blocks - 1);
  for (std::size_t i = first; i <= last; ++i)
    if (zones_[i].condition == offline) return kZoneIsOffline;
  if (reads_past_pointers_) return std::nullopt;
  const auto is_required = [](const Zone& zone) { return zone.type == ZoneType::required; };
  if (first != last &&
      std::any_of(zones_.begin() + static_cast<std::ptrdiff_t>(first),
                  zones_.begin() + static_cast<std::ptrdiff_t>(last) + 1, is_required))
    return kReadBoundary;
  const Zone& zone = zones_[first];
  if (is_required(zone) && lbn + blocks > zone.pointer()) return kReadInvalidData;
  return std::nullopt;
}

bool ZoneList::all_unwritten(std::uint64_t lbn, std::uint64_t blocks) const {
  if (empty()) return false;
  for (std::size_t i = number_of(lbn), last = number_of(lbn + blocks - 1); i <= last; ++i)
    if (std::max(lbn, zones_[i].first) < zones_[i].pointer()) return false;
  return true;
}

void ZoneList::clear(std::uint64_t lbn, std::uint32_t block_bytes,
                     std::span<std::uint8_t> data) const {
  const std::uint64_t end = lbn + (data.size() + block_bytes - 1) / block_bytes;
  if (empty() || end == lbn) return;
  for (std::size_t i = number_of(lbn), last = number_of(end - 1); i <= last; ++i) {
    const std::uint64_t from = std::max(lbn, zones_[i].pointer()),
                        to = std::min(end, zones_[i].end());
    if (from >= to) continue;
    const auto bytes = [&](std::uint64_t at) {
      return static_cast<std::size_t>(
          std::min<std::uint64_t>((at - lbn) * block_bytes, data.size()));
    };
    std::ranges::fill(data.subspan(bytes(from), bytes(to) - bytes(from)), std::uint8_t{0});
  }
}

void ZoneList::change(Zone& zone, ZoneCondition condition, std::uint64_t written) {
  const bool was_open = zone.is_open();
  zone.condition = condition;
  zone.written = written;
  zone.durable = std::min(zone.durable, written);
  open_ = open_ + (zone.is_open() ? 1 : 0) - (was_open ? 1 : 0);
  if (!std::exchange(zone.changed, true))
    changed_.push_back(static_cast<std::uint32_t>(&zone - zones_.data()));
}

std::vector<std::uint32_t> ZoneList::take_changed() {
  for (const std::uint32_t number : changed_) zones_[number].changed = false;
  return std::exchange(changed_, {});
}

// One that nothing was written to is empty then.
void ZoneList::close(Zone& zone) {
  change(zone, zone.written == 0 ? ZoneCondition::empty : closed, zone.written);
}

// One that the drive opened itself makes room (ZBC-2 clause 4.5.3.4.4, zone resources).
bool ZoneList::make_room() {
  if (open_ < most_open_) return true;
  const auto own = std::ranges::find(zones_, implicitly_open, &Zone::condition);
  if (own == zones_.end()) return false;
  change(*own, closed, own->written);
  return true;
}

ZoneList::Refusal ZoneList::write_required(Zone& zone, std::uint64_t lbn, std::uint64_t blocks) {
  if (blocks > zone.end() - lbn) return kWriteBoundary;
  if (zone.condition == full) return kInvalidFieldInCdb;
  if (lbn != zone.pointer() || (lbn + blocks) % in_physical_ != 0) return kUnalignedWrite;
  if (!zone.is_open() && !make_room()) return kInsufficientResources;
  const std::uint64_t written = zone.written + blocks;
  const ZoneCondition open = zone.is_open() ? zone.condition : implicitly_open;
  change(zone, written == zone.blocks ? full : open, written);
  return std::nullopt;
}

// They may be written anywhere, which costs the drive what is to be avoided.
void ZoneList::write_preferred(std::uint64_t lbn, std::uint64_t blocks) {
  for (std::size_t i = number_of(lbn), last = number_of(lbn + blocks - 1); i <= last; ++i) {
    Zone& zone = zones_[i];
    if (zone.type != ZoneType::preferred) continue;
    const std::uint64_t from = std::max(lbn, zone.first), to = std::min(lbn + blocks, zone.end());
    zone.out_of_order = zone.out_of_order || from != zone.pointer();
    const std::uint64_t written = std::max(zone.written, to - zone.first);
    if (!zone.is_open() && zone.condition != full) make_room();
    const ZoneCondition open = zone.condition == explicitly_open ? explicitly_open
                                                                 : implicitly_open;
    change(zone, written == zone.blocks ? full : open, written);
  }
}

ZoneList::Refusal ZoneList::write(std::uint64_t lbn, std::uint64_t blocks) {
  if (empty() || blocks == 0) return std::nullopt;
  const std::size_t first = number_of(lbn), last = number_of(lbn + blocks - 1);
  for (std::size_t i = first; i <= last; ++i) {
    if (zones_[i].condition == offline) return kZoneIsOffline;
    if (zones_[i].condition == read_only) return kZoneIsReadOnly;
    if (i > first && zones_[i].type == ZoneType::required) return kWriteBoundary;
  }
  if (zones_[first].type == ZoneType::required) return write_required(zones_[first], lbn, blocks);
  write_preferred(lbn, blocks);
  return std::nullopt;
}

ZoneList::Refusal ZoneList::act_on(Action action, Zone& zone) {
  if (zone.type == ZoneType::conventional) return kInvalidFieldInCdb;
  if (zone.condition == read_only) return kZoneIsReadOnly;
  if (zone.condition == offline) return kZoneIsOffline;
  switch (action) {
    case Action::close:
      if (zone.is_open()) close(zone);
      break;
    case Action::finish:
      if (zone.condition != full) change(zone, full, zone.blocks);
      break;
    case Action::open:
      if (zone.condition == full || zone.condition == explicitly_open) break;
      if (!zone.is_open() && !make_room()) return kInsufficientResources;
      change(zone, explicitly_open, zone.written);
      break;
    case Action::reset:
      zone.out_of_order = false;
      if (zone.condition == ZoneCondition::empty) break;
      change(zone, ZoneCondition::empty, 0);
      emptied_.push_back({zone.first, zone.end() - 1});
      break;
  }
  return std::nullopt;
}

// ZBC-2 clauses 5.2 to 5.10: what ALL is of.
ZoneList::Refusal ZoneList::act(Action action, std::uint64_t lbn, bool all) {
  if (!all) {
    Zone& zone = zones_[number_of(lbn)];
    return zone.first == lbn ? act_on(action, zone) : kInvalidFieldInCdb;
  }
  const auto is_meant = [&](const Zone& zone) {
    switch (action) {
      case Action::open:
        return zone.condition == closed;
      case Action::close:
        return zone.is_open();
      case Action::finish:
        return zone.is_open() || zone.condition == closed;
      case Action::reset:
        return zone.is_open() || zone.condition == closed || zone.condition == full;
    }
    return false;
  };
  const auto meant = static_cast<std::size_t>(std::ranges::count_if(zones_, is_meant));
  const auto kept =
      static_cast<std::size_t>(std::ranges::count(zones_, explicitly_open, &Zone::condition));
  if (action == Action::open && meant > most_open_ - kept) return kInsufficientResources;
  for (Zone& zone : zones_)
    if (is_meant(zone)) act_on(action, zone);
  return std::nullopt;
}

void ZoneList::mark_durable(std::uint64_t end_lbn) {
  if (empty() || end_lbn == 0) return;
  Zone& zone = zones_[number_of(end_lbn - 1)];
  zone.durable = std::max(zone.durable, std::min(zone.written, end_lbn - zone.first));
}

Zone ZoneList::after_cut(std::size_t number, std::span<const LbnRange> lost) const {
  Zone zone = zones_[number];
  for (const LbnRange& range : lost) {
    if (zone.type != ZoneType::required || range.last < zone.first || range.first >= zone.end())
      continue;
    const std::uint64_t there = std::max(zone.durable,
                                         std::max(range.first, zone.first) - zone.first);
    if (there >= zone.written) continue;
    zone.written = there;
    zone.condition = closed;
  }
  if (zone.is_open() || zone.condition == closed)
    zone.condition = zone.written == 0 ? ZoneCondition::empty : closed;
  return zone;
}

void ZoneList::cut_power(std::span<const LbnRange> lost) {
  for (std::size_t i = 0; i < zones_.size(); ++i) {
    const Zone then = after_cut(i, lost);
    if (state_of(then) != state(i)) change(zones_[i], then.condition, then.written);
  }
}

bool ZoneList::restore(std::size_t number, const State& state) {
  if (number >= zones_.size()) return false;
  Zone& zone = zones_[number];
  const auto condition = static_cast<ZoneCondition>(state.condition);
  const bool known = state.condition < model::kZoneConditions.size() &&
                     !model::kZoneConditions[state.condition].empty();
  if (!known || state.written > zone.blocks ||
      (zone.type == ZoneType::conventional) != (condition == not_write_pointer))
    return false;
  change(zone, condition, state.written);
  if (zone.is_open()) close(zone);
  return true;
}

}  // namespace platter::virtual_drive
