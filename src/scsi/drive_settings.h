// The settings of a drive: mode pages, and SET FEATURES of ATA drives. What is changed is recorded
// before, and brought back.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "scsi/ata.h"
#include "scsi/caching_fields.h"
#include "scsi/conditions.h"
#include "scsi/replies.h"

namespace platter::scsi {

class DriveLink;

enum class Stopped : std::uint8_t {
  nothing_to_stop,  // the drive has no such page, or it is off there
  stopped,
  goes_on,  // the drive does not let it be changed
};

class DriveSettings {
 public:
  explicit DriveSettings(DriveLink& link) : link_(link) {}

  // By MODE SENSE(6) or (10), without block descriptors; nullopt: the drive has no such page.
  std::optional<std::vector<std::uint8_t>> mode_page(std::uint8_t page, PageControl control,
                                                     std::uint8_t subpage = 0);
  std::optional<CachePage> cache_page(PageControl control = PageControl::current);
  // MODE SELECT with SP=0 of WCE/RCD/DRA; false if the drive refuses. What it was is recorded at
  // the first change; restore() (also called by ~Drive) brings it back.
  bool set_cache(bool write_cache_enabled, bool read_cache_disabled, bool read_ahead_disabled);
  // Those of the three bits that the page's changeable values allow, where not all of them could be
  // set; false: none.
  bool set_cache_in_part(bool write_cache_enabled, bool read_cache_disabled,
                         bool read_ahead_disabled);
  // The same of any of that page's fields; true: the drive took them, and shows them.
  bool set_cache_fields(std::span<const CacheFieldValue> values);
  // An ATA drive whose translation does not take that change is told by SET FEATURES; ATA has
  // nothing that turns off reads from the cache, so then all reads go to the medium by FUA.
  bool forces_reads() const;
  bool forces_writes() const;
  // All reads, all writes go with FUA, until caches are set or restored (forced_access.h).
  void force_access(bool reads, bool writes);
  // The same for what the drive does on its own: background scans, power conditions, and the
  // advanced power management of ATA drives.
  Stopped stop_background_scan();
  Stopped stop_power_conditions();
  Stopped stop_power_management();
  // Another page 1Ah; what it was is recorded and put back like the rest. True: the drive takes it
  // to rest by the same conditions now.
  bool set_power_page(const std::vector<std::uint8_t>& wanted);
  // Throws NotTakenBack once all that can be is restored.
  void restore();
  void restore_cache();  // of these settings, those of the caches alone
  // Of an ATA drive, from IDENTIFY DEVICE; nullopt: it is none (VPD page 89h), or no ATA command
  // gets through to it.
  std::optional<AtaSettings> ata();
  bool restore_ata(const AtaSettings& settings);  // false if the drive does not show them then
  void keep();           // as they are now: restore() has nothing to bring back
  bool features_hold();  // what was set by SET FEATURES is still so
  std::optional<std::uint8_t> ata_power_mode();
  // The page 08h that restore() will bring back; nullopt: nothing was changed.
  std::optional<std::vector<std::uint8_t>> recorded() const;
  // Sets a whole page as it once came (`platter restore`); false if the drive refuses.
  bool restore_page(const std::vector<std::uint8_t>& raw);
  void put_back_page(const std::vector<std::uint8_t>& raw);  // the same; throws NotTakenBack
  // Whether a whole page is now what it once was.
  bool shows(const std::vector<std::uint8_t>& page);
  // A reset (unit attention 29h) or a change from outside (2Ah) was reported since the settings
  // were made: they are probably gone, in silence. True until they are made anew.
  bool may_be_lost() const;

 private:
  using StoppedPage = std::optional<std::vector<std::uint8_t>>;
  struct PageView {
    PageCode code;
    const std::vector<std::uint8_t>& raw;
  };
  bool change(const PageView& before, const std::vector<std::uint8_t>& wanted,
              const std::function<bool()>& as_wanted);
  Stopped stop(PageCode code, StoppedPage (*stopped_page)(Bytes));
  void restore_recorded(PageCode code);
  void restore_recorded_ata(bool power_level_too);
  bool set_cache_page(bool write_cache_enabled, bool read_cache_disabled, bool read_ahead_disabled);
  bool change_ata(const AtaSettings& wanted);
  bool takes_forced_reads();

  DriveLink& link_;
};

}  // namespace platter::scsi
