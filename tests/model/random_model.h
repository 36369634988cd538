// Random but valid models: every field set to something, layouts of all the forms that nested
// repeats can take.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "model/drive_model.h"
#include "model/fields.h"
#include "model/validate.h"

namespace platter::model {

class RandomModel {
 public:
  explicit RandomModel(std::uint64_t seed) : random_(seed) {}

  DriveModel make() {
    DriveModel model;
    layout(model);
    fill_texts(model);
    model.rotation.numerator_ns = 60'000'000'000;
    model.rotation.denominator = between(3600, 15000);
    model.rotation.period = parameter(1e5, 1e10, "ns");
    seek(model);
    model.head_switch = parameter(0, 5, "ms");
    model.write_settle = parameter(-1, 2, "ms");
    visit_fields(model.overheads, ForAll{[this](auto& p) { p = parameter(-1, 3, "ms"); }});
    visit_fields(model.bus, ForAll{[this](auto& p) { p = parameter(0, 1, "ms"); }});
    visit_fields(model.cache, ForAll{[this]<typename T>(T& p) {
                   if constexpr (std::same_as<T, Parameter>) p = flag();
                 }});
    if (chance()) model.cache.freedoms.push_back({"WCE", chance(), "seen", text()});
    model.cache.segments.value = static_cast<double>(between(1, 64));
    model.cache.adaptive_window_requests.value = static_cast<double>(between(4, 1024));
    model.queue.depth = flag();
    if (chance()) model.disksim = {{"Never disconnect", real(-1, 1)}, {text() + "x", 0}};
    if (chance()) model.imperfections = imperfections(model.identity.blocks);
    if (chance()) model.firmware = firmware();
    if (model.firmware && chance()) model.firmware->unwritten = {{0, model.identity.blocks - 1}};
    if (chance())
      model.delay_spread = {
          {{0, real(-1, 0)}, {real(0.1, 0.9), 0}, {1, real(0, 1)}}, between(0, 300), text()};
    if (chance())
      model.kernel_share = {real(0, 1), real(1, 2), real(0, 1), real(1, 2), between(16, 900)};
    if (const std::uint64_t blocks = count_blocks(model.layout); chance() && blocks > 1)
      model.arms = Arms{.ranges = {{0, 0, 1}, {1, blocks - 1, 0}},
                        .overlap = parameter(0, 1, ""),
                        .interference = parameter(0, 1, "ms"),
                        .method = text()};
    if (chance()) {
      model.power.emplace();
      visit_fields(*model.power, ForAll{[this](auto& p) { p = parameter(0, 9000, "ms"); }});
    }
    if (!model.arms && chance()) {
      model.shingling = Shingling{.kind = "drive-managed", .method = text()};
      model.shingling->band_blocks.value = static_cast<double>(between(1, 9));
      model.shingling->cleans_when_idle = flag();
      model.shingling->band_cleaning = parameter(0, 9, "ms");
      if (chance()) model.shingling->displaced = {{0, 0}};
      if (chance()) model.shingling->displaced_from_blocks = 1000;
      if (chance()) model.shingling->displaced_untold = {{0, 0}};
    }
    if (const std::uint64_t blocks = model.identity.blocks; chance() && blocks > 2) {
      model.identity.zone_runs = {{0, 1, 2, "conventional", "not-write-pointer"},
                                  {2, blocks - 2, 1, "sequential-required", "closed", 1}};
      if (blocks - 2 > 1000)
        model.identity.zone_runs[1] = {2, 1, blocks - 2, "sequential-preferred", "empty"};
      if (chance()) model.identity.most_open_zones = 7;
      model.identity.reads_past_pointers = chance();
    }
    if (chance()) model.layout.spares = text();
    if (chance()) model.layout.checks = between(0, 5000);
    if (chance()) model.layout.not_understood.push_back({0, between(0, 3), text()});
    if (chance()) {
      model.layout.timed.emplace();
      model.layout.timed->blocks = 400;
      model.layout.timed->shares.push_back({0.01, 0.98, 0.97, 0.99});
      if (chance()) model.layout.timed->stretches.push_back({0, between(0, 3), "interpolated"});
      model.layout.timed->unlocated_sectors = between(0, 5);
    }
    return model;
  }

 private:
  template <typename F>
  struct ForAll {
    F set;
    void usual(const char*, auto& p) { set(p); }
    void required(const char*, auto& p) { set(p); }
    void compact(const char*, auto& p, const auto&) { set(p); }
    void informative(const char*, const auto&) {}
  };
  template <typename F>
  ForAll(F) -> ForAll<F>;

  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random_);
  }
  double real(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  Firmware firmware() {
    Firmware firmware;
    firmware.scsi_level = "SPC-3";
    for (bool* fact :
         {&firmware.address_translation, &firmware.translates_back, &firmware.translates_truly,
          &firmware.defect_list, &firmware.seek_command, &firmware.cache_page_changeable,
          &firmware.force_reads, &firmware.force_writes})
      *fact = chance();
    firmware.task_set = static_cast<std::uint32_t>(between(0, 64));
    if (chance()) firmware.address_formats = {"long block", "bytes from index"};
    if (chance()) firmware.defect_formats.pop_back();
    if (chance()) firmware.sector_numbers = "from index";
    if (chance()) firmware.primary_defects = {between(0, 9)};
    if (chance()) firmware.fixed_cache_fields = firmware.ignored_cache_fields = {"DRA"};
    firmware.most_transfer_blocks = static_cast<std::uint32_t>(between(0, 4096));
    firmware.ata = chance();
    if (chance()) firmware.nominal_rpm = real(1025, 65534);
    return firmware;
  }
  bool chance() { return between(0, 1) == 1; }

  std::string text() {
    std::string result;
    for (std::uint64_t n = between(0, 12); n > 0; --n)
      result += static_cast<char>(between(' ', '~'));
    return result + (chance() ? "\n\xC3\xA4" : "");
  }

  Parameter parameter(double low, double high, const std::string& unit) {
    Parameter p;
    if (between(0, 3) == 0) {
      p.reason = "not measured: " + text();
      if (chance()) p.at_least = low;
      if (chance()) p.at_most = high;
      if (chance()) p.guesses = {{real(low, high), real(0, 1), "a witness"}, {high, {}, "another"}};
      return p;
    }
    if (between(0, 3) == 0) return {};
    p.value = real(low, high);
    p.unit = unit;
    if (chance()) p.error = std::pow(10.0, real(-300, 3));
    p.method = text();
    p.samples = between(0, std::numeric_limits<std::uint64_t>::max());
    return p;
  }
  Parameter flag() {
    Parameter p;
    if (!chance()) return p;
    p.value = static_cast<double>(between(0, 1));
    return p;
  }

  LayoutNode track(std::uint32_t heads, std::uint32_t sectors, bool down) {
    LayoutNode run;
    run.count = heads;
    run.sectors = sectors;
    run.head = down ? static_cast<std::int32_t>(heads) - 1 : 0;
    run.head_step = down ? -1 : 1;
    run.angle_step_rev = real(-1, 1);
    return run;
  }

  void layout(DriveModel& model) {
    const auto heads = static_cast<std::uint32_t>(between(1, 16));
    std::int32_t cylinder = 0;
    for (std::uint64_t zones = between(1, 6); zones > 0; --zones) {
      const auto sectors = static_cast<std::uint32_t>(between(20, 900));
      LayoutNode zone;
      zone.cylinder = cylinder;
      zone.angle_rev = real(0, 1);
      zone.angle_step_rev = real(0, 1);
      zone.count = static_cast<std::uint32_t>(between(1, 500));
      zone.cylinder_step = chance() ? 1 : 2;
      zone.children.push_back(track(heads, sectors, false));
      if (zone.cylinder_step == 2) {
        zone.children.push_back(track(heads, sectors, true));
        zone.children.back().cylinder = 1;
      }
      cylinder += zone.cylinder_step * static_cast<std::int32_t>(zone.count) +
                  static_cast<std::int32_t>(between(0, 2));
      model.layout.zones.push_back(zone);
    }
    const std::uint64_t slots = count_slots(model.layout);
    for (std::uint64_t next = between(0, slots / 2); next + 10 < slots; next += between(1, slots)) {
      Skip skip{next, between(1, 3), 1, 0};
      if (chance() && next + 40 < slots) {
        skip.count = between(2, 4);
        skip.stride = skip.length + between(0, 4);
      }
      model.layout.skips.push_back(skip);
      next += (skip.count - 1) * skip.stride + skip.length;
    }
    model.identity.blocks = count_blocks(model.layout);
    model.identity.heads = heads;
    model.identity.cylinders = static_cast<std::uint32_t>(cylinder);
    if (!model.layout.skips.empty()) {
      model.layout.remaps.push_back(
          {between(0, model.identity.blocks - 1), model.layout.skips[0].first_slot});
    }
    model.layout.angle = parameter(-1, 1, "rev");
  }

  void fill_texts(DriveModel& model) {
    model.identity.vendor = text();
    model.identity.product = text();
    model.identity.serial = text();
    model.identity.name = text();
    model.provenance.method = text();
    model.provenance.source = text();
    model.provenance.drive_seconds = real(0, 1e4);
    model.provenance.seed = between(0, std::numeric_limits<std::uint64_t>::max());
    model.provenance.stages = {{text(), real(0, 1e4), between(0, 100000)}, {text(), 0, 0}};
    model.provenance.notes = {text(), text()};
    model.validity.last_lbn = model.identity.blocks - 1;
    model.validity.reads = chance();
    model.validity.demerits.push_back(
        {text(), between(0, 100000), real(0, 30), real(0, 1), real(0, 10), real(0, 1)});
  }

  void seek(DriveModel& model) {
    std::uint32_t distance = 0;
    for (std::uint64_t points = between(0, 40); points > 0; --points) {
      distance += static_cast<std::uint32_t>(between(1, 300));
      SeekPoint point{distance, real(0, 20), std::nullopt, between(0, 100)};
      if (chance()) point.error_ms = real(0, 0.1);
      model.seek.points.push_back(point);
    }
    if (model.seek.points.empty()) model.seek.reason = text();
  }

  Imperfections imperfections(std::uint64_t blocks) {
    Imperfections all;
    all.seed = between(0, std::numeric_limits<std::uint64_t>::max());
    all.positioning_sigma_us = real(0, 100);
    all.slow_access_share = real(0, 1);
    all.host_delay_median_us = real(0, 20);
    all.host_delay_p99_us = real(20, 90);
    if (chance()) all.host_stall_share = real(0, 1);
    all.host_stall_mean_us = real(0, 900);
    all.random_phase = chance();
    if (chance()) all.warm_up_ppm = real(0, 9);
    all.warm_up_s = real(0, 900);
    all.host_sleep_every_s = real(0, 90);
    if (chance()) all.host_sleep_s = real(0, 9);
    all.clock_step_every_s = real(0, 90);
    if (chance()) all.clock_step_ms = real(0, 9);
    all.host_stop_every_s = real(0, 90);
    if (chance()) all.host_stop_s = real(0, 9);
    all.medium_errors = {between(0, blocks - 1)};
    return all;
  }

  std::mt19937_64 random_;
};

}  // namespace platter::model
