// What kind of drive answers: the figures of the model that the SCSI commands need, with a stated
// fallback for each one that a model may leave out.
#pragma once

#include <cstdint>
#include <string>

#include "engine/layout_map.h"
#include "model/drive_model.h"
#include "model/units.h"

namespace platter::virtual_drive {

// The VERSION field of INQUIRY data; what a drive offers follows from its age.
enum class ScsiLevel : std::uint8_t { scsi2 = 2, spc = 3, spc2 = 4, spc3 = 5, spc4 = 6 };

// "SCSI-2", "SPC", "SCSI-3", "SPC-2" ... "SPC-5"; anything else throws Error(bad_input).
ScsiLevel scsi_level(const std::string& name);

struct Personality {
  model::DriveModel model;
  model::Firmware firmware;  // the model's, or that of a drive of its size
  ScsiLevel level = ScsiLevel::scsi2;
  std::uint64_t blocks = 0;
  std::uint32_t block_bytes = 512;
  std::uint32_t cylinders = 0, heads = 0;
  bool has_zones = false, host_managed = false;  // as the identity tells them all
  std::uint16_t rpm = 0;
  std::uint32_t most_transfer_blocks = 0;  // of one READ or WRITE
  std::uint32_t most_same_blocks = 0;      // of one WRITE SAME
  // A command that needs no media: the model's read hit overhead, else per_request, else 0.2 ms.
  Nanoseconds command_ns = 0;
  Nanoseconds block_transfer_ns = 0;  // to the host
  Nanoseconds block_from_host_ns = 0;
  // Each of the two commands of an address translation: half of the model's time for the pair, else
  // command_ns.
  Nanoseconds half_translation_ns = 0;
  Nanoseconds spin_up_ns = 0;    // from standing still to ready
  Nanoseconds idle_wake_ns = 0;  // from the idle condition to ready, where an imperfection has it
};

// A model without firmware facts is taken for a SCSI-2 drive, for an SPC-3 drive if READ
// CAPACITY(10) cannot tell its size, its blocks are not of 512 bytes, it has several arms or power
// conditions, or its firmware tells of what only those have. Throws Error(bad_input).
Personality personality_of(const model::DriveModel& model, const engine::LayoutMap& layout);

}  // namespace platter::virtual_drive
