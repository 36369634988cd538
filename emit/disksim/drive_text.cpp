#include "emit/disksim/drive_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "emit/disksim/for_disksim_alone.h"
#include "emit/disksim/parameter_text.h"
#include "emit/disksim/rules.h"
#include "emit/disksim/simulation_text.h"
#include "engine/layout_map.h"
#include "model/seek_curve.h"
#include "model/stand_ins.h"
#include "model/validate.h"

namespace platter::emit_disksim {
namespace {

// ---------------------------------------------------------------- disksim_disk

using model::acting;
using model::Acting;
using model::Known;

// Those that only DiskSim has a use for; what acts without them is theirs (for_disksim_alone.h).
Acting value_of(const ForDisksimAlone& parameter, const model::DriveModel& model) {
  const auto found = std::ranges::find(model.disksim, parameter.name,
                                       &model::DisksimParameter::name);
  if (found == model.disksim.end()) return {parameter.fallback, Known::unknown};
  return {found->value, Known::measured};
}

Acting as_well(double value) { return {value, Known::measured}; }

class DiskBlock {
 public:
  DiskBlock(const std::string& name, const WrittenLayout& layout, Program program,
            DriveText& result)
      : block_("disksim_disk " + name), result_(result), program_(program) {
    told_.layout = layout.type;
    told_.blocks = static_cast<double>(layout.blocks);
    told_.longest_track = layout.most_sectors;
    told_.values["Block count"] = told_.blocks;
  }

  void add(const char* name, const std::string& value) { block_.add(name, value); }
  void fixed(const char* name, std::int64_t value) {
    told_.values[name] = static_cast<double>(value);
    block_.integer(name, value);
  }
  // The word of the file that the model was imported from: DiskSim acts as the model does.
  void kept(const char* name, double word) {
    block_.integer(name, static_cast<std::int64_t>(std::round(word)));
  }

  // What nobody measured and DiskSim cannot have is written as the nearest that it can.
  void integer(const char* name, const Acting& figure, double low = 0, double high = 1) {
    const double value = std::round(figure.value), allowed = std::clamp(value, low, high);
    tell(name, {allowed, figure.known});
    if (allowed != value && figure.known != Known::unknown) {
      result_.warnings.push_back(
          fmt::format("{} = {} is written as {}, as DiskSim allows {} to {} in this drive", name,
                      value, allowed, low, high));
    }
    fixed(name, static_cast<std::int64_t>(allowed));
  }
  // Left out where a rule says that DiskSim stops at it.
  void unless_it_stops(const char* name, const Acting& level) {
    Told wanted = told_;
    wanted.values[name] = level.value;
    const auto stops = [&](const Rule& rule) {
      const Does does = deed_of(rule, program_).does;
      return rule.parameter == std::string_view(name) && rule.holds(wanted) &&
             (does == Does::stops || does == Does::stops_there);
    };
    const auto found = std::ranges::find_if(rules(), stops);
    if (found == rules().end()) return integer(name, level, 0, 2);
    result_.warnings.push_back(fmt::format("{} = {} is written as 0: DiskSim {}", name, level.value,
                                           deed_of(*found, program_).words));
    fixed(name, 0);
  }
  // `more`: what DiskSim has in the same parameter besides.
  void real(const char* name, const Acting& figure, double more = 0) {
    tell(name, {figure.value + more, figure.known});
    time(name, figure.value + more);
  }
  void copied(const ForDisksimAlone& parameter, const model::DriveModel& model) {
    const Acting value = value_of(parameter, model);
    if (parameter.flag) return integer(parameter.name, value);
    real(parameter.name, value);
  }
  void time(const char* name, double value) {
    told_.values[name] = value;
    block_.real(name, value);
  }

  // What acts though it was not measured.
  void tell(const char* name, const Acting& figure) {
    if (figure.known == Known::measured) return;
    const std::string known = figure.known == Known::unknown
                                  ? std::string()
                                  : fmt::format(" ({})", word_of(figure.known));
    result_.unmeasured.push_back(fmt::format("{} = {}{}", name, figure.value, known));
  }

  // Where DiskSim does something else than it is told here.
  void warn_by_rules() {
    for (const Rule& rule : rules())
      if (deed_of(rule, program_).does == Does::otherwise && rule.holds(told_))
        result_.warnings.push_back(in_words(rule, told_, program_));
  }

  std::string text() const { return block_.text(); }

 private:
  BlockText block_;
  DriveText& result_;
  Program program_;
  Told told_{};
};

std::optional<double> kept_word(const model::DriveModel& model, const char* name) {
  const auto found = std::ranges::find(model.disksim, name, &model::DisksimParameter::name);
  return found == model.disksim.end() ? std::nullopt : std::optional(found->value);
}

constexpr double kLargestInt = 2147483647;

// DiskSim's segments hold a block at least, also where there is no cache: then a track's.
Acting segment_of(const model::Cache& cache, const WrittenLayout& layout) {
  const Acting figure = acting(cache, cache.segment_blocks);
  if (figure.known != Known::unknown) return figure;
  return {static_cast<double>(layout.most_sectors), Known::unknown};
}

// To DiskSim 0 is no bound only where a segment's size bounds the read-ahead as well (scheme 3) or
// where it asks for none (0, 4). To the end of a track or cylinder it needs a number that no track
// or cylinder reaches, and beside a minimum it takes 0 for the minimum.
Acting most_read_ahead(const model::DriveModel& model, const WrittenLayout& layout,
                       DriveText& result) {
  const model::Cache& cache = model.cache;
  Acting most = acting(cache, cache.read_ahead_max_blocks);
  const auto scheme = static_cast<int>(std::round(acting(cache, cache.read_ahead).value));
  if (most > 0 || acting(cache, cache.read_enabled) == 0) return most;
  if (scheme == 1) return as_well(layout.most_sectors);
  if (scheme == 2) return as_well(1.0 * layout.most_sectors * model.identity.heads);
  if (scheme == 3 && acting(cache, cache.read_ahead_min_blocks) > 0) {
    most = as_well(segment_of(cache, layout));
    result.warnings.push_back(
        fmt::format("Maximum read-ahead (blks) = {}: beside a minimum DiskSim cannot be told to "
                    "read until the segment is full of the request and what is behind it",
                    most.value));
  }
  return most;
}

// DiskSim looks for the block behind the drive's last when it reads on behind a hit there, or
// (scheme 4) behind any read, and stops. Where the count has blocks that there are not it reads on
// to them.
void warn_of_drives_end(const model::Cache& cache, const WrittenLayout& layout, DriveText& result) {
  const double scheme = acting(cache, cache.read_enabled) == 0
                            ? 0
                            : acting(cache, cache.read_ahead).value;
  const bool on_hit = acting(cache, cache.read_ahead_on_hit) > 0;
  const bool far = scheme > 0 && (on_hit || layout.block_count > layout.blocks);
  if (!far && scheme != 4) return;
  const double reach = far ? std::max(segment_of(cache, layout).value,
                                      acting(cache, cache.read_ahead_max_blocks).value)
                           : 1;
  const auto end = layout.blocks - std::min(static_cast<std::uint64_t>(reach), layout.blocks);
  result.warnings.push_back(fmt::format(
      "requests should end in front of block {}: DiskSim, which reads on behind them, looks for a "
      "block behind the drive's last and stops",
      end));
}

// DiskSim stops at caching without a cache, at more write segments than segments, and at a write
// segment of its own in a cache of one.
void add_cache(DiskBlock& disk, const model::DriveModel& model, const WrittenLayout& layout,
               DriveText& result) {
  const model::Cache& cache = model.cache;
  const auto figure = [&cache](const model::Parameter& one) { return acting(cache, one); };
  const double top = figure(cache.read_enabled) != 0 ? 4 : 0;
  const double segments = std::max(1.0, figure(cache.segments).value);
  const auto blocks = static_cast<double>(layout.blocks);
  disk.integer("Number of buffer segments", figure(cache.segments), 1, 65536);
  disk.integer("Maximum number of write segments", figure(cache.write_segments), 1, segments);
  disk.integer("Segment size (in blks)", segment_of(cache, layout), 1, blocks);
  disk.integer("Use separate write segment", figure(cache.separate_write_segment), 0,
               segments > 1 ? 1 : 0);
  disk.integer("Enable caching in buffer", figure(cache.read_enabled), 0, 2);
  disk.integer("Buffer continuous read", figure(cache.read_ahead), 0, top);
  disk.integer("Minimum read-ahead (blks)", figure(cache.read_ahead_min_blocks), 0, kLargestInt);
  const auto as_run = [&](const char* name, const Acting& acts, double run, double most) {
    const std::optional<double> word = kept_word(model, name);
    if (word && acts == run) return disk.kept(name, *word);
    disk.integer(name, acts, 0, most);
  };
  as_run("Maximum read-ahead (blks)", most_read_ahead(model, layout, result), 0, kLargestInt);
  disk.integer("Read-ahead over requested", figure(cache.read_ahead_over_requested), -1, 1);
  disk.integer("Read-ahead on idle hit", figure(cache.read_ahead_on_hit));
  as_run("Read any free blocks", figure(cache.read_free_blocks), 0, std::min(top, 1.0));
  disk.integer("Fast write level", figure(cache.write_back_level), 0, std::min(top, 2.0));
  disk.unless_it_stops("Immediate buffer read", figure(cache.zero_latency_read));
  disk.unless_it_stops("Immediate buffer write", figure(cache.zero_latency_write));
  disk.integer("Combine seq writes", figure(cache.combine_sequential_writes));
  disk.integer("Stop prefetch in sector", figure(cache.stop_read_ahead_in_sector));
  disk.fixed("Disconnect write if seek", 0);
  disk.integer("Write hit stop prefetch", figure(cache.write_hit_stops_read_ahead));
  disk.fixed("Read directly to buffer", 1);
  disk.copied(kSendPartialHits, model);
  disk.integer("Allow almost read hits", figure(cache.almost_read_hits));
  for (const char* name : {"Allow sneaky partial read hits", "Allow sneaky intermediate read hits"})
    disk.fixed(name, 0);
  disk.integer("Allow read hits on write data", figure(cache.read_hit_on_written));
  disk.fixed("Allow write prebuffering", 0);
}

// Policies of ours that DiskSim's cache lacks.
void warn_of_cache(const model::Cache& cache, DriveText& result) {
  const auto warn = [&](const char* name, const model::Parameter& p, double usual,
                        const char* what) {
    if (const Acting figure = acting(cache, p); figure != usual)
      result.warnings.push_back(
          fmt::format("cache.{} = {} is not in the files: DiskSim {}", name, figure.value, what));
  };
  warn("replacement", cache.replacement, 0, "replaces the least recently used segment");
  const double all = acting(cache, cache.segments) * acting(cache, cache.segment_blocks);
  if (acting(cache, cache.buffer_blocks) < all)
    warn("buffer_blocks", cache.buffer_blocks, 0, "gives every segment the same size");
  warn("adaptive_min_segments", cache.adaptive_min_segments, 0, "keeps the number of segments");
  if (acting(cache, cache.adaptive_min_segments) > 0)
    warn("adaptive_window_requests", cache.adaptive_window_requests, 0, "never divides them anew");
  warn("read_ahead_ceiling_blocks", cache.read_ahead_ceiling_blocks, 0, "has no ceiling");
  warn("read_ahead_by_request", cache.read_ahead_by_request, 0, "counts in blocks");
  warn("read_ahead_longest_request_blocks", cache.read_ahead_longest_request_blocks, 0,
       "reads on behind requests of any length");
  warn("read_ahead_after_sequential", cache.read_ahead_after_sequential, 0,
       "reads on behind any read");
  warn("read_ahead_abort", cache.read_ahead_abort, 1, "breaks read-ahead off");
  warn("read_ahead_resumes", cache.read_ahead_resumes, 0, "does not take it up again");
  warn("read_ahead_streams", cache.read_ahead_streams, 0, "reads on behind a hit in any segment");
  warn("read_ahead_fixed_end", cache.read_ahead_fixed_end, 0, "moves the end on with hits");
  warn("segments_grow", cache.segments_grow, 0, "gives every segment the same size");
  warn("write_updates_segments", cache.write_updates_segments, 0, "drops what a write overlaps");
  warn("destage_behind", cache.destage_behind, 0, "begins to write at once");
  warn("written_blocks", cache.written_blocks, 0, "takes as much as its segments hold");
  warn("written_persist", cache.written_persist, 0, "knows neither FUA nor SYNCHRONIZE CACHE");
  warn("synchronize", cache.synchronize, 0, "knows no SYNCHRONIZE CACHE");
}

// A time of the whole command is part of every command overhead: Western Digital's DiskSim 64 bit
// stops at one of its own, as it numbers only the requests that have none.
void add_overheads(DiskBlock& disk, const model::Overheads& o, DriveText& result) {
  const double common = acting(o, o.per_request);
  const auto command = [&](const char* name, const model::Parameter& figure) {
    disk.real(name, acting(o, figure), common);
  };
  disk.time("Per-request overhead time", 0);
  disk.time("Time scale for overheads", 1);
  command("Read hit over. after read", o.read_hit_after_read);
  command("Read hit over. after write", o.read_hit_after_write);
  command("Read miss over. after read", o.read_miss_after_read);
  command("Read miss over. after write", o.read_miss_after_write);
  command("Write hit over. after read", o.write_hit_after_read);
  command("Write hit over. after write", o.write_hit_after_write);
  command("Write miss over. after read", o.write_miss_after_read);
  command("Write miss over. after write", o.write_miss_after_write);
  disk.real("Read completion overhead", acting(o, o.read_completion));
  disk.real("Write completion overhead", acting(o, o.write_completion));
  disk.real("Data preparation overhead", acting(o, o.data_preparation));
  disk.real("First reselect overhead", acting(o, o.first_reselect));
  disk.real("Other reselect overhead", acting(o, o.other_reselect));
  disk.real("Read disconnect afterread", acting(o, o.read_disconnect_after_read));
  disk.real("Read disconnect afterwrite", acting(o, o.read_disconnect_after_write));
  disk.real("Write disconnect overhead", acting(o, o.write_disconnect));
  disk.integer("Extra write disconnect", acting(o, o.extra_write_disconnect));
  command("Extradisc command overhead", o.extra_disconnect_command);
  disk.real("Extradisc disconnect overhead", acting(o, o.extra_disconnect_first));
  disk.real("Extradisc inter-disconnect delay", acting(o, o.extra_disconnect_inter));
  disk.real("Extradisc 2nd disconnect overhead", acting(o, o.extra_disconnect_second));
  disk.real("Extradisc seek delta", acting(o, o.extra_disconnect_seek_delta));
  disk.real("Minimum seek delay", acting(o, o.minimum_seek_delay));
  if (common != 0)
    result.warnings.push_back(fmt::format(
        "overheads.per_request = {} ms is part of each command overhead: not every DiskSim runs "
        "with a Per-request overhead time, and DiskSim looks into its cache in front of it",
        common));
  if (const double delay = acting(o, o.minimum_read_seek_delay); delay > 0)
    result.warnings.push_back(
        fmt::format("overheads.minimum_read_seek_delay = {} ms is not in the files: DiskSim has it "
                    "for writes only",
                    delay));
  for (const model::Parameter* figure :
       {&o.sequential_read_hit_delta, &o.sequential_write_hit_delta})
    if (const double delta = acting(o, *figure); delta != 0)
      result.warnings.push_back(fmt::format(
          "overheads.sequential_{}_hit_delta = {} ms is not in the files: to DiskSim all "
          "hits are alike",
          figure == &o.sequential_read_hit_delta ? "read" : "write", delta));
}

// A block takes as long as the slower of drive and bus needs for it: where writes differ, the drive
// gets the smaller time and the bus both.
void add_bus(DiskBlock& disk, const model::DriveModel& model, DriveText& result) {
  const model::Bus& bus = model.bus;
  const Acting read_ms = acting(bus, bus.block_transfer);
  const double write_ms = acting(bus, bus.write_block_transfer);
  disk.tell("Bulk sector transfer time", read_ms);
  disk.time("Bulk sector transfer time", std::min(read_ms.value, write_ms));
  if (write_ms != read_ms) {
    result.bus_read_block_ms = read_ms;
    result.bus_write_block_ms = write_ms;
  }
  disk.copied(kHoldForRead, model);
  disk.copied(kHoldForWrite, model);
  disk.copied(kNeverDisconnect, model);
  disk.copied(kLowWatermark, model);
  // DiskSim sends block by block: it knows no portions.
  const model::Bus in_portions;
  const model::Bus& told = acting(bus, bus.watermark_by_request_size) > 1 ? in_portions : bus;
  disk.real("High (read) water mark", acting(told, told.high_read_watermark));
  disk.integer("Set watermark by reqsize", acting(told, told.watermark_by_request_size));
}

// At level 2, which is what the engine takes, DiskSim gives up reading ahead with the request
// itself, and every second read of a sequential stream misses.
void add_preseeking(DiskBlock& disk, const Acting& level, DriveText& result) {
  if (level.known != Known::unknown) return disk.integer("Preseeking level", level, 0, 2);
  disk.fixed("Preseeking level", 0);
  result.warnings.push_back(
      "Preseeking level = 0: the model does not know it, and at 2, which platter's engine takes, "
      "sequential "
      "reads miss in DiskSim; at 0 the arm leaves later for the next of several requests");
}

// DiskSim stops at them where a read holds the bus.
void add_overtaking_hits(DiskBlock& disk, const model::DriveModel& model, DriveText& result) {
  constexpr const char* kName = "Allow sneaky full read hits";
  const Acting overtakes = acting(model, model.queue.hits_overtake);
  if (value_of(kHoldForRead, model) == 0 || overtakes == 0) return disk.integer(kName, overtakes);
  disk.fixed(kName, 0);
  result.warnings.push_back(fmt::format(
      "{} = 1 is written as 0: DiskSim stops at it with Hold bus entire read xfer = 1", kName));
}

// Where writes are not buffered, Carnegie Mellon's DiskSim loses those that come while another
// request is in service: nothing answers them any more.
void add_depth(DiskBlock& disk, const model::DriveModel& model, Program program,
               DriveText& result) {
  constexpr const char* kName = "Max queue length";
  const Acting depth = acting(model, model.queue.depth);
  const bool buffered = acting(model, model.cache.write_back_level) > 0 &&
                        acting(model, model.cache.read_enabled) > 0;
  if (depth <= 1 || buffered || program != Program::cmu4)
    return disk.integer(kName, depth, 1, kLargestInt);
  disk.fixed(kName, 1);
  result.warnings.push_back(
      fmt::format("{} = {} is written as 1: without write-back Carnegie Mellon's DiskSim loses "
                  "writes that come while another request is in service (--dialect wd keeps it)",
                  kName, depth.value));
}

void warn_of_others(const std::vector<model::DisksimParameter>& kept, DriveText& result) {
  for (const model::DisksimParameter& other : kept)
    if (!is_kept_word(other.name) && std::ranges::none_of(kForDisksimAlone, [&](const auto& known) {
          return other.name == known.name;
        }))
      result.warnings.push_back(fmt::format(
          "{} = {} of the model's member disksim is not in the files: it is no parameter "
          "that is copied from there",
          other.name, other.value));
}

std::string disk_text(const model::DriveModel& model, const WrittenLayout& layout,
                      const std::string& name, Program program, DriveText& result) {
  DiskBlock disk(name, layout, program, result);
  disk.add("Model", "source " + name + ".model");
  const Acting chosen = acting(model, model.queue.policy);
  disk.tell("Scheduling policy", chosen);
  const double policy = std::round(chosen.value);
  disk.add("Scheduler", queue_text(2, static_cast<int>(std::clamp(policy, 1.0, 1000.0)), 4));
  add_depth(disk, model, program, result);
  add_preseeking(disk, acting(model, model.queue.preseeking), result);
  add_overtaking_hits(disk, model, result);
  add_bus(disk, model, result);
  add_cache(disk, model, layout, result);
  warn_of_drives_end(model.cache, layout, result);
  warn_of_cache(model.cache, result);
  add_overheads(disk, model.overheads, result);
  warn_of_others(model.disksim, result);
  disk.fixed("Avg sectors per cylinder", static_cast<std::int64_t>(std::max<std::uint64_t>(
                                             layout.blocks / layout.used_cylinders, 1)));
  disk.fixed("Calc sector by sector", 1);
  disk.fixed("Print stats", 1);
  disk.warn_by_rules();
  return disk.text();
}

// ---------------------------------------------------------------- dm_disk

std::int64_t whole_rpm(const model::Rotation& rotation, std::vector<std::string>& warnings) {
  const double rpm = 60e9 * static_cast<double>(rotation.denominator) /
                     static_cast<double>(rotation.numerator_ns);
  const double whole = std::round(rpm);
  if (std::fabs(rpm / whole - 1) > 1e-12) {
    warnings.push_back(fmt::format(
        "DiskSim takes whole revolutions a minute: {:.6f} rpm are written as {} ({:+.3f} ppm)", rpm,
        whole, (whole / rpm - 1) * 1e6));
  }
  return static_cast<std::int64_t>(whole);
}

std::string mechanics_text(const model::DriveModel& model, const std::string& name, Program program,
                           DriveText& result) {
  BlockText block("dm_mech_g1");
  const auto time = [&](const char* parameter, const model::Parameter& value) {
    const Acting figure = acting(model, value);
    if (!value) result.unmeasured.push_back(fmt::format("{} = {}", parameter, figure.value));
    block.real(parameter, figure);
  };
  block.add("Access time type", "trackSwitchPlusRotation");
  block.add("Seek type", "extracted");
  block.add("Full seek curve", name + ".seek");
  time("Add. write settling delay", model.write_settle);
  if (const double delta = acting(model, model.inward_seek_delta); delta != 0)
    result.warnings.push_back(
        fmt::format("inward_seek_delta = {} ms is not in the files: to DiskSim seeks take as long "
                    "either way",
                    delta));
  if (model.arms)
    result.warnings.push_back(fmt::format(
        "arms are not in the files: to DiskSim one arm reaches all blocks, where the drive has {} "
        "that move at the same time",
        arm_count(model)));
  if (model.outward_seek)
    result.warnings.push_back(
        "outward_seek is not in the files: to DiskSim seeks take as long either way, as the mean "
        "of both");
  if (model.write_seek)
    result.warnings.push_back(
        program != Program::cmu4
            ? "write_seek is the fourth number of the .seek file, which forks with a dual seek "
              "profile read; 2.01.016 passes over it"
            : "write_seek is not in the files: to DiskSim writes settle as long behind seeks of "
              "any "
              "distance");
  time("Head switch time", model.head_switch);
  block.integer("Rotation speed (in rpms)", whole_rpm(model.rotation, result.warnings));
  block.real("Percent error in rpms", 0);
  return block.text(2);
}

std::string model_text(const model::DriveModel& model, const WrittenLayout& layout,
                       const std::string& name, Program program, DriveText& result) {
  BlockText block("dm_disk " + name + "_model");
  block.integer("Number of data surfaces",
                std::max(model.identity.heads, engine::LayoutMap(model.layout).heads()));
  if (!model.layout.heads.reason.empty())
    result.unmeasured.push_back(fmt::format("Number of data surfaces = {} ({})",
                                            model.identity.heads,
                                            word_of(known(model.layout.heads))));
  block.integer("Number of cylinders",
                std::max(model.identity.cylinders, model::cylinders_of(model.layout)));
  block.integer("Block count", static_cast<std::int64_t>(layout.block_count));
  block.add("Layout Model", layout.text);
  block.add("Mechanical Model", mechanics_text(model, name, program, result));
  return block.text();
}

// "distance, time of a read, deviation, time of a write", as in a dual seek profile.
std::string dual_seek_text(const model::Seek& reads, const model::Seek& writes) {
  std::set<std::uint32_t> distances = model::seek_distances({&reads, &writes});
  distances.erase(0);
  distances.insert(1);
  std::string text;
  for (const std::uint32_t cylinders : distances)
    text += fmt::format("{}, {}, 0.0, {}\n", cylinders,
                        real_text(model::seek_time_ms(reads, cylinders)),
                        real_text(model::seek_time_ms(writes, cylinders)));
  return text;
}

// DiskSim wants a time for one cylinder first; a model whose first point lies farther goes in a
// straight line from 0 to there.
std::string seek_text(const model::Seek& seek) {
  std::string text;
  const auto line = [&](std::uint32_t cylinders, double time_ms) {
    text += fmt::format("{}, {}\n", cylinders, real_text(time_ms));
  };
  if (seek.points.front().cylinders > 1) line(1, model::seek_time_ms(seek, 1));
  for (const model::SeekPoint& point : seek.points) {
    if (point.cylinders > 0) line(point.cylinders, point.time_ms);
  }
  return text;
}

}  // namespace

DriveText drive_text(const model::DriveModel& model, const WrittenLayout& layout,
                     const std::string& name, Program program) {
  DriveText result;
  result.model = model_text(model, layout, name, program, result) + "\n";
  result.diskspecs = disk_text(model, layout, name, program, result) + "\n";
  result.seek = program != Program::cmu4 && model.write_seek
                    ? dual_seek_text(model::mean_seek(model), model::write_seek(model))
                    : seek_text(model::mean_seek(model));
  return result;
}

}  // namespace platter::emit_disksim
