#include "virtual_drive/caching_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.h"
#include "model/stand_ins.h"
#include "scsi/caching_fields.h"

namespace platter::virtual_drive {
namespace {

using Page = std::vector<std::uint8_t>;

constexpr std::uint8_t kCode = 0x08, kLength = 0x12;
constexpr std::uint32_t kAny = 0xffff;  // of the fields of 16 bits

const scsi::CachingField& field(std::string_view name) { return *scsi::find_caching_field(name); }

std::uint32_t get(const Page& page, std::string_view name) {
  return scsi::value_of(page, field(name));
}

void put(Page& page, std::string_view name, std::uint64_t value) {
  const scsi::CachingField& into = field(name);
  scsi::set_value(page, into,
                  static_cast<std::uint32_t>(std::min<std::uint64_t>(value, scsi::most_of(into))));
}

std::uint64_t number(const model::Cache& cache, const model::Parameter& figure) {
  const double value = acting(cache, figure);
  return value > 0 ? static_cast<std::uint64_t>(std::min(value, 4e9)) : 0;
}

// A bound that is not there is shown as the most that fits.
std::uint64_t bound(const model::Cache& cache, const model::Parameter& figure) {
  const std::uint64_t value = number(cache, figure);
  return value == 0 ? kAny : value;
}

model::ReadAhead read_ahead_of(const model::Cache& cache) {
  return static_cast<model::ReadAhead>(std::min<std::uint64_t>(number(cache, cache.read_ahead), 4));
}

// DISC: read-ahead goes on over the ends of tracks and cylinders.
bool passes_ends(model::ReadAhead kind) {
  return kind == model::ReadAhead::to_segment_full ||
         kind == model::ReadAhead::to_next_track_if_sequential;
}

model::ReadAhead with_ends(model::ReadAhead kind, bool passed) {
  if (passed == passes_ends(kind)) return kind;
  if (passed) return model::ReadAhead::to_segment_full;
  return kind == model::ReadAhead::to_segment_full ? model::ReadAhead::to_cylinder_end
                                                   : model::ReadAhead::to_track_end;
}

bool set(const model::Cache& cache, const model::Parameter& figure) {
  return acting(cache, figure) != 0;
}

Page page_of(const model::Cache& cache) {
  Page page(2u + kLength, 0);
  page[0] = kCode;
  page[1] = kLength;
  const model::ReadAhead kind = read_ahead_of(cache);
  put(page, "DISC", passes_ends(kind));
  put(page, "WCE", number(cache, cache.write_back_level) > 0);
  put(page, "MF", set(cache, cache.read_ahead_by_request));
  put(page, "RCD", !set(cache, cache.read_enabled) && cache.read_enabled.value.has_value());
  put(page, "DISABLE PRE-FETCH TRANSFER LENGTH",
      bound(cache, cache.read_ahead_longest_request_blocks));
  put(page, "MINIMUM PRE-FETCH", number(cache, cache.read_ahead_min_blocks));
  const bool reads_ahead = kind != model::ReadAhead::none;
  put(page, "MAXIMUM PRE-FETCH",
      reads_ahead ? bound(cache, cache.read_ahead_max_blocks)
                  : number(cache, cache.read_ahead_max_blocks));
  put(page, "MAXIMUM PRE-FETCH CEILING", bound(cache, cache.read_ahead_ceiling_blocks));
  put(page, "FSW", !set(cache, cache.zero_latency_write));
  put(page, "LBCSS", 1);
  put(page, "DRA", !reads_ahead);
  put(page, "NUMBER OF CACHE SEGMENTS", number(cache, cache.segments));
  put(page, "CACHE SEGMENT SIZE", number(cache, cache.segment_blocks));
  put(page, "SIZE",
      number(cache, cache.segments) > scsi::most_of(field("NUMBER OF CACHE SEGMENTS")));
  return page;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

void check_field_names(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (!scsi::find_caching_field(name))
      throw Error(
          ExitStatus::bad_input,
          fmt::format(
              "the model's firmware names the field '{}' of the Caching mode page, "
              "which has none of that name; correct the model file (docs/virtual-drives.md)",
              name));
}

CachingPage::CachingPage(const model::Cache& cache, const model::Firmware& firmware)
    : cache_(cache), ignored_(firmware.ignored_cache_fields), defaults_(page_of(cache)) {
  changeable_ = Page(defaults_.size(), 0);
  changeable_[0] = kCode;
  changeable_[1] = kLength;
  if (!firmware.cache_page_changeable) return;
  for (const scsi::CachingField& each : scsi::caching_fields()) {
    const std::string name(each.name);
    if (has(firmware.fixed_cache_fields, name)) continue;
    if (acts(name) || has(ignored_, name)) scsi::set_value(changeable_, each, scsi::most_of(each));
  }
}

std::uint64_t CachingPage::total_blocks() const {
  return number(cache_, cache_.segments) * number(cache_, cache_.segment_blocks);
}

// Whether another number or size of segments is something that the page can tell and the drive do.
bool CachingPage::divides() const {
  const std::uint64_t buffer = number(cache_, cache_.buffer_blocks), total = total_blocks();
  return total > 0 && (buffer == 0 || buffer >= total) &&
         number(cache_, cache_.segments) <= scsi::most_of(field("NUMBER OF CACHE SEGMENTS")) &&
         number(cache_, cache_.segment_blocks) <= kAny;
}

bool CachingPage::acts(const std::string& name) const {
  const bool caches_reads = set(cache_, cache_.read_enabled),
             caches_writes = number(cache_, cache_.write_back_level) > 0;
  const bool reads_ahead = caches_reads && read_ahead_of(cache_) != model::ReadAhead::none;
  if (name == "RCD") return get(defaults_, "RCD") == 0;
  if (name == "WCE") return caches_writes;
  if (name == "DRA") return read_ahead_of(cache_) != model::ReadAhead::none;
  if (name == "MF" || name == "DISC" || name.find("PRE-FETCH") != std::string::npos)
    return reads_ahead;
  // It does something only where a new command does not break read-ahead off anyway.
  if (name == "ABPF")
    return reads_ahead && (number(cache_, cache_.read_ahead_min_blocks) > 0 ||
                           number(cache_, cache_.read_ahead_abort) == 0);
  if (name == "FSW") return set(cache_, cache_.zero_latency_write);
  if (name == "IC") return divides() && number(cache_, cache_.adaptive_min_segments) > 0;
  if (name == "SIZE" || name == "NUMBER OF CACHE SEGMENTS" || name == "CACHE SEGMENT SIZE")
    return divides() && (caches_reads || caches_writes);
  return false;
}

// Without what the firmware shows and does not do.
Page CachingPage::obeyed(Page page) const {
  for (const std::string& name : ignored_) scsi::set_value(page, field(name), get(defaults_, name));
  return page;
}

std::optional<std::size_t> CachingPage::wrong_byte(const Page& page) const {
  if (!divides()) return std::nullopt;
  const bool by_size = get(page, "SIZE") != 0;
  const scsi::CachingField& wanted = field(by_size ? "CACHE SEGMENT SIZE"
                                                   : "NUMBER OF CACHE SEGMENTS");
  const std::uint64_t value = scsi::value_of(page, wanted);
  const std::uint64_t least = set(cache_, cache_.separate_write_segment) ? 2 : 1;
  if (value == 0 || value > total_blocks()) return wanted.byte;
  const std::uint64_t segments = by_size ? total_blocks() / value : value;
  const std::uint64_t blocks = total_blocks() / segments;
  if (segments < least || segments > scsi::most_of(field("NUMBER OF CACHE SEGMENTS")) ||
      (blocks > kAny && segments != number(cache_, cache_.segments)))
    return wanted.byte;
  return std::nullopt;
}

Page CachingPage::shown(Page page) const {
  if (!divides()) return page;
  const Page now = obeyed(page);
  const bool by_size = get(now, "SIZE") != 0;
  const std::string_view given = by_size ? "CACHE SEGMENT SIZE" : "NUMBER OF CACHE SEGMENTS",
                         follows = by_size ? "NUMBER OF CACHE SEGMENTS" : "CACHE SEGMENT SIZE";
  if (!has(ignored_, follows)) put(page, follows, total_blocks() / get(now, given));
  return page;
}

engine::CacheSettings CachingPage::settings(const Page& page) const {
  const Page now = obeyed(page);
  return {.read_cache = get(now, "RCD") == 0,
          .write_cache = get(now, "WCE") != 0,
          .read_ahead = get(now, "DRA") == 0};
}

model::Cache CachingPage::policies(model::Cache cache, const Page& page) const {
  const Page now = obeyed(page);
  const auto changed = [&](std::string_view name) {
    return get(now, name) != get(defaults_, name);
  };
  const auto differs = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, changed);
  };
  // As compiled, 0 is no bound; in the page it is nothing at all.
  const auto set_bound = [&](std::string_view name, model::Parameter& parameter) {
    if (!changed(name)) return;
    const std::uint32_t value = get(now, name);
    parameter.value = value == kAny ? 0 : value;
    if (value == 0) cache.read_ahead.value = static_cast<double>(model::ReadAhead::none);
  };
  if (changed("DISC"))
    cache.read_ahead.value =
        static_cast<double>(with_ends(read_ahead_of(cache), get(now, "DISC") != 0));
  if (changed("MF")) cache.read_ahead_by_request.value = get(now, "MF");
  set_bound("DISABLE PRE-FETCH TRANSFER LENGTH", cache.read_ahead_longest_request_blocks);
  set_bound("MAXIMUM PRE-FETCH", cache.read_ahead_max_blocks);
  set_bound("MAXIMUM PRE-FETCH CEILING", cache.read_ahead_ceiling_blocks);
  if (changed("MINIMUM PRE-FETCH"))
    cache.read_ahead_min_blocks.value = get(now, "MINIMUM PRE-FETCH");
  if (changed("ABPF")) {
    cache.read_ahead_min_blocks.value = 0;
    cache.read_ahead_abort.value = 1;
  }
  if (changed("FSW")) cache.zero_latency_write.value = 0;
  // A drive that divides its buffer by itself takes a number only under initiator control.
  const bool adapts = number(cache, cache.adaptive_min_segments) > 0;
  if (adapts && get(now, "IC") != 0) cache.adaptive_min_segments.value = 0;
  const bool obeys = !adapts || get(now, "IC") != 0;
  if (obeys && divides() && differs({"SIZE", "NUMBER OF CACHE SEGMENTS", "CACHE SEGMENT SIZE"})) {
    const bool all_for_writes = number(cache, cache.write_segments) >=
                                number(cache, cache.segments);
    const std::uint64_t segments = get(now, "SIZE") != 0
                                       ? total_blocks() / get(now, "CACHE SEGMENT SIZE")
                                       : get(now, "NUMBER OF CACHE SEGMENTS");
    cache.segments.value = static_cast<double>(segments);
    cache.segment_blocks.value = static_cast<double>(
        get(now, "SIZE") != 0 ? get(now, "CACHE SEGMENT SIZE") : total_blocks() / segments);
    if (all_for_writes) cache.write_segments.value = cache.segments.value;
  }
  return cache;
}

}  // namespace platter::virtual_drive
