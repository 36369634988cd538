#include "virtual_drive/drawn_power.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "model/power.h"
#include "virtual_drive/invented.h"
#include "virtual_drive/random_dice.h"

namespace platter::virtual_drive {
namespace {

model::Parameter whole_us(double ms) { return invented(std::round(ms * 1e3) / 1e3, "ms"); }

}  // namespace

// In idle_a only electronics rest; in idle_b the heads are unloaded, in idle_c the spindle turns
// slower besides, in standby it stands still. Times as drives of today tell them.
void draw_power(model::DriveModel& model, bool page_changeable) {
  const std::string drawn_by = model.identity.serial + model.identity.name + " power";
  std::seed_seq seed(drawn_by.begin(), drawn_by.end());
  std::mt19937_64 random(seed);
  Dice dice(random);
  model::Power& power = model.power.emplace();
  power.idle_a = whole_us(std::exp(dice.uniform(std::log(8.0), std::log(120.0))));
  const double unloaded_ms = dice.uniform(300, 1500);
  power.idle_b = whole_us(unloaded_ms);
  const double slower_ms = unloaded_ms * dice.uniform(1.5, 4);
  if (dice.chance(0.8)) power.idle_c = whole_us(slower_ms);
  if (dice.chance(0.8)) power.standby_y = whole_us(slower_ms * dice.uniform(1, 1.3));
  power.standby_z = whole_us(std::max(6000.0, slower_ms * dice.uniform(1.3, 3)));
  const auto timer = [&](const char* condition, std::uint64_t seconds) {
    if (dice.chance(0.8)) model.identity.power_timers.push_back({condition, seconds * 1000});
  };
  model.identity.power_timers.clear();
  timer("idle_a", dice.pick(1, 4));
  timer("idle_b", dice.pick(60, 600));
  timer("standby_z", dice.pick(900, 7200));
  if (!model.firmware) model.firmware.emplace();
  model.firmware->power_page_changeable = page_changeable;
  model.firmware->told_wake_share = std::round(dice.uniform(1, 1.6) * 100) / 100;
}

}  // namespace platter::virtual_drive
