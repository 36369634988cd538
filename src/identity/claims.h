// What a drive says of itself, each claim with all who witness it. A claim that two witnesses
// contradict is a doubt; the table says what happens then.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace platter::identity {

enum class Subject : std::uint8_t {
  capacity,
  block_length,
  physical_block,
  name,
  serial_number,
  world_wide_name,
  rotation,
  zones,
  trim,
  positioning_ranges,
  logical_units,
  power_timers,
  depopulated,
  write_cache,
  vpd_pages,
};

struct ClaimRow {
  Subject subject;
  std::string_view what;              // for people and JSON, as "physical block"
  std::string_view witnesses;         // those that may say it
  std::string_view if_they_disagree;  // what is done then
};
std::span<const ClaimRow> claim_table();
const ClaimRow& row_of(Subject subject);

struct Witness {
  std::string by;    // "READ CAPACITY(16)"
  std::string says;  // in one form for all witnesses of the claim
};

struct Claim {
  Subject subject;
  std::vector<Witness> witnesses;
  std::string taken;  // what counts; empty: nothing does

  bool contradicted() const;
  // "physical block: READ CAPACITY(16) says 512 bytes, IDENTIFY DEVICE 4096 bytes; ..."
  std::string doubt() const;
};

}  // namespace platter::identity
