// What `platter inspect` tells: everything that a drive says about itself without being changed,
// the round trip of a command that does nothing, and what comes from the media.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scsi/ata.h"
#include "scsi/drive.h"
#include "scsi/self_description.h"

namespace platter::scsi {

struct ModePageViews {
  std::optional<std::vector<std::uint8_t>> current, changeable, defaults, saved;
};

// Response times of TEST UNIT READY: the floor below which nothing can be timed on this path.
struct RoundTrip {
  std::uint32_t commands = 0;
  Nanoseconds minimum_ns = 0, median_ns = 0, p99_ns = 0, maximum_ns = 0;
  std::vector<Nanoseconds> times_ns = {};  // of all, in ascending order
};

// By which commands reads come from the media, tried with the caches as they were found.
enum class ReadsReach : std::uint8_t {
  not_tried,
  as_they_are,  // no cache answers them
  with_fua,     // the drive obeys it
  by_verify,    // but not FUA
  nothing,      // of these, that was seen to wait for the media
};

// What SEEK(10) does, by its effect: libata answers it and does nothing.
enum class SeekCommand : std::uint8_t {
  refused,
  waits_for_arm,  // from one end of the drive to the other it takes a stroke's time
  at_once,        // it does nothing, or moves the arm behind its answer
};

struct Inspection {
  model::Identity identity;
  Inquiry inquiry;
  std::vector<identity::Claim> claims;
  std::vector<std::string> doubts;  // who it is, and what it says of itself
  std::map<std::string, std::uint64_t> recovered, warnings;  // drive.h
  std::map<std::string, std::string> odd_refusals;
  std::vector<std::uint8_t> vpd_pages;
  std::map<std::uint8_t, std::vector<std::uint8_t>> vpd_contents;  // as far as they could be had
  std::vector<std::string> designators;
  std::optional<BlockLimits> limits;
  std::optional<Characteristics> characteristics;
  std::optional<StatedRotation> rotation;
  Capacity capacity;
  std::optional<double> unmapped_share;  // of the blocks, by GET LBA STATUS
  std::optional<AtaSettings> ata;        // of an ATA drive behind a translation
  std::optional<std::uint8_t> power_mode;

  std::optional<Translation> first_block;  // where LBN 0 is, by address translation
  std::optional<Translation> last_block;
  bool translates_back = false;  // the place of LBN 0 leads back to LBN 0
  std::optional<std::size_t> primary_defects, grown_defects;
  SeekCommand seek = SeekCommand::refused;
  std::map<std::uint8_t, ModePageViews> mode_pages;  // 03h, 04h, 08h
  RoundTrip round_trip;
  ReadsReach reads_reach = ReadsReach::not_tried;

  // By the bit of page 08h (its changeable values), or where an ATA drive has it by SET FEATURES.
  enum class CanChange : std::uint8_t { no, by_page, by_features };
  CanChange write_cache_can_change() const {
    return can_change(&CachePage::write_cache_enabled, ata && ata->write_cache);
  }
  CanChange read_cache_can_change() const {
    return can_change(&CachePage::read_cache_disabled, false);
  }
  CanChange read_ahead_can_change() const {
    return can_change(&CachePage::read_ahead_disabled, ata && ata->look_ahead);
  }

  // Whether enough of it was written, where its zones are written in order.
  bool may_be_read() const;
  // What makes characterization slow or incomplete on this drive, a sentence each; empty: fit.
  std::vector<std::string> complaints() const;

 private:
  CanChange can_change(bool CachePage::*bit, bool has_feature) const;
};

Inspection inspect(Drive& drive, std::uint32_t round_trips = 500);
// What the drive has said beside its answers by now, by inspect() and whoever asked more since.
void note_what_was_said(const Drive& drive, Inspection& found);

}  // namespace platter::scsi
