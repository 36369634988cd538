#include "emit/disksim_check/check.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "emit/disksim/libparam.h"
#include "emit/disksim_check/findings.h"

namespace platter::emit_disksim_check {
namespace {

const char* words(Effect effect) {
  switch (effect) {
    case Effect::stops:
      return "DiskSim stops";
    case Effect::never_answers:
      return "DiskSim does not get through";
    case Effect::otherwise:
      return "DiskSim runs with something else";
    case Effect::stops_64:
      return "Western Digital's 64-bit DiskSim stops";
    case Effect::stops_there:
      return "DiskSim runs, and stops there";
  }
  return "";
}

void check_queue_of(const Block& block, Findings& findings) {
  if (const Block* const queue = Values(block).inner("Scheduler")) check_queue(*queue, findings);
}

// Blocks of the drive that this describes, if it does.
std::int64_t check_block(const Block& block, const std::string& folder, Findings& findings) {
  check_parameters(block, findings);
  check_queue_of(block, findings);
  if (block.type == "disksim_disk") {
    const Block* const model = Values(block).inner("Model");
    if (model) findings.read_on(most_read_on(block, *model));
    const std::int64_t blocks = model ? check_model(*model, folder, findings) : 0;
    check_disk(block, model ? longest_track(*model) : 0, blocks, findings);
    return blocks;
  }
  if (block.type == "dm_disk") return check_model(block, folder, findings);
  if (block.type == "dm_layout_g4") return check_g4(block, findings);
  return 0;
}

// Of blocks from this one on, which a trace can leave out.
Effect effect_behind(std::int64_t first, const Findings& findings) {
  if (findings.accesses() == nullptr) return Effect::stops_there;
  const bool comes = std::ranges::any_of(*findings.accesses(), [first](const Access& access) {
    return access.lbn + access.blocks > first;
  });
  return comes ? Effect::stops : Effect::stops_there;
}

}  // namespace

std::int64_t check_model(const Block& block, const std::string& folder, Findings& findings) {
  const Values model(block);
  const std::int64_t surfaces = model.integer("Number of data surfaces"),
                     cylinders = model.integer("Number of cylinders"),
                     told = model.integer("Block count");
  if (surfaces < 1)
    findings.add(Effect::stops, model.where("Number of data surfaces"),
                 fmt::format("\"Number of data surfaces\" = {}", surfaces),
                 "disksim_disk.c, disk_postpass_perdisk");
  if (const Block* const mechanics = model.inner("Mechanical Model"))
    check_mechanics(*mechanics, folder, findings);
  const Block* const layout = model.inner("Layout Model");
  if (layout && layout->type == "dm_layout_g1")
    return check_g1(*layout, surfaces, cylinders, findings);
  if (layout && layout->type == "dm_layout_g4") {
    const std::int64_t mapped = check_g4(*layout, findings);
    // DiskSim finds the last blocks only with as many more as are slipped behind that place.
    if (told > mapped + slipped_behind(*layout, mapped))
      findings.add(
          effect_behind(mapped, findings), model.where("Block count"),
          fmt::format("\"Block count\" = {} and the layout has places for {}", told, mapped),
          "disksim_diskctlr.c, disk_initiate_seek");
  }
  return told;
}

const char* name_of(Effect effect) {
  constexpr const char* kNames[] = {"stops", "never-answers", "otherwise", "stops-64",
                                    "stops-there"};
  return kNames[static_cast<std::size_t>(effect)];
}

void Findings::add_at_blocks(const std::vector<std::pair<std::int64_t, std::int64_t>>& blocks,
                             const Where& where, const std::string& why,
                             const std::string& source) {
  if (blocks.empty()) return;
  if (accesses_ == nullptr) {
    std::int64_t count = 0;
    for (const auto& [first, last] : blocks) count += last - first + 1;
    return add(Effect::stops, where,
               fmt::format("{} blocks {}; the first is {}", count, why, blocks.front().first),
               source);
  }
  std::int64_t requests = 0;
  const Access* first = nullptr;
  for (const Access& access : *accesses_) {
    const std::int64_t end = access.lbn + access.blocks + (access.write ? 0 : read_on_);
    const auto next = std::ranges::upper_bound(blocks, end - 1, {},
                                               &std::pair<std::int64_t, std::int64_t>::first);
    if (next == blocks.begin() || std::prev(next)->second < access.lbn) continue;
    if (requests++ == 0) first = &access;
  }
  if (first != nullptr)
    add(Effect::stops, where,
        fmt::format("{} requests come, or read on, to blocks that {}; the first is of block {}",
                    requests, why, first->lbn),
        source);
}

std::vector<Finding> check_files(const std::string& path, Program program,
                                 const std::vector<Access>* accesses) {
  const emit_disksim::ParameterFile file = emit_disksim::parse_parameter_file(path);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  Findings findings(program, accesses);
  std::int64_t blocks = 0;
  for (const Block& block : file.blocks)
    blocks = std::max(blocks, check_block(block, folder, findings));
  check_simulation(file, folder, blocks, path.ends_with(".parv"), findings);
  return findings.take();
}

bool runs(const std::vector<Finding>& findings) {
  return std::ranges::none_of(findings, [](const Finding& finding) {
    return finding.effect == Effect::stops || finding.effect == Effect::never_answers;
  });
}

std::string in_words(const Finding& finding) {
  return fmt::format("{}: {}: {} ({})", finding.where, words(finding.effect), finding.what,
                     finding.source);
}

std::vector<std::string> in_brief(const std::vector<Finding>& findings) {
  std::vector<std::string> lines;
  for (auto first = findings.begin(); first != findings.end(); ++first) {
    const auto is_like_it = [&first](const Finding& finding) {
      return finding.effect == first->effect && finding.source == first->source;
    };
    if (std::any_of(findings.begin(), first, is_like_it)) continue;
    const auto more = std::count_if(first, findings.end(), is_like_it) - 1;
    lines.push_back(in_words(*first) +
                    (more > 0 ? fmt::format("; and {} more like it", more) : std::string()));
  }
  return lines;
}

}  // namespace platter::emit_disksim_check
