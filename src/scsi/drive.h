// Drive: the typed commands that experiments use, on a guarded Device, one at a time. A transport
// failure or an unexpected sense ends the experiment with an Error that says which command and why;
// unit attentions and BUSY are retried (and counted). Nothing here measures or estimates.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "scsi/device.h"
#include "scsi/guard.h"

namespace platter::scsi {

// One physical place as RECEIVE DIAGNOSTIC RESULTS page 40h gives it (SBC-3, translate address page,
// physical sector format, 5.2.?): sector numbers are the drive's own, often from 0 for each track.
struct PhysicalAddress {
  std::uint32_t cylinder = 0, head = 0, sector = 0;
  bool operator==(const PhysicalAddress&) const = default;
};

struct Translation {
  std::vector<PhysicalAddress> places;  // several where the block spans sectors
  bool remapped = false;                // ALTSEC: an alternate sector holds the block
  bool alternate_track = false;         // ALTTRK
};

struct DefectList {
  std::vector<PhysicalAddress> places;  // physical sector format (101b)
  bool primary = false, grown = false;  // which lists are in it
};

struct CachePage {  // mode page 08h
  bool write_cache_enabled = false;     // WCE
  bool read_cache_disabled = false;     // RCD
  bool read_ahead_disabled = false;     // DRA
  std::uint8_t segments = 0;            // number of cache segments
  std::uint16_t segment_blocks = 0;     // cache segment size
  std::uint16_t max_prefetch = 0, min_prefetch = 0, prefetch_ceiling = 0;
  std::vector<std::uint8_t> raw;        // the page as it came, for MODE SELECT
};

enum class PageControl : std::uint8_t { current = 0, changeable = 1, defaults = 2, saved = 3 };

// What every completed command leaves behind for the raw samples of a run.
struct CommandRecord {
  std::uint8_t opcode = 0;
  std::uint64_t lbn = 0;
  std::uint32_t blocks = 0;
  Nanoseconds issued_ns = 0, completed_ns = 0;
  Status status = Status::good;
};

class Drive {
 public:
  Drive(Device& guarded, std::string name);

  Clock& clock();
  Nanoseconds now_ns() { return clock().now_ns(); }
  // Lets time pass with nothing sent.
  void rest_ns(Nanoseconds time_ns);

  // Identity and capabilities. Filled by identify(): INQUIRY, VPD 00/80/83/B0/B1 where offered,
  // READ CAPACITY, retries a unit attention first.
  const model::Identity& identify();
  std::uint64_t blocks() const;         // after identify()
  std::uint32_t block_bytes() const;

  // Reads: the data are kept only when asked for. READ(10), READ(16) past 2^32 blocks.
  Completion read(std::uint64_t lbn, std::uint32_t blocks = 1, bool force_unit_access = false);
  // Rewrites what these sectors hold. learn_contents() must have read them before (it reads now
  // what is unknown); so the timed write is one command. Throws Error(refused) outside the permission.
  void learn_contents(std::uint64_t lbn, std::uint32_t blocks);
  Completion write(std::uint64_t lbn, std::uint32_t blocks = 1, bool force_unit_access = false);
  bool may_write(std::uint64_t lbn, std::uint32_t blocks = 1) const;
  Completion seek(std::uint64_t lbn);           // SEEK(10); throws Error(unsupported) if rejected
  Completion test_unit_ready();
  Completion synchronize_cache();

  // nullopt: the drive does not answer (illegal request); other failures throw.
  std::optional<Translation> translate(std::uint64_t lbn);
  std::optional<std::uint64_t> translate_back(const PhysicalAddress& place);
  std::optional<DefectList> defects(bool primary, bool grown);
  std::optional<std::vector<std::uint8_t>> mode_page(std::uint8_t page, PageControl control);
  std::optional<CachePage> cache_page(PageControl control = PageControl::current);
  // MODE SELECT with SP=0 of WCE/RCD/DRA; false if the drive refuses. What it was is recorded at the
  // first change; restore_settings() (also called by the destructor) brings it back.
  bool set_cache(bool write_cache_enabled, bool read_cache_disabled, bool read_ahead_disabled);
  void restore_settings();

  // Called before a write command leaves, with the sectors' contents (the safety journal).
  void on_write(std::function<void(std::uint64_t lbn, const std::vector<std::uint8_t>&)> callback);
  void on_command(std::function<void(const CommandRecord&)> callback);

  std::uint64_t commands() const;
  std::uint64_t translations() const;
  std::uint64_t bytes_written() const;
  std::uint64_t unit_attentions() const;
  ~Drive();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace platter::scsi
