#include "emit/disksim/layout_choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "emit/disksim/g1_export.h"
#include "emit/disksim/g4_export.h"
#include "model/error.h"
#include "model/validate.h"

namespace platter::emit_disksim {
namespace {

constexpr double kExact_rev = 1e-6;
constexpr double kUsual = 3, kMost = 5;  // standard errors
constexpr std::size_t kMostOfG1_bytes = 100'000;

// Characterized angles carry noise: equal skews need to fit them only as well as they are known. Of
// hundreds of angles none is off by more than five standard errors by chance; a narrower bound
// gives better zones where it can be kept.
double tolerance_of(const model::Layout& layout, double errors) {
  return std::max(kExact_rev, errors * layout.angle.error.value_or(0));
}

// `express_within` gets the tolerance.
template <typename Express>
auto express(const model::Layout& layout, const Express& express_within) {
  const auto within = [&](double errors) {
    return express_within(0.9 * tolerance_of(layout, errors));
  };
  if (!layout.angle.error) return within(0);
  try {
    return within(kUsual);
  } catch (const Error&) {
    return within(kMost);
  }
}

WrittenLayout write_g1(const model::DriveModel& model, Program program) {
  const G1Layout g1 = express(model.layout, [&](double tolerance_rev) {
    return express_as_g1(model.layout, model.identity.heads, tolerance_rev, most_counted(program));
  });
  WrittenLayout written{"dm_layout_g1", g1_text(g1), g1.blocks, 0, 1, {}, model.layout, g1.blocks};
  for (const G1Zone& zone : g1.zones) {
    written.used_cylinders += zone.last_cylinder - zone.first_cylinder + 1;
    written.most_sectors = std::max(written.most_sectors, zone.sectors);
  }
  if (!model.layout.remaps.empty())
    written.warnings.push_back(
        fmt::format("{} blocks are remapped: in a dm_layout_g1 DiskSim stops there or never ends "
                    "(--layout g4 leaves the remapping out)",
                    model.layout.remaps.size()));
  if (g1.worst_angle_rev > kExact_rev) {
    written.warnings.push_back(
        fmt::format("DiskSim has one track skew and one cylinder skew a zone: angles differ by up "
                    "to {:.6f} revolutions from the "
                    "model's, which knows them to {:.6f}",
                    g1.worst_angle_rev, model.layout.angle.error.value_or(0)));
  }
  return written;
}

// Western Digital's 64-bit DiskSim forgets slips on its way back from place to block, and takes all
// tracks for full ones: its blocks are those of the first sectors, none passed over.
model::Layout without_skips(const model::Layout& layout, std::uint64_t blocks) {
  model::Layout whole = layout;
  const std::uint64_t slots = model::zone_starts(layout).back();
  whole.skips.clear();
  whole.remaps.clear();
  if (slots > blocks) whole.skips.push_back({blocks, slots - blocks, 1, 0});
  return whole;
}

WrittenLayout write_g4(const model::DriveModel& model, Program program) {
  const model::Layout layout = program == Program::wd64
                                   ? without_skips(model.layout, model.identity.blocks)
                                   : model.layout;
  const G4Layout g4 = express_as_g4(layout, most_counted(program));
  WrittenLayout written{"dm_layout_g4",  g4_text(g4), g4.blocks, g4.cylinders,
                        g4.most_sectors, {},          layout,    g4.block_count};
  written.layout.remaps.clear();
  if (program == Program::wd64 && !model.layout.skips.empty())
    written.warnings.push_back(
        fmt::format("{} places that hold no block are not passed over: Western Digital's 64-bit "
                    "DiskSim stops behind them in a dm_layout_g4",
                    model::zone_starts(model.layout).back() - model.identity.blocks));
  if (!model.layout.remaps.empty())
    written.warnings.push_back(
        fmt::format("{} remapped blocks lie where they were remapped from: DiskSim stops at "
                    "remapped blocks of a dm_layout_g4",
                    model.layout.remaps.size()));
  if (g4.block_count > g4.blocks)
    written.warnings.push_back(
        fmt::format("Block count = {}, {} more than there are: DiskSim bounds its search by the "
                    "slips in front of the place with that number and would not find the last",
                    g4.block_count, g4.block_count - g4.blocks));
  return written;
}

}  // namespace

double angle_tolerance(const model::Layout& layout) { return tolerance_of(layout, kMost); }

WrittenLayout write_layout(const model::DriveModel& model, LayoutType type, Program program) {
  if (type == LayoutType::g1) return write_g1(model, program);
  if (type == LayoutType::g4 || program == Program::wd64 || !model.layout.remaps.empty())
    return write_g4(model, program);
  std::optional<WrittenLayout> g1;
  try {
    g1 = write_g1(model, program);
  } catch (const Error&) {  // g4 may express it
  }
  if (g1 && g1->text.size() >= kMostOfG1_bytes) g1.reset();
  return g1 ? *g1 : write_g4(model, program);
}

}  // namespace platter::emit_disksim
