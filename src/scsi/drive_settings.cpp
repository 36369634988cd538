// The drive's settings: mode pages, and SET FEATURES of ATA drives. What was changed is recorded
// before, and brought back.
#include <algorithm>
#include <exception>

#include "scsi/drive_link.h"

namespace platter::scsi {

// MODE SENSE(6) and (10) are both optional for someone: what was seen to work is asked again.
std::optional<std::vector<std::uint8_t>> DriveSettings::mode_page(std::uint8_t page,
                                                                  PageControl control,
                                                                  std::uint8_t subpage) {
  const auto try_form = [&](ModeForm form) -> std::optional<std::vector<std::uint8_t>> {
    const auto reply = link_.reply_to(mode_sense(form, page, control, false, subpage));
    if (!reply) return std::nullopt;
    const Bytes data = reply->as_far_as_it_came();
    auto found = find_mode_page(form, data, page, subpage);
    // Some bridges send their ten-byte form for both: then the length's upper byte is 0.
    if (!found && form == ModeForm::six && !data.empty() && data[0] == 0)
      found = find_mode_page(ModeForm::ten, data, page, subpage);
    if (found) link_.mode_form = form;
    return found;
  };
  if (link_.mode_form) return try_form(*link_.mode_form);
  if (auto found = try_form(ModeForm::six)) return found;
  return try_form(ModeForm::ten);
}

std::optional<CachePage> DriveSettings::cache_page(PageControl control) {
  const auto page = mode_page(kCachingPage.page, control);
  return page ? decode_cache_page(*page) : std::nullopt;
}

// One page, for now only. True if the drive took it.
bool DriveLink::select(const std::vector<std::uint8_t>& page) {
  const auto try_form = [&](ModeForm form) {
    const auto command = mode_select(form, page);
    selecting = true;
    return may(command);
  };
  const auto form = mode_form.value_or(ModeForm::six);
  auto answer = try_form(form);
  if (answer.invalid_opcode())
    answer = try_form(form == ModeForm::six ? ModeForm::ten : ModeForm::six);
  return answer.good();
}

// The page as it came at the first change is kept. A page that the drive took and does not show as
// wanted is set back.
bool DriveSettings::change(const PageView& before, const std::vector<std::uint8_t>& wanted,
                           const std::function<bool()>& as_wanted) {
  const bool first = link_.recorded.emplace(before.code, before.raw).second;
  if (link_.select(wanted) && as_wanted()) return true;
  // What was refused may have been carried out all the same.
  const bool is_as_before = shows(before.raw) || (link_.select(before.raw) && shows(before.raw));
  if (first && is_as_before) link_.recorded.erase(before.code);
  return false;
}

bool DriveSettings::set_cache_page(bool write_cache_enabled, bool read_cache_disabled,
                                   bool read_ahead_disabled) {
  const auto before = cache_page();
  const auto wanted = before ? with_cache_bits(before->raw, write_cache_enabled,
                                               read_cache_disabled, read_ahead_disabled)
                             : std::nullopt;
  if (!wanted || wanted->size() != 2U + (*wanted)[1]) return false;
  const auto as_wanted = [&] {
    const auto after = cache_page();
    return after && after->write_cache_enabled == write_cache_enabled &&
           after->read_cache_disabled == read_cache_disabled &&
           after->read_ahead_disabled == read_ahead_disabled;
  };
  return *wanted == before->raw || change({kCachingPage, before->raw}, *wanted, as_wanted);
}

bool DriveSettings::set_cache(bool write_cache_enabled, bool read_cache_disabled,
                              bool read_ahead_disabled) {
  link_.forces_reads = link_.forces_writes = false;
  bool done = set_cache_page(write_cache_enabled, read_cache_disabled, read_ahead_disabled);
  if (!done) {
    // Of what a drive without a write cache, or without look-ahead, has none of, nothing need be
    // set.
    const auto now = ata();
    AtaSettings wanted;
    if (now && now->write_cache) wanted.write_cache = write_cache_enabled;
    if (now && now->look_ahead) wanted.look_ahead = !read_ahead_disabled;
    done = now && change_ata(wanted);
    if (done && read_cache_disabled) link_.forces_reads = takes_forced_reads();
  }
  if (done) link_.lost = false;
  return done;
}

bool DriveSettings::set_cache_in_part(bool write_cache_enabled, bool read_cache_disabled,
                                      bool read_ahead_disabled) {
  const auto now = cache_page(), may_change = cache_page(PageControl::changeable);
  if (!now || !may_change) return false;
  const auto of = [](bool may, bool wanted, bool is) { return may ? wanted : is; };
  const bool write = of(may_change->write_cache_enabled, write_cache_enabled,
                        now->write_cache_enabled);
  const bool read = of(may_change->read_cache_disabled, read_cache_disabled,
                       now->read_cache_disabled);
  const bool ahead = of(may_change->read_ahead_disabled, read_ahead_disabled,
                        now->read_ahead_disabled);
  if (write == now->write_cache_enabled && read == now->read_cache_disabled &&
      ahead == now->read_ahead_disabled)
    return false;
  const bool done = set_cache_page(write, read, ahead);
  if (done) link_.lost = false;
  return done;
}

bool DriveSettings::forces_reads() const { return link_.forces_reads; }

bool DriveSettings::forces_writes() const { return link_.forces_writes; }

void DriveSettings::force_access(bool reads, bool writes) {
  link_.forces_reads = reads;
  link_.forces_writes = writes;
}

// A translation may refuse FUA for reads.
bool DriveSettings::takes_forced_reads() {
  auto read = read_10(0, 1, link_.known().block_bytes, {.force_unit_access = true});
  read.keep_data = false;
  const auto answer = link_.ask(read, 0, 1);
  return answer.good() && answer.reply.is_whole();
}

// The form that the translation takes; nullopt: there is no ATA drive behind it, nothing gets
// through to it, or another disk answers.
std::optional<PassThrough> DriveLink::pass_through() {
  return identity::is_this_disk(who) ? ata_form : std::nullopt;
}

std::optional<std::vector<std::uint8_t>> DriveLink::identify_device_data() {
  if (!std::exchange(asked_for_ata, true)) {
    for (const auto form : {PassThrough::sixteen, PassThrough::twelve}) {
      auto reply = reply_to(scsi::identify_device(form));
      auto data = reply ? reply->take_whole() : std::nullopt;
      if (!data || !decode_identify_device(*data)) continue;  // in this form
      ata_form = form;
      return data;
    }
  }
  if (!ata_form) return std::nullopt;
  auto reply = reply_to(scsi::identify_device(*ata_form));
  return reply ? reply->take_whole() : std::nullopt;
}

std::optional<AtaSettings> DriveLink::identify_device() {
  if (!pass_through()) return std::nullopt;
  const auto data = identify_device_data();
  return data ? decode_identify_device(*data) : std::nullopt;
}

std::optional<AtaSettings> DriveSettings::ata() { return link_.identify_device(); }

// IDENTIFY DEVICE says whether the drive took it; what it did not take is set back.
bool DriveSettings::change_ata(const AtaSettings& wanted) {
  auto& d = link_;
  const auto before = ata();
  if (!before) return false;
  const auto send = [&](const AtaSettings& from, const AtaSettings& to) {
    for (const Command& command : changes(*d.ata_form, from, to)) {
      d.selecting = true;
      if (d.may(command).not_supported) return;
    }
  };
  const bool first = !d.recorded_ata;
  if (first) d.recorded_ata = before;
  send(*before, wanted);
  const auto after = ata();
  if (after && after->satisfies(wanted)) {
    d.made_ata = after;
    return true;
  }
  if (after) send(*after, *before);
  if (first) d.recorded_ata.reset();
  return false;
}

bool DriveSettings::features_hold() { return !link_.made_ata || ata() == link_.made_ata; }

bool DriveSettings::restore_ata(const AtaSettings& settings) {
  const auto now = ata();
  return now && (now->satisfies(settings) || change_ata(settings));
}

void DriveSettings::keep() {
  link_.recorded.clear();
  link_.recorded_ata.reset();
  link_.made_ata.reset();
  link_.lost = false;
}

void DriveSettings::restore_recorded_ata(bool power_level_too) {
  auto& d = link_;
  d.forces_reads = d.forces_writes = false;
  if (!d.recorded_ata) return;
  AtaSettings wanted = *d.recorded_ata;
  if (!power_level_too) wanted.power_level.reset();
  if (!restore_ata(wanted))
    throw NotTakenBack(d.name + " did not take its own settings of SET FEATURES back");
  d.made_ata = ata();
  if (power_level_too) {
    d.recorded_ata.reset();
    d.made_ata.reset();
  }
}

// Some drives do not let power management be disabled, but all let it be set to most performance.
Stopped DriveSettings::stop_power_management() {
  const auto now = ata();
  if (!now || !now->power_level || *now->power_level == 0) return Stopped::nothing_to_stop;
  AtaSettings wanted;
  wanted.power_level = std::uint8_t{0};
  if (change_ata(wanted)) return Stopped::stopped;
  wanted.power_level = kMostPerformance;
  return change_ata(wanted) ? Stopped::stopped : Stopped::goes_on;
}

std::optional<std::uint8_t> DriveSettings::ata_power_mode() {
  if (!link_.pass_through()) return std::nullopt;
  return decode_power_mode(link_.may(check_power_mode(*link_.ata_form)).completion.sense);
}

// A value that the drive made another of is taken too: the page says which it is.
bool DriveSettings::set_cache_fields(std::span<const CacheFieldValue> values) {
  const auto before = mode_page(kCachingPage.page, PageControl::current);
  if (!before) return false;
  auto wanted = *before;
  for (const auto& [field, value] : values) {
    if (!has_field(*before, *field) || value > most_of(*field)) return false;
    set_value(wanted, *field, value);
  }
  if (wanted == *before) return true;
  const auto shows_change = [&] {
    const auto after = mode_page(kCachingPage.page, PageControl::current);
    return after && std::ranges::all_of(values, [&](const CacheFieldValue& of) {
             if (!has_field(*after, *of.field)) return false;
             const std::uint32_t now = value_of(*after, *of.field);
             return now == of.value || now != value_of(*before, *of.field);
           });
  };
  return change({kCachingPage, *before}, wanted, shows_change);
}

Stopped DriveSettings::stop(PageCode code, StoppedPage (*stopped_page)(Bytes)) {
  const auto before = mode_page(code.page, PageControl::current, code.subpage);
  const auto wanted = before ? stopped_page(*before) : std::nullopt;
  // Where no cache could be set, this is all there is to be made anew.
  if (!link_.recorded.contains(kCachingPage) && !link_.recorded_ata) link_.lost = false;
  if (!wanted || *wanted == *before) return Stopped::nothing_to_stop;
  const auto as_wanted = [&] { return shows(*wanted); };
  return change({code, *before}, *wanted, as_wanted) ? Stopped::stopped : Stopped::goes_on;
}

Stopped DriveSettings::stop_background_scan() {
  return stop(kBackgroundControlPage, without_background_scan);
}

// Timers may come out rounded.
bool DriveSettings::set_power_page(const std::vector<std::uint8_t>& wanted) {
  const auto before = mode_page(kPowerConditionPage.page, PageControl::current);
  if (!before || before->size() != wanted.size()) return false;
  const auto as_wanted = [&] {
    const auto now = mode_page(kPowerConditionPage.page, PageControl::current);
    return now && now->size() == wanted.size() && (*now)[2] == wanted[2] && (*now)[3] == wanted[3];
  };
  return shows(wanted) || change({kPowerConditionPage, *before}, wanted, as_wanted);
}

Stopped DriveSettings::stop_power_conditions() {
  return stop(kPowerConditionPage, without_power_conditions);
}

// PS, the first bit, says only whether the page could be saved.
bool DriveSettings::shows(const std::vector<std::uint8_t>& page) {
  const auto code = code_of(page);
  if (!code) return false;
  const auto now = mode_page(code->page, PageControl::current, code->subpage);
  return now && std::equal(now->begin() + 1, now->end(), page.begin() + 1, page.end());
}

bool DriveSettings::restore_page(const std::vector<std::uint8_t>& raw) {
  if (!code_of(raw)) return false;
  link_.select(raw);  // one that refuses it may hold it already
  return shows(raw);
}

void DriveSettings::put_back_page(const std::vector<std::uint8_t>& raw) {
  if (!restore_page(raw))
    throw NotTakenBack(fmt::format("{} did not take its own settings of mode page {:02X}h back",
                                   link_.name, raw.front() & 0x3F));
}

void DriveSettings::restore_recorded(PageCode code) {
  const auto page = link_.recorded.find(code);
  if (page == link_.recorded.end()) return;
  put_back_page(page->second);
  link_.recorded.erase(page);
}

void DriveSettings::restore_cache() {
  restore_recorded(kCachingPage);
  restore_recorded_ata(false);
  link_.lost = false;
}

void DriveSettings::restore() {
  std::exception_ptr failed;
  for (const PageCode code : {kCachingPage, kPowerConditionPage, kBackgroundControlPage}) {
    try {
      restore_recorded(code);
    } catch (const Error&) {
      failed = std::current_exception();  // the others are worth restoring all the same
    }
  }
  try {
    restore_recorded_ata(true);
  } catch (const Error&) {
    failed = std::current_exception();
  }
  if (failed) std::rethrow_exception(failed);
  link_.lost = false;
}

std::optional<std::vector<std::uint8_t>> DriveSettings::recorded() const {
  const auto page = link_.recorded.find(kCachingPage);
  return page == link_.recorded.end() ? std::nullopt : std::optional(page->second);
}
bool DriveSettings::may_be_lost() const { return link_.lost; }

}  // namespace platter::scsi
