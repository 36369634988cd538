#include "extract/shingles_of_drive.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <utility>

#include "extract/record.h"
#include "extract/rig.h"
#include "model/parameters.h"
#include "mtbrc/displaced_extents.h"
#include "mtbrc/shingles.h"

namespace platter::extract {
namespace {

constexpr const char* kNotAsked = "the run was not asked to measure it (--shingles)";
constexpr const char* kRewritten = "blocks rewritten in place";

model::Shingling unmeasured(std::string method, const std::string& why) {
  model::Shingling shingling;
  shingling.kind = "drive-managed";
  shingling.method = std::move(method);
  shingling.band_blocks = model::absent(why, "blocks");
  shingling.media_cache_blocks = model::absent(why, "blocks");
  shingling.map_entries = model::absent(why);
  shingling.cleans_when_idle = model::absent(why);
  shingling.idle_threshold = model::absent(why, "ms");
  shingling.band_cleaning = model::absent(why, "ms");
  return shingling;
}

bool has_angles(const Rig& rig) { return rig.found.map && rig.found.model.layout.angle.error; }

// Where the map does not tell the angles of blocks (sorted).
std::vector<LbnRange> guessed(const Rig& rig) {
  if (!has_angles(rig)) return {{0, rig.context.drive.blocks() - 1}};
  const model::Layout& layout = rig.found.model.layout;
  std::vector<LbnRange> ranges;
  for (const model::NotUnderstood& range : layout.not_understood)
    ranges.push_back({range.first_lbn, range.last_lbn});
  if (layout.timed)
    for (const model::MapStretch& stretch : layout.timed->stretches)
      if (stretch.standing == "guessed") ranges.push_back({stretch.first_lbn, stretch.last_lbn});
  return scsi::merged(std::move(ranges));
}

// Why no block can be rewritten and looked at; "": they can.
std::string why_not(const Rig& rig) {
  if (rig.options.writable.empty()) return "no block may be rewritten (--allow-writes)";
  if (rig.context.map == nullptr) return "nothing is known of the drive's blocks";
  if (rig.context.reads_may_be_cached()) return "no read is sure to reach the media";
  return "";
}

void say_shingled(Rig& rig, const std::string& by) {
  rig.note({model::Code::blocks_move,
            fmt::format("the drive is shingled ({}): places of blocks hold as of the model's date, "
                        "and the map of blocks that were rewritten since is not known",
                        by)});
}

model::Parameter measured(double value, double error, const char* unit, const char* method) {
  model::Parameter figure;
  figure.value = value;
  figure.error = error;
  figure.unit = unit;
  figure.method = method;
  return figure;
}

// A model has whole blocks.
model::Parameter measured_blocks(double value, double error, const char* method) {
  return measured(std::round(value), error, "blocks", method);
}

constexpr const char* kPauses = "pauses before reads of rewritten blocks";

void take_cleaning(const mtbrc::IdleCleaning& cleaning, model::Shingling& shingling) {
  shingling.cleans_when_idle = measured(cleaning.seen ? 1 : 0, 0, "", kPauses);
  if (!cleaning.seen) {
    const std::string why = "no band was cleaned within 40 s without a command";
    shingling.idle_threshold = model::absent(why, "ms");
    shingling.band_cleaning = shingling.band_blocks = model::absent(why);
    shingling.band_cleaning.unit = "ms";
    shingling.band_blocks.unit = "blocks";
    return;
  }
  const double one_ms = cleaning.one_band.value / 1e6, band_ms = cleaning.of_band.value / 1e6;
  const double one_error_ms = cleaning.one_band.error / 1e6,
               band_error_ms = cleaning.of_band.error / 1e6;
  shingling.band_cleaning = measured(band_ms, band_error_ms, "ms", kPauses);
  shingling.idle_threshold = measured(std::max(0.0, one_ms - band_ms),
                                      std::hypot(one_error_ms, band_error_ms), "ms", kPauses);
}

// The journal has its bytes twice, and a run keeps them in memory, too.
bool has_room(const Rig& rig, std::uint64_t bytes) {
  constexpr std::uint64_t kTimes = 3, kLeft = std::uint64_t{1} << 30;
  std::error_code failed;
  const auto space = std::filesystem::space(rig.options.journal_folder, failed);
  return !failed && space.available > kTimes * bytes + kLeft &&
         rig.context.drive.bytes_written() < rig.options.most_journaled_bytes;
}

std::string why_not_full(const Rig& rig, const std::string& ended) {
  if (ended != "room") return "all that may be rewritten went into the media cache without a pause";
  const std::uint64_t most = rig.options.most_journaled_bytes;
  if (rig.context.drive.bytes_written() >= most)
    return fmt::format("a run rewrites {:.3g} GiB at most, and the media cache takes more",
                       static_cast<double>(most) / (1 << 30));
  return "the journal's folder has no room for as many blocks as the media cache takes (--journal "
         "names another)";
}

class Measuring {
 public:
  Measuring(Rig& rig, model::Shingling& shingling)
      : rig_(rig),
        shingling_(shingling),
        drive_(rig.context, rig.options.writable, guessed(rig)),
        written_before_(rig.context.drive.bytes_written()) {}

  void cleaning_and_bands() {
    cleaning_ = drive_.idle_cleaning();
    take_cleaning(cleaning_, shingling_);
    if (!cleaning_.seen) return;
    const auto band = drive_.band_blocks(cleaning_);
    shingling_.band_blocks =
        band.value > 0 ? measured_blocks(band.value, band.error, "blocks that come home together")
                       : model::absent("no two places told the same", "blocks");
  }

  void media_cache() {
    const std::uint32_t block_bytes = rig_.context.drive.block_bytes();
    constexpr std::uint32_t kMib = 1 << 20;
    const std::uint32_t length = std::min(kMib / block_bytes, rig_.context.drive.most_blocks());
    const auto room = [this](std::uint64_t bytes) { return has_room(rig_, bytes); };
    const mtbrc::FilledCache filled = drive_.fill(length, !cleaning_.seen, room);
    // What the run wrote before lies there, too: each block once, or as often as it was written.
    const auto once = static_cast<double>(cleaning_.seen ? filled.blocks : filled.of_run);
    const auto often = static_cast<double>(filled.blocks) +
                       (cleaning_.seen ? 0.0 : static_cast<double>(written_before_) / block_bytes);
    const double least = filled.keeps_old.value_or(false) ? often : once;
    const double most = filled.keeps_old.value_or(true) ? std::max(once, often) : once;
    if (filled.full) {
      shingling_.media_cache_blocks = measured_blocks(
          (least + most) / 2, std::hypot(length, most - least) / std::sqrt(12.0),
          "writes of 1 MiB until the first that waits");
    } else {
      shingling_.media_cache_blocks = model::absent(why_not_full(rig_, filled.ended), "blocks");
      if (filled.blocks > 0)
        shingling_.media_cache_blocks.at_least = static_cast<double>(filled.blocks);
    }
    if (!cleaning_.seen && filled.full) take_from_full_cache(filled);
  }

  void entries() {
    if (!cleaning_.seen) {
      shingling_.map_entries =
          model::absent("what lies in the media cache does not leave it when the drive is idle");
      return;
    }
    const auto room = [this](std::uint64_t bytes) { return has_room(rig_, bytes); };
    const mtbrc::FilledCache filled = drive_.fill(rig_.context.write_unit(), false, room);
    if (filled.full && static_cast<double>(filled.blocks) < *least_cached()) {
      shingling_.map_entries = measured(static_cast<double>(filled.writes), 0.5, "",
                                        "writes of one block until the first that waits");
    } else {
      shingling_.map_entries = model::absent(filled.full ? "its blocks fill the media cache first"
                                                         : why_not_full(rig_, filled.ended));
      shingling_.map_entries.at_least = static_cast<double>(filled.writes);
    }
  }

  void bring_home() {
    if (drive_.bring_home(cleaning_)) return;
    rig_.note({model::Code::blocks_move,
               cleaning_.seen ? "blocks that the run rewrote were still away from home at its end"
                              : "blocks that the run rewrote stay in the media cache until the "
                                "drive has to clean it"});
  }

 private:
  std::optional<double> least_cached() const {
    const model::Parameter& cache = shingling_.media_cache_blocks;
    if (cache.value) return 0.95 * *cache.value;
    return cache.at_least ? cache.at_least : std::optional(1e18);
  }
  void take_from_full_cache(const mtbrc::FilledCache& filled) {
    if (filled.pause_ns > 0) {
      constexpr double kOfPauses = 0.1;
      shingling_.band_cleaning = measured(filled.pause_ns / 1e6, kOfPauses * filled.pause_ns / 1e6,
                                          "ms", "pauses of writes into the full media cache");
    }
    if (filled.band_blocks.error > 0)
      shingling_.band_blocks = measured_blocks(filled.band_blocks.value, filled.band_blocks.error,
                                               "what came home first of the full media cache");
  }

  Rig& rig_;
  model::Shingling& shingling_;
  mtbrc::Shingles drive_;
  std::uint64_t written_before_;
  mtbrc::IdleCleaning cleaning_{};
};

}  // namespace

void find_shingles(Rig& rig) {
  const bool says = rig.found.model.identity.zones == "device-managed";
  const std::string cannot = why_not(rig);
  if (rig.facts.shingling) return;
  if (!cannot.empty()) {
    if (says) rig.facts.shingling = unmeasured("as the drive says", cannot);
    return;
  }
  const std::size_t samples = rig.context.samples.size();
  const mtbrc::Displaced found =
      mtbrc::Shingles(rig.context, rig.options.writable, guessed(rig)).displaced();
  rig.void_since(samples);
  // Of blocks that are away one in forty looks at home.
  constexpr std::uint32_t kFewest = 12;
  const std::string counted = fmt::format(
      "{} of {} blocks that were rewritten in place lay "
      "elsewhere",
      found.away, found.looked_at);
  if (found.looked_at >= kFewest && 2 * found.away > found.looked_at) {
    rig.facts.shingling = unmeasured(kRewritten, kNotAsked);
    say_shingled(rig, counted);
    rig.settings.end_writes("the drive is shingled: what is written goes to its media cache");
  } else if (says) {
    rig.facts.shingling = unmeasured("as the drive says",
                                     "rewritten blocks do not show it: " + counted);
  } else if (found.away > 2 || found.looked_at < kFewest) {
    rig.note("whether the drive is shingled is not known: " + counted);
  }
}

namespace {

// Behind long pauses the reference may be where no one foresaw, though no time jumped.
class Unwatched {
 public:
  explicit Unwatched(mtbrc::Context& context)
      : context_(context), time_(std::exchange(context.time, nullptr)) {}
  ~Unwatched() { context_.time = time_; }
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;

 private:
  mtbrc::Context& context_;
  mtbrc::TimeWatch* time_;
};

}  // namespace

namespace {

void look_for_displaced(Rig& rig, model::Shingling& shingling) {
  mtbrc::DisplacedExtents found = mtbrc::find_displaced_extents(rig.context, rig.found.model);
  shingling.displaced = std::move(found.extents);
  shingling.displaced_from_blocks = found.from_blocks;
  shingling.displaced_untold = std::move(found.untold);
}

}  // namespace

void measure_shingles(Rig& rig) {
  if (!rig.facts.shingling || rig.options.shingles == MeasureShingles::recognize) return;
  const Unwatched unwatched(rig.context);
  const std::size_t samples = rig.context.samples.size();
  if (has_angles(rig) && !rig.context.reads_may_be_cached() && !rig.found.model.seek.points.empty())
    look_for_displaced(rig, *rig.facts.shingling);
  if (rig.facts.shingling->method != kRewritten) return rig.void_since(samples);
  Measuring measuring(rig, *rig.facts.shingling);
  measuring.cleaning_and_bands();
  if (rig.options.shingles == MeasureShingles::all) {
    measuring.bring_home();
    measuring.media_cache();
    measuring.bring_home();
    measuring.entries();
  }
  measuring.bring_home();
  rig.void_since(samples);
}

void take_that_it_is_shingled(const Seen& seen, Findings& found) {
  found.model.shingling.reset();
  if (seen.facts.shingling)
    found.model.shingling = unmeasured(seen.facts.shingling->method,
                                       "it is measured at the end of a run (--shingles)");
}

void say_as_of_when(model::DriveModel& model) {
  if (!model.shingling || model.provenance.date.empty()) return;
  model.validity.note += fmt::format(
      "{}as of {}; the map of blocks that were rewritten since is not known",
      model.validity.note.empty() ? "" : "; ", model.provenance.date);
}

void take_shingles(const Seen& seen, Findings& found) {
  found.model.shingling = seen.facts.shingling;
}

}  // namespace platter::extract
