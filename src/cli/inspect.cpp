#include <fmt/core.h>
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command_list.h"
#include "cli/open_device.h"
#include "cli/subcommands.h"
#include "model/json_head.h"
#include "scsi/inspection.h"
#include "transport/host_clock.h"

namespace platter::cli {
namespace {

using Json = nlohmann::ordered_json;
using scsi::Inspection;
using CanChange = Inspection::CanChange;

double to_us(Nanoseconds ns) { return static_cast<double>(ns) / 1e3; }

std::string hex(const std::vector<std::uint8_t>& bytes) {
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

Json optional_hex(const std::optional<std::vector<std::uint8_t>>& bytes) {
  return bytes ? Json(hex(*bytes)) : Json(nullptr);
}

Json place_json(const std::optional<scsi::Translation>& translation) {
  if (!translation) return nullptr;
  const auto& place = translation->places.front();
  const bool bytes = translation->format == scsi::AddressFormat::bytes_from_index;
  return {{"cylinder", place.cylinder},
          {"head", place.head},
          {bytes ? "bytes_from_index" : "sector", place.sector}};
}

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json ata_json(const scsi::AtaSettings& ata, const std::optional<std::uint8_t>& power_mode) {
  return {{"write_cache", optional_json(ata.write_cache)},
          {"look_ahead", optional_json(ata.look_ahead)},
          {"power_level", optional_json(ata.power_level)},
          {"power_mode", power_mode ? Json(fmt::format("{:02x}h", *power_mode)) : Json(nullptr)}};
}

Json cache_json(const scsi::CachePage& page) {
  return {{"write_cache_enabled", page.write_cache_enabled},
          {"read_cache_disabled", page.read_cache_disabled},
          {"read_ahead_disabled", page.read_ahead_disabled},
          {"segments", page.segments},
          {"segment_blocks", page.segment_blocks},
          {"min_prefetch", page.min_prefetch},
          {"max_prefetch", page.max_prefetch},
          {"prefetch_ceiling", page.prefetch_ceiling}};
}

Json page_values(std::uint8_t code, const std::vector<std::uint8_t>& bytes) {
  if (code == 0x08)
    if (const auto page = scsi::decode_cache_page(bytes)) return cache_json(*page);
  if (code == 0x03)
    if (const auto page = scsi::decode_format_page(bytes))
      return {{"tracks_per_zone", page->tracks_per_zone},
              {"sectors_per_track", page->sectors_per_track},
              {"bytes_per_sector", page->bytes_per_sector},
              {"interleave", page->interleave},
              {"track_skew", page->track_skew},
              {"cylinder_skew", page->cylinder_skew}};
  if (code == 0x04)
    if (const auto page = scsi::decode_geometry_page(bytes))
      return {{"cylinders", page->cylinders}, {"heads", page->heads}, {"rpm", page->rpm}};
  return Json::object();
}

Json mode_pages_json(const Inspection& found) {
  Json pages = Json::object();
  for (const auto& [code, views] : found.mode_pages)
    pages[fmt::format("{:02x}h", code)] = {{"values", page_values(code, *views.current)},
                                           {"current", optional_hex(views.current)},
                                           {"changeable", optional_hex(views.changeable)},
                                           {"defaults", optional_hex(views.defaults)},
                                           {"saved", optional_hex(views.saved)}};
  return pages;
}

Json inspection_json(const std::string& device, const Inspection& found,
                     const transport::HostFitness& host) {
  const auto& id = found.identity;
  Json pages = Json::array();
  for (const auto page : found.vpd_pages) pages.push_back(fmt::format("{:02x}h", page));
  const auto count = [](const std::optional<std::size_t>& defects) {
    return defects ? Json(*defects) : Json(nullptr);
  };
  Json document = model::json_head("platter-inspection");
  document["device"] = device;
  document["identity"] = {{"vendor", id.vendor},
                          {"product", id.product},
                          {"revision", id.revision},
                          {"serial", id.serial},
                          {"names", found.designators},
                          {"scsi_version", found.inquiry.version},
                          {"blocks", id.blocks},
                          {"block_bytes", id.block_bytes},
                          {"physical_block_bytes", id.physical_block_bytes}};
  document["vpd_pages"] = pages;
  document["format"] = {
      {"protection_type", found.capacity.protection_type},
      {"unmapped_share", found.unmapped_share ? Json(*found.unmapped_share) : Json(nullptr)}};
  if (found.ata) document["ata"] = ata_json(*found.ata, found.power_mode);
  if (found.limits)
    document["block_limits"] = {{"max_transfer_blocks", found.limits->max_transfer_blocks},
                                {"optimal_transfer_blocks", found.limits->optimal_transfer_blocks}};
  if (found.characteristics)
    document["characteristics"] = {{"rotation_rate", found.characteristics->rotation_rate},
                                   {"form_factor", found.characteristics->form_factor}};
  document["capabilities"] = {
      {"address_translation", found.first_block.has_value()},
      {"translation_back", found.translates_back},
      {"first_block", place_json(found.first_block)},
      {"last_block", place_json(found.last_block)},
      {"primary_defects", count(found.primary_defects)},
      {"grown_defects", count(found.grown_defects)},
      {"seek", found.seeks},
      {"write_cache_changeable", found.write_cache_can_change() != CanChange::no},
      {"read_cache_changeable", found.read_cache_can_change() != CanChange::no},
      {"read_ahead_changeable", found.read_ahead_can_change() != CanChange::no}};
  document["mode_pages"] = mode_pages_json(found);
  const auto& trip = found.round_trip;
  document["host"] = {{"kernel", host.kernel},
                      {"processors", host.processors},
                      {"governors", host.governors},
                      {"low_latency", host.low_latency},
                      {"clock_step_ns", host.clock_step_ns},
                      {"round_trip_us",
                       {{"commands", trip.commands},
                        {"minimum", to_us(trip.minimum_ns)},
                        {"median", to_us(trip.median_ns)},
                        {"p99", to_us(trip.p99_ns)},
                        {"maximum", to_us(trip.maximum_ns)}}}};
  document["fitness"] = {{"drive", found.complaints()}, {"host", host.complaints()}};
  return document;
}

void print_line(std::string_view label, const std::string& text) {
  fmt::print("  {:<22}{}\n", label, text);
}

std::string where(const std::optional<scsi::Translation>& translation) {
  if (!translation) return "unknown";
  const auto& p = translation->places.front();
  const bool bytes = translation->format == scsi::AddressFormat::bytes_from_index;
  return fmt::format("cylinder {}, head {}, {} {}", p.cylinder, p.head,
                     bytes ? "bytes from the index" : "sector", p.sector);
}

void print_ata(const scsi::AtaSettings& ata, const std::optional<std::uint8_t>& power_mode) {
  const auto on = [](const std::optional<bool>& value) {
    return value ? *value ? "on" : "off" : "not there";
  };
  print_line("ATA drive",
             fmt::format("write cache {}, look-ahead {}, power management {}{}",
                         on(ata.write_cache), on(ata.look_ahead),
                         !ata.power_level        ? "not there"
                         : *ata.power_level == 0 ? "off"
                                                 : fmt::format("{:02X}h", *ata.power_level),
                         power_mode ? fmt::format(", power mode {:02X}h", *power_mode) : ""));
}

void print_mode_pages(const Inspection& found) {
  for (const auto& [code, views] : found.mode_pages) {
    fmt::print("mode page {:02X}h\n", code);
    const auto values = page_values(code, *views.current);
    for (const auto& [key, value] : values.items()) print_line(key, value.dump());
    const auto show = [](std::string_view label, const auto& bytes) {
      print_line(label, bytes ? hex(*bytes) : "not offered");
    };
    show("current", views.current);
    show("changeable", views.changeable);
    show("defaults", views.defaults);
    show("saved", views.saved);
  }
}

void print_complaints(std::string_view whose, const std::vector<std::string>& complaints) {
  fmt::print("fitness of the {}: {}\n", whose, complaints.empty() ? "good" : "");
  for (const auto& complaint : complaints) fmt::print("  - {}\n", complaint);
}

void print_inspection(const std::string& device, const Inspection& found,
                      const transport::HostFitness& host) {
  const auto& id = found.identity;
  const auto count = [](const std::optional<std::size_t>& defects) {
    return defects ? fmt::format("{}", *defects) : std::string("not shown");
  };
  const auto yes = [](bool value) { return std::string(value ? "yes" : "no"); };
  fmt::print("{}: {} {} revision {}\n", device, id.vendor, id.product, id.revision);
  print_line("serial number", id.serial.empty() ? "not offered" : id.serial);
  for (const auto& name : found.designators) print_line("name", name);
  print_line("capacity", fmt::format("{} blocks of {} bytes ({:.3f} GB)", id.blocks, id.block_bytes,
                                     static_cast<double>(id.blocks) * id.block_bytes / 1e9));
  print_line("physical block", fmt::format("{} bytes", id.physical_block_bytes));
  print_line("VPD pages", found.vpd_pages.empty()
                              ? "none"
                              : fmt::format("{:02X}h", fmt::join(found.vpd_pages, "h ")));
  if (found.characteristics && found.characteristics->rotation_rate > 1)
    print_line("nominal rotation", fmt::format("{} rpm", found.characteristics->rotation_rate));
  if (found.limits && found.limits->max_transfer_blocks > 0)
    print_line("one command", fmt::format("at most {} blocks", found.limits->max_transfer_blocks));
  if (found.capacity.protection_type > 0)
    print_line("protection", fmt::format("information of type {}", found.capacity.protection_type));
  if (found.unmapped_share)
    print_line("not on the media",
               fmt::format("{:.3g} % of the blocks", 100 * *found.unmapped_share));
  if (found.ata) print_ata(*found.ata, found.power_mode);
  fmt::print("capabilities\n");
  print_line("address translation", yes(found.first_block.has_value()));
  if (found.first_block) {
    print_line("  LBN 0", where(found.first_block));
    print_line("  last LBN", where(found.last_block));
    print_line("  and back", yes(found.translates_back));
  }
  print_line("defects", fmt::format("primary {}, grown {}", count(found.primary_defects),
                                    count(found.grown_defects)));
  print_line("SEEK(10)", yes(found.seeks));
  const auto how = [](CanChange can) {
    return can == CanChange::no ? "no" : can == CanChange::by_page ? "yes" : "yes (SET FEATURES)";
  };
  print_line("cache can be switched",
             fmt::format("write {}, read {}, read-ahead {}", how(found.write_cache_can_change()),
                         how(found.read_cache_can_change()), how(found.read_ahead_can_change())));
  print_mode_pages(found);
  const auto& trip = found.round_trip;
  fmt::print("round trip of TEST UNIT READY\n");
  print_line("us",
             fmt::format("minimum {:.1f}, median {:.1f}, p99 {:.1f}, maximum {:.1f} ({} commands)",
                         to_us(trip.minimum_ns), to_us(trip.median_ns), to_us(trip.p99_ns),
                         to_us(trip.maximum_ns), trip.commands));
  print_complaints("drive", found.complaints());
  print_complaints("host", host.complaints());
}

}  // namespace

void add_inspect(CLI::App& app) {
  struct Options {
    std::string device;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "inspect", "identity, capabilities, cache and geometry pages, fitness of drive and host");
  command->add_option("DEVICE", options->device, "a device (platter devices lists them)")
      ->required();
  command->add_flag("--json", options->json, "write it as JSON to stdout");
  const auto tell_commands = [] {
    fmt::print("{}", command_list());
    throw CLI::Success();
  };
  command->add_flag_callback(
      "--commands", tell_commands,
      "no device: every SCSI command that platter can send, and when (docs/safety.md)");
  command->callback([options] {
    const auto device = open_device(options->device);
    scsi::Guard guard(*device, {.settings = false, .writes = {}});
    scsi::Drive drive(guard, device->name());
    const auto found = scsi::inspect(drive);
    const auto host = transport::host_fitness();
    if (options->json)
      fmt::print("{}\n", inspection_json(options->device, found, host).dump(2));
    else
      print_inspection(options->device, found, host);
  });
}

}  // namespace platter::cli
