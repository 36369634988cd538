#include <fmt/core.h>

#include <limits>
#include <span>
#include <string_view>

#include "emit/disksim_check/findings.h"

namespace platter::emit_disksim_check {
namespace {

enum class Kind : std::uint8_t { integer, real, word, list, block };

constexpr double kLeast = -std::numeric_limits<double>::infinity(),
                 kMost = std::numeric_limits<double>::infinity();

// As DiskSim's *.modspec have it. It tests no range when it loads a parameter: where one matters, a
// rule of its own says what happens.
struct KnownParameter {
  std::string_view name;
  Kind kind;
  bool required;
  double least = kLeast, most = kMost;
};

struct KnownBlock {
  std::string_view type;
  std::span<const KnownParameter> parameters;
};

constexpr KnownParameter kDisk[] = {
    {"Model", Kind::block, true},
    {"Scheduler", Kind::block, true},
    {"Max queue length", Kind::integer, true, 0},
    {"Bulk sector transfer time", Kind::real, true, 0},
    {"Segment size (in blks)", Kind::integer, true},
    {"Number of buffer segments", Kind::integer, true, 0},
    {"Print stats", Kind::integer, true, 0, 1},
    {"Per-request overhead time", Kind::real, true, 0},
    {"Time scale for overheads", Kind::real, true, 0},
    {"Hold bus entire read xfer", Kind::integer, true, 0, 1},
    {"Hold bus entire write xfer", Kind::integer, true, 0, 1},
    {"Allow almost read hits", Kind::integer, true, 0, 1},
    {"Allow sneaky full read hits", Kind::integer, true, 0, 1},
    {"Allow sneaky partial read hits", Kind::integer, true, 0, 1},
    {"Allow sneaky intermediate read hits", Kind::integer, true, 0, 1},
    {"Allow read hits on write data", Kind::integer, true, 0, 1},
    {"Allow write prebuffering", Kind::integer, true, 0, 1},
    {"Preseeking level", Kind::integer, true, 0, 2},
    {"Never disconnect", Kind::integer, true, 0, 1},
    {"Avg sectors per cylinder", Kind::integer, true},
    {"Maximum number of write segments", Kind::integer, true},
    {"Use separate write segment", Kind::integer, true, 0, 1},
    {"Low (write) water mark", Kind::real, true, 0, 1},
    {"High (read) water mark", Kind::real, true, 0, 1},
    {"Set watermark by reqsize", Kind::integer, true, 0, 1},
    {"Calc sector by sector", Kind::integer, true, 0, 1},
    {"Enable caching in buffer", Kind::integer, true, 0, 2},
    {"Buffer continuous read", Kind::integer, true, 0, 4},
    {"Minimum read-ahead (blks)", Kind::integer, true},
    {"Maximum read-ahead (blks)", Kind::integer, true},
    {"Read-ahead over requested", Kind::integer, true, -1, 1},
    {"Read-ahead on idle hit", Kind::integer, true, 0, 1},
    {"Read any free blocks", Kind::integer, true, 0, 1},
    {"Fast write level", Kind::integer, true, 0, 2},
    {"Combine seq writes", Kind::integer, true, 0, 1},
    {"Stop prefetch in sector", Kind::integer, true, 0, 1},
    {"Disconnect write if seek", Kind::integer, true, 0, 1},
    {"Write hit stop prefetch", Kind::integer, true, 0, 1},
    {"Read directly to buffer", Kind::integer, true, 0, 1},
    {"Immed transfer partial hit", Kind::integer, true, 0, 1},
    {"Read hit over. after read", Kind::real, true, 0},
    {"Read hit over. after write", Kind::real, true, 0},
    {"Read miss over. after read", Kind::real, true, 0},
    {"Read miss over. after write", Kind::real, true, 0},
    {"Write hit over. after read", Kind::real, true, 0},
    {"Write hit over. after write", Kind::real, true, 0},
    {"Write miss over. after read", Kind::real, true, 0},
    {"Write miss over. after write", Kind::real, true, 0},
    {"Read completion overhead", Kind::real, true, 0},
    {"Write completion overhead", Kind::real, true, 0},
    {"Data preparation overhead", Kind::real, true, 0},
    {"First reselect overhead", Kind::real, true, 0},
    {"Other reselect overhead", Kind::real, true, 0},
    {"Read disconnect afterread", Kind::real, true, 0},
    {"Read disconnect afterwrite", Kind::real, true, 0},
    {"Write disconnect overhead", Kind::real, true, 0},
    {"Extra write disconnect", Kind::integer, true, 0, 1},
    {"Extradisc command overhead", Kind::real, true, 0},
    {"Extradisc disconnect overhead", Kind::real, true, 0},
    {"Extradisc inter-disconnect delay", Kind::real, true, 0},
    {"Extradisc 2nd disconnect overhead", Kind::real, true, 0},
    {"Extradisc seek delta", Kind::real, true, 0},
    {"Minimum seek delay", Kind::real, true, 0},
    {"Immediate buffer read", Kind::integer, true, 0, 2},
    {"Immediate buffer write", Kind::integer, true, 0, 2},
};
constexpr KnownParameter kIoqueue[] = {
    {"Scheduling policy", Kind::integer, true, 1, 28},
    {"Cylinder mapping strategy", Kind::integer, true, 0, 6},
    {"Write initiation delay", Kind::real, true, 0},
    {"Read initiation delay", Kind::real, true, 0},
    {"Sequential stream scheme", Kind::integer, true},
    {"Maximum concat size", Kind::integer, true, 0},
    {"Overlapping request scheme", Kind::integer, true, 0, 2},
    {"Sequential stream diff maximum", Kind::integer, true, 0, 2},
    {"Scheduling timeout scheme", Kind::integer, true},
    {"Timeout time/weight", Kind::integer, true, 0},
    {"Timeout scheduling", Kind::integer, true, 0, 21},
    {"Scheduling priority scheme", Kind::integer, true, 0, 1},
    {"Priority scheduling", Kind::integer, true, 0, 21},
};
constexpr KnownParameter kBus[] = {
    {"type", Kind::integer, true, 1, 2},
    {"Arbitration type", Kind::integer, true, 1, 2},
    {"Arbitration time", Kind::real, true, 0},
    {"Read block transfer time", Kind::real, true, 0},
    {"Write block transfer time", Kind::real, true, 0},
    {"Print stats", Kind::integer, true},
};
constexpr KnownParameter kCtlr[] = {
    {"type", Kind::integer, true, 1, 3},
    {"Scale for delays", Kind::real, true, 0},
    {"Bulk sector transfer time", Kind::real, true, 0},
    {"Maximum queue length", Kind::integer, true, 0},
    {"Print stats", Kind::integer, true, 0, 1},
    {"Scheduler", Kind::block, false},
    {"Cache", Kind::block, false},
    {"Max per-disk pending count", Kind::integer, false, 0},
};
constexpr KnownParameter kIodriver[] = {
    {"type", Kind::integer, true, 0},
    {"Constant access time", Kind::real, true},
    {"Use queueing in subsystem", Kind::integer, true, 0, 1},
    {"Scheduler", Kind::block, true},
};
constexpr KnownParameter kGlobal[] = {
    {"Init Seed", Kind::integer, false},
    {"Init Seed with time", Kind::integer, false, 0, 1},
    {"Real Seed", Kind::integer, false},
    {"Real Seed with time", Kind::integer, false, 0, 1},
    {"Statistic warm-up time", Kind::real, false, 0},
    {"Statistic warm-up IOs", Kind::integer, false, 0},
    {"Stat definition file", Kind::word, true},
    {"Output file for trace of I/O requests simulated", Kind::word, false},
    {"Detailed execution trace", Kind::word, false},
};
constexpr KnownParameter kLogorg[] = {
    {"Addressing mode", Kind::word, true},
    {"Distribution scheme", Kind::word, true},
    {"Redundancy scheme", Kind::word, true},
    {"Components", Kind::word, false},
    {"devices", Kind::list, true},
    {"Stripe unit", Kind::integer, true, 1},
    {"Synch writes for safety", Kind::integer, true, 0, 1},
    {"Number of copies", Kind::integer, true, 1},
    {"Copy choice on read", Kind::integer, true, 1, 6},
    {"RMW vs. reconstruct", Kind::real, true, 0, 1},
    {"Parity stripe unit", Kind::integer, true, 1},
    {"Parity rotation type", Kind::integer, true, 1, 4},
    {"Time stamp interval", Kind::real, false, 0},
    {"Time stamp start time", Kind::real, false, 0},
    {"Time stamp stop time", Kind::real, false, 0},
    {"Time stamp file name", Kind::word, false},
};
constexpr KnownParameter kDmDisk[] = {
    {"Block count", Kind::integer, true, 0},
    {"Number of data surfaces", Kind::integer, true, 1},
    {"Number of cylinders", Kind::integer, true, 1},
    {"Mechanical Model", Kind::block, false},
    {"Layout Model", Kind::block, true},
};
constexpr KnownParameter kDmMechG1[] = {
    {"Access time type", Kind::word, true},
    {"Constant access time", Kind::real, false, 0},
    {"Seek type", Kind::word, true},
    {"Average seek time", Kind::real, false, 0},
    {"Constant seek time", Kind::real, false, 0},
    {"Single cylinder seek time", Kind::real, false, 0},
    {"Full strobe seek time", Kind::real, false, 0},
    {"Full seek curve", Kind::word, false},
    {"Add. write settling delay", Kind::real, true},
    {"Head switch time", Kind::real, true, 0},
    {"Rotation speed (in rpms)", Kind::integer, true, 1},
    {"Percent error in rpms", Kind::real, true, 0, 100},
    {"First ten seek times", Kind::list, false},
    {"HPL seek equation values", Kind::list, false},
};
constexpr KnownParameter kDmLayoutG1[] = {
    {"LBN-to-PBN mapping scheme", Kind::integer, true, 0},
    {"Sparing scheme used", Kind::integer, true},
    {"Rangesize for sparing", Kind::integer, true, 1},
    {"Skew units", Kind::word, false},
    {"Zones", Kind::list, true},
};
constexpr KnownParameter kDmLayoutG1Zone[] = {
    {"First cylinder number", Kind::integer, true, 0},
    {"Last cylinder number", Kind::integer, true, 0},
    {"Blocks per track", Kind::integer, true, 1},
    {"Offset of first block", Kind::real, true},
    {"Skew units", Kind::word, false},
    {"Empty space at zone front", Kind::integer, true},
    {"Skew for track switch", Kind::real, false},
    {"Skew for cylinder switch", Kind::real, false},
    {"Number of spares", Kind::integer, true},
    {"slips", Kind::list, true},
    {"defects", Kind::list, true},
};
constexpr KnownParameter kDmLayoutG2[] = {
    {"Layout Map File", Kind::word, true},
    {"Zones", Kind::list, true},
};
constexpr KnownParameter kDmLayoutG2Zone[] = {
    {"First cylinder number", Kind::integer, true, 0},
    {"Last cylinder number", Kind::integer, true, 0},
    {"First LBN", Kind::integer, true, 0},
    {"Last LBN", Kind::integer, true, 0},
    {"Blocks per track", Kind::integer, true, 1},
    {"Zone Skew", Kind::real, false},
    {"Skew units", Kind::word, false},
    {"Skew for track switch", Kind::real, false},
    {"Skew for cylinder switch", Kind::real, false},
};
constexpr KnownParameter kDmLayoutG4[] = {
    {"TP", Kind::list, true},
    {"IDX", Kind::list, true},
    {"Slips", Kind::list, true},
    {"Remaps", Kind::list, true},
};
constexpr KnownBlock kBlocks[] = {
    {"disksim_disk", kDisk},
    {"disksim_ioqueue", kIoqueue},
    {"disksim_bus", kBus},
    {"disksim_ctlr", kCtlr},
    {"disksim_iodriver", kIodriver},
    {"disksim_global", kGlobal},
    {"disksim_logorg", kLogorg},
    {"dm_disk", kDmDisk},
    {"dm_mech_g1", kDmMechG1},
    {"dm_layout_g1", kDmLayoutG1},
    {"dm_layout_g1_zone", kDmLayoutG1Zone},
    {"dm_layout_g2", kDmLayoutG2},
    {"dm_layout_g2_zone", kDmLayoutG2Zone},
    {"dm_layout_g4", kDmLayoutG4},
};

const KnownBlock* known(const std::string& type) {
  for (const KnownBlock& block : kBlocks)
    if (block.type == type) return &block;
  return nullptr;
}

bool is_of(const Value& value, Kind kind) {
  switch (kind) {
    case Kind::integer:
      return std::holds_alternative<std::int64_t>(value.data);
    case Kind::real:
      return std::holds_alternative<double>(value.data) ||
             std::holds_alternative<std::int64_t>(value.data);
    case Kind::word:
      return std::holds_alternative<std::string>(value.data);
    case Kind::list:
      return std::holds_alternative<std::vector<Value>>(value.data);
    case Kind::block:
      return std::holds_alternative<std::shared_ptr<const Block>>(value.data);
  }
  return false;
}

const char* in_words(Kind kind) {
  switch (kind) {
    case Kind::integer:
      return "a whole number";
    case Kind::real:
      return "a number such as 1.25 or 1.0e-3";
    case Kind::word:
      return "a word";
    case Kind::list:
      return "a list";
    case Kind::block:
      return "a block";
  }
  return "";
}

void check_value(const KnownParameter& parameter, const Value& value, Findings& findings) {
  const auto add = [&](Effect effect, const std::string& what, const char* source) {
    findings.add(effect, value.where, fmt::format("\"{}\" {}", parameter.name, what), source);
  };
  if (!is_of(value, parameter.kind))
    return add(Effect::stops,
               fmt::format("must be {}, not {}", in_words(parameter.kind), to_text(value)),
               "libparam/util.c, check_types");
  if (parameter.kind == Kind::integer) {
    constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
    const std::int64_t number = std::get<std::int64_t>(value.data);
    if (findings.program() != Program::wd64 && (number > kLargest || number < -kLargest))
      return add(Effect::otherwise,
                 fmt::format("= {} is beyond 32 bits, in which DiskSim holds it", number),
                 "libparam/libparam.h");
  }
  if (parameter.kind != Kind::integer && parameter.kind != Kind::real) return;
  const double number = emit_disksim::real_of(value);
  if (number < parameter.least || number > parameter.most)
    add(Effect::otherwise,
        parameter.most == kMost
            ? fmt::format("= {} is below {}, and DiskSim takes it as it is", number,
                          parameter.least)
            : fmt::format("= {} is not within {} to {}, and DiskSim takes it as it is", number,
                          parameter.least, parameter.most),
        "the *.modspec of the block");
}

void check_missing(const KnownParameter& parameter, const Values& values, Findings& findings) {
  if (!parameter.required || values.find(std::string(parameter.name))) return;
  const bool stops = parameter.kind == Kind::block || parameter.kind == Kind::list;
  findings.add(stops ? Effect::stops : Effect::otherwise, values.block().where,
               fmt::format("{} lacks \"{}\"{}", values.block().type, parameter.name,
                           stops ? "" : ", and DiskSim goes on without it after a message"),
               "libparam/util.c, lp_loadparams");
}

}  // namespace

void check_parameters(const Block& block, Findings& findings) {
  if (const KnownBlock* const type = known(block.type)) {
    for (const emit_disksim::NamedValue& value : block.values) {
      const KnownParameter* found = nullptr;
      for (const KnownParameter& parameter : type->parameters)
        if (parameter.name == value.name) found = &parameter;
      if (found)
        check_value(*found, value.value, findings);
      else
        findings.add(Effect::otherwise, value.value.where,
                     fmt::format("{} has no parameter \"{}\": DiskSim looks for it outside of its "
                                 "tables, and stops or passes over it",
                                 block.type, value.name),
                     "libparam/util.c, lp_loadparams");
    }
    for (const KnownParameter& parameter : type->parameters)
      check_missing(parameter, Values(block), findings);
  } else if (block.type.starts_with("dm_")) {
    findings.add(Effect::stops, block.where,
                 fmt::format("there is no block of the type {}", block.type),
                 "libparam/libparam.y");
  }
  const auto within = [&findings](const Value& value) {
    if (const auto* const inner = std::get_if<std::shared_ptr<const Block>>(&value.data))
      check_parameters(**inner, findings);
  };
  for (const emit_disksim::NamedValue& value : block.values) {
    within(value.value);
    if (const auto* const list = std::get_if<std::vector<Value>>(&value.value.data))
      for (const Value& element : *list) within(element);
  }
}

}  // namespace platter::emit_disksim_check
