#include "design.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "chance.h"
#include "disks.h"

namespace today {
namespace {

// Gigabytes of N % 20, and on how many surfaces such drives were and are sold.
struct Size {
  int gb;
  int least, most;  // surfaces
  double mb_least, mb_most;
};
constexpr Size kSizes[] = {
    {30000, 18, 20, 256, 512}, {100, 1, 3, 16, 64},       {160, 1, 3, 16, 64},
    {250, 1, 3, 16, 64},       {320, 1, 4, 16, 64},       {500, 1, 4, 16, 128},
    {640, 2, 4, 32, 128},      {1000, 1, 6, 32, 128},     {1500, 3, 8, 64, 128},
    {2000, 2, 8, 64, 256},     {3000, 3, 10, 64, 256},    {4000, 4, 10, 64, 256},
    {5000, 5, 10, 64, 256},    {6000, 5, 12, 64, 256},    {8000, 6, 14, 128, 256},
    {10000, 7, 14, 256, 256},  {12000, 10, 16, 256, 512}, {16000, 14, 18, 256, 512},
    {18000, 14, 18, 256, 512}, {24000, 18, 20, 256, 512}};

void make_surfaces(Design& design, Chance& chance, const Size& size) {
  const int surfaces = size.least + static_cast<int>(chance.below(size.most - size.least + 1));
  const double kilotracks = 95 * std::pow(static_cast<double>(size.gb) / surfaces / 80, 0.55) *
                            chance.uniform(0.9, 1.1);
  const double pitch = 25.4e-3 / kilotracks;
  const bool small = size.gb <= 2000 && surfaces <= 4 && chance.is(0.25);
  design.outer_mm = small ? 31.6 : 46.2;
  design.inner_mm = small ? chance.uniform(14, 15.5) : chance.uniform(20, 22.5);
  design.wedges = chance.one_of({120, 144, 192, 216, 256, 288, 320, 384, 420});
  const double spread = chance.one_of({0.0, 0.01, 0.03});
  for (int i = 0; i < surfaces; ++i)
    design.surfaces.push_back({pitch * (1 + (i ? chance.uniform(-spread, spread) : 0)),
                               1 + chance.uniform(-0.04, 0.04), i ? 4e-3 * chance.gauss() : 0,
                               i ? chance.uniform(-0.5, 0.5) / design.wedges : 0});
  design.bands_in_turn = chance.is(0.5);
  design.surfaces_in_turn = chance.is(0.5);
  design.borders_at_bands = chance.is(0.5);
  const double tracks = (design.outer_mm - design.inner_mm) / pitch;
  design.band_tracks = static_cast<int>(chance.even_in_log(std::max(16.0, tracks / 10000), 600));
}

void make_formats(Design& design, Chance& chance) {
  const double needed = static_cast<double>(design.blocks) * design.block_bytes /
                        design.sector_bytes;
  double area = 0;
  for (const SurfaceDesign& surface : design.surfaces)
    area += surface.density * M_PI *
            (design.outer_mm * design.outer_mm - design.inner_mm * design.inner_mm) /
            surface.pitch_mm;
  const double step = chance.uniform(0.015, 0.045), reserve = chance.uniform(1.004, 1.02);
  std::vector<double> jitter(300);
  for (double& one : jitter) one = chance.uniform(0.7, 1.3);
  design.sectors_per_mm = needed / area;
  do {
    design.sectors_per_mm *= 1.004;
    const double per_mm = design.sectors_per_mm * 2 * M_PI;
    design.formats.clear();
    std::size_t j = 0;
    for (double size = per_mm * design.outer_mm * 0.985;
         design.formats.empty() || design.formats.back() > per_mm * design.inner_mm * 0.96;
         size *= 1 - step * jitter[j++ % jitter.size()])
      if (design.formats.empty() || static_cast<int>(size) < design.formats.back())
        design.formats.push_back(static_cast<int>(size));
  } while (static_cast<double>(room_of(design)) < needed * reserve);
}

void make_mechanics(Design& design, Chance& chance) {
  design.nominal_rpm = chance.one_of({5400, 5400, 5900, 7200, 7200, 7200, 7200, 10000});
  if (design.outer_mm > 40 && design.nominal_rpm == 10000) design.nominal_rpm = 7200;
  design.rpm = design.nominal_rpm * (1 + chance.uniform(-0.003, 0.003));
  design.acceleration = chance.uniform(0.5, 1.6);  // mm per ms squared
  design.speed = chance.uniform(1.8, 3.2);
  design.settle_ms = chance.uniform(0.4, 1.2);
  design.switch_ms = chance.uniform(0.1, 0.9);
  design.write_settle_ms = chance.uniform(0.05, 0.5);
  design.outward = chance.uniform(0.97, 1.04);
  design.position_us = chance.uniform(15, 60);
  design.overshoot_share = chance.uniform(0.0005, 0.006);
  design.overshoot_ms = chance.uniform(0.5, 2);
  design.waves = {{chance.uniform(0.2, 3), chance.uniform(4, 15)},
                  {chance.uniform(0.3, 3), chance.uniform(40, 200)},
                  {chance.uniform(0.5, 6), chance.uniform(500, 3000)}};
  design.drift_ppm_an_hour = chance.uniform(-6, 6);
  const double period_ms = 60e3 / design.rpm, pitch = design.surfaces.front().pitch_mm;
  const auto wedges = [&](double ms) {
    return static_cast<int>(
               std::ceil((ms + 3e-3 * design.position_us) / period_ms * design.wedges)) +
           2;
  };
  const auto travel = [&](double mm) {
    return 1.04 * 2 * std::sqrt(mm / design.acceleration) + design.settle_ms;
  };
  double least = 0, most = 0;
  for (const SurfaceDesign& surface : design.surfaces) {
    least = std::min(least, surface.offset_mm);
    most = std::max(most, surface.offset_mm);
  }
  const double band = design.band_tracks * pitch * 1.04, apart = most - least + 2 * pitch;
  design.track_skew = wedges(travel(1.04 * pitch));
  design.head_skew =
      wedges(travel(band + apart + 0.04 * (design.outer_mm - design.inner_mm)) + design.switch_ms);
  design.ring_skew = design.head_skew;
  const double millions = (design.outer_mm - design.inner_mm) / pitch *
                          static_cast<double>(design.surfaces.size()) / 1e6;
  design.single_flaws = static_cast<int>(chance.even_in_log(50, 3000) * std::min(millions, 3.0));
  design.long_flaws = static_cast<int>(chance.even_in_log(3, 60) * std::min(millions, 3.0));
  design.left_out = static_cast<int>(chance.even_in_log(2, 40) * std::min(millions, 3.0));
  design.moved = static_cast<int>(chance.below(40));
}

void make_path(Design& design, Chance& chance) {
  const double which = chance.uniform();
  design.path = which < 0.5    ? Path::libata
                : which < 0.6  ? Path::libata_without_ncq
                : which < 0.85 ? Path::sas
                               : Path::usb;
  design.depth = design.path == Path::libata || design.path == Path::sas ? 32 : 1;
  design.reorders = chance.is(0.85);
  design.ageing_ms = chance.even_in_log(50, 2000);
  switch (design.path) {
    case Path::libata:
      design.bytes_a_us = chance.one_of({270.0, 540.0, 560.0});
      break;
    case Path::libata_without_ncq:
      design.bytes_a_us = chance.one_of({135.0, 270.0, 540.0});
      break;
    case Path::sas:
      design.bytes_a_us = chance.one_of({550.0, 1100.0});
      break;
    case Path::usb:
      design.bytes_a_us = chance.one_of({38.0, 300.0, 420.0});
      break;
  }
  const bool bridge = design.path == Path::usb;
  design.fua_reads = design.path == Path::libata || design.path == Path::sas;
  design.ignores_fua = bridge || chance.is(0.1);
  if (bridge) design.fua_reads = chance.is(0.5);
  design.verify = !bridge || chance.is(0.5);
  design.verify_from_memory = chance.is(0.2);
  design.decode_us = chance.even_in_log(4, 60);
  design.hit_us = chance.even_in_log(5, 120);
  design.write_us = chance.even_in_log(5, 120);
  design.other_us = chance.even_in_log(5, 60);
  design.status_us = chance.even_in_log(2, 20);
  design.host_us = bridge ? chance.uniform(15, 40) : chance.uniform(2, 12);
  design.host_spread = chance.uniform(0.4, 1.0);
  design.stall_share = chance.uniform(0, 0.002);
  design.stall_us = chance.uniform(200, 2000);
  design.retry_share = chance.even_in_log(1e-5, 1e-3);
  if (chance.is(0.5)) {
    design.pause_every_s = chance.even_in_log(20, 600);
    design.pause_ms = chance.even_in_log(5, 150);
  }
  if (bridge && chance.is(0.5)) design.grid_us = 125;
}

void make_cache(Design& design, Chance& chance, const Size& size) {
  const double bytes =
      std::pow(2, std::round(std::log2(chance.even_in_log(size.mb_least, size.mb_most)))) * 0x1p20;
  // Part of the buffer is the firmware's.
  const double sectors = bytes * chance.uniform(0.6, 0.97) / design.sector_bytes;
  design.memory_sectors = static_cast<std::int64_t>(sectors);
  design.stream_sectors =
      static_cast<std::int64_t>(sectors * chance.one_of({1.0, 1.0, 0.5, 0.25, 0.0625}));
  design.stretches = static_cast<int>(chance.even_in_log(16, 4096));
  const double a_track = design.formats.front();
  const double ahead_bytes = chance.even_in_log(512 * 512,
                                                std::max(2 * a_track * design.sector_bytes, 4e6));
  design.ahead_sectors = std::min(static_cast<std::int64_t>(ahead_bytes / design.sector_bytes),
                                  design.stream_sectors / 2);
  design.awaited_sectors = static_cast<std::int64_t>(a_track * chance.uniform(0, 1));
  design.ahead_doubles = chance.is(0.25);
  design.ahead_after_second = chance.is(0.15);
  design.ahead_goes_on = chance.is(0.85);
  design.ahead_resumes = chance.is(0.4);
  design.zero_latency = chance.is(0.3);
  design.evicts_beginnings = chance.is(0.3);
  design.keeps_written = chance.is(0.7);
  const double written = sectors * chance.one_of({0.03, 0.125, 0.25, 0.5});
  design.dirty_sectors = static_cast<std::int64_t>(written);
  design.dirty_extents = static_cast<int>(chance.even_in_log(24, 4096));
  design.destage_idle_ms = chance.one_of({0.0, 1.0, 5.0, 20.0, 50.0, 200.0});
  design.destage_age_s = chance.even_in_log(0.3, 10);
  design.destage_every = chance.is(0.6) ? 1 + static_cast<int>(chance.below(8)) : 0;
  design.destage_sweeps = chance.is(0.3);
  design.write_cache = chance.is(0.85);
}

const std::map<std::string, double Design::*>& doubles() {
  static const std::map<std::string, double Design::*> members{
      {"rpm", &Design::rpm},
      {"settle_ms", &Design::settle_ms},
      {"host_us", &Design::host_us},
      {"host_spread", &Design::host_spread},
      {"stall_share", &Design::stall_share},
      {"retry_share", &Design::retry_share},
      {"pause_every_s", &Design::pause_every_s},
      {"grid_us", &Design::grid_us},
      {"drift_ppm_an_hour", &Design::drift_ppm_an_hour},
      {"destage_idle_ms", &Design::destage_idle_ms},
      {"bytes_a_us", &Design::bytes_a_us},
      {"destage_age_s", &Design::destage_age_s}};
  return members;
}

const std::map<std::string, bool Design::*>& flags() {
  static const std::map<std::string, bool Design::*> members{
      {"ahead_doubles", &Design::ahead_doubles},
      {"ahead_after_second", &Design::ahead_after_second},
      {"ahead_goes_on", &Design::ahead_goes_on},
      {"ahead_resumes", &Design::ahead_resumes},
      {"zero_latency", &Design::zero_latency},
      {"evicts_beginnings", &Design::evicts_beginnings},
      {"keeps_written", &Design::keeps_written},
      {"destage_sweeps", &Design::destage_sweeps},
      {"write_cache", &Design::write_cache},
      {"reorders", &Design::reorders},
      {"fua_reads", &Design::fua_reads},
      {"ignores_fua", &Design::ignores_fua},
      {"verify", &Design::verify},
      {"verify_from_memory", &Design::verify_from_memory}};
  return members;
}

const std::map<std::string, int Design::*>& integers() {
  static const std::map<std::string, int Design::*> members{
      {"depth", &Design::depth},
      {"stretches", &Design::stretches},
      {"dirty_extents", &Design::dirty_extents},
      {"silent_reset_every", &Design::silent_reset_every},
      {"destage_every", &Design::destage_every}};
  return members;
}

const std::map<std::string, std::int64_t Design::*>& sectors() {
  static const std::map<std::string, std::int64_t Design::*> members{
      {"memory_sectors", &Design::memory_sectors},
      {"stream_sectors", &Design::stream_sectors},
      {"ahead_sectors", &Design::ahead_sectors},
      {"awaited_sectors", &Design::awaited_sectors},
      {"dirty_sectors", &Design::dirty_sectors}};
  return members;
}

template <typename Members>
bool set_in(Design& design, const Members& members, const std::string& name, double value) {
  const auto found = members.find(name);
  if (found == members.end()) return false;
  auto& member = design.*found->second;
  member = static_cast<std::remove_reference_t<decltype(member)>>(value);
  return true;
}

}  // namespace

Design designed(int number) {
  Chance chance(0x9E3779B97F4A7C15ULL * static_cast<std::uint64_t>(number + 1));
  const Size& size = kSizes[number % 20];
  Design design;
  design.number = number;
  design.sector_bytes = size.gb < 250 ? 512 : size.gb < 1000 ? chance.one_of({512, 4096}) : 4096;
  design.block_bytes = size.gb >= 2000 && chance.is(0.4) ? 4096 : 512;
  // IDEMA LBA1-03, and for 4 KiB blocks the same divided by eight.
  design.blocks = (97'696'368LL + 1'953'504LL * (size.gb - 50)) / (design.block_bytes / 512);
  make_surfaces(design, chance, size);
  make_mechanics(design, chance);
  make_formats(design, chance);
  make_path(design, chance);
  make_cache(design, chance, size);
  char name[17];
  std::snprintf(name, sizeof name, "TODAY %dGB", size.gb);
  design.model = name;
  return design;
}

bool set(Design& design, const std::string& name, double value) {
  return set_in(design, doubles(), name, value) || set_in(design, flags(), name, value) ||
         set_in(design, integers(), name, value) || set_in(design, sectors(), name, value);
}

std::string truth_of(const Design& design) {
  static const char* const paths[] = {"libata", "libata without NCQ", "SAS", "USB"};
  std::string text = "{\"form\": \"alien today truth 1\"";
  const auto add = [&](const std::string& name, double value) {
    char number[64];
    std::snprintf(number, sizeof number, "%.17g", value);
    text += ", \"" + name + "\": " + number;
  };
  add("number", design.number);
  add("gigabytes", static_cast<double>(design.blocks) * design.block_bytes / 1e9);
  add("blocks", static_cast<double>(design.blocks));
  add("block_bytes", design.block_bytes);
  add("sector_bytes", design.sector_bytes);
  add("surfaces", static_cast<double>(design.surfaces.size()));
  add("band_tracks", design.band_tracks);
  add("period_ns", 60e9 / design.rpm);
  for (const auto& [name, member] : doubles()) add(name, design.*member);
  for (const auto& [name, member] : integers()) add(name, design.*member);
  for (const auto& [name, member] : sectors()) add(name, static_cast<double>(design.*member));
  for (const auto& [name, member] : flags())
    text += ", \"" + name + "\": " + (design.*member ? "true" : "false");
  return text + ", \"path\": \"" + paths[static_cast<int>(design.path)] + "\"}\n";
}

}  // namespace today
