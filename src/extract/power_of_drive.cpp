#include "extract/power_of_drive.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "estimate/wakes.h"
#include "extract/record.h"
#include "extract/rig.h"
#include "model/parameters.h"
#include "model/power.h"
#include "mtbrc/wakes.h"
#include "scsi/conditions.h"
#include "scsi/power_conditions.h"

namespace platter::extract {
namespace {

constexpr std::size_t kConditions = model::kPowerConditions.size();
static_assert(kConditions == scsi::kPowerFields.size());

model::Parameter told(std::uint16_t ms) {
  constexpr std::uint16_t kLonger = 0xFFFF;
  if (ms == 0)
    return model::absent("the drive has it, and does not tell how long it wakes (VPD page 8Ah)",
                         "ms");
  model::Parameter time = model::absent("told by the drive (VPD page 8Ah), not measured", "ms");
  if (ms == kLonger)
    time.at_least = ms;
  else
    time.guesses.push_back({static_cast<double>(ms), std::nullopt, "VPD page 8Ah"});
  return time;
}

// The page as the stage found it, and what of it can be changed.
class Timers {
 public:
  explicit Timers(scsi::Drive& drive)
      : drive_(drive),
        before_(page(scsi::PageControl::current)),
        mask_(page(scsi::PageControl::changeable)) {}

  bool are_there() const { return before_ && mask_; }
  bool can_be_set(std::size_t condition) const {
    const scsi::PowerField& field = scsi::kPowerFields[condition];
    return mask_->size() >= field.timer_at + 4 && ((*mask_)[field.enabled_at] & field.enabled) != 0;
  }
  // All others off. The timer as the drive took it; nullopt: it did not.
  std::optional<Nanoseconds> set_alone(std::size_t condition);
  bool hold() { return drive_.settings().shows(set_); }
  bool put_back() { return drive_.settings().set_power_page(*before_); }

 private:
  std::optional<std::vector<std::uint8_t>> page(scsi::PageControl control) const {
    return drive_.settings().mode_page(scsi::kPowerConditionPage.page, control);
  }

  scsi::Drive& drive_;
  std::optional<std::vector<std::uint8_t>> before_, mask_;
  std::vector<std::uint8_t> set_;
};

std::optional<Nanoseconds> Timers::set_alone(std::size_t condition) {
  constexpr std::uint32_t kSecond_tenths = 10;
  const auto wanted = scsi::with_only_timer(*before_, condition, kSecond_tenths);
  if (!wanted || !drive_.settings().set_power_page(*wanted)) return std::nullopt;
  const auto now = page(scsi::PageControl::current);
  if (!now || now->size() != wanted->size()) return std::nullopt;
  set_ = *now;
  return scsi::get_be32(&set_[scsi::kPowerFields[condition].timer_at]) * (kSecond / 10);
}

// Why nothing was measured of that condition; "": it was.
std::string measure_wake(Rig& rig, Timers& timers, std::size_t condition) {
  constexpr Nanoseconds kLongestTimer = 10 * kSecond;
  // Chosen: timers are of tenths of a second, and heads and spindles take that time to come to
  // rest.
  constexpr Nanoseconds kIdle = kSecond / 2, kStandby = 2 * kSecond;
  const bool standby = model::kPowerConditions[condition].name.starts_with("standby");
  const auto timer_ns = timers.set_alone(condition);
  if (!timer_ns) return "the drive does not take a timer of 1 s for it";
  if (*timer_ns > kLongestTimer)
    return fmt::format("the drive makes {} s of a timer of 1 s for it", *timer_ns / kSecond);
  const std::size_t from = rig.context.samples.size();
  const std::uint64_t resets = rig.context.drive.resets();
  const bool told = mtbrc::read_behind_rests(rig.context, rig.settings.reference_lbn,
                                             static_cast<std::int64_t>(condition) + 1,
                                             {.rest_ns = *timer_ns + (standby ? kStandby : kIdle)});
  const bool held = timers.hold() && rig.context.drive.resets() == resets;
  if (told && held) return "";
  rig.void_since(from);
  return held ? "too few reads behind rests told anything" : "its timer did not stay as it was set";
}

void say_not_measured(Rig& rig, const std::string& why) {
  rig.note(fmt::format("the times that the drive takes to wake up were not measured: {}", why));
}

}  // namespace

void find_power(Rig& rig) {
  rig.facts.power.reset();
  if (rig.found.model.identity.power_timers.empty() && !rig.options.power)
    return;  // it stays awake
  const auto page = rig.context.drive.vpd_page(0x8A);
  const auto times = page ? scsi::decode_recovery_times(*page) : std::nullopt;
  if (!times) return;
  model::Power& power = rig.facts.power.emplace();
  for (std::size_t i = 0; i < kConditions; ++i)
    if ((*times)[i]) power.*model::kPowerConditions[i].wake = told(*(*times)[i]);
}

void measure_wakes(Rig& rig) {
  Timers timers(rig.context.drive);
  if (!timers.are_there()) return say_not_measured(rig, "it has no mode page 1Ah");
  if (rig.context.reads_may_be_cached())
    return say_not_measured(rig, "no read is sure to reach the media");
  constexpr std::uint32_t kAwake = 10;
  if (!mtbrc::read_behind_rests(rig.context, rig.settings.reference_lbn, 0,
                                {.rest_ns = static_cast<Nanoseconds>(2 * rig.context.period_ns()),
                                 .most = kAwake,
                                 .enough = 0}))
    return say_not_measured(rig, "too few reads of the awake drive told anything");
  const bool says = rig.facts.power.has_value();
  model::Power& power = says ? *rig.facts.power : rig.facts.power.emplace();
  std::vector<std::string> not_measured;
  bool has_any = false;
  for (std::size_t i = 0; i < kConditions; ++i) {
    const auto& [name, wake] = model::kPowerConditions[i];
    const bool has = !says || is_there(power.*wake);
    if (!has || (!says && !timers.can_be_set(i))) continue;
    has_any = true;
    rig.context.report("power conditions", static_cast<double>(i) / kConditions);
    const std::string why = timers.can_be_set(i) ? measure_wake(rig, timers, i)
                                                 : "its timer cannot be changed (mode page 1Ah)";
    if (why.empty()) continue;
    if ((power.*wake).guesses.empty()) power.*wake = model::absent(why, "ms");
    not_measured.push_back(fmt::format("{}: {}", name, why));
  }
  if (!has_any) {
    rig.facts.power.reset();
    say_not_measured(rig,
                     "of its mode page 1Ah no timer can be changed, and VPD page 8Ah tells none");
  }
  for (const std::string& line : not_measured) say_not_measured(rig, line);
  if (!timers.put_back())
    rig.facts.not_taken_back = "the drive does not take its mode page 1Ah back";
}

void take_power(const Seen& seen, Findings& found) {
  model::Power power = seen.facts.power.value_or(model::Power{});
  const auto wakes = estimate::estimate_wakes(seen.samples,
                                              model::revolution_ns(found.model.rotation));
  bool any = false;
  for (std::size_t i = 0; i < kConditions; ++i) {
    model::Parameter& wake = power.*model::kPowerConditions[i].wake;
    if (is_there(wakes[i])) wake = wakes[i];
    any |= is_there(wake);
  }
  if (any)
    found.model.power = std::move(power);
  else
    found.model.power.reset();
}

}  // namespace platter::extract
