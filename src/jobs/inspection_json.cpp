#include <fmt/core.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "estimate/passages.h"
#include "jobs/inspected.h"
#include "model/json_text.h"
#include "model/zones.h"
#include "safety/saved_settings.h"

namespace platter::jobs {
namespace {

using Json = nlohmann::ordered_json;
using scsi::Inspection;
using CanChange = Inspection::CanChange;

Json optional_hex(const std::optional<std::vector<std::uint8_t>>& bytes) {
  return bytes ? Json(safety::hex(*bytes)) : Json(nullptr);
}

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json place_json(const std::optional<scsi::Translation>& translation) {
  if (!translation) return nullptr;
  const auto& place = translation->places.front();
  const bool bytes = translation->format == scsi::AddressFormat::bytes_from_index;
  return {{"cylinder", place.cylinder},
          {"head", place.head},
          {bytes ? "bytes_from_index" : "sector", place.sector}};
}

Json ata_json(const scsi::AtaSettings& ata, const std::optional<std::uint8_t>& power_mode) {
  return {{"write_cache", optional_json(ata.write_cache)},
          {"look_ahead", optional_json(ata.look_ahead)},
          {"power_level", optional_json(ata.power_level)},
          {"power_mode", power_mode ? Json(fmt::format("{:02x}h", *power_mode)) : Json(nullptr)}};
}

Json values_json(std::uint8_t code, const std::vector<std::uint8_t>& bytes) {
  Json json = Json::object();
  for (const PageValue& value : page_values(code, bytes))
    json[value.name] = value.is_flag ? Json(value.value != 0) : Json(value.value);
  return json;
}

Json mode_pages_json(const Inspection& found) {
  Json pages = Json::object();
  for (const auto& [code, views] : found.mode_pages)
    pages[fmt::format("{:02x}h", code)] = {{"values", values_json(code, *views.current)},
                                           {"current", optional_hex(views.current)},
                                           {"changeable", optional_hex(views.changeable)},
                                           {"defaults", optional_hex(views.defaults)},
                                           {"saved", optional_hex(views.saved)}};
  return pages;
}

// The same words as in the model's notes are for people; these are for programs.
const char* name_of(scsi::ReadsReach reach) {
  switch (reach) {
    case scsi::ReadsReach::as_they_are:
      return "READ";
    case scsi::ReadsReach::with_fua:
      return "READ with FUA";
    case scsi::ReadsReach::by_verify:
      return "VERIFY";
    case scsi::ReadsReach::nothing:
      return "none";
    case scsi::ReadsReach::not_tried:
      break;
  }
  return nullptr;
}

Json capabilities_json(const Inspected& all) {
  const Inspection& found = all.drive;
  const char* const reach = name_of(found.reads_reach);
  return {{"address_translation", found.first_block.has_value()},
          {"translation_back", found.translates_back},
          {"first_block", place_json(found.first_block)},
          {"last_block", place_json(found.last_block)},
          {"primary_defects", optional_json(found.primary_defects)},
          {"grown_defects", optional_json(found.grown_defects)},
          {"seek", found.seek == scsi::SeekCommand::waits_for_arm},
          {"seek_command", found.seek == scsi::SeekCommand::refused         ? "refused"
                           : found.seek == scsi::SeekCommand::waits_for_arm ? "waits for the arm"
                                                                            : "at once"},
          {"write_cache_changeable", found.write_cache_can_change() != CanChange::no},
          {"read_cache_changeable", found.read_cache_can_change() != CanChange::no},
          {"read_ahead_changeable", found.read_ahead_can_change() != CanChange::no},
          {"media_reached_by", reach ? Json(reach) : Json(nullptr)},
          {"most_outstanding", all.most_outstanding}};
}

Json host_json(const Inspected& all) {
  const auto to_us = [](Nanoseconds ns) { return static_cast<double>(ns) / 1e3; };
  const auto& trip = all.drive.round_trip;
  return {{"kernel", all.host.kernel},
          {"processors", all.host.processors},
          {"governors", all.host.governors},
          {"low_latency", all.host.low_latency},
          {"clock_step_ns", all.host.clock_step_ns},
          {"quiet_host", all.quiet},
          {"round_trip_us",
           {{"commands", trip.commands},
            {"minimum", to_us(trip.minimum_ns)},
            {"median", to_us(trip.median_ns)},
            {"p99", to_us(trip.p99_ns)},
            {"maximum", to_us(trip.maximum_ns)}}}};
}

Json checks_json(const std::vector<host::Check>& checks) {
  Json json = Json::array();
  for (const host::Check& check : checks)
    json.push_back(
        {{"what", check.what}, {"found", check.found}, {"advice", optional_json(check.advice)}});
  return json;
}

Json noise_json(const Inspected& all) {
  const auto host = all.delay();
  if (!host) return nullptr;
  const double most_ms = estimate::Passages::kMostPull_rev * all.period_ms;
  const auto how = noise::quietness(*host, all.period_ms, most_ms);
  return {{"verdict", how == noise::Quietness::quiet   ? "quiet"
                      : how == noise::Quietness::noisy ? "noisy"
                                                       : "too noisy"},
          {"overheads_unsure_ms", host->unsure_ms(most_ms)},
          {"enough_for", noise::enough_for(*host, all.period_ms, most_ms)}};
}

Json zones_json(const model::Identity& drive) {
  Json runs = Json::array();
  for (const model::ZoneRun& run : drive.zone_runs)
    runs.push_back({{"first_lbn", run.first_lbn},
                    {"zones", run.zones},
                    {"blocks", run.blocks},
                    {"type", run.type},
                    {"condition", run.condition},
                    {"written", model::written_in(run)}});
  return runs;
}

Json claims_json(const std::vector<identity::Claim>& claims) {
  Json all = Json::array();
  for (const identity::Claim& claim : claims) {
    Json witnesses = Json::array();
    for (const identity::Witness& witness : claim.witnesses)
      witnesses.push_back({{"by", witness.by}, {"says", witness.says}});
    all.push_back({{"claim", identity::row_of(claim.subject).what},
                   {"taken", claim.taken},
                   {"contradicted", claim.contradicted()},
                   {"witnesses", std::move(witnesses)}});
  }
  return all;
}

}  // namespace

std::string inspection_json(const Inspected& all) {
  const Inspection& found = all.drive;
  const auto& id = found.identity;
  Json document = model::json_head("platter-inspection");
  document["device"] = all.device;
  document["identity"] = {{"vendor", id.vendor},
                          {"product", id.product},
                          {"revision", id.revision},
                          {"serial", id.serial},
                          {"serial_by", id.serial_by},
                          {"name", id.name},
                          {"bridge", id.bridge},
                          {"names", found.designators},
                          {"scsi_version", found.inquiry.version},
                          {"blocks", id.blocks},
                          {"block_bytes", id.block_bytes},
                          {"physical_block_bytes", id.physical_block_bytes},
                          {"zones", id.zones},
                          {"zone_runs", zones_json(id)},
                          {"most_open_zones", optional_json(id.most_open_zones)},
                          {"trims", id.trims},
                          {"positioning_ranges", id.positioning_ranges.size()},
                          {"logical_units", optional_json(id.logical_units)},
                          {"depopulated_elements", optional_json(id.depopulated_elements)},
                          {"failure_predicted", id.failure_predicted}};
  document["claims"] = claims_json(found.claims);
  document["recovered"] = found.recovered;
  document["warnings"] = found.warnings;
  document["counted_as_not_supported"] = found.odd_refusals;
  Json pages = Json::array(), contents = Json::object();
  for (const auto page : found.vpd_pages) pages.push_back(fmt::format("{:02x}h", page));
  for (const auto& [page, bytes] : found.vpd_contents)
    contents[fmt::format("{:02x}h", page)] = safety::hex(bytes);
  document["vpd_pages"] = pages;
  document["vpd_contents"] = contents;
  document["format"] = {{"protection_type", found.capacity.protection_type},
                        {"unmapped_share", optional_json(found.unmapped_share)}};
  if (found.ata) document["ata"] = ata_json(*found.ata, found.power_mode);
  if (found.limits)
    document["block_limits"] = {{"max_transfer_blocks", found.limits->max_transfer_blocks},
                                {"optimal_transfer_blocks", found.limits->optimal_transfer_blocks}};
  if (found.characteristics)
    document["characteristics"] = {{"rotation_rate", found.characteristics->rotation_rate},
                                   {"form_factor", found.characteristics->form_factor}};
  document["capabilities"] = capabilities_json(all);
  document["mode_pages"] = mode_pages_json(found);
  document["host"] = host_json(all);
  document["checks"] = {{"host", checks_json(all.host_checks)},
                        {"path", checks_json(all.path_checks)}};
  document["noise"] = noise_json(all);
  document["characterize"] = all.expected_time ? Json{{"drive_seconds", all.expected_time->seconds},
                                                      {"rests_on", all.expected_time->rests_on}}
                                               : Json(nullptr);
  document["fitness"] = {{"drive", found.complaints()}, {"host", all.advice_for_host()}};
  return model::json_text(document, model::JsonForm::indented) + "\n";
}

}  // namespace platter::jobs
