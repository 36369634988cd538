// What an import of DiskSim's parameters is made of: layouts, seeks, costs of the way to the drive,
// single readings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emit/disksim/import.h"
#include "emit/disksim/libparam.h"
#include "emit/disksim/no_place.h"
#include "emit/disksim/rules.h"
#include "model/drive_model.h"

namespace platter::emit_disksim {

// dm_layout_g1: zones of equal tracks, eleven sparing schemes, three mapping schemes.
// `layout` is the block of that type; what could not be taken over is appended to `notes`.
// Where DiskSim's LBN-to-PBN code contradicts its PBN-to-LBN code (schemes 2, 5 and 6) or does
// nothing (scheme 0), the scheme is taken at its documented meaning; docs/model.md has the list.
// Throws Error(bad_input) with file and line.
model::Layout import_g1_layout(const Block& layout, std::uint32_t heads,
                               std::vector<std::string>& notes);

// DiskSim's layout type dm_layout_g2 (every run of blocks in a map file, skews of zones) as a
// Layout of nested repeats, skips and remaps.
struct G2Layout {
  model::Layout layout;
  std::uint32_t cylinders = 0, heads = 0;  // as the map file says
};

// `layout` is the block of type dm_layout_g2; its map file is sought beside the file that names it,
// then in `top_folder`. The drive has no block from `block_count` on (0: the map says how many).
// The angle grows by a skew from each track to the next in the order of blocks. DiskSim's own code
// forgets the zone's skew on most cylinders, which is noted. Throws Error(bad_input)
// with file and line.
G2Layout import_g2_layout(const Block& layout, std::int64_t block_count,
                          const std::string& top_folder, std::vector<std::string>& notes);

// DiskSim's layout type dm_layout_g4 (a tree of indices over track patterns, slips, remaps; what
// DIXtrac of 2003 and later writes) as a Layout of nested repeats, skips and remaps.
// `layout` is the block of type dm_layout_g4; the drive has no block from `block_count` on (0: the
// layout says how many). What DiskSim itself takes in another way is appended to `notes`: it loses
// blocks of patterns that do not begin with sector 0, and knows no angle for what is remapped to a
// sector without a number of its own. Throws Error(bad_input) with file and line.
model::Layout import_g4_layout(const Block& layout, std::int64_t block_count,
                               std::vector<std::string>& notes);

// What stands between the host and the drive in a DiskSim topology (bus, controller, driver) as the
// constant costs that it adds to each request.
// Adds to the overheads and the bus of `model` what the way to `disk` costs, where the file has a
// topology. As measured with DiskSim (docs/disksim.md): the drive's bus is arbitrated for once with
// the command and once at each reselection; a controller of type 1 delays one message in front of
// the media and three behind them; a block takes as long as the slower of drive and bus needs. What
// has no effect in DiskSim, or cannot be taken over, is noted.
void include_host_costs(const ParameterFile& file, const Block& disk, model::DriveModel& model,
                        Notes& notes);

// DiskSim's seek types as a list of measured points between which a seek is interpolated.
struct ImportedSeeks {
  model::Seek reads;
  std::optional<model::Seek> writes;  // of a seek file that tells them apart
};

// `mechanics` reads a block of type dm_mech_g1; `cylinders` is that of the drive. A formula becomes
// so many points that interpolation is exact to 1 ns. Throws Error(bad_input) with file and line.
ImportedSeeks import_seek(BlockReader& mechanics, std::uint32_t cylinders,
                          const std::string& top_folder, std::vector<std::string>& notes);

// The readings of parameters of which DiskSim's manual says one thing and the program does another
// (rules.h), in a model that has taken the files at their word.
// What a disksim_disk block says, and the type of its layout.
Told told_by(const Block& disk);

// Where the program's reading is taken the model gets it, and its member `disksim` keeps the word
// of the file. A note in provenance names the rule, what was taken, and why.
void take_as(TakenAs taken_as, const Told& told, model::DriveModel& model);

}  // namespace platter::emit_disksim
