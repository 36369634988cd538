// The drive's settings: mode pages, and SET FEATURES of ATA drives. What was changed is recorded
// before, and brought back.
#include <algorithm>
#include <exception>

#include "scsi/drive_impl.h"

namespace platter::scsi {

// MODE SENSE(6) and (10) are both optional for someone: what was seen to work is asked again.
std::optional<std::vector<std::uint8_t>> Drive::mode_page(std::uint8_t page, PageControl control,
                                                          std::uint8_t subpage) {
  const auto try_form = [&](ModeForm form) -> std::optional<std::vector<std::uint8_t>> {
    const auto command = mode_sense(form, page, control, false, subpage);
    const auto reply = impl_->ask(command);
    if (reply.illegal()) return std::nullopt;
    if (!reply.good()) impl_->fail(command, reply, 0, 0);
    auto found = find_mode_page(form, reply.completion.data, page, subpage);
    if (found) impl_->mode_form = form;
    return found;
  };
  if (impl_->mode_form) return try_form(*impl_->mode_form);
  if (auto found = try_form(ModeForm::six)) return found;
  return try_form(ModeForm::ten);
}

std::optional<CachePage> Drive::cache_page(PageControl control) {
  const auto page = mode_page(kCachingPage.page, control);
  return page ? decode_cache_page(*page) : std::nullopt;
}

// One page, for now only. True if the drive took it.
bool Drive::Impl::select(const std::vector<std::uint8_t>& page) {
  const auto try_form = [&](ModeForm form) {
    const auto command = mode_select(form, page);
    selecting = true;
    auto answer = ask(command);
    if (!answer.good() && !answer.illegal()) fail(command, answer, 0, 0);
    return answer;
  };
  const auto form = mode_form.value_or(ModeForm::six);
  auto answer = try_form(form);
  if (answer.invalid_opcode())
    answer = try_form(form == ModeForm::six ? ModeForm::ten : ModeForm::six);
  return answer.good();
}

// The page as it came at the first change is kept. A page that the drive took and does not show as
// wanted is set back.
bool Drive::Impl::change(const PageView& before, const std::vector<std::uint8_t>& wanted,
                         const std::function<bool()>& as_wanted) {
  const bool first = recorded.emplace(before.code, before.raw).second;
  const bool taken = select(wanted);
  if (taken && as_wanted()) return true;
  if (taken) select(before.raw);
  if (first) recorded.erase(before.code);
  return false;
}

bool Drive::set_cache_page(bool write_cache_enabled, bool read_cache_disabled,
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
  return *wanted == before->raw || impl_->change({kCachingPage, before->raw}, *wanted, as_wanted);
}

bool Drive::set_cache(bool write_cache_enabled, bool read_cache_disabled,
                      bool read_ahead_disabled) {
  impl_->forces_reads = impl_->forces_writes = false;
  bool done = set_cache_page(write_cache_enabled, read_cache_disabled, read_ahead_disabled);
  if (!done) {
    // Of what a drive without a write cache, or without look-ahead, has none of, nothing need be
    // set.
    const auto now = ata_settings();
    AtaSettings wanted;
    if (now && now->write_cache) wanted.write_cache = write_cache_enabled;
    if (now && now->look_ahead) wanted.look_ahead = !read_ahead_disabled;
    done = now && change_ata(wanted);
    if (done && read_cache_disabled) impl_->forces_reads = takes_forced_reads();
  }
  if (done) impl_->lost = false;
  return done;
}

bool Drive::forces_reads() const { return impl_->forces_reads; }

bool Drive::forces_writes() const { return impl_->forces_writes; }

void Drive::force_access(bool reads, bool writes) {
  impl_->forces_reads = reads;
  impl_->forces_writes = writes;
}

// A translation may refuse FUA for reads.
bool Drive::takes_forced_reads() {
  return impl_->ask(read_10(0, 1, block_bytes(), {.force_unit_access = true})).good();
}

// The form that the translation takes; nullopt: there is no ATA drive, or nothing gets through to
// it.
std::optional<PassThrough> Drive::Impl::pass_through() {
  if (std::exchange(asked_for_ata, true)) return ata_form;
  const auto page = ask(inquiry_vpd(0x89));
  if (!page.good() || page.completion.data.size() < 4 || page.completion.data[1] != 0x89)
    return std::nullopt;
  for (const auto form : {PassThrough::sixteen, PassThrough::twelve}) {
    const auto reply = ask(scsi::identify_device(form));
    if (!reply.good() || !decode_identify_device(reply.completion.data)) continue;
    ata_form = form;
    break;
  }
  return ata_form;
}

std::optional<AtaSettings> Drive::Impl::identify_device() {
  if (!pass_through()) return std::nullopt;
  const auto reply = ask(scsi::identify_device(*ata_form));
  return reply.good() ? decode_identify_device(reply.completion.data) : std::nullopt;
}

std::optional<AtaSettings> Drive::ata_settings() { return impl_->identify_device(); }

// IDENTIFY DEVICE says whether the drive took it; what it did not take is set back.
bool Drive::change_ata(const AtaSettings& wanted) {
  auto& d = *impl_;
  const auto before = ata_settings();
  if (!before) return false;
  const auto send = [&](const AtaSettings& from, const AtaSettings& to) {
    for (const Command& command : changes(*d.ata_form, from, to)) {
      d.selecting = true;
      if (!d.ask(command).good()) return;
    }
  };
  const bool first = !d.recorded_ata;
  if (first) d.recorded_ata = before;
  send(*before, wanted);
  const auto after = ata_settings();
  if (after && after->satisfies(wanted)) {
    d.made_ata = after;
    return true;
  }
  if (after) send(*after, *before);
  if (first) d.recorded_ata.reset();
  return false;
}

bool Drive::features_hold() { return !impl_->made_ata || ata_settings() == impl_->made_ata; }

bool Drive::restore_ata(const AtaSettings& settings) {
  const auto now = ata_settings();
  return now && (now->satisfies(settings) || change_ata(settings));
}

void Drive::keep_settings() {
  impl_->recorded.clear();
  impl_->recorded_ata.reset();
  impl_->made_ata.reset();
  impl_->lost = false;
}

void Drive::restore_recorded_ata(bool power_level_too) {
  auto& d = *impl_;
  d.forces_reads = d.forces_writes = false;
  if (!d.recorded_ata) return;
  AtaSettings wanted = *d.recorded_ata;
  if (!power_level_too) wanted.power_level.reset();
  if (!restore_ata(wanted))
    throw NotTakenBack(d.name + " did not take its own settings of SET FEATURES back");
  d.made_ata = ata_settings();
  if (power_level_too) {
    d.recorded_ata.reset();
    d.made_ata.reset();
  }
}

// Some drives do not let power management be disabled, but all let it be set to most performance.
Stopped Drive::stop_power_management() {
  const auto now = ata_settings();
  if (!now || !now->power_level || *now->power_level == 0) return Stopped::nothing_to_stop;
  AtaSettings wanted;
  wanted.power_level = std::uint8_t{0};
  if (change_ata(wanted)) return Stopped::stopped;
  wanted.power_level = kMostPerformance;
  return change_ata(wanted) ? Stopped::stopped : Stopped::goes_on;
}

std::optional<std::uint8_t> Drive::ata_power_mode() {
  if (!impl_->pass_through()) return std::nullopt;
  return decode_power_mode(impl_->ask(check_power_mode(*impl_->ata_form)).completion.sense);
}

// A value that the drive made another of is taken too: the page says which it is.
bool Drive::set_cache_fields(std::span<const CacheFieldValue> values) {
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
  return impl_->change({kCachingPage, *before}, wanted, shows_change);
}

Stopped Drive::stop(PageCode code, StoppedPage (*stopped_page)(Bytes)) {
  const auto before = mode_page(code.page, PageControl::current, code.subpage);
  const auto wanted = before ? stopped_page(*before) : std::nullopt;
  // Where no cache could be set, this is all there is to be made anew.
  if (!impl_->recorded.contains(kCachingPage) && !impl_->recorded_ata) impl_->lost = false;
  if (!wanted || *wanted == *before) return Stopped::nothing_to_stop;
  const auto as_wanted = [&] { return shows(*wanted); };
  return impl_->change({code, *before}, *wanted, as_wanted) ? Stopped::stopped : Stopped::goes_on;
}

Stopped Drive::stop_background_scan() {
  return stop(kBackgroundControlPage, without_background_scan);
}

Stopped Drive::stop_power_conditions() {
  return stop(kPowerConditionPage, without_power_conditions);
}

// PS, the first bit, says only whether the page could be saved.
bool Drive::shows(const std::vector<std::uint8_t>& page) {
  const auto code = code_of(page);
  if (!code) return false;
  const auto now = mode_page(code->page, PageControl::current, code->subpage);
  return now && std::equal(now->begin() + 1, now->end(), page.begin() + 1, page.end());
}

bool Drive::restore_page(const std::vector<std::uint8_t>& raw) {
  return code_of(raw) && impl_->select(raw) && shows(raw);
}

void Drive::put_back_page(const std::vector<std::uint8_t>& raw) {
  if (!restore_page(raw))
    throw NotTakenBack(fmt::format("{} did not take its own settings of mode page {:02X}h back",
                                   impl_->name, raw.front() & 0x3F));
}

void Drive::restore_recorded(PageCode code) {
  const auto page = impl_->recorded.find(code);
  if (page == impl_->recorded.end()) return;
  put_back_page(page->second);
  impl_->recorded.erase(page);
}

void Drive::restore_cache() {
  restore_recorded(kCachingPage);
  restore_recorded_ata(false);
  impl_->lost = false;
}

void Drive::restore_settings() {
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
  impl_->lost = false;
}

std::optional<std::vector<std::uint8_t>> Drive::recorded_settings() const {
  const auto page = impl_->recorded.find(kCachingPage);
  return page == impl_->recorded.end() ? std::nullopt : std::optional(page->second);
}
bool Drive::settings_may_be_lost() const { return impl_->lost; }

}  // namespace platter::scsi
