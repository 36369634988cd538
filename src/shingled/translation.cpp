#include "shingled/translation.h"

#include <algorithm>
#include <memory>
#include <new>

namespace platter::shingled {

std::size_t Translation::bytes(const Settings& settings) {
  const std::size_t bytes = sizeof(Translation) + settings.entries * sizeof(Entry) +
                            settings.bands() * sizeof(Band);
  return (bytes + 15) / 16 * 16;
}

Translation* Translation::create(const Settings& settings, void* memory) {
  auto* translation = new (memory) Translation(settings);
  std::uninitialized_value_construct_n(translation->entries(), settings.entries);
  std::uninitialized_value_construct_n(translation->bands(), settings.bands());
  for (std::uint32_t i = 0; i < settings.entries; ++i)
    translation->entries()[i].next = i + 1 < settings.entries ? i + 2 : 0;
  translation->free_ = 1;
  return translation;
}

std::uint64_t Translation::part_in_band(std::uint64_t lbn, std::uint64_t blocks) const {
  return std::min<std::uint64_t>(blocks, settings_.band_blocks - lbn % settings_.band_blocks);
}

Run Translation::run_from(std::uint64_t lbn, std::uint64_t blocks) const {
  Run run{lbn, lbn, blocks};
  for (std::uint64_t at = lbn; at < lbn + run.blocks;) {
    const std::uint64_t part = part_in_band(at, lbn + run.blocks - at);
    for (std::uint32_t i = bands()[settings_.band_of(at)].first; i != 0;) {
      const Entry& entry = entries()[i - 1];
      if (entry.lbn <= lbn && lbn < entry.lbn + entry.blocks)
        return {lbn, settings_.blocks + entry.at + (lbn - entry.lbn),
                std::min(blocks, entry.lbn + entry.blocks - lbn)};
      if (entry.lbn > lbn) run.blocks = std::min(run.blocks, entry.lbn - lbn);
      i = entry.next;
    }
    at += part;
  }
  return run;
}

std::uint32_t Translation::take_entry() {
  const std::uint32_t number = free_;
  free_ = entries()[number - 1].next;
  ++entries_used_;
  return number;
}

void Translation::free_entry(std::uint32_t number) {
  entries()[number - 1].next = free_;
  free_ = number;
  --entries_used_;
}

// A write needs an entry in each band, and one more for each that it cuts in two.
bool Translation::has_room(std::uint64_t lbn, std::uint64_t blocks) const {
  std::uint64_t needed = 0;
  const std::uint64_t end = lbn + blocks;
  for (std::uint64_t at = lbn; at < end;) {
    const std::uint64_t part = part_in_band(at, end - at);
    ++needed;
    for (std::uint32_t i = bands()[settings_.band_of(at)].first; i != 0;
         i = entries()[i - 1].next) {
      const Entry& entry = entries()[i - 1];
      if (entry.lbn < at && entry.lbn + entry.blocks > at + part) ++needed;
    }
    at += part;
  }
  return blocks_used_ + blocks <= settings_.cache_blocks &&
         entries_used_ + needed <= settings_.entries;
}

void Translation::add(const Entry& entry) {
  const std::uint32_t band = settings_.band_of(entry.lbn);
  const std::uint32_t number = take_entry();
  Entry& added = entries()[number - 1];
  added = entry;
  added.next = bands()[band].first;
  bands()[band].first = number;
  blocks_used_ += entry.blocks;
}

// Blocks of one band leave the media cache.
void Translation::drop(std::uint64_t lbn, std::uint64_t blocks) {
  const std::uint64_t end = lbn + blocks;
  std::optional<Entry> behind;
  for (std::uint32_t* link = &bands()[settings_.band_of(lbn)].first; *link != 0;) {
    const std::uint32_t number = *link;
    Entry& entry = entries()[number - 1];
    const std::uint64_t entry_end = entry.lbn + entry.blocks;
    if (entry_end <= lbn || entry.lbn >= end) {
      link = &entry.next;
      continue;
    }
    blocks_used_ -= std::min(end, entry_end) - std::max(lbn, entry.lbn);
    if (entry.lbn < lbn) {
      if (entry_end > end) {
        behind = Entry{end, entry.at + (end - entry.lbn),
                       static_cast<std::uint32_t>(entry_end - end), 0};
        blocks_used_ -= behind->blocks;
      }
      entry.blocks = static_cast<std::uint32_t>(lbn - entry.lbn);
      link = &entry.next;
    } else if (entry_end > end) {
      entry.at += end - entry.lbn;
      entry.blocks = static_cast<std::uint32_t>(entry_end - end);
      entry.lbn = end;
      link = &entry.next;
    } else {
      *link = entry.next;
      free_entry(number);
    }
  }
  if (behind) add(*behind);
}

std::uint64_t Translation::write(std::uint64_t lbn, std::uint64_t blocks) {
  if (head_ + blocks > settings_.cache_blocks) head_ = 0;
  const std::uint64_t first = head_;
  for (std::uint64_t done = 0; done < blocks;) {
    const std::uint64_t at = lbn + done, part = part_in_band(at, blocks - done);
    const std::uint32_t band = settings_.band_of(at);
    const bool listed = bands()[band].next_dirty != 0 || last_dirty_ == band + 1;
    if (first_dirty_ == band + 1) worked_ns_ = 0;
    drop(at, part);
    add({at, first + done, static_cast<std::uint32_t>(part), 0});
    if (!listed) {
      if (last_dirty_ != 0) bands()[last_dirty_ - 1].next_dirty = band + 1;
      if (first_dirty_ == 0) first_dirty_ = band + 1;
      last_dirty_ = band + 1;
    }
    done += part;
  }
  head_ += blocks;
  return settings_.blocks + first;
}

void Translation::forget(std::uint64_t lbn, std::uint64_t blocks) {
  for (std::uint64_t done = 0; done < blocks;) {
    const std::uint64_t part = part_in_band(lbn + done, blocks - done);
    drop(lbn + done, part);
    done += part;
  }
}

std::optional<std::uint32_t> Translation::next_dirty() const {
  return first_dirty_ == 0 ? std::nullopt : std::optional(first_dirty_ - 1);
}

void Translation::come_home() {
  const std::uint32_t band = first_dirty_ - 1;
  for (std::uint32_t i = bands()[band].first; i != 0;) {
    const std::uint32_t next = entries()[i - 1].next;
    blocks_used_ -= entries()[i - 1].blocks;
    free_entry(i);
    i = next;
  }
  first_dirty_ = bands()[band].next_dirty;
  if (first_dirty_ == 0) last_dirty_ = 0;
  bands()[band] = {0, 0};
  worked_ns_ = 0;
}

std::vector<Run> Translation::blocks_at(std::uint64_t first, std::uint64_t end) const {
  std::vector<Run> found;
  if (first < settings_.blocks)
    found.push_back({first, first, std::min(end, settings_.blocks) - first});
  for (std::uint32_t band = first_dirty_; band != 0; band = bands()[band - 1].next_dirty)
    for (std::uint32_t i = bands()[band - 1].first; i != 0; i = entries()[i - 1].next) {
      const Entry& entry = entries()[i - 1];
      const std::uint64_t at = settings_.blocks + entry.at;
      const std::uint64_t from = std::max(first, at), to = std::min(end, at + entry.blocks);
      if (from < to) found.push_back({entry.lbn + (from - at), from, to - from});
    }
  return found;
}

}  // namespace platter::shingled
