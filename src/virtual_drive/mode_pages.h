// The mode pages of a virtual drive, MODE SENSE and MODE SELECT over them (SPC-4 clauses 6.10
// to 6.13 and 7.5, SBC-3 clause 6.4, SCSI-2 clause 9.3.3). Nothing can be saved.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "engine/layout_map.h"
#include "virtual_drive/caching_page.h"
#include "virtual_drive/personality.h"
#include "virtual_drive/sense_data.h"

namespace platter::virtual_drive {

class ModePages {
 public:
  ModePages(const Personality& drive, const engine::LayoutMap& map);

  Reply sense_6(const scsi::Command& command) const;
  Reply sense_10(const scsi::Command& command) const;
  // All pages of the list are checked before the first takes effect.
  Reply select_6(const scsi::Command& command, std::span<const std::uint8_t> parameters);
  Reply select_10(const scsi::Command& command, std::span<const std::uint8_t> parameters);

  // What the current caching page asks for: RCD, WCE and DRA; and these policies as its other
  // fields change them.
  engine::CacheSettings cache_settings() const;
  model::Cache cache_policies(const model::Cache& cache) const;
  const std::vector<std::uint8_t>& caching_page() const;
  std::uint8_t read_retries() const;
  bool write_protected() const;  // SWP of the control page
  // EN_BMS of page 1Ch/01h, and of page 1Ah the idle_a timer with its bit; false where there is
  // none.
  bool scans_in_background() const;
  bool becomes_idle() const;
  bool has_power_conditions() const;                   // page 1Ah
  std::array<Nanoseconds, 5> power_timers_ns() const;  // of it, in its order; 0: off
  // Write cache and read-ahead as SET FEATURES makes them (SAT-4, caching mode page).
  void set_from_outside(bool write_cache, bool read_ahead);
  void restore_defaults();

 private:
  struct Page {
    std::vector<std::uint8_t> current, changeable, defaults;  // with their two bytes of header
  };
  struct Header;

  std::vector<std::uint8_t> pages(std::uint8_t page, std::uint8_t subpage,
                                  std::uint8_t control) const;
  Reply sense(const scsi::Command& command, const Header& header,
              std::uint64_t allocation_length) const;
  Reply select(const scsi::Command& command, const Header& header,
               std::span<const std::uint8_t> parameters);
  std::vector<std::uint8_t> block_descriptor() const;
  Reply check_block_descriptor(std::span<const std::uint8_t> descriptor, std::uint16_t at) const;
  Reply check_page(std::span<const std::uint8_t> page, std::uint16_t at) const;
  void show_active_notch();

  void add(std::vector<std::uint8_t> page, std::vector<std::uint8_t> changeable = {});

  const Personality& drive_;
  const engine::LayoutMap& map_;
  std::vector<std::uint64_t> zone_starts_;  // first slot of each zone, and the end
  CachingPage caching_;
  std::map<std::uint16_t, Page> pages_;  // by code | subpage << 8
};

}  // namespace platter::virtual_drive
